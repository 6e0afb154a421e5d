//! Scores → labels: the rule's least score for the page, then the filter.

use crate::block::Blocks;
use crate::decision::RuleChoice;
use crate::filter::{FilterChoice, Page};
use crate::text::words;
use std::borrow::Cow;

/// All that stands between scores and labels.
#[derive(Debug, Clone, Copy)]
pub struct Decision {
    /// The rule, with its number.
    pub rule: RuleChoice,
    /// What takes labels back.
    pub filter: FilterChoice,
}

impl Decision {
    /// Labels of a page's blocks from their calibrated scores.
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
        let &Page { doc, blocks, scores, leaves_out_comments } = page;
        let cut = self.rule.cut(scores, num_tokens);
        let mut keep: Vec<bool> = scores.iter().map(|&s| s >= cut).collect();
        self.filter.apply(doc, blocks, Some(scores), leaves_out_comments, &mut keep);
        keep
    }
}
