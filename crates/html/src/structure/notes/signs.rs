//! Markers of notes: numbers, letters and symbols such as `*` and `†`.

use crate::structure::names::{Role, has_role};
use crate::{Document, Kind, NodeId, Tag};

/// Maximum number of characters of a marker, without brackets.
const MAX_SIGN: usize = 4;

/// The text of an element, with each text node trimmed.
pub(super) fn sign_of(doc: &Document, node: NodeId) -> String {
    let texts = doc.descendants(node).filter(|&n| doc.kind(n) == Kind::Text);
    texts.map(|n| doc.text(n).trim()).collect()
}

/// Words of markers such as `[nb 1]`.
const WORDS: [&str; 8] = ["a", "anm", "fn", "n", "nb", "note", "nota", "notes"];

/// Whether `text` is a marker: a number, a lower-case letter or a symbol, with or without brackets. With brackets, it may
/// be an upper-case letter or a number after a word.
pub(super) fn is_sign(text: &str) -> bool {
    let sign = text.trim_matches(|c| "[]()^".contains(c));
    let is_number = sign.chars().all(|c| c.is_ascii_digit());
    let is_mark = sign.chars().all(|c| "*†‡§¶".contains(c));
    let has_brackets = text.starts_with('[') && text.ends_with(']');
    if has_brackets && let Some((word, number)) = sign.split_once(char::is_whitespace) {
        let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
        return is_number && number.len() <= MAX_SIGN && WORDS.contains(&word.to_ascii_lowercase().as_str());
    }
    let is_letter = |c: char| c.is_ascii_lowercase() || has_brackets && c.is_ascii_uppercase();
    let is_letter = sign.chars().count() == 1 && sign.chars().all(is_letter);
    !sign.is_empty() && sign.chars().count() <= MAX_SIGN && (is_number || is_mark || is_letter)
}

/// Whether the text of a link says that it leads back to the text.
pub(super) fn says_back(text: &str) -> bool {
    let is_word = |c: char| c.is_alphabetic() || c == ' ';
    matches!(
        text.trim_matches(|c: char| !is_word(c)).trim().to_lowercase().as_str(),
        "back" | "return" | "back to text" | "jump up" | "retour" | "zurück" | "volver"
    )
}

/// Whether an id or a URL fragment names a note or a reference to a note.
pub(super) fn is_note_name(name: &str) -> bool {
    let name = name.rsplit('#').next().unwrap_or(name).to_ascii_lowercase();
    let is_short = |prefix: &str| {
        let rest = name.trim_start_matches(['_', '-']).strip_prefix(prefix);
        rest.is_some_and(|rest| {
            rest.starts_with("ref") || rest.starts_with(|c: char| !c.is_ascii_alphabetic())
        })
    };
    name.contains("note")
        || name.contains("cite_")
        || ["bib", "fn", "ftn", "edn", "foot"].iter().any(|prefix| is_short(prefix))
}

/// Returns whether the text of a link is a marker, and the link is superscript, in brackets, or has the name
/// of a note reference.
pub(super) fn is_reference(doc: &Document, link: NodeId) -> bool {
    let texts =
        doc.descendants(link).filter(|&n| doc.kind(n) == Kind::Text).map(|n| doc.text(n).trim().len());
    // A marker with its brackets has few bytes, so longer texts need not be joined.
    if texts.take(MAX_SIGN).sum::<usize>() > 4 * MAX_SIGN {
        return false;
    }
    let text = sign_of(doc, link);
    if !is_sign(&text) {
        return false;
    }
    // a year in a list of references
    if text.len() == 4 && doc.attribute(link, "href").is_some_and(|href| href.contains("#bib")) {
        return false;
    }
    let is_raised = || {
        let mut around = doc.ancestors(link).take(2).chain(doc.children(link).take(1));
        around.any(|n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::SUP)
    };
    let around = || std::iter::once(link).chain(doc.parent(link));
    let is_named = || {
        around().any(|n| has_role(doc, n, Role::NoteReference))
            || doc.attribute(link, "role") == Some("doc-noteref")
            || doc.attribute(link, "href").is_some_and(|href| href.contains('#') && is_note_name(href))
            || around()
                .any(|n| doc.attribute(n, "id").is_some_and(|id| is_note_name(id) && id.contains("ref")))
    };
    let is_in_brackets = || text.starts_with('[') && text[1..].starts_with(|c: char| c.is_ascii_digit());
    is_raised() || is_in_brackets() || is_named()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_notes_are_told() {
        for name in [
            "#fn1",
            "_ftnref2",
            "x.html#footnote-1-77",
            "fnref:leeds",
            "cite_ref-Hall_1-0",
            "dr1note01",
            "_edn1",
            "FOOT1",
            "bib.bib1",
        ] {
            assert!(is_note_name(name), "{name}");
        }
        for name in ["", "#section-1", "fnord", "top", "cite", "footer", "bibliography"] {
            assert!(!is_note_name(name), "{name}");
        }
        assert!(
            is_sign("[12]")
                && is_sign("†")
                && is_sign("b")
                && !is_sign("ab")
                && !is_sign("12345")
                && !is_sign("[]")
                && is_sign("[nb 1]")
                && is_sign("[A]")
                && !is_sign("A")
                && !is_sign("nb 1")
                && !is_sign("[see 1]")
        );
    }
}
