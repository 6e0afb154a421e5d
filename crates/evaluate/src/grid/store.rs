//! Files of a cell: the scores of its pages as CSV, and all other results as JSON.
//!
//! The first line of the CSV file contains the number of pages and the cell's hash, which covers all data and
//! settings that affect the scores. The CSV file is written last, so a cell with a CSV file is complete.

use crate::grid::{Extras, PageRow};
use crate::metrics::Metric;
use std::io::Write;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::atomic;
use threshr_io::atomic::AtomicFile;

/// A folder with the files of all cells.
pub(crate) struct Store<'a> {
    dir: &'a Path,
    head: Vec<&'static str>,
}

/// The CSV columns before the metric columns.
const FIXED: [&str; 6] = ["set", "id", "site", "lang", "page_type", "fold"];

impl<'a> Store<'a> {
    /// Creates the folders in `dir` and deletes temporary files of interrupted runs.
    ///
    /// # Errors
    /// If a folder cannot be created.
    pub(super) fn open(dir: &'a Path, metrics: &[&'static Metric]) -> Result<Self> {
        atomic::remove_leftovers(dir);
        for part in ["pages", "cells"] {
            let path = dir.join(part);
            std::fs::create_dir_all(&path).map_err(|e| Error::io(&path, e))?;
            atomic::remove_leftovers(&path);
        }
        let columns = metrics.iter().flat_map(|m| m.columns).map(|c| c.name);
        Ok(Self { dir, head: FIXED.into_iter().chain(columns).collect() })
    }

    fn csv(&self, file: &str) -> PathBuf {
        self.dir.join("pages").join(format!("{file}.csv"))
    }
    fn json(&self, file: &str) -> PathBuf {
        self.dir.join("cells").join(format!("{file}.json"))
    }

    /// Loads the stored results of a cell. Returns `None` if they are missing or corrupt, or have another hash.
    pub(super) fn load(&self, file: &str, hash: &str) -> Option<(Vec<PageRow>, Extras)> {
        let csv = std::fs::read_to_string(self.csv(file)).ok()?;
        let (first, body) = csv.split_once('\n')?;
        let rows = self.rows(body)?;
        if first != first_line(hash, rows.len()) {
            return None;
        }
        let extras: Extras = serde_json::from_slice(&std::fs::read(self.json(file)).ok()?).ok()?;
        (extras.cell == hash).then_some((rows, extras))
    }

    /// Writes each file of a cell atomically.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(super) fn save(&self, file: &str, rows: &[PageRow], extras: &Extras) -> Result<()> {
        let json = serde_json::to_string_pretty(extras)
            .map_err(|e| Error::data("the cell cannot be written as JSON").because(e))?;
        write(&self.json(file), format!("{json}\n").as_bytes())?;
        write(&self.csv(file), &self.bytes(rows, &extras.cell)?)
    }

    fn bytes(&self, rows: &[PageRow], hash: &str) -> Result<Vec<u8>> {
        let failed = |e: csv::Error| Error::data("the page scores cannot be written as CSV").because(e);
        let first = format!("{}\n", first_line(hash, rows.len()));
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(first.into_bytes());
        writer.write_record(&self.head).map_err(failed)?;
        rows.iter().try_for_each(|row| writer.serialize(row)).map_err(failed)?;
        writer
            .into_inner()
            .map_err(|e| Error::data("the page scores cannot be written as CSV").because(e.into_error()))
    }

    fn rows(&self, body: &str) -> Option<Vec<PageRow>> {
        let mut reader = csv::Reader::from_reader(body.as_bytes());
        if !reader.headers().ok()?.iter().eq(self.head.iter().copied()) {
            return None;
        }
        // deserialized by position, because the value columns are named after the metrics' columns
        reader.records().map(|record| record.ok()?.deserialize(None).ok()).collect()
    }
}

fn first_line(hash: &str, num_pages: usize) -> String {
    format!("# threshr compare, cell {hash}, {num_pages} pages")
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|e| Error::io(path, e))?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics;

    #[test]
    fn a_cell_is_loaded_bit_by_bit_and_only_for_its_hash() {
        let dir = tempfile::tempdir().expect("a folder");
        let metrics = metrics::by_names(&["order"]).expect("a metric");
        std::fs::create_dir(dir.path().join("cells")).expect("made");
        let (leftover, other) =
            [".threshr-x.tmp", "x.json"].map(|name| dir.path().join("cells").join(name)).into();
        for path in [&leftover, &other] {
            std::fs::write(path, "").expect("written");
        }
        let store = Store::open(dir.path(), &metrics).expect("opened");
        assert!(!leftover.exists() && other.exists());
        let num_values = metrics[0].columns.len();
        let row = |id: &str, fold| PageRow {
            set: "a,b".into(),
            id: id.into(),
            site: "s\"".into(),
            lang: None,
            page_type: Some("x".into()),
            fold,
            values: (0..num_values).map(|i| (i > 0).then_some(1.0 / 3.0)).collect(),
        };
        let rows = vec![row("1", Some(0)), row("#\n2", None)];
        let extras = Extras { cell: "h".into(), ..Extras::default() };
        store.save("c", &rows, &extras).expect("saved");
        assert_eq!(store.load("c", "h").expect("loaded"), (rows, extras));
        assert!(store.load("c", "other").is_none() && store.load("d", "h").is_none());
        let path = dir.path().join("pages/c.csv");
        let text = std::fs::read_to_string(&path).expect("read");
        // a truncated file is rejected
        std::fs::write(&path, text.lines().take(3).collect::<Vec<_>>().join("\n")).expect("written");
        assert!(store.load("c", "h").is_none());
    }
}
