//! Scores → labels: the rule's least score for the page, then the filter.

use crate::decision::RuleChoice;
use crate::filter::{FilterChoice, Page};
use std::borrow::Cow;

/// Least score of a block that may be content.
const CHANCE: f32 = 0.05;

/// Tokens of blocks as a rule looks at them: none for those that are `told`, of which the page itself tells what they are, such as its
/// headline. Where they count they are among the surest of a page whatever the others are, and a rule that looks for the surest would leave
/// a doubtful article out; and whether they count is not to say which others do. Where no other block has a chance they are all that there is.
pub(crate) fn without_told<'a>(
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
    pub fn keep<'a>(&self, page: &Page<'_>, num_tokens: impl FnOnce() -> Cow<'a, [u32]>) -> (Vec<bool>, f32) {
        let &Page { doc, blocks, scores, left_out } = page;
        let least = self.rule.cut(scores, num_tokens);
        let mut keep = reaching(scores, least);
        self.filter.apply(doc, blocks, Some(scores), left_out, &mut keep);
        (keep, least)
    }

    /// What became of each block of a page where the rule asked for `least`.
    pub(super) fn fates(&self, page: &Page<'_>, least: f32) -> Vec<Fate> {
        let &Page { doc, blocks, scores, left_out } = page;
        let mut keep = reaching(scores, least);
        let mut fates: Vec<Fate> =
            keep.iter().map(|&k| if k { Fate::Kept } else { Fate::BelowLeast }).collect();
        for filter in self.filter.one_by_one() {
            let before = keep.clone();
            filter.apply(doc, blocks, Some(scores), left_out, &mut keep);
            let dropped = before.iter().zip(&keep).map(|(&before, &after)| before && !after);
            for (fate, _) in fates.iter_mut().zip(dropped).filter(|f| f.1) {
                *fate = Fate::Dropped(filter.name());
            }
        }
        fates
    }
}

fn reaching(scores: &[f32], least: f32) -> Vec<bool> {
    scores.iter().map(|&s| s >= least).collect()
}

/// What became of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is kept.
    Kept,
    /// Its score is below the least that the decision rule asks of the page.
    BelowLeast,
    /// The filter of this name took it back.
    Dropped(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Blocks;

    #[test]
    fn told_blocks_have_no_tokens_where_others_have_a_chance() {
        let left = |scores: &[f32], told: &[usize]| {
            without_told(&[9, 80, 40], told.iter().copied(), scores).into_owned()
        };
        assert_eq!(left(&[0.99, 0.3, 0.01], &[0]), [0, 80, 40]);
        assert_eq!(left(&[0.99, 0.3, 0.01], &[]), [9, 80, 40]);
        assert_eq!(left(&[0.99, 0.3, 0.01], &[0, 1]), [9, 80, 40]);
    }

    #[test]
    fn a_sure_headline_does_not_cost_a_doubtful_article() {
        let doc = crate::page::parse_str("<h1>Rain over the hills</h1><p>It rained all day.<p>Menu");
        let blocks = Blocks::of(&doc, crate::block::REGISTRY[0], Default::default());
        let scores = [0.99, 0.3, 0.01];
        let rule = crate::decision::by_name("nested-f1").expect("a rule");
        let rule = RuleChoice::new(rule, 0.5, &Default::default(), &Default::default());
        let decision = Decision { rule, filter: FilterChoice::default() };
        let page = Page::new(&doc, &blocks, &scores);
        let tokens = [4, 300, 40];
        let keep =
            |told: Vec<usize>| decision.keep(&page, || without_told(&tokens, told.into_iter(), &scores)).0;
        assert_eq!(keep(vec![0]), [true, true, false]);
        // else the headline is taken for all that there is
        assert_eq!(keep(vec![]), [true, false, false]);
    }

    #[test]
    fn each_block_is_told_what_became_of_it() {
        let twice = "<div><p>It rained all day</p></div>";
        let doc = crate::page::parse_str(&format!("{twice}{twice}<p>Menu<h2>More of it</h2>"));
        let blocks = Blocks::of(&doc, crate::block::REGISTRY[0], Default::default());
        let scores = [0.9, 0.8, 0.01, 0.7];
        let rule = crate::decision::by_name("threshold").expect("a rule");
        let rule = RuleChoice::new(rule, 0.5, &Default::default(), &Default::default());
        let decision = Decision { rule, filter: FilterChoice::parse("repeats:3+headings").expect("filters") };
        let page = Page { left_out: crate::policy::LeftOut::ALL, ..Page::new(&doc, &blocks, &scores) };
        let (keep, least) = decision.keep(&page, || Cow::Borrowed(&[4, 4, 1, 3]));
        assert_eq!((&keep[..], least), (&[true, false, false, false][..], 0.5));
        let dropped = |name: &str| Fate::Dropped(name.to_owned());
        let fates = [Fate::Kept, dropped("repeats:3"), Fate::BelowLeast, dropped("headings")];
        assert_eq!(decision.fates(&page, least), fates);
    }
}
