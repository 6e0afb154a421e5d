//! Inline styles.

use crate::{Document, NodeId};

/// The first words of the values of `display`.
const DISPLAY: [&str; 26] = [
    "none",
    "block",
    "inline",
    "inline-block",
    "inline-flex",
    "inline-grid",
    "inline-table",
    "flex",
    "grid",
    "table",
    "table-row",
    "table-cell",
    "table-row-group",
    "table-header-group",
    "table-footer-group",
    "table-caption",
    "table-column",
    "list-item",
    "contents",
    "flow-root",
    "run-in",
    "inherit",
    "initial",
    "unset",
    "revert",
    "revert-layer",
];

/// Returns the properties and values of an inline style, and whether each declaration is `!important`.
/// Comments are left out. Values that browsers ignore are also left out: empty values, values of other
/// browsers (`-moz-…`, `-ms-…`) and unknown values of `display`.
pub(crate) fn declarations(style: &str) -> impl Iterator<Item = (&str, &str, bool)> {
    split(style).filter_map(|declaration| {
        let (property, value) = without_comments(declaration).split_once(':')?;
        let (value, is_important) = match value.split_once('!') {
            Some((value, mark)) => (value, mark.trim().eq_ignore_ascii_case("important")),
            None => (value, false),
        };
        let (property, value) = (property.trim(), without_comments(value));
        let is_known = || {
            let first = value.split_ascii_whitespace().next().unwrap_or_default();
            first.starts_with("-webkit") || DISPLAY.iter().any(|word| word.eq_ignore_ascii_case(first))
        };
        let is_ignored = value.is_empty()
            || value.starts_with("-m")
            || property.eq_ignore_ascii_case("display") && !is_known();
        (!is_ignored).then_some((property, value, is_important))
    })
}

/// Splits a style at the semicolons outside strings and parentheses.
fn split(style: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(style);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut depth, mut quote) = (0_u32, None);
        let end = text.bytes().position(|b| {
            match (b, quote) {
                (_, Some(open)) => quote = quote.filter(|_| open != b),
                (b'"' | b'\'', None) => quote = Some(b),
                (b'(', None) => depth += 1,
                (b')', None) => depth = depth.saturating_sub(1),
                (b';', None) => return depth == 0,
                _ => {}
            }
            false
        });
        rest = end.map(|end| &text[end + 1..]);
        Some(end.map_or(text, |end| &text[..end]))
    })
}

/// Returns a part of a style without the comments before and after it.
fn without_comments(mut part: &str) -> &str {
    loop {
        part = part.trim();
        if let Some((_, rest)) = part.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
            part = rest;
        } else if let Some(rest) = part.strip_suffix("*/")
            && let Some(start) = rest.rfind("/*")
        {
            part = &rest[..start];
        } else {
            return part;
        }
    }
}

/// The value of a property that takes effect: the last value, unless an earlier value is `!important`.
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
            ("display:none; display:bogus", Some("none")),
            ("display:none /* x */", Some("none")),
            ("/* a */display:none;/*x*/ display: block", Some("block")),
            ("x-display:none", None),
            ("background:url('a;display:none;b.png')", None),
            ("background:url(a;display:none);display:grid", Some("grid")),
            ("content:';display:none'; display: flex", Some("flex")),
            ("display:none;display:revert", Some("revert")),
        ] {
            let doc = parse_str(&format!("<p style=\"{style}\">x"));
            let p = doc.elements_with(|tag| tag == Tag::P).next().expect("a paragraph");
            assert_eq!(property(&doc, p, "display").as_deref(), display, "{style}");
        }
        let doc = parse_str("<p style='display:block'>x");
        let p = doc.elements_with(|tag| tag == Tag::P).next().expect("a paragraph");
        assert!(is_one_of(&doc, p, "display", &["grid", "block"]) && !is_one_of(&doc, p, "width", &[""]));
    }
}
