//! Parser for the fields of one line.

use crate::json::mended;
use crate::readers::Fields;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::{RawValue, Value};
use std::borrow::Cow;
use std::fmt;

/// Maximum number of field names that are kept for error messages.
const MAX_NAMES: usize = 20;

/// The relevant fields of a JSON object.
#[derive(Debug, Default)]
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

    fn keep_name(&mut self, name: String) {
        if self.names.len() < MAX_NAMES {
            self.names.push(name);
        }
    }

    fn parse_json(line: &[u8], fields: &Fields) -> serde_json::Result<Row> {
        let mut json = serde_json::Deserializer::from_slice(line);
        let row = ReadRow(fields).deserialize(&mut json)?;
        json.end().map(|()| row)
    }
}

struct ReadRow<'a>(&'a Fields);

impl<'de> DeserializeSeed<'de> for ReadRow<'_> {
    type Value = Row;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Row, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ReadRow<'_> {
    type Value = Row;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
        let (mut row, fields) = (Row::default(), self.0);
        while let Some(name) = map.next_key::<String>()? {
            let all = [&fields.html, &fields.id, &fields.url, &fields.date];
            row.seen.iter_mut().zip(all).for_each(|(seen, field)| *seen |= *field == name);
            if name == fields.html {
                row.html = Some(match map.next_value()? {
                    Value::String(text) => Html::Text(text),
                    _ => Html::Other,
                });
                row.keep_name(name);
                continue;
            }
            // One field may be chosen both as id and as URL.
            let roles =
                [(&fields.id, &mut row.id), (&fields.url, &mut row.url), (&fields.date, &mut row.date)];
            let roles = roles.into_iter().filter(|(field, _)| **field == name).map(|r| r.1);
            let roles: Vec<&mut Option<String>> = roles.collect();
            if roles.is_empty() {
                map.next_value::<IgnoredAny>()?;
            } else {
                let value = text(map.next_value::<&RawValue>()?).map_err(A::Error::custom)?;
                roles.into_iter().for_each(|role| role.clone_from(&value));
            }
            row.keep_name(name);
        }
        Ok(row)
    }
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
