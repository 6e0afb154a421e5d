//! Fragments that React streams after the page. In a browser, a script moves the children of each fragment to its place.
//!
//! A place is a template. It is either `<!--$?--><template id="B:0">` with a fallback after it, up to `<!--/$-->`, or
//! `<template id="P:1">` without a fallback. The fragment `<div hidden id="S:0">` follows later in the page. The script
//! calls `$RC("B:0", "S:0")` or `$RS("S:1", "P:1")`.

use crate::composition::Composer;
use crate::tag::Tag;
use crate::tree::{Document, NONE, NodeId};
use crate::tree_builder::tree_writer::Flat;
use rustc_hash::FxHashMap;

/// The fallbacks of a page. The tree builder finds them by the comments before and after them.
#[derive(Debug, Default)]
pub(crate) struct Boundaries {
    /// For each start comment whose end comment was not read yet: its parent, and its previous sibling or
    /// [`NONE`].
    open: Vec<(NodeId, NodeId)>,
    /// The first and the last node of each fallback. The first node is the template.
    fallbacks: Vec<(NodeId, NodeId)>,
}

impl Boundaries {
    /// Processes a comment that is a child of `parent`.
    pub(crate) fn comment(&mut self, text: &str, parent: NodeId, flat: &mut Flat) {
        let last = flat.node(parent).last_child;
        match text {
            "$" | "$?" | "$!" | "$~" => self.open.push((parent, last)),
            "/$" => {
                let Some((_, before)) = self.open.pop().filter(|open| open.0 == parent) else { return };
                let first =
                    if before == NONE { flat.node(parent).first_child } else { flat.node(before).next };
                if first != NONE {
                    self.fallbacks.push((first, last));
                }
            }
            _ => return,
        }
        // text before and after the comment must not become one text node
        flat.begin_text();
    }
}

/// Whether an id, such as `S:1f`, is that of a fragment. A fragment is hidden until a script moves it to its place.
pub(crate) fn is_fragment_id(id: &str) -> bool {
    number(id, "S:").is_some()
}

/// Returns the prefix and the hexadecimal number of an id: `my-` and `1f` for `my-S:1f` and the kind `S:`.
fn number<'i>(id: &'i str, kind: &str) -> Option<(&'i str, &'i str)> {
    let (prefix, number) = id.rsplit_once(kind)?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_hexdigit())).then_some((prefix, number))
}

impl Composer<'_> {
    /// Moves the children of each fragment to its place, and removes the template and the fallback there.
    pub(super) fn place_fragments(&mut self, templates: &[NodeId], boundaries: &Boundaries) {
        let doc = self.doc();
        let id = |node: NodeId| doc.attribute(node, "id");
        let places: FxHashMap<String, NodeId> =
            templates.iter().filter_map(|&node| Some((id(node)?.to_owned(), node))).collect();
        let is_place = |name: &String| number(name, "B:").or_else(|| number(name, "P:")).is_some();
        if !places.keys().any(is_place) {
            return;
        }
        let mut calls = calls(doc);
        for &template in templates {
            if let (Some(place), Some(fragment)) =
                (doc.attribute(template, "data-bid"), doc.attribute(template, "data-sid"))
            {
                calls.insert(fragment.to_owned(), place.to_owned());
            }
        }
        let fallbacks: FxHashMap<NodeId, NodeId> = boundaries.fallbacks.iter().copied().collect();
        let place = |fragment: &str| {
            let (prefix, number) = number(fragment, "S:")?;
            let called = calls.get(fragment).and_then(|place| places.get(place));
            let same = |kind| places.get(&format!("{prefix}{kind}{number}"));
            called.or_else(|| same("B:")).or_else(|| same("P:")).copied()
        };
        let hidden = doc.elements_with(|tag| tag != Tag::TEMPLATE).filter_map(|node| {
            // rejects most elements at low cost, because few elements have such an id
            Some((node, place(id(node).filter(|id| id.contains("S:"))?)?))
        });
        for (fragment, place) in hidden.collect::<Vec<_>>() {
            let parent = self.flat.parent_of(place);
            if parent == NONE || !self.may_move(fragment, parent) {
                continue;
            }
            while let Some(&last) = fallbacks.get(&place)
                && last != place
                && let Some(next) = self.doc().next_sibling(place)
            {
                self.flat.unlink(next);
                if next == last {
                    break;
                }
            }
            self.place_children(fragment, parent, place);
            self.flat.unlink(fragment);
            self.flat.unlink(place);
        }
    }

    /// Moves the children of a fragment before a place. The fragment itself is only a wrapper. Instead of a child with
    /// the tag of the new parent, such as `<tbody>` in `<tbody>`, its children are moved.
    fn place_children(&mut self, fragment: NodeId, parent: NodeId, before: NodeId) {
        let doc = self.doc();
        let tag = doc.tag(parent);
        let is_wrapper = |node: NodeId| matches!(tag, Tag::TBODY | Tag::TR) && doc.tag(node) == tag;
        let children = |node: NodeId| doc.children(node).collect::<Vec<_>>();
        let moved = children(fragment)
            .into_iter()
            .flat_map(|node| if is_wrapper(node) { children(node) } else { vec![node] });
        for node in moved.collect::<Vec<_>>() {
            self.place(node, parent, before);
        }
    }
}

/// Returns a map from ids of fragments to ids of their places, read from the calls in the scripts of the page.
fn calls(doc: &Document) -> FxHashMap<String, String> {
    let scripts = doc.elements_with(|tag| tag == Tag::SCRIPT).filter_map(|script| doc.first_child(script));
    let mut calls = FxHashMap::default();
    for text in scripts.map(|text| doc.text(text)).filter(|text| text.contains("$R")) {
        for (name, fragment_first) in [("$RC(", false), ("$RR(", false), ("$RS(", true)] {
            for arguments in text.split(name).skip(1) {
                let mut strings = arguments.split(['"', '\'']).skip(1).step_by(2);
                if let (Some(first), Some(second)) = (strings.next(), strings.next()) {
                    let (fragment, place) = if fragment_first { (first, second) } else { (second, first) };
                    calls.insert(fragment.to_owned(), place.to_owned());
                }
            }
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    #[test]
    fn fragments_replace_their_fallbacks() {
        let place = "<!--$?--><template id=B:0></template><i>wait</i> now<!--/$-->";
        let fragment = "<div hidden id=S:0>two</div>";
        assert_eq!(text(&format!("<main>one{place}three</main>{fragment}")), "onetwothree");
        assert_eq!(text(&format!("<main>one{place}</main>four")), "onewait nowfour");
        assert_eq!(text(&format!("<main>one{place}three<!--/$--></main>{fragment}four")), "onetwothreefour");
        let later = place.replace("$?", "$~");
        assert_eq!(text(&format!("<main>one{later}three</main>{fragment}")), "onetwothree");
        let named =
            fragment.replace("S:0", "S:9") + "<template data-rci data-bid=B:0 data-sid=S:9></template>";
        assert_eq!(text(&format!("<main>one{place}three</main>{named}")), "onetwothree");
        let inner = place.replace("now", "<!--$-->a<!--/$-->now");
        assert_eq!(text(&format!("<main>one{inner}three</main>{fragment}")), "onetwothree");
        // without the comments, nothing is removed
        assert_eq!(text(&format!("<p>one<template id=B:0></template>a</p>{fragment}")), "onetwoa");
        assert_eq!(text(&format!("<p>one<template id=P:0></template>a<!--/$--></p>{fragment}")), "onetwoa");
    }

    #[test]
    fn rows_and_words_keep_their_context() {
        let place = "<!--$?--><template id=B:0></template><!--/$-->";
        let table = format!("<table><tbody><tr><td>one</td></tr>{place}</tbody></table>");
        for fragment in [
            "<table hidden><tbody id=S:0><tr><td>two</td></tr></tbody></table>",
            "<table hidden id=S:0><tbody><tr><td>two</td></tr></tbody></table>",
        ] {
            let doc = crate::parse_str(&format!("{table}{fragment}"));
            let rows: Vec<_> = doc.elements_with(|tag| tag == crate::Tag::TR).collect();
            assert!(rows.len() == 2 && doc.parent(rows[0]) == doc.parent(rows[1]), "{fragment}");
        }
        let doc = crate::parse_str(&format!("<p>one {place} three</p><div hidden id=S:0>two</div>"));
        let blocks = crate::blocks::Blocks::new(&doc, crate::blocks::REGISTRY[0], crate::Visibility::Visible);
        assert_eq!(blocks.join(|_| true), "one two three");
    }

    #[test]
    fn scripts_name_the_places() {
        let page = "<main><!--$?--><template id=x-B:a></template><!--/$-->b</main><div hidden id=x-S:7>a\
            <template id=P:3></template></div><div hidden id=S:2>c</div>";
        let script = r#"<script>function f(){}$RC("x-B:a","x-S:7");$RS('S:2','P:3')</script>"#;
        assert_eq!(text(&format!("{page}{script}")), "acb");
    }

    #[test]
    fn other_ids_are_no_fragments() {
        for id in ["S:", "S:x1", "SS:0", "s:0"] {
            let shown = super::is_fragment_id(id);
            assert_eq!(shown, id == "SS:0", "{id}");
        }
    }

    #[test]
    fn hostile_fragments_stay_in_place() {
        let deep = "<div>".repeat(300);
        let page =
            format!("{deep}<template id=B:0></template>a{}<div hidden id=S:0>{deep}b", "</div>".repeat(300));
        assert_eq!(text(&page), "ab");
        // the fragment is inside the template that it would replace
        assert_eq!(text("<template id=B:0><div hidden id=S:0>a</div></template>b"), "b");
    }
}
