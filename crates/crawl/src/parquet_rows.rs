//! Parquet output: row groups, compressed with zstd.

use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::metadata::{
    ColumnChunkMetaData, KeyValue, ParquetMetaData, ParquetMetaDataBuilder, ParquetMetaDataReader,
    ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, TrackedWrite};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::sync::Arc;
use threshr_core::{Error, Result};
use threshr_output::formats::{Added, Entry, Format, Layout, Row};

/// One row per page with the columns [`COLUMNS`]. The columns `markdown`, `metadata`, `posts`, `comments`
/// and `units` are written only if requested.
pub(crate) static FORMAT: Format = Format {
    name: "parquet",
    summary: "Parquet (zstd): id, url, date, text, title, authors, date_published, num_kept, mean_score, language, \
              page_type, page_types (JSON), quality, quality_low, quality_high, model, defect, error; markdown, metadata, posts, comments and units (JSON) on request",
    extensions: &["parquet"],
    head: MAGIC,
    between: "",
    frame: ("", ""),
    layout: Layout::Parquet,
    page: |page| Ok(Entry::Row(Box::new(Row::new(page)?))),
    failed: |page| Some(Entry::Row(Box::new(Row::failed(page)))),
};

/// The first and last bytes of a Parquet file.
const MAGIC: &str = "PAR1";
/// Number of bytes after the metadata: the length of the metadata, and [`MAGIC`].
const TAIL: usize = 8;
const LEVEL: i32 = 3;

/// Function that computes the value of a column.
enum Value {
    /// A number that is never null.
    Count(fn(&Row) -> i32),
    Score(fn(&Row) -> Option<f32>),
    /// A text value that is never null.
    Text(fn(&Row) -> &str),
    TextOrNull(fn(&Row) -> Option<&str>),
    /// A list of texts, which may be empty.
    Texts(fn(&Row) -> &[String]),
    Json(fn(&Row) -> Option<String>),
}

/// Names and values of all columns.
const COLUMNS: [(&str, Value); 23] = [
    ("id", Value::Text(|row| &row.id)),
    ("url", Value::TextOrNull(|row| row.url.as_deref())),
    ("date", Value::TextOrNull(|row| row.date.as_deref())),
    ("text", Value::TextOrNull(|row| row.text.as_deref())),
    ("title", Value::TextOrNull(|row| row.title.as_deref())),
    ("authors", Value::Texts(|row| &row.authors)),
    ("date_published", Value::TextOrNull(|row| row.date_published.as_deref())),
    ("markdown", Value::TextOrNull(|row| row.markdown.as_deref())),
    ("metadata", Value::Json(|row| row.metadata.as_ref().map(ToString::to_string))),
    ("posts", Value::Json(|row| row.posts.as_ref().map(ToString::to_string))),
    ("comments", Value::Json(|row| row.comments.as_ref().map(ToString::to_string))),
    ("units", Value::Json(|row| row.units.clone())),
    ("num_kept", Value::Count(|row| row.num_kept() as i32)),
    ("mean_score", Value::Score(Row::mean_score)),
    ("language", Value::TextOrNull(|row| row.language.as_deref())),
    ("page_type", Value::TextOrNull(|row| row.type_and_quality.as_ref()?.page_type())),
    ("page_types", Value::Json(Row::page_types_json)),
    ("quality", Value::Score(|row| Some(row.type_and_quality.as_ref()?.quality?.expected))),
    ("quality_low", Value::Score(|row| Some(row.type_and_quality.as_ref()?.quality?.low))),
    ("quality_high", Value::Score(|row| Some(row.type_and_quality.as_ref()?.quality?.high))),
    ("model", Value::Text(|row| &row.model)),
    ("defect", Value::TextOrNull(|row| row.defect.as_deref())),
    ("error", Value::TextOrNull(|row| row.error.as_deref())),
];

/// Returns the columns that a file contains.
fn columns(added: Added) -> impl Iterator<Item = (&'static str, Value)> {
    COLUMNS.into_iter().filter(move |&(name, _)| match name {
        "markdown" => added.markdown,
        "metadata" | "posts" | "comments" => added.metadata,
        "units" => added.units,
        _ => true,
    })
}

/// A row group that can be placed at any position in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// The data of the columns.
    pub data: Vec<u8>,
    /// The metadata of a file that contains only this group.
    pub metadata: Vec<u8>,
}

/// Encodes rows as a row group. The encoding is deterministic.
///
/// # Errors
/// If the rows cannot be encoded.
pub(crate) fn encode(rows: &[Row], added: Added) -> Result<Group> {
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema(added)?, properties()?).map_err(failed)?;
    let mut group = file.next_row_group().map_err(failed)?;
    for (name, value) in columns(added) {
        let Some(mut column) = group.next_column().map_err(failed)? else { break };
        write_column(name, column.untyped(), &value, rows).map_err(failed)?;
        column.close().map_err(failed)?;
    }
    group.close().map_err(failed)?;
    file.close().map_err(failed)?;
    let length = bytes.get(bytes.len().saturating_sub(TAIL)..).and_then(|tail| tail.first_chunk::<4>());
    let length = length.map_or(0, |l| u32::from_le_bytes(*l) as usize);
    let metadata_at = bytes.len().saturating_sub(TAIL + length).max(MAGIC.len());
    Ok(Group {
        data: bytes[MAGIC.len()..metadata_at].to_vec(),
        metadata: bytes[metadata_at..bytes.len() - TAIL].to_vec(),
    })
}

/// Returns the footer of a file that starts with [`Format::head`], followed by the data of `groups`. Each
/// group is given as the length of its data and its metadata.
///
/// # Errors
/// If the metadata of a group is invalid.
pub(crate) fn footer(groups: &[(u64, Vec<u8>)], added: Added) -> Result<Vec<u8>> {
    // Writes an empty file to get all metadata other than row groups.
    let mut bytes = Vec::new();
    let empty = SerializedFileWriter::new(&mut bytes, schema(added)?, properties()?).map_err(failed)?;
    let file = empty.close().map_err(failed)?.file_metadata().clone();
    let mut num_rows = 0;
    let (mut row_groups, mut shift) = (Vec::new(), 0);
    for ((length, metadata), ordinal) in groups.iter().zip(0..) {
        let of_group = ParquetMetaDataReader::decode_metadata(metadata).map_err(failed)?;
        for group in of_group.row_groups() {
            num_rows += group.num_rows();
            row_groups.push(moved(group.clone(), shift, ordinal)?);
        }
        shift += i64::try_from(*length).unwrap_or(i64::MAX);
    }
    let schema = file.schema_descr_ptr();
    let file = parquet::file::metadata::FileMetaData::new(
        file.version(),
        num_rows,
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        schema,
        file.column_orders().cloned(),
    );
    let metadata: ParquetMetaData = ParquetMetaDataBuilder::new(file).set_row_groups(row_groups).build();
    let mut out = Vec::new();
    ParquetMetaDataWriter::new_with_tracked(TrackedWrite::new(&mut out), &metadata)
        .finish()
        .map_err(failed)?;
    Ok(out)
}

/// Adds `shift` to all offsets of a row group.
fn moved(group: RowGroupMetaData, shift: i64, ordinal: i32) -> Result<RowGroupMetaData> {
    let columns = group.columns().iter().map(|column: &ColumnChunkMetaData| {
        let dictionary = column.dictionary_page_offset().map(|at| at + shift);
        let builder = column.clone().into_builder();
        builder
            .set_data_page_offset(column.data_page_offset() + shift)
            .set_dictionary_page_offset(dictionary)
            .build()
            .map_err(failed)
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let at = group.file_offset().unwrap_or(MAGIC.len() as i64) + shift;
    group
        .into_builder()
        .set_column_metadata(columns)
        .set_file_offset(at)
        .set_ordinal(ordinal)
        .build()
        .map_err(failed)
}

fn failed(e: parquet::errors::ParquetError) -> Error {
    Error::data("the rows cannot be written as Parquet").because(e)
}

fn schema(added: Added) -> Result<TypePtr> {
    let (required, optional) = (Repetition::REQUIRED, Repetition::OPTIONAL);
    let column = |(name, value): (&str, Value)| {
        let (physical, converted, repetition) = match value {
            Value::Count(_) => (Physical::INT32, ConvertedType::NONE, required),
            Value::Score(_) => (Physical::FLOAT, ConvertedType::NONE, optional),
            Value::Text(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8, required),
            Value::TextOrNull(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8, optional),
            // not as JSON, which some readers show as bytes
            Value::Json(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8, optional),
            Value::Texts(_) => return list(name),
        };
        let builder = Type::primitive_type_builder(name, physical);
        builder.with_repetition(repetition).with_converted_type(converted).build().map(Arc::new)
    };
    let columns = columns(added).map(column).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    Type::group_type_builder("page").with_fields(columns).build().map(Arc::new).map_err(failed)
}

/// Returns the type of a column with a list of texts.
fn list(name: &str) -> Result<TypePtr, parquet::errors::ParquetError> {
    let element = Type::primitive_type_builder("element", Physical::BYTE_ARRAY)
        .with_repetition(Repetition::REQUIRED)
        .with_converted_type(ConvertedType::UTF8)
        .build()?;
    let repeated = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(element)])
        .build()?;
    let column = Type::group_type_builder(name)
        .with_repetition(Repetition::REQUIRED)
        .with_converted_type(ConvertedType::LIST)
        .with_fields(vec![Arc::new(repeated)])
        .build()?;
    Ok(Arc::new(column))
}

fn properties() -> Result<WriterPropertiesPtr> {
    let level = ZstdLevel::try_new(LEVEL).map_err(failed)?;
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(concat!("threshr ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![KeyValue::new("format".to_owned(), "threshr pages 2".to_owned())]))
        // Disables statistics, which would contain long texts, and page indexes, whose offsets would have
        // to be shifted together with their row group.
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true);
    for name in ["id", "url", "text", "title", "markdown", "metadata", "posts", "comments", "units"] {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), false);
    }
    Ok(Arc::new(properties.build()))
}

fn write_column(
    name: &str,
    column: &mut ColumnWriter<'_>,
    value: &Value,
    rows: &[Row],
) -> Result<(), parquet::errors::ParquetError> {
    match (column, value) {
        (ColumnWriter::Int32ColumnWriter(writer), Value::Count(of)) => {
            let values: Vec<i32> = rows.iter().map(of).collect();
            writer.write_batch(&values, None, None)?;
        }
        (ColumnWriter::FloatColumnWriter(writer), Value::Score(of)) => {
            let (values, levels) = present(rows.iter().map(of));
            writer.write_batch(&values, Some(&levels), None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Value::Text(of)) => {
            let values: Vec<ByteArray> = rows.iter().map(|row| of(row).into()).collect();
            writer.write_batch(&values, None, None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Value::TextOrNull(of)) => {
            let (values, levels) = present(rows.iter().map(|row| of(row).map(ByteArray::from)));
            writer.write_batch(&values, Some(&levels), None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Value::Texts(of)) => {
            let values: Vec<ByteArray> = rows.iter().flat_map(of).map(|text| text.as_str().into()).collect();
            // An empty list has one entry without a value. The values of a list after its first have repetition level 1.
            let entries = |row| 0..of(row).len().max(1);
            let present: Vec<i16> =
                rows.iter().flat_map(|row| entries(row).map(|_| i16::from(!of(row).is_empty()))).collect();
            let repeats: Vec<i16> = rows.iter().flat_map(entries).map(|i| i16::from(i > 0)).collect();
            writer.write_batch(&values, Some(&present), Some(&repeats))?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Value::Json(of)) => {
            let (values, levels) = present(rows.iter().map(|row| of(row).map(|j| j.as_str().into())));
            writer.write_batch(&values, Some(&levels), None)?;
        }
        _ => {
            let message = format!("the Parquet type of the column `{name}` does not match its values");
            return Err(parquet::errors::ParquetError::General(message));
        }
    }
    Ok(())
}

/// Returns the values that are present, and a definition level for each row (1 if it has a value, else 0).
fn present<T>(values: impl Iterator<Item = Option<T>>) -> (Vec<T>, Vec<i16>) {
    let (mut found, mut levels) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        found.extend(value);
    }
    (found, levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{ListAccessor, RowAccessor};
    use std::io::Write;
    use threshr_io::readers::Pages;
    use threshr_io::{Fields, Item, sources};

    fn row(i: u32) -> Row {
        Row {
            id: i.to_string(),
            url: i.is_multiple_of(2).then(|| format!("http://a/{i}")),
            text: (!i.is_multiple_of(7)).then(|| format!("text é {i}\n").repeat(i as usize % 50)),
            scores: vec![i as f32 / 1000.0; i as usize % 3],
            model: "m@1".to_owned(),
            authors: (0..i % 3).map(|k| format!("é {i} {k}")).collect(),
            markdown: Some(format!("# {i}")),
            units: Some(format!(r#"[{{"kind":"rule","number":{i}}}]"#)),
            ..Row::default()
        }
    }

    #[test]
    fn groups_form_a_file() {
        for (markdown, groups) in [(false, 3), (true, 2), (false, 0)] {
            let added = Added { markdown, units: markdown, ..Added::default() };
            let mut bytes = FORMAT.head.as_bytes().to_vec();
            let mut ends = Vec::new();
            for group in 0..groups {
                let rows: Vec<Row> = (group * 400..(group + 1) * 400).map(row).collect();
                let compressed = encode(&rows, added).expect("compressed");
                assert_eq!(compressed, encode(&rows, added).expect("compressed again"));
                bytes.extend(&compressed.data);
                ends.push((compressed.data.len() as u64, compressed.metadata));
            }
            bytes.extend(footer(&ends, added).expect("a footer"));
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(&bytes).expect("written");
            let reader = SerializedFileReader::new(file).expect("a Parquet file");
            assert_eq!(reader.num_row_groups(), groups as usize);
            let mut rows = 0;
            for (found, i) in reader.get_row_iter(None).expect("rows").zip(0..) {
                let (found, made) = (found.expect("a row"), row(i));
                assert_eq!(found.len(), if markdown { 20 } else { 18 });
                assert_eq!(found.get_string(0).expect("id"), &made.id);
                assert_eq!(found.get_string(1).ok(), made.url.as_ref());
                assert_eq!(found.get_string(3).ok(), made.text.as_ref());
                let at = if markdown { 9 } else { 7 };
                let authors = found.get_list(5).expect("authors");
                let authors: Vec<&String> =
                    (0..authors.len()).map(|i| authors.get_string(i).expect("a name")).collect();
                assert_eq!(authors, made.authors.iter().collect::<Vec<_>>());
                assert_eq!(
                    found.get_string(8).ok().filter(|_| markdown),
                    made.units.as_ref().filter(|_| markdown)
                );
                assert_eq!(found.get_int(at).expect("num_kept"), i as i32 % 3);
                assert_eq!(found.get_float(at + 1).ok(), made.mean_score());
                rows += 1;
            }
            assert_eq!(rows, groups * 400);
        }
    }

    fn open_file(path: &std::path::Path, fields: &Fields) -> Result<Box<dyn Pages>> {
        let found = sources(&[path.to_path_buf()], Some("parquet"))?.sources;
        found[0].open(fields, &Arc::default())
    }

    #[test]
    fn written_files_can_be_read() {
        let rows: Vec<Row> = (0..40)
            .map(|i| Row {
                id: format!("p{i}"),
                url: (i % 2 == 0).then(|| format!("http://a/{i}")),
                text: Some(format!("<p>é {i}")),
                ..Default::default()
            })
            .collect();
        let group = encode(&rows, Added::default()).expect("compressed");
        let footer =
            footer(&[(group.data.len() as u64, group.metadata)], Added::default()).expect("a footer");
        let mut file = tempfile::Builder::new().suffix(".parquet").tempfile().expect("a file");
        file.write_all(&[b"PAR1", &group.data[..], &footer].concat()).expect("written");
        let fields = Fields { html: "text".to_owned(), ..Fields::default() };
        let mut pages = open_file(file.path(), &fields).expect("opened");
        let mut count = 0;
        while let Some(Item::Page(page)) = pages.next().expect("a row") {
            assert_eq!((&page.id, &page.url), (&rows[count].id, &rows[count].url));
            let text = rows[count].text.as_ref().expect("a text");
            assert_eq!(page.load(None).expect("bytes").bytes, text.as_bytes());
            count += 1;
        }
        assert_eq!(count, 40);
        let open = |fields: Fields| open_file(file.path(), &fields).err().map(|e| e.to_string());
        assert!(open(Fields::default()).is_some_and(|e| e.contains("one of id, url, date, text, title")));
        let mut number =
            open_file(file.path(), &Fields { html: "num_kept".into(), ..fields }).expect("opened");
        assert!(matches!(number.next(), Ok(Some(Item::Failed(_)))));
    }

    #[test]
    fn a_damaged_row_group_loses_only_its_rows() {
        let group = |name: &str| {
            let row = |i| Row {
                id: format!("{name}{i}"),
                text: Some(format!("{i} text of some length, {name}")),
                ..Default::default()
            };
            encode(&(0..40).map(row).collect::<Vec<_>>(), Added::default()).expect("compressed")
        };
        let groups = ["a", "b", "c"].map(group);
        let lengths: Vec<_> = groups.iter().map(|g| (g.data.len() as u64, g.metadata.clone())).collect();
        let footer = footer(&lengths, Added::default()).expect("a footer");
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x.parquet");
        let fields = Fields { html: "text".to_owned(), ..Fields::default() };
        for damage in 0..8 {
            let mut data: Vec<Vec<u8>> = groups.iter().map(|g| g.data.clone()).collect();
            let middle = data[1].len() * (damage + 1) / 10;
            data[1][middle..middle + 9].fill(0xff);
            std::fs::write(&path, [b"PAR1", &data.concat()[..], &footer].concat()).expect("written");
            let mut pages = open_file(&path, &fields).expect("opened");
            let (mut ids, mut failed) = (Vec::new(), Vec::new());
            while let Some(item) = pages.next().expect("it goes on") {
                match item {
                    Item::Page(page) => ids.push(page.id),
                    Item::Failed(unread) => failed.push((unread.id, unread.error.to_string())),
                    Item::Skipped(why) => unreachable!("{why}"),
                }
            }
            for name in ["a", "c"] {
                assert_eq!(ids.iter().filter(|id| id.starts_with(name)).count(), 40, "{failed:?}");
            }
            // corruption in columns that are not read has no effect, and corruption inside text is not
            // detected
            assert!(failed.len() <= 1, "{failed:?}");
            assert!(failed.iter().all(|f| f.0.starts_with("x:") && f.1.contains("x.parquet:")), "{failed:?}");
            assert!(ids.len() == 120 || failed.len() == 1, "{ids:?} {failed:?}");
        }
    }
}
