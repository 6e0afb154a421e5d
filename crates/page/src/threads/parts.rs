//! Kinds of the blocks of a thread: text of a post, its author and date, or other parts.

use super::series::{Record, own_pieces};
use super::signs::Signs;
use super::tree::{NONE, Tree, mix};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// Kind of a block of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The text of a post.
    Text,
    /// The author or the date of the post.
    Mark,
    /// All other parts: a panel about the author, a signature, buttons.
    Beside,
}

/// The blocks at the same position in each record of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Kind of these blocks.
    pub kind: PartKind,
    /// Whether the posts are readers' comments below an article, or reviews.
    pub is_comments: bool,
    /// Index of each block, and index of its post.
    pub blocks: Vec<(usize, usize)>,
}

/// The blocks of the posts of a thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// The slots. No block is in two slots.
    pub slots: Vec<Slot>,
    /// Blocks of post texts that are quotations, in order.
    pub quotes: Vec<usize>,
}

impl Parts {
    /// Returns the kind and the post index of each block. `num` is the number of blocks of the page.
    pub fn by_block(&self, num: usize) -> Vec<Option<(PartKind, usize)>> {
        let mut parts = vec![None; num];
        for slot in &self.slots {
            slot.blocks.iter().for_each(|&(block, post)| parts[block] = Some((slot.kind, post)));
        }
        parts
    }

    /// Removes a block, unless it is text of a post.
    pub(crate) fn without_beside(mut self, block: usize) -> Self {
        for slot in self.slots.iter_mut().filter(|slot| slot.kind != PartKind::Text) {
            slot.blocks.retain(|(own, _)| *own != block);
        }
        self
    }
}

/// Bytes of a block by kind.
#[derive(Default)]
struct Tally {
    text: u32,
    quoted: u32,
    mark: u32,
    beside: u32,
    /// Slot of the first piece that is not text.
    slot: u64,
    series: usize,
    record: usize,
}

/// Collects the parts of a thread, record by record.
#[derive(Default)]
pub(super) struct Builder {
    blocks: FxHashMap<u32, Tally>,
}

impl Builder {
    /// Adds a record of a series. `body` contains the pieces of its text, `marks` the pieces of its author
    /// and date.
    pub(super) fn add(
        &mut self,
        tree: &Tree<'_>,
        signs: &Signs,
        records: &[Record],
        (series, record): (usize, usize),
        body: &[u32],
        marks: &FxHashSet<u32>,
    ) {
        let body: FxHashSet<u32> = body.iter().copied().collect();
        for piece in own_pieces(records, record) {
            let of = &tree.pieces[piece as usize];
            let bytes = tree.text(piece).len() as u32;
            let tally = self.blocks.entry(of.block).or_insert(Tally { series, record, ..Tally::default() });
            if body.contains(&piece) {
                tally.text += bytes;
                let in_quote = of.parent != NONE && signs.in_quote[of.parent as usize];
                tally.quoted += if in_quote { bytes } else { 0 };
            } else if marks.contains(&piece) {
                tally.mark += bytes;
            } else {
                if tally.beside == 0 {
                    tally.slot = if of.parent == NONE { 0 } else { tree.path(of.parent, SLOT_LEVELS) };
                }
                tally.beside += bytes;
            }
        }
    }

    /// Returns the parts. `posts` has the post index of each record, and whether the post is a comment or a review.
    pub(super) fn build(self, tree: &Tree<'_>, posts: &[Option<(usize, bool)>]) -> Parts {
        let mut slots: FxHashMap<(PartKind, bool, u64), Vec<(usize, usize)>> = FxHashMap::default();
        let mut quotes = Vec::new();
        for (block, tally) in self.blocks {
            let Tally { text, quoted, mark, beside, .. } = tally;
            let Some((post, is_comments)) = posts[tally.record] else { continue };
            let block = block as usize;
            let of_record = text + mark + beside;
            if 2 * of_record < tree.blocks.text(block).len() as u32 {
                continue;
            }
            let (kind, slot) = match () {
                () if 2 * text >= of_record => (PartKind::Text, 0),
                () if mark >= beside => (PartKind::Mark, 0),
                () => (PartKind::Beside, tally.slot),
            };
            if kind == PartKind::Text && 2 * quoted > text {
                quotes.push(block);
            }
            let slot = mix(tally.series as u64, slot);
            slots.entry((kind, is_comments, slot)).or_default().push((block, post));
        }
        let slot = |((kind, is_comments, _), blocks)| Slot { kind, is_comments, blocks };
        let mut slots: Vec<Slot> = slots.into_iter().map(slot).collect();
        slots.iter_mut().for_each(|slot| slot.blocks.sort_unstable());
        slots.sort_by(|a, b| a.blocks.cmp(&b.blocks));
        quotes.sort_unstable();
        Parts { slots, quotes }
    }
}

/// Number of ancestors of a piece that determine its slot.
const SLOT_LEVELS: usize = 3;
