//! Relation of a block to the previous and the next block in the document tree.

use crate::{Column, Family, Grid, PageContext, ratio};
use threshr_html::{NodeId, Tag};

/// The family.
pub(crate) struct Edge;

const SOURCE: &str = "Web2Text (Vogels et al. 2018)";

/// Columns for the previous and for the next block. `{}` stands for "previous block" or "next block".
const COLUMNS: &[(&str, &str, &str)] = &[
    ("distance", "edges", "number of edges in the tree between the texts of the block and of the {}"),
    (
        "distance_2",
        "flag",
        "1 if the tree distance to the {} is 2, so both texts have the same innermost element",
    ),
    ("distance_3", "flag", "1 if the tree distance to the {} is 3"),
    ("distance_4", "flag", "1 if the tree distance to the {} is 4"),
    ("distance_far", "flag", "1 if the tree distance to the {} is greater than 4"),
    ("same_element", "flag", "1 if the block and the {} have the same block-level element"),
    ("same_parent", "flag", "1 if the block-level elements of the block and of the {} have the same parent"),
    ("same_path", "flag", "1 if the block and the {} have the same tag path from html"),
    (
        "same_class",
        "flag",
        "1 if the block-level elements of the block and of the {} have the same class, without digits",
    ),
    (
        "up_self",
        "levels",
        "number of levels from the block's innermost element up to the lowest common ancestor with the {}",
    ),
    ("common_depth", "levels", "depth of the lowest common ancestor with the {}"),
    ("common_blocks", "blocks", "number of blocks inside the lowest common ancestor with the {}"),
    (
        "common_words_share",
        "ratio",
        "share of the page's words inside the lowest common ancestor with the {}",
    ),
    ("common_link_density", "ratio", "link density of the lowest common ancestor with the {}"),
    ("common_body", "flag", "1 if the lowest common ancestor with the {} is body, html or the document"),
    ("common_list", "flag", "1 if the lowest common ancestor with the {} is ul, ol, dl, menu, dir, li or dd"),
    ("common_table", "flag", "1 if the lowest common ancestor with the {} is a table or a part of one"),
    ("common_section", "flag", "1 if the lowest common ancestor with the {} is article, section or main"),
    ("common_div", "flag", "1 if the lowest common ancestor with the {} is a div"),
];

impl Family for Edge {
    fn name(&self) -> &'static str {
        "edge"
    }
    fn summary(&self) -> &'static str {
        "how a block is connected to the previous and the next block in the tree"
    }
    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for (prefix, what) in [("prev", "previous block"), ("next", "next block")] {
            columns.extend(COLUMNS.iter().map(|&(name, unit, definition)| {
                let definition = format!("{}; 0 if there is no such block", definition.replace("{}", what));
                Column::new(format!("{prefix}_{name}"), unit, definition, SOURCE)
            }));
        }
        columns
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for index in 1..page.len() {
            let (mut values, up) = edge(page, index - 1, index);
            values[UP_SELF] = up.1;
            out.set_all(0, index, &values);
            values[UP_SELF] = up.0;
            out.set_all(COLUMNS.len(), index - 1, &values);
        }
    }
}

/// Index of `up_self` in [`COLUMNS`]. Only this column differs between the two blocks of an edge.
const UP_SELF: usize = 9;

/// Returns the columns of the edge between two adjacent blocks, and the value of `up_self` for each of the two
/// blocks.
fn edge(page: &PageContext<'_>, a: usize, b: usize) -> ([f32; COLUMNS.len()], (f32, f32)) {
    let keys = page.keys();
    let (first, second) = (page.block(a), page.block(b));
    let (steps, common) = page.depths().distance(page.doc, first.leaf, second.leaf);
    // adds the two edges between the text nodes and their innermost elements
    let distance = steps + 2;
    let flag = |yes: bool| f32::from(u8::from(yes));
    let tag_path = |node| keys.paths(page.blocks, node).tags;
    let class = |node| keys.class(page.names(), node);
    let inside = page.inside(common);
    let depth = page.depths().of(common);
    let up = |leaf: NodeId| (page.depths().of(leaf) - depth) as f32;
    let tag = page.doc.tag(common);
    let values = [
        distance as f32,
        flag(distance == 2),
        flag(distance == 3),
        flag(distance == 4),
        flag(distance > 4),
        flag(first.node == second.node),
        flag(page.doc.parent(first.node) == page.doc.parent(second.node)),
        flag(tag_path(first.leaf) == tag_path(second.leaf)),
        flag(class(first.node) == class(second.node)),
        0.0,
        depth as f32,
        inside.blocks as f32,
        ratio(inside.words, page.total().words),
        ratio(inside.link_words, inside.words),
        flag(matches!(tag, Tag::BODY | Tag::HTML) || common == page.doc.root()),
        flag(matches!(tag, Tag::UL | Tag::OL | Tag::DL | Tag::MENU | Tag::DIR | Tag::LI | Tag::DD)),
        flag(matches!(tag, Tag::TABLE | Tag::TBODY | Tag::THEAD | Tag::TFOOT | Tag::TR | Tag::TD | Tag::TH)),
        flag(matches!(tag, Tag::ARTICLE | Tag::SECTION | Tag::MAIN)),
        flag(tag == Tag::DIV),
    ];
    (values, (up(first.leaf), up(second.leaf)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::values;

    #[test]
    fn edges_of_a_small_page() {
        assert_eq!(COLUMNS[UP_SELF].0, "up_self");
        let html = "<div><p class=a1>one<p class=a2>two <b>three</b></div><ul><li><b>four</b></ul>";
        // nodes on the path: `text p div p text` for the two <p>; `text p div body ul li b text` for <p> and
        // <li>
        assert_eq!(values(html, "edge.prev_distance"), [0.0, 4.0, 7.0]);
        assert_eq!(values(html, "edge.next_distance"), [4.0, 7.0, 0.0]);
        assert_eq!(values(html, "edge.next_distance_far"), [0.0, 1.0, 0.0]);
        assert_eq!(values(html, "edge.prev_up_self"), [0.0, 1.0, 3.0]);
        assert_eq!(values(html, "edge.next_up_self"), [1.0, 2.0, 0.0]);
        assert_eq!(values(html, "edge.prev_same_path"), [0.0, 1.0, 0.0]);
        assert_eq!(values(html, "edge.prev_same_class"), [0.0, 1.0, 0.0]);
        assert_eq!(values(html, "edge.prev_same_parent"), [0.0, 1.0, 0.0]);
        assert_eq!(values(html, "edge.prev_common_words_share"), [0.0, 0.75, 1.0]);
        assert_eq!(values(html, "edge.prev_common_div"), [0.0, 1.0, 0.0]);
        assert_eq!(values(html, "edge.next_common_body"), [0.0, 1.0, 0.0]);
        assert_eq!(values("a<br><br>b", "edge.next_distance_2"), [1.0, 0.0]);
    }
}
