//! The fields of a line.

use crate::json::mended;
use crate::readers::Fields;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Number of names of fields that are kept for an error.
const MAX_NAMES: usize = 20;

/// The fields of a JSON object that are read.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub html: Option<Html>,
    pub id: Option<String>,
    pub url: Option<String>,
    pub date: Option<String>,
    /// Whether the object has the fields of HTML, id, URL and date, with any value.
    pub seen: [bool; 4],
    /// The names of its fields, up to [`MAX_NAMES`].
    pub names: Vec<String>,
}

/// The value of the field of the page.
#[derive(Debug)]
pub(super) enum Html {
    Text(String),
    Other,
}

impl Row {
    /// Parses a line. A line that is not JSON is mended, if it can be.
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
                row.html = Some(map.next_value_seed(ReadHtml)?);
                row.keep_name(name);
                continue;
            }
            // The same field may be both id and URL.
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

/// A text that is not empty, or a number as it is written.
fn text(value: &RawValue) -> serde_json::Result<Option<String>> {
    let json = value.get();
    match json.as_bytes() {
        [b'"', ..] => Ok(Some(serde_json::from_str::<String>(json)?).filter(|text| !text.is_empty())),
        [b'-' | b'0'..=b'9', ..] => Ok(Some(json.to_owned())),
        _ => Ok(None),
    }
}

struct ReadHtml;

impl<'de> DeserializeSeed<'de> for ReadHtml {
    type Value = Html;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Html, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadHtml {
    type Value = Html;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Html, E> {
        Ok(Html::Text(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Html, E> {
        Ok(Html::Text(text))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Html, E> {
        Ok(Html::Other)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Html, E> {
        Ok(Html::Other)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Html, E> {
        Ok(Html::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Html, E> {
        Ok(Html::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Html, E> {
        Ok(Html::Other)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut values: A) -> Result<Html, A::Error> {
        while values.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Html::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut values: A) -> Result<Html, A::Error> {
        while values.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Html::Other)
    }
}
