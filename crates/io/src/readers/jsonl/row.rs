//! Parser for the fields of one line.

use crate::json::mended;
use crate::readers::Fields;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Maximum number of field names that are kept for error messages.
const MAX_NAMES: usize = 20;

/// The relevant fields of a JSON object.
#[derive(Debug)]
pub(super) struct Row {
    pub html: Option<Html>,
    pub id: Option<String>,
    pub url: Option<String>,
    pub date: Option<String>,
    /// Whether the object has the field of HTML, id, URL and date, in this order, with any value.
    pub seen: [bool; 4],
    /// Field names of the object, at most [`MAX_NAMES`].
    pub names: Vec<String>,
}

/// Value of the HTML field.
#[derive(Debug)]
pub(super) enum Html {
    Text(String),
    Other,
}

impl Row {
    /// Parses a line. If the line is not valid JSON, it is repaired by [`mended`] and parsed again.
    pub(super) fn parse(line: &[u8], fields: &Fields) -> serde_json::Result<Row> {
        Row::parse_json(line, fields).or_else(|e| match mended(line) {
            Cow::Owned(mended) => Row::parse_json(&mended, fields),
            Cow::Borrowed(_) => Err(e),
        })
    }

    fn parse_json(line: &[u8], fields: &Fields) -> serde_json::Result<Row> {
        let object: BTreeMap<String, &RawValue> = serde_json::from_slice(line)?;
        let role = |name: &String| object.get(name).map_or(Ok(None), |value| text(value));
        let html = |value: &&RawValue| match value.get().starts_with('"') {
            true => serde_json::from_str(value.get()).map(Html::Text),
            false => Ok(Html::Other),
        };
        Ok(Row {
            html: object.get(&fields.html).map(html).transpose()?,
            id: role(&fields.id)?,
            url: role(&fields.url)?,
            date: role(&fields.date)?,
            seen: [&fields.html, &fields.id, &fields.url, &fields.date].map(|name| object.contains_key(name)),
            names: names(&object),
        })
    }
}

/// Returns the first names in the order of the line, of which all values are parts.
fn names(object: &BTreeMap<String, &RawValue>) -> Vec<String> {
    let mut names: Vec<&String> = object.keys().collect();
    names.sort_by_key(|name| object[*name].get().as_ptr());
    names.into_iter().take(MAX_NAMES).cloned().collect()
}

/// Returns a non-empty string, or a number as written. Returns `None` for other values.
fn text(value: &RawValue) -> serde_json::Result<Option<String>> {
    let json = value.get();
    match json.as_bytes() {
        [b'"', ..] => Ok(Some(serde_json::from_str::<String>(json)?).filter(|text| !text.is_empty())),
        [b'-' | b'0'..=b'9', ..] => Ok(Some(json.to_owned())),
        _ => Ok(None),
    }
}
