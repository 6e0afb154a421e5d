//! What a system sees of a page, and back from stretches of its text to its blocks.

use std::ops::Range;
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_html::{Document, NodeId, Visibility};

/// What a system sees of a page. The same whether the page was annotated or not: labels are in `gold` alone.
#[derive(Debug, Clone, Copy)]
pub struct SystemInput<'a> {
    /// The page's document, with attributes.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// What of the document its blocks show.
    pub visibility: Visibility,
    /// The page's HTML, decoded, without labels; given to systems that say [`needs_html`](crate::baseline::System::needs_html).
    pub html: Option<&'a str>,
    /// Its language as the data set or the caller knows it: an ISO 639-1 code. None: the system finds out, or does without.
    pub lang: Option<&'a str>,
    /// What is right; given for training, and to bounds.
    pub gold: Option<SystemGold<'a>>,
}

/// What is right on a page.
#[derive(Debug, Clone, Copy)]
pub struct SystemGold<'a> {
    /// Label of each block: `true` is content.
    pub labels: &'a [bool],
    /// Class of each block's gold paragraph where the gold has such classes, else empty.
    pub classes: &'a [Option<ParagraphClass>],
    /// The gold text, one block a line.
    pub text: &'a str,
}

impl<'a> SystemInput<'a> {
    /// A page as a caller has it that knows nothing but its bytes.
    pub fn new(doc: &'a Document, blocks: &'a Blocks) -> Self {
        Self { doc, blocks, visibility: Visibility::default(), html: None, lang: None, gold: None }
    }

    /// Whether a node is among what the blocks show.
    pub fn is_shown(&self, node: NodeId) -> bool {
        self.doc.is_shown(node, self.visibility)
    }

    /// The blocks of which at least half of the characters (white space aside) stand in `kept`: ranges of
    /// [`Document::source_text`], such as [`Document::text_range`] gives, in any order.
    ///
    /// For systems that cut the page otherwise than our blocks. A block without such characters is not kept.
    pub fn keep_ranges(&self, kept: &[Range<u32>]) -> Vec<bool> {
        let kept = merged(kept);
        (0..self.blocks.len())
            .map(|i| {
                let (mut inside, mut all) = (0, 0);
                for span in self.blocks.spans(i) {
                    all += letters(self.doc, &span.source);
                    inside += overlaps(&kept, &span.source).map(|r| letters(self.doc, &r)).sum::<usize>();
                }
                inside > 0 && 2 * inside >= all
            })
            .collect()
    }
}

/// What was decided on other blocks of the same document, on `onto`: a block is kept if at least half of its characters
/// (white space aside) are, and has the class of most of its kept characters.
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
                let of = |s: &Range<u32>| overlaps(ranges, s).map(|r| letters(doc, &r)).sum::<usize>();
                onto.spans(i).iter().map(|s| of(&s.source)).sum()
            };
            let counts = ranges.each_ref().map(|r| count(r));
            // of equal ones the first
            (0..3).rev().max_by_key(|&c| counts[c]).map_or(Paragraph, |c| all[c])
        };
        (0..onto.len()).map(class_of).collect()
    });
    (labels, classes)
}

/// Ranges in order, those that touch joined.
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

/// The parts of `range` that lie in `ranges`, which are in order.
fn overlaps<'a>(ranges: &'a [Range<u32>], range: &'a Range<u32>) -> impl Iterator<Item = Range<u32>> + 'a {
    let first = ranges.partition_point(|r| r.end <= range.start);
    ranges[first..]
        .iter()
        .take_while(|r| r.start < range.end)
        .map(|r| r.start.max(range.start)..r.end.min(range.end))
}

/// Characters of a stretch of the source but white space; ends are those of texts, so they are on characters.
fn letters(doc: &Document, range: &Range<u32>) -> usize {
    let text = doc.source_text().get(range.start as usize..range.end as usize).unwrap_or_default();
    text.chars().filter(|c| !c.is_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Kind, parse_str};

    #[test]
    fn half_of_a_block_keeps_it() {
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
    fn other_blocks_are_carried_over() {
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
