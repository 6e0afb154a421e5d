//! Reader for JSON Lines, JSON arrays, and JSON objects that span several lines. Files may be compressed.

mod probe;
mod row;

use crate::json::{Found, Values, no_object};
use crate::raw_page::{Body, Item, RawPage, Unread};
use crate::readers::{Fields, Pages, Reader, stem};
use probe::Probe;
use row::{Html, Row};
use std::collections::VecDeque;
use std::path::PathBuf;
use threshr_core::{Error, ErrorKind, Result, Setting};

/// Reader for one JSON object per line. [`Fields`] contains the field names.
pub(super) static READER: Reader = Reader {
    name: "jsonl",
    summary: "one JSON object per line, or a JSON array of objects; the file may be compressed with gz or zst; the names of the \
              fields can be chosen",
    extensions: &["jsonl", "ndjson"],
    open: |input| {
        let (path, fields) = (input.path, input.fields);
        Ok(Box::new(Lines {
            path: path.to_path_buf(),
            stem: stem(path),
            fields: fields.clone(),
            probe: Probe::new(fields),
            values: Values::new(path, input.decoded()?)?,
            ready: VecDeque::new(),
        }))
    },
};

struct Lines {
    values: Values,
    path: PathBuf,
    stem: String,
    fields: Fields,
    /// Checks that the chosen fields occur in the file.
    probe: Probe,
    /// Items that are returned next.
    ready: VecDeque<Item>,
}

impl Pages for Lines {
    /// Returns the next item. If none of the first lines has a chosen field, returns one error instead of
    /// many failed pages.
    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            let num_read = self.probe.num_read();
            let item = self.next_item()?;
            if self.probe.is_complete() {
                let mut waiting = self.probe.take();
                waiting.extend(item);
                if waiting.is_empty() {
                    return Ok(None);
                }
                self.ready = waiting;
                continue;
            }
            match item {
                // A corrupt line gives no information about the fields.
                Some(item) if self.probe.num_read() == num_read && self.probe.is_idle() => {
                    return Ok(Some(item));
                }
                Some(item) => self.probe.wait(item),
                None if self.probe.num_read() == 0 => {
                    self.ready = self.probe.take();
                    return Ok(self.ready.pop_front());
                }
                None => return Err(self.missing()),
            }
            if self.probe.is_enough() {
                return Err(self.missing());
            }
            self.ready = self.probe.overflow();
        }
    }
}

impl Lines {
    /// Returns the error for a chosen field that does not occur in the first lines.
    fn missing(&self) -> Error {
        let found = match self.probe.num_read() {
            1 => "the line has no such field".to_owned(),
            num => format!("none of the first {num} lines has this field, so the rest is not read"),
        };
        let (field, is_html) = self.probe.missing();
        Error::data(found)
            .expected(expected(self.probe.names()))
            .with_setting(if is_html { Setting::HtmlField } else { Setting::FieldNames })
            .at_path(&self.path)
            .at_line(self.probe.first_line())
            .at_column(field)
    }

    fn next_item(&mut self) -> Result<Option<Item>> {
        let Some(Found { line, number, bytes }) = self.values.next()? else { return Ok(None) };
        let id = format!("{}:{number}", self.stem);
        let parsed = bytes.and_then(|bytes| {
            Row::parse(&bytes, &self.fields).map_err(|e| {
                let mut error = no_object(&e, line).at_path(&self.path);
                // The last line is cut.
                if e.is_eof() && self.values.is_at_end() {
                    error.kind = ErrorKind::Truncated;
                }
                error
            })
        });
        Ok(Some(match parsed {
            Ok(row) => self.page(row, line, id),
            Err(error) => Item::Failed(Unread { id, url: None, date: None, error }),
        }))
    }

    /// Converts the row of a line to an item. `id` is used if the row has no id.
    fn page(&mut self, row: Row, line: u64, id: String) -> Item {
        self.probe.see(&row, line);
        let (url, date) = (row.url, row.date);
        let id = row.id.unwrap_or(id);
        let error = match row.html {
            Some(Html::Text(html)) => {
                return Item::Page(RawPage {
                    id,
                    url,
                    date,
                    // JSON strings are Unicode, whatever charset the page declares.
                    charset: Some("utf-8".to_owned()),
                    body: Body::Bytes(html.into_bytes()),
                    defect: None,
                });
            }
            Some(Html::Other) => Error::data("the field is not a string").expected("a page as a JSON string"),
            None => Error::data("the object has no such field")
                .expected(expected(&row.names))
                .with_setting(Setting::HtmlField),
        };
        let error = error.at_path(&self.path).at_line(line).at_column(&self.fields.html);
        Item::Failed(Unread { id, url, date, error })
    }
}

/// Returns the expected field names for an error about a missing field.
fn expected(names: &[String]) -> String {
    match names {
        [] => "an object with fields; this object is empty".to_owned(),
        names => format!("one of {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests;
