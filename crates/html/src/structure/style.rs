//! Reads properties of inline styles that are evidence of structure.

use crate::{Document, NodeId};

/// Maximum length in bytes of a `style` attribute that is read.
const MAX_STYLE: usize = 2048;

/// The value of a property in the `style` attribute of an element, in lower case.
pub fn property(doc: &Document, node: NodeId, name: &str) -> Option<String> {
    let style = doc.attribute(node, "style").filter(|style| style.len() <= MAX_STYLE)?;
    let declarations = style.split(';').filter_map(|declaration| declaration.split_once(':'));
    let mut values = declarations.filter(|(key, _)| key.trim().eq_ignore_ascii_case(name));
    values.next_back().map(|(_, value)| value.trim().to_ascii_lowercase())
}

/// Whether the inline style sets a property to one of the given values.
pub fn is_one_of(doc: &Document, node: NodeId, name: &str, values: &[&str]) -> bool {
    property(doc, node, name).is_some_and(|value| values.iter().any(|v| value.starts_with(v)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tag, parse_str};

    #[test]
    fn the_last_declaration_counts() {
        let doc = parse_str("<p style='Display: none; color:red;display : BLOCK '>x");
        let p = doc.elements_with(|tag| tag == Tag::P).next().expect("a paragraph");
        assert_eq!(property(&doc, p, "display").as_deref(), Some("block"));
        assert!(is_one_of(&doc, p, "display", &["grid", "block"]));
        assert_eq!(property(&doc, p, "width"), None);
    }
}
