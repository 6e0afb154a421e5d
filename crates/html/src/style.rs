//! Inline styles.

use crate::{Document, NodeId};

/// Maximum length in bytes of a `style` attribute that is read.
const MAX_STYLE: usize = 2048;

/// Returns the properties and values of an inline style, and whether each declaration is `!important`. Empty
/// values and values of other browsers (`-moz-…`, `-ms-…`) are left out.
pub(crate) fn declarations(style: &str) -> impl Iterator<Item = (&str, &str, bool)> {
    let style = if style.len() <= MAX_STYLE { style } else { "" };
    let declarations = style.split(';').filter_map(|declaration| declaration.split_once(':'));
    declarations.filter_map(|(property, value)| {
        let (value, is_important) = match value.split_once('!') {
            Some((value, mark)) => (value, mark.trim().eq_ignore_ascii_case("important")),
            None => (value, false),
        };
        let (property, value) = (property.trim(), value.trim());
        (!value.is_empty() && !value.starts_with("-m")).then_some((property, value, is_important))
    })
}

/// The value of a property that counts: the last one, unless an earlier one is `!important`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Declared<'s> {
    value: Option<&'s str>,
    is_important: bool,
}

impl<'s> Declared<'s> {
    pub(crate) fn set(&mut self, value: &'s str, is_important: bool) {
        if is_important || !self.is_important {
            (self.value, self.is_important) = (Some(value), is_important);
        }
    }

    pub(crate) fn value(self) -> Option<&'s str> {
        self.value
    }

    /// Whether the value is one of `words`, in any case.
    pub(crate) fn is(self, words: &[&str]) -> bool {
        self.value.is_some_and(|value| words.iter().any(|word| value.eq_ignore_ascii_case(word)))
    }
}

/// The value of a property in the `style` attribute of an element, in lower case.
pub fn property(doc: &Document, node: NodeId, name: &str) -> Option<String> {
    let style = doc.attribute(node, "style")?;
    let mut declared = Declared::default();
    for (property, value, is_important) in declarations(style) {
        if property.eq_ignore_ascii_case(name) {
            declared.set(value, is_important);
        }
    }
    declared.value().map(str::to_ascii_lowercase)
}

/// Whether the inline style sets a property to a value that begins with one of `values`.
pub fn is_one_of(doc: &Document, node: NodeId, name: &str, values: &[&str]) -> bool {
    property(doc, node, name).is_some_and(|value| values.iter().any(|v| value.starts_with(v)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tag, parse_str};

    #[test]
    fn the_last_declaration_counts() {
        for (style, display) in [
            ("Display: none; color:red;display : BLOCK ", Some("block")),
            ("display:none !important; display:block", Some("none")),
            ("display:none !important; display:block! IMPORTANT", Some("block")),
            ("display:none; display:", Some("none")),
            ("display:flex; display:-ms-flexbox", Some("flex")),
            ("x-display:none", None),
        ] {
            let doc = parse_str(&format!("<p style='{style}'>x"));
            let p = doc.elements_with(|tag| tag == Tag::P).next().expect("a paragraph");
            assert_eq!(property(&doc, p, "display").as_deref(), display, "{style}");
        }
        let doc = parse_str("<p style='display:block'>x");
        let p = doc.elements_with(|tag| tag == Tag::P).next().expect("a paragraph");
        assert!(is_one_of(&doc, p, "display", &["grid", "block"]) && !is_one_of(&doc, p, "width", &[""]));
    }
}
