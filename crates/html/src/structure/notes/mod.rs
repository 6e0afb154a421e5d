//! Recogniser of footnotes: references in the text, and the notes to which they refer.

mod loose;
mod signs;

use crate::structure::names::{Role, has_role};
use crate::{Document, Kind, NodeId, Tag};
use rustc_hash::{FxHashMap, FxHashSet};
use signs::{is_reference, sign_of};

/// The footnotes of a page.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// The label of each note, by the element of the note. If an element contains several notes, this is the label
    /// of the first.
    definitions: FxHashMap<NodeId, String>,
    /// The label of each reference, by its link or superscript.
    references: FxHashMap<NodeId, String>,
    /// If an element contains several notes, the labels of all but the first, by the node at which the note begins.
    begins: FxHashMap<NodeId, String>,
    /// The element of each note, by its label.
    elements: FxHashMap<String, NodeId>,
    /// Headings, terms and cells whose whole text is the marker of the note after them.
    numbers: FxHashSet<NodeId>,
}

/// Maximum number of notes per page.
const MAX_NOTES: usize = 2_000;
/// Maximum number of nodes of a note that are searched for headings.
const MAX_NODES: usize = 200;

/// A reference, the node at which its note begins, the element of the note, and the marker of the reference.
struct Found {
    reference: NodeId,
    begin: NodeId,
    note: NodeId,
    sign: String,
}

impl Notes {
    /// Finds the notes of a page: links whose text is a note marker and whose target is below them. If there are
    /// none, finds superscript markers and the notes that begin with the same markers.
    pub fn new(doc: &Document) -> Self {
        let mut notes = Notes::default();
        let found = linked(doc, &mut notes);
        let found = if found.is_empty() { loose::find(doc) } else { found };
        notes.add(found);
        notes
    }

    /// Gives each note a label: its own marker, or a number if the marker is empty or taken.
    fn add(&mut self, found: Vec<Found>) {
        let mut used: FxHashSet<String> = FxHashSet::default();
        let mut labels: FxHashMap<(NodeId, String), String> = FxHashMap::default();
        let mut begins: FxHashMap<NodeId, Vec<(NodeId, String)>> = FxHashMap::default();
        for Found { reference, begin, note, sign } in found {
            let own = sign.trim_matches(|c: char| !c.is_alphanumeric()).replace(char::is_whitespace, "");
            // One element may contain several notes, which have different markers.
            let key = (note, if begin == note { String::new() } else { sign });
            let is_new = !labels.contains_key(&key);
            let label = labels.entry(key).or_insert_with(|| {
                if !own.is_empty() && !used.contains(&own) {
                    return own;
                }
                let mut numbers = (used.len() + 1..).map(|number| number.to_string());
                numbers.find(|number| !used.contains(number)).unwrap_or_default()
            });
            used.insert(label.clone());
            if is_new {
                begins.entry(note).or_default().push((begin, label.clone()));
                self.elements.insert(label.clone(), note);
            }
            self.references.insert(reference, label.clone());
        }
        for (note, mut inside) in begins {
            inside.sort_by_key(|(begin, _)| *begin);
            let mut inside = inside.into_iter();
            if let Some((_, label)) = inside.next() {
                self.definitions.insert(note, label);
            }
            self.begins.extend(inside);
        }
    }

    /// The label of the note whose element is `node`.
    pub fn definition(&self, node: NodeId) -> Option<&str> {
        self.definitions.get(&node).map(String::as_str)
    }

    /// The label of the note that begins at `node`, inside an element that contains several notes.
    pub fn begin(&self, node: NodeId) -> Option<&str> {
        self.begins.get(&node).map(String::as_str)
    }

    /// The element of the note with the given label.
    pub fn note(&self, label: &str) -> Option<NodeId> {
        self.elements.get(label).copied()
    }

    /// Each reference with the element of its note.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.references.iter().filter_map(|(&reference, label)| Some((reference, self.note(label)?)))
    }

    /// The label of the note to which a link or a superscript refers.
    pub fn reference(&self, node: NodeId) -> Option<&str> {
        self.references.get(&node).map(String::as_str)
    }

    /// Whether the whole text of a heading, a term or a cell is the marker of the note after it.
    pub fn is_number(&self, element: NodeId) -> bool {
        self.numbers.contains(&element)
    }

    /// Whether an element inside a note is the link back to the reference: a link without letters, or an element
    /// named as a back link.
    pub fn is_back_link(&self, doc: &Document, node: NodeId) -> bool {
        if self.definitions.is_empty() {
            return false;
        }
        let in_note = || doc.ancestors(node).take(8).any(|n| self.definitions.contains_key(&n));
        if doc.tag(node) != Tag::A {
            return has_role(doc, node, Role::BackLink) && in_note();
        }
        let is_local = doc.attribute(node, "href").is_some_and(|href| {
            let href = href.trim();
            href.starts_with('#') || href.contains('#') && has_role(doc, node, Role::BackLink)
        });
        let has_no_words = || {
            let text = sign_of(doc, node);
            text.chars().all(|c| !c.is_alphabetic() || c == '↩')
                || signs::is_sign(&text)
                || signs::says_back(&text)
        };
        let is_sign = || {
            let is_local = doc.attribute(node, "href").is_some_and(|href| href.contains('#'));
            is_local && has_no_words() && signs::is_note_name(doc.attribute(node, "href").unwrap_or_default())
        };
        let is_back = || is_local && (has_role(doc, node, Role::BackLink) || has_no_words()) || is_sign();
        self.reference(node).is_none() && is_back() && in_note()
    }
}

/// The notes that are targets of links.
fn linked(doc: &Document, notes: &mut Notes) -> Vec<Found> {
    let links = || doc.elements_with(|tag| tag == Tag::A);
    let candidates: Vec<NodeId> = links().filter(|&link| is_reference(doc, link)).take(MAX_NOTES).collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let by_id = ids(doc);
    let mut back: FxHashMap<String, NodeId> = FxHashMap::default();
    for link in links() {
        if let Some(name) = fragment(doc, link).filter(|name| name.contains("ref")) {
            back.entry(name.replace("ref", "")).or_insert(link);
        }
    }
    let mut found = Vec::new();
    for link in candidates {
        let Some(target) = target_of(doc, link, &by_id, &back) else { continue };
        let Some(note) = note_of(doc, target, notes) else { continue };
        // A note is below its reference. Links from a note back to the text point upwards.
        if note <= link || doc.ancestors(link).any(|n| n == note) {
            continue;
        }
        let begin = if doc.ancestors(target).any(|n| n == note) { target } else { note };
        found.push(Found { reference: with_brackets(doc, link), begin, note, sign: sign_of(doc, link) });
    }
    tell_apart(doc, &mut found);
    found
}

/// The superscript around a link that contains only the link and brackets, or else the link.
fn with_brackets(doc: &Document, link: NodeId) -> NodeId {
    let is_around = |&n: &NodeId| {
        doc.tag(n) == Tag::SUP && {
            let (inner, outer) = (sign_of(doc, link), sign_of(doc, n));
            outer.len() > inner.len() && outer.trim_matches(|c| "[]()".contains(c)) == inner
        }
    };
    doc.parent(link).filter(is_around).unwrap_or(link)
}

/// Finds the beginning of each note if several references have one target, which contains all of the notes.
fn tell_apart(doc: &Document, found: &mut [Found]) {
    let mut signs: FxHashMap<NodeId, FxHashSet<&str>> = FxHashMap::default();
    for one in found.iter().filter(|one| one.begin == one.note) {
        signs.entry(one.note).or_default().insert(&one.sign);
    }
    let shared: FxHashSet<NodeId> =
        signs.into_iter().filter(|(_, signs)| signs.len() > 1).map(|(note, _)| note).collect();
    for one in found.iter_mut().filter(|one| one.begin == one.note && shared.contains(&one.note)) {
        let is_begin =
            |&n: &NodeId| doc.tag(n) == Tag::SUP && loose::begins_line(doc, n) && sign_of(doc, n) == one.sign;
        let begin = doc.descendants(one.note).take(MAX_NODES).find(is_begin);
        one.begin = begin.unwrap_or(one.note);
    }
}

/// The fragment of a link's address. The part before `#` is ignored, because many pages repeat their URL
/// there.
fn fragment(doc: &Document, link: NodeId) -> Option<&str> {
    let (_, name) = doc.attribute(link, "href")?.trim().rsplit_once('#')?;
    (!name.is_empty()).then_some(name)
}

/// The target element of a reference. If the link has a fragment, this is the element whose id is the
/// fragment, or the link that leads back to the reference. Otherwise, it is the element whose id is the id of
/// the reference without `ref`, or the element whose id is in a data attribute.
fn target_of(
    doc: &Document,
    link: NodeId,
    by_id: &FxHashMap<&str, NodeId>,
    back: &FxHashMap<String, NodeId>,
) -> Option<NodeId> {
    if let Some(name) = fragment(doc, link) {
        return by_id.get(name).or_else(|| back.get(name)).copied();
    }
    let of_id = |n: NodeId| {
        let id = doc.attribute(n, "id").filter(|id| id.contains("ref"))?;
        by_id.get(&*id.replace("ref", "")).copied()
    };
    let around = || std::iter::once(link).chain(doc.parent(link));
    around()
        .find_map(of_id)
        .or_else(|| around().flat_map(|n| names_in_data(doc, n)).find_map(|name| by_id.get(name).copied()))
}

/// The ids that the data attributes of a reference name.
fn names_in_data(doc: &Document, node: NodeId) -> impl Iterator<Item = &str> {
    let names = ["data-definition", "data-footnote", "data-note", "data-target", "aria-describedby"];
    names.into_iter().filter_map(move |name| Some(doc.attribute(node, name)?.trim_start_matches('#')))
}

/// The ids that the references of a page name.
pub(crate) fn names_of_notes(doc: &Document) -> FxHashSet<&str> {
    let links =
        doc.elements_with(|tag| tag == Tag::A).filter(|&link| is_reference(doc, link)).take(MAX_NOTES);
    let names = |link: NodeId| {
        let around = std::iter::once(link).chain(doc.parent(link));
        fragment(doc, link).into_iter().chain(around.flat_map(|n| names_in_data(doc, n)))
    };
    links.flat_map(names).collect()
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

/// The element of the note at `target`: the item, paragraph or box around the target, or the element after a
/// heading, a term or a cell whose text is a marker.
fn note_of(doc: &Document, target: NodeId, notes: &mut Notes) -> Option<NodeId> {
    let is_note =
        |&n: &NodeId| matches!(doc.tag(n), Tag::LI | Tag::P | Tag::DD | Tag::DIV | Tag::ASIDE | Tag::TD);
    let is_heading = |n: NodeId| doc.kind(n) == Kind::Element && doc.tag(n).is_heading();
    if let Some(heading) = doc.ancestors_and_self(target).take(3).find(|&n| is_heading(n)) {
        if !signs::is_sign(&sign_of(doc, heading)) {
            return None;
        }
        let mut after = doc.next_siblings(heading);
        let note = after.find(|&n| doc.kind(n) == Kind::Element).filter(is_note)?;
        notes.numbers.insert(heading);
        return Some(note);
    }
    let label = doc.ancestors_and_self(target).take(2).find_map(|n| match doc.tag(n) {
        Tag::DT => Some(n),
        Tag::TABLE => doc.descendants(n).take(16).find(|&n| doc.tag(n) == Tag::TD),
        _ => None,
    });
    if let Some(label) = label.filter(|&label| signs::is_sign(&sign_of(doc, label))) {
        let mut after = doc.next_siblings(label);
        let note = after.find(|&n| doc.kind(n) == Kind::Element).filter(is_note)?;
        notes.numbers.insert(label);
        return Some(note);
    }
    let around = doc.ancestors_and_self(target).take(3).take_while(|&n| doc.tag(n) != Tag::BODY);
    let note = { around }.find(is_note)?;
    // an element with a heading is a section, not a note
    (!doc.descendants(note).take(MAX_NODES).any(is_heading)).then_some(note)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    /// Returns the labels of the references and of the notes, and the element of each note.
    fn of(html: &str) -> String {
        let doc = parse_str(html);
        let notes = Notes::new(&doc);
        let mut out = Vec::new();
        for node in doc.descendants(0).filter(|&n| doc.kind(n) == Kind::Element) {
            let name = doc.name(node);
            out.extend(notes.reference(node).map(|label| format!("{name}{label}")));
            out.extend(notes.definition(node).map(|label| format!("{name}:{label}")));
            out.extend(notes.begin(node).map(|label| format!("{name};{label}")));
        }
        out.join(" ")
    }

    #[test]
    fn references_and_notes_have_the_same_label() {
        let doc = parse_str(
            "<p>a<sup><a href=#n1>1</a></sup> b<a class=footnote-ref href=#n2>*</a> <a href=#top>2</a>\
             <ol><li id=n1>one <a href=#r1>↩</a><li id=n2><p>two</ol>",
        );
        let notes = Notes::new(&doc);
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
    fn references_are_named_by_ids_and_addresses() {
        let note = "<ol><li id='fn:x'>a</ol>";
        assert_eq!(of(&format!("<p>a<span id='fnref:x'><a href='#fn:x'>1</a></span>{note}")), "a1 li:1");
        assert_eq!(
            of(&format!("<p>a<a class=footnote-anchor href='https://a.example/b#fn:x'>3</a>{note}")),
            "a3 li:3"
        );
        assert_eq!(
            of("<p>a<sup><a id=noteref-1 href='javascript:;'>1</a></sup><div id=note-1>b</div>"),
            "a1 div:1"
        );
        assert_eq!(of("<p>a<a href=#_ftn1>[1]</a><p><a href=#_ftnref1>[1]</a> b"), "a1 p:1");
        assert_eq!(of(&format!("<p>a <a href='#fn:x'>see</a>{note}")), "");
        assert_eq!(of("<p>a<a href=/b#c>1</a><p id=c>b"), "");
    }

    #[test]
    fn notes_of_one_element_and_below_headings_are_told() {
        let two = "<p>a<sup><a href=#x>1</a></sup> b<sup><a href=#y>2</a></sup><p><a name=x>1</a> c<br><a name=y>2</a> d";
        assert_eq!(of(two), "a1 a2 p:1 a;2");
        let heading = "<p>a<sup><a href=#x>1</a></sup><h5><a id=x href=#r>(1)</a></h5><p>b";
        assert_eq!(of(heading), "a1 p:1");
        let shared = "<p>a<sup><a href=#x>1</a></sup> b<sup><a href=#x>2</a></sup><p id=x><sup>1</sup> c<br><sup>2</sup> d";
        assert_eq!(of(shared), "a1 a2 p:1 sup;2");
        let link = "<p>a<a class=footnote-reference href=#x>1</a>";
        assert_eq!(of(&format!("{link}<dl><dt id=x><a href=#r>1</a><dd>b</dl>")), "a1 dd:1");
        assert_eq!(of(&format!("{link}<table id=x><tr><td><a href=#r>[1]</a><td>b</table>")), "a1 td:1");
        assert_eq!(of("<p>a<sup>[<a href=#x>1</a>]</sup><p id=x>b"), "sup1 p:1");
    }

    #[test]
    fn links_up_and_tables_of_contents_are_no_references() {
        let doc = parse_str("<p id=a>x<p><sup><a href=#a>1</a></sup><p><a href=#s>1</a><h2 id=s>s</h2>");
        let notes = Notes::new(&doc);
        assert!(notes.definitions.is_empty() && notes.references.is_empty());
        assert_eq!(of("<p>a<sup><a href=#notes>1</a></sup><div id=notes><h2>Notes</h2><p>b</div>"), "");
    }
}
