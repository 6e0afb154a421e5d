//! Parquet files.

mod dates;
pub(super) mod table;
#[cfg(test)]
mod tests;

use crate::raw_page::{Body, Item, RawPage, Unread};
use crate::readers::{Fields, Input, Pages, Reader, guarded, stem};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use table::{Table, Value};
use threshr_core::Setting;
use threshr_core::{Error, Result};

/// Reader for one page per row. [`Fields`] contains the column names.
pub(super) static READER: Reader = Reader {
    name: "parquet",
    summary: "one row per page, also compressed or from standard input; the names of the columns can be set",
    extensions: &["parquet"],
    open: |input| Ok(Box::new(Rows::open(input)?)),
};

struct Rows {
    table: Table,
    /// The roles of the columns that are read.
    roles: Vec<Role>,
    path: PathBuf,
    stem: String,
    fields: Fields,
    /// The reasons why values of the last row were skipped. Each reason is returned as a separate item.
    unread: VecDeque<&'static str>,
    bytes_read: Arc<AtomicU64>,
}

/// The role of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Html,
    Id,
    Url,
    Date,
}

impl Rows {
    fn open(input: Input<'_>) -> Result<Rows> {
        let (path, fields, bytes_read) = (input.path, input.fields, input.bytes_read);
        let mut table = Table::open(input)?;
        let names = table.names();
        let read = fields.others().map(|(name, _)| name);
        let is_twice = |name: &&str| names.iter().filter(|n| *n == name).count() > 1;
        if let Some(name) = [fields.html.as_str()].into_iter().chain(read).find(is_twice) {
            return Err(Error::data("the file has several columns of this name")
                .expected("one column that is read")
                .with_setting(if name == fields.html { Setting::HtmlField } else { Setting::FieldNames })
                .at_path(path)
                .at_column(name));
        }
        let Some(html) = table.leaf(&fields.html) else {
            let what = if names.contains(&fields.html.as_str()) {
                "the column contains neither text nor bytes"
            } else {
                "the file has no such column"
            };
            return Err(Error::data(what)
                .expected(format!("one of {}", names.join(", ")))
                .with_setting(Setting::HtmlField)
                .at_path(path)
                .at_column(&fields.html));
        };
        let (mut leaves, mut roles) = (vec![html], vec![Role::Html]);
        for ((name, is_chosen), role) in fields.others().into_iter().zip([Role::Id, Role::Url, Role::Date]) {
            match table.leaf(name) {
                Some(leaf) => {
                    leaves.push(leaf);
                    roles.push(role);
                }
                None if names.contains(&name) => {
                    return Err(Error::data("the column has several values per row, or nested parts")
                        .expected("a column with one value per row")
                        .with_setting(Setting::FieldNames)
                        .at_path(path)
                        .at_column(name));
                }
                None if is_chosen => {
                    return Err(Error::data("the file has no such column")
                        .expected(format!("one of {}", names.join(", ")))
                        .with_setting(Setting::FieldNames)
                        .at_path(path)
                        .at_column(name));
                }
                None => {}
            }
        }
        table.select(leaves);
        Ok(Rows {
            table,
            roles,
            path: path.to_path_buf(),
            stem: stem(path),
            fields: fields.clone(),
            unread: VecDeque::new(),
            bytes_read: bytes_read.clone(),
        })
    }

    /// Converts a row to an item. If an id, URL or date cannot be converted to text, the page has no such
    /// value, and the value is reported as a separate item.
    fn page(&mut self, row: Vec<Option<Value>>) -> Item {
        let mut page = RawPage {
            id: format!("{}:{}", self.stem, self.table.row),
            url: None,
            date: None,
            charset: None,
            body: Body::Stdin,
            defect: None,
        };
        let mut error = Some(Error::data("the value is missing"));
        for (role, value) in self.roles.iter().zip(row) {
            let Some(value) = value else { continue };
            match role {
                Role::Html => {
                    error = match value {
                        Value::Bytes { bytes, is_text } => {
                            // If the value is valid UTF-8 text, the charset that the page declares is
                            // ignored.
                            let is_utf8 = is_text && std::str::from_utf8(bytes.data()).is_ok();
                            page.charset = is_utf8.then(|| "utf-8".to_owned());
                            page.body = Body::Bytes(bytes.data().to_vec());
                            None
                        }
                        Value::Date(_) | Value::Other(_) => {
                            Some(Error::data("the value is neither text nor bytes"))
                        }
                    };
                    continue;
                }
                Role::Id | Role::Url | Role::Date => {}
            }
            // The Parquet library panics on dates outside its range.
            match (guarded(|| Ok(value.into_text())).ok().flatten(), role) {
                (Some(text), Role::Id) => page.id = text,
                (Some(text), Role::Url) => page.url = Some(text),
                (Some(text), _) => page.date = Some(text),
                (None, Role::Id) => self.unread.push_back("ids that cannot be written as text"),
                (None, Role::Url) => self.unread.push_back("URLs that cannot be written as text"),
                (None, _) => self.unread.push_back("dates outside of the years 0 to 9999"),
            }
        }
        match error {
            None => Item::Page(page),
            Some(error) => {
                let error = error.at_path(&self.path).at_line(self.table.row).at_column(&self.fields.html);
                Item::Failed(Unread { id: page.id, url: page.url, date: page.date, error })
            }
        }
    }
}

impl Pages for Rows {
    fn next(&mut self) -> Result<Option<Item>> {
        if let Some(why) = self.unread.pop_front() {
            return Ok(Some(Item::Skipped(why)));
        }
        let row = self.table.read().transpose();
        self.bytes_read.fetch_add(self.table.bytes_per_row, Relaxed);
        Ok(row.map(|row| match row {
            Ok(row) => self.page(row),
            Err(error) => {
                let id = format!("{}:{}", self.stem, error.place.line.unwrap_or(self.table.row));
                Item::Failed(Unread { id, url: None, date: None, error: error.at_path(&self.path) })
            }
        }))
    }
}
