//! The ceiling: the best that the segmentation allows.

use super::System;

/// Keeps the blocks whose gold label is content.
pub static SYSTEM: System = System {
    name: "oracle",
    summary: "gold labels block by block: the ceiling that the segmentation sets",
    source: "threshr",
    needs_gold: true,
    run: |input| input.gold.map_or_else(|| vec![false; input.blocks.len()], <[bool]>::to_vec),
};
