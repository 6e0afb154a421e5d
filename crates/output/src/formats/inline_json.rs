//! Serialises text as JSON, with its styles, links and inline atoms. Positions count characters of the text.
//!
//! Ranges and atoms are serialised one by one, because a malicious page can have very many of them in one line.

use crate::units::{Inlines, Run, Style};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::cell::Cell;

/// Writes the entry `text`, and the entries `ranges` and `atoms` if they are not empty.
///
/// # Errors
/// Returns errors of the serializer.
pub(super) fn entries<M: SerializeMap>(inlines: &Inlines, object: &mut M) -> Result<(), M::Error> {
    object.serialize_entry("text", &inlines.text)?;
    if inlines.runs.iter().any(|run| run.link.is_some() || !kinds(run.style).is_empty()) {
        object.serialize_entry("ranges", &Ranges(inlines))?;
    }
    if !inlines.atoms.is_empty() {
        object.serialize_entry("atoms", &Atoms(inlines))?;
    }
    Ok(())
}

/// Converts byte offsets in a text to character offsets. Ascending offsets take linear time in total.
struct Positions<'a> {
    text: &'a str,
    /// The last offset, in bytes and in characters.
    last: Cell<(usize, usize)>,
}

impl<'a> Positions<'a> {
    fn new(text: &'a str) -> Self {
        Positions { text, last: Cell::new((0, 0)) }
    }

    fn of(&self, byte: usize) -> usize {
        let (from, before) = Some(self.last.get()).filter(|last| last.0 <= byte).unwrap_or_default();
        let position = before + self.text[from..byte].chars().count();
        self.last.set((byte, position));
        position
    }
}

/// Returns the names of the style's properties that are set.
fn kinds(style: Style) -> Vec<Value> {
    let kinds = [
        (style.strong, "strong"),
        (style.emphasis, "emphasis"),
        (style.strike, "strike"),
        (style.insert, "insert"),
        (style.mark, "mark"),
        (style.code, "code"),
        (style.keyboard, "keyboard"),
    ];
    let mut kinds: Vec<Value> = kinds.into_iter().filter(|k| k.0).map(|k| json!({"kind": k.1})).collect();
    kinds.extend(style.script.map(|script| json!({ "kind": script })));
    kinds
}

/// Ranges of text that have a style or a link.
struct Ranges<'a>(&'a Inlines);

impl Serialize for Ranges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let positions = Positions::new(&self.0.text);
        let of_run = |run: &Run| {
            let mut kinds = kinds(run.style);
            if let Some(link) = &run.link {
                let mut value = json!({"kind": "link", "url": link.url});
                if !link.title.is_empty() {
                    value["title"] = json!(link.title);
                }
                kinds.push(value);
            }
            if !kinds.is_empty() {
                let (start, end) = (positions.of(run.text.start), positions.of(run.text.end));
                for kind in &mut kinds {
                    kind["start"] = json!(start);
                    kind["end"] = json!(end);
                }
            }
            kinds
        };
        serializer.collect_seq(self.0.runs.iter().flat_map(of_run))
    }
}

/// Inline atoms: images, formulas and references to notes.
struct Atoms<'a>(&'a Inlines);

impl Serialize for Atoms<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let positions = Positions::new(&self.0.text);
        serializer.collect_seq(self.0.atoms.iter().map(|atom| {
            let mut value = json!(atom.kind);
            value["start"] = json!(positions.of(atom.text.start));
            value["end"] = json!(positions.of(atom.text.end));
            if let Some(link) = &atom.link {
                value["link"] = json!(link.url);
            }
            value
        }))
    }
}
