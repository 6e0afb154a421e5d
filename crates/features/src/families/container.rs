//! The elements that contain a block.

use crate::{Column, Family, Grid, PageContext, ratio};
use std::sync::LazyLock;
use threshr_html::{NodeId, Tag};

/// The family.
pub(crate) struct Container;

const SOURCE: &str =
    "Boilerpipe (Kohlschütter et al. 2010), Victor (Marek et al. 2007), FIASCO (Bauer et al. 2007)";

/// Elements, or groups of similar elements, with the name used in their columns.
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

/// Columns that follow the two columns of each entry in [`TAGS`].
const COUNTS: &[(&str, &str, &str)] = &[
    ("depth", "levels", "number of ancestors of the innermost element of the block"),
    ("num_children", "elements", "number of elements inside the nearest block-level element"),
    ("num_a", "elements", "number of links inside the parent of the nearest block-level element"),
    (
        "num_img",
        "elements",
        "number of images and videos inside the parent of the nearest block-level element",
    ),
    ("num_input", "elements", "number of form fields inside the parent of the nearest block-level element"),
    ("num_button", "elements", "number of buttons inside the parent of the nearest block-level element"),
    ("parent_blocks", "blocks", "number of blocks inside the parent of the nearest block-level element"),
    (
        "parent_index",
        "ratio",
        "blocks before the block inside the parent of the nearest block-level element / all blocks inside \
         this parent",
    ),
];

/// Returns the tags of an entry in [`TAGS`], such as `<td> or <th>`.
fn tag_names(name: &str) -> String {
    let others = match name {
        "h456" => "<h4>, <h5> or <h6>",
        "td" => "<td> or <th>",
        "list" => "<ul>, <ol>, <menu> or <dir>",
        "header" => "<header> or <hgroup>",
        "form" => "<form> or <fieldset>",
        "pre" => "<pre> or <code>",
        "figure" => "<figure> or <figcaption>",
        "label" => "<label> or <legend>",
        "select" => "<select> or <option>",
        "bold" => "<b> or <strong>",
        "italic" => "<i>, <em> or <cite>",
        "small" => "<small>, <font>, <sup> or <sub>",
        "time" => "<time> or <address>",
        "summary" => "<summary>, <details> or <dialog>",
        _ => return format!("<{name}>"),
    };
    others.to_owned()
}

impl Family for Container {
    fn name(&self) -> &'static str {
        "container"
    }
    fn summary(&self) -> &'static str {
        "the elements that contain a block, and the number of other elements and blocks in them"
    }
    fn columns(&self) -> Vec<Column> {
        let flag = |prefix: &str, what: &str, name: &str, neighbours| Column {
            name: format!("{prefix}_{name}").into(),
            unit: "flag",
            definition: format!("1 if {what} is {}", tag_names(name)).into(),
            version: 1,
            source: SOURCE,
            neighbours,
        };
        let mut columns: Vec<_> =
            TAGS.iter().map(|t| flag("in", "one of the elements around the text", t.0, false)).collect();
        columns.extend(TAGS.iter().map(|t| {
            flag("is", "the nearest block-level element, or an element around the text inside it,", t.0, true)
        }));
        columns.extend(
            COUNTS.iter().map(|&(name, unit, definition)| Column::new(name, unit, definition, SOURCE)),
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
    let entries = entries_by_node(page);
    for index in 0..page.len() {
        let block = page.block(index);
        set_flags(entries[block.leaf as usize], 0, index, out);
        // from the innermost element up to the block-level element
        let mut is = 0;
        for node in page.doc.ancestors_and_self(block.leaf) {
            is |= entry_of(page, node);
            if node == block.node {
                break;
            }
        }
        set_flags(is, TAGS.len(), index, out);
    }
}

fn fill_counts(page: &PageContext<'_>, out: &mut Grid<'_>) {
    let counts = Counts::new(page);
    let depths = page.depths();
    for index in 0..page.len() {
        let block = page.block(index);
        // the document is counted as an ancestor
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

/// Sets to 1 the columns whose bits are set. Each bit stands for an entry in [`TAGS`].
fn set_flags(bits: u64, first: usize, index: usize, out: &mut Grid<'_>) {
    let mut rest = bits;
    while rest != 0 {
        out.set(first + rest.trailing_zeros() as usize, index, 1.0);
        rest &= rest - 1;
    }
}

/// For each tag: a bit mask with the bit of its entry in [`TAGS`].
static ENTRY_BITS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut bits = vec![0; Tag::NUM_KNOWN];
    for (i, (_, tags)) in TAGS.iter().enumerate() {
        tags.iter().for_each(|t| bits[usize::from(t.0)] = 1 << i);
    }
    bits
});

/// Returns the bit of an element's entry in [`TAGS`]; 0 for the document.
fn entry_of(page: &PageContext<'_>, node: NodeId) -> u64 {
    if node == page.doc.root() {
        return 0;
    }
    ENTRY_BITS.get(usize::from(page.doc.tag(node).0)).copied().unwrap_or(0)
}

/// Returns for each element that contains a block the bits of its own entry and of its ancestors' entries.
fn entries_by_node(page: &PageContext<'_>) -> Vec<u64> {
    let mut entries = vec![0; page.doc.num_nodes()];
    for &node in page.holders() {
        let above = entries[page.doc.parent(node).unwrap_or(0) as usize];
        entries[node as usize] = above | entry_of(page, node);
    }
    entries
}

/// Cumulative counts of links, images, form fields and buttons over the elements of a page, in document order.
struct Counts(Vec<[u32; 4]>);

impl Counts {
    fn new(page: &PageContext<'_>) -> Self {
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
