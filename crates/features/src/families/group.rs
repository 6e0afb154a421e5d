//! Amount of text in the ancestors of a block: content is usually clustered in one branch of the tree.

use crate::{Column, Family, Grid, PageContext, ratio};
use threshr_html::{Document, NodeId, Tag};
use threshr_page::Sums;

/// The family.
pub(crate) struct Group;

const SOURCE: &str = "Victor (Marek et al. 2007); Viveros-Jiménez et al. 2018";

/// Groups of blocks that share an ancestor: the prefix of the column names, and the ancestor.
const GROUPS: &[(&str, &str)] = &[
    ("td", "nearest td"),
    ("div", "nearest div"),
    ("up1", "block-level element's parent"),
    ("up2", "block-level element's grandparent"),
    ("up3", "block-level element's 3rd ancestor"),
    ("up4", "block-level element's 4th ancestor"),
    ("up5", "block-level element's 5th ancestor"),
];
const PER_GROUP: usize = 4;
const OWN: &[(&str, Tag)] = &[("td", Tag::TD), ("div", Tag::DIV)];
const MAIN: &[(&str, &str, &str)] = &[
    (
        "main_distance",
        "edges",
        "tree distance from the parent of the block-level element to the main parent, which is the element \
         whose child blocks have the most words outside links",
    ),
    (
        "main_share",
        "ratio",
        "share of the page's words outside links that are in the child blocks of the main parent",
    ),
    (
        "main_common_share",
        "ratio",
        "share of the page's words outside links that are inside the lowest common ancestor of the block and \
         the main parent",
    ),
];

impl Family for Group {
    fn name(&self) -> &'static str {
        "group"
    }
    fn summary(&self) -> &'static str {
        "how much text the ancestors of a block contain, and how far the block is from the main text"
    }
    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for (name, what) in GROUPS {
            let mut add = |suffix: &str, unit, definition: String| {
                let name = format!("{name}_{suffix}").into();
                columns.push(Column {
                    name,
                    unit,
                    definition: definition.into(),
                    version: 1,
                    source: SOURCE,
                    neighbours: false,
                });
            };
            add(
                "share",
                "ratio",
                format!(
                    "share of the page's words outside links that are in the {what}; 0 if there is no {what}"
                ),
            );
            add("link_density", "ratio", format!("link density of the {what}; 0 if there is no {what}"));
            add("num_blocks", "blocks", format!("number of blocks in the {what}; 0 if there is no {what}"));
            add(
                "p_share",
                "ratio",
                format!(
                    "share of the blocks in the {what} whose block-level element is <p>; 0 if there is no \
                     {what}"
                ),
            );
        }
        columns
            .extend(MAIN.iter().map(|&(name, unit, definition)| Column::new(name, unit, definition, SOURCE)));
        for (name, _) in OWN {
            let own = format!(
                "share of the page's words outside links that are in blocks with the same nearest {name} as \
                 the block (blocks in a nested {name} are excluded); 0 if the block is in no {name}"
            );
            let max = format!("greatest {name}_own_share of the page; the same for all blocks");
            columns.push(Column::new(format!("{name}_own_share"), "ratio", own, SOURCE));
            columns.push(Column::new(format!("{name}_own_max"), "ratio", max, SOURCE));
        }
        columns
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let main = out.wants(FIRST_MAIN..NUM_BY_NODE).then(|| MainParent::new(page));
        for (i, (_, tag)) in OWN.iter().enumerate() {
            let first = NUM_BY_NODE + 2 * i;
            if out.wants(first..first + 2) {
                fill_own(page, *tag, first, out);
            }
        }
        let columns: Vec<usize> = (0..NUM_BY_NODE).filter(|&column| out.wants(column..column + 1)).collect();
        if columns.is_empty() {
            return;
        }
        let wanted: [bool; GROUPS.len()] =
            std::array::from_fn(|group| out.wants(group * PER_GROUP..(group + 1) * PER_GROUP));
        let mut values = [0.0; NUM_BY_NODE];
        let mut last = None;
        for index in 0..page.len() {
            let node = page.block(index).node;
            // adjacent blocks often have the same element
            if last != Some(node) {
                last = Some(node);
                values = of_node(page, node, wanted, main.as_ref());
            }
            columns.iter().for_each(|&column| out.set(column, index, values[column]));
        }
    }
}

/// Number of columns with equal values in all blocks of an element.
const NUM_BY_NODE: usize = FIRST_MAIN + MAIN.len();
/// Index of the first column that uses the main parent.
const FIRST_MAIN: usize = GROUPS.len() * PER_GROUP;

/// Returns the first [`NUM_BY_NODE`] columns for the blocks of `node`. Values are 0 for groups that are not
/// wanted or do not exist.
fn of_node(
    page: &PageContext<'_>,
    node: NodeId,
    wanted: [bool; GROUPS.len()],
    main: Option<&MainParent>,
) -> [f32; NUM_BY_NODE] {
    let total = page.total().text_words();
    let mut values = [0.0; NUM_BY_NODE];
    let (by_group, of_main) = values.split_at_mut(FIRST_MAIN);
    for (values, ancestor) in by_group.chunks_exact_mut(PER_GROUP).zip(ancestors(page.doc, node, wanted)) {
        let Some(ancestor) = ancestor else { continue };
        let sums: Sums = page.inside(ancestor);
        values.copy_from_slice(&[
            ratio(sums.text_words(), total),
            ratio(sums.link_words, sums.words),
            sums.blocks as f32,
            ratio(sums.paragraphs, sums.blocks),
        ]);
    }
    if let Some(main) = main {
        let parent = page.doc.parent(node).unwrap_or(node);
        let (distance, common) = page.depths().distance(page.doc, parent, main.node);
        let around = ratio(page.inside(common).text_words(), total);
        of_main.copy_from_slice(&[distance as f32, main.share, around]);
    }
    values
}

/// Writes the group shares as in Victor. A group consists of the blocks with the same nearest `tag`, so blocks
/// in a nested `tag` belong to the inner group only.
fn fill_own(page: &PageContext<'_>, tag: Tag, first: usize, out: &mut Grid<'_>) {
    let mut nearest: Vec<NodeId> = vec![0; page.doc.num_nodes()];
    for &node in page.holders() {
        let above = nearest[page.doc.parent(node).unwrap_or(0) as usize];
        nearest[node as usize] = if page.doc.tag(node) == tag { node } else { above };
    }
    let mut words = vec![0u32; page.doc.num_nodes()];
    for (index, stats) in page.stats.iter().enumerate() {
        words[nearest[page.block(index).node as usize] as usize] += stats.num_text_words();
    }
    let total = page.total().text_words();
    // node 0, the document, stands for blocks that do not belong to a group
    let max = ratio(words.iter().skip(1).copied().max().unwrap_or(0), total);
    for index in 0..page.len() {
        let group = nearest[page.block(index).node as usize];
        let own = if group == 0 { 0.0 } else { ratio(words[group as usize], total) };
        out.set_all(first, index, &[own, max]);
    }
}

/// Returns the ancestors of a node for the wanted entries in [`GROUPS`].
fn ancestors(doc: &Document, node: NodeId, wanted: [bool; GROUPS.len()]) -> [Option<NodeId>; GROUPS.len()] {
    let nearest = |tag: Tag| doc.ancestors_and_self(node).find(|&n| n != 0 && doc.tag(n) == tag);
    let mut found = [None; GROUPS.len()];
    for ((slot, tag), _) in found.iter_mut().zip([Tag::TD, Tag::DIV]).zip(wanted).filter(|w| w.1) {
        *slot = nearest(tag);
    }
    for ((slot, ancestor), wanted) in found[2..].iter_mut().zip(doc.ancestors(node)).zip(&wanted[2..]) {
        *slot = wanted.then_some(ancestor);
    }
    found
}

/// The parent element whose child blocks contain the most words outside links.
struct MainParent {
    node: NodeId,
    share: f32,
}

impl MainParent {
    fn new(page: &PageContext<'_>) -> Self {
        let mut words = vec![0; page.doc.num_nodes()];
        let mut best = (0, page.doc.root());
        for (index, stats) in page.stats.iter().enumerate() {
            let node = page.block(index).node;
            let parent = page.doc.parent(node).unwrap_or(node);
            let sum: &mut u32 = &mut words[parent as usize];
            *sum += stats.num_text_words();
            // if sums are equal, the element that reaches the sum first wins
            if *sum > best.0 {
                best = (*sum, parent);
            }
        }
        MainParent { node: best.1, share: ratio(best.0, page.total().text_words()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FeatureSet;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn shares_of_a_small_page() {
        let doc = parse_str(
            "<div id=a><p>one two three four<p>five six</div><div id=b><a href=x>seven eight</a></div>",
        );
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let value = |column: &str| -> Vec<f32> {
            let set = FeatureSet::parse(&format!("group.{column}"), &[]).expect("a column");
            set.extract(&PageContext::new(&doc, &blocks)).values().iter().copied().collect()
        };
        assert_eq!(value("div_share"), [1.0, 1.0, 0.0]);
        assert_eq!(value("up1_num_blocks"), [2.0, 2.0, 3.0]);
        assert_eq!(value("up1_link_density"), [0.0, 0.0, 0.25]);
        assert_eq!(value("div_p_share"), [1.0, 1.0, 0.0]);
        assert_eq!(value("main_distance"), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn own_groups_exclude_inner_groups() {
        // groups: (a, d, g), (b, c), (e e, f)
        let html = "<div>a<div><p>b<p>c</div>d<div><p>e e<p>f</div>g</div><p>h<p>i";
        let own = crate::tests::values(html, "group.div_own_share");
        let (adg, bc, ef) = (0.3, 0.2, 0.3);
        assert_eq!(own, [adg, bc, bc, adg, ef, ef, adg, 0.0, 0.0]);
        assert_eq!(crate::tests::values(html, "group.div_own_max"), [0.3; 9]);
        assert_eq!(crate::tests::values(html, "group.td_own_max"), [0.0; 9]);
    }
}
