//! The lower bound: all text of the page.

use threshr_extract::baseline::{How, Method, System, SystemInput};

/// Keeps every block.
pub(crate) static SYSTEM: System = System {
    name: "keep-everything",
    summary: "keeps all text of the page: the floor of every table",
    source: "Boilerpipe's KeepEverythingExtractor",
    ..System::new(How::Plain(|_| Ok(Box::new(KeepEverything))))
};

#[derive(Debug)]
struct KeepEverything;

impl Method for KeepEverything {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        vec![true; page.blocks.len()]
    }
}
