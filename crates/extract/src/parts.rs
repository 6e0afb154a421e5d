//! Compares two labellings of a page that may have different blocks. The text is split into parts. A part is
//! the text that is in the same pair of blocks. A pair has one block, or no block, of each labelling.

use rustc_hash::FxHashMap;
use std::ops::Range;
use threshr_html::blocks::Blocks;

/// One of the two labellings: blocks and their labels.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// The blocks.
    pub blocks: &'a Blocks,
    /// Whether each block is kept.
    pub kept: &'a [bool],
}

impl Labelled<'_> {
    fn keeps(&self, block: Option<usize>) -> bool {
        block.and_then(|block| self.kept.get(block)).copied().unwrap_or(false)
    }
}

/// A part of the text: all text in the same pair of blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Index of the block of the part in each labelling; `None` if the text is in no block of that labelling.
    pub blocks: [Option<usize>; 2],
    /// Whether each labelling keeps the text. Text that is in no block is not kept.
    pub kept: [bool; 2],
    /// Number of characters of the part other than white space.
    pub letters: u64,
    /// The byte ranges of the part in the text of the document, in order.
    pub ranges: Vec<Range<usize>>,
}

/// Returns the parts of a page in the order of their first characters. If both labellings have the same blocks,
/// the parts are these blocks. `text` is the text of the document.
pub fn parts(text: &str, a: Labelled<'_>, b: Labelled<'_>) -> Vec<Part> {
    let sides = [spans(a.blocks), spans(b.blocks)];
    let mut bounds: Vec<usize> =
        sides.iter().flatten().flat_map(|(range, _)| [range.start, range.end]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let mut next = [0, 0];
    let mut found: Vec<Part> = Vec::new();
    let mut number_of: FxHashMap<[Option<usize>; 2], usize> = FxHashMap::default();
    for pair in bounds.windows(2) {
        let range = pair[0]..pair[1];
        let blocks = [0, 1].map(|side| block_at(&sides[side], &mut next[side], range.start));
        if blocks == [None, None] {
            continue;
        }
        let Some(slice) = text.get(range.clone()) else { continue };
        let letters = slice.chars().filter(|c| !c.is_whitespace()).count() as u64;
        let number = *number_of.entry(blocks).or_insert_with(|| {
            let kept = [a.keeps(blocks[0]), b.keeps(blocks[1])];
            found.push(Part { blocks, kept, ..Part::default() });
            found.len() - 1
        });
        found[number].letters += letters;
        found[number].ranges.push(range);
    }
    found.retain(|part| part.letters > 0);
    found
}

/// Returns the ranges of the document text with their block indices, sorted.
fn spans(blocks: &Blocks) -> Vec<(Range<usize>, usize)> {
    let of = |block: usize| {
        blocks.spans(block).iter().map(move |s| (s.source.start as usize..s.source.end as usize, block))
    };
    let mut found: Vec<_> = (0..blocks.len()).flat_map(of).filter(|(range, _)| !range.is_empty()).collect();
    found.sort_by_key(|(range, block)| (range.start, *block));
    found
}

/// Returns the block at an offset. `next` is the index of the first span that ends after `at`. Calls must have
/// ascending offsets.
fn block_at(spans: &[(Range<usize>, usize)], next: &mut usize, at: usize) -> Option<usize> {
    while spans.get(*next).is_some_and(|(range, _)| range.end <= at) {
        *next += 1;
    }
    spans.get(*next).filter(|(range, _)| range.start <= at).map(|(_, block)| *block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::by_name;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn equal_blocks_are_the_parts() {
        let doc = parse_str("<p>One two<p><b>Three</b> four<p> ");
        let blocks = Blocks::new(&doc, by_name("paragraph").expect("known"), Visibility::Visible);
        let of = |kept: &'static [bool]| Labelled { blocks: &blocks, kept };
        let found = parts(doc.source_text(), of(&[true, false]), of(&[true, true]));
        let letters: Vec<_> = found.iter().map(|part| (part.kept, part.letters)).collect();
        assert_eq!(letters, [([true, true], 6), ([false, true], 9)]);
    }

    #[test]
    fn blocks_of_other_shapes_are_cut() {
        let doc = parse_str("<p>One <a href=x>two</a> three<p hidden>four");
        let cut = |name, visibility| Blocks::new(&doc, by_name(name).expect("known"), visibility);
        let (a, b) = (cut("paragraph", Visibility::Visible), cut("text-node", Visibility::WithHidden));
        let a = Labelled { blocks: &a, kept: &[true] };
        let b = Labelled { blocks: &b, kept: &[true, false, true, true] };
        let found = parts(doc.source_text(), a, b);
        let letters: Vec<_> = found.iter().map(|part| (part.kept, part.letters)).collect();
        assert_eq!(letters, [([true, true], 3), ([true, false], 3), ([true, true], 5), ([false, true], 4)]);
        assert_eq!(found[3].blocks, [None, Some(3)]);
    }
}
