//! Training data of a page in addition to its feature rows.

use threshr_html::blocks::ParagraphClass;

/// The labels of a training example: a page, or an example generated from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Example<'a> {
    /// Label of each block.
    pub labels: &'a [bool],
    /// Blocks that are excluded from training.
    pub masked: &'a [bool],
    /// Number of tokens of each block.
    pub num_tokens: &'a [u32],
    /// Class of each block's gold paragraph, if known.
    pub class: &'a [Option<ParagraphClass>],
    /// Share of each block's weight that the example uses; `None` means the whole weight.
    pub share: Option<&'a [f32]>,
    /// Weight of the example; 1 for an original page.
    pub weight: f64,
}
