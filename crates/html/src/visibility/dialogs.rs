//! Dialogs that are closed until something is pressed, told by their tag, their role or Bootstrap's names.
//!
//! Browsers hide `<dialog>` without `open` by themselves; a style sheet hides the others, which is not
//! looked at.

use crate::tag::Tag;
use crate::tree::{Document, NodeId};
use crate::visibility::declarations;

/// What an element's attributes say of a dialog.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Closed {
    is_modal: bool,
    fades: bool,
    is_dialog: bool,
    is_aria_hidden: bool,
    takes_no_focus: bool,
}

/// Names of a modal that is shown.
const SHOWN: [&str; 5] = ["show", "in", "open", "is-open", "active"];

/// Levels above a dialog that are looked at: a hostile page has as many dialogs as elements.
const MOST_LEVELS: usize = 16;

impl Closed {
    /// Looks at a class that has the word `modal`.
    pub fn class(&mut self, value: &str) {
        let mut is_shown = false;
        for name in value.split_ascii_whitespace() {
            self.is_modal |= name == "modal";
            self.fades |= name == "fade";
            is_shown |= SHOWN.contains(&name);
        }
        self.is_modal &= !is_shown;
    }

    /// Looks at a role.
    pub fn role(&mut self, value: &str) {
        self.is_dialog = matches!(value.trim(), "dialog" | "alertdialog");
    }

    /// Looks at `aria-hidden`.
    pub fn aria_hidden(&mut self, value: &str) {
        self.is_aria_hidden = is_true(value);
    }

    /// Looks at `tabindex`.
    pub fn tab_index(&mut self, value: &str) {
        self.takes_no_focus = value.trim() == "-1";
    }

    /// Whether the element `node`, all of whose attributes were looked at, is a closed dialog.
    pub fn is_closed(self, doc: &Document, node: NodeId) -> bool {
        if doc.tag(node) == Tag::DIALOG {
            return doc.attribute(node, "open").is_none();
        }
        let is_hidden_around = || {
            let mut around = doc.ancestors(node).take(MOST_LEVELS);
            around.any(|n| doc.attribute(n, "aria-hidden").is_some_and(is_true))
        };
        let is_open = || {
            let has = |name, is: fn(&str) -> bool| doc.attribute(node, name).is_some_and(is);
            !self.is_aria_hidden && (has("aria-modal", is_true) || has("style", is_displayed))
        };
        let is_closed = self.is_modal
            && (self.fades || self.is_dialog || self.is_aria_hidden || self.takes_no_focus)
            || self.is_dialog && (self.is_aria_hidden || is_hidden_around());
        is_closed && !is_open()
    }
}

/// Whether an inline style says how the element is shown.
fn is_displayed(style: &str) -> bool {
    let mut display = declarations(style).filter(|d| d.0.eq_ignore_ascii_case("display"));
    display.any(|d| !d.1.eq_ignore_ascii_case("none"))
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
    fn closed_dialogs_are_hidden_and_open_ones_are_not() {
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
            // judged where hidden text is
            assert_eq!(text(&doc, Visibility::Weighed), "Sign up", "{dialog}");
        }
    }

    #[test]
    fn a_closed_dialog_is_never_the_page() {
        let terms = "All terms and conditions. ".repeat(40);
        let doc = parse_str(&format!("<p>Little.</p><div class='modal fade'>{terms}</div>"));
        assert_eq!(text(&doc, Visibility::Visible), "Little.");
        let doc = parse_str(&format!("<p>Little.</p><div style=display:none>{terms}</div>"));
        assert!(text(&doc, Visibility::Visible).contains("terms"));
    }

    #[test]
    fn what_is_closed_within_hidden_elements_is_not_their_text() {
        let terms = "All terms and conditions. ".repeat(40);
        let within = format!("<div hidden>Menu<div class='modal fade'>{terms}</div></div>");
        let doc = parse_str(&format!("<p>Little text.</p>{}", within.repeat(9)));
        assert_eq!(text(&doc, Visibility::Visible), "Little text.");
        let doc = parse_str(&format!("{}<div hidden>The story itself.</div>", within.repeat(9)));
        assert!(text(&doc, Visibility::Visible).contains("The story itself."));
    }

    #[test]
    fn what_players_hold_is_not_shown() {
        let doc = parse_str("<p>Film: <video src=x>Your browser cannot play it.</video>");
        assert_eq!(text(&doc, Visibility::Visible), "Film: ");
        let doc = parse_str("<div>Before<video><p>Inside one two three.</p></video>After");
        assert_eq!(text(&doc, Visibility::Visible), "BeforeAfter");
    }
}
