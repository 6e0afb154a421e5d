//! What elements a block stands in.

use crate::{Column, Family, Grid, PageContext, ratio};
use std::sync::LazyLock;
use threshr_html::{NodeId, Tag};

/// The family.
pub(crate) struct Container;

const SOURCE: &str =
    "Boilerpipe (Kohlschütter et al. 2010), Victor (Marek et al. 2007), FIASCO (Bauer et al. 2007)";

/// Elements (or groups of alike ones) that are looked for, with the name of the column.
const TAGS: &[(&str, &[Tag])] = &[
    ("h1", &[Tag::H1]),
    ("h2", &[Tag::H2]),
    ("h3", &[Tag::H3]),
    ("h456", &[Tag::H4, Tag::H5, Tag::H6]),
    ("p", &[Tag::P]),
    ("div", &[Tag::DIV]),
    ("a", &[Tag::A]),
    ("li", &[Tag::LI]),
    ("td", &[Tag::TD, Tag::TH]),
    ("table", &[Tag::TABLE]),
    ("list", &[Tag::UL, Tag::OL, Tag::MENU, Tag::DIR]),
    ("dl", &[Tag::DL]),
    ("section", &[Tag::SECTION]),
    ("article", &[Tag::ARTICLE]),
    ("main", &[Tag::MAIN]),
    ("nav", &[Tag::NAV]),
    ("header", &[Tag::HEADER, Tag::HGROUP]),
    ("footer", &[Tag::FOOTER]),
    ("aside", &[Tag::ASIDE]),
    ("form", &[Tag::FORM, Tag::FIELDSET]),
    ("blockquote", &[Tag::BLOCKQUOTE]),
    ("pre", &[Tag::PRE, Tag::CODE]),
    ("figure", &[Tag::FIGURE, Tag::FIGCAPTION]),
    ("button", &[Tag::BUTTON]),
    ("label", &[Tag::LABEL, Tag::LEGEND]),
    ("select", &[Tag::SELECT, Tag::OPTION]),
    ("bold", &[Tag::B, Tag::STRONG]),
    ("italic", &[Tag::I, Tag::EM, Tag::CITE]),
    ("small", &[Tag::SMALL, Tag::FONT, Tag::SUP, Tag::SUB]),
    ("span", &[Tag::SPAN]),
    ("time", &[Tag::TIME, Tag::ADDRESS]),
    ("summary", &[Tag::SUMMARY, Tag::DETAILS, Tag::DIALOG]),
    ("center", &[Tag::CENTER]),
];

/// Columns after the two for each of [`TAGS`].
const COUNTS: &[(&str, &str, &str)] = &[
    ("depth", "levels", "number of ancestors of the element around the text"),
    ("num_children", "elements", "elements inside the block's nearest block-level element"),
    ("num_a", "elements", "links inside the block's nearest block-level element and its parent"),
    ("num_img", "elements", "images inside the block's nearest block-level element and its parent"),
    ("num_input", "elements", "form fields inside the block's nearest block-level element and its parent"),
    ("num_button", "elements", "buttons inside the block's nearest block-level element and its parent"),
    ("parent_blocks", "blocks", "blocks inside the parent of the block's nearest block-level element"),
    ("parent_index", "ratio", "blocks of that parent before the block / all of them"),
];

impl Family for Container {
    fn name(&self) -> &'static str {
        "container"
    }
    fn summary(&self) -> &'static str {
        "what elements a block stands in, and what else they hold"
    }
    fn columns(&self) -> Vec<Column> {
        let flag = |prefix: &str, what: &str, name: &str, neighbours| Column {
            name: format!("{prefix}_{name}").into(),
            unit: "flag",
            definition: format!("1 where {what} is {name}").into(),
            version: 1,
            source: SOURCE,
            neighbours,
        };
        let mut columns: Vec<_> =
            TAGS.iter().map(|t| flag("in", "an ancestor of the text", t.0, false)).collect();
        columns.extend(TAGS.iter().map(|t| {
            flag("is", "the nearest block-level element, or one inside it around the text,", t.0, true)
        }));
        columns.extend(
            COUNTS.iter().map(|&(name, unit, definition)| Column::of(name, unit, definition, SOURCE)),
        );
        columns
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        fill_flags(page, out);
        if out.wants(2 * TAGS.len()..2 * TAGS.len() + COUNTS.len()) {
            fill_counts(page, out);
        }
    }
}

fn fill_flags(page: &PageContext<'_>, out: &mut Grid<'_>) {
    let around = around_by_node(page);
    for index in 0..page.len() {
        let block = page.block(index);
        set_flags(around[block.leaf as usize], 0, index, out);
        // those of the leaf up to the block-level element: all but what is around that
        let mut is = 0;
        for node in page.doc.ancestors_and_self(block.leaf) {
            is |= group_of(page, node);
            if node == block.node {
                break;
            }
        }
        set_flags(is, TAGS.len(), index, out);
    }
}

fn fill_counts(page: &PageContext<'_>, out: &mut Grid<'_>) {
    let counts = Counts::of(page);
    let depths = page.depths();
    for index in 0..page.len() {
        let block = page.block(index);
        // the document counts
        let depth = depths.of(block.leaf) + 1;
        let parent = page.doc.parent(block.node).unwrap_or(block.node);
        let inside = &page.blocks.extent(parent).blocks;
        let values = [
            depth as f32,
            page.blocks.extent(block.node).elements.len() as f32,
            counts.inside(page, parent, 0),
            counts.inside(page, parent, 1),
            counts.inside(page, parent, 2),
            counts.inside(page, parent, 3),
            inside.len() as f32,
            ratio((index as u32).saturating_sub(inside.start), inside.len() as u32),
        ];
        for (i, value) in values.into_iter().enumerate() {
            out.set(2 * TAGS.len() + i, index, value);
        }
    }
}

/// Sets the flags of the entries of [`TAGS`] that have a bit.
fn set_flags(bits: u64, first: usize, index: usize, out: &mut Grid<'_>) {
    let mut rest = bits;
    while rest != 0 {
        out.set(first + rest.trailing_zeros() as usize, index, 1.0);
        rest &= rest - 1;
    }
}

/// The entry of [`TAGS`] that each tag belongs to, as a bit.
static GROUPS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut groups = vec![0; Tag::NUM_KNOWN];
    for (i, (_, tags)) in TAGS.iter().enumerate() {
        tags.iter().for_each(|t| groups[usize::from(t.0)] = 1 << i);
    }
    groups
});

/// The entry of an element; none of the document.
fn group_of(page: &PageContext<'_>, node: NodeId) -> u64 {
    if node == page.doc.root() {
        return 0;
    }
    GROUPS.get(usize::from(page.doc.tag(node).0)).copied().unwrap_or(0)
}

/// The entries of every element that holds a block and of all around it.
fn around_by_node(page: &PageContext<'_>) -> Vec<u64> {
    let mut around = vec![0; page.doc.num_nodes()];
    for &node in page.holders() {
        let above = around[page.doc.parent(node).unwrap_or(0) as usize];
        around[node as usize] = above | group_of(page, node);
    }
    around
}

/// Running counts of links, images, fields and buttons over a page's elements.
struct Counts(Vec<[u32; 4]>);

impl Counts {
    fn of(page: &PageContext<'_>) -> Self {
        let mut total = [0; 4];
        let elements = page.blocks.elements();
        let mut sums = Vec::with_capacity(elements.len() + 1);
        sums.push(total);
        for &node in elements {
            match page.doc.tag(node) {
                Tag::A => total[0] += 1,
                Tag::IMG | Tag::PICTURE | Tag::VIDEO => total[1] += 1,
                Tag::INPUT | Tag::SELECT | Tag::TEXTAREA => total[2] += 1,
                Tag::BUTTON => total[3] += 1,
                _ => {}
            }
            sums.push(total);
        }
        Counts(sums)
    }

    fn inside(&self, page: &PageContext<'_>, node: NodeId, which: usize) -> f32 {
        let range = &page.blocks.extent(node).elements;
        (self.0[range.end as usize][which] - self.0[range.start as usize][which]) as f32
    }
}
