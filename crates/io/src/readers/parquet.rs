//! Parquet files.

mod dates;
#[cfg(test)]
mod tests;

use crate::raw_page::{Body, Item, RawPage, Unread};
use crate::readers::parquet_file::{ParquetFile, seekable};
use crate::readers::parquet_pages::column_reader;
use crate::readers::{Fields, Pages, Reader, guarded, stem};
use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::ColumnDescPtr;
use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use threshr_core::Setting;
use threshr_core::{Error, Result};

/// Reader for one page per row. [`Fields`] contains the column names.
pub(super) static READER: Reader = Reader {
    name: "parquet",
    summary: "one row per page, also compressed or from standard input; the names of the columns can be set",
    extensions: &["parquet"],
    open: |path, fields: &Fields, bytes_read: &Arc<AtomicU64>| {
        Ok(Box::new(Rows::open(path, fields, bytes_read)?))
    },
};

struct Rows {
    file: SerializedFileReader<ParquetFile>,
    /// The leaf columns to read, with their roles.
    leaves: Vec<(usize, Role)>,
    /// The remaining row groups.
    groups: Range<usize>,
    /// The columns of the current row group.
    columns: Vec<Column>,
    path: PathBuf,
    stem: String,
    fields: Fields,
    row: u64,
    /// The first row after the current row group.
    next_group_at: u64,
    /// Reasons for which values of the last row were skipped. Each is returned as a separate item.
    unread: VecDeque<&'static str>,
    bytes_per_row: u64,
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

/// A column of a row group.
struct Column {
    role: Role,
    reader: ColumnReader,
    descr: ColumnDescPtr,
}

/// A value of a row.
enum Value {
    /// A byte array. If `is_text` is true, its column type is UTF-8.
    Bytes {
        bytes: ByteArray,
        is_text: bool,
    },
    /// A date or time in ISO 8601 format; `None` if the year is outside 0 to 9999.
    Date(Option<String>),
    Other(Field),
}

/// The values of a row. `None` is a null value.
type Row = Vec<(Role, Option<Value>)>;

impl Rows {
    fn open(path: &Path, fields: &Fields, bytes_read: &Arc<AtomicU64>) -> Result<Rows> {
        let failed = |e| unreadable(e).at_path(path);
        let file = seekable(path, bytes_read)?;
        let num_bytes = file.metadata().map_err(|e| Error::io(path, e))?.len();
        let file = SerializedFileReader::new(ParquetFile::new(file)).map_err(failed)?;
        let metadata = file.metadata().file_metadata();
        let (schema, num_rows) = (metadata.schema_descr(), u64::try_from(metadata.num_rows()).unwrap_or(0));
        let names: Vec<&str> = schema.root_schema().get_fields().iter().map(|f| f.name()).collect();
        let leaf = |name: &str| {
            // Only top-level columns with one value per row are read.
            let is_single = |c: &ColumnDescPtr| c.path().parts() == [name] && c.max_rep_level() == 0;
            schema.columns().iter().position(is_single)
        };
        let read = fields.others().map(|(name, _)| name);
        let is_twice = |name: &&str| names.iter().filter(|n| *n == name).count() > 1;
        if let Some(name) = [fields.html.as_str()].into_iter().chain(read).find(is_twice) {
            return Err(Error::data("the file has several columns of this name")
                .expected("one column that is read")
                .with_setting(if name == fields.html { Setting::HtmlField } else { Setting::FieldNames })
                .at_path(path)
                .at_column(name));
        }
        let Some(html) = leaf(&fields.html) else {
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
        let mut leaves = vec![(html, Role::Html)];
        for ((name, is_chosen), role) in fields.others().into_iter().zip([Role::Id, Role::Url, Role::Date]) {
            match leaf(name) {
                Some(leaf) => leaves.push((leaf, role)),
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
        Ok(Rows {
            leaves,
            groups: 0..file.num_row_groups(),
            file,
            columns: Vec::new(),
            path: path.to_path_buf(),
            stem: stem(path),
            fields: fields.clone(),
            row: 0,
            next_group_at: 0,
            unread: VecDeque::new(),
            bytes_per_row: num_bytes.checked_div(num_rows).unwrap_or(0),
            bytes_read: bytes_read.clone(),
        })
    }

    /// Reads the next row. Returns `None` at the end. After an error, continues with the next row group.
    fn read(&mut self) -> Result<Option<Row>> {
        while self.row == self.next_group_at {
            self.columns.clear();
            let Some(group) = self.groups.next() else { return Ok(None) };
            let num_rows = self.file.metadata().row_group(group).num_rows();
            self.next_group_at = self.next_group_at.saturating_add(u64::try_from(num_rows).unwrap_or(0));
            // The Parquet library panics on some corrupt files.
            match guarded(|| self.open_group(group)) {
                Ok(columns) => self.columns = columns,
                Err(e) => return Err(self.skip_group(e)),
            }
        }
        let columns = &mut self.columns;
        let row = guarded(|| columns.iter_mut().map(|c| Ok((c.role, c.next()?))).collect());
        match row {
            Ok(row) => {
                self.row += 1;
                Ok(Some(row))
            }
            Err(e) => Err(self.skip_group(e)),
        }
    }

    fn open_group(&self, group: usize) -> Result<Vec<Column>> {
        let group = self.file.get_row_group(group).map_err(unreadable)?;
        let open = |&(leaf, role): &(usize, Role)| {
            let descr = self.file.metadata().file_metadata().schema_descr().column(leaf);
            let reader = column_reader(group.as_ref(), leaf, &descr).map_err(unreadable)?;
            Ok(Column { role, reader, descr })
        };
        self.leaves.iter().map(open).collect()
    }

    /// Skips the rest of the row group, because the position after a value that cannot be decoded is
    /// unknown.
    fn skip_group(&mut self, error: Error) -> Error {
        let (first, num_lost) = (self.row + 1, self.next_group_at - self.row);
        self.row = self.next_group_at;
        let lost = format!("an intact row group; {num_lost} of its rows are lost");
        error.expected(lost).at_line(first)
    }

    /// Converts a row to an item. If an id, URL or date cannot be converted to text, the page has no such
    /// value, and the value is reported as a separate item.
    fn page(&mut self, row: Row) -> Item {
        let mut page = RawPage {
            id: format!("{}:{}", self.stem, self.row),
            url: None,
            date: None,
            charset: None,
            body: Body::Stdin,
            defect: None,
        };
        let mut error = Some(Error::data("the value is missing"));
        for (role, value) in row {
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
                let error = error.at_path(&self.path).at_line(self.row).at_column(&self.fields.html);
                Item::Failed(Unread { id: page.id, url: page.url, date: page.date, error })
            }
        }
    }
}

impl Column {
    /// Reads the value of the next row. Values are read one by one, so that the values before a corrupt one
    /// are kept.
    fn next(&mut self) -> Result<Option<Value>> {
        let descr = &self.descr;
        let logical = descr.logical_type_ref();
        let is_text =
            matches!(descr.converted_type(), ConvertedType::UTF8 | ConvertedType::JSON | ConvertedType::ENUM)
                || matches!(logical, Some(LogicalType::String));
        // Other types, such as decimal numbers, are also stored as byte arrays.
        let is_plain = matches!(descr.converted_type(), ConvertedType::NONE | ConvertedType::BSON)
            && !matches!(logical, Some(LogicalType::Float16));
        let bytes = |bytes: ByteArray| {
            if is_text || is_plain {
                return Ok(Value::Bytes { bytes, is_text });
            }
            Field::convert_byte_array(descr, bytes).map(Value::Other)
        };
        let field = |field| Ok(Value::Other(field));
        let unit = dates::Unit::from_column(descr);
        let read = match &mut self.reader {
            ColumnReader::BoolColumnReader(r) => read(r, descr, |v| field(Field::convert_bool(descr, v))),
            ColumnReader::Int32ColumnReader(r) => read(r, descr, |v| match unit {
                Some(unit) => Ok(Value::Date(unit.text(i64::from(v)))),
                None => field(Field::convert_int32(descr, v)),
            }),
            ColumnReader::Int64ColumnReader(r) => read(r, descr, |v| match unit {
                Some(unit) => Ok(Value::Date(unit.text(v))),
                None => field(Field::convert_int64(descr, v)),
            }),
            ColumnReader::Int96ColumnReader(r) => read(r, descr, |v| Ok(Value::Date(dates::of_int96(&v)))),
            ColumnReader::FloatColumnReader(r) => read(r, descr, |v| field(Field::convert_float(descr, v))),
            ColumnReader::DoubleColumnReader(r) => read(r, descr, |v| field(Field::convert_double(descr, v))),
            ColumnReader::ByteArrayColumnReader(r) => read(r, descr, bytes),
            ColumnReader::FixedLenByteArrayColumnReader(r) => read(r, descr, |v| bytes(v.into())),
        };
        read.map_err(unreadable)?.ok_or_else(|| Error::data("the column has fewer values than rows"))
    }
}

/// Reads the next value of a column. Returns `Some(None)` for a null value, and `None` at the end.
fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    descr: &ColumnDescPtr,
    value: impl Fn(T::T) -> Result<Value, ParquetError>,
) -> Result<Option<Option<Value>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let max_level = descr.max_def_level();
    let (num_rows, ..) = reader.read_records(1, (max_level > 0).then_some(&mut levels), None, &mut values)?;
    let value = values.pop().map(value).transpose()?;
    Ok((num_rows > 0).then_some(value))
}

impl Value {
    fn into_text(self) -> Option<String> {
        Some(match self {
            Value::Date(text) => return text,
            // Written as hexadecimal digits, so that different bytes give different ids.
            Value::Bytes { bytes, .. } => match std::str::from_utf8(bytes.data()) {
                Ok(text) => text.to_owned(),
                Err(_) => threshr_core::hex(bytes.data()),
            },
            Value::Other(field) => field.to_string(),
        })
    }
}

impl Pages for Rows {
    fn next(&mut self) -> Result<Option<Item>> {
        if let Some(why) = self.unread.pop_front() {
            return Ok(Some(Item::Skipped(why)));
        }
        let row = self.read().transpose();
        self.bytes_read.fetch_add(self.bytes_per_row, Relaxed);
        Ok(row.map(|row| match row {
            Ok(row) => self.page(row),
            Err(error) => {
                let id = format!("{}:{}", self.stem, error.place.line.unwrap_or(self.row));
                Item::Failed(Unread { id, url: None, date: None, error: error.at_path(&self.path) })
            }
        }))
    }
}

fn unreadable(e: ParquetError) -> Error {
    const MAX_CHARS: usize = 300;
    let mut text = e.to_string();
    // The message may contain the whole value as a list of numbers.
    if text.len() > MAX_CHARS {
        text.truncate(text.floor_char_boundary(MAX_CHARS));
        text.push('…');
    }
    Error::data("the Parquet file is corrupt").because(ParquetError::General(text))
}
