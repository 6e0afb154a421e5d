//! Facts about a block from which the columns of page type and quality are computed.

use threshr_html::blocks::Blocks;
use threshr_html::{Document, Tag};
use threshr_page::BlockStats;

/// The kind of element that contains the text of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// `<p>`.
    Paragraph,
    /// `<li>`, `<dd>`, `<dt>`.
    Item,
    /// `<h1>` to `<h6>`.
    Heading,
    /// `<td>`, `<th>`.
    Cell,
    /// `<pre>`.
    Code,
    /// `<div>`.
    Division,
    /// Any other element.
    Other,
}

/// All holders, in the order of their columns.
pub(crate) const HOLDERS: [(Holder, &str); 6] = [
    (Holder::Paragraph, "paragraph"),
    (Holder::Item, "item"),
    (Holder::Heading, "heading"),
    (Holder::Cell, "cell"),
    (Holder::Code, "code"),
    (Holder::Division, "division"),
];

/// Counts of a block.
#[derive(Debug, Clone, Copy)]
pub struct BlockFacts {
    pub(crate) words: u32,
    pub(crate) link_words: u32,
    pub(crate) chars: u32,
    pub(crate) marks: u32,
    pub(crate) digits: u32,
    pub(crate) capitals: u32,
    pub(crate) questions: u32,
    pub(crate) sentences: u32,
    pub(crate) holder: Holder,
    pub(crate) ends_sentence: bool,
}

impl BlockFacts {
    /// Returns the facts about all blocks. `stats` has the counts of each block.
    pub fn of_page(doc: &Document, blocks: &Blocks, stats: &[BlockStats]) -> Vec<BlockFacts> {
        let of_block = |(block, s): (&threshr_html::blocks::Block, &BlockStats)| BlockFacts {
            words: s.num_words,
            link_words: s.num_link_words,
            chars: s.num_chars,
            marks: s.num_stops + s.num_commas,
            digits: s.num_digits,
            capitals: s.num_capitals,
            questions: s.num_questions,
            sentences: s.num_sentences,
            holder: holder(doc.tag(block.node)),
            ends_sentence: s.ends_sentence,
        };
        blocks.iter().zip(stats).map(of_block).collect()
    }
}

fn holder(tag: Tag) -> Holder {
    match tag {
        Tag::P => Holder::Paragraph,
        Tag::LI | Tag::DD | Tag::DT => Holder::Item,
        Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => Holder::Heading,
        Tag::TD | Tag::TH => Holder::Cell,
        Tag::PRE => Holder::Code,
        Tag::DIV => Holder::Division,
        _ => Holder::Other,
    }
}

/// `a / b`, or 0 if `b` is 0.
pub(crate) fn ratio(a: f64, b: f64) -> f32 {
    if b > 0.0 { (a / b) as f32 } else { 0.0 }
}
