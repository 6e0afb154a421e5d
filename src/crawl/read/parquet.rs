//! Parquet files.

use super::{Fields, Pages, Reader, guarded, stem};
use crate::crawl::page::{Body, Item, RawPage, Unread};
use crate::error::{Error, Result};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::{ReaderIter, TreeBuilder};
use parquet::record::{Field, Row};
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Rows decoded at a time: pages are large.
const BATCH: usize = 16;

/// One row a page; [`Fields`] say which columns hold what.
pub static READER: Reader = Reader {
    name: "parquet",
    summary: "a row a page; --html-field and others name the columns",
    endings: &["parquet"],
    open: |path, fields: &Fields, bytes_read: &Arc<AtomicU64>| {
        Ok(Box::new(Rows::open(path, fields, bytes_read)?))
    },
};

struct Rows {
    file: SerializedFileReader<std::fs::File>,
    /// The columns that are read.
    columns: SchemaDescPtr,
    /// The row groups that are still to be read.
    groups: Range<usize>,
    /// Those of the row group that is being read.
    rows: Option<ReaderIter>,
    path: PathBuf,
    stem: String,
    fields: Fields,
    row: u64,
    /// The first row behind the row group that is being read.
    next_group_at: u64,
    bytes_a_row: u64,
    bytes_read: Arc<AtomicU64>,
}

impl Rows {
    fn open(path: &Path, fields: &Fields, bytes_read: &Arc<AtomicU64>) -> Result<Rows> {
        if path.as_os_str() == "-" {
            return Err(Error::recipe("Parquet cannot be read from standard input").expected("a file"));
        }
        let failed = |e| unreadable(e).at_path(path);
        let file = std::fs::File::open(path).map_err(|e| Error::io(path, e))?;
        let num_bytes = file.metadata().map_err(|e| Error::io(path, e))?.len();
        let file = SerializedFileReader::new(file).map_err(failed)?;
        let metadata = file.metadata().file_metadata();
        let (schema, num_rows) = (metadata.schema(), u64::try_from(metadata.num_rows()).unwrap_or(0));
        let names: Vec<&str> = schema.get_fields().iter().map(|f| f.name()).collect();
        if !names.contains(&fields.html.as_str()) {
            return Err(Error::data("the file has no such column")
                .expected(format!("--html-field, one of {}", names.join(", ")))
                .at_path(path)
                .at_column(&fields.html));
        }
        // what is not asked for is not read
        let wanted = [&fields.html, &fields.id, &fields.url, &fields.date];
        let columns = schema.get_fields().iter().filter(|f| wanted.iter().any(|w| *w == f.name()));
        let builder = Type::group_type_builder(schema.name()).with_fields(columns.cloned().collect());
        let projection = builder.build().map_err(failed)?;
        let columns = Arc::new(SchemaDescriptor::new(Arc::new(projection)));
        Ok(Rows {
            groups: 0..file.num_row_groups(),
            file,
            columns,
            rows: None,
            path: path.to_path_buf(),
            stem: stem(path),
            fields: fields.clone(),
            row: 0,
            next_group_at: 0,
            bytes_a_row: num_bytes.checked_div(num_rows).unwrap_or(0),
            bytes_read: bytes_read.clone(),
        })
    }

    /// The next row; `None` at the end. After an error the rows of the next row group follow.
    fn read(&mut self) -> Result<Option<Row>> {
        loop {
            // the library has been seen to panic on damaged files
            let rows = &mut self.rows;
            match rows.as_mut().map(|rows| guarded(|| rows.next().transpose().map_err(unreadable))) {
                Some(Ok(Some(row))) => {
                    self.row += 1;
                    return Ok(Some(row));
                }
                Some(Err(e)) => {
                    self.rows = None;
                    self.row += 1;
                    // the library gives up a row group at the first value that it cannot read
                    let num_lost = (self.next_group_at + 1).saturating_sub(self.row);
                    let lost =
                        format!("a whole row group; {num_lost} of its rows are lost, the next one follows");
                    return Err(e.expected(lost));
                }
                Some(Ok(None)) | None => {
                    self.rows = None;
                    self.row = self.next_group_at;
                    let Some(group) = self.groups.next() else { return Ok(None) };
                    let num_rows = self.file.metadata().row_group(group).num_rows();
                    self.next_group_at += u64::try_from(num_rows).unwrap_or(0);
                    let open = || {
                        let group = self.file.get_row_group(group).map_err(unreadable)?;
                        let rows = TreeBuilder::new().with_batch_size(BATCH);
                        rows.as_iter(self.columns.clone(), &*group).map_err(unreadable)
                    };
                    self.rows = match guarded(open) {
                        Ok(rows) => Some(rows),
                        Err(e) => {
                            self.row += 1;
                            return Err(e);
                        }
                    };
                }
            }
        }
    }

    fn page(&self, row: Row) -> Result<RawPage> {
        let mut page = RawPage {
            id: format!("{}:{}", self.stem, self.row),
            url: None,
            date: None,
            charset: None,
            body: Body::Stdin,
        };
        let mut html = None;
        for (name, field) in row.into_columns() {
            if name == self.fields.html {
                html = Some(match field {
                    Field::Str(text) => {
                        // text is in a charset no more, whatever the page says
                        page.charset = Some("utf-8".to_owned());
                        text.into_bytes()
                    }
                    Field::Bytes(bytes) => bytes.data().to_vec(),
                    _ => return Err(Error::data("the value is neither text nor bytes").at_column(&name)),
                });
            } else if field != Field::Null {
                let text = match field {
                    Field::Str(text) => text,
                    Field::Bytes(bytes) => String::from_utf8_lossy(bytes.data()).into_owned(),
                    other => other.to_string(),
                };
                if name == self.fields.id {
                    page.id = text;
                } else if name == self.fields.url {
                    page.url = Some(text);
                } else {
                    page.date = Some(text);
                }
            }
        }
        let html = html.ok_or_else(|| Error::data("the value is missing").at_column(&self.fields.html))?;
        Ok(RawPage { body: Body::Bytes(html), ..page })
    }
}

impl Pages for Rows {
    fn next(&mut self) -> Result<Option<Item>> {
        let row = self.read().transpose();
        self.bytes_read.fetch_add(self.bytes_a_row, Relaxed);
        Ok(row.map(|row| {
            row.and_then(|row| self.page(row)).map_or_else(
                |error| {
                    let id = format!("{}:{}", self.stem, self.row);
                    Item::Failed(Unread { id, url: None, error: error.at_path(&self.path).at_line(self.row) })
                },
                Item::Page,
            )
        }))
    }
}

fn unreadable(e: ParquetError) -> Error {
    const MOST_CHARS: usize = 300;
    let mut text = e.to_string();
    // the whole value may be in it, as numbers
    if text.len() > MOST_CHARS {
        text.truncate(text.floor_char_boundary(MOST_CHARS));
        text.push('…');
    }
    Error::data("the Parquet file is damaged").because(ParquetError::General(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output;
    use std::io::Write;

    #[test]
    fn what_is_written_can_be_read() {
        let rows: Vec<output::Row> = (0..40)
            .map(|i| output::Row {
                id: format!("p{i}"),
                url: (i % 2 == 0).then(|| format!("http://a/{i}")),
                text: format!("<p>é {i}"),
                ..Default::default()
            })
            .collect();
        let group = output::encode_parquet(&rows, false).expect("packed");
        let footer =
            output::parquet_footer(&[(group.data.len() as u64, group.metadata)], false).expect("an end");
        let mut file = tempfile::Builder::new().suffix(".parquet").tempfile().expect("a file");
        file.write_all(&[b"PAR1", &group.data[..], &footer].concat()).expect("written");
        let fields = Fields { html: "text".to_owned(), ..Fields::default() };
        let mut pages = (READER.open)(file.path(), &fields, &Arc::default()).expect("opened");
        let mut count = 0;
        while let Some(Item::Page(page)) = pages.next().expect("a row") {
            assert_eq!((&page.id, &page.url), (&rows[count].id, &rows[count].url));
            assert_eq!(page.load(None).expect("bytes").bytes, rows[count].text.as_bytes());
            count += 1;
        }
        assert_eq!(count, 40);
        let open = |fields: Fields| {
            (READER.open)(file.path(), &fields, &Arc::default()).err().map(|e| e.to_string())
        };
        assert!(open(Fields::default()).is_some_and(|e| e.contains("one of id, url, date, text, num_kept")));
        let mut number =
            (READER.open)(file.path(), &Fields { html: "num_kept".into(), ..fields }, &Arc::default())
                .expect("opened");
        assert!(matches!(number.next(), Ok(Some(Item::Failed(_)))));
    }

    #[test]
    fn a_damaged_row_group_costs_its_rows_alone() {
        let group = |name: &str| {
            let row = |i| output::Row {
                id: format!("{name}{i}"),
                text: format!("{i} text of some length, {name}"),
                ..Default::default()
            };
            output::encode_parquet(&(0..40).map(row).collect::<Vec<_>>(), false).expect("packed")
        };
        let groups = ["a", "b", "c"].map(group);
        let lengths: Vec<_> = groups.iter().map(|g| (g.data.len() as u64, g.metadata.clone())).collect();
        let footer = output::parquet_footer(&lengths, false).expect("an end");
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x.parquet");
        let fields = Fields { html: "text".to_owned(), ..Fields::default() };
        for damage in 0..8 {
            let mut data: Vec<Vec<u8>> = groups.iter().map(|g| g.data.clone()).collect();
            let middle = data[1].len() * (damage + 1) / 10;
            data[1][middle..middle + 9].fill(0xff);
            std::fs::write(&path, [b"PAR1", &data.concat()[..], &footer].concat()).expect("written");
            let mut pages = (READER.open)(&path, &fields, &Arc::default()).expect("opened");
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
            // damage of a column that is not read is none; that of values is not seen
            assert!(failed.len() <= 1, "{failed:?}");
            assert!(failed.iter().all(|f| f.0.starts_with("x:") && f.1.contains("x.parquet:")), "{failed:?}");
            assert!(ids.len() == 120 || failed.len() == 1, "{ids:?} {failed:?}");
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x.parquet");
        for bytes in [&b""[..], b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1", &[0; 100]] {
            std::fs::write(&path, bytes).expect("written");
            assert!((READER.open)(&path, &Fields::default(), &Arc::default()).is_err());
        }
    }
}
