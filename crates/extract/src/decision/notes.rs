//! Rule for footnotes: a note is kept if the text that refers to it is kept.

use crate::filters::Page;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;
use threshr_html::structure::notes::Notes;

/// Maximum number of blocks of a note. A longer element is a section that contains the target of a link.
const MAX_BLOCKS: usize = 8;

/// Keeps each note to which a kept block refers, and drops the other notes.
///
/// `inside` marks the blocks that the caller selected; other blocks are never kept.
pub(super) fn decide(page: &Page<'_>, inside: Option<&[bool]>, keep: &mut [bool]) {
    let blocks = page.blocks;
    // training drops the tree of a page if no filter reads it
    if blocks.elements().is_empty() {
        return;
    }
    let found = page.notes.map_or_else(|| Cow::Owned(Notes::new(page.doc)), Cow::Borrowed);
    let mut notes: FxHashMap<usize, (Range<usize>, bool)> = FxHashMap::default();
    for (reference, note) in found.pairs() {
        let own = blocks.inside(note);
        if blocks.element_index(reference).is_none() || own.is_empty() || own.len() > MAX_BLOCKS {
            continue;
        }
        let is_kept = keep.get(blocks.inside(reference).start) == Some(&true);
        notes.entry(own.start).or_insert((own, false)).1 |= is_kept;
    }
    for (note, is_kept) in notes.into_values() {
        note.for_each(|i| keep[i] = is_kept && inside.is_none_or(|inside| inside[i]));
    }
}

#[cfg(test)]
mod tests {
    use crate::decision::tests;

    fn decided(html: &str, before: &str, inside: Option<&[bool]>) -> String {
        tests::decided(super::decide, html, before, inside)
    }

    #[test]
    fn a_note_is_kept_with_its_reference() {
        let page = "<p>Home<p>a<sup><a href=#n1>1</a></sup> b<p>c<a class=footnote-ref href=#n2>2</a>\
                    <ol><li id=n1>d<li id=n2><p>e<p>f</ol><p>Menu";
        assert_eq!(decided(page, "-++----", None), "-+++++-");
        assert_eq!(decided(page, "-+--++-", None), "-+-+---");
        assert_eq!(decided(page, "---+++-", None), "-------");
        let inside = [true, true, true, false, true, true, true];
        assert_eq!(decided(page, "-++----", Some(&inside)), "-++-++-");
        assert_eq!(decided("<p>a<sup>1</sup><hr><p><sup>1</sup> b", "+-", None), "++");
    }

    #[test]
    fn one_of_several_references_is_enough() {
        let link = "<sup><a href=#n>1</a></sup>";
        let page = format!("<p>a{link}<p>b{link}<p id=n>c");
        assert_eq!(decided(&page, "-+-", None), "-++");
    }

    #[test]
    fn hidden_references_and_sections_change_nothing() {
        let link = "<sup><a href=#n>1</a></sup>";
        assert_eq!(decided(&format!("<p>a<p hidden>b{link}</p><p id=n>c"), "+-", None), "+-");
        let section = format!("<p>a{link}<div id=n>{}</div>", "<p>c".repeat(9));
        assert_eq!(decided(&section, "++--------", None), "++--------");
    }
}
