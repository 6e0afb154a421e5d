//! Units as JSON: the tree of a page with its provenance.

use crate::formats::PageOutput;
use crate::formats::text_fragments::TextFragments;
use crate::metadata::{Post, PostKind};
use crate::units::{Inlines, Kind, Unit};
use serde::Serialize;
use serde_json::{Map, Value, json};
use threshr_features::{PageContext, language, primary_subtag as primary};
use threshr_html::{Paths, Tag};

/// The version of the form of units in JSON.
pub const SCHEMA: u32 = 1;

/// The units of a page as JSON values. The form is described in `docs/reference/units.schema.json`.
pub fn units_json(page: &PageOutput<'_>, posts: &[Post], units: &[Unit]) -> Value {
    Writer::new(page, posts).units(units)
}

/// What the JSON of units says beside the units themselves.
struct Writer<'a> {
    page: &'a PageOutput<'a>,
    fragments: TextFragments<'a>,
    paths: Paths<'a>,
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

/// Fewest letters of a unit whose language is detected.
const MIN_LETTERS: usize = 80;

impl<'a> Writer<'a> {
    fn new(page: &'a PageOutput<'a>, posts: &[Post]) -> Self {
        let text = page.blocks.join(|block| page.kept[block]);
        Writer {
            page,
            fragments: TextFragments::new(page.blocks, page.url),
            paths: page.doc.paths(),
            roles: roles(page, posts),
            language: language(&text, page.doc.language()).map(String::from),
        }
    }

    fn units(&self, units: &[Unit]) -> Value {
        Value::Array(units.iter().map(|unit| self.unit(unit)).collect())
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

    fn unit(&self, unit: &Unit) -> Value {
        let mut object = match serde_json::to_value(&unit.kind) {
            Ok(Value::Object(object)) => object,
            _ => Map::new(),
        };
        if !unit.inlines.is_empty() {
            of_inlines(&unit.inlines, &mut object);
        }
        if !unit.children.is_empty() {
            object.insert("children".into(), self.units(&unit.children));
        }
        if let Some(score) = unit.score {
            object.insert("score".into(), json!(score));
        }
        object.insert("kept".into(), json!(unit.kept));
        object.insert("path".into(), json!(self.paths.of(unit.node)));
        object.insert("source".into(), json!(unit.source.as_ref().map(|source| [source.start, source.end])));
        if let Some(role) = self.role(unit) {
            object.insert("role".into(), json!(role));
        }
        if let Some(language) = self.language(unit) {
            object.insert("lang".into(), json!(language));
        }
        if let Some(fragment) = self.fragments.of(&unit.text) {
            object.insert("fragment".into(), json!(fragment));
        }
        if !unit.blocks.is_empty() {
            object.insert("blocks".into(), json!([unit.blocks.start, unit.blocks.end]));
        }
        Value::Object(object)
    }
}

/// Text, and what differs from plain text. Positions are in characters of the text.
fn of_inlines(inlines: &Inlines, object: &mut Map<String, Value>) {
    let position = |byte: usize| inlines.text[..byte].chars().count();
    object.insert("text".into(), json!(inlines.text));
    let mut ranges = Vec::new();
    for run in &inlines.runs {
        let style = run.style;
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
        if let Some(script) = style.script {
            kinds.push(json!({ "kind": script }));
        }
        if let Some(link) = &run.link {
            let mut value = json!({"kind": "link", "url": link.url});
            if !link.title.is_empty() {
                value["title"] = json!(link.title);
            }
            kinds.push(value);
        }
        for mut kind in kinds {
            kind["start"] = json!(position(run.text.start));
            kind["end"] = json!(position(run.text.end));
            ranges.push(kind);
        }
    }
    if !ranges.is_empty() {
        object.insert("ranges".into(), Value::Array(ranges));
    }
    let atoms: Vec<Value> = inlines
        .atoms
        .iter()
        .map(|atom| {
            let mut value = json!(atom.kind);
            value["start"] = json!(position(atom.text.start));
            value["end"] = json!(position(atom.text.end));
            if let Some(link) = &atom.link {
                value["link"] = json!(link.url);
            }
            value
        })
        .collect();
    if !atoms.is_empty() {
        object.insert("atoms".into(), Value::Array(atoms));
    }
}
