//! The blocks that two models label otherwise.

use crate::page::Side;
use threshr_extract::parts::{Labelled, parts};

/// For each block of both sides, whether the other side labels most of its letters otherwise. The blocks may be cut in
/// different ways.
pub(crate) fn differences(a: &Side, b: &Side) -> [Vec<bool>; 2] {
    let text = a.extraction.document().source_text();
    // letters that are labelled otherwise, minus the others
    let mut balances = [a, b].map(|side| vec![0i64; side.num_blocks()]);
    for part in parts(text, labelled(a), labelled(b)) {
        let letters = part.letters as i64 * if part.kept[0] == part.kept[1] { -1 } else { 1 };
        for (balance, block) in balances.iter_mut().zip(part.blocks) {
            block.into_iter().for_each(|block| balance[block] += letters);
        }
    }
    balances.map(|side| side.into_iter().map(|balance| balance > 0).collect())
}

fn labelled(side: &Side) -> Labelled<'_> {
    Labelled { blocks: side.extraction.page_blocks(), kept: &side.extraction.labels().kept }
}
