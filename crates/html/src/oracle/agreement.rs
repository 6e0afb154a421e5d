//! Whether trees agree with those of html5ever.

use crate::{Build, Document, Kind, oracle, tree_builder};
use threshr_core::Budget;

/// Compares the tree of a page with that of html5ever. `None` if they are equal, except for errors of html5ever;
/// otherwise both trees as text.
///
/// With `scripting`, `<noscript>` contains text, not elements. The page must not contain U+FEFF, which html5ever drops
/// after scripts and `<meta charset>`.
pub fn difference(html: &str, scripting: bool) -> Option<String> {
    let (ours, theirs) = differs_from_html5ever(html, &tree_builder::build, scripting)?;
    Some(format!("{html:?}\n{ours}--- html5ever\n{theirs}"))
}

/// The trees of a builder and of html5ever, if they differ.
pub(crate) fn differs_from_html5ever(
    html: &str,
    build: Build<'_>,
    scripting: bool,
) -> Option<(String, String)> {
    let (ours, theirs) = (tree(html, build, scripting), tree(html, &oracle::build, scripting));
    (ours != theirs && !keeps_line_end(html)).then_some((ours, theirs))
}

/// A tree as text: one line a node with its depth and its attributes or text.
fn outline(doc: &Document) -> String {
    let mut out = String::new();
    for node in doc.descendants(doc.root()) {
        let line = match doc.kind(node) {
            Kind::Text => {
                let parent = doc.parent(node).map_or("", |p| doc.name(p));
                let mut text = doc.text(node);
                // html5ever keeps a line end here if its tokenizer reports an error before it
                if matches!(parent, "pre" | "listing" | "textarea") {
                    text = text.trim_start_matches('\n');
                    if text.is_empty() {
                        continue;
                    }
                }
                format!("{text:?}")
            }
            _ => format!("<{} {:?}>", doc.name(node), doc.attributes(node).collect::<Vec<_>>()),
        };
        out.push_str(&format!("{}{line}\n", " ".repeat(doc.ancestors(node).count())));
    }
    out
}

/// The tree of a page as text, as a builder builds it.
pub(crate) fn tree(html: &str, build: Build<'_>, scripting: bool) -> String {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let document = build(html, None, scripting, &Budget::UNLIMITED);
    outline(&document.unwrap_or_else(|e| unreachable!("without a limit: {e}")))
}

/// Whether html5ever may keep a line end that is the first text of `<pre>` and its like: it forgets to drop it
/// if `</>`, an error of the tokenizer, stands before it.
fn keeps_line_end(html: &str) -> bool {
    html.match_indices("</>").any(|(at, error)| {
        let before = html[..at].trim_end_matches(error);
        let tag = before.rfind('<').map_or("", |start| &before[start + 1..]);
        let name = tag.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        ["pre", "listing", "textarea"].iter().any(|known| name.eq_ignore_ascii_case(known))
            && html[at + error.len()..].starts_with(['\n', '\r'])
    })
}
