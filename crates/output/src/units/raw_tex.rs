//! TeX formulas in plain text, between delimiters or as an environment.

use crate::units::inline::{Atom, AtomKind, Inlines, Style};
use std::ops::Range;
use threshr_html::structure::tex::{Delimiters, Span, is_definition};

/// Maximum number of formulas per line of text.
const MAX_FORMULAS: usize = 10_000;

/// Turns formulas in the text into atoms, and removes formulas that only define commands.
pub(super) fn mark_formulas(inlines: &mut Inlines, delimiters: &Delimiters) {
    let mut found = Vec::new();
    let mut definitions = Vec::new();
    let mut at = 0;
    while let Some((range, Span { tex, is_display: display, .. })) =
        next_formula(&inlines.text, at, delimiters)
    {
        at = range.end;
        // runs and atoms are sorted by position
        let first = inlines.runs.partition_point(|run| run.text.end <= range.start);
        let mut runs = inlines.runs[first..].iter().take_while(|run| run.text.start < range.end);
        let is_code = runs.any(|run| run.style.code || run.style.keyboard);
        let first = inlines.atoms.partition_point(|atom| atom.text.end <= range.start);
        let overlaps = inlines.atoms.get(first).is_some_and(|atom| atom.text.start < range.end);
        if found.len() == MAX_FORMULAS {
            break;
        }
        if is_code || overlaps {
            continue;
        }
        if is_definition(&tex) && definitions.len() < MAX_DEFINITIONS {
            definitions.push(range);
        } else {
            found.push(Atom { text: range, kind: AtomKind::Math { tex, display }, link: None });
        }
    }
    // Markdown inside a formula is TeX that the page has read as emphasis.
    for range in found.iter().map(|atom| &atom.text) {
        let first = inlines.runs.partition_point(|run| run.text.start < range.start);
        for run in inlines.runs[first..].iter_mut().take_while(|run| run.text.end <= range.end) {
            run.style = Style::default();
        }
    }
    inlines.atoms.extend(found);
    inlines.atoms.sort_by_key(|atom| atom.text.start);
    definitions.into_iter().rev().for_each(|range| inlines.remove(range));
}

/// Maximum number of command definitions that are removed from a line.
const MAX_DEFINITIONS: usize = 100;

/// Returns the first formula from a byte position on, and its byte range with delimiters.
fn next_formula(text: &str, from: usize, delimiters: &Delimiters) -> Option<(Range<usize>, Span)> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        let rest = &text[at..];
        if bytes[at].is_ascii_punctuation()
            && delimiters.may_begin(rest)
            && let Some(found) = delimiters.formula_at(rest)
        {
            // line breaks are significant in an environment
            let tex = if found.tex.starts_with("\\begin") { found.tex } else { found.tex.replace('\n', " ") };
            return Some((at..at + found.len, Span { tex, ..found }));
        }
        // A backslash escapes the delimiter after it.
        let step = if bytes[at] == b'\\' { 2 } else { 1 };
        at += step;
        while at < bytes.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_removed() {
        let mut inlines = Inlines::plain("a \\(\\newcommand{\\b}{c}\\) d \\(\\b\\)".to_owned());
        mark_formulas(&mut inlines, &Delimiters::new(&threshr_html::parse_str("<p>a")));
        assert_eq!(inlines.text, "a  d \\(\\b\\)");
        assert_eq!(inlines.atoms.len(), 1);
        assert_eq!(inlines.atoms[0].text, 5..11);
    }

    #[test]
    fn formulas_are_told_from_prices() {
        let formulas = |text: &str, typesets: bool| {
            let mut inlines = Inlines::plain(text.to_owned());
            let script = if typesets { "<script src=mathjax.js></script>" } else { "<p>a" };
            mark_formulas(&mut inlines, &Delimiters::new(&threshr_html::parse_str(script)));
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
        assert!(formulas(&"\\begin{align} ".repeat(50_000), false).is_empty());
        let environment = "\\begin{align*}\na &= b\n\\end{align*}";
        assert_eq!(formulas(&format!("so {environment} holds"), false), [format!("{environment}|true")]);
        assert!(formulas("\\begin{itemize}\\end{itemize}", true).is_empty());
        assert_eq!(formulas("[tex]x[/tex] and [itex]y[/itex]", true), ["x|true", "y|false"]);
        assert!(formulas("[tex]x[/tex]", false).is_empty());
    }
}
