//! Units as JSON: the tree of a page with its provenance.

use crate::formats::PageOutput;
use crate::formats::text_fragments::TextFragments;
use crate::units::{Inlines, Unit};
use serde_json::{Map, Value, json};
use threshr_html::Document;

/// The version of the form of units in JSON.
pub const SCHEMA: u32 = 1;

/// The units of a page as JSON values. The form is described in `docs/reference/units.md`.
pub fn units_json(page: &PageOutput<'_>, units: &[Unit]) -> Value {
    let fragments = TextFragments::new(page.blocks, page.url);
    of_units(page.doc, &fragments, units)
}

fn of_units(doc: &Document, fragments: &TextFragments<'_>, units: &[Unit]) -> Value {
    Value::Array(units.iter().map(|unit| of_unit(doc, fragments, unit)).collect())
}

fn of_unit(doc: &Document, fragments: &TextFragments<'_>, unit: &Unit) -> Value {
    let mut object = match serde_json::to_value(&unit.kind) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    };
    if !unit.inlines.is_empty() {
        of_inlines(&unit.inlines, &mut object);
    }
    if !unit.children.is_empty() {
        object.insert("children".into(), of_units(doc, fragments, &unit.children));
    }
    if let Some(score) = unit.score {
        object.insert("score".into(), json!(score));
    }
    object.insert("kept".into(), json!(unit.kept));
    object.insert("path".into(), json!(doc.unique_path(unit.node)));
    object.insert("source".into(), json!(unit.source.as_ref().map(|source| [source.start, source.end])));
    if let Some(fragment) = fragments.of(&unit.text) {
        object.insert("fragment".into(), json!(fragment));
    }
    if !unit.blocks.is_empty() {
        object.insert("blocks".into(), json!([unit.blocks.start, unit.blocks.end]));
    }
    Value::Object(object)
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
