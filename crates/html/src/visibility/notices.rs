//! Rule: notices that ask the reader to enable scripts or to use another browser are excluded. They are recognised by
//! their place (`<noscript>`), or by their names and role.

use crate::tag::Tag;
use crate::text::name_words;
use crate::text::word_list::word_list;
use crate::tree::{Document, NodeId};
use crate::visibility::element::Element;
use crate::visibility::{EXCLUDED, Walk, letters};

/// A text with fewer letters than this may be a notice.
pub(super) const NOTICE: usize = 300;
/// A text that contains a word of [`SCRIPTS`] and has fewer letters than this may be a notice.
const NAMING_NOTICE: usize = 1500;
/// Words for scripts in notices. Many languages use the first one.
const SCRIPTS: &[&str] = &word_list!("notices/scripts.txt");
/// Names of notices, in lower case and without `-` and `_`.
const NAMES: &[&str] = &word_list!("notices/names.txt");
/// Words in the names of messages.
const MESSAGES: &[&str] = &word_list!("notices/messages.txt");

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    let is_notice = element.may_be_notice && !element.contains_page() && is_named_notice(walk.doc, element);
    if is_notice { flags | EXCLUDED } else { flags }
}

/// Whether the names and the role of an element are those of a notice.
fn is_named_notice(doc: &Document, element: &Element<'_>) -> bool {
    let of = |name: &str| doc.attribute(element.node, name).unwrap_or_default();
    let (mut is_named, mut is_message) = (false, matches!(element.role, Some("alert" | "alertdialog")));
    for name in of("class").split_ascii_whitespace().chain([of("id")]) {
        let mut joined = String::new();
        name_words::for_each(name, char::is_alphanumeric, |word| {
            joined.push_str(word);
            is_message |= MESSAGES.contains(&word);
        });
        is_named |= NAMES.iter().any(|name| joined.starts_with(name));
    }
    is_named && is_message && letters::are_fewer(doc, element.node, NOTICE)
}

/// Whether the text of a `<noscript>` is a notice that asks the reader to enable scripts. Otherwise, it is content.
pub(super) fn is_notice(doc: &Document, text: &str) -> bool {
    let num_letters = letters::outside_tags(text);
    has_scripts(doc) && (num_letters < NOTICE || num_letters < NAMING_NOTICE && names_scripts(text))
}

pub(super) fn has_scripts(doc: &Document) -> bool {
    doc.elements_with(|tag| tag == Tag::SCRIPT).next().is_some()
}

/// Whether a text contains a word of [`SCRIPTS`].
pub(super) fn names_scripts(text: &str) -> bool {
    let text = text.to_lowercase();
    SCRIPTS.iter().any(|word| text.contains(word))
}

/// Whether a `<noscript>` contains a word of [`SCRIPTS`].
pub(super) fn has_notice(doc: &Document) -> bool {
    let noscript = doc.elements_with(|tag| tag == Tag::NOSCRIPT).flat_map(|node| doc.children(node));
    noscript.map(|text: NodeId| doc.text(text)).any(names_scripts)
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    #[test]
    fn named_notices_are_excluded() {
        for (attributes, is_notice) in [
            ("class=no-js-message", true),
            ("class='x noJs' role=alert", true),
            ("id=noscript-warning", true),
            ("class=browserupgrade", true),
            ("class=js-disabled-notice", true),
            ("class=no-js", false),
            ("class=warning", false),
            ("class=nojs-tabs", false),
        ] {
            let shown = text(&format!("<p>Canal</p><div {attributes}><b>Activez</b> les scripts.</div>"));
            assert_eq!(shown == "Canal", is_notice, "{attributes}: {shown}");
        }
        let long = "The canal joins the town and the sea. ".repeat(20);
        assert_eq!(text(&format!("<div class=no-js-message>{long}</div>")), long);
        assert_eq!(text("<body class='no-js message'>a"), "a");
    }
}
