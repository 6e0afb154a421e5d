//! Numbers of the items of ordered lists.

use rustc_hash::FxHashMap;
use threshr_html::{Document, Kind, NodeId, Tag};

/// Largest number of an item. CommonMark allows nine digits.
const MAX_NUMBER: i32 = 999_999_999;

/// The numbers of items, computed once for each list.
#[derive(Debug, Default)]
pub(super) struct Numbers(FxHashMap<NodeId, FxHashMap<NodeId, i32>>);

impl Numbers {
    /// The number of an item in its ordered list; `None` in other lists.
    pub(super) fn of(&mut self, doc: &Document, item: NodeId) -> Option<i32> {
        let list = doc.parent(item).filter(|&p| doc.tag(p) == Tag::OL)?;
        let numbers = self.0.entry(list).or_insert_with(|| numbers_of(doc, list));
        numbers.get(&item).copied().filter(|n| (-MAX_NUMBER..=MAX_NUMBER).contains(n))
    }
}

fn numbers_of(doc: &Document, list: NodeId) -> FxHashMap<NodeId, i32> {
    let value = |node, name| doc.attribute(node, name).and_then(|s| s.trim().parse::<i32>().ok());
    let is_item = |&n: &NodeId| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::LI;
    let is_reversed = doc.attribute(list, "reversed").is_some();
    let num_items = || doc.children(list).filter(is_item).count() as i32;
    let mut next = value(list, "start").unwrap_or_else(|| if is_reversed { num_items() } else { 1 });
    let number = |item| {
        let number = value(item, "value").unwrap_or(next);
        next = if is_reversed { number.saturating_sub(1) } else { number.saturating_add(1) };
        (item, number)
    };
    doc.children(list).filter(is_item).map(number).collect()
}
