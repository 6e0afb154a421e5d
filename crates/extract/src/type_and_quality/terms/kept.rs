//! Terms from the kept blocks of a page.

use super::{TermCounter, at};
use threshr_html::{Document, Kind, NodeId};

/// Maximum number of elements around a kept block that become terms.
const MAX_PATH: usize = 4;
/// Number of kept blocks at the start whose words become terms of `kept_first`.
const NUM_FIRST: usize = 4;

/// Counts the terms of kept blocks, block by block.
#[derive(Default)]
pub(crate) struct KeptTerms {
    num_blocks: usize,
    /// The path of the last block, and the numbers of its terms.
    path: String,
    elements: Vec<u32>,
}

impl KeptTerms {
    /// Counts the elements of the next kept block. `path` is the result of [`path_of`]. Returns the channels for
    /// the words of the block.
    pub(crate) fn block(&mut self, path: &str, counter: &mut impl TermCounter) -> [Option<usize>; 3] {
        let own = path.rsplit('>').next().unwrap_or_default();
        let is_heading = matches!(own, "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
        if self.num_blocks == 0 || self.path != path {
            self.read_path(path, counter);
        }
        self.elements.iter().for_each(|&number| counter.count(number, 1));
        let is_first = self.num_blocks < NUM_FIRST;
        self.num_blocks += 1;
        [Some(at::KEPT_WORD), is_heading.then_some(at::KEPT_HEADING), is_first.then_some(at::KEPT_FIRST)]
    }

    /// Reads the terms of a path: each of its elements, and the two innermost elements together.
    fn read_path(&mut self, path: &str, counter: &mut impl TermCounter) {
        self.path.clear();
        self.path.push_str(path);
        self.elements.clear();
        let mut ends = path.rmatch_indices('>').map(|end| end.0);
        let pair = ends.next().map(|_| &path[ends.next().map_or(0, |end| end + 1)..]);
        let terms = path.split('>').chain(pair);
        self.elements.extend(terms.filter_map(|term| counter.number_of_fitting(at::KEPT_ELEMENT, term)));
    }
}

/// Writes the names of the innermost elements around a block to `out`, at most four, such as `section>ul>li`.
pub(crate) fn path_of(doc: &Document, node: NodeId, out: &mut String) {
    let mut names = [""; MAX_PATH];
    let elements = doc.ancestors_and_self(node).filter(|&n| doc.kind(n) == Kind::Element);
    let mut num_names = 0;
    for (slot, element) in names.iter_mut().rev().zip(elements) {
        *slot = doc.name(element);
        num_names += 1;
    }
    out.clear();
    for (i, name) in names[MAX_PATH - num_names..].iter().enumerate() {
        if i > 0 {
            out.push('>');
        }
        out.push_str(name);
    }
}
