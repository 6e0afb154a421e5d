//! What training reads of a page beside its feature rows.

use threshr_html::blocks::ParagraphClass;

/// The labels of a training example: a page, or an example generated from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Example<'a> {
    /// Label of each block.
    pub labels: &'a [bool],
    /// Blocks that are not trained on.
    pub masked: &'a [bool],
    /// Tokens of each block.
    pub num_tokens: &'a [u32],
    /// Class of each block's gold paragraph, where known.
    pub class: &'a [Option<ParagraphClass>],
    /// Weight of the example; 1 for a page itself.
    pub weight: f64,
}
