//! Scores → labels: the rule's least score for the page, then the filter.

use crate::decision::RuleChoice;
use crate::filters::{FilterChoice, Page};
use std::borrow::Cow;

/// Least score of a block that may be content.
const CHANCE: f32 = 0.05;

/// Tokens of blocks as a rule looks at them: none for those that are `told`, of which the page itself tells what they are, such as its
/// headline. Where they count they are among the surest of a page whatever the others are, and a rule that looks for the surest would leave
/// a doubtful article out; and whether they count is not to say which others do. Where no other block has a chance they are all that there is.
pub fn without_metadata<'a>(
    num_tokens: &'a [u32],
    told: impl Iterator<Item = usize>,
    scores: &[f32],
) -> Cow<'a, [u32]> {
    let mut left = Cow::Borrowed(num_tokens);
    told.for_each(|i| left.to_mut()[i] = 0);
    let has_chance = |(n, s): (&u32, &f32)| *n > 0 && *s >= CHANCE;
    if left.iter().zip(scores).any(has_chance) { left } else { Cow::Borrowed(num_tokens) }
}

/// All that stands between scores and labels.
#[derive(Debug, Clone, Copy)]
pub struct Decision {
    /// The rule, with its number.
    pub rule: RuleChoice,
    /// What takes labels back.
    pub filter: FilterChoice,
}

impl Decision {
    /// Labels of a page's blocks from their calibrated scores, and the least score that the rule asks for. `num_tokens` has one number a
    /// block, 0 for those that the rule is not to look at; it is asked where the rule looks at the page.
    ///
    /// `inside` says which blocks may be kept at all, before the filter; `None`: all.
    pub fn keep<'a>(
        &self,
        page: &Page<'_>,
        inside: Option<&[bool]>,
        num_tokens: impl FnOnce() -> Cow<'a, [u32]>,
    ) -> (Vec<bool>, f32) {
        let &Page { doc, blocks, scores, left_out } = page;
        let least = self.rule.cut(scores, num_tokens);
        let mut keep = reaching(scores, least, inside);
        self.filter.apply(doc, blocks, Some(scores), left_out, &mut keep);
        (keep, least)
    }

    /// What became of each block of a page where the rule asked for `least`.
    pub(crate) fn outcomes(&self, page: &Page<'_>, inside: Option<&[bool]>, least: f32) -> Vec<Outcome> {
        let &Page { doc, blocks, scores, left_out } = page;
        let mut keep = reaching(scores, least, inside);
        let outcome = |(i, &kept): (usize, &bool)| match kept {
            true => Outcome::Kept,
            false if scores[i] >= least => Outcome::Outside,
            false => Outcome::BelowLeast,
        };
        let mut outcomes: Vec<Outcome> = keep.iter().enumerate().map(outcome).collect();
        for filter in self.filter.one_by_one() {
            let before = keep.clone();
            filter.apply(doc, blocks, Some(scores), left_out, &mut keep);
            let dropped = before.iter().zip(&keep).map(|(&before, &after)| before && !after);
            for (outcome, _) in outcomes.iter_mut().zip(dropped).filter(|f| f.1) {
                *outcome = Outcome::Dropped(filter.name());
            }
        }
        outcomes
    }
}

fn reaching(scores: &[f32], least: f32, inside: Option<&[bool]>) -> Vec<bool> {
    scores.iter().enumerate().map(|(i, &s)| s >= least && inside.is_none_or(|inside| inside[i])).collect()
}

/// What became of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is kept.
    Kept,
    /// Its score is below the least that the decision rule asks of the page.
    BelowLeast,
    /// It stands outside the selected elements.
    Outside,
    /// The filter of this name took it back.
    Dropped(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::Blocks;

    #[test]
    fn told_blocks_have_no_tokens_where_others_have_a_chance() {
        let left = |scores: &[f32], told: &[usize]| {
            without_metadata(&[9, 80, 40], told.iter().copied(), scores).into_owned()
        };
        assert_eq!(left(&[0.99, 0.3, 0.01], &[0]), [0, 80, 40]);
        assert_eq!(left(&[0.99, 0.3, 0.01], &[]), [9, 80, 40]);
        assert_eq!(left(&[0.99, 0.3, 0.01], &[0, 1]), [9, 80, 40]);
    }

    #[test]
    fn a_sure_headline_does_not_cost_a_doubtful_article() {
        let doc = threshr_html::parse_str("<h1>Rain over the hills</h1><p>It rained all day.<p>Menu");
        let blocks = Blocks::of(&doc, threshr_html::blocks::REGISTRY[0], Default::default());
        let scores = [0.99, 0.3, 0.01];
        let rule = crate::decision::by_name("nested-f1").expect("a rule");
        let rule = RuleChoice::new(rule, 0.5, &Default::default(), &Default::default());
        let decision = Decision { rule, filter: FilterChoice::default() };
        let page = Page::new(&doc, &blocks, &scores);
        let tokens = [4, 300, 40];
        let keep = |told: Vec<usize>| {
            decision.keep(&page, None, || without_metadata(&tokens, told.into_iter(), &scores)).0
        };
        assert_eq!(keep(vec![0]), [true, true, false]);
        // else the headline is taken for all that there is
        assert_eq!(keep(vec![]), [true, false, false]);
    }

    #[test]
    fn each_block_is_told_what_became_of_it() {
        let twice = "<div><p>It rained all day</p></div>";
        let doc = threshr_html::parse_str(&format!("{twice}{twice}<p>Menu<h2>More of it</h2>"));
        let blocks = Blocks::of(&doc, threshr_html::blocks::REGISTRY[0], Default::default());
        let scores = [0.9, 0.8, 0.01, 0.7];
        let rule = crate::decision::by_name("threshold").expect("a rule");
        let rule = RuleChoice::new(rule, 0.5, &Default::default(), &Default::default());
        let decision = Decision { rule, filter: FilterChoice::parse("repeats:3+headings").expect("filters") };
        let page = Page { left_out: threshr_core::policy::LeftOut::ALL, ..Page::new(&doc, &blocks, &scores) };
        let (keep, least) = decision.keep(&page, None, || Cow::Borrowed(&[4, 4, 1, 3]));
        assert_eq!((&keep[..], least), (&[true, false, false, false][..], 0.5));
        let dropped = |name: &str| Outcome::Dropped(name.to_owned());
        let outcomes = [Outcome::Kept, dropped("repeats:3"), Outcome::BelowLeast, dropped("headings")];
        assert_eq!(decision.outcomes(&page, None, least), outcomes);
    }
}
