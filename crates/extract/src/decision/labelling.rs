//! Scores → labels: the threshold of the rule for the page, then the filter.

use crate::decision::{RuleChoice, article, groups, notes, rows, sections, threads};
use crate::filters::{FilterChoice, Page};
use std::borrow::Cow;
#[cfg(doc)]
use threshr_html::blocks::Blocks;
use threshr_page::threads::PartKind;

/// Minimum score at which a block counts as possible content.
const MIN_SCORE: f32 = 0.05;

/// Token counts as input of a decision rule: 0 for blocks that are article metadata, such as the headline.
///
/// The markup of the page identifies these blocks, so their scores are near 1 if they count as content. A
/// rule that searches for the most probable blocks would then drop an article with medium scores. If all
/// other blocks have low scores, the counts are unchanged.
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
    /// Returns the labels of the blocks of a page, and the threshold of the rule on this page.
    ///
    /// `num_tokens` returns one count per block, 0 for blocks that the rule ignores. It is called only if the rule
    /// reads the page. `inside` has true for the blocks that may be kept; `None` means all. The
    /// [groups](Blocks::groups) of the page are kept or dropped as a whole, and so are most lists. Short sections below
    /// kept headings are kept, and headings of dropped lists are dropped. Parts of posts of a thread are decided together. A footnote is kept if a reference to it
    /// is kept. Then the filter drops blocks, but no parts of groups and lists. The policy decides about headline and byline.
    pub fn keep<'a>(
        &self,
        page: &Page<'_>,
        inside: Option<&[bool]>,
        num_tokens: impl FnOnce() -> Cow<'a, [u32]>,
    ) -> (Vec<bool>, f32) {
        let least = self.rule.cut(page.scores, num_tokens);
        let mut keep = self.without_filter(page, inside, least);
        self.filter.under(page.left_out).apply(page, &mut keep);
        article::decide(page, inside, &mut keep);
        (keep, least)
    }

    /// Labels before the filter.
    fn without_filter(&self, page: &Page<'_>, inside: Option<&[bool]>, least: f32) -> Vec<bool> {
        let mut keep = at_least(page.scores, least, inside);
        groups::decide(page.blocks, page.scores, least, inside, &mut keep);
        rows::decide(page, inside, &mut keep);
        sections::decide(page, inside, &mut keep);
        threads::decide(page, least, inside, &mut keep);
        notes::decide(page, inside, &mut keep);
        sections::drop_empty(page, inside, &mut keep);
        keep
    }

    /// The outcome of each block of a page with the threshold `least`.
    pub(crate) fn outcomes(&self, page: &Page<'_>, inside: Option<&[bool]>, least: f32) -> Vec<Outcome> {
        let scores = page.scores;
        let mut keep = self.without_filter(page, inside, least);
        let parts = page.thread.map(|thread| thread.by_block(scores.len())).unwrap_or_default();
        let is_beside = |i: usize| matches!(parts.get(i), Some(Some((kind, _))) if *kind != PartKind::Text);
        let outcome = |(i, &kept): (usize, &bool)| match kept {
            true => Outcome::Kept,
            false if inside.is_some_and(|inside| !inside[i]) && scores[i] >= least => Outcome::Outside,
            false if scores[i] >= least && is_beside(i) => Outcome::BesidePost,
            false => Outcome::BelowThreshold,
        };
        let mut outcomes: Vec<Outcome> = keep.iter().enumerate().map(outcome).collect();
        for filter in self.filter.under(page.left_out).one_by_one() {
            let before = keep.clone();
            filter.apply(page, &mut keep);
            let dropped = before.iter().zip(&keep).map(|(&before, &after)| before && !after);
            for (outcome, _) in outcomes.iter_mut().zip(dropped).filter(|f| f.1) {
                *outcome = Outcome::Dropped(filter.name());
            }
        }
        let before = keep.clone();
        article::decide(page, inside, &mut keep);
        for (outcome, (before, after)) in outcomes.iter_mut().zip(before.into_iter().zip(keep)) {
            match (before, after) {
                (true, false) => *outcome = Outcome::LeftOut,
                (false, true) => *outcome = Outcome::Kept,
                _ => {}
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
    /// The block is kept.
    Kept,
    /// The score is below the threshold of the decision rule on the page. For a block in a table, code block, list or
    /// other group, and in the text of a post, the mean score over the group or over all post texts may decide
    /// instead; for a footnote, the text that refers to it.
    BelowThreshold,
    /// The block is in a post of a thread, but not in its text: an author, a date, a panel or a button.
    BesidePost,
    /// The block is outside the selected elements.
    Outside,
    /// The block is the headline or the byline, and the policy leaves it out.
    LeftOut,
    /// The filter with this name dropped the block.
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
        let blocks = Blocks::new(&doc, threshr_html::blocks::REGISTRY[0], Default::default());
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
        // without the exception, only the headline is kept
        assert_eq!(keep(vec![]), [true, false, false]);
    }

    #[test]
    fn each_block_has_an_outcome() {
        let twice = "<div><p>It rained all day</p></div>";
        let doc = threshr_html::parse_str(&format!("{twice}{twice}<p>Menu<h2>More of it</h2>"));
        let blocks = Blocks::new(&doc, threshr_html::blocks::REGISTRY[0], Default::default());
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
