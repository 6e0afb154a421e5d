//! Names of elements that hold article metadata.

use crate::PageFacts;
use crate::names::element_names::for_each_word;
use rustc_hash::FxHashSet;
use threshr_html::NodeId;

/// Words in the names of elements that hold article metadata.
pub const NAMES_FILE: &str = include_str!("../../data/article_metadata_names.tsv");

/// Whether an attribute value contains one of `words`.
pub fn has_word(
    page: &PageFacts<'_>,
    node: NodeId,
    attribute: &str,
    words: &FxHashSet<&'static str>,
) -> bool {
    let mut found = false;
    if let Some(value) = page.doc.attribute(node, attribute) {
        for_each_word(value, |word| found |= words.contains(word));
    }
    found
}
