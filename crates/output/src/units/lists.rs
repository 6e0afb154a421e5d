//! Lists: numbers of items, and nesting.

use crate::units::builder::container;
use crate::units::provenance::{cover, include};
use crate::units::{Kind, Unit};
use rustc_hash::FxHashMap;
use threshr_html::{Document, Kind as NodeKind, NodeId, Tag};

/// Maximum absolute value of an item number. CommonMark allows nine digits.
const MAX_NUMBER: i32 = 999_999_999;

/// Item numbers by list, computed once per list.
#[derive(Debug, Default)]
pub(super) struct Numbers(FxHashMap<NodeId, FxHashMap<NodeId, i32>>);

impl Numbers {
    /// Returns the number of an item of an ordered list; `None` in other lists.
    pub(super) fn of(&mut self, doc: &Document, item: NodeId) -> Option<i32> {
        let list = doc.parent(item).filter(|&p| doc.tag(p) == Tag::OL)?;
        let numbers = self.0.entry(list).or_insert_with(|| numbers_of(doc, list));
        numbers.get(&item).copied().filter(|n| (-MAX_NUMBER..=MAX_NUMBER).contains(n))
    }
}

fn numbers_of(doc: &Document, list: NodeId) -> FxHashMap<NodeId, i32> {
    let value = |node, name| doc.attribute(node, name).and_then(|s| s.trim().parse::<i32>().ok());
    let is_item = |&n: &NodeId| doc.kind(n) == NodeKind::Element && doc.tag(n) == Tag::LI;
    let is_reversed = doc.attribute(list, "reversed").is_some();
    let num_items = || doc.children(list).filter(is_item).count() as i32;
    let first = value(list, "start").unwrap_or_else(|| if is_reversed { num_items() } else { 1 });
    // the next number of each level
    let mut next = vec![first];
    let number = |item| {
        if is_bullet(doc, item) {
            return None;
        }
        next.resize(indent_of(doc, item).map_or(1, |indent| indent.min(MAX_LEVEL) + 1), 1);
        let next = next.last_mut()?;
        let number = value(item, "value").unwrap_or(*next);
        *next = if is_reversed { number.saturating_sub(1) } else { number.saturating_add(1) };
        Some((item, number))
    };
    doc.children(list).filter(is_item).filter_map(number).collect()
}

/// Whether an item of a list of the editor Quill has a bullet. Quill writes all lists as `<ol>`.
fn is_bullet(doc: &Document, item: NodeId) -> bool {
    doc.attribute(item, "data-list").is_some_and(|kind| kind != "ordered")
}

/// Whether the first item of an ordered list has a bullet.
pub(super) fn begins_with_bullet(doc: &Document, list: NodeId) -> bool {
    doc.children(list).find(|&n| doc.kind(n) == NodeKind::Element).is_some_and(|item| is_bullet(doc, item))
}

/// The indentation of an item of a list of the editor Quill.
fn indent_of(doc: &Document, item: NodeId) -> Option<usize> {
    let mut names = doc.attribute(item, "class")?.split_ascii_whitespace();
    names.find_map(|name| name.strip_prefix("ql-indent-")?.parse().ok())
}

/// Appends a unit to its siblings. A list directly inside a list becomes a child of the previous item. A list
/// whose items have levels continues the previous list, if the items of that list also have levels.
pub(super) fn add(doc: &Document, children: &mut Vec<Unit>, mut unit: Unit, in_list: bool) {
    if let Kind::List { ordered } = unit.kind
        && let Some(last) = children.last_mut()
    {
        if in_list && matches!(last.kind, Kind::Item { .. }) {
            extend(last, &unit);
            last.children.push(unit);
            return;
        }
        let has_levels =
            |list: &Unit| matches!(list.kind, Kind::List { .. }) && first_level(doc, list).is_some();
        let continues = first_level(doc, &unit).is_some_and(|level| level > 1 || !in_list);
        if continues && has_levels(last) {
            extend(last, &unit);
            let first = first_level(doc, last).unwrap_or(1);
            for item in std::mem::take(&mut unit.children) {
                let level = level_of(doc, &item).unwrap_or(1);
                place(&mut last.children, item, below(first, level), ordered);
            }
            return;
        }
    }
    children.push(unit);
}

/// Nests the items of a list by their levels.
pub(super) fn nest_by_level(doc: &Document, list: &mut Unit) {
    let Kind::List { ordered } = list.kind else { return };
    let first = first_level(doc, list);
    let has_levels =
        list.children.iter().any(|item| level_of(doc, item).is_some_and(|level| Some(level) != first));
    if !has_levels {
        return;
    }
    let first = first.unwrap_or(1);
    for item in std::mem::take(&mut list.children) {
        let level = level_of(doc, &item).unwrap_or(1);
        place(&mut list.children, item, below(first, level), ordered);
    }
}

/// Returns a level relative to the level of the first item, from 1.
fn below(first: usize, level: usize) -> usize {
    (level + 1).saturating_sub(first).max(1)
}

/// Adds the blocks and the source range of an inner unit to the unit into which it is moved.
fn extend(unit: &mut Unit, inner: &Unit) {
    include(unit, inner);
    unit.source = match (unit.source.take(), &inner.source) {
        (Some(own), Some(other)) => Some(cover(&own, other)),
        (own, other) => own.or_else(|| other.clone()),
    };
}

/// Adds an item at the given level, nested in the last item of each level above.
fn place(items: &mut Vec<Unit>, item: Unit, level: usize, ordered: bool) {
    let is_deeper = level > 1 && matches!(item.kind, Kind::Item { .. });
    let Some(last) = items.last_mut().filter(|last| is_deeper && matches!(last.kind, Kind::Item { .. }))
    else {
        return items.push(item);
    };
    extend(last, &item);
    if !matches!(last.children.last(), Some(Unit { kind: Kind::List { .. }, .. })) {
        last.children.push(container(Kind::List { ordered }, item.node));
    }
    if let Some(list) = last.children.last_mut() {
        extend(list, &item);
        place(&mut list.children, item, level - 1, ordered);
    }
}

/// Maximum level of an item.
const MAX_LEVEL: usize = 9;

/// Returns the level of an item, from 1, from `aria-level` or a class name of the list (Google Docs), or a class name
/// (Quill).
fn level_of(doc: &Document, item: &Unit) -> Option<usize> {
    if !matches!(item.kind, Kind::Item { .. }) {
        return None;
    }
    let of_class = || indent_of(doc, item.node).map(|indent| indent + 1);
    // pages that Google Docs publishes
    let of_list = || {
        let mut names = doc.attribute(doc.parent(item.node)?, "class")?.split_ascii_whitespace();
        let (_, level) = names.find_map(|name| name.strip_prefix("lst-kix_"))?.rsplit_once('-')?;
        level.parse::<usize>().ok().map(|level| level + 1)
    };
    let level = doc.attribute(item.node, "aria-level").and_then(|level| level.trim().parse().ok());
    level.or_else(of_class).or_else(of_list).map(|level| level.clamp(1, MAX_LEVEL))
}

/// Returns the level of the first item of a list.
fn first_level(doc: &Document, list: &Unit) -> Option<usize> {
    list.children.first().and_then(|item| level_of(doc, item))
}

#[cfg(test)]
mod tests {
    use crate::formats::tests::written;

    #[test]
    fn lists_in_lists_belong_to_items() {
        let nested = "- a\n  - b\n  - c\n- d";
        for html in [
            "<ul><li>a</li><ul><li>b</li><li>c</li></ul><li>d</li></ul>",
            "<ul><li aria-level=1>a</ul><ul><li aria-level=2>b<li aria-level=2>c</ul><ul><li aria-level=1>d</ul>",
            "<ul><li>a<li class=ql-indent-1>b<li class=ql-indent-1>c<li>d</ul>",
            "<ol><li data-list=bullet>a<li data-list=bullet class=ql-indent-1>b<li data-list=bullet class=ql-indent-1>c<li data-list=bullet>d</ol>",
            "<ul class=lst-kix_a-0><li>a</ul><ul class=lst-kix_a-1><li>b<li>c</ul><ul class=lst-kix_a-0><li>d</ul>",
        ] {
            assert_eq!(written("markdown", html).trim(), nested, "{html}");
        }
        let deep = "<ul><li aria-level=1>a<li aria-level=3>b<li aria-level=2>c</ul>";
        assert_eq!(written("markdown", deep).trim(), "- a\n  - b\n  - c");
        let numbered = "<ol><li>a<li class=ql-indent-1>b<li class=ql-indent-1>c<li>d</ol>";
        assert_eq!(written("markdown", numbered).trim(), "1. a\n   1. b\n   2. c\n2. d");
        assert_eq!(written("markdown", "<ul><ul><li>a</ul></ul>").trim(), "- a");
        assert_eq!(written("markdown", "<ul><li aria-level=3>a<li aria-level=3>b</ul>").trim(), "- a\n- b");
    }
}
