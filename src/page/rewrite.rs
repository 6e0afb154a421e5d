//! A document written out as HTML again, with more HTML put in.

use super::{Document, Kind, NodeId};

/// Where HTML is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before an element.
    Before(NodeId),
    /// After an element.
    After(NodeId),
    /// As the last thing inside an element.
    EndOf(NodeId),
}

/// Elements that have no end tag.
const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];
/// Elements whose text is no markup.
const RAW: &[&str] = &["iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "xmp"];

/// The document as HTML, with `added` at `place`. Comments, doctype and what else is no part of the tree are not in it; it
/// reads back as the same tree, but for trees that no HTML without errors gives (a `<p>` in a `<p>`).
pub(crate) fn with_html(doc: &Document, place: Place, added: &str) -> String {
    let mut out = String::with_capacity(doc.source_text().len() * 2 + added.len());
    out.push_str("<!DOCTYPE html>");
    let Some(mut at) = doc.first_child(doc.root()) else { return out };
    loop {
        if place == Place::Before(at) {
            out.push_str(added);
        }
        open(doc, at, &mut out);
        if let Some(child) = doc.first_child(at) {
            at = child;
            continue;
        }
        // up to the next element that has not been written
        loop {
            if place == Place::EndOf(at) {
                out.push_str(added);
            }
            close(doc, at, &mut out);
            if place == Place::After(at) {
                out.push_str(added);
            }
            if let Some(next) = doc.next_sibling(at) {
                at = next;
                break;
            }
            match doc.parent(at) {
                Some(parent) if parent != doc.root() => at = parent,
                _ => return out,
            }
        }
    }
}

fn open(doc: &Document, node: NodeId, out: &mut String) {
    if doc.kind(node) == Kind::Text {
        let is_raw = doc.parent(node).is_some_and(|p| RAW.contains(&doc.name(p)));
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
        out.extend([" ", name, "=\""]);
        escape(value, out);
        out.push('"');
    }
    out.push('>');
    if matches!(name, "pre" | "textarea" | "listing") {
        // the first line end is left out when it is read
        out.push('\n');
    }
}

fn close(doc: &Document, node: NodeId, out: &mut String) {
    let name = doc.name(node);
    if doc.kind(node) != Kind::Text && !VOID.contains(&name) {
        out.extend(["</", name, ">"]);
    }
}

/// Writes text so that it is read as text, in attributes too.
pub(crate) fn escape(text: &str, out: &mut String) {
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
    use crate::page::parse_str;

    fn find(doc: &Document, name: &str) -> NodeId {
        doc.descendants(doc.root()).find(|&n| doc.name(n) == name).expect("the element")
    }

    #[test]
    fn html_goes_in_at_its_place() {
        let doc =
            parse_str("<title>a &amp; b</title><div id='\"x'><p>one<br>two</div><script>1 < 2</script>");
        let head = "<!DOCTYPE html><html><head><title>a &amp; b</title></head><body>";
        let (div, end) = ("<div id=\"&quot;x\">", "</div><script>1 < 2</script></body></html>");
        let with = |place| with_html(&doc, place, "<i>+</i>");
        let p = "<p>one<br>two</p>";
        assert_eq!(with(Place::Before(find(&doc, "p"))), format!("{head}{div}<i>+</i>{p}{end}"));
        assert_eq!(with(Place::After(find(&doc, "p"))), format!("{head}{div}{p}<i>+</i>{end}"));
        assert_eq!(with(Place::EndOf(find(&doc, "div"))), format!("{head}{div}{p}<i>+</i>{end}"));
        assert_eq!(with_html(&parse_str(""), Place::EndOf(0), "x").matches('x').count(), 0);
    }

    #[test]
    fn what_is_written_reads_back_as_the_same() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/sample/pages");
        for file in std::fs::read_dir(dir).expect("the sample") {
            let html = std::fs::read(file.expect("listed").path()).expect("a page");
            let once = with_html(&parse_str(&String::from_utf8_lossy(&html)), Place::EndOf(0), "");
            assert_eq!(with_html(&parse_str(&once), Place::EndOf(0), ""), once);
        }
    }
}
