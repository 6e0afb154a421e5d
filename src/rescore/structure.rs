//! Which blocks belong together on a page.

use crate::features::PageContext;
use crate::page::{Document, NodeId, Tag};
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};

/// Groups of growing size that every block stands in.
pub const NUM_LEVELS: usize = 5;

/// The groups of a page's blocks.
#[derive(Debug, Clone, Default)]
pub struct Structure {
    /// Words of each block.
    pub(super) num_words: Vec<u32>,
    /// For each block the blocks (from, to) of its first [`NUM_LEVELS`] ancestors that hold more blocks than the one
    /// below each.
    pub(super) groups: Vec<[(u32, u32); NUM_LEVELS]>,
    /// Number of the block's tag path, from 0.
    pub(super) path: Vec<u32>,
    /// Number of the block's path of tags and classes, from 0.
    pub(super) class_path: Vec<u32>,
    /// The last heading before each block, or itself; `u32::MAX` where there is none.
    pub(super) heading: Vec<u32>,
}

impl Structure {
    /// Looks at a page.
    pub fn of(page: &PageContext<'_>) -> Self {
        let (paths, class_paths) = path_hashes(page);
        let mut found = Structure::default();
        let (mut of_path, mut of_class_path) = (FxHashMap::default(), FxHashMap::default());
        let mut heading = u32::MAX;
        for (index, block) in page.blocks.iter().enumerate() {
            let number = |numbers: &mut FxHashMap<u64, u32>, hash| {
                let next = numbers.len() as u32;
                *numbers.entry(hash).or_insert(next)
            };
            found.path.push(number(&mut of_path, paths[block.leaf as usize]));
            found.class_path.push(number(&mut of_class_path, class_paths[block.leaf as usize]));
            if page.is_in(index, Tag::is_heading) {
                heading = index as u32;
            }
            found.heading.push(heading);
            found.num_words.push(page.stats[index].num_words);
            found.groups.push(groups(page, block.leaf, index as u32));
        }
        found
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.num_words.len()
    }
    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.num_words.is_empty()
    }
}

/// The growing groups of a block; where there are fewer, the last is repeated.
fn groups(page: &PageContext<'_>, leaf: NodeId, index: u32) -> [(u32, u32); NUM_LEVELS] {
    let mut found = [(index, index + 1); NUM_LEVELS];
    let (mut level, mut last) = (0, (index, index + 1));
    for node in page.doc.ancestors_and_self(leaf) {
        let blocks = &page.blocks.extent(node).blocks;
        // a block may reach out of its element; groups hold it all the same
        let range = (blocks.start.min(last.0), blocks.end.max(last.1));
        if range != last {
            found[level..].fill(range);
            (level, last) = (level + 1, range);
            if level == NUM_LEVELS {
                break;
            }
        }
    }
    found
}

/// For every node a hash of the tags, and of tags and classes, on the way from the root.
fn path_hashes(page: &PageContext<'_>) -> (Vec<u64>, Vec<u64>) {
    let (mut tags, mut classes) = (vec![0; page.doc.num_nodes()], vec![0; page.doc.num_nodes()]);
    for &node in page.blocks.elements() {
        let above = page.doc.parent(node).map_or((0, 0), |p| (tags[p as usize], classes[p as usize]));
        tags[node as usize] = hash((above.0, page.doc.name(node)));
        classes[node as usize] = hash((above.1, page.doc.name(node), class(page.doc, node)));
    }
    (tags, classes)
}

fn class(doc: &Document, node: NodeId) -> &str {
    doc.attribute(node, "class").unwrap_or("")
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
