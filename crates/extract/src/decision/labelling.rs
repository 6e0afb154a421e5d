//! Scores → labels: the threshold of the rule for the page, then the filter.

use crate::decision::{RuleChoice, groups};
use crate::filters::{FilterChoice, Page};
use std::borrow::Cow;
#[cfg(doc)]
use threshr_html::blocks::Blocks;

/// Minimum score of a block that may be content.
const MIN_SCORE: f32 = 0.05;

/// Token counts of blocks as a decision rule reads them: 0 for blocks that are article metadata, such as the
/// headline.
///
/// The page itself marks these blocks, so their scores are near 1 if they count as content. A rule that
/// searches the most probable blocks would then leave out an article of medium scores. If no other block may
/// be content, the counts stay.
pub fn without_metadata<'a>(
    num_tokens: &'a [u32],
    metadata: impl Iterator<Item = usize>,
    scores: &[f32],
) -> Cow<'a, [u32]> {
    let mut rest = Cow::Borrowed(num_tokens);
    metadata.for_each(|i| rest.to_mut()[i] = 0);
    let may_be_content = |(n, s): (&u32, &f32)| *n > 0 && *s >= MIN_SCORE;
    if rest.iter().zip(scores).any(may_be_content) { rest } else { Cow::Borrowed(num_tokens) }
}

/// How scores become labels: a decision rule and a filter.
#[derive(Debug, Clone, Copy)]
pub struct Decision {
    /// The rule with its parameter.
    pub rule: RuleChoice,
    /// The filter after the rule.
    pub filter: FilterChoice,
}

impl Decision {
    /// Labels of the blocks of a page, and the threshold of the rule on this page.
    ///
    /// `num_tokens` gives one count per block, 0 for blocks that the rule ignores. It is called only if the
    /// rule reads the page. `inside` says which blocks may be kept; `None` means all. The
    /// [groups](Blocks::groups) of the page are kept or dropped as a whole. The filter comes last.
    pub fn keep<'a>(
        &self,
        page: &Page<'_>,
        inside: Option<&[bool]>,
        num_tokens: impl FnOnce() -> Cow<'a, [u32]>,
    ) -> (Vec<bool>, f32) {
        let &Page { doc, blocks, scores, left_out } = page;
        let least = self.rule.cut(scores, num_tokens);
        let mut keep = at_least(scores, least, inside);
        groups::decide(blocks, scores, least, inside, &mut keep);
        self.filter.under(left_out).apply(doc, blocks, Some(scores), left_out, &mut keep);
        (keep, least)
    }

    /// The outcome of each block of a page with the threshold `least`.
    pub(crate) fn outcomes(&self, page: &Page<'_>, inside: Option<&[bool]>, least: f32) -> Vec<Outcome> {
        let &Page { doc, blocks, scores, left_out } = page;
        let mut keep = at_least(scores, least, inside);
        groups::decide(blocks, scores, least, inside, &mut keep);
        let outcome = |(i, &kept): (usize, &bool)| match kept {
            true => Outcome::Kept,
            false if inside.is_some_and(|inside| !inside[i]) && scores[i] >= least => Outcome::Outside,
            false => Outcome::BelowThreshold,
        };
        let mut outcomes: Vec<Outcome> = keep.iter().enumerate().map(outcome).collect();
        for filter in self.filter.under(left_out).one_by_one() {
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

fn at_least(scores: &[f32], least: f32, inside: Option<&[bool]>) -> Vec<bool> {
    scores.iter().enumerate().map(|(i, &s)| s >= least && inside.is_none_or(|inside| inside[i])).collect()
}

/// The outcome of a block.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is kept.
    Kept,
    /// Its score is below the threshold of the decision rule on the page, or the mean score of its table, code
    /// block or other group is.
    BelowThreshold,
    /// It is outside the selected elements.
    Outside,
    /// The filter of this name dropped it.
    Dropped(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::Blocks;

    #[test]
    fn metadata_blocks_have_no_tokens_if_others_may_be_content() {
        let rest = |scores: &[f32], metadata: &[usize]| {
            without_metadata(&[9, 80, 40], metadata.iter().copied(), scores).into_owned()
        };
        assert_eq!(rest(&[0.99, 0.3, 0.01], &[0]), [0, 80, 40]);
        assert_eq!(rest(&[0.99, 0.3, 0.01], &[]), [9, 80, 40]);
        assert_eq!(rest(&[0.99, 0.3, 0.01], &[0, 1]), [9, 80, 40]);
    }

    #[test]
    fn a_certain_headline_does_not_exclude_an_uncertain_article() {
        let doc = threshr_html::parse_str("<h1>Rain over the hills</h1><p>It rained all day.<p>Menu");
        let blocks = Blocks::of(&doc, threshr_html::blocks::REGISTRY[0], Default::default());
        let scores = [0.99, 0.3, 0.01];
        let rule = crate::decision::by_name("nested-f1").expect("a rule");
        let rule = RuleChoice::new(rule, 0.5, &Default::default(), &Default::default());
        let decision = Decision { rule, filter: FilterChoice::default() };
        let page = Page::new(&doc, &blocks, &scores);
        let tokens = [4, 300, 40];
        let keep = |metadata: Vec<usize>| {
            decision.keep(&page, None, || without_metadata(&tokens, metadata.into_iter(), &scores)).0
        };
        assert_eq!(keep(vec![0]), [true, true, false]);
        // without the exception the headline alone is kept
        assert_eq!(keep(vec![]), [true, false, false]);
    }

    #[test]
    fn each_block_has_an_outcome() {
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
        let outcomes = [Outcome::Kept, dropped("repeats:3"), Outcome::BelowThreshold, dropped("headings")];
        assert_eq!(decision.outcomes(&page, None, least), outcomes);
    }
}
