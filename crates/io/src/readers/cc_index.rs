//! Index tables of Common Crawl: the pages of the records that an index names, read from WARC files by byte ranges.

use super::archive::{Form, open};
use super::parquet::table::{Table, Value};
use super::{Fields, IndexOptions, Input, Pages, Reader, guarded, stem};
use crate::raw_page::{Item, Unread};
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use threshr_core::{Error, Result, Setting};

/// Maximum number of records that one index may select. Each takes 24 bytes of memory.
const MAX_RECORDS: usize = 20_000_000;
/// Maximum number of bytes of the different file names of an index.
const MAX_NAMES: usize = 1 << 26;
/// Maximum number of rows of an index that cannot be read. After more, the index is not read.
const MAX_UNREADABLE: usize = 10_000;
/// Maximum length of a record in the WARC file, in bytes.
const MAX_RECORD: u64 = 1 << 26;
/// Records of a file that are at most this many bytes apart are read together. The requests and the metadata of a crawl
/// are between its responses.
const MAX_GAP: u64 = 1 << 14;
/// Maximum length of a range with several records, in bytes.
const MAX_RANGE: u64 = 1 << 23;

/// Reader for the table of columns of an index, version of 2018 and later. Source: the index table of Common Crawl.
pub(super) static READER: Reader = Reader {
    name: "cc-index",
    summary: "an index table of Common Crawl (Parquet): the pages of its WARC files, which are below --warc-root",
    extensions: &[],
    open: |input| {
        let root = input.fields.index.warc_root.clone();
        Ok(Box::new(Indexed::open(input, Box::new(LocalFiles(root)))?))
    },
};

/// The WARC files that an index names.
pub trait WarcFiles: Send {
    /// Returns `length` bytes of `file`, a path below the root, from the byte `start` on; fewer if the file ends before.
    ///
    /// # Errors
    /// If the bytes cannot be read. The kind is [`ErrorKind::Data`](threshr_core::ErrorKind::Data) if the file does not
    /// exist; in this case only its records are lost.
    fn range(&mut self, file: &str, start: u64, length: u64) -> Result<Vec<u8>>;
}

struct LocalFiles(PathBuf);

impl WarcFiles for LocalFiles {
    fn range(&mut self, file: &str, start: u64, length: u64) -> Result<Vec<u8>> {
        let path = self.0.join(file);
        let mut bytes = Vec::new();
        let mut read = || {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(start))?;
            file.take(length).read_to_end(&mut bytes)
        };
        read().map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Error::data("no such file").at_path(&path),
            _ => Error::io(&path, e),
        })?;
        Ok(bytes)
    }
}

/// Opens an index whose WARC files are read by `files`, or are below the `warc_root` of the options.
///
/// # Errors
/// If the index cannot be read or has not the required columns.
pub fn open_index(
    path: &Path,
    stream: Option<Box<dyn Read + Send>>,
    options: &IndexOptions,
    files: Option<Box<dyn WarcFiles>>,
) -> Result<Box<dyn Pages>> {
    let files = files.unwrap_or_else(|| Box::new(LocalFiles(options.warc_root.clone())));
    let fields = Fields { index: options.clone(), ..Fields::default() };
    let input = Input { path, stream, fields: &fields, bytes_read: &Arc::default() };
    Ok(Box::new(Indexed::open(input, files)?))
}

/// A record that the index selects.
#[derive(Clone, Copy)]
struct Record {
    file: u32,
    length: u32,
    start: u64,
    /// The row of the index, from 1.
    row: u64,
}

impl Record {
    fn end(&self) -> u64 {
        self.start + u64::from(self.length)
    }
}

struct Indexed {
    path: PathBuf,
    stem: String,
    files: Box<dyn WarcFiles>,
    names: Vec<String>,
    /// The remaining records, by file and position.
    records: VecDeque<Record>,
    /// Rows of the index that cannot be read.
    ready: VecDeque<Item>,
    fields: Fields,
    bytes_read: Arc<AtomicU64>,
}

impl Indexed {
    fn open(input: Input<'_>, files: Box<dyn WarcFiles>) -> Result<Indexed> {
        let (path, fields, bytes_read) = (input.path, input.fields.clone(), input.bytes_read.clone());
        let mut table = Table::open(input)?;
        let columns = Columns::of(&table, &fields.index).map_err(|e| e.at_path(path))?;
        table.select(columns.leaves.clone());
        let (mut names, mut numbers) = (Vec::new(), HashMap::new());
        let (mut records, mut ready, mut name_bytes) = (Vec::new(), VecDeque::new(), 0);
        loop {
            let read = match table.read() {
                Ok(None) => break,
                Ok(Some(row)) => columns.record(row, &fields.index),
                Err(error) => Err(error),
            };
            let row = table.row;
            match read {
                Ok(None) => {}
                Ok(Some((name, start, length))) => {
                    let file = *numbers.entry(name).or_insert_with_key(|name: &String| {
                        names.push(name.clone());
                        name_bytes += name.len();
                        names.len() as u32 - 1
                    });
                    records.push(Record { file, length, start, row });
                }
                Err(error) => {
                    let id = format!("{}:{row}", stem(path));
                    let error = error.at_path(path).at_line(row);
                    ready.push_back(Item::Failed(Unread { id, url: None, date: None, error }));
                }
            }
            if ready.len() > MAX_UNREADABLE {
                return Err(Error::data("too many rows of the index cannot be read").at_path(path));
            }
            if records.len() > MAX_RECORDS || name_bytes > MAX_NAMES {
                return Err(Error::data("the index selects too many records")
                    .expected(format!("at most {MAX_RECORDS}; filters, or parts of the index, select fewer"))
                    .at_path(path));
            }
        }
        records.sort_unstable_by_key(|r| (r.file, r.start, r.row));
        let records = records.into();
        Ok(Indexed {
            path: path.to_path_buf(),
            stem: stem(path),
            files,
            names,
            records,
            ready,
            fields,
            bytes_read,
        })
    }

    /// Removes the next records that are read together.
    fn next_group(&mut self) -> Vec<Record> {
        let Some(first) = self.records.pop_front() else { return Vec::new() };
        let (mut group, mut end) = (vec![first], first.end());
        while let Some(next) = self.records.front().copied()
            && next.file == first.file
            && next.start <= end.saturating_add(MAX_GAP)
            && next.end() - first.start <= MAX_RANGE
        {
            end = end.max(next.end());
            group.push(next);
            self.records.pop_front();
        }
        group
    }

    /// Reads the records of a group.
    fn read(&mut self, group: &[Record]) {
        let start = group[0].start;
        let end = group.iter().map(Record::end).max().unwrap_or(start);
        let name = &self.names[group[0].file as usize];
        let bytes = guarded(|| {
            if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(
                    Error::data("the path of the WARC file leaves its root").expected("a relative path")
                );
            }
            self.files.range(name, start, end - start)
        });
        if let Ok(bytes) = &bytes {
            self.bytes_read.fetch_add(bytes.len() as u64, Relaxed);
        }
        for record in group {
            let items = match &bytes {
                Ok(bytes) => {
                    let from = bytes.len().min((record.start - start) as usize);
                    let to = bytes.len().min(from + record.length as usize);
                    self.items(name, &bytes[from..to])
                }
                Err(error) => Err(Error::new(error.kind, error.with_causes())),
            };
            let failed = |mut error: Error| {
                error.message += &format!(" (bytes {} to {} of {name})", record.start, record.end());
                Item::Failed(Unread {
                    id: format!("{}:{}", self.stem, record.row),
                    url: None,
                    date: None,
                    error: error.at_path(&self.path).at_line(record.row),
                })
            };
            match items {
                Ok(items) if items.is_empty() => {
                    self.ready
                        .push_back(failed(Error::data("there is no response").expected("a WARC record")));
                }
                Ok(items) => self.ready.extend(items),
                Err(error) => self.ready.push_back(failed(error)),
            }
        }
    }

    /// Returns the items of a record.
    fn items(&self, name: &str, bytes: &[u8]) -> Result<Vec<Item>> {
        let stream = Box::new(Cursor::new(bytes.to_vec()));
        let (path, bytes_read) = (Path::new(name), &Arc::default());
        let input = Input { path, stream: Some(stream), fields: &self.fields, bytes_read };
        let mut pages = open(input, Form::Warc)?;
        let mut items = Vec::new();
        while let Some(item) = guarded(|| pages.next())? {
            items.push(item);
        }
        Ok(items)
    }
}

impl Pages for Indexed {
    fn next(&mut self) -> Result<Option<Item>> {
        while self.ready.is_empty() {
            let group = self.next_group();
            if group.is_empty() {
                return Ok(None);
            }
            self.read(&group);
        }
        Ok(self.ready.pop_front())
    }
}

/// The columns of an index that are read: file, start, length, and those of the given filters.
struct Columns {
    leaves: Vec<usize>,
    filters: Vec<Filter>,
}

#[derive(Clone, Copy)]
enum Filter {
    Language,
    Domain,
    Status,
    Mime,
}

impl Columns {
    fn of(table: &Table, options: &IndexOptions) -> Result<Columns> {
        let filters = [
            (Filter::Language, "content_languages", options.languages.is_empty()),
            (Filter::Domain, "url", options.domains.is_empty()),
            (Filter::Status, "fetch_status", options.statuses.is_empty()),
            (Filter::Mime, "content_mime_detected", options.mimes.is_empty()),
        ];
        let filters: Vec<_> = filters.into_iter().filter(|(.., is_empty)| !is_empty).collect();
        let names = ["warc_filename", "warc_record_offset", "warc_record_length"];
        let names = names.into_iter().chain(filters.iter().map(|(_, name, _)| *name));
        let leaf = |name| {
            table.leaf(name).ok_or_else(|| {
                Error::data("the index has no such column")
                    .expected(format!("one of {}", table.names().join(", ")))
                    .with_setting(Setting::FieldNames)
                    .at_column(name)
            })
        };
        let leaves = names.map(leaf).collect::<Result<_>>()?;
        Ok(Columns { leaves, filters: filters.into_iter().map(|(filter, ..)| filter).collect() })
    }

    /// Returns file, start and length of the record of a row; `None` if a filter leaves it out.
    fn record(&self, row: Vec<Option<Value>>, options: &IndexOptions) -> Result<Option<(String, u64, u32)>> {
        let text = |value: Option<Value>| guarded(|| Ok(value.and_then(Value::into_text))).ok().flatten();
        let mut values = row.into_iter().map(text);
        let place = (values.next().flatten(), values.next().flatten(), values.next().flatten());
        for (filter, value) in self.filters.iter().zip(values) {
            let value = value.unwrap_or_default();
            let fits = match filter {
                Filter::Language => {
                    let main = value.split(',').next().unwrap_or_default();
                    options.languages.iter().any(|language| language == main)
                }
                Filter::Domain => {
                    let host = host(&value).to_ascii_lowercase();
                    options.domains.iter().any(|domain| is_below(&host, &domain.to_ascii_lowercase()))
                }
                Filter::Status => value.parse().is_ok_and(|status| options.statuses.contains(&status)),
                Filter::Mime => options.mimes.contains(&value),
            };
            if !fits {
                return Ok(None);
            }
        }
        let (Some(file), Some(start), Some(length)) = place else {
            return Err(Error::data("the row has no WARC file, offset or length"));
        };
        match (start.parse::<u64>(), length.parse::<u64>()) {
            (Ok(start), Ok(length)) if length <= MAX_RECORD && start <= u64::MAX >> 1 => {
                Ok(Some((file, start, length as u32)))
            }
            _ => Err(Error::data(format!("the record has the offset {start} and the length {length}"))
                .expected(format!("numbers, and a length of at most {} MB", MAX_RECORD >> 20))),
        }
    }
}

/// Returns the host of an address.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests;
