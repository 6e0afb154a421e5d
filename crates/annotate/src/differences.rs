//! The blocks that two models label otherwise.

use crate::page::Side;

/// For each block of both sides, whether the other side labels most of its letters otherwise. The blocks may be cut in
/// different ways; they are compared letter by letter.
pub(crate) fn differences(a: &Side, b: &Side) -> (Vec<bool>, Vec<bool>) {
    let (of_a, of_b) = (letters(a), letters(b));
    (blocks(a, &of_b), blocks(b, &of_a))
}

/// By byte of the text of the document: 2 if it is kept, 1 if it is not, 0 outside of blocks.
fn letters(side: &Side) -> Vec<u8> {
    let (blocks, kept) = (side.extraction.page_blocks(), &side.extraction.labels().kept);
    let mut letters = vec![0; side.extraction.document().source_text().len()];
    for (index, &kept) in kept.iter().enumerate() {
        for span in blocks.spans(index) {
            if let Some(part) = letters.get_mut(span.source.start as usize..span.source.end as usize) {
                part.fill(1 + u8::from(kept));
            }
        }
    }
    letters
}

fn blocks(side: &Side, other: &[u8]) -> Vec<bool> {
    let (blocks, kept) = (side.extraction.page_blocks(), &side.extraction.labels().kept);
    let is_different = |(index, &kept): (usize, &bool)| {
        let (mut num_other, mut num_all) = (0, 0);
        for span in blocks.spans(index) {
            let part = other.get(span.source.start as usize..span.source.end as usize).unwrap_or_default();
            num_all += part.len();
            // text that is in no block is not kept
            num_other += part.iter().filter(|&&letter| (letter == 2) != kept).count();
        }
        2 * num_other > num_all
    };
    kept.iter().enumerate().map(is_different).collect()
}
