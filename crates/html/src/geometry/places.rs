//! XPaths of elements.

use crate::{Document, Kind, NodeId, Tag};
use rustc_hash::FxHashMap;

/// Returns all elements by parent, tag and position among the siblings with that tag.
pub(super) fn places(doc: &Document) -> FxHashMap<(NodeId, Tag, u32), NodeId> {
    let mut places = FxHashMap::default();
    each_place(doc, |place, node| {
        places.insert(place, node);
    });
    places
}

/// Calls `take` with each element and its place (parent, tag and position), parents first.
fn each_place(doc: &Document, mut take: impl FnMut((NodeId, Tag, u32), NodeId)) {
    let mut number: FxHashMap<(NodeId, Tag), u32> = FxHashMap::default();
    for node in doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Element) {
        let parent = doc.parent(node).unwrap_or(doc.root());
        let number = number.entry((parent, doc.tag(node))).or_insert(0);
        *number += 1;
        take((parent, doc.tag(node), *number), node);
    }
}

/// Returns the elements of a document in document order, each with its XPath as in geometry files. Positions of 1
/// are omitted from the paths. Returns `None` if all paths together have more than `limit` bytes.
pub fn element_paths(doc: &Document, limit: usize) -> Option<Vec<(NodeId, String)>> {
    let mut at: FxHashMap<NodeId, usize> = FxHashMap::default();
    let mut paths: Vec<(NodeId, String)> = Vec::new();
    let (mut length, mut is_within) = (0, true);
    each_place(doc, |(parent, tag, number), node| {
        if !is_within {
            return;
        }
        let above = at.get(&parent).map_or("", |&i| paths[i].1.as_str());
        let number = if number == 1 { String::new() } else { format!("[{number}]") };
        let path = format!("{above}/{}{number}", doc.tag_name(tag));
        length += path.len();
        is_within = length <= limit;
        at.insert(node, paths.len());
        paths.push((node, path));
    });
    is_within.then_some(paths)
}

/// Splits a path into names and positions. Returns `None` if the path is invalid.
pub(super) fn steps(path: &str) -> Option<Vec<(&str, u32)>> {
    let step = |step| -> Option<(&str, u32)> {
        let step: &str = step;
        match step.split_once('[') {
            None => (!step.is_empty()).then_some((step, 1)),
            Some((name, number)) => Some((name, number.strip_suffix(']')?.parse().ok()?)),
        }
    };
    path.strip_prefix('/')?.split('/').map(step).collect()
}
