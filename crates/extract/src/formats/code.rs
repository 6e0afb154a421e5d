//! The verbatim text of `<pre>`: with indentation and empty lines, which the text of blocks lacks.

use rustc_hash::FxHashSet;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, Kind, NodeId, Tag};

/// The outermost `<pre>` around a node. The outermost one bounds the work on nested elements.
pub(crate) fn pre_of(doc: &Document, node: NodeId) -> Option<NodeId> {
    doc.ancestors_and_self(node).filter(|&n| doc.tag(n) == Tag::PRE).last()
}

/// The blocks at the start of `indices` that are inside `pre`: their number and their verbatim text.
pub(crate) fn take_pre(doc: &Document, blocks: &Blocks, indices: &[usize], pre: NodeId) -> (usize, String) {
    let is_in = |&&i: &&usize| blocks.get(i).is_some_and(|b| pre_of(doc, b.node) == Some(pre));
    let num_blocks = indices.iter().take_while(is_in).count();
    (num_blocks, verbatim(doc, blocks, &indices[..num_blocks], pre))
}

/// The text of the blocks `indices` inside `pre`, with the white space of the page. Removes empty lines at
/// the start and white space at the end.
fn verbatim(doc: &Document, blocks: &Blocks, indices: &[usize], pre: NodeId) -> String {
    let texts: FxHashSet<NodeId> = indices.iter().flat_map(|&i| blocks.spans(i)).map(|s| s.node).collect();
    let (mut out, mut last_box) = (String::new(), None);
    for node in doc.descendants(pre) {
        let (kind, text) = (doc.kind(node), doc.text(node));
        if texts.contains(&node) {
            // Text of another box is on a line of its own.
            let own_box = doc.ancestors(node).find(|&n| doc.tag(n).is_block_level());
            let has_text = |line: &str| !line.trim().is_empty();
            if last_box.is_some() && last_box != own_box && out.rsplit('\n').next().is_some_and(has_text) {
                out.push('\n');
            }
            last_box = own_box;
            out.push_str(text);
        } else if doc.is_visible(node) || !doc.is_visible(pre) {
            match kind {
                Kind::Element if doc.tag(node) == Tag::BR => out.push('\n'),
                Kind::Text if text.chars().all(char::is_whitespace) => out.push_str(text),
                _ => {}
            }
        }
    }
    let text = out.trim_end();
    let num_blank = text.len() - text.trim_start().len();
    // The first line keeps its indentation.
    text[text[..num_blank].rfind('\n').map_or(0, |at| at + 1)..].replace('\r', "").replace('\u{a0}', " ")
}

/// Number of ancestors and of descendants of `<pre>` whose class may name the language of code.
const MAX_NAMED: usize = 3;

/// The language of the code in a `<pre>`; empty if unknown.
///
/// Reads the classes of the `<pre>` and of its first descendants as highlighters write them (`language-rust`,
/// `lang-rust`), then those of its ancestors (`language-rust`, `highlight-rust notranslate` of Sphinx).
pub(crate) fn language(doc: &Document, pre: NodeId) -> &str {
    let class = |node| doc.attribute(node, "class");
    let is_element = |&n: &NodeId| doc.kind(n) == Kind::Element;
    let inside = std::iter::once(pre).chain(doc.descendants(pre).filter(is_element).take(MAX_NAMED));
    // On elements of the whole page, `lang-` is the language of the text.
    let is_local = |&n: &NodeId| !matches!(doc.tag(n), Tag::HTML | Tag::BODY | Tag::MAIN | Tag::ARTICLE);
    let around = doc.ancestors(pre).take(MAX_NAMED).take_while(is_local);
    inside
        .filter_map(class)
        .find_map(|class| of_class(class, &["language-", "lang-"]))
        .or_else(|| around.filter_map(class).find_map(|class| of_class(class, ancestor_prefixes(class))))
        .unwrap_or("")
}

/// The prefixes of language names in the class attribute of an ancestor of code.
fn ancestor_prefixes(class: &str) -> &'static [&'static str] {
    // Other generators use such names for styles.
    let is_sphinx = class.split_ascii_whitespace().any(|name| name == "notranslate");
    if is_sphinx { &["highlight-"] } else { &["language-", "highlight-source-"] }
}

/// The language after one of `prefixes` in a class attribute.
fn of_class<'c>(class: &'c str, prefixes: &[&str]) -> Option<&'c str> {
    let language = |name: &'c str| prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    let is_name = |name: &&str| {
        let is_name_char = |c: char| c.is_ascii_alphanumeric() || "+#-".contains(c);
        // Excludes names that mean plain text or the default of the highlighter.
        !name.is_empty()
            && name.len() <= 20
            && name.chars().all(is_name_char)
            && !["default", "none", "text"].contains(name)
    };
    class.split_ascii_whitespace().filter_map(language).find(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    /// The code of the blocks `indices` of a page with one `<pre>`.
    fn code(html: &str, indices: &[usize]) -> String {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let pre = doc.descendants(0).find(|&n| doc.tag(n) == Tag::PRE).expect("code");
        verbatim(&doc, &blocks, indices, pre)
    }

    #[test]
    fn indentation_and_empty_lines_are_kept() {
        let html = "<p>x<pre>\n\n    if a:\n\t<b>b</b>(1,  2)\n\n    <i>c</i> \n</pre>";
        assert_eq!(code(html, &[1]), "    if a:\n\tb(1,  2)\n\n    c");
        let spans =
            "<pre><span>  </span><span>a</span><span> = </span><span>1</span><br><span>b</span></pre>";
        assert_eq!(code(spans, &[0]), "  a = 1\nb");
        assert_eq!(code("<pre>a\r\n  b<script>x</script><span hidden> c </span></pre>", &[0]), "a\n  b");
    }

    #[test]
    fn classes_name_the_language() {
        for (html, expected) in [
            ("<pre><code class='hljs language-rust'>x", "rust"),
            ("<pre class=lang-c++>x", "c++"),
            ("<div class='highlight-python notranslate'><div class=highlight><pre>x", "python"),
            ("<div class='highlight-default notranslate'><pre>x", ""),
            ("<pre class='highlight-lines language-'><b class='language-a`b'>x", ""),
            ("<body class='home lang-de'><pre>x", ""),
            ("<div class=lang-en><pre>x", ""),
            ("<div class='language-py extra'><pre><code>x", "py"),
            ("<pre>x", ""),
        ] {
            let doc = parse_str(html);
            let pre = doc.descendants(0).find(|&n| doc.tag(n) == Tag::PRE).expect("code");
            assert_eq!(language(&doc, pre), expected, "{html}");
        }
    }

    #[test]
    fn boxes_are_lines() {
        let html = "<pre><div>a {</div><div>  b</div><div>}</div></pre>";
        assert_eq!(code(html, &[0, 1, 2]), "a {\n  b\n}");
        assert_eq!(code("<pre><div>a</div>\n  <div>b</div>c</pre>", &[0, 1, 2]), "a\n  b\nc");
        assert_eq!(code("<pre>a<div hidden>x</div>b</pre>", &[0]), "ab");
        // some blocks are dropped
        assert_eq!(code(html, &[1, 2]), "  b\n}");
        assert_eq!(code(html, &[0]), "a {");
        assert_eq!(code(html, &[]), "");
    }
}
