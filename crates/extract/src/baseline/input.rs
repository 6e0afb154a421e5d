//! The input of systems, and the mapping from text ranges to blocks.

use std::ops::Range;
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_html::{Document, NodeId, Visibility};

/// The input of a system for one page. Only `gold` depends on annotations.
#[derive(Debug, Clone, Copy)]
pub struct SystemInput<'a> {
    /// The document of the page, with attributes.
    pub doc: &'a Document,
    /// The blocks of the page.
    pub blocks: &'a Blocks,
    /// Whether the blocks contain hidden text.
    pub visibility: Visibility,
    /// The decoded HTML without labels; set only for systems with
    /// [`needs_html`](crate::baseline::System::needs_html).
    pub html: Option<&'a str>,
    /// The language of the page as an ISO 639-1 code, stated by the data set or the caller. If `None`, the
    /// system detects the language or does not need it.
    pub lang: Option<&'a str>,
    /// The gold standard; set for training, and for systems that are upper bounds.
    pub gold: Option<SystemGold<'a>>,
}

/// The gold standard of a page.
#[derive(Debug, Clone, Copy)]
pub struct SystemGold<'a> {
    /// Label of each block: `true` is content.
    pub labels: &'a [bool],
    /// Class of the gold paragraph of each block; empty if the gold standard has no classes.
    pub classes: &'a [Option<ParagraphClass>],
    /// The gold text, one block per line.
    pub text: &'a str,
}

impl<'a> SystemInput<'a> {
    /// Creates the input for a page without gold standard, language and HTML.
    pub fn new(doc: &'a Document, blocks: &'a Blocks) -> Self {
        Self { doc, blocks, visibility: Visibility::default(), html: None, lang: None, gold: None }
    }

    /// Returns whether the node is visible under the visibility setting of the blocks.
    pub fn is_shown(&self, node: NodeId) -> bool {
        self.doc.is_shown(node, self.visibility)
    }

    /// Selects the blocks with at least half of their characters (without white space) in `kept`.
    ///
    /// `kept` has ranges of [`Document::source_text`] in any order, as returned by [`Document::text_range`].
    /// A block with no character in these ranges is not selected. Systems that split pages into other blocks
    /// use this function.
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
/// A block is kept if at least half of its characters (without white space) are kept. Its class is the majority
/// class of its kept characters.
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
            // a tie goes to the first class
            (0..3).rev().max_by_key(|&c| counts[c]).map_or(Paragraph, |c| all[c])
        };
        (0..onto.len()).map(class_of).collect()
    });
    (labels, classes)
}

/// Sorts ranges and merges those that overlap or touch.
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

/// Returns the intersections of `range` with `ranges`, which must be sorted.
fn overlaps<'a>(ranges: &'a [Range<u32>], range: &'a Range<u32>) -> impl Iterator<Item = Range<u32>> + 'a {
    let first = ranges.partition_point(|r| r.end <= range.start);
    ranges[first..]
        .iter()
        .take_while(|r| r.start < range.end)
        .map(|r| r.start.max(range.start)..r.end.min(range.end))
}

/// Returns the number of characters in a range of the source text, without white space. Ranges end at the ends
/// of text nodes, so they never split a character.
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
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let texts = |wanted: &[&str]| -> Vec<Range<u32>> {
            let is = |n: &NodeId| doc.kind(*n) == Kind::Text && wanted.contains(&doc.text(*n));
            doc.descendants(doc.root()).filter(is).map(|n| doc.text_range(n)).collect()
        };
        let input = SystemInput::new(&doc, &blocks);
        // 3 of 5 characters, 1 of 3, 0 of 1
        assert_eq!(input.keep_ranges(&texts(&["bbb", "d"])), [true, false, false]);
        assert_eq!(input.keep_ranges(&texts(&["cc", "aa"])), [false, true, false]);
        assert_eq!(input.keep_ranges(&[]), [false; 3]);
        let all = 0..100;
        assert_eq!(input.keep_ranges(std::slice::from_ref(&all)), [true; 3]);
    }

    #[test]
    fn labels_are_mapped_between_segmentations() {
        let doc = parse_str("<p>aa<b>bbb</b><h1>x</h1>");
        let [own, onto] = [1, 0].map(|i| Blocks::new(&doc, block::REGISTRY[i], Visibility::Visible));
        assert_eq!((own.len(), onto.len()), (3, 2));
        use ParagraphClass::{Heading, List, Paragraph};
        let classes = [Paragraph, List, Heading];
        let (kept, found) = project(&doc, &own, &[true, true, false], Some(&classes), &onto);
        assert_eq!(kept, [true, false]);
        assert_eq!(found.expect("classes")[0], List);
    }
}
