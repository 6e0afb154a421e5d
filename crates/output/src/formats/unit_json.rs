//! Units as JSON: the tree of a page with its provenance.

use crate::formats::languages::Languages;
use crate::formats::roles::{Role, roles};
use crate::formats::text_fragments::TextFragments;
use crate::formats::{PageOutput, inline_json};
use crate::units::{Kind, Unit};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use threshr_html::{Paths, Tag};
use threshr_page::metadata::Post;

/// The version of the form of units in JSON.
pub const SCHEMA: u32 = 1;

/// The units of a page as a JSON array. The form is described in `docs/reference/units.schema.json`.
///
/// Units are written one by one: their values together take many times the memory of the text.
pub fn units_json(page: &PageOutput<'_>, posts: &[Post], units: &[Unit]) -> String {
    let writer = Writer::new(page, posts);
    // Text and finite numbers can always be written as JSON.
    serde_json::to_string(&Units { writer: &writer, units }).unwrap_or_default()
}

/// Units that are written as an array.
struct Units<'a, 'w> {
    writer: &'w Writer<'a>,
    units: &'w [Unit],
}

impl Serialize for Units<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.units.iter().map(|unit| OneUnit { writer: self.writer, unit }))
    }
}

/// A unit that is written as an object.
struct OneUnit<'a, 'w> {
    writer: &'w Writer<'a>,
    unit: &'w Unit,
}

impl Serialize for OneUnit<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        if let Ok(Value::Object(kind)) = serde_json::to_value(&self.unit.kind) {
            for (name, value) in kind {
                object.serialize_entry(&name, &value)?;
            }
        }
        if !self.unit.inlines.is_empty() {
            inline_json::entries(&self.unit.inlines, &mut object)?;
        }
        if !self.unit.children.is_empty() {
            object.serialize_entry("children", &Units { writer: self.writer, units: &self.unit.children })?;
        }
        for (name, value) in self.writer.after_children(self.unit) {
            object.serialize_entry(&name, &value)?;
        }
        object.end()
    }
}

/// What the JSON of units says beside the units themselves.
struct Writer<'a> {
    fragments: TextFragments<'a>,
    paths: Paths<'a>,
    /// Bytes of paths and fragments that may still be written. Further ones are left out: on a hostile page each may be
    /// as long as the page.
    left: Cell<usize>,
    /// The role of each block.
    roles: Vec<Role>,
    languages: Languages<'a>,
}

/// Bytes of all paths and fragments of a page of any size, and for each byte of the page.
const PROVENANCE_BYTES: usize = 1_000_000;
const PROVENANCE_BYTES_PER_BYTE: usize = 4;

/// Words of a page of any size that has fragments, and bytes of the page for one more. Running text has six bytes a word.
const WORDS: usize = 10_000;
const BYTES_PER_WORD: usize = 5;

impl<'a> Writer<'a> {
    fn new(page: &'a PageOutput<'a>, posts: &[Post]) -> Self {
        Writer {
            fragments: TextFragments::new(
                page.blocks,
                page.url,
                WORDS + page.doc.num_bytes() / BYTES_PER_WORD,
            ),
            paths: Paths::of(page.doc),
            left: Cell::new(PROVENANCE_BYTES + PROVENANCE_BYTES_PER_BYTE * page.doc.num_bytes()),
            roles: roles(page, posts),
            languages: Languages::of(page),
        }
    }

    /// The role that all blocks of a unit have.
    fn role(&self, unit: &Unit) -> Option<Role> {
        let roles = self.roles.get(unit.blocks.clone())?;
        let first = roles.first().copied()?;
        (first != Role::Other && roles.iter().all(|&role| role == first)).then_some(first)
    }

    /// The text, if all paths and fragments of the page are not too long together.
    fn within(&self, text: String) -> Option<String> {
        self.left.set(self.left.get().checked_sub(text.len())?);
        Some(text)
    }

    /// The path of a unit. A post inside an item has the element of the item.
    fn path(&self, unit: &Unit) -> String {
        let path = self.paths.of_node(unit.node);
        let is_inside = matches!(self.paths.document().tag(unit.node), Tag::LI | Tag::DD);
        if matches!(unit.kind, Kind::Post { .. }) && is_inside { path + "/post()" } else { path }
    }

    /// Label and provenance.
    fn after_children(&self, unit: &Unit) -> Map<String, Value> {
        let mut object = Map::new();
        if let Some(score) = unit.score {
            object.insert("score".into(), json!(score));
        }
        object.insert("kept".into(), json!(unit.kept));
        object.insert("path".into(), json!(self.within(self.path(unit))));
        object.insert("source".into(), json!(unit.source.as_ref().map(|source| [source.start, source.end])));
        if let Some(role) = self.role(unit) {
            object.insert("role".into(), json!(role));
        }
        if let Some(language) = self.languages.of_unit(unit) {
            object.insert("lang".into(), json!(language));
        }
        if let Some(fragment) = self.fragments.of(&unit.text).and_then(|text| self.within(text)) {
            object.insert("fragment".into(), json!(fragment));
        }
        if !unit.blocks.is_empty() {
            object.insert("blocks".into(), json!([unit.blocks.start, unit.blocks.end]));
        }
        object
    }
}
