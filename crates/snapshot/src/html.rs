//! Conversion of a snapshot to HTML.

use crate::snapshot::{Document, Snapshot};
use threshr_core::{Error, ErrorKind, Result};
use threshr_html::{escape, write_attribute};

/// Attribute that contains the node number, so that elements can be identified after parsing.
pub(crate) const MARK: &str = "data-threshr-node";

/// Maximum length of the HTML, in bytes.
const MAX_HTML: usize = 32 << 20;

const ELEMENT: i64 = 1;
const TEXT: i64 = 3;
const COMMENT: i64 = 8;
const DOCTYPE: i64 = 10;

/// Node type of a CDATA section in XML.
const CDATA: i64 = 4;

/// Void elements.
const VOID: [&str; 19] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr", "command",
];
/// Raw text elements: their text is written without escaping.
const RAW: [&str; 5] = ["style", "script", "xmp", "noembed", "noframes"];
/// Elements whose content is not rendered and therefore not written.
const EMPTY: [&str; 3] = ["noscript", "template", "iframe"];
/// Elements of SVG and MathML whose children are parsed as HTML (integration points).
const INTEGRATING: [&str; 9] =
    ["foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"];
/// Elements after whose start tag the parser ignores a line feed.
const SWALLOWING: [&str; 3] = ["pre", "textarea", "listing"];

/// Writes the page as HTML in UTF-8, with a byte-order mark.
///
/// - Scripts are written without code and URL, because they have already run. Data in scripts, such as
///   JSON-LD, is kept.
/// - Content that is not rendered is removed: `<noscript>`, `<template>`, frames, and an `<object>` without rendered
///   content.
/// - Content of open shadow trees is written where it is rendered.
/// - `base` is the URL of the page. If the page has no `<base>` with an absolute URL, a first `<base>` with
///   `base` is added.
/// - If `is_marked` is true, each element gets the attribute [`MARK`].
///
/// # Errors
/// If the HTML has more than 32 MB.
pub(crate) fn write(
    snapshot: &Snapshot,
    page: &Document,
    base: Option<&str>,
    is_marked: bool,
) -> Result<String> {
    let nodes = &page.nodes;
    let children = children(page);
    let is_foreign = foreign(snapshot, page);
    let has_drawing = with_drawing(page);
    let mut out = String::from("\u{feff}");
    let base = base.filter(|_| !has_base(snapshot, page));
    // Nodes to write, and elements to close.
    let mut todo: Vec<Step> = children.of(0).map(Step::Node).collect();
    todo.reverse();
    while let Some(step) = todo.pop() {
        if out.len() > MAX_HTML {
            return Err(Error::new(ErrorKind::TooLarge, "the HTML of the rendered page is too large")
                .expected(format!("at most {} MB", MAX_HTML >> 20)));
        }
        let node = match step {
            Step::End(name) => {
                out.push_str(&format!("</{name}>"));
                continue;
            }
            Step::Node(node) => node,
        };
        let value = snapshot.text(nodes.node_value[node]);
        match nodes.node_type[node] {
            ELEMENT => {}
            TEXT | CDATA => {
                escape(value, &mut out);
                continue;
            }
            COMMENT => {
                let is_valid = !value.contains("--") && !value.starts_with('>') && !value.ends_with('-');
                if is_valid && !value.starts_with("->") {
                    out.push_str(&format!("<!--{value}-->"));
                }
                continue;
            }
            DOCTYPE => {
                out.push_str(&doctype(snapshot, page, node));
                continue;
            }
            _ => continue,
        }
        let Some(name) = name(snapshot, page, node) else {
            todo.extend(children.of(node).map(Step::Node).collect::<Vec<_>>().into_iter().rev());
            continue;
        };
        let small = name.to_ascii_lowercase();
        let is_program = small == "script" && is_program(snapshot, page, node);
        out.push_str(&format!("<{name}"));
        if is_marked {
            out.push_str(&format!(" {MARK}=\"{node}\""));
        }
        for pair in nodes.attributes[node].chunks_exact(2) {
            let (key, value) = (snapshot.text(pair[0]), snapshot.text(pair[1]));
            if is_attribute(key) && !(is_program && is_program_address(key)) && !(is_marked && key == MARK) {
                write_attribute(key, value, &mut out);
            }
        }
        out.push('>');
        if let Some(address) = base.filter(|_| small == "head") {
            out.push_str("<base");
            write_attribute("href", address, &mut out);
            out.push('>');
        }
        // The rules of HTML do not apply to elements of SVG and MathML.
        let is_one_of = |names: &[&str]| !is_foreign[node] && names.contains(&&*small);
        if is_one_of(&VOID) {
            continue;
        }
        todo.push(Step::End(name.clone()));
        if is_program || is_one_of(&EMPTY) || is_one_of(&["object"]) && !has_drawing[node] {
            continue;
        }
        if is_one_of(&RAW) {
            let is_text = |&n: &usize| matches!(nodes.node_type[n], TEXT | CDATA);
            let texts = children.of(node).filter(is_text);
            let text: String = texts.map(|n| snapshot.text(nodes.node_value[n])).collect();
            if can_be_raw(&small, &text) {
                out.push_str(&text);
            }
            continue;
        }
        if is_one_of(&SWALLOWING) {
            out.push('\n');
        }
        let start = todo.len();
        todo.extend(children.of(node).map(Step::Node));
        todo[start..].reverse();
    }
    Ok(out)
}

/// Returns whether text in an element of [`RAW`] is parsed back unchanged. Only scripts can create text for
/// which this is false.
fn can_be_raw(name: &str, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    // After `<!--` and `<script`, the parser does not recognize the end tag.
    let is_hiding = || text.find("<!--").is_some_and(|at| text[at..].contains("<script"));
    let is_changed = text.contains(&format!("</{name}")) || name == "script" && is_hiding();
    !is_changed
}

/// Returns for each node whether it is an element of SVG or MathML.
fn foreign(snapshot: &Snapshot, page: &Document) -> Vec<bool> {
    let nodes = &page.nodes;
    let mut found: Vec<bool> = Vec::with_capacity(nodes.node_type.len());
    let name = |node: usize| snapshot.text(nodes.node_name[node]);
    for (node, &parent) in nodes.parent_index.iter().enumerate() {
        // Elements of XHTML also have lower-case names.
        let is_within = || {
            let parent = usize::try_from(parent).ok().filter(|&p| found[p]);
            parent.is_some_and(|p| !INTEGRATING.contains(&&*name(p).to_ascii_lowercase()))
        };
        let is_foreign = nodes.node_type[node] == ELEMENT
            && name(node).contains(|c: char| c.is_ascii_lowercase())
            && (matches!(name(node), "svg" | "math") || is_within());
        found.push(is_foreign);
    }
    found
}

/// Returns for each node whether it has a rendered descendant.
fn with_drawing(page: &Document) -> Vec<bool> {
    let parents = &page.nodes.parent_index;
    let pseudo = page.nodes.pseudo_elements();
    let mut is_drawn = vec![false; parents.len()];
    for node in page.layout.node_index.iter().filter_map(|&n| usize::try_from(n).ok()) {
        if node < is_drawn.len() && !pseudo.contains(&node) {
            is_drawn[node] = true;
        }
    }
    let mut found = vec![false; parents.len()];
    // Children before parents.
    for (node, &parent) in parents.iter().enumerate().rev() {
        if let Ok(parent) = usize::try_from(parent) {
            found[parent] |= found[node] || is_drawn[node];
        }
    }
    found
}

enum Step {
    Node(usize),
    End(String),
}

/// The children of each node, as linked lists of node indices.
struct Children {
    first: Vec<usize>,
    next: Vec<usize>,
}

const NONE: usize = usize::MAX;

fn children(page: &Document) -> Children {
    let nodes = &page.nodes;
    let mut found =
        Children { first: vec![NONE; nodes.parent_index.len()], next: vec![NONE; nodes.parent_index.len()] };
    let pseudo = nodes.pseudo_elements();
    // In reverse order, so that the first child is at the front of the list.
    for (node, &parent) in nodes.parent_index.iter().enumerate().rev() {
        let Ok(parent) = usize::try_from(parent) else { continue };
        if !pseudo.contains(&node) {
            found.next[node] = found.first[parent];
            found.first[parent] = node;
        }
    }
    found
}

impl Children {
    fn of(&self, node: usize) -> impl Iterator<Item = usize> {
        let some = |n: usize| (n != NONE).then_some(n);
        let first = self.first.get(node).copied().and_then(some);
        std::iter::successors(first, move |&n| some(self.next[n]))
    }
}

/// Returns the name of an element as it is written in HTML. Returns `None` if the name is not valid in a
/// start tag.
pub(crate) fn name(snapshot: &Snapshot, page: &Document, node: usize) -> Option<String> {
    let name = snapshot.text(page.nodes.node_name[node]);
    // Names of HTML elements are in upper case, names of SVG elements are unchanged.
    let is_html = !name.chars().any(|c| c.is_ascii_lowercase());
    let is_valid = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !name.contains(|c: char| c.is_whitespace() || c.is_control() || "/><\"'=".contains(c));
    is_valid.then(|| if is_html { name.to_ascii_lowercase() } else { name.to_owned() })
}

fn is_attribute(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control() || "/><\"'=".contains(c))
}

fn attribute<'s>(snapshot: &'s Snapshot, page: &Document, node: usize, name: &str) -> Option<&'s str> {
    let mut pairs = page.nodes.attributes[node].chunks_exact(2);
    let pair = pairs.find(|pair| snapshot.text(pair[0]).eq_ignore_ascii_case(name))?;
    Some(snapshot.text(pair[1]))
}

/// Returns whether a script contains code, not data.
fn is_program(snapshot: &Snapshot, page: &Document, node: usize) -> bool {
    let kind = attribute(snapshot, page, node, "type").unwrap_or_default().trim().to_ascii_lowercase();
    kind.is_empty()
        || kind == "module"
        || ["javascript", "ecmascript", "jscript", "livescript"].iter().any(|k| kind.contains(k))
}

/// Returns whether an attribute of a script is the URL of its code, in HTML or SVG.
fn is_program_address(name: &str) -> bool {
    ["src", "href", "xlink:href"].iter().any(|n| name.eq_ignore_ascii_case(n))
}

/// Returns whether the page has a `<base>` with an absolute URL.
fn has_base(snapshot: &Snapshot, page: &Document) -> bool {
    let is_base = |&node: &usize| {
        page.nodes.node_type[node] == ELEMENT
            && snapshot.text(page.nodes.node_name[node]).eq_ignore_ascii_case("base")
            && attribute(snapshot, page, node, "href").is_some_and(|href| url::Url::parse(href).is_ok())
    };
    (0..page.nodes.node_type.len()).any(|node| is_base(&node))
}

fn doctype(snapshot: &Snapshot, page: &Document, node: usize) -> String {
    let name = snapshot.text(page.nodes.node_name[node]);
    let [public, system] = [page.public_id, page.system_id].map(|id| snapshot.text(id));
    let is_valid = |text: &str| !text.contains(['"', '>', '<']);
    if !is_valid(name) || name.contains(char::is_whitespace) || !is_valid(public) || !is_valid(system) {
        return "<!DOCTYPE html>".to_owned();
    }
    let ids = match (public, system) {
        ("", "") => String::new(),
        ("", system) => format!(" SYSTEM \"{system}\""),
        (public, "") => format!(" PUBLIC \"{public}\""),
        (public, system) => format!(" PUBLIC \"{public}\" \"{system}\""),
    };
    format!("<!DOCTYPE {name}{ids}>")
}

#[cfg(test)]
mod tests {
    use super::can_be_raw;

    #[test]
    fn comments_in_raw_text_stay() {
        for (name, text, is_raw) in [
            ("style", "<!-- p { color: red } -->", true),
            ("style", "</STYLE><p>", false),
            ("style", "<!-- <script> -->", true),
            ("script", "<!-- {\"a\": 1} -->", true),
            ("script", "<!-- <SCRIPT> -->", false),
            ("script", "<script <!--", true),
            ("script", "</script>", false),
        ] {
            assert_eq!(can_be_raw(name, text), is_raw, "{name}: {text}");
        }
    }
}
