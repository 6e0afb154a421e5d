//! Compares the labels of two sides on one page: cuts the text into parts that each side has in one block.

use rustc_hash::FxHashMap;
use std::ops::Range;
use threshr_html::blocks::Blocks;

/// The labels of one side on the blocks that it has cut.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// The blocks.
    pub blocks: &'a Blocks,
    /// Whether each is kept.
    pub kept: &'a [bool],
}

impl Labelled<'_> {
    fn keeps(&self, block: Option<usize>) -> bool {
        block.and_then(|block| self.kept.get(block)).copied().unwrap_or(false)
    }
}

/// A part of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Its block of each side; `None` if it is in none.
    pub blocks: [Option<usize>; 2],
    /// Whether each side keeps it. A text that is in no block is not kept.
    pub kept: [bool; 2],
    /// Number of its letters: characters other than white space.
    pub letters: u64,
    /// Its ranges of the text of the document, in order.
    pub ranges: Vec<Range<usize>>,
}

/// The parts of a page in order of their first letters. Where both sides cut the same blocks, these are the blocks.
/// `text` is the text of the document.
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

/// Ranges of the text of the document with their blocks, sorted.
fn spans(blocks: &Blocks) -> Vec<(Range<usize>, usize)> {
    let of = |block: usize| {
        blocks.spans(block).iter().map(move |s| (s.source.start as usize..s.source.end as usize, block))
    };
    let mut found: Vec<_> = (0..blocks.len()).flat_map(of).filter(|(range, _)| !range.is_empty()).collect();
    found.sort_by_key(|(range, block)| (range.start, *block));
    found
}

/// The block at a place. `next` is the first span that does not end before it; places grow.
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
        let blocks = Blocks::of(&doc, by_name("paragraph").expect("known"), Visibility::Visible);
        let of = |kept: &'static [bool]| Labelled { blocks: &blocks, kept };
        let found = parts(doc.source_text(), of(&[true, false]), of(&[true, true]));
        let letters: Vec<_> = found.iter().map(|part| (part.kept, part.letters)).collect();
        assert_eq!(letters, [([true, true], 6), ([false, true], 9)]);
    }

    #[test]
    fn blocks_of_other_shapes_are_cut() {
        let doc = parse_str("<p>One <a href=x>two</a> three<p hidden>four");
        let cut = |name, visibility| Blocks::of(&doc, by_name(name).expect("known"), visibility);
        let (a, b) = (cut("paragraph", Visibility::Visible), cut("text-node", Visibility::WithHidden));
        let a = Labelled { blocks: &a, kept: &[true] };
        let b = Labelled { blocks: &b, kept: &[true, false, true, true] };
        let found = parts(doc.source_text(), a, b);
        let letters: Vec<_> = found.iter().map(|part| (part.kept, part.letters)).collect();
        assert_eq!(letters, [([true, true], 3), ([true, false], 3), ([true, true], 5), ([false, true], 4)]);
        assert_eq!(found[3].blocks, [None, Some(3)]);
    }
}
