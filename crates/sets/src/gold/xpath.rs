//! Resolves positions in the format of Label Studio: the XPath of a node, and an offset.

use std::ops::Range;
use threshr_html::{Document, Kind, NodeId};

/// Returns the node at a path such as `/html[1]/body[1]/p[2]/text()[1]`. A path without `html` starts at the body.
pub(super) fn node(doc: &Document, path: &str) -> Option<NodeId> {
    let from_root = follow(doc, doc.root(), path);
    from_root.or_else(|| {
        let body = follow(doc, doc.root(), "/html[1]/body[1]")?;
        follow(doc, body, path)
    })
}

fn follow(doc: &Document, start: NodeId, path: &str) -> Option<NodeId> {
    let mut node = start;
    for step in path.split('/').filter(|step| !step.is_empty() && *step != ".") {
        let (name, number) = match step.split_once('[') {
            Some((name, rest)) => (name, rest.trim_end_matches(']').parse::<usize>().ok()?),
            None => (step, 1),
        };
        let fits = |&child: &NodeId| match doc.kind(child) {
            Kind::Text => name == "text()",
            _ => doc.name(child).eq_ignore_ascii_case(name),
        };
        node = doc.children(node).filter(fits).nth(number.checked_sub(1)?)?;
    }
    Some(node)
}

/// Returns the byte range of the source text between two positions. Offsets in text nodes are UTF-16 code units, as
/// in browsers. Offsets in elements are child indices.
pub(super) fn range(doc: &Document, start: (&str, usize), end: (&str, usize)) -> Option<Range<usize>> {
    let from = place(doc, node(doc, start.0)?, start.1)?;
    let to = place(doc, node(doc, end.0)?, end.1)?;
    (from <= to).then_some(from..to)
}

fn place(doc: &Document, node: NodeId, offset: usize) -> Option<usize> {
    if doc.kind(node) != Kind::Text {
        return match doc.children(node).nth(offset) {
            Some(child) => first_text(doc, child),
            None => doc.descendants(node).map(|n| doc.text_range(n).end as usize).max(),
        };
    }
    let text = doc.text(node);
    let mut units = 0;
    let at = text.char_indices().find(|(_, c)| {
        let is_there = units >= offset;
        units += c.len_utf16();
        is_there
    });
    Some(doc.text_range(node).start as usize + at.map_or(text.len(), |(at, _)| at))
}

/// Returns the position where the text of a node begins.
fn first_text(doc: &Document, node: NodeId) -> Option<usize> {
    doc.descendants(node).map(|n| doc.text_range(n)).find(|r| !r.is_empty()).map(|r| r.start as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found() {
        let doc = threshr_html::parse_str("<p>a<b>b</b>c 😀d<p>e<!-- x -->f<ul><li>g</ul>");
        let text = |start, end| range(&doc, start, end).map(|r| doc.source_text()[r].to_owned());
        let whole = |path| text((path, 0), (path, 99));
        assert_eq!(whole("/html[1]/body[1]/p[1]/text()[2]").as_deref(), Some("c 😀d"));
        assert_eq!(whole("/p[1]/b/text()[1]").as_deref(), Some("b"));
        assert_eq!(text(("/p[1]/text()[2]", 4), ("/p[1]/text()[2]", 5)).as_deref(), Some("d"));
        assert_eq!(text(("/p[1]/text()[1]", 0), ("/p[1]/b[1]/text()[1]", 1)).as_deref(), Some("ab"));
        assert_eq!(text(("/ul[1]", 0), ("/ul[1]", 1)).as_deref(), Some("g"));
        for path in ["/p[0]/text()[1]", "/p[9]", "/p[x]", "/table[1]"] {
            assert_eq!(whole(path), None, "{path}");
        }
    }
}
