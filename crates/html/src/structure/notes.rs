//! Recogniser of footnotes: references in the text, and the notes to which they link.

use crate::structure::names::{Role, has_role};
use crate::{Document, Kind, NodeId, Tag};
use rustc_hash::{FxHashMap, FxHashSet};

/// The footnotes of a page.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// The label of each note, by its element.
    definitions: FxHashMap<NodeId, String>,
    /// The label of each reference, by the link.
    references: FxHashMap<NodeId, String>,
}

/// Most characters of the sign of a note.
const MAX_SIGN: usize = 4;
/// Most notes of a page.
const MAX_NOTES: usize = 2_000;

impl Notes {
    /// Finds the notes of a page: links with the sign of a note to an element after them.
    pub fn of(doc: &Document) -> Self {
        let mut notes = Notes::default();
        let links = doc.elements_with(|tag| tag == Tag::A);
        let to_id = |link| Some((link, doc.attribute(link, "href")?.trim().strip_prefix('#')?));
        let candidates: Vec<(NodeId, &str)> = links
            .filter_map(to_id)
            .filter(|(link, id)| !id.is_empty() && is_reference(doc, *link))
            .take(MAX_NOTES)
            .collect();
        if candidates.is_empty() {
            return notes;
        }
        let by_id = ids(doc);
        let mut used: FxHashSet<String> = FxHashSet::default();
        for (link, id) in candidates {
            let Some(note) = by_id.get(id).and_then(|&n| note_of(doc, n)) else { continue };
            // A note is below its reference. A link from a note goes up.
            if note <= link || doc.ancestors(link).any(|n| n == note) {
                continue;
            }
            let sign = sign_of(doc, link);
            let own = sign.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
            let label = match notes.definitions.get(&note) {
                Some(label) => label.clone(),
                None if !own.is_empty() && !used.contains(&own) => own,
                None => {
                    let mut numbers = (notes.definitions.len() + 1..).map(|number| number.to_string());
                    numbers.find(|number| !used.contains(number)).unwrap_or_default()
                }
            };
            used.insert(label.clone());
            notes.definitions.insert(note, label.clone());
            notes.references.insert(link, label);
        }
        notes
    }

    /// The label of the note that an element is.
    pub fn definition(&self, node: NodeId) -> Option<&str> {
        self.definitions.get(&node).map(String::as_str)
    }

    /// The element of the note with a label.
    pub fn note(&self, label: &str) -> Option<NodeId> {
        self.definitions.iter().find(|(_, own)| *own == label).map(|(&note, _)| note)
    }

    /// The label of the note to which a link refers.
    pub fn reference(&self, link: NodeId) -> Option<&str> {
        self.references.get(&link).map(String::as_str)
    }

    /// Whether a link inside a note goes back to its reference: it has no words.
    pub fn is_back_link(&self, doc: &Document, link: NodeId) -> bool {
        if doc.tag(link) != Tag::A || self.definitions.is_empty() {
            return false;
        }
        let is_local = doc.attribute(link, "href").is_some_and(|h| h.trim().starts_with('#'));
        let in_note = || doc.ancestors(link).take(8).any(|n| self.definitions.contains_key(&n));
        is_local
            && in_note()
            && (has_role(doc, link, Role::BackLink)
                || sign_of(doc, link).chars().all(|c| !c.is_alphabetic() || c == '↩'))
    }
}

fn ids(doc: &Document) -> FxHashMap<&str, NodeId> {
    let mut ids = FxHashMap::default();
    for node in doc.elements_with(|_| true) {
        if let Some(id) = doc.attribute(node, "id").or_else(|| doc.attribute(node, "name")) {
            ids.entry(id).or_insert(node);
        }
    }
    ids
}

/// The element of a note: the target, or the item or paragraph that begins with it.
fn note_of(doc: &Document, target: NodeId) -> Option<NodeId> {
    let is_note =
        |&n: &NodeId| matches!(doc.tag(n), Tag::LI | Tag::P | Tag::DD | Tag::DIV | Tag::ASIDE | Tag::TD);
    doc.ancestors_and_self(target)
        .take(3)
        .take_while(|&n| !doc.tag(n).is_heading() && doc.tag(n) != Tag::BODY)
        .find(is_note)
}

/// The text of a link.
fn sign_of(doc: &Document, link: NodeId) -> String {
    let texts = doc.descendants(link).filter(|&n| doc.kind(n) == Kind::Text);
    texts.map(|n| doc.text(n).trim()).collect()
}

/// Whether a link has the sign of a note: a number, a letter or a mark, raised or in brackets.
fn is_reference(doc: &Document, link: NodeId) -> bool {
    let texts =
        doc.descendants(link).filter(|&n| doc.kind(n) == Kind::Text).map(|n| doc.text(n).trim().len());
    // A sign has some bytes with its brackets.
    if texts.take(MAX_SIGN).sum::<usize>() > 4 * MAX_SIGN {
        return false;
    }
    let text = sign_of(doc, link);
    let sign = text.trim_matches(|c| "[]()^".contains(c));
    if sign.is_empty() || sign.chars().count() > MAX_SIGN {
        return false;
    }
    let is_number = sign.chars().all(|c| c.is_ascii_digit());
    let is_mark = sign.chars().all(|c| "*†‡§¶".contains(c));
    let is_letter = sign.chars().count() == 1 && sign.chars().all(|c| c.is_ascii_lowercase());
    if !(is_number || is_mark || is_letter) {
        return false;
    }
    let is_raised = || {
        let mut around = doc.ancestors(link).take(2).chain(doc.children(link).take(1));
        around.any(|n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::SUP)
    };
    let is_named = || {
        has_role(doc, link, Role::NoteReference)
            || doc.attribute(link, "role") == Some("doc-noteref")
            || doc.parent(link).is_some_and(|n| has_role(doc, n, Role::NoteReference))
    };
    is_raised() || is_named() || text.starts_with('[') && is_number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    #[test]
    fn references_and_notes_have_the_same_label() {
        let doc = parse_str(
            "<p>a<sup><a href=#n1>1</a></sup> b<a class=footnote-ref href=#n2>*</a> <a href=#top>2</a>\
             <ol><li id=n1>one <a href=#r1>↩</a><li id=n2><p>two</ol>",
        );
        let notes = Notes::of(&doc);
        let links: Vec<_> = doc.elements_with(|tag| tag == Tag::A).collect();
        let items: Vec<_> = doc.elements_with(|tag| tag == Tag::LI).collect();
        assert_eq!(
            links.iter().map(|&l| notes.reference(l)).collect::<Vec<_>>(),
            [Some("1"), Some("2"), None, None]
        );
        assert_eq!(items.iter().map(|&n| notes.definition(n)).collect::<Vec<_>>(), [Some("1"), Some("2")]);
        assert!(notes.is_back_link(&doc, links[3]) && !notes.is_back_link(&doc, links[0]));
    }

    #[test]
    fn links_up_and_tables_of_contents_are_no_references() {
        let doc = parse_str("<p id=a>x<p><sup><a href=#a>1</a></sup><p><a href=#s>1</a><h2 id=s>s</h2>");
        let notes = Notes::of(&doc);
        assert!(notes.definitions.is_empty() && notes.references.is_empty());
    }
}
