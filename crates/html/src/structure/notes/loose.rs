//! Notes without links: superscript markers in the text, and notes below that begin with the same markers.

use super::{Found, MAX_NOTES, signs};
use crate::{Document, Kind, NodeId, Tag};

/// Headings of sections of notes, in lower case.
const HEADINGS: [&str; 32] = [
    "anmerkungen",
    "bilješke",
    "dipnotlar",
    "einzelnachweise",
    "endnoten",
    "endnotes",
    "footnote",
    "footnotes",
    "fotnoter",
    "fußnoten",
    "lábjegyzetek",
    "note",
    "noten",
    "noter",
    "notes",
    "notes de bas de page",
    "notas",
    "notas al pie",
    "notas de rodapé",
    "poznámky",
    "poznámky pod čarou",
    "przypisy",
    "references",
    "références",
    "viitteet",
    "voetnoten",
    "примечания",
    "сноски",
    "примітки",
    "脚注",
    "注释",
    "각주",
];

/// Maximum number of siblings after a heading or an `<hr>` that are searched for notes.
const MAX_AFTER: usize = 400;

/// Finds superscript markers in the text and the notes that belong to them. Numbers must count up from 1.
pub(super) fn find(doc: &Document) -> Vec<Found> {
    let is_raised = |&n: &NodeId| {
        doc.is_visible(n)
            && doc.children(n).count() == 1
            && signs::is_sign(&sign(doc, n))
            && !is_in_link(doc, n)
    };
    let raised: Vec<NodeId> =
        doc.elements_with(|tag| tag == Tag::SUP).filter(is_raised).take(MAX_NOTES).collect();
    let (begins, inside): (Vec<NodeId>, Vec<NodeId>) = raised.into_iter().partition(|&n| begins_line(doc, n));
    let mut references: Vec<(NodeId, String)> = Vec::new();
    for node in inside {
        let sign = sign(doc, node);
        let is_next = match sign.parse::<usize>() {
            Ok(number) => number == references.len() + 1,
            Err(_) => {
                references.iter().all(|(_, own)| *own != sign) && !sign.chars().all(char::is_alphabetic)
            }
        };
        if is_next {
            references.push((node, sign));
        }
    }
    let Some(&(first, _)) = references.first() else { return Vec::new() };
    let mut notes: Vec<(String, NodeId, NodeId)> = Vec::new();
    for begin in begins.into_iter().filter(|&n| n > first) {
        let Some(note) = doc.ancestors(begin).take(3).find(|&n| is_note(doc, n)) else { continue };
        notes.push((sign(doc, begin), begin, note));
    }
    if notes.is_empty() {
        notes = after_heading(doc, references[references.len() - 1].0);
    }
    let found: Vec<Found> = references
        .iter()
        .filter_map(|(reference, sign)| {
            let (_, begin, note) = notes.iter().find(|(own, _, note)| own == sign && note > reference)?;
            let is_outside = doc.ancestors(*reference).all(|n| n != *note);
            is_outside.then(|| Found {
                reference: *reference,
                begin: *begin,
                note: *note,
                sign: sign.clone(),
            })
        })
        .collect();
    // Exponents and ordinals have no notes: at least three quarters of the markers must have a note.
    if 4 * found.len() >= 3 * references.len() { found } else { Vec::new() }
}

/// The marker in a superscript, without brackets.
fn sign(doc: &Document, node: NodeId) -> String {
    signs::sign_of(doc, node).trim_matches(|c| "[]()".contains(c)).to_owned()
}

fn is_in_link(doc: &Document, node: NodeId) -> bool {
    let is_link =
        |n: NodeId| doc.kind(n) == Kind::Element && matches!(doc.tag(n), Tag::A | Tag::CODE | Tag::PRE);
    doc.ancestors(node).take(4).any(is_link)
}

fn is_note(doc: &Document, node: NodeId) -> bool {
    matches!(doc.tag(node), Tag::LI | Tag::P | Tag::DD | Tag::DIV | Tag::ASIDE | Tag::TD)
}

/// Returns whether no text precedes a node in its line, which starts with the paragraph or after a `<br>`.
pub(super) fn begins_line(doc: &Document, node: NodeId) -> bool {
    for at in doc.ancestors_and_self(node).take(3) {
        let before = doc.previous_siblings(at);
        let before = { before }.find(|&n| doc.kind(n) == Kind::Element || !doc.text(n).trim().is_empty());
        match before {
            Some(n) => return doc.kind(n) == Kind::Element && doc.tag(n) == Tag::BR,
            None if doc.parent(at).is_some_and(|n| is_note(doc, n)) => return true,
            None => {}
        }
    }
    false
}

/// Returns marker, first node and element of each note after a heading of notes, after an `<hr>`, or inside
/// an element with a class name for notes.
fn after_heading(doc: &Document, after: NodeId) -> Vec<(String, NodeId, NodeId)> {
    let begins_notes = |&n: &NodeId| {
        let tag = doc.tag(n);
        tag == Tag::HR
            || (tag.is_heading() || matches!(tag, Tag::P | Tag::SUMMARY)) && {
                let text = doc.descendants(n).take(8).map(|n| doc.text(n)).collect::<String>().to_lowercase();
                HEADINGS.contains(&text.trim().trim_end_matches(':').trim())
            }
    };
    let starts = doc.elements_with(|_| true).filter(|&n| n > after).filter(begins_notes);
    // Elements with a class name for notes need no heading.
    let is_named = |&n: &NodeId| {
        let class = doc.attribute(n, "class").unwrap_or_default();
        n > after && (class.contains("footnotes") || class.contains("endnotes"))
    };
    let named = doc
        .elements_with(|tag| matches!(tag, Tag::OL | Tag::DIV | Tag::ASIDE | Tag::SECTION))
        .filter(is_named);
    let mut lists: Vec<Vec<NodeId>> = Vec::new();
    lists.extend(starts.map(|start| {
        let siblings = doc.next_siblings(start).take(MAX_AFTER);
        siblings.filter(|&n| doc.kind(n) == Kind::Element).collect()
    }));
    lists.extend(named.map(|n| if doc.tag(n) == Tag::OL { vec![n] } else { doc.children(n).collect() }));
    lists
        .into_iter()
        .map(|elements| numbered(doc, &elements))
        .find(|notes| !notes.is_empty())
        .unwrap_or_default()
}

/// The notes among `elements`, up to the next heading: the items of the first `<ol>`, or elements that begin with a
/// number.
fn numbered(doc: &Document, elements: &[NodeId]) -> Vec<(String, NodeId, NodeId)> {
    let is_heading = |n: NodeId| doc.kind(n) == Kind::Element && doc.tag(n).is_heading();
    let section = elements.split(|&n| is_heading(n)).find(|part| !part.is_empty()).unwrap_or_default();
    if let Some(&list) = section.iter().find(|&&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::OL) {
        let start =
            doc.attribute(list, "start").and_then(|start| start.trim().parse().ok()).unwrap_or(1usize);
        let items = doc.children(list).filter(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::LI);
        return items
            .take(MAX_NOTES)
            .enumerate()
            .map(|(at, item)| ((start + at).to_string(), item, item))
            .collect();
    }
    let mut notes = Vec::new();
    for &node in section.iter().filter(|&&n| doc.kind(n) == Kind::Element && is_note(doc, n)) {
        let is_text = |&n: &NodeId| !doc.text(n).trim().is_empty();
        let Some(first) = doc.descendants(node).find(is_text) else { continue };
        let Some(number) = number_at_start(doc.text(first)) else { continue };
        notes.push((number.to_owned(), node, node));
        // further notes may follow line breaks
        let lines = doc.children(node).skip(1).filter(is_text).filter(|&n| n != first && begins_line(doc, n));
        let further =
            lines.filter_map(|line| Some((number_at_start(doc.text(line))?.to_owned(), line, node)));
        notes.extend(further.take(MAX_NOTES));
    }
    notes
}

/// The number of a note at the start of its text: before a sign, before a capital letter, or alone.
fn number_at_start(text: &str) -> Option<&str> {
    let digits = text.trim_start().trim_start_matches(['[', '(']);
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = digits.split_at(len);
    let begins_sentence = || {
        rest.starts_with(char::is_whitespace)
            && rest.trim_start().starts_with(|c: char| c.is_uppercase() || c == 'h' && rest.contains("://"))
    };
    let ends = rest.trim().is_empty() || rest.starts_with([']', ')', '.', ':']) || begins_sentence();
    ((1..=3).contains(&len) && ends).then_some(number)
}

#[cfg(test)]
mod tests {
    use crate::structure::notes::Notes;
    use crate::{Kind, parse_str};

    /// The numbers of references and of notes.
    fn of(html: &str) -> (usize, usize) {
        let doc = parse_str(html);
        let notes = Notes::new(&doc);
        let elements = || doc.descendants(0).filter(|&n| doc.kind(n) == Kind::Element);
        let num_notes = elements().filter(|&n| notes.definition(n).or(notes.begin(n)).is_some()).count();
        (elements().filter(|&n| notes.reference(n).is_some()).count(), num_notes)
    }

    #[test]
    fn raised_numbers_have_notes_with_the_same_numbers() {
        let text = "<p>a<sup>1</sup> b<sup>2</sup> c";
        assert_eq!(of(&format!("{text}<hr><p><sup>1</sup> d<p><sup>2</sup> e")), (2, 2));
        assert_eq!(of(&format!("{text}<p><sup>1</sup> d<br><sup>2</sup> e")), (2, 2));
        assert_eq!(of(&format!("{text}<h3>Anmerkungen:</h3><ol><li>d<li>e</ol>")), (2, 2));
        assert_eq!(of(&format!("{text}<hr><p><b>1</b> d<p><b>2</b> e")), (2, 2));
        assert_eq!(of(&format!("{text}<h4>Notes</h4><p>1. d<p>[2] e<p>3 men")), (2, 2));
        assert_eq!(of(&format!("{text}<p><b>Footnotes</b><p>1. d<p>2. e")), (2, 2));
        assert_eq!(of(&format!("{text}<h2>References</h2><ol><li>d<li>e</ol>")), (2, 2));
        assert_eq!(of(&format!("{text}<div class=footnotes><h3>Notes</h3><p>1 D<p>2 E</div>")), (2, 2));
        assert_eq!(of(&format!("{text}<aside class=footnotes><ol><li>d<li>e</ol></aside>")), (2, 2));
        assert_eq!(of("<p>a<sup>*</sup> b<p><sup>*</sup> c"), (1, 1));
    }

    #[test]
    fn powers_and_ordinals_are_no_notes() {
        for html in [
            "<p>10 m<sup>2</sup> and x<sup>1</sup><p>a",
            "<p>a<sup>1</sup><h3>Steps</h3><ol><li>b</ol>",
            "<p>2<sup>n</sup><p><sup>n</sup> b",
            "<p>a<sup>1</sup> b<sup>2</sup> c<sup>3</sup><hr><p><sup>1</sup> d",
            "<p><sup>1</sup> a<p>b<sup>1</sup>",
        ] {
            assert_eq!(of(html), (0, 0), "{html}");
        }
    }
}
