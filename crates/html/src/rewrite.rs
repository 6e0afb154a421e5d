//! Serialises a document as HTML, with additional HTML inserted.

use crate::{Document, Kind, NodeId, Tag};

/// Where to insert HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before an element.
    Before(NodeId),
    /// After an element.
    After(NodeId),
    /// Insert as the last child of an element.
    EndOf(NodeId),
}

/// Maximum size of the output in bytes. Elements of the tree may share attributes, but each element is
/// written with all its attributes, so the output may be much larger than the page.
const MAX_BYTES: usize = 1 << 24;

/// Serialises the document as HTML, with `added` inserted at `place`. Returns `None` if the output is larger than
/// 16 MB.
///
/// Comments and the doctype are not written, so the output is parsed in quirks mode, in which a table may be inside
/// a paragraph. The output parses to the same tree, except for trees that only invalid HTML produces (such as a
/// `<p>` in a `<p>`).
pub fn with_html(doc: &Document, place: Place, added: &str) -> Option<String> {
    let mut out = String::with_capacity(doc.source_text().len() * 2 + added.len());
    walk(doc, |node, edge| {
        let added_at = |at| if place == at { added } else { "" };
        match edge {
            Edge::Start => {
                out.push_str(added_at(Place::Before(node)));
                open(doc, node, &mut out);
            }
            Edge::End => {
                out.push_str(added_at(Place::EndOf(node)));
                close(doc, node, &mut out);
                out.push_str(added_at(Place::After(node)));
            }
        }
        (out.len() <= MAX_BYTES).then_some(true)
    })?;
    Some(out)
}

/// An edge of a node in a [`walk`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Before the descendants of the node.
    Start,
    /// After the descendants of the node.
    End,
}

/// Visits both edges of each node in document order. If `visit` returns false at the start of a node, its
/// descendants are skipped. If it returns `None`, the walk ends and returns `None`.
pub fn walk(doc: &Document, mut visit: impl FnMut(NodeId, Edge) -> Option<bool>) -> Option<()> {
    let Some(mut at) = doc.first_child(doc.root()) else { return Some(()) };
    loop {
        let has_content = visit(at, Edge::Start)?;
        if let Some(child) = doc.first_child(at).filter(|_| has_content) {
            at = child;
            continue;
        }
        loop {
            visit(at, Edge::End)?;
            if let Some(next) = doc.next_sibling(at) {
                at = next;
                break;
            }
            match doc.parent(at) {
                Some(parent) if parent != doc.root() => at = parent,
                _ => return Some(()),
            }
        }
    }
}

fn open(doc: &Document, node: NodeId, out: &mut String) {
    if doc.kind(node) == Kind::Text {
        // among raw-text elements, only title and textarea have character references
        let is_raw = |tag: Tag| tag.is_raw_text() && !matches!(tag, Tag::TITLE | Tag::TEXTAREA);
        let is_raw = doc.parent(node).is_some_and(|p| is_raw(doc.tag(p)));
        if is_raw {
            out.push_str(doc.text(node))
        } else {
            escape(doc.text(node), out)
        }
        return;
    }
    let name = doc.name(node);
    out.extend(["<", name]);
    for (name, value) in doc.attributes(node) {
        write_attribute(name, value, out);
    }
    out.push('>');
    if matches!(name, "pre" | "textarea" | "listing") {
        // the parser drops a line end at the start of the content
        out.push('\n');
    }
}

fn close(doc: &Document, node: NodeId, out: &mut String) {
    if doc.kind(node) != Kind::Text && !doc.tag(node).is_void() {
        out.extend(["</", doc.name(node), ">"]);
    }
}

/// Appends an attribute to `out`, after a space.
pub fn write_attribute(name: &str, value: &str, out: &mut String) {
    out.extend([" ", name, "=\""]);
    escape(value, out);
    out.push('"');
}

/// Appends `text` to `out`, and escapes the characters that have a meaning in text or attribute values.
pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{a0}' => out.push_str("&nbsp;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    fn find(doc: &Document, name: &str) -> NodeId {
        doc.descendants(doc.root()).find(|&n| doc.name(n) == name).expect("the element")
    }

    #[test]
    fn inserts_html_at_its_place() {
        let doc =
            parse_str("<title>a &amp; b</title><div id='\"x'><p>one<br>two</div><script>1 < 2</script>");
        let head = "<html><head><title>a &amp; b</title></head><body>";
        let (div, end) = ("<div id=\"&quot;x\">", "</div><script>1 < 2</script></body></html>");
        let with = |place| with_html(&doc, place, "<i>+</i>").expect("few bytes");
        let p = "<p>one<br>two</p>";
        assert_eq!(with(Place::Before(find(&doc, "p"))), format!("{head}{div}<i>+</i>{p}{end}"));
        assert_eq!(with(Place::After(find(&doc, "p"))), format!("{head}{div}{p}<i>+</i>{end}"));
        assert_eq!(with(Place::EndOf(find(&doc, "div"))), format!("{head}{div}{p}<i>+</i>{end}"));
        assert_eq!(
            with_html(&parse_str(""), Place::EndOf(0), "x").as_deref(),
            Some("<html><head></head><body></body></html>")
        );
    }

    #[test]
    fn output_parses_to_the_same_tree() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/sample/pages");
        let outline = |doc: &Document| -> Vec<String> {
            let of =
                |n| format!("{} {:?} {:?}", doc.name(n), doc.attributes(n).collect::<Vec<_>>(), doc.text(n));
            doc.descendants(doc.root()).map(of).collect()
        };
        let mut num_same = 0;
        for file in std::fs::read_dir(dir).expect("the sample") {
            let path = file.expect("listed").path();
            let doc = parse_str(&String::from_utf8_lossy(&std::fs::read(&path).expect("a page")));
            let again = parse_str(&with_html(&doc, Place::EndOf(0), "").expect("few bytes"));
            num_same += usize::from(outline(&doc) == outline(&again));
        }
        assert!(num_same >= 40, "of 42 pages {num_same}");
        let quirky = parse_str("<p>a<table><tr><td>b</table>");
        let again = parse_str(&with_html(&quirky, Place::EndOf(0), "").expect("few bytes"));
        assert_eq!(outline(&quirky), outline(&again));
    }

    #[test]
    fn output_with_shared_attributes_is_bounded() {
        let html = format!("<font a=\"{}\">{}", "x".repeat(100_000), "<p><br>".repeat(2_000));
        let doc = parse_str(&html);
        assert!(with_html(&doc, Place::EndOf(0), "").is_none_or(|html| html.len() < 2 * MAX_BYTES));
    }
}
