//! Finds replies among records that are not nested: the page indents replies or states their depth.

use super::series::Record;
use super::tree::Tree;
use crate::names::element_names::CLASS;
use threshr_html::Tag;

/// Maximum number of elements of a record that are searched for a depth.
const MAX_ELEMENTS: usize = 12;
/// Attributes with a depth.
const ATTRIBUTES: [&str; 5] = ["indent", "data-depth", "data-level", "aria-level", "depth"];

/// Returns the parent of each record: the last record before it with a smaller depth. The search ends at a record
/// without a depth. A record without a depth has no parent.
pub(super) fn by_depth(tree: &Tree<'_>, records: &[Record]) -> Vec<Option<usize>> {
    let depths: Vec<Option<u32>> = records.iter().map(|record| depth(tree, record)).collect();
    let mut parents = vec![None; records.len()];
    // Ancestors of the current record with their depths, outermost first.
    let mut open: Vec<(u32, usize)> = Vec::new();
    for (index, depth) in depths.into_iter().enumerate() {
        let Some(depth) = depth else {
            open.clear();
            continue;
        };
        while open.last().is_some_and(|&(last, _)| last >= depth) {
            open.pop();
        }
        parents[index] = open.last().map(|&(_, record)| record);
        open.push((depth, index));
    }
    parents
}

fn depth(tree: &Tree<'_>, record: &Record) -> Option<u32> {
    record.elements.clone().take(MAX_ELEMENTS).find_map(|e| {
        let number =
            |name: &str| tree.attribute(e, name).and_then(|v| v.trim().trim_end_matches("px").parse().ok());
        let width =
            || (tree.tag(e) == Tag::IMG && number("height") == Some(1)).then(|| number("width")).flatten();
        let class = tree.named(e, CLASS).unwrap_or_default();
        let of_class = || class.split_ascii_whitespace().find_map(class_depth);
        let style = || style_depth(tree.attribute(e, "style")?);
        ATTRIBUTES.iter().find_map(|name| number(name)).or_else(width).or_else(of_class).or_else(style)
    })
}

/// Returns the depth in a class name such as `depth-2`.
fn class_depth(name: &str) -> Option<u32> {
    let rest = ["depth", "level", "indent"].iter().find_map(|word| name.strip_prefix(word))?;
    rest.trim_start_matches(['-', '_']).parse().ok()
}

/// Returns the left margin of a style in pixels.
fn style_depth(style: &str) -> Option<u32> {
    let rest = ["margin-left", "padding-left"].iter().find_map(|name| style.split_once(name))?.1;
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    value[..digits].parse().ok()
}
