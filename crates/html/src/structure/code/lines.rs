//! The lines of a code block.

use crate::structure::code::boxes::{MAX_TOOLBAR, body_of, is_in_pre};
use crate::structure::code::{is_gutter, is_gutter_cell};
use crate::structure::mail::hidden_address;
use crate::structure::names::{Role, has_role};
use crate::structure::tables::is_cell;
use crate::style;
use crate::{Document, Kind, NodeId, Tag};

/// The text of a code block as a browser shows it: with indentation and empty lines, without line numbers, titles
/// and buttons. Lines are separated by `\n`. Empty lines at the start and white space at the end are removed.
pub fn verbatim(doc: &Document, code: NodeId) -> String {
    let code = body_of(doc, code);
    let mut lines = Lines { doc, code, out: String::new(), is_after_box: false, has_numbers: false };
    let mut at = doc.first_child(code);
    let mut open: Vec<(NodeId, usize)> = Vec::new();
    while let Some(node) = at {
        let enters = lines.enter(node);
        if enters && let Some(child) = doc.first_child(node) {
            open.push((node, lines.begin_box(node)));
            at = Some(child);
            continue;
        }
        if enters && doc.kind(node) == Kind::Element {
            let start = lines.begin_box(node);
            lines.end_box(node, start);
        }
        at = doc.next_sibling(node);
        while at.is_none()
            && let Some((parent, start)) = open.pop()
        {
            lines.end_box(parent, start);
            at = doc.next_sibling(parent);
        }
    }
    // The space between the line numbers and the code.
    let has_space = |line: &str| line.starts_with([' ', '\u{a0}']) || line.is_empty();
    if lines.has_numbers && lines.out.lines().all(has_space) {
        let without = |line: &str| line.chars().skip(1).collect::<String>();
        lines.out = lines.out.lines().map(without).collect::<Vec<_>>().join("\n");
    }
    // Outside `<pre>`, the first line feed and the common indentation come from the formatting of the source.
    if doc.tag(code) == Tag::CODE && lines.out.starts_with(['\n', '\r']) && !is_in_pre(doc, code) {
        lines.out = without_indentation(&lines.out);
    }
    let text = lines.out.trim_end();
    let num_blank = text.len() - text.trim_start().len();
    // The first line keeps its indentation.
    let text = &text[text[..num_blank].rfind('\n').map_or(0, |at| at + 1)..];
    let is_text = |c: &char| !matches!(c, '\r' | '\u{200b}' | '\u{feff}');
    text.chars().filter(is_text).map(|c| if c == '\u{a0}' { ' ' } else { c }).collect()
}

/// The state of [`verbatim`].
struct Lines<'d> {
    doc: &'d Document,
    code: NodeId,
    out: String,
    /// Whether the last item that was read is the end of a box (see [`Lines::is_box`]).
    is_after_box: bool,
    /// Whether line numbers were left out at the start of lines.
    has_numbers: bool,
}

impl Lines<'_> {
    /// Reads a node. Returns whether to read its children.
    fn enter(&mut self, node: NodeId) -> bool {
        let doc = self.doc;
        if !doc.is_visible(node) && doc.is_visible(self.code) {
            return false;
        }
        if doc.kind(node) == Kind::Text {
            let text = doc.text(node);
            if text.trim().is_empty() && self.is_between_boxes(node) {
                return false;
            }
            // A line feed between two boxes does not create an empty line.
            let text = if self.is_after_box { after_line_end(text) } else { text };
            self.is_after_box &= text.is_empty();
            self.out.push_str(text);
            return false;
        }
        if doc.tag(node) == Tag::BR {
            // The end of the previous line element has already ended the line.
            let ends_line = |n: NodeId| doc.kind(n) == Kind::Element && has_role(doc, n, Role::Line);
            let is_ended = self.is_after_box && doc.previous_sibling(node).is_some_and(ends_line);
            if !is_ended {
                self.out.push('\n');
            }
            self.is_after_box = false;
            return false;
        }
        let is_numbers =
            || is_cell(doc, node) && doc.next_sibling(node).is_some() && is_gutter_cell(doc, node);
        let is_counted = || is_row_number(doc, node) || self.is_at_line_start() && is_line_number(doc, node);
        if matches!(doc.tag(node), Tag::A | Tag::SPAN)
            && let Some(address) = hidden_address(doc, node)
        {
            self.out.push_str(&address);
            return false;
        }
        if is_gutter(doc, node) || is_counted() {
            let is_space = |n: NodeId| doc.text(n).starts_with([' ', '\u{a0}']);
            self.has_numbers |= doc.next_sibling(node).is_some_and(is_space);
            return false;
        }
        !(is_numbers() || self.is_toolbar(node))
    }

    fn is_at_line_start(&self) -> bool {
        self.out.is_empty() || self.out.ends_with('\n')
    }

    /// Whether white space is next to block-level elements, where a browser does not show it.
    fn is_between_boxes(&self, node: NodeId) -> bool {
        let doc = self.doc;
        if !matches!(doc.tag(self.code), Tag::TABLE | Tag::DIV | Tag::OL) {
            return false;
        }
        let is_box = |n: Option<NodeId>| {
            n.is_some_and(|n| doc.kind(n) == Kind::Element && doc.tag(n).is_block_level())
        };
        (is_box(doc.previous_sibling(node)) || is_box(doc.next_sibling(node))) && !is_in_pre(doc, node)
    }

    /// Whether an element is the title of the code block, or contains its buttons.
    fn is_toolbar(&self, node: NodeId) -> bool {
        let doc = self.doc;
        if doc.tag(node) == Tag::BUTTON || has_role(doc, node, Role::Toolbar) {
            return true;
        }
        // a table caption, or a row with one header cell, has the file name
        let is_alone = || doc.next_sibling(node).is_none_or(|n| doc.kind(n) == Kind::Text);
        if doc.tag(node) == Tag::CAPTION
            || doc.tag(node) == Tag::TH && is_alone() && doc.previous_sibling(node).is_none()
        {
            return true;
        }
        let is_child = doc.parent(node) == Some(self.code) && doc.tag(node) != Tag::CODE;
        let is_button = |n: NodeId| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::BUTTON;
        is_child
            && doc.tag(node).is_block_level()
            && doc.descendants(node).take(64).any(is_button)
            && !doc.descendants(node).take(64).any(|n| doc.tag(n) == Tag::CODE)
            && doc.descendants(node).map(|n| doc.text(n).len()).sum::<usize>() <= MAX_TOOLBAR
    }

    /// Whether an element takes up whole lines.
    fn is_box(&self, node: NodeId) -> bool {
        let doc = self.doc;
        match doc.tag(node) {
            Tag::TD | Tag::TH => false,
            tag if tag.is_block_level() => !matches!(tag, Tag::BUTTON),
            _ => {
                has_role(doc, node, Role::Line) && self.is_first_line_of_siblings(node)
                    || doc.first_child(node).is_some_and(|first| is_row_number(doc, first))
                    || style::is_one_of(doc, node, "display", &["block", "grid", "table-row"])
            }
        }
    }

    /// Returns whether the siblings next to an inline element with the class of a line are also lines.
    fn is_first_line_of_siblings(&self, node: NodeId) -> bool {
        let doc = self.doc;
        let is_line = |n: NodeId| {
            doc.kind(n) == Kind::Text && doc.text(n).trim().is_empty()
                || doc.kind(n) == Kind::Element
                    && (has_role(doc, n, Role::Line) || doc.tag(n) == Tag::BR || is_gutter(doc, n))
        };
        let next = doc.next_sibling(node);
        let previous = doc.previous_sibling(node);
        next.is_none_or(is_line) && previous.is_none_or(is_line) && (next.is_some() || previous.is_some())
    }

    /// Begins a new line for a box if the current line has text. Returns the length of the output.
    fn begin_box(&mut self, node: NodeId) -> usize {
        // White space at the start of the line is the indentation of the box.
        let has_text = |line: &str| !line.trim().is_empty();
        if self.is_box(node) && self.out.rsplit('\n').next().is_some_and(has_text) {
            self.out.push('\n');
        }
        self.is_after_box = false;
        self.out.len()
    }

    /// Ends the last line of a box.
    fn end_box(&mut self, node: NodeId, start: usize) {
        if !self.is_box(node) {
            return;
        }
        if self.out.len() == start || !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.is_after_box = true;
    }
}

/// Returns the text after the first line feed if only white space precedes the line feed. Otherwise, returns
/// the whole text.
fn after_line_end(text: &str) -> &str {
    match text.split_once('\n') {
        Some((before, after)) if before.trim().is_empty() => after,
        _ => text,
    }
}

/// Removes the indentation that all lines have in common. Empty lines do not count.
fn without_indentation(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let indent_of = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let indent = lines().map(indent_of).min().unwrap_or(0);
    text.lines().map(|line| line.get(indent..).unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Returns the number in an element that contains only this number.
fn number_of(doc: &Document, node: NodeId) -> Option<u32> {
    if doc.kind(node) != Kind::Element {
        return None;
    }
    let mut inside = doc.descendants(node);
    let mut texts =
        inside.by_ref().take(MAX_IN_NUMBER).map(|n| doc.text(n).trim()).filter(|text| !text.is_empty());
    let text = texts.next().filter(|text| text.len() <= 5 && text.bytes().all(|b| b.is_ascii_digit()))?;
    let is_whole = texts.next().is_none() && inside.next().is_none();
    is_whole.then(|| text.parse().ok()).flatten()
}

/// Maximum number of descendants of an element that contains only a number.
const MAX_IN_NUMBER: usize = 8;

/// The sibling elements after or before a node, nearest first.
fn elements_beside(doc: &Document, node: NodeId, is_after: bool) -> impl Iterator<Item = NodeId> {
    let step = move |&n: &NodeId| if is_after { doc.next_sibling(n) } else { doc.previous_sibling(n) };
    std::iter::successors(step(&node), step).take(MAX_BESIDE).filter(|&n| doc.kind(n) == Kind::Element)
}

/// Maximum number of siblings that are searched for the next line number.
const MAX_BESIDE: usize = 256;

/// Whether numbers are line numbers: they increase by one from neighbour to neighbour, and the first one is 1.
fn counts(own: u32, before: Option<Option<u32>>, after: Option<Option<u32>>) -> bool {
    let follows = |before: Option<u32>| before.is_some() && before == own.checked_sub(1);
    let is_before = before.map_or(own == 1, follows);
    let is_after = after.is_none_or(|after| after == Some(own + 1));
    is_before && is_after && (before.is_some() || after.is_some())
}

/// Whether the first element of a row is its line number: the rows before and after begin with the adjacent
/// numbers.
fn is_row_number(doc: &Document, node: NodeId) -> bool {
    let is_text = |n: NodeId| !doc.text(n).trim().is_empty();
    let Some(own) = number_of(doc, node) else { return false };
    let Some(row) = doc.parent(node).filter(|_| doc.next_sibling(node).is_some()) else { return false };
    if elements_beside(doc, node, false).next().is_some() || doc.previous_sibling(node).is_some_and(is_text) {
        return false;
    }
    let number = |row: NodeId| {
        let first = doc.children(row).find(|&n| doc.kind(n) == Kind::Element)?;
        number_of(doc, first)
    };
    let beside = |is_after| elements_beside(doc, row, is_after).next().map(number);
    counts(own, beside(false), beside(true))
}

/// Whether an element at the start of a line is its line number: the next siblings with the same tag and class have
/// the adjacent numbers.
fn is_line_number(doc: &Document, node: NodeId) -> bool {
    let Some(own) = number_of(doc, node) else { return false };
    let look = |n| doc.attribute(n, "class").or_else(|| doc.attribute(n, "style"));
    let Some(own_look) = look(node) else { return false };
    let is_alike = |&n: &NodeId| doc.tag(n) == doc.tag(node) && look(n) == Some(own_look);
    let beside = |is_after| elements_beside(doc, node, is_after).find(is_alike);
    let number = |n: NodeId| number_of(doc, n);
    let (before, after) = (beside(false), beside(true));
    // The next line number is on another line.
    let ends_line = |end: NodeId| {
        let between = doc.next_siblings(node).take_while(|&n| n != end);
        let mut inside = between.flat_map(|n| std::iter::once(n).chain(doc.descendants(n)));
        inside.any(|n| doc.text(n).contains('\n') || doc.tag(n) == Tag::BR)
    };
    counts(own, before.map(number), after.map(number)) && after.is_none_or(ends_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;
    use crate::structure::code::is_code_block;

    fn code(html: &str) -> String {
        let doc = parse_str(html);
        let block = doc.descendants(0).find(|&n| doc.kind(n) == Kind::Element && is_code_block(&doc, n));
        verbatim(&doc, block.expect("code"))
    }

    #[test]
    fn indentation_and_empty_lines_are_kept() {
        let html = "<p>x<pre>\n\n    if a:\n\t<b>b</b>(1,  2)\n\n    <i>c</i> \n</pre>";
        assert_eq!(code(html), "    if a:\n\tb(1,  2)\n\n    c");
        let spans =
            "<pre><span>  </span><span>a</span><span> = </span><span>1</span><br><span>b</span></pre>";
        assert_eq!(code(spans), "  a = 1\nb");
        assert_eq!(code("<pre>a\r\n  b<script>x</script><span hidden> c </span></pre>"), "a\n  b");
    }

    #[test]
    fn boxes_are_lines() {
        assert_eq!(code("<pre><div>a {</div><div>  b</div><div>}</div></pre>"), "a {\n  b\n}");
        assert_eq!(code("<pre><div>a</div>\n  <div>b</div>c</pre>"), "a\n  b\nc");
        assert_eq!(
            code("<pre><div class=line>a</div><div class=line> </div><div>  b</div></pre>"),
            "a\n \n  b"
        );
        assert_eq!(code("<pre>a<div hidden>x</div>b</pre>"), "ab");
        let lines = "<pre><code><span class=line>a</span>\n<span class=line></span>\n<span class=line>b</span></code></pre>";
        assert_eq!(code(lines), "a\n\nb");
        assert_eq!(code("<pre><span class=line>a</span><span class=line> b</span></pre>"), "a\n b");
        assert_eq!(code("<pre><ol><li>a</li><li>  b</li></ol></pre>"), "a\n  b");
    }

    #[test]
    fn line_numbers_and_buttons_are_left_out() {
        let pre = "<pre><span><span class=ln>1</span><span class=cl>a\n</span></span><span><span class=ln>2</span>b</span></pre>";
        assert_eq!(code(pre), "a\nb");
        let table = "<table><tr><td><pre>1\n2</pre></td><td><pre>a\nb</pre></td></table>";
        assert_eq!(code(table), "a\nb");
        let rows = "<table><tr><td class=blob-num>1<td class=blob-code>a<tr><td class=blob-num>2<td class=blob-code>  b</table>";
        assert_eq!(code(rows), "a\n  b");
        let title = "<pre><div><span>bash</span><button>Copy</button></div><code>echo a\necho b</code></pre>";
        assert_eq!(code(title), "echo a\necho b");
    }

    #[test]
    fn each_line_ends_once() {
        let hexo = "<table><tr><td class=gutter><pre><span class=line>1</span><br></pre></td>\n <td class=code>\
                    <pre><span class=line>a</span><br><span class=line></span><br><span class=line> b</span><br></pre></table>";
        assert_eq!(code(hexo), "a\n\n b");
        let hugo = "<table class=lntable><tr><td>\n <pre><code><span class=lnt>1\n</span></code></pre></td>\n\
                    <td>\n <pre>a\n  b</pre></td></tr></table>";
        assert_eq!(code(hugo), "a\n  b");
        assert_eq!(code("<div><code>\n    a\n      b\n  </code></div>"), "a\n  b");
        assert_eq!(code("<pre><code>\n    a\n      b\n  </code></pre>"), "    a\n      b");
    }

    #[test]
    fn numbers_that_count_the_lines_are_left_out() {
        let row = |n: u32, line: &str| format!("<div><span>{n}</span><span>{line}</span></div>");
        assert_eq!(code(&format!("<pre>{}{}</pre>", row(1, "a"), row(2, "b"))), "a\nb");
        assert_eq!(code(&format!("<pre>{}{}</pre>", row(10, "a"), row(20, "b"))), "10a\n20b");
        assert_eq!(code("<pre><b class=n>1</b>a\n<b class=n>2</b>b</pre>"), "a\nb");
        assert_eq!(code("<pre><b class=n>1</b>, <b class=n>2</b></pre>"), "1, 2");
        assert_eq!(code("<pre><b style=c>1</b> a\n<b style=c>2</b>   b</pre>"), "a\n  b");
        assert_eq!(
            code(
                "<div class=fragment><div class=line><i class=lineno>1</i>&nbsp;a</div><div class=line><i class=lineno>2</i>&nbsp; b</div></div>"
            ),
            "a\n b"
        );
        assert_eq!(code("<pre>a <a data-cfemail=422302206c2d3025>x</a></pre>"), "a a@b.org");
        assert_eq!(code("<pre><b>1</b></pre>"), "1");
        let deep = |n: u32| format!("<div class=row><p><b>{n}</b></p><p><i>a</i></p></div>");
        assert_eq!(code(&format!("<pre>{}{}</pre>", deep(1), deep(2))), "a\na");
        assert_eq!(code("<pre><span><b>1</b>a</span><span><b>2</b>b</span></pre>"), "a\nb");
    }
}
