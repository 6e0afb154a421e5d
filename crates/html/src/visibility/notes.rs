//! Rule: hidden footnotes and the text of collapsed admonitions are read. Many pages show a note only after a click on its
//! reference.

use crate::structure::names::{Role, has_role};
use crate::structure::notes::names_of_notes;
use crate::tag::Tag;
use crate::visibility::element::Element;
use crate::visibility::{APART, CLOSED, HIDDEN, INVISIBLE, Walk};

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    if flags & (HIDDEN | CLOSED) != 0
        && element.tag == Tag::SPAN
        && has_role(walk.doc, element.node, Role::InlineNote)
    {
        return flags & !(HIDDEN | CLOSED | INVISIBLE | APART);
    }
    let is_hidden = flags & (HIDDEN | CLOSED) == HIDDEN;
    if !is_hidden || !matches!(element.tag, Tag::ASIDE | Tag::DIV | Tag::LI | Tag::P) {
        return flags;
    }
    let is_callout = |n| walk.doc.attribute(n, "data-callout").is_some();
    if element.tag == Tag::DIV && walk.doc.parent(element.node).is_some_and(is_callout) {
        return flags & !(HIDDEN | INVISIBLE | APART);
    }
    let Some(id) = walk.doc.attribute(element.node, "id") else { return flags };
    let names = walk.notes.get_or_init(|| names_of_notes(walk.doc));
    if names.contains(id) { flags & !(HIDDEN | INVISIBLE | APART) } else { flags }
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    #[test]
    fn notes_with_a_reference_are_shown() {
        let note = "<aside id=n style='display:none'>b</aside>";
        assert_eq!(text(&format!("<p>Little<sup><a href=#n>1</a></sup>{note}")), "Little1b");
        assert_eq!(
            text(&format!("<p>Little<span class=fna-ref data-definition=n><a href=#>*</a></span>{note}")),
            "Little*b"
        );
    }

    #[test]
    fn collapsed_admonitions_and_notes_inside_the_line_are_shown() {
        assert!(text("<div data-callout=tip><p>a</p><div style='display:none'>b</div></div>").ends_with('b'));
        assert_eq!(text("<p>a<span role=tooltip class=footnote_tooltip>b</span>"), "ab");
    }

    #[test]
    fn other_hidden_elements_stay_hidden() {
        let menu = "<div id=n hidden>b</div>";
        assert_eq!(text(&format!("<p>Little <a href=#n>menu</a>{menu}")), "Little menu");
        assert_eq!(text(&format!("<p>Little<sup><a href=#m>1</a></sup>{menu}")), "Little1");
        let tip = "<div id=n role=tooltip>b</div>";
        assert_eq!(text(&format!("<p>Little<sup><a href=#n>1</a></sup>{tip}")), "Little1");
    }
}
