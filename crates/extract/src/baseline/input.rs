//! The input of systems, and the mapping from ranges of text to blocks.

use std::ops::Range;
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_html::{Document, NodeId, Visibility};

/// The input of a system. It is the same with and without annotations: labels are in `gold` only.
#[derive(Debug, Clone, Copy)]
pub struct SystemInput<'a> {
    /// The document of the page, with attributes.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Which parts of the document the blocks contain.
    pub visibility: Visibility,
    /// The decoded HTML without labels; set for systems with
    /// [`needs_html`](crate::baseline::System::needs_html).
    pub html: Option<&'a str>,
    /// Its language as an ISO 639-1 code, according to the data set or the caller. `None`: the system detects
    /// it, or does not need it.
    pub lang: Option<&'a str>,
    /// The gold; set for training and for upper bounds.
    pub gold: Option<SystemGold<'a>>,
}

/// The gold of a page.
#[derive(Debug, Clone, Copy)]
pub struct SystemGold<'a> {
    /// Label of each block: `true` is content.
    pub labels: &'a [bool],
    /// Class of the gold paragraph of each block; empty if the gold has no classes.
    pub classes: &'a [Option<ParagraphClass>],
    /// The gold text, one block per line.
    pub text: &'a str,
}

impl<'a> SystemInput<'a> {
    /// The input of a page without gold, language and HTML.
    pub fn new(doc: &'a Document, blocks: &'a Blocks) -> Self {
        Self { doc, blocks, visibility: Visibility::default(), html: None, lang: None, gold: None }
    }

    /// Whether the blocks contain a node.
    pub fn is_shown(&self, node: NodeId) -> bool {
        self.doc.is_shown(node, self.visibility)
    }

    /// Selects the blocks with at least half of their characters (without white space) in `kept`.
    ///
    /// `kept` has ranges of [`Document::source_text`], as [`Document::text_range`] returns them, in any
    /// order. A block without such characters is not selected. For systems with another segmentation than the
    /// blocks.
    pub fn keep_ranges(&self, kept: &[Range<u32>]) -> Vec<bool> {
        let kept = merged(kept);
        (0..self.blocks.len())
            .map(|i| {
                let (mut inside, mut all) = (0, 0);
                for span in self.blocks.spans(i) {
                    all += num_chars(self.doc, &span.source);
                    inside += overlaps(&kept, &span.source).map(|r| num_chars(self.doc, &r)).sum::<usize>();
                }
                inside > 0 && 2 * inside >= all
            })
            .collect()
    }
}

/// Maps labels and classes from the blocks `own` to the blocks `onto` of the same document.
///
/// A block is kept if at least half of its characters (without white space) are kept. Its class is that of
/// most of its kept characters.
pub fn project(
    doc: &Document,
    own: &Blocks,
    kept: &[bool],
    classes: Option<&[ParagraphClass]>,
    onto: &Blocks,
) -> (Vec<bool>, Option<Vec<ParagraphClass>>) {
    let spans_of = |keep: &dyn Fn(usize) -> bool| -> Vec<Range<u32>> {
        (0..own.len()).filter(|&i| keep(i)).flat_map(|i| own.spans(i)).map(|s| s.source.clone()).collect()
    };
    let input = SystemInput::new(doc, onto);
    let labels = input.keep_ranges(&spans_of(&|i| kept[i]));
    let classes = classes.map(|classes| {
        use ParagraphClass::{Heading, List, Paragraph};
        let all = [Paragraph, Heading, List];
        let ranges = all.map(|class| merged(&spans_of(&|i| kept[i] && classes[i] == class)));
        let class_of = |i: usize| {
            let count = |ranges: &[Range<u32>]| -> usize {
                let of = |s: &Range<u32>| overlaps(ranges, s).map(|r| num_chars(doc, &r)).sum::<usize>();
                onto.spans(i).iter().map(|s| of(&s.source)).sum()
            };
            let counts = ranges.each_ref().map(|r| count(r));
            // of equal counts the first
            (0..3).rev().max_by_key(|&c| counts[c]).map_or(Paragraph, |c| all[c])
        };
        (0..onto.len()).map(class_of).collect()
    });
    (labels, classes)
}

/// Sorts ranges and joins those that touch.
fn merged(ranges: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut sorted: Vec<Range<u32>> = ranges.iter().filter(|r| !r.is_empty()).cloned().collect();
    sorted.sort_by_key(|r| r.start);
    let mut out: Vec<Range<u32>> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match out.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// The parts of `range` inside `ranges`, which are sorted.
fn overlaps<'a>(ranges: &'a [Range<u32>], range: &'a Range<u32>) -> impl Iterator<Item = Range<u32>> + 'a {
    let first = ranges.partition_point(|r| r.end <= range.start);
    ranges[first..]
        .iter()
        .take_while(|r| r.start < range.end)
        .map(|r| r.start.max(range.start)..r.end.min(range.end))
}

/// Number of characters in a range of the source, without white space. Ranges end at ends of texts, so at
/// characters.
fn num_chars(doc: &Document, range: &Range<u32>) -> usize {
    let text = doc.source_text().get(range.start as usize..range.end as usize).unwrap_or_default();
    text.chars().filter(|c| !c.is_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Kind, parse_str};

    #[test]
    fn a_block_needs_half_of_its_characters() {
        let doc = parse_str("<p>aa<b>bbb</b><p>cc<i>d</i><p>e");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let texts = |wanted: &[&str]| -> Vec<Range<u32>> {
            let is = |n: &NodeId| doc.kind(*n) == Kind::Text && wanted.contains(&doc.text(*n));
            doc.descendants(doc.root()).filter(is).map(|n| doc.text_range(n)).collect()
        };
        let input = SystemInput::new(&doc, &blocks);
        // 3 of 5 letters; 1 of 3; none
        assert_eq!(input.keep_ranges(&texts(&["bbb", "d"])), [true, false, false]);
        assert_eq!(input.keep_ranges(&texts(&["cc", "aa"])), [false, true, false]);
        assert_eq!(input.keep_ranges(&[]), [false; 3]);
        let all = 0..100;
        assert_eq!(input.keep_ranges(std::slice::from_ref(&all)), [true; 3]);
    }

    #[test]
    fn labels_are_mapped_between_segmentations() {
        let doc = parse_str("<p>aa<b>bbb</b><h1>x</h1>");
        let [own, onto] = [1, 0].map(|i| Blocks::of(&doc, block::REGISTRY[i], Visibility::Visible));
        assert_eq!((own.len(), onto.len()), (3, 2));
        use ParagraphClass::{Heading, List, Paragraph};
        let classes = [Paragraph, List, Heading];
        let (kept, found) = project(&doc, &own, &[true, true, false], Some(&classes), &onto);
        assert_eq!(kept, [true, false]);
        assert_eq!(found.expect("classes")[0], List);
    }
}
