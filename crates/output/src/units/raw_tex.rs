//! Formulas that stand as TeX in the text, between `$`, `\(` or `\[`.

use crate::units::inline::{Atom, AtomKind, Inlines};
use std::ops::Range;

/// Longest formula in a line, in bytes.
const MAX_TEX: usize = 5_000;

/// Most formulas in a line.
const MAX_FORMULAS: usize = 10_000;

/// Delimiters, whether they mean a display formula, and whether only pages that typeset their text have them.
const DELIMITERS: [(&str, &str, bool, bool); 4] = [
    ("$$", "$$", true, true),
    ("\\[", "\\]", true, false),
    ("\\(", "\\)", false, false),
    ("$", "$", false, true),
];

/// Makes formulas in the text into atoms. `typesets_text` says whether a script of the page does so.
pub(super) fn mark_formulas(inlines: &mut Inlines, typesets_text: bool) {
    let has_delimiter = inlines.text.contains("\\(")
        || inlines.text.contains("\\[")
        || typesets_text && inlines.text.contains('$');
    if !has_delimiter {
        return;
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((range, tex, display)) = next_formula(&inlines.text, at, typesets_text) {
        at = range.end;
        // runs and atoms are in order
        let first = inlines.runs.partition_point(|run| run.text.end <= range.start);
        let mut runs = inlines.runs[first..].iter().take_while(|run| run.text.start < range.end);
        let is_code = runs.any(|run| run.style.code || run.style.keyboard);
        let first = inlines.atoms.partition_point(|atom| atom.text.end <= range.start);
        let overlaps = inlines.atoms.get(first).is_some_and(|atom| atom.text.start < range.end);
        if found.len() == MAX_FORMULAS {
            break;
        }
        if !is_code && !overlaps {
            found.push(Atom { text: range, kind: AtomKind::Math { tex, display }, link: None });
        }
    }
    inlines.atoms.extend(found);
    inlines.atoms.sort_by_key(|atom| atom.text.start);
}

/// The first formula from a place on: its place with delimiters, its TeX, and whether it is a display formula.
fn next_formula(text: &str, from: usize, typesets_text: bool) -> Option<(Range<usize>, String, bool)> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        let rest = &text[at..];
        for (open, close, display, needs_script) in DELIMITERS {
            if needs_script && !typesets_text || !rest.starts_with(open) {
                continue;
            }
            let inner = &rest[open.len()..];
            let inner = &inner[..inner.floor_char_boundary(MAX_TEX)];
            let Some(end) = inner.find(close) else { continue };
            let tex = inner[..end].trim();
            let is_price = open == "$" && !is_formula(&inner[..end]);
            if tex.is_empty() || is_price || !typesets_text && is_word(tex) {
                continue;
            }
            let end = at + open.len() + end + close.len();
            return Some((at..end, tex.replace('\n', " "), display));
        }
        // An escaped character is no delimiter.
        let step = if bytes[at] == b'\\' { 2 } else { 1 };
        at += step;
        while at < bytes.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    None
}

/// Whether the text between delimiters is a word, as in a regular expression or a path, and no formula.
fn is_word(tex: &str) -> bool {
    tex.chars().count() > 2 && tex.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | ' ' | ','))
}

/// Whether the text between two `$` can be a formula and not the text between two prices.
fn is_formula(inner: &str) -> bool {
    let has_space_at_end = inner.starts_with(char::is_whitespace) || inner.ends_with(char::is_whitespace);
    let has_sign = inner.contains(['\\', '^', '_', '=']);
    let is_price = inner.starts_with(|c: char| c.is_ascii_digit()) && inner.contains(' ') && !has_sign;
    !has_space_at_end && !is_price && !inner.contains("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_prices() {
        let formulas = |text: &str, typesets: bool| {
            let mut inlines = Inlines::plain(text.to_owned());
            mark_formulas(&mut inlines, typesets);
            let tex = |a: Atom| match a.kind {
                AtomKind::Math { tex, display } => format!("{tex}|{display}"),
                _ => String::new(),
            };
            inlines.atoms.into_iter().map(tex).collect::<Vec<_>>()
        };
        assert_eq!(formulas("We write $x_1^2$ and \\(a < b\\).", true), ["x_1^2|false", "a < b|false"]);
        assert_eq!(formulas("We write $x_1^2$ and \\(a < b\\).", false), ["a < b|false"]);
        assert_eq!(formulas("$$\na\n$$", true), ["a|true"]);
        assert!(formulas("It costs $5 and then $6 more", true).is_empty());
        assert!(formulas("é \\", false).is_empty());
        assert!(formulas("the group \\(foo\\) and C:\\[dir\\]", false).is_empty());
        assert_eq!(formulas("the group \\(foo\\)", true), ["foo|false"]);
        assert!(formulas(&"word \\( ".repeat(100_000), false).is_empty());
    }
}
