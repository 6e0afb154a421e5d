//! Recogniser of code: its element, its lines and its language.

mod boxes;
mod language;
mod lines;

pub use language::language;
pub use lines::verbatim;

use crate::structure::names::{Role, has_role};
use crate::structure::tables::{is_cell, rows_of};
use crate::style;
use crate::{Document, Kind, NodeId, Tag};

/// Maximum number of rows of a table that are searched for code.
const MAX_ROWS: usize = 3;
const MAX_CELLS: usize = 6;

/// Returns whether an element contains only a code block: `<pre>`, block-level `<code>`, a table of code
/// lines, or a box with code and its title.
///
/// Elements inside a code block are not code blocks themselves.
pub fn is_code_block(doc: &Document, node: NodeId) -> bool {
    match doc.tag(node) {
        Tag::PRE | Tag::XMP | Tag::LISTING | Tag::PLAINTEXT => true,
        Tag::CODE => is_block_code(doc, node),
        Tag::TABLE => is_table_of_lines(doc, node),
        Tag::DIV | Tag::OL => boxes::is_code_box(doc, node),
        _ => false,
    }
}

/// Whether code is only the prompt of a notebook cell, such as `[4]:`.
pub fn is_prompt(text: &str) -> bool {
    let number = text.trim().trim_start_matches("In ").trim_start_matches("Out");
    let inner = number.strip_prefix('[').and_then(|rest| rest.strip_suffix("]:"));
    inner.is_some_and(|inner| inner.chars().all(|c| c.is_ascii_digit() || c == ' ' || c == '*'))
}

/// Whether a `<code>` outside `<pre>` is shown as a block.
fn is_block_code(doc: &Document, node: NodeId) -> bool {
    let is_verbatim = || style::is_one_of(doc, node, "white-space", &["pre", "break-spaces"]);
    if style::is_one_of(doc, node, "display", &["block", "grid", "flex"]) || is_verbatim() {
        return true;
    }
    // `<code>` with several lines, between block-level elements.
    let Some(parent) = doc.parent(node).filter(|&n| doc.tag(n).is_block_level() || doc.tag(n) == Tag::MAIN)
    else {
        return false;
    };
    if !(is_end_of_line(doc, doc.previous_sibling(node), false)
        && is_end_of_line(doc, doc.next_sibling(node), true))
    {
        return false;
    }
    let is_break = |n: NodeId| {
        doc.kind(n) == Kind::Element
            && (doc.tag(n) == Tag::BR || doc.tag(n) == Tag::DIV || has_role(doc, n, Role::Line))
    };
    let is_named = || {
        let class = doc.attribute(node, "class").unwrap_or_default();
        class.split_ascii_whitespace().any(|name| name == "block")
    };
    // In a paragraph, a line feed may come from the formatting of the source.
    let is_text = !matches!(doc.tag(parent), Tag::P | Tag::LI | Tag::TD | Tag::TH | Tag::DT | Tag::DD);
    is_named() || doc.descendants(node).take(64).any(is_break) || is_text && has_lines(doc, node)
}

/// Whether the line ends at a node beside `<code>`: at a block-level element, at `<br>`, or at the end of the
/// parent. Buttons and hidden elements are skipped.
fn is_end_of_line(doc: &Document, node: Option<NodeId>, is_after: bool) -> bool {
    let step = |&n: &NodeId| if is_after { doc.next_sibling(n) } else { doc.previous_sibling(n) };
    let is_seen = |&n: &NodeId| match doc.kind(n) {
        Kind::Text => !doc.text(n).trim().is_empty(),
        _ => doc.is_visible(n) && doc.tag(n) != Tag::BUTTON,
    };
    let beside = std::iter::successors(node, step).take(MAX_CELLS).find(is_seen);
    beside.is_none_or(|n| {
        doc.kind(n) == Kind::Element && (doc.tag(n).is_block_level() || doc.tag(n) == Tag::BR)
    })
}

/// Whether the text of an element has at least two lines that are not blank.
fn has_lines(doc: &Document, node: NodeId) -> bool {
    let mut num_lines = 0;
    let mut is_blank = true;
    for c in doc.descendants(node).take(MAX_NODES).flat_map(|n| doc.text(n).chars()) {
        num_lines += usize::from(is_blank && !c.is_whitespace());
        is_blank = c == '\n' || is_blank && c.is_whitespace();
    }
    num_lines >= 2
}

/// Maximum number of nodes that are read to test whether an element is a code block.
const MAX_NODES: usize = 2_000;

/// Whether a table shows code: each row has a cell with line numbers and a cell with code.
fn is_table_of_lines(doc: &Document, table: NodeId) -> bool {
    if has_role(doc, table, Role::CodeList) {
        return true;
    }
    let mut num_rows = 0;
    for row in rows_of(doc, table).take(MAX_ROWS) {
        let cells: Vec<NodeId> = doc.children(row).filter(|&n| is_cell(doc, n)).take(MAX_CELLS).collect();
        // A row may be a header with the file name.
        if let [name] = cells[..]
            && doc.tag(name) == Tag::TH
        {
            continue;
        }
        let [gutter, code] = cells[..] else { return false };
        let is_code =
            has_role(doc, code, Role::CodeCell) || contains_code(doc, code) || is_numbered(doc, gutter);
        if !(is_code && is_gutter_cell(doc, gutter)) {
            return false;
        }
        num_rows += 1;
    }
    num_rows > 0
}

/// Whether a cell contains only line numbers.
fn is_gutter_cell(doc: &Document, cell: NodeId) -> bool {
    if is_gutter(doc, cell) || is_numbered(doc, cell) {
        return true;
    }
    let mut num_digits = 0;
    for c in doc.descendants(cell).take(512).flat_map(|n| doc.text(n).chars()) {
        if !(c.is_ascii_digit() || c.is_whitespace()) {
            return false;
        }
        num_digits += usize::from(c.is_ascii_digit());
    }
    num_digits > 0 && contains_code(doc, cell)
}

/// Returns whether the line number of a cell is in a data attribute, whose value a style sheet shows.
fn is_numbered(doc: &Document, cell: NodeId) -> bool {
    let has_number = |n: NodeId| {
        doc.kind(n) == Kind::Element
            && ["data-line-number", "data-line"].iter().any(|name| doc.attribute(n, name).is_some())
    };
    let is_empty = |n: NodeId| doc.text(n).chars().all(|c| c.is_whitespace() || c.is_ascii_digit());
    let mut inside = doc.descendants(cell).take(MAX_CELLS);
    inside.all(is_empty) && doc.descendants(cell).take(MAX_CELLS).chain([cell]).any(has_number)
}

/// Whether one of the first elements of a cell is `<pre>` or `<code>`.
fn contains_code(doc: &Document, cell: NodeId) -> bool {
    let elements = doc.descendants(cell).filter(|&n| doc.kind(n) == Kind::Element);
    elements.take(MAX_CELLS).any(|n| matches!(doc.tag(n), Tag::PRE | Tag::CODE))
}

/// Whether an element contains only line numbers, by its class names or because its digits cannot be selected.
fn is_gutter(doc: &Document, node: NodeId) -> bool {
    has_role(doc, node, Role::Gutter)
        || style::is_one_of(doc, node, "user-select", &["none"])
            && doc.descendants(node).all(|n| doc.text(n).chars().all(|c| c.is_numeric() || c.is_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    #[test]
    fn code_blocks_are_found() {
        let is_code = |html: &str| {
            let doc = parse_str(html);
            doc.descendants(0).any(|n| doc.kind(n) == Kind::Element && is_code_block(&doc, n))
        };
        assert!(is_code("<code style='display:block'>a</code>"));
        assert!(is_code("<div><code>a<br>b</code></div>"));
        assert!(is_code("<article><p>a</p><code>b\nc</code><p>d</article>"));
        assert!(is_code("<div><code><span>a<br>b</span></code></div>"));
        assert!(is_code("<div><p>Code:</p><code>a<br>b</code></div>"));
        assert!(!is_code("<p><code>a\nb</code>") && !is_code("<div>see <code>a\nb</code></div>"));
        assert!(!is_code("<div><code>a\n</code></div>") && !is_code("<div><code>a\nb</code> <i>c</i></div>"));
        assert!(!is_code("<p>x <code>a</code> y") && !is_code("<p><code>a</code>"));
        assert!(is_code("<div class=fragment><div class=line>a</div></div>"));
        assert!(!is_code("<div class=fragment><p>a</div>"));
        assert!(is_prompt("[12]:") && is_prompt("In [ ]:") && !is_prompt("[1]: a") && !is_prompt("a[1]:"));
        assert!(!is_code("<table><tr><td>1<td>2</table>"));
        assert!(!is_code("<table><tr><td>1<td><code>x</code></table>"));
    }
}
