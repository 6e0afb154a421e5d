//! Depths of elements, and distances between them.

use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId};

/// Depth of every visible element below the document node, by node id; 0 for other nodes.
#[derive(Debug)]
pub struct Depths(Vec<u32>);

impl Depths {
    /// Computes the depth of each element.
    pub fn new(doc: &Document, blocks: &Blocks) -> Self {
        let mut depths = vec![0; doc.num_nodes()];
        for &node in blocks.elements() {
            depths[node as usize] = depths[doc.parent(node).unwrap_or(0) as usize] + 1;
        }
        Depths(depths)
    }

    /// Returns the depth of a node below the document node.
    pub fn of(&self, node: NodeId) -> u32 {
        self.0[node as usize]
    }

    /// Returns the number of edges between two nodes, and their lowest common ancestor.
    pub fn distance(&self, doc: &Document, a: NodeId, b: NodeId) -> (u32, NodeId) {
        let (mut x, mut y, mut steps) = (a, b, 0);
        while x != y {
            let (deep_x, deep_y) = (self.of(x), self.of(y));
            if deep_x >= deep_y {
                x = doc.parent(x).unwrap_or(0);
                steps += 1;
            }
            if deep_y >= deep_x {
                y = doc.parent(y).unwrap_or(0);
                steps += 1;
            }
        }
        (steps, x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn distances_are_edges_of_the_tree() {
        let doc = parse_str("<div><p id=a>one</p><ul><li id=b>two</ul></div>");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let depths = Depths::new(&doc, &blocks);
        let leaf = |i: usize| blocks.get(i).expect("a block").leaf;
        let (steps, common) = depths.distance(&doc, leaf(0), leaf(1));
        assert_eq!((steps, doc.path(common).as_str()), (3, "html>body>div"));
        assert_eq!(depths.distance(&doc, leaf(0), leaf(0)).0, 0);
        assert_eq!(depths.distance(&doc, 0, leaf(0)), (4, 0));
    }
}
