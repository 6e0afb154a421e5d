//! Rule: closed dialogs are hidden, and so is the fallback content of media players and `<canvas>`.
//!
//! A dialog is recognised by its tag, its role, or Bootstrap's class names. Browsers hide a `<dialog>`
//! without the attribute `open`. Other closed dialogs are hidden by style sheets. Style sheets are not read,
//! so attributes and class names determine whether a dialog is closed.

use crate::style;
use crate::tag::Tag;
use crate::text::word_list::word_list;
use crate::tree::{Document, NodeId};
use crate::visibility::element::Element;
use crate::visibility::{CLOSED, HIDDEN, Walk};

/// Other elements whose content is a fallback (`progress`, `meter`) or a list of suggestions for a form field
/// (`datalist`).
const FALLBACKS: [&str; 3] = ["progress", "meter", "datalist"];

/// Class names of a modal dialog that is open.
const SHOWN: &[&str] = &word_list!("shown_modal_classes.txt");

/// Maximum number of ancestors of a dialog that are searched. This bounds the time on hostile pages, where
/// every element may be a dialog.
const MAX_LEVELS: usize = 16;

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    // content inside these elements is a fallback for browsers that do not support them
    let is_player = matches!(element.tag, Tag::VIDEO | Tag::AUDIO | Tag::CANVAS)
        || usize::from(element.tag.0) >= Tag::NUM_KNOWN
            && FALLBACKS.contains(&walk.doc.tag_name(element.tag));
    if is_player || !element.contains_page() && is_closed(walk.doc, element) {
        flags | HIDDEN | CLOSED
    } else {
        flags
    }
}

/// Whether an element is a closed dialog.
fn is_closed(doc: &Document, element: &Element<'_>) -> bool {
    let node = element.node;
    if element.tag == Tag::DIALOG {
        return doc.attribute(node, "open").is_none();
    }
    let (is_modal, fades) = element.modal_class.map_or((false, false), modal_class);
    let is_dialog = element.role.is_some_and(|role| matches!(role.trim(), "dialog" | "alertdialog"));
    if !is_modal && !is_dialog {
        return false;
    }
    let is_aria_hidden = element.aria_hidden.is_some_and(is_true);
    let takes_no_focus = element.tab_index.is_some_and(|index| index.trim() == "-1");
    let is_inside_hidden = || {
        let mut ancestors = doc.ancestors(node).take(MAX_LEVELS);
        ancestors.any(|n| doc.attribute(n, "aria-hidden").is_some_and(is_true))
    };
    let is_open = || {
        let has = |name, is: fn(&str) -> bool| doc.attribute(node, name).is_some_and(is);
        !is_aria_hidden && (has("aria-modal", is_true) || is_displayed(doc, node))
    };
    let is_closed = is_modal && (fades || is_dialog || is_aria_hidden || takes_no_focus)
        || is_dialog && (is_aria_hidden || is_inside_hidden());
    is_closed && !is_open()
}

/// Returns two values: whether the class names are those of a modal dialog that is not open, and whether they contain
/// `fade`.
fn modal_class(value: &str) -> (bool, bool) {
    let (mut is_modal, mut fades, mut is_shown) = (false, false, false);
    for name in value.split_ascii_whitespace() {
        is_modal |= name == "modal";
        fades |= name == "fade";
        is_shown |= SHOWN.contains(&name);
    }
    (is_modal && !is_shown, fades)
}

/// Whether the inline style sets `display` to a value other than `none`.
fn is_displayed(doc: &Document, node: NodeId) -> bool {
    style::property(doc, node, "display").is_some_and(|display| display != "none")
}

fn is_true(value: &str) -> bool {
    value.trim().eq_ignore_ascii_case("true")
}

#[cfg(test)]
mod tests {
    use crate::{Document, Kind, Visibility, parse_str};

    fn text(doc: &Document, visibility: Visibility) -> String {
        let shown = |&n: &u32| doc.kind(n) == Kind::Text && doc.is_shown(n, visibility);
        doc.descendants(0).filter(shown).map(|n| doc.text(n)).collect()
    }

    #[test]
    fn closed_dialogs_are_hidden_and_open_ones_shown() {
        for (dialog, is_closed) in [
            ("<dialog>", true),
            ("<dialog open>", false),
            ("<div class='modal fade'>", true),
            ("<div class='modal fade show'>", false),
            ("<div class='modal fade in'>", false),
            ("<div class=modal>", false),
            ("<div class='big modal' tabindex=-1>", true),
            ("<div class=modal role=dialog>", true),
            ("<div class=modal aria-hidden=true>", true),
            ("<div class=modal-body aria-hidden=true>", false),
            ("<div role=dialog>", false),
            ("<div role=dialog aria-hidden=true>", true),
            ("<div role=alertdialog aria-hidden=false>", false),
            ("<div aria-hidden=true><div><div role=dialog>", true),
            ("<div aria-hidden=true>", false),
            ("<article class='modal fade'>", false),
            ("<div class='modal fade' style='color: red; display: block'>", false),
            ("<div class='modal fade' style='display:none'>", true),
            ("<div class='modal fade' style='display:none !important'>", true),
            ("<div class='modal fade' aria-modal=true role=dialog>", false),
            ("<div class='modal fade' aria-modal=true aria-hidden=true>", true),
        ] {
            let doc = parse_str(&format!("{dialog}Sign up"));
            assert_eq!(text(&doc, Visibility::Visible).is_empty(), is_closed, "{dialog}");
        }
    }

    #[test]
    fn a_closed_dialog_is_never_revealed() {
        let terms = "All terms and conditions. ".repeat(40);
        let doc = parse_str(&format!("<p>Little.</p><div class='modal fade'>{terms}</div>"));
        assert_eq!(text(&doc, Visibility::Visible), "Little.");
        let doc = parse_str(&format!("<p>Little.</p><div style=display:none>{terms}</div>"));
        assert!(text(&doc, Visibility::Visible).contains("terms"));
    }

    #[test]
    fn closed_dialogs_do_not_count_for_hidden_elements() {
        let terms = "All terms and conditions. ".repeat(40);
        let within = format!("<div hidden>Menu<div class='modal fade'>{terms}</div></div>");
        let doc = parse_str(&format!("<p>Little text.</p>{}", within.repeat(9)));
        assert_eq!(text(&doc, Visibility::Visible), "Little text.");
        let doc = parse_str(&format!("{}<div hidden>The story itself.</div>", within.repeat(9)));
        assert!(text(&doc, Visibility::Visible).contains("The story itself."));
    }

    #[test]
    fn the_content_of_players_is_hidden() {
        let doc = parse_str("<p>Film: <video src=x>Your browser cannot play it.</video>");
        assert_eq!(text(&doc, Visibility::Visible), "Film: ");
        let doc = parse_str("<p>Chart: <canvas>Your browser cannot draw it.</canvas>");
        assert_eq!(text(&doc, Visibility::Visible), "Chart: ");
        let doc = parse_str("<p>Done: <progress>70 %</progress><datalist><option>Oslo</datalist>");
        assert_eq!(text(&doc, Visibility::Visible), "Done: ");
        let doc = parse_str("<div>Before<video><p>Inside one two three.</p></video>After");
        assert_eq!(text(&doc, Visibility::Visible), "BeforeAfter");
    }
}
