//! Serialises units as JSON: the tree of a page, with the provenance of each unit.

use crate::formats::languages::Languages;
use crate::formats::roles::{Role, roles};
use crate::formats::{PageOutput, inline_json};
use crate::units::{self, Kind, Unit};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use threshr_core::Result;
use threshr_html::{Paths, Tag};
use threshr_page::metadata::Post;

/// The version of the JSON format of units and posts.
pub const SCHEMA: u32 = 2;

/// Returns the units of a page as a JSON array. The format is described in `docs/reference/units.schema.json`.
///
/// Units are serialised one by one, because JSON values of all units would take many times the memory of the text.
pub fn units_json(page: &PageOutput<'_>, posts: &[Post], units: &[Unit]) -> String {
    let writer = Writer::new(page, posts);
    // text and finite numbers can always be written as JSON
    serde_json::to_string(&Units { writer: &writer, units }).unwrap_or_default()
}

/// Returns one JSON array of units for the text of each post, in the format of [`units_json`].
///
/// # Errors
/// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
pub(super) fn units_of_posts(page: &PageOutput<'_>, posts: &[Post]) -> Result<Vec<Value>> {
    let writer = Writer::new(page, posts);
    let trees = units::trees_of_posts(&page.source(posts, true), &page.budget)?;
    // text and finite numbers can always be written as JSON
    let value =
        |units: Vec<Unit>| serde_json::to_value(Units { writer: &writer, units: &units }).unwrap_or_default();
    Ok(trees.into_iter().map(value).collect())
}

/// Units that are serialised as an array.
struct Units<'a, 'w> {
    writer: &'w Writer<'a>,
    units: &'w [Unit],
}

impl Serialize for Units<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.units.iter().map(|unit| OneUnit { writer: self.writer, unit }))
    }
}

/// A unit that is serialised as an object.
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

/// Data of the page that the JSON of its units contains or needs.
struct Writer<'a> {
    paths: Paths<'a>,
    /// Remaining number of bytes for paths. Further paths are omitted, because on a malicious page each path may be
    /// as long as the page.
    left: Cell<usize>,
    /// The role of each block.
    roles: Vec<Role>,
    languages: Languages<'a>,
}

/// Maximum number of bytes of all paths on a page: a constant, plus a number for each byte of the page.
const PROVENANCE_BYTES: usize = 1_000_000;
const PROVENANCE_BYTES_PER_BYTE: usize = 4;

impl<'a> Writer<'a> {
    fn new(page: &'a PageOutput<'a>, posts: &[Post]) -> Self {
        Writer {
            paths: Paths::new(page.doc),
            left: Cell::new(PROVENANCE_BYTES + PROVENANCE_BYTES_PER_BYTE * page.doc.num_bytes()),
            roles: roles(page, posts),
            languages: Languages::new(page),
        }
    }

    /// Returns the role that all blocks of a unit share. `None` if there is no such role, or the role is
    /// [`Role::Other`].
    fn role(&self, unit: &Unit) -> Option<Role> {
        let roles = self.roles.get(unit.blocks.clone())?;
        let first = roles.first().copied()?;
        (first != Role::Other && roles.iter().all(|&role| role == first)).then_some(first)
    }

    /// Returns the path if the byte limit for paths of the page is not exceeded.
    fn within(&self, path: String) -> Option<String> {
        self.left.set(self.left.get().checked_sub(path.len())?);
        Some(path)
    }

    /// Returns the path of a unit. The path of a post that is a list item ends in `post()`, because the element is
    /// that of the item.
    fn path(&self, unit: &Unit) -> String {
        let path = self.paths.of_node(unit.node);
        let is_inside = matches!(self.paths.document().tag(unit.node), Tag::LI | Tag::DD);
        if matches!(unit.kind, Kind::Post(_)) && is_inside { path + "/post()" } else { path }
    }

    /// Returns the fields after the children: label, provenance, role and language.
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
        if !unit.blocks.is_empty() {
            object.insert("blocks".into(), json!([unit.blocks.start, unit.blocks.end]));
        }
        object
    }
}
