//! What a page hides until a script or a click shows it: closed panels, tabs that are not open, menus, templates of dialogs.

use super::{Column, Family, Grid, PageContext, ratio};
use crate::page::{Kind, NodeId};
use rustc_hash::FxHashSet;

/// The family.
pub(super) struct Hidden;

const SOURCE: &str = "this project";

/// Columns in order: name, unit and definition.
const COLUMNS: &[(&str, &str, &str)] = &[
    (
        "is_hidden",
        "flag",
        "1 where `hidden` or an inline style hides it, and the page does not live by what is hidden",
    ),
    ("page_share", "ratio", "share of the page's words outside links that are hidden"),
    ("num_roots", "elements", "outermost hidden elements of the page that hold text"),
    ("root_words", "words", "words outside links in the outermost element that hides it; -1 where none does"),
    ("root_link_density", "ratio", "link density of that element; -1 where none hides it"),
    ("root_share", "ratio", "share of the page's words outside links in that element; 0 where none hides it"),
    (
        "num_alike",
        "elements",
        "of the first 160 siblings of that element those with its tag and first class; -1 where none hides it",
    ),
    ("num_alike_visible", "elements", "those of them that are visible and hold text; -1 where none hides it"),
    (
        "is_controlled",
        "flag",
        "1 where an aria-controls, an address within the page or a data-target names that element, or one right below or above it",
    ),
    ("since_visible", "blocks", "blocks since the last visible one, at most 60; 0 for visible ones"),
    ("in_aria_hidden", "flag", "1 inside an element with aria-hidden=true"),
];

/// Farthest that distances go, in blocks.
const FAR: usize = 60;
/// Siblings that are looked at, the first ones.
const MOST_SIBLINGS: usize = 160;

impl Family for Hidden {
    fn name(&self) -> &'static str {
        "hidden"
    }
    fn summary(&self) -> &'static str {
        "what the page hides until a script or a click shows it"
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
        let controlled = if out.wants(8..9) { controlled(page) } else { FxHashSet::default() };
        let mut since = 0;
        let mut end = usize::MAX;
        for root in &roots {
            if root.from != end {
                since = 0;
            }
            end = root.to;
            let inside = page.between(root.from, root.to);
            let (alike, visible) = alike(page, root.node);
            let named = is_named(page, root.node, &controlled);
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
                        f32::from(u8::from(named)),
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

/// Siblings with the tag and the first class of `node`, and those of them that are visible and hold text.
fn alike(page: &PageContext<'_>, node: NodeId) -> (usize, usize) {
    let doc = page.doc;
    let Some(parent) = doc.parent(node) else { return (0, 0) };
    let look = |n| (doc.tag(n), doc.attribute(n, "class").and_then(|c| c.split_ascii_whitespace().next()));
    let own = look(node);
    let siblings = std::iter::successors(doc.first_child(parent), |&n| doc.next_sibling(n));
    let is_alike = |&n: &NodeId| n != node && doc.kind(n) == Kind::Element && look(n) == own;
    let mut counts = (0, 0);
    for sibling in siblings.take(MOST_SIBLINGS).filter(is_alike) {
        counts.0 += 1;
        counts.1 += usize::from(doc.is_visible(sibling) && page.inside(sibling).blocks > 0);
    }
    counts
}

/// Ids that something on the page opens.
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

fn is_named(page: &PageContext<'_>, root: NodeId, ids: &FxHashSet<&str>) -> bool {
    let is_id = |n: NodeId| page.doc.attribute(n, "id").is_some_and(|id| ids.contains(id.trim()));
    is_id(root) || page.doc.parent(root).is_some_and(is_id) || page.doc.first_child(root).is_some_and(is_id)
}

fn fill_aria(page: &PageContext<'_>, out: &mut Grid<'_>) {
    let mut end = 0;
    for &node in page.blocks.elements() {
        let blocks = &page.blocks.extent(node).blocks;
        let (from, to) = ((blocks.start as usize).max(end), (blocks.end as usize).min(page.len()));
        if from < to
            && page.doc.attribute(node, "aria-hidden").is_some_and(|v| v.eq_ignore_ascii_case("true"))
        {
            out.column(10)[from..to].fill(1.0);
            end = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::features::testing::values_under;
    use crate::page::Visibility;

    fn values(html: &str, column: &str) -> Vec<f32> {
        values_under(html, column, Visibility::Weighed)
    }

    #[test]
    fn a_closed_panel_beside_an_open_one() {
        let html = "<p>one two three<ul><li><a href='#b' role=tab>x</a></ul><div class='panel open'>four five</div>\
            <div class='panel' id=b hidden><p>six seven eight<p><a href=y>nine</a></div>\
            <div class='panel' style='display:none'>ten</div><p aria-hidden=true>eleven";
        let of = |column: &str| values(html, &format!("hidden.{column}"));
        let (no, yes) = (-1.0, 1.0);
        assert_eq!(of("is_hidden"), [0.0, 0.0, 0.0, yes, yes, yes, 0.0]);
        // 4 of the 10 words outside links
        assert_eq!(of("page_share"), [0.4; 7]);
        assert_eq!(of("num_roots"), [2.0; 7]);
        assert_eq!(of("root_words"), [no, no, no, 3.0, 3.0, 1.0, no]);
        assert_eq!(of("root_link_density"), [no, no, no, 0.25, 0.25, 0.0, no]);
        assert_eq!(of("root_share"), [0.0, 0.0, 0.0, 0.3, 0.3, 0.1, 0.0]);
        assert_eq!(of("num_alike"), [no, no, no, 2.0, 2.0, 2.0, no]);
        assert_eq!(of("num_alike_visible"), [no, no, no, 1.0, 1.0, 1.0, no]);
        assert_eq!(of("is_controlled"), [0.0, 0.0, 0.0, yes, yes, 0.0, 0.0]);
        assert_eq!(of("since_visible"), [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0]);
        assert_eq!(of("in_aria_hidden"), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, yes]);
    }

    #[test]
    fn a_page_that_hides_nothing_has_none() {
        let html = "<p>one<p aria-hidden=false>two";
        assert_eq!(values(html, "hidden.is_hidden"), [0.0, 0.0]);
        assert_eq!(values(html, "hidden.num_roots"), [0.0, 0.0]);
        assert_eq!(values(html, "hidden.num_alike"), [-1.0, -1.0]);
        assert_eq!(values(html, "hidden.in_aria_hidden"), [0.0, 0.0]);
        // without its blocks nothing is hidden of what is left
        assert_eq!(values_under("<p>one<p hidden>two", "hidden.page_share", Visibility::Visible), [0.0]);
    }
}
