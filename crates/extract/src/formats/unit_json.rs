//! Units as JSON: the tree of a page with its provenance.

use crate::formats::text_fragments::TextFragments;
use crate::formats::{PageOutput, inline_json};
use crate::metadata::{Post, PostKind};
use crate::units::{Kind, Unit};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use threshr_features::{PageContext, language, primary_subtag as primary};
use threshr_html::{Paths, Tag};

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
    page: &'a PageOutput<'a>,
    fragments: TextFragments<'a>,
    paths: Paths<'a>,
    /// Bytes of paths and fragments that may still be written. Further ones are left out: on a hostile page each may be
    /// as long as the page.
    left: Cell<usize>,
    /// The role of each block.
    roles: Vec<Role>,
    /// The language of the page.
    language: Option<String>,
}

/// What a unit is on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    /// Content that has no other role.
    Main,
    Headline,
    Byline,
    Caption,
    Comment,
    /// Boilerplate.
    Other,
}

/// The role of each block of a page.
fn roles(page: &PageOutput<'_>, posts: &[Post]) -> Vec<Role> {
    let mut roles: Vec<Role> =
        page.kept.iter().map(|&kept| if kept { Role::Main } else { Role::Other }).collect();
    for post in posts.iter().filter(|post| post.kind == PostKind::Comment) {
        let extent = &page.blocks.extent(post.node).blocks;
        roles[extent.start as usize..extent.end as usize].fill(Role::Comment);
    }
    for &(block, property) in PageContext::without_words(page.doc, page.blocks).article_metadata() {
        roles[block as usize] = match property.name {
            "title" => Role::Headline,
            "byline" => Role::Byline,
            _ => Role::Caption,
        };
    }
    roles
}

/// Bytes of all paths and fragments of a page of any size, and for each byte of the page.
const PROVENANCE_BYTES: usize = 1_000_000;
const PROVENANCE_BYTES_PER_BYTE: usize = 4;

/// Words of a page of any size that has fragments, and bytes of the page for one more. Running text has six bytes a word.
const WORDS: usize = 10_000;
const BYTES_PER_WORD: usize = 5;

/// Fewest letters of a unit whose language is detected.
const MIN_LETTERS: usize = 80;

impl<'a> Writer<'a> {
    fn new(page: &'a PageOutput<'a>, posts: &[Post]) -> Self {
        let text = page.blocks.join(|block| page.kept[block]);
        Writer {
            page,
            fragments: TextFragments::new(
                page.blocks,
                page.url,
                WORDS + page.doc.num_bytes() / BYTES_PER_WORD,
            ),
            paths: Paths::of(page.doc),
            left: Cell::new(PROVENANCE_BYTES + PROVENANCE_BYTES_PER_BYTE * page.doc.num_bytes()),
            roles: roles(page, posts),
            language: language(&text, page.doc.language()).map(String::from),
        }
    }

    /// The role that all blocks of a unit have.
    fn role(&self, unit: &Unit) -> Option<Role> {
        let roles = self.roles.get(unit.blocks.clone())?;
        let first = roles.first().copied()?;
        (first != Role::Other && roles.iter().all(|&role| role == first)).then_some(first)
    }

    /// The language of a line, where it is not that of the page: as its element says, else detected.
    fn language(&self, unit: &Unit) -> Option<String> {
        let is_text = !matches!(unit.kind, Kind::Code { .. } | Kind::Math) && !unit.inlines.text.is_empty();
        let doc = self.page.doc;
        let mut around = doc.ancestors_and_self(unit.node).filter(|&n| doc.tag(n) != Tag::HTML);
        let declared = around
            .find_map(|n| doc.attribute(n, "lang"))
            .map(primary)
            .filter(|code| is_text && !code.is_empty());
        let found = declared.or_else(|| {
            let num_letters = || unit.inlines.text.chars().filter(|c| c.is_alphabetic()).count();
            let detects = is_text && num_letters() >= MIN_LETTERS;
            detects.then(|| language(&unit.inlines.text, None)).flatten().map(String::from)
        });
        found.filter(|code| self.language.as_ref() != Some(code))
    }

    /// The text, if all paths and fragments of the page are not too long together.
    fn within(&self, text: String) -> Option<String> {
        self.left.set(self.left.get().checked_sub(text.len())?);
        Some(text)
    }

    /// Label and provenance.
    fn after_children(&self, unit: &Unit) -> Map<String, Value> {
        let mut object = Map::new();
        if let Some(score) = unit.score {
            object.insert("score".into(), json!(score));
        }
        object.insert("kept".into(), json!(unit.kept));
        object.insert("path".into(), json!(self.within(self.paths.of_node(unit.node))));
        object.insert("source".into(), json!(unit.source.as_ref().map(|source| [source.start, source.end])));
        if let Some(role) = self.role(unit) {
            object.insert("role".into(), json!(role));
        }
        if let Some(language) = self.language(unit) {
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
