//! Detection of blocks that two models label differently.

use crate::page::Side;
use threshr_extract::RawExtraction;
use threshr_extract::parts::{Labelled, parts};

/// Returns for each block of both sides whether the other side labels most of its letters differently. The
/// two sides may have different block boundaries.
pub(crate) fn differences(a: &Side, b: &Side) -> [Vec<bool>; 2] {
    let text = a.extraction.document().source_text();
    // Number of letters that are labelled differently, minus number of all other letters.
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
