//! Detects the format of an annotated set.

use crate::annotations;
use crate::gold::{REGISTRY, ReadOptions, Reader, by_name, html_files, is_hidden};
use std::io::Read;
use std::path::{Path, PathBuf};
use threshr_core::Setting;
use threshr_core::{Error, Result};
use threshr_io::names;
use threshr_io::readers;
use threshr_io::records::{Record, Records};

/// Maximum number of pages whose beginning is read to detect the format.
const PAGES: usize = 20;
/// Maximum number of bytes of a page that are read to detect the format.
const BYTES: u64 = 1 << 22;
/// Maximum number of records that are read to detect the format.
const RECORDS: usize = 20;
/// Extensions of files that contain records.
const RECORD_EXTENSIONS: [&str; 7] = ["jsonl", "ndjson", "json", "csv", "tsv", "tab", "jsonlines"];

/// The result of checking a set for one format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// The set has the format.
    Yes,
    /// The set is similar to the format. The number, from 1 to 9, is the degree of similarity. The message names
    /// what was found and what is missing.
    Near(u8, String),
    /// The set is not similar to the format.
    No,
}

/// A file or folder, with the data that readers need to detect its format.
#[derive(Debug)]
pub struct Probe {
    /// The file or folder.
    pub path: PathBuf,
    /// Whether the path is a folder.
    pub is_folder: bool,
    /// The HTML files in the folder; empty if the path is a file.
    pub html: Vec<PathBuf>,
    /// The first bytes of some of the HTML files.
    starts: Vec<Vec<u8>>,
    /// The first records of the file; empty if the path is a folder.
    pub records: Vec<Record>,
    /// The error at which the reading of records stopped, if any.
    pub unread: Option<Error>,
}

impl Probe {
    /// Reads the first pages of a folder or the first records of a file.
    pub fn new(path: &Path) -> Probe {
        let is_folder = path.is_dir();
        let html = if is_folder { html_files(path).unwrap_or_default() } else { Vec::new() };
        let starts = html.iter().take(PAGES).filter_map(|path| start(path)).collect();
        let mut probe =
            Probe { path: path.to_path_buf(), is_folder, html, starts, records: Vec::new(), unread: None };
        if !is_folder {
            // the records before an invalid one are sufficient to detect the format
            let mut read = || {
                Records::open(path)?
                    .take(RECORDS)
                    .try_for_each(|record| record.map(|r| probe.records.push(r)))
            };
            let read = read();
            let is_empty = probe.records.is_empty();
            let nothing = is_empty.then(|| Error::data("the file has no records").at_path(path));
            probe.unread = read.err().or(nothing);
        }
        probe
    }

    /// Returns whether one of the first HTML files contains the string `mark`.
    pub fn has_mark(&self, mark: &str) -> bool {
        self.starts.iter().any(|bytes| memchr::memmem::find(bytes, mark.as_bytes()).is_some())
    }

    /// Returns whether one of the first records has one of these fields.
    pub fn has_field(&self, names: &[&str]) -> bool {
        self.records.iter().any(|r| names.iter().any(|name| r.fields.contains_key(*name)))
    }

    /// Returns the subfolder with this name. Case is ignored.
    pub fn folder(&self, name: &str) -> Option<PathBuf> {
        self.is_folder.then(|| folder(&self.path, name)).flatten()
    }

    /// Returns the field names of the first record.
    pub fn fields(&self) -> String {
        self.records.first().map(Record::names).unwrap_or_default()
    }
}

/// Returns the subfolder with this name. Case is ignored, but an exact match has priority.
pub(super) fn folder(dir: &Path, name: &str) -> Option<PathBuf> {
    let exact = dir.join(name);
    if exact.is_dir() {
        return Some(exact);
    }
    let entries = std::fs::read_dir(dir).ok()?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.file_name().is_some_and(|n| n.eq_ignore_ascii_case(name)) && p.is_dir())
        .collect();
    found.sort();
    found.into_iter().next()
}

fn start(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // if a file is corrupt, the bytes before the error are used
    let _ = readers::decoded(path, &Default::default()).ok()?.take(BYTES).read_to_end(&mut bytes);
    Some(bytes)
}

/// Returns the reader of a set, and the file or folder that it reads. A folder with a single file of records is
/// read as this file.
///
/// # Errors
/// If the given format does not exist, or the format cannot be detected.
pub(super) fn find(path: &Path, options: &ReadOptions) -> Result<(&'static Reader, PathBuf)> {
    if let Some(name) = &options.format {
        let reader = by_name(name)?;
        let is_other = |found: &PathBuf| (reader.detect)(&Probe::new(found), options) == Match::Yes;
        let only = only_records(path).filter(|_| (reader.detect)(&Probe::new(path), options) != Match::Yes);
        return Ok((reader, only.filter(is_other).unwrap_or_else(|| path.to_path_buf())));
    }
    let probe = Probe::new(path);
    if let Some(reader) = detected(&probe, options) {
        return Ok((reader, path.to_path_buf()));
    }
    if let Some(file) = only_records(path) {
        let of_file = Probe::new(&file);
        return match detected(&of_file, options) {
            Some(reader) => Ok((reader, file)),
            None => Err(unknown(of_file, options)),
        };
    }
    Err(unknown(probe, options))
}

fn detected(probe: &Probe, options: &ReadOptions) -> Option<&'static Reader> {
    let is_yes = |r: &&&Reader| (r.detect)(probe, options) == Match::Yes;
    // among equal ranks, the first reader is used
    REGISTRY.iter().rev().filter(is_yes).max_by_key(|r| r.rank).copied()
}

/// Returns the only file of records in a folder; `None` if there is none or more than one. Annotation files are not
/// counted, because they belong to the set of the folder.
fn only_records(dir: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(dir).ok()?;
    let files = entries.filter_map(|e| Some(e.ok()?.path())).filter(|path| {
        RECORD_EXTENSIONS.contains(&names::extension(path).as_str()) && !is_hidden(path) && path.is_file()
    });
    let mut files = files.filter(|path| path.file_name().is_some_and(|name| name != annotations::FILE));
    let only = files.next()?;
    files.next().is_none().then_some(only)
}

/// Returns the error for a set whose format is unknown.
fn unknown(mut probe: Probe, options: &ReadOptions) -> Error {
    let has_record_extension = RECORD_EXTENSIONS.contains(&names::extension(&probe.path).as_str());
    if probe.records.is_empty()
        && has_record_extension
        && let Some(damage) = probe.unread.take()
    {
        return damage.expected("records with pages and gold, such as JSON lines with `html` and `text`");
    }
    let mut nearest: Option<(u8, &str, String)> = None;
    for reader in REGISTRY {
        if let Match::Near(score, why) = (reader.detect)(&probe, options)
            && nearest.as_ref().is_none_or(|n| score > n.0)
        {
            nearest = Some((score, reader.name, why));
        }
    }
    let nearest = match nearest {
        Some((_, name, why)) => format!("the most similar format is `{name}`: {why}"),
        None => match &probe.unread {
            Some(why) => format!("no format is similar: {}", why.with_causes()),
            None if probe.is_folder => {
                "no format is similar: the folder has no HTML files and no records".to_owned()
            }
            None => "no format is similar".to_owned(),
        },
    };
    // pages without any file that could have gold
    let has_pages = probe.is_folder && !probe.starts.is_empty();
    if has_pages && probe.records.is_empty() && nearest.contains("`pairs`: ") {
        return Error::data("the folder has pages, but no gold")
            .expected(format!(
                "labels of `threshr annotate {}`, or gold in another format (--gold-format, see `threshr systems`); {nearest}",
                probe.path.display()
            ))
            .with_setting(Setting::GoldFormat)
            .at_path(&probe.path);
    }
    let forms: Vec<&str> = REGISTRY.iter().map(|r| r.name).collect();
    Error::data("this is not a known format of annotated pages")
        .expected(format!("one of {}; {nearest}", forms.join(", ")))
        .with_setting(Setting::GoldFormat)
        .at_path(&probe.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(write: &[(&str, &str)], path: &str) -> String {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in write {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        find(&dir.path().join(path), &ReadOptions::default()).expect_err("unknown").to_string()
    }

    #[test]
    fn the_nearest_form_is_named() {
        for (write, path, expected) in [
            (&[("a/html/1.html", "<p>x")][..], "a", "`wcxb`: html"),
            (&[("a/HTML/1.html", "<p>x")], "a", "`dragnet`: HTML"),
            (&[("a/input/1.html", "<p>x")], "a", "`cleaneval`: input"),
            (&[("a.jsonl", "{\"html\": \"<p>x\", \"body\": \"x\"}")], "a.jsonl", "html, body"),
            (&[("a.csv", "path,body\nx.html,x\n")], "a.csv", "`csv`: the columns are path, body"),
            (&[("a/x.bin", "")], "a", "no format is similar"),
            (&[("a.txt", "words")], "a.txt", "no format is similar"),
        ] {
            let error = error(write, path);
            assert!(error.contains(expected) && error.contains("jsonl, cleaneval"), "{expected}: {error}");
        }
        let error = error(&[("a/1.html", "<p>x")], "a");
        assert!(error.contains("threshr annotate ") && !error.contains("jsonl, cleaneval"), "{error}");
        assert!(error.contains("`pairs`: 1 HTML file"), "{error}");
    }
}
