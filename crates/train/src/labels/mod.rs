//! Block labels from gold text or from snippets, and masks for blocks that are excluded from training.

pub mod alignment;
pub(crate) mod example;
pub(crate) mod snippets;
pub(crate) mod teacher;

use rustc_hash::FxHashSet;
use threshr_html::blocks::Blocks;

/// Returns which blocks are excluded from training. If `masks_repeats` is true, these are the boilerplate
/// blocks whose text equals that of a content block.
pub(crate) fn masked(blocks: &Blocks, labels: &[bool], masks_repeats: bool) -> Vec<bool> {
    if !masks_repeats {
        return vec![false; labels.len()];
    }
    let kept: FxHashSet<&str> = (0..blocks.len()).filter(|&i| labels[i]).map(|i| blocks.text(i)).collect();
    (0..blocks.len()).map(|i| !labels[i] && kept.contains(blocks.text(i))).collect()
}
