//! The floor: all text of the page.

use super::System;

/// Keeps every block.
pub static SYSTEM: System = System {
    name: "keep-everything",
    summary: "all text of the page: the floor of every table",
    source: "Boilerpipe's KeepEverythingExtractor",
    needs_gold: false,
    run: |input| vec![true; input.blocks.len()],
};
