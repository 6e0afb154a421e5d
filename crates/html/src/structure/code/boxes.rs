//! Elements other than `<pre>` that contain one code block: code boxes of forums and of documentation, and
//! sequences of lines that each consist of one `<code>`.

use crate::structure::code::{MAX_NODES, has_lines};
use crate::structure::names::{Role, Roles, has_role};
use crate::{Document, Kind, NodeId, Tag};

/// Maximum number of bytes of text in the toolbar of a code block: its title and buttons.
pub(super) const MAX_TOOLBAR: usize = 60;
/// Maximum depth of the first `<code>` inside a line.
const MAX_DEPTH: usize = 4;

/// Whether an element contains one code block and nothing else except a toolbar.
pub(super) fn is_code_box(doc: &Document, node: NodeId) -> bool {
    let roles = Roles::new(doc, node);
    if roles.has(Role::CodeBox) {
        contains_only_code(doc, node)
    } else if roles.has(Role::CodeList) {
        let mut elements = doc.children(node).filter(|&n| doc.kind(n) == Kind::Element);
        elements.next().is_some_and(|first| has_role(doc, first, Role::Line))
    } else {
        is_lines_of_code(doc, node)
    }
}

/// Whether an element with the class of a code box contains code and nothing else. A box with `<pre>` does not
/// count: `<pre>` is a code block by itself.
fn contains_only_code(doc: &Document, node: NodeId) -> bool {
    if doc.tag(node) == Tag::OL {
        return true;
    }
    let (mut num_code, mut num_lists, mut has_break) = (0, 0, false);
    for n in doc.descendants(node).take(MAX_NODES).filter(|&n| doc.kind(n) == Kind::Element) {
        match doc.tag(n) {
            Tag::PRE | Tag::TABLE | Tag::UL | Tag::IMG | Tag::TEXTAREA | Tag::FORM => return false,
            tag if tag.is_heading() => return false,
            Tag::CODE => num_code += 1,
            Tag::OL => num_lists += 1,
            Tag::BR => has_break = true,
            _ => has_break |= has_role(doc, n, Role::Line),
        }
    }
    let has_language =
        || ["data-lang", "data-language"].iter().any(|name| doc.attribute(node, name).is_some());
    match (num_code, num_lists) {
        (1, 0) | (0, 1) => body_of(doc, node) != node,
        (0, 0) => {
            let has_paragraph = || doc.descendants(node).take(MAX_NODES).any(|n| doc.tag(n) == Tag::P);
            (has_break || has_language() || has_lines(doc, node)) && !has_paragraph()
        }
        _ => is_lines_of_code(doc, node),
    }
}

/// Whether an element consists of at least two `<div>` lines whose text is all in `<code>`.
fn is_lines_of_code(doc: &Document, node: NodeId) -> bool {
    let first_element = |&n: &NodeId| doc.children(n).find(|&n| doc.kind(n) == Kind::Element);
    if doc.tag(node) != Tag::DIV {
        return false;
    }
    // most elements fail this test
    let Some(first) = first_element(&node).filter(|&n| doc.tag(n) == Tag::DIV) else { return false };
    let mut below = std::iter::successors(first_element(&first), first_element).take(MAX_DEPTH);
    if !below.any(|n| doc.tag(n) == Tag::CODE) {
        return false;
    }
    let mut num_lines = 0;
    for child in doc.children(node) {
        if doc.kind(child) == Kind::Text {
            if !doc.text(child).trim().is_empty() {
                return false;
            }
            continue;
        }
        if doc.tag(child) != Tag::DIV || !is_line_of_code(doc, child) {
            return false;
        }
        num_lines += 1;
    }
    num_lines >= 2
}

/// Whether all text of an element is inside `<code>`, and the element contains no block-level element.
fn is_line_of_code(doc: &Document, line: NodeId) -> bool {
    doc.descendants(line).all(|n| {
        if doc.kind(n) == Kind::Element {
            return !doc.tag(n).is_block_level();
        }
        let is_code = |n: NodeId| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::CODE;
        doc.text(n).trim().is_empty() || doc.ancestors(n).take_while(|&n| n != line).any(is_code)
    })
}

/// Returns the element that contains the lines of a code block: its only `<code>`, or the only `<ol>` of a
/// `<div>`, if the remaining text is a short toolbar. In all other cases, returns the code block.
pub(super) fn body_of(doc: &Document, code: NodeId) -> NodeId {
    let is_box = doc.tag(code) == Tag::DIV;
    if !is_box && doc.tag(code) != Tag::PRE {
        return code;
    }
    let is_body = |&n: &NodeId| doc.tag(n) == Tag::CODE || is_box && doc.tag(n) == Tag::OL;
    let mut found = doc.descendants(code).filter(|&n| doc.kind(n) == Kind::Element).filter(is_body);
    let (Some(body), None) = (found.next(), found.next()) else { return code };
    let mut num_letters = 0;
    let mut at = doc.first_child(code);
    while let Some(node) = at {
        if node == body {
            at = doc.next_outside(node, code);
            continue;
        }
        if !doc.text(node).trim().is_empty() {
            num_letters += doc.text(node).trim().len();
            let mut around = doc.ancestors(node).take_while(|&n| n != code);
            let is_apart = around.any(|n| is_box || doc.tag(n).is_block_level() || doc.tag(n) == Tag::BUTTON);
            if !is_apart || num_letters > MAX_TOOLBAR {
                return code;
            }
        }
        at = doc.first_child(node).or_else(|| doc.next_outside(node, code));
    }
    body
}

/// Whether a node is inside `<pre>` or `<code>`, where white space is significant.
pub(super) fn is_in_pre(doc: &Document, node: NodeId) -> bool {
    doc.ancestors(node).any(|n| doc.kind(n) == Kind::Element && matches!(doc.tag(n), Tag::PRE | Tag::CODE))
}

#[cfg(test)]
mod tests {
    use crate::structure::code::{is_code_block, verbatim};
    use crate::{Kind, parse_str};

    fn code(html: &str) -> Option<String> {
        let doc = parse_str(html);
        let block = doc.descendants(0).find(|&n| doc.kind(n) == Kind::Element && is_code_block(&doc, n));
        block.map(|n| verbatim(&doc, n))
    }

    #[test]
    fn boxes_of_code_have_no_title() {
        let is = |html: &str, text: &str| assert_eq!(code(html).as_deref(), Some(text), "{html}");
        is("<div class=codebox><p>Code: <a>Select all</a></p><code>a<br>b</code></div>", "a\nb");
        is(
            "<div class=blockcode><div><ol><li>a<br></li><li>  b</li></ol></div><em>Copy</em></div>",
            "a\n  b",
        );
        is("<div class=code-block data-lang=go>a()</div>", "a()");
        is("<div class=code-block>a()\n  b()</div>", "a()\n  b()");
        is("<ol class=dp-c><li><span>a</span></li><li><span>b</span></li></ol>", "a\nb");
        is("<pre><div>sh</div><div><button>Copy</button></div><div><code>a\nb</code></div></pre>", "a\nb");
        is("<pre><div><span>sh</span><button>Copy</button><code>a</code></div></pre>", "a");
        is("<pre><b>$</b> <code>a</code></pre>", "$ a");
        is(
            "<div><div><code>a</code> <code>b</code></div><div><i><code>\u{a0}c</code></i></div></div>",
            "a b\n c",
        );
        for other in [
            "<div class=code-block><p>words</p></div>",
            "<div class=code-block>word</div>",
            "<div><div><code>a</code> is</div><div><code>b</code></div></div>",
            "<div><div><code>a</code></div></div>",
        ] {
            assert_eq!(code(other), None, "{other}");
        }
    }
}
