//! The upper bound: the best result that the segmentation allows.

use threshr_extract::baseline::{How, Method, System, SystemInput};

/// Keeps the blocks whose gold label is content.
pub(crate) static SYSTEM: System = System {
    name: "oracle",
    summary: "keeps the blocks whose gold label is content: the ceiling that the segmentation allows",
    source: "threshr",
    needs_gold: true,
    ..System::new(How::Plain(|_| Ok(Box::new(Oracle))))
};

#[derive(Debug)]
struct Oracle;

impl Method for Oracle {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        page.gold.map_or_else(|| vec![false; page.blocks.len()], |gold| gold.labels.to_vec())
    }
}
