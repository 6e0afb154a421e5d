//! Markdown.

mod escape;
mod inline;
mod marks;
mod notes;
mod table;
#[cfg(test)]
mod tests;

use crate::formats::markdown::escape::{Context, tex_without_tags};
use crate::formats::markdown::inline::{inline, longest_backticks};
use crate::formats::{Entry, Format, Layout, WriteOptions, no_row, with_line_end};
use crate::units::{AtomKind, Inlines, Kind, Unit, walk};
use rustc_hash::FxHashSet;
use threshr_html::structure::callouts::says_type;

/// CommonMark with GitHub's tables, strikethrough, task lists and footnotes, and formulas between `$`. A line `---`
/// separates pages.
pub(super) static FORMAT: Format = Format {
    name: "markdown",
    summary: "Markdown: headings, lists, quotations, code, tables, formulas, links, images, notes, emphasis",
    extensions: &["md", "markdown"],
    head: "",
    between: "\n---\n\n",
    frame: ("", ""),
    layout: Layout::Stream,
    page: |page| Ok(Entry::Text(with_line_end(page.markdown()?))),
    failed: no_row,
};

/// Maximum depth of quotations and lists. Deeper nesting would make line prefixes longer than the text.
const MAX_DEPTH: usize = 8;

/// Returns the kept units as Markdown, without a line feed at the end.
pub fn markdown(units: &[Unit], options: WriteOptions) -> String {
    let mut references = FxHashSet::default();
    walk(units, &mut |unit: &Unit| {
        let atoms = unit.inlines.atoms.iter().filter(|_| unit.kept);
        references.extend(atoms.filter_map(|atom| match &atom.kind {
            AtomKind::FootnoteReference { label } => Some(label.as_str()),
            _ => None,
        }));
    });
    Writer { options, references: &references, in_definition: false }.units(units, 0)
}

#[derive(Clone, Copy)]
struct Writer<'a> {
    options: WriteOptions,
    /// The labels of the notes to which the text refers. Other notes are written as paragraphs, because Markdown
    /// does not show notes without reference.
    references: &'a FxHashSet<&'a str>,
    /// Whether the units are inside a definition of a definition list.
    in_definition: bool,
}

/// The Markdown of one unit.
struct Piece {
    text: String,
    /// Whether the list is ordered; `None` if the unit is not a list.
    list: Option<bool>,
    is_paragraph: bool,
}

impl Writer<'_> {
    /// Returns units in order, separated by empty lines.
    fn units(self, units: &[Unit], depth: usize) -> String {
        let pieces = self.pieces(units, depth);
        let mut out = String::new();
        for piece in pieces {
            if !out.is_empty() {
                out.push_str("\n\n");
            }
            out.push_str(&piece.text);
        }
        out
    }

    fn pieces(self, units: &[Unit], depth: usize) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut at = 0;
        while at < units.len() {
            let unit = &units[at];
            if !unit.kept {
                at += 1;
                continue;
            }
            // Items outside a list are written as a list.
            if matches!(unit.kind, Kind::Item { .. }) {
                let num =
                    units[at..].iter().take_while(|u| !u.kept || matches!(u.kind, Kind::Item { .. })).count();
                self.list(&units[at..at + num], false, depth, &mut pieces);
                at += num;
                continue;
            }
            at += 1;
            match &unit.kind {
                Kind::List { ordered } => self.list(&unit.children, *ordered, depth, &mut pieces),
                kind => {
                    let text = self.unit(unit, depth);
                    let is_paragraph = matches!(kind, Kind::Paragraph);
                    if !text.is_empty() {
                        pieces.push(Piece { text, list: None, is_paragraph });
                    }
                }
            }
        }
        pieces
    }

    /// Returns a unit that is not a list.
    fn unit(self, unit: &Unit, depth: usize) -> String {
        let line = |context| inline(&unit.inlines, context, self.options);
        match &unit.kind {
            Kind::Heading { level } => {
                let text = line(Context::Heading);
                let heading = if text.is_empty() {
                    String::new()
                } else {
                    format!("{} {text}", "#".repeat(usize::from(*level)))
                };
                self.with_children(heading, unit, depth)
            }
            Kind::Paragraph => line(Context::Lines),
            Kind::Term | Kind::Caption => self.with_children(line(Context::Lines), unit, depth),
            Kind::CalloutTitle | Kind::Summary => {
                let text = bold(&unit.inlines, self.options);
                self.with_children(text, unit, depth)
            }
            Kind::Definitions => self.definitions(unit, depth),
            Kind::Definition => {
                let is_list = |unit: &Unit| unit.kept && matches!(unit.kind, Kind::Definitions);
                let has_list = unit.children.iter().any(is_list);
                let inner = Writer { in_definition: true, ..self }.units(&unit.children, depth + 1);
                // lines that are indented twice would be read as code
                if self.in_definition || has_list {
                    return inner;
                }
                // a list or code block would be read as text directly after the ": " of a definition
                let is_line = |kind: &Kind| matches!(kind, Kind::Paragraph | Kind::Math | Kind::Media { .. });
                let first = unit.children.iter().find(|child| child.kept);
                if first.is_none_or(|first| is_line(&first.kind)) { hang(&inner, ": ", "  ") } else { inner }
            }
            Kind::Callout { callout_type } if !callout_type.is_empty() && depth < MAX_DEPTH => {
                self.callout(unit, callout_type, depth)
            }
            Kind::Quote { .. } | Kind::Callout { .. } => {
                let inner = self.units(&unit.children, depth + 1);
                if depth < MAX_DEPTH { hang(&inner, "> ", "> ") } else { inner }
            }
            Kind::Rule => "---".to_owned(),
            Kind::Code { language } => {
                // The fence must be longer than all sequences of backticks in the text.
                let text = &unit.inlines.text;
                let fence = "`".repeat(longest_backticks(text).max(2) + 1);
                format!("{fence}{language}\n{text}\n{fence}")
            }
            Kind::Math => {
                let tex = tex_without_tags(&unit.inlines.text);
                if self.options.formulas { format!("$$\n{tex}\n$$") } else { tex.into_owned() }
            }
            Kind::Table { .. } => self.table(unit, depth),
            Kind::FootnoteDefinition { label } => {
                let is_note = self.options.links && self.references.contains(label.as_str());
                if !is_note {
                    return self.units(&unit.children, depth + 1);
                }
                let children = notes::without_number(&unit.children, label);
                hang(&self.units(&children, depth + 1), &format!("[^{label}]: "), "    ")
            }
            // Markdown has no syntax for media.
            Kind::Media { .. } => String::new(),
            Kind::Figure
            | Kind::Details
            | Kind::List { .. }
            | Kind::Item { .. }
            | Kind::Cell { .. }
            | Kind::Post(_) => self.units(&unit.children, depth),
        }
    }

    /// Returns an admonition in the syntax of GitHub and Obsidian. A title that only names the type is omitted.
    fn callout(self, unit: &Unit, callout_type: &str, depth: usize) -> String {
        let title =
            unit.children.iter().find(|child| child.kept).filter(|child| child.kind == Kind::CalloutTitle);
        let says_type = title.is_some_and(|title| {
            title.children.is_empty()
                && title.inlines.atoms.is_empty()
                && says_type(&title.inlines.text) == Some(callout_type)
        });
        let place = unit.children.iter().position(|child| child.kept).unwrap_or(0);
        let children = &unit.children[place + usize::from(says_type)..];
        let is_line = |child: &Unit| matches!(child.kind, Kind::Paragraph | Kind::CalloutTitle);
        let begins_with_line = children.iter().find(|child| child.kept).is_none_or(is_line);
        let inner = self.units(children, depth + 1);
        let separator = if begins_with_line { "\n" } else { "\n\n" };
        let inner = format!("[!{}]{separator}{inner}", callout_type.to_ascii_uppercase());
        hang(inner.trim_end(), "> ", "> ")
    }

    fn with_children(self, text: String, unit: &Unit, depth: usize) -> String {
        let rest = self.units(&unit.children, depth);
        match (text.is_empty(), rest.is_empty()) {
            (true, _) => rest,
            (_, true) => text,
            _ => format!("{text}\n\n{rest}"),
        }
    }

    /// Returns the terms of a definition list, each with its definitions directly below.
    fn definitions(self, unit: &Unit, depth: usize) -> String {
        let mut out = String::new();
        let mut last_is_term = false;
        let mut has_term = false;
        for child in unit.children.iter().filter(|c| c.kept) {
            let is_definition = child.kind == Kind::Definition;
            // Without a term, `<dd>` is used for indentation only.
            let text = if is_definition && !has_term {
                self.units(&child.children, depth)
            } else {
                self.unit(child, depth)
            };
            if text.is_empty() {
                continue;
            }
            has_term |= child.kind == Kind::Term;
            // A definition with several lines is separated from its term by an empty line.
            let is_short = !text.contains('\n') && text.starts_with(": ");
            if !out.is_empty() {
                out.push_str(if is_definition && last_is_term && is_short { "\n" } else { "\n\n" });
            }
            out.push_str(&text);
            last_is_term = child.kind == Kind::Term;
        }
        out
    }

    /// Writes the items of a list, and other units between them.
    fn list(self, children: &[Unit], ordered: bool, depth: usize, pieces: &mut Vec<Piece>) {
        let items = || children.iter().filter(|c| c.kept && matches!(c.kind, Kind::Item { .. }));
        if depth >= MAX_DEPTH || items().next().is_none() {
            return pieces.extend(self.pieces_of_deep(children, depth));
        }
        // A list directly after a list needs another marker; otherwise Markdown would merge them.
        let is_second = pieces.last().is_some_and(|last| last.list == Some(ordered));
        let written: Vec<(String, bool)> = children
            .iter()
            .filter(|c| c.kept)
            .map(|child| match child.kind {
                Kind::Item { .. } => self.item(child, is_second, depth),
                _ => (self.units(std::slice::from_ref(child), depth), true),
            })
            .filter(|(text, _)| !text.is_empty())
            .collect();
        let is_tight = written.iter().all(|(_, is_tight)| *is_tight)
            && children.iter().filter(|c| c.kept).all(|c| matches!(c.kind, Kind::Item { .. }));
        let texts: Vec<String> = written.into_iter().map(|(text, _)| text).collect();
        if !texts.is_empty() {
            let text = texts.join(if is_tight { "\n" } else { "\n\n" });
            pieces.push(Piece { text, list: Some(ordered), is_paragraph: false });
        }
    }

    /// Returns the items of a list below the maximum depth, as units without markers.
    fn pieces_of_deep(self, children: &[Unit], depth: usize) -> Vec<Piece> {
        let kept = children.iter().filter(|c| c.kept);
        let piece = |child: &Unit| {
            let text = match child.kind {
                Kind::Item { .. } => self.units(&child.children, depth),
                _ => self.units(std::slice::from_ref(child), depth),
            };
            Piece { text, list: None, is_paragraph: false }
        };
        kept.map(piece).filter(|piece| !piece.text.is_empty()).collect()
    }

    /// Returns an item, and whether it contains no empty lines.
    fn item(self, item: &Unit, is_second: bool, depth: usize) -> (String, bool) {
        let Kind::Item { number, checked } = item.kind else { return (String::new(), true) };
        // Markdown does not support negative numbers.
        let mut marker = match (number.filter(|&n| n >= 0), is_second) {
            (Some(number), false) => format!("{number}. "),
            (Some(number), true) => format!("{number}) "),
            (None, false) => "- ".to_owned(),
            (None, true) => "* ".to_owned(),
        };
        let indent = " ".repeat(marker.len());
        if let Some(checked) = checked {
            marker.push_str(if checked { "[x] " } else { "[ ] " });
        }
        let pieces = self.pieces(&item.children, depth + 1);
        let is_tight = pieces.iter().skip(1).all(|piece| piece.list.is_some());
        let mut text = String::new();
        for (number, piece) in pieces.iter().enumerate() {
            if number > 0 {
                // Directly below a paragraph, an ordered list must start with 1.
                let before = &pieces[number - 1];
                let starts = ["- ", "* ", "1. ", "1) "].iter().any(|marker| piece.text.starts_with(marker));
                let is_below = before.is_paragraph && piece.list.is_some() && starts;
                text.push_str(if is_below && is_tight { "\n" } else { "\n\n" });
            }
            text.push_str(&piece.text);
        }
        if text.is_empty() {
            return (String::new(), true);
        }
        (hang(&text, &marker, &indent), is_tight && !text.contains("\n\n"))
    }
}

/// Returns a line in bold, unless the line contains marks.
fn bold(inlines: &Inlines, options: WriteOptions) -> String {
    let text = inline(inlines, Context::Heading, options);
    let is_plain = !text.is_empty() && !text.contains("**") && !text.ends_with('\\');
    if is_plain { format!("**{text}**") } else { text }
}

/// Adds the prefix `first` to the first line, and `next` to all others.
fn hang(text: &str, first: &str, next: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8 + 8);
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let prefix = if number == 0 { first } else { next };
        out.push_str(if line.is_empty() { prefix.trim_end() } else { prefix });
        out.push_str(line);
    }
    out
}
