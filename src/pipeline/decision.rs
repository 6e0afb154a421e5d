//! Scores → labels: the rule's least score for the page, then the filter.

use crate::block::Blocks;
use crate::decision::RuleChoice;
use crate::filter::{FilterChoice, Page};
use crate::text::words;
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
    /// Labels of a page's blocks from their calibrated scores. The rule looks at all of them, at a headline as well, which
    /// [`Pipeline::predict_with`](super::Pipeline::predict_with) leaves out.
    pub fn keep(&self, page: &Page<'_>) -> Vec<bool> {
        let count =
            |blocks: &Blocks| (0..blocks.len()).map(|i| words(blocks.text(i)).count() as u32).collect();
        self.keep_counted(page, || Cow::Owned(count(page.blocks)))
    }

    /// The same where the blocks' tokens are counted already.
    pub fn keep_counted<'a>(
        &self,
        page: &Page<'_>,
        num_tokens: impl FnOnce() -> Cow<'a, [u32]>,
    ) -> Vec<bool> {
        let &Page { doc, blocks, scores, left_out } = page;
        let cut = self.rule.cut(scores, num_tokens);
        let mut keep: Vec<bool> = scores.iter().map(|&s| s >= cut).collect();
        self.filter.apply(doc, blocks, Some(scores), left_out, &mut keep);
        keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let keep = |told: Vec<usize>| {
            decision.keep_counted(&page, || without_told(&tokens, told.into_iter(), &scores))
        };
        assert_eq!(keep(vec![0]), [true, true, false]);
        // else the headline is taken for all that there is
        assert_eq!(keep(vec![]), [true, false, false]);
    }
}
