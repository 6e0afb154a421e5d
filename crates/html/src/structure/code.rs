//! Recogniser of code: its element, its lines and its language.

use crate::structure::names::{Role, has_role};
use crate::structure::style;
use crate::structure::tables::{is_cell, rows_of};
use crate::text::word_list::word_list;
use crate::{Document, Kind, NodeId, Tag};

/// Number of rows and cells of a table that are read to find out whether it contains code.
const MAX_ROWS: usize = 3;
const MAX_CELLS: usize = 6;

/// Most letters of the title of a code block, with its buttons.
const MAX_TOOLBAR: usize = 60;

/// Whether an element contains a code block and nothing else: `<pre>`, block-level `<code>`, or a table of code
/// lines.
///
/// An element inside such an element is none.
pub fn is_code_block(doc: &Document, node: NodeId) -> bool {
    match doc.tag(node) {
        Tag::PRE | Tag::XMP | Tag::LISTING | Tag::PLAINTEXT => true,
        Tag::CODE => is_block_code(doc, node),
        Tag::TABLE => is_table_of_lines(doc, node),
        _ => false,
    }
}

/// The outermost code block around a node, or the node itself.
pub fn code_block_around(doc: &Document, node: NodeId) -> Option<NodeId> {
    doc.ancestors_and_self(node).filter(|&n| doc.kind(n) == Kind::Element && is_code_block(doc, n)).last()
}

/// Whether a `<code>` outside `<pre>` is shown as a block.
fn is_block_code(doc: &Document, node: NodeId) -> bool {
    let is_verbatim = || style::is_one_of(doc, node, "white-space", &["pre", "break-spaces"]);
    if style::is_one_of(doc, node, "display", &["block", "grid", "flex"]) || is_verbatim() {
        return true;
    }
    // Lines of a block: `<code>` with line breaks, alone in its parent.
    let has_text = |n: NodeId| match doc.kind(n) {
        Kind::Text => !doc.text(n).trim().is_empty(),
        _ => !matches!(doc.tag(n), Tag::BR | Tag::BUTTON),
    };
    let is_alone = doc.parent(node).is_some_and(|parent| {
        doc.tag(parent).is_block_level()
            && doc.children(parent).filter(|&n| n != node).take(MAX_CELLS).all(|n| !has_text(n))
    });
    is_alone
        && doc.children(node).take(64).any(|n| {
            doc.kind(n) == Kind::Element
                && (doc.tag(n) == Tag::BR || doc.tag(n) == Tag::DIV || has_role(doc, n, Role::Line))
        })
}

/// Whether the rows of a table are lines of code, or one row has line numbers and code.
fn is_table_of_lines(doc: &Document, table: NodeId) -> bool {
    if has_role(doc, table, Role::CodeList) {
        return true;
    }
    let mut num_rows = 0;
    for row in rows_of(doc, table).take(MAX_ROWS) {
        let cells: Vec<NodeId> = doc.children(row).filter(|&n| is_cell(doc, n)).take(MAX_CELLS).collect();
        let [gutter, code] = cells[..] else { return false };
        let is_code = has_role(doc, code, Role::CodeCell) || contains_code(doc, code);
        if !(is_code && is_gutter_cell(doc, gutter)) {
            return false;
        }
        num_rows += 1;
    }
    num_rows > 0
}

/// Whether a cell has only line numbers.
fn is_gutter_cell(doc: &Document, cell: NodeId) -> bool {
    if is_gutter(doc, cell) {
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

/// Whether the first elements of a cell are code.
fn contains_code(doc: &Document, cell: NodeId) -> bool {
    let elements = doc.descendants(cell).filter(|&n| doc.kind(n) == Kind::Element);
    elements.take(MAX_CELLS).any(|n| matches!(doc.tag(n), Tag::PRE | Tag::CODE))
}

/// Whether an element has line numbers only.
fn is_gutter(doc: &Document, node: NodeId) -> bool {
    has_role(doc, node, Role::Gutter)
        || style::is_one_of(doc, node, "user-select", &["none"])
            && doc.descendants(node).all(|n| doc.text(n).chars().all(|c| c.is_numeric() || c.is_whitespace()))
}

/// The text of a code block as it is shown: with indentation and empty lines, without line numbers, titles and
/// buttons. Lines are separated by `\n`. Empty lines at the start and white space at the end are removed.
pub fn verbatim(doc: &Document, code: NodeId) -> String {
    let mut lines = Lines { doc, code, out: String::new(), is_after_box: false };
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
    /// Whether a box ended directly before.
    is_after_box: bool,
}

impl Lines<'_> {
    /// Reads a node. Returns whether its children are read.
    fn enter(&mut self, node: NodeId) -> bool {
        let doc = self.doc;
        if !doc.is_visible(node) && doc.is_visible(self.code) {
            return false;
        }
        if doc.kind(node) == Kind::Text {
            let text = doc.text(node);
            // The line end between two boxes shows no empty line.
            let text = if self.is_after_box { after_line_end(text) } else { text };
            self.is_after_box &= text.is_empty();
            self.out.push_str(text);
            return false;
        }
        if doc.tag(node) == Tag::BR {
            self.out.push('\n');
            return false;
        }
        let is_numbers =
            || is_cell(doc, node) && doc.next_sibling(node).is_some() && is_gutter_cell(doc, node);
        !(is_gutter(doc, node) || is_numbers() || self.is_toolbar(node))
    }

    /// Whether an element is the title of the block, or its buttons.
    fn is_toolbar(&self, node: NodeId) -> bool {
        let doc = self.doc;
        if doc.tag(node) == Tag::BUTTON || has_role(doc, node, Role::Toolbar) {
            return true;
        }
        let is_child = doc.parent(node) == Some(self.code) && doc.tag(node) != Tag::CODE;
        let is_button = |n: NodeId| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::BUTTON;
        is_child
            && doc.tag(node).is_block_level()
            && doc.descendants(node).take(64).any(is_button)
            && doc.descendants(node).map(|n| doc.text(n).len()).sum::<usize>() <= MAX_TOOLBAR
    }

    /// Whether an element is on lines of its own.
    fn is_box(&self, node: NodeId) -> bool {
        let doc = self.doc;
        match doc.tag(node) {
            Tag::TD | Tag::TH => false,
            tag if tag.is_block_level() => !matches!(tag, Tag::BUTTON),
            _ => {
                has_role(doc, node, Role::Line) && self.is_first_line_of_siblings(node)
                    || style::is_one_of(doc, node, "display", &["block", "grid", "table-row"])
            }
        }
    }

    /// Whether an inline element with the class of a line is a whole line: its siblings are lines too.
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

    /// Begins a line for a box. Returns the position at which its text starts.
    fn begin_box(&mut self, node: NodeId) -> usize {
        // White space before a box is its indentation.
        let has_text = |line: &str| !line.trim().is_empty();
        if self.is_box(node) && self.out.rsplit('\n').next().is_some_and(has_text) {
            self.out.push('\n');
        }
        self.is_after_box = false;
        self.out.len()
    }

    /// Ends the line of a box.
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

/// The text after its first line end, if only white space is before it.
fn after_line_end(text: &str) -> &str {
    match text.split_once('\n') {
        Some((before, after)) if before.trim().is_empty() => after,
        _ => text,
    }
}

/// Number of ancestors and of descendants of a code block that may name its language.
const MAX_NAMED: usize = 4;

/// Sorted names of languages that highlighters write as a class without prefix.
static LANGUAGES: &[&str] = &word_list!("code_languages.txt");

/// The language of a code block; empty if unknown.
///
/// Reads the classes and attributes of the element and of its first descendants as highlighters write them
/// (`language-rust`, `data-language`, `brush: js`), then those of its ancestors (`language-rust`,
/// `highlight-rust notranslate`).
pub fn language(doc: &Document, code: NodeId) -> &str {
    let is_element = |&n: &NodeId| doc.kind(n) == Kind::Element;
    let inside = || std::iter::once(code).chain(doc.descendants(code).filter(is_element).take(MAX_NAMED));
    // On elements of the whole page, `lang-` is the language of the text.
    let is_local = |&n: &NodeId| !matches!(doc.tag(n), Tag::HTML | Tag::BODY | Tag::MAIN | Tag::ARTICLE);
    let around = || doc.ancestors(code).take(MAX_NAMED).take_while(is_local);
    inside()
        .find_map(|n| of_class(doc, n, &["language-", "lang-", "highlight-source-", "brush:"]))
        .or_else(|| inside().chain(around()).find_map(|n| of_attribute(doc, n)))
        .or_else(|| around().find_map(|n| of_class(doc, n, ancestor_prefixes(doc, n))))
        .or_else(|| inside().find_map(|n| of_bare_class(doc, n)))
        .unwrap_or("")
}

/// The prefixes of language names in the class attribute of an ancestor of code.
fn ancestor_prefixes(doc: &Document, node: NodeId) -> &'static [&'static str] {
    // Other generators use such names for styles.
    let mut names = doc.attribute(node, "class").unwrap_or_default().split_ascii_whitespace();
    let is_sphinx = names.any(|name| name == "notranslate");
    if is_sphinx {
        &["highlight-source-", "highlight-text-", "highlight-"]
    } else {
        &["language-", "highlight-source-", "highlight-text-"]
    }
}

/// Whether a text can be the name of a language. Excludes names that mean plain text or a default.
fn is_language(name: &str) -> bool {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || "+#-_.".contains(c);
    !name.is_empty()
        && name.len() <= 20
        && name.chars().all(is_name_char)
        && !["default", "none", "text", "plain", "plaintext", "nohighlight"].contains(&name)
}

/// The language after one of `prefixes` in the class attribute of an element.
fn of_class<'d>(doc: &'d Document, node: NodeId, prefixes: &[&str]) -> Option<&'d str> {
    let class = doc.attribute(node, "class")?;
    // `brush: js; toolbar: false`
    if let Some((_, rest)) = class.split_once("brush:").filter(|_| prefixes.contains(&"brush:")) {
        let end = rest.find(';').unwrap_or(rest.len());
        return Some(rest[..end].trim()).filter(|name| is_language(name));
    }
    let language = |name: &'d str| prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    class.split_ascii_whitespace().filter_map(language).find(|name| is_language(name))
}

/// The language in an attribute of an element.
fn of_attribute(doc: &Document, node: NodeId) -> Option<&str> {
    let names = ["data-language", "data-lang", "data-code-language", "data-syntax"];
    let own = names.iter().find_map(|name| doc.attribute(node, name));
    // On code, `lang` is the language of the code if it is no language of texts, which has two letters.
    let lang = || {
        doc.attribute(node, "lang").filter(|lang| {
            matches!(doc.tag(node), Tag::PRE | Tag::CODE) && LANGUAGES.binary_search(lang).is_ok()
        })
    };
    own.or_else(lang).map(str::trim).filter(|name| is_language(name))
}

/// The language that is a class name by itself, as `python` or `sourceCode python`.
fn of_bare_class(doc: &Document, node: NodeId) -> Option<&str> {
    let mut names = doc.attribute(node, "class")?.split_ascii_whitespace();
    names.find(|name| LANGUAGES.binary_search(&name.to_ascii_lowercase().as_str()).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

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
    fn code_blocks_are_found() {
        let is_code = |html: &str| {
            let doc = parse_str(html);
            doc.descendants(0).any(|n| doc.kind(n) == Kind::Element && is_code_block(&doc, n))
        };
        assert!(is_code("<code style='display:block'>a</code>"));
        assert!(is_code("<div><code>a<br>b</code></div>"));
        assert!(!is_code("<p>x <code>a</code> y") && !is_code("<p><code>a</code>"));
        assert!(!is_code("<table><tr><td>1<td>2</table>"));
        assert!(!is_code("<table><tr><td>1<td><code>x</code></table>"));
    }

    #[test]
    fn classes_and_attributes_name_the_language() {
        for (html, expected) in [
            ("<pre><code class='hljs language-rust'>x", "rust"),
            ("<pre class=lang-c++>x", "c++"),
            ("<div class='highlight-python notranslate'><div class=highlight><pre>x", "python"),
            ("<div class='highlight-default notranslate'><pre>x", ""),
            ("<div class='highlight highlight-source-js notranslate'><pre>x", "js"),
            ("<pre class='highlight-lines language-'><b class='language-a`b'>x", ""),
            ("<body class='home lang-de'><pre>x", ""),
            ("<div class=lang-en><pre>x", ""),
            ("<div class='language-py extra'><pre><code>x", "py"),
            ("<pre data-language=go>x", "go"),
            ("<pre class='brush: js; toolbar: false'>x", "js"),
            ("<pre class='sourceCode haskell'>x", "haskell"),
            ("<pre lang=en>x", ""),
            ("<pre lang=python>x", "python"),
            ("<pre>x", ""),
        ] {
            let doc = parse_str(html);
            let pre = doc.descendants(0).find(|&n| doc.tag(n) == Tag::PRE).expect("code");
            assert_eq!(language(&doc, pre), expected, "{html}");
        }
    }
}
