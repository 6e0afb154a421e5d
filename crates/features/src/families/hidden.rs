//! Text that the page hides until a script or a click shows it: collapsed panels, inactive tabs, menus,
//! dialogs.

use crate::{Column, Family, Grid, PageContext, ratio};
use rustc_hash::{FxHashMap, FxHashSet};
use threshr_html::{Document, Kind, NodeId, Tag};

/// The family.
pub(crate) struct Hidden;

const SOURCE: &str = "this project";

/// Columns in order: name, unit and definition.
const COLUMNS: &[(&str, &str, &str)] = &[
    (
        "is_hidden",
        "flag",
        "1 if the block is hidden by the attribute hidden or an inline style, or is part of a closed dialog, \
         a cookie banner or a media player; an element with more text than all visible text counts as \
         visible",
    ),
    (
        "page_share",
        "ratio",
        "share of the page's words outside links that are hidden; the same for all blocks",
    ),
    ("num_roots", "elements", "number of outermost hidden elements with text; the same for all blocks"),
    (
        "root_words",
        "words",
        "words outside links in the outermost hidden element around the block; -1 for visible blocks",
    ),
    (
        "root_link_density",
        "ratio",
        "link density of the outermost hidden element around the block; -1 for visible blocks",
    ),
    (
        "root_share",
        "ratio",
        "share of the page's words outside links in the outermost hidden element around the block; 0 for \
         visible blocks",
    ),
    (
        "num_alike",
        "elements",
        "number of siblings of the outermost hidden element with its tag and first class, among the first \
         160; -1 for visible blocks",
    ),
    (
        "num_alike_visible",
        "elements",
        "how many of these siblings are visible and hold text; -1 for visible blocks",
    ),
    (
        "is_controlled",
        "flag",
        "1 if aria-controls, a link within the page or data-target refers to the outermost hidden element, \
         its parent or its first child",
    ),
    ("since_visible", "blocks", "distance to the last visible block, at most 60; 0 for visible blocks"),
    ("in_aria_hidden", "flag", "1 if the start of the block is inside an element with aria-hidden=true"),
];

/// Greatest distance, in blocks.
const FAR: usize = 60;
/// Siblings that are compared, from the first one.
const MAX_SIBLINGS: usize = 160;
/// Bytes of a class that are compared.
const MAX_LENGTH: usize = 64;

impl Family for Hidden {
    fn name(&self) -> &'static str {
        "hidden"
    }
    fn summary(&self) -> &'static str {
        "whether a block is hidden until a script or a click shows it, and what hides it"
    }
    fn columns(&self) -> Vec<Column> {
        COLUMNS.iter().map(|&(name, unit, text)| Column::of(name, unit, text, SOURCE)).collect()
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        [3, 4, 6, 7].into_iter().for_each(|column| out.column(column).fill(-1.0));
        if out.wants(10..11) {
            fill_aria(page, out);
        }
        let roots = roots(page);
        if roots.is_empty() {
            return;
        }
        let words = |from: usize, to: usize| page.between(from, to).text_words();
        let total = page.total().text_words();
        let hidden: u32 = roots.iter().map(|r| words(r.from, r.to)).sum();
        out.column(1).fill(ratio(hidden, total));
        out.column(2).fill(roots.len() as f32);
        let mut surroundings = Surroundings::of(page, out.wants(8..9));
        let mut since = 0;
        let mut end = usize::MAX;
        for root in &roots {
            if root.from != end {
                since = 0;
            }
            end = root.to;
            let inside = page.between(root.from, root.to);
            let (alike, visible) = surroundings.alike(root.node);
            let is_controlled = surroundings.is_referred_to(root.node);
            for index in root.from..root.to {
                since = (since + 1).min(FAR);
                out.set(0, index, 1.0);
                out.set_all(
                    3,
                    index,
                    &[
                        inside.text_words() as f32,
                        ratio(inside.link_words, inside.words),
                        ratio(inside.text_words(), total),
                        alike as f32,
                        visible as f32,
                        f32::from(u8::from(is_controlled)),
                        since as f32,
                    ],
                );
            }
        }
    }
}

/// An outermost hidden element, and the blocks in it.
struct Root {
    node: NodeId,
    from: usize,
    to: usize,
}

fn roots(page: &PageContext<'_>) -> Vec<Root> {
    let mut roots: Vec<Root> = Vec::new();
    let mut index = 0;
    while index < page.len() {
        let hidden =
            page.doc.ancestors_and_self(page.block(index).leaf).take_while(|&n| !page.doc.is_visible(n));
        let Some(node) = hidden.last() else {
            index += 1;
            continue;
        };
        let to = (page.blocks.extent(node).blocks.end as usize).clamp(index + 1, page.len());
        roots.push(Root { node, from: index, to });
        index = to;
    }
    roots
}

/// Siblings of hidden elements, and the elements that controls refer to.
struct Surroundings<'p, 'a> {
    page: &'p PageContext<'a>,
    /// Whether each node holds a block.
    holds_text: Vec<bool>,
    /// Ids that a control of the page refers to.
    controlled: FxHashSet<&'a str>,
    /// By parent, so that a long list of children is read once.
    parents: FxHashMap<NodeId, Parent<'a>>,
}

/// Tag and first class.
type TagAndClass<'a> = (Tag, &'a str);

struct Parent<'a> {
    /// Its first children, and whether each is visible and holds text.
    children: Vec<(NodeId, TagAndClass<'a>, bool)>,
    is_controlled: bool,
}

impl<'p, 'a> Surroundings<'p, 'a> {
    fn of(page: &'p PageContext<'a>, reads_ids: bool) -> Self {
        let mut holds_text = vec![false; page.doc.num_nodes()];
        page.holders().iter().for_each(|&n| holds_text[n as usize] = true);
        let controlled = if reads_ids { controlled(page) } else { FxHashSet::default() };
        Surroundings { page, holds_text, controlled, parents: FxHashMap::default() }
    }

    fn parent(&mut self, node: NodeId) -> Option<&Parent<'a>> {
        let doc = self.page.doc;
        let parent = doc.parent(node)?;
        if !self.parents.contains_key(&parent) {
            let all = doc.children(parent);
            let elements = all.take(MAX_SIBLINGS).filter(|&n| doc.kind(n) == Kind::Element);
            let seen = |n: NodeId| doc.is_visible(n) && self.holds_text[n as usize];
            let children = elements.map(|n| (n, tag_and_class(doc, n), seen(n))).collect();
            let found = Parent { children, is_controlled: self.is_controlled(parent) };
            self.parents.insert(parent, found);
        }
        self.parents.get(&parent)
    }

    /// Number of siblings with the tag and first class of `node`, and of those that are visible and hold
    /// text.
    fn alike(&mut self, node: NodeId) -> (usize, usize) {
        let own = tag_and_class(self.page.doc, node);
        let Some(parent) = self.parent(node) else { return (0, 0) };
        let alike = parent.children.iter().filter(|c| c.0 != node && c.1 == own);
        alike.fold((0, 0), |(all, seen), c| (all + 1, seen + usize::from(c.2)))
    }

    fn is_controlled(&self, node: NodeId) -> bool {
        !self.controlled.is_empty()
            && self.page.doc.attribute(node, "id").is_some_and(|id| self.controlled.contains(id.trim()))
    }

    fn is_referred_to(&mut self, node: NodeId) -> bool {
        let doc = self.page.doc;
        let children = doc.children(node);
        // white space may precede the first element
        let first = children.take(3).find(|&n| doc.kind(n) == Kind::Element);
        self.is_controlled(node)
            || first.is_some_and(|n| self.is_controlled(n))
            || self.parent(node).is_some_and(|p| p.is_controlled)
    }
}

fn tag_and_class(doc: &Document, node: NodeId) -> TagAndClass<'_> {
    let class = doc.attribute(node, "class").and_then(|c| c.split_ascii_whitespace().next()).unwrap_or("");
    (doc.tag(node), &class[..class.floor_char_boundary(MAX_LENGTH)])
}

/// Ids that a control of the page refers to.
fn controlled<'a>(page: &PageContext<'a>) -> FxHashSet<&'a str> {
    let mut ids = FxHashSet::default();
    for &node in page.blocks.elements() {
        for name in ["aria-controls", "href", "data-target", "data-bs-target"] {
            if let Some(value) = page.doc.attribute(node, name) {
                let id = if name == "aria-controls" { Some(value) } else { value.strip_prefix('#') };
                ids.extend(id.into_iter().flat_map(str::split_ascii_whitespace));
            }
        }
    }
    ids
}

fn fill_aria(page: &PageContext<'_>, out: &mut Grid<'_>) {
    let doc = page.doc;
    let is_true = |n| doc.attribute(n, "aria-hidden").is_some_and(|v| v.eq_ignore_ascii_case("true"));
    let mut is_inside = vec![false; doc.num_nodes()];
    // elements come before what they hold
    for &node in page.blocks.elements() {
        let above = doc.parent(node).is_some_and(|p| is_inside[p as usize]);
        is_inside[node as usize] = above || is_true(node);
    }
    for (index, value) in out.column(10).iter_mut().enumerate() {
        *value = f32::from(u8::from(is_inside[page.block(index).leaf as usize]));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::values_under;
    use threshr_html::Visibility;

    fn values(html: &str, column: &str) -> Vec<f32> {
        values_under(html, column, Visibility::HiddenBlocks)
    }

    #[test]
    fn a_closed_panel_next_to_an_open_one() {
        let html = "<p>one two three<ul><li><a href='#b' role=tab>x</a></ul><div class='panel open'>four five</div>\
            <div class='panel' id=b hidden><p>six seven eight<p><a href=y>nine</a></div>\
            <div class='panel' style='display:none'>\n<div id=c>ten</div></div><p>eleven <i aria-hidden=true>x</i>\
            <p><span aria-hidden=true>y</span><a href='#c'></a>";
        let of = |column: &str| values(html, &format!("hidden.{column}"));
        let (no, yes) = (-1.0, 1.0);
        assert_eq!(of("is_hidden"), [0.0, 0.0, 0.0, yes, yes, yes, 0.0, 0.0]);
        // 4 of the 12 words outside links
        assert_eq!(of("page_share"), [4.0 / 12.0; 8]);
        assert_eq!(of("num_roots"), [2.0; 8]);
        assert_eq!(of("root_words"), [no, no, no, 3.0, 3.0, 1.0, no, no]);
        assert_eq!(of("root_link_density"), [no, no, no, 0.25, 0.25, 0.0, no, no]);
        assert_eq!(of("root_share"), [0.0, 0.0, 0.0, 0.25, 0.25, 1.0 / 12.0, 0.0, 0.0]);
        assert_eq!(of("num_alike"), [no, no, no, 2.0, 2.0, 2.0, no, no]);
        assert_eq!(of("num_alike_visible"), [no, no, no, 1.0, 1.0, 1.0, no, no]);
        assert_eq!(of("is_controlled"), [0.0, 0.0, 0.0, yes, yes, yes, 0.0, 0.0]);
        assert_eq!(of("since_visible"), [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0]);
        assert_eq!(of("in_aria_hidden"), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, yes]);
    }

    #[test]
    fn a_page_without_hidden_text() {
        let html = "<p>one<p aria-hidden=false>two";
        assert_eq!(values(html, "hidden.is_hidden"), [0.0, 0.0]);
        assert_eq!(values(html, "hidden.num_roots"), [0.0, 0.0]);
        assert_eq!(values(html, "hidden.num_alike"), [-1.0, -1.0]);
        assert_eq!(values(html, "hidden.in_aria_hidden"), [0.0, 0.0]);
        // hidden blocks are not part of the page here
        assert_eq!(values_under("<p>one<p hidden>two", "hidden.page_share", Visibility::Visible), [0.0]);
    }
}
