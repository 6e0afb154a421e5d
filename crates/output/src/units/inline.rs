//! Text with styles, links, images, formulas and references to notes.

use serde::Serialize;
use std::ops::Range;
use std::rc::Rc;

/// The text of a unit, with styles and atoms. Ranges are in bytes of `text`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inlines {
    /// The text. `\n` is a line break.
    pub text: String,
    /// Spans of one style and one link, in order. They cover the whole text.
    pub runs: Vec<Run>,
    /// Images, formulas, ruby and note references, in order.
    pub atoms: Vec<Atom>,
}

/// A span of text with one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Byte range in the text.
    pub text: Range<usize>,
    /// Style of the span.
    pub style: Style,
    /// Link that contains the span.
    pub link: Option<Rc<Link>>,
}

/// The style of a span of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is an element of HTML
pub struct Style {
    /// `<strong>`, `<b>`, or bold by style.
    pub strong: bool,
    /// `<em>`, `<i>`, or italic by style.
    pub emphasis: bool,
    /// `<del>`, `<s>`.
    pub strike: bool,
    /// `<ins>`.
    pub insert: bool,
    /// `<mark>`.
    pub mark: bool,
    /// `<code>`, `<samp>`, `<tt>`.
    pub code: bool,
    /// `<kbd>`.
    pub keyboard: bool,
    /// `<sup>` or `<sub>`.
    pub script: Option<Script>,
}

/// Superscript or subscript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Script {
    /// `<sup>`.
    Sup,
    /// `<sub>`.
    Sub,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The target, absolute if the URL of the page is known.
    pub url: String,
    /// The title; empty if the link has none.
    pub title: String,
}

/// An inline object, such as an image or a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    /// Byte range of the object in the text, where it is written without markup; empty for images.
    pub text: Range<usize>,
    /// The object.
    pub kind: AtomKind,
    /// Link that contains the atom.
    pub link: Option<Rc<Link>>,
}

/// The kind of an [`Atom`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AtomKind {
    /// An image.
    Image {
        /// The URL of the image.
        url: String,
        /// The alternative text; empty if the image has none.
        alt: String,
        /// The title; empty if the image has none.
        #[serde(skip_serializing_if = "String::is_empty")]
        title: String,
    },
    /// A formula.
    Math {
        /// The TeX, without delimiters.
        tex: String,
        /// Whether the formula is a display formula.
        display: bool,
    },
    /// Ruby: characters with their pronunciation.
    Ruby {
        /// The base characters.
        base: String,
        /// The pronunciation.
        reading: String,
    },
    /// A reference to a note.
    FootnoteReference {
        /// The label of the note.
        label: String,
    },
}

/// A span of text or an atom; see [`Inlines::pieces`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text, and the run that contains it.
    Text(&'a str, &'a Run),
    /// An atom, and its text without markup.
    Atom(&'a Atom, &'a str),
}

impl<'a> Piece<'a> {
    /// Returns the link that contains the piece; `None` for note references, which are links themselves.
    pub fn link(&self) -> Option<&'a Rc<Link>> {
        match self {
            Piece::Text(_, run) => run.link.as_ref(),
            Piece::Atom(atom, _) if matches!(atom.kind, AtomKind::FootnoteReference { .. }) => None,
            Piece::Atom(atom, _) => atom.link.as_ref(),
        }
    }
}

impl Inlines {
    /// Creates text without styles and atoms.
    pub fn plain(text: String) -> Self {
        let run = Run { text: 0..text.len(), style: Style::default(), link: None };
        Inlines { runs: if text.is_empty() { Vec::new() } else { vec![run] }, text, atoms: Vec::new() }
    }

    /// Whether there is neither text nor an atom.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.atoms.is_empty()
    }

    /// Returns the text as a sequence of spans and atoms, in order. Spans do not include the texts of atoms.
    pub fn pieces(&self) -> Vec<Piece<'_>> {
        let mut out = Vec::new();
        let mut atoms = self.atoms.iter().peekable();
        let mut start = 0;
        for run in &self.runs {
            // An atom may extend into the next runs.
            start = start.max(run.text.start);
            let is_before = |a: &&Atom| a.text.start < run.text.end || a.text.end <= run.text.start;
            while let Some(atom) = atoms.next_if(is_before) {
                if atom.text.start > start {
                    out.push(Piece::Text(&self.text[start..atom.text.start], run));
                }
                out.push(Piece::Atom(atom, &self.text[atom.text.clone()]));
                start = start.max(atom.text.end);
            }
            if start < run.text.end {
                out.push(Piece::Text(&self.text[start..run.text.end], run));
                start = run.text.end;
            }
        }
        out.extend(atoms.map(|atom| Piece::Atom(atom, &self.text[atom.text.clone()])));
        out
    }

    /// Appends text with a style. Adjacent spans of equal style and link are merged.
    pub(crate) fn push(&mut self, text: &str, style: Style, link: Option<&Rc<Link>>) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(text);
        let end = self.text.len();
        match self.runs.last_mut() {
            Some(run) if run.text.end == start && run.style == style && run.link.as_ref() == link => {
                run.text.end = end;
            }
            _ => self.runs.push(Run { text: start..end, style, link: link.cloned() }),
        }
    }

    /// Appends an atom with its text without markup.
    pub(crate) fn push_atom(&mut self, plain: &str, kind: AtomKind, link: Option<&Rc<Link>>) {
        let start = self.text.len();
        self.push(plain, Style::default(), link);
        self.atoms.push(Atom { text: start..self.text.len(), kind, link: link.cloned() });
    }

    /// Appends a separator and other text.
    pub(crate) fn append(&mut self, other: Inlines, separator: &str) {
        if !self.text.is_empty() && !other.text.is_empty() {
            self.push(separator, Style::default(), None);
        }
        let shift = self.text.len();
        let moved = |range: Range<usize>| range.start + shift..range.end + shift;
        self.text.push_str(&other.text);
        self.runs.extend(other.runs.into_iter().map(|run| Run { text: moved(run.text), ..run }));
        self.atoms.extend(other.atoms.into_iter().map(|atom| Atom { text: moved(atom.text), ..atom }));
    }

    /// Removes a range of the text, with the atoms inside it.
    pub(crate) fn remove(&mut self, range: Range<usize>) {
        let moved = |at: usize| at.min(range.start).max(at.saturating_sub(range.len()));
        let is_inside = |text: &Range<usize>| text.start < range.end && text.end > range.start;
        self.text.replace_range(range.clone(), "");
        self.atoms.retain(|atom| !is_inside(&atom.text));
        for atom in &mut self.atoms {
            atom.text = moved(atom.text.start)..moved(atom.text.end);
        }
        self.runs.retain_mut(|run| {
            run.text = moved(run.text.start)..moved(run.text.end);
            run.text.start < run.text.end
        });
    }

    /// Removes trailing white space.
    pub(crate) fn trim_end(&mut self) {
        let end = self.text.trim_end().len();
        let limit = self.atoms.iter().map(|atom| atom.text.end).max().unwrap_or(0);
        let end = end.max(limit.min(self.text.len()));
        self.text.truncate(end);
        self.runs.retain_mut(|run| {
            run.text.end = run.text.end.min(end);
            run.text.start < run.text.end
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_atom_over_several_runs_is_one_piece() {
        let mut inlines = Inlines::plain("a $x".to_owned());
        inlines.push("y$ b", Style { emphasis: true, ..Style::default() }, None);
        let kind = AtomKind::Math { tex: "xy".to_owned(), display: false };
        inlines.atoms.push(Atom { text: 2..6, kind, link: None });
        let plain = |piece: &Piece<'_>| match *piece {
            Piece::Text(text, _) | Piece::Atom(_, text) => text.to_owned(),
        };
        assert_eq!(inlines.pieces().iter().map(plain).collect::<Vec<_>>(), ["a ", "$xy$", " b"]);
    }

    #[test]
    fn a_part_is_removed_with_its_atoms() {
        let mut inlines = Inlines::plain("ab".to_owned());
        inlines.push("cd", Style { strong: true, ..Style::default() }, None);
        inlines.push("ef", Style::default(), None);
        let atom = |text: Range<usize>| Atom {
            text,
            kind: AtomKind::FootnoteReference { label: String::new() },
            link: None,
        };
        inlines.atoms = vec![atom(0..1), atom(3..4), atom(6..6)];
        inlines.remove(1..5);
        assert_eq!(inlines.text, "af");
        assert_eq!(inlines.runs.iter().map(|run| run.text.clone()).collect::<Vec<_>>(), [0..1, 1..2]);
        assert_eq!(inlines.atoms.iter().map(|atom| atom.text.clone()).collect::<Vec<_>>(), [0..1, 2..2]);
    }

    #[test]
    fn equal_styles_are_one_run_and_ranges_move() {
        let strong = Style { strong: true, ..Style::default() };
        let mut inlines = Inlines::plain("a".to_owned());
        inlines.push(" b", Style::default(), None);
        inlines.push(" c ", strong, None);
        assert_eq!(inlines.runs.len(), 2);
        let mut head = Inlines::plain("x".to_owned());
        head.append(inlines, "\n");
        head.trim_end();
        assert_eq!((&head.text[..], head.runs[2].text.clone()), ("x\na b c", 5..7));
    }
}
