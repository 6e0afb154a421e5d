//! Some columns of a Parquet file, read row by row.

use super::dates;
use crate::readers::parquet_file::{ParquetFile, seekable};
use crate::readers::parquet_pages::column_reader;
use crate::readers::{Input, guarded};
use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use threshr_core::{Error, Result};

/// A Parquet file, and the columns of it that are read.
pub(in crate::readers) struct Table {
    file: SerializedFileReader<ParquetFile>,
    /// The leaf columns to read.
    leaves: Vec<usize>,
    /// The remaining row groups.
    groups: Range<usize>,
    /// The columns of the current row group.
    columns: Vec<Column>,
    /// Number of rows that are read.
    pub(in crate::readers) row: u64,
    /// The first row after the current row group.
    next_group_at: u64,
    /// Mean number of bytes of a row in the file.
    pub(in crate::readers) bytes_per_row: u64,
}

/// A column of a row group.
struct Column {
    reader: ColumnReader,
    descr: ColumnDescPtr,
}

/// A value of a row.
pub(in crate::readers) enum Value {
    /// A byte array. If `is_text` is true, its column type is UTF-8.
    Bytes {
        bytes: ByteArray,
        is_text: bool,
    },
    /// A date or time in ISO 8601 format; `None` if the year is outside 0 to 9999.
    Date(Option<String>),
    Other(Field),
}

/// The values of a row, in the order of the leaves. `None` is a null value.
type Row = Vec<Option<Value>>;

impl Table {
    /// Opens a file, of which no column is read yet.
    ///
    /// # Errors
    /// If this is not a Parquet file.
    pub(in crate::readers) fn open(input: Input<'_>) -> Result<Table> {
        let path = input.path;
        let file = seekable(input)?;
        let num_bytes = file.metadata().map_err(|e| Error::io(path, e))?.len();
        let file =
            SerializedFileReader::new(ParquetFile::new(file)).map_err(|e| unreadable(e).at_path(path))?;
        let num_rows = u64::try_from(file.metadata().file_metadata().num_rows()).unwrap_or(0);
        Ok(Table {
            leaves: Vec::new(),
            groups: 0..file.num_row_groups(),
            file,
            columns: Vec::new(),
            row: 0,
            next_group_at: 0,
            bytes_per_row: num_bytes.checked_div(num_rows).unwrap_or(0),
        })
    }

    /// Returns the names of the top-level columns.
    pub(in crate::readers) fn names(&self) -> Vec<&str> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        schema.root_schema().get_fields().iter().map(|f| f.name()).collect()
    }

    /// Returns the leaf of a top-level column with one value per row.
    pub(in crate::readers) fn leaf(&self, name: &str) -> Option<usize> {
        let is_single = |c: &ColumnDescPtr| c.path().parts() == [name] && c.max_rep_level() == 0;
        self.file.metadata().file_metadata().schema_descr().columns().iter().position(is_single)
    }

    /// Sets the columns that are read.
    pub(in crate::readers) fn select(&mut self, leaves: Vec<usize>) {
        self.leaves = leaves;
    }

    /// Reads the next row. Returns `None` at the end. After an error, continues with the next row group.
    pub(in crate::readers) fn read(&mut self) -> Result<Option<Row>> {
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
        let row = guarded(|| columns.iter_mut().map(Column::next).collect());
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
        let open = |&leaf: &usize| {
            let descr = self.file.metadata().file_metadata().schema_descr().column(leaf);
            let reader = column_reader(group.as_ref(), leaf, &descr).map_err(unreadable)?;
            Ok(Column { reader, descr })
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
    /// Returns the value as text; `None` if it cannot be written as text.
    pub(in crate::readers) fn into_text(self) -> Option<String> {
        Some(match self {
            Value::Date(text) => return text,
            // Hexadecimal digits, so that different bytes give different ids.
            Value::Bytes { bytes, .. } => match std::str::from_utf8(bytes.data()) {
                Ok(text) => text.to_owned(),
                Err(_) => threshr_core::hex(bytes.data()),
            },
            Value::Other(field) => field.to_string(),
        })
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
