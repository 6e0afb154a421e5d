//! The journal of an unfinished run, from which another run can resume.
//!
//! `OUT.journal` is next to the unfinished output `OUT.part`. Its first line contains the settings of the
//! run as JSON. Then follows one line for each complete group of records. The line of a group is written
//! after the group is on disk. If the run was killed, the last line may be truncated and is ignored.

use crate::output::Tally;
use crate::run::Position;
use base64::Engine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// A complete group of records in the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupLine {
    /// Length of the group in the output, in bytes.
    pub bytes: u64,
    /// Position in the inputs after the group.
    pub position: Position,
    /// Counts of the run up to the end of the group.
    pub tally: Tally,
    /// For Parquet, the metadata of the row group in base64.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub metadata: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum Line {
    Settings(serde_json::Value),
    /// Names of the files that are written next.
    Writing(Vec<String>),
    Group(GroupLine),
}

/// The journal of a run.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: std::fs::File,
    pub(crate) groups: Vec<GroupLine>,
    /// Position in the journal after the line of each group.
    ends: Vec<u64>,
    /// Position in the journal after the line with the settings.
    settings_end: u64,
    /// Files of an incomplete group.
    pub(crate) leftovers: Vec<String>,
}

impl Journal {
    /// Creates a journal, or reads an existing one to resume its run.
    ///
    /// # Errors
    /// If the journal cannot be read or written, or belongs to a run with other settings.
    pub(crate) fn open(path: &Path, settings: &serde_json::Value) -> Result<Self> {
        Self::resume(path, open_locked(path)?, settings)
    }

    fn resume(path: &Path, mut file: std::fs::File, settings: &serde_json::Value) -> Result<Self> {
        let failed = |e| Error::io(path, e);
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let mut journal = Journal {
            path: path.to_path_buf(),
            file,
            groups: Vec::new(),
            ends: Vec::new(),
            settings_end: 0,
            leftovers: Vec::new(),
        };
        let end = journal.read(&text, settings)?;
        journal.file.set_len(end as u64).map_err(failed)?;
        journal.file.seek(std::io::SeekFrom::End(0)).map_err(failed)?;
        if end == 0 {
            journal.add(&Line::Settings(settings.clone()))?;
        }
        Ok(journal)
    }

    /// Replaces a journal that has no complete group. The files that it lists become
    /// [`leftovers`](Self::leftovers), which this run removes.
    ///
    /// # Errors
    /// If the journal cannot be read or written.
    pub(crate) fn start_over(path: &Path, settings: &serde_json::Value) -> Result<Self> {
        let failed = |e| Error::io(path, e);
        let (mut file, mut text) = (open_locked(path)?, Vec::new());
        file.read_to_end(&mut text).map_err(failed)?;
        let names = lines(&text).filter_map(|(line, _)| match line {
            Line::Writing(names) => Some(names),
            _ => None,
        });
        let leftovers = names.flatten().collect();
        file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
        let mut journal = Self::resume(path, file, settings)?;
        journal.leftovers = leftovers;
        Ok(journal)
    }

    /// Returns whether the file is a journal. Its first line may be incomplete.
    pub(crate) fn is_journal(path: &Path) -> bool {
        const START: &[u8] = b"{\"settings\":";
        let mut start = Vec::new();
        let read = std::fs::File::open(path).and_then(|f| f.take(START.len() as u64).read_to_end(&mut start));
        read.is_ok() && START.starts_with(&start)
    }

    /// Returns whether the journal has a complete group, so that another run can resume.
    pub(crate) fn has_groups(path: &Path) -> bool {
        std::fs::read_to_string(path)
            .is_ok_and(|text| text.lines().any(|l| matches!(serde_json::from_str(l), Ok(Line::Group(_)))))
    }

    /// Reads the complete lines and returns their total length in bytes.
    fn read(&mut self, text: &[u8], settings: &serde_json::Value) -> Result<usize> {
        let mut end = 0;
        for ((line, line_end), number) in lines(text).zip(1..) {
            end = line_end;
            match line {
                Line::Settings(found) if is_same(&found, settings) => self.settings_end = line_end as u64,
                Line::Settings(found) => {
                    let differ = differing(&found, settings);
                    return Err(Error::invalid_option(format!("the unfinished run has other {differ}"))
                        .expected("the same inputs and options, or to remove the files .part and .journal")
                        .at_path(&self.path)
                        .at_line(number));
                }
                Line::Writing(names) => self.leftovers.extend(names),
                Line::Group(group) => {
                    self.leftovers.clear();
                    self.groups.push(group);
                    self.ends.push(line_end as u64);
                }
            }
        }
        Ok(end)
    }

    /// Records the names of files before they are written.
    pub(crate) fn writing(&mut self, names: Vec<String>) -> Result<()> {
        self.add(&Line::Writing(names))
    }

    /// Records a complete group.
    pub(crate) fn done(&mut self, group: GroupLine) -> Result<()> {
        self.add(&Line::Group(group.clone()))?;
        self.groups.push(group);
        self.ends.push(self.file.stream_position().map_err(|e| Error::io(&self.path, e))?);
        Ok(())
    }

    /// Removes the groups that are not completely contained in an output of `length` bytes. This happens only
    /// if another program shortened the output after the groups were written.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub(crate) fn fall_back(&mut self, length: u64) -> Result<()> {
        let mut end = 0;
        let is_whole = |group: &&GroupLine| {
            end += group.bytes;
            end <= length
        };
        let num_whole = self.groups.iter().take_while(is_whole).count();
        self.groups.truncate(num_whole);
        self.ends.truncate(num_whole);
        let end = self.ends.last().copied().unwrap_or(self.settings_end);
        let cut = self.file.set_len(end).and_then(|()| self.file.seek(std::io::SeekFrom::Start(end)));
        cut.and_then(|_| self.file.sync_data()).map_err(|e| Error::io(&self.path, e))
    }

    fn add(&mut self, line: &Line) -> Result<()> {
        let failed = |e| Error::io(&self.path, e);
        let mut bytes = serde_json::to_vec(line).map_err(|e| failed(e.into()))?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).and_then(|()| self.file.sync_data()).map_err(failed)
    }

    /// Returns the total length of all groups in the output, in bytes.
    pub(crate) fn num_bytes(&self) -> u64 {
        self.groups.iter().map(|g| g.bytes).sum()
    }

    /// Returns the length and the metadata of each group.
    #[cfg(feature = "parquet")]
    pub(crate) fn metadata(&self) -> Result<Vec<(u64, Vec<u8>)>> {
        let decode = |g: &GroupLine| {
            let metadata = base64::engine::general_purpose::STANDARD.decode(&g.metadata);
            let metadata = metadata.map_err(|e| {
                let error = Error::data("a row group in the journal has invalid metadata").expected("base64");
                error.at_path(&self.path).because(e)
            })?;
            Ok((g.bytes, metadata))
        };
        self.groups.iter().map(decode).collect()
    }
}

/// Returns the lines of a journal up to the first invalid one, each with its end position.
fn lines(text: &[u8]) -> impl Iterator<Item = (Line, usize)> {
    let mut end = 0;
    text.split_inclusive(|&b| b == b'\n').map_while(move |line| {
        end += line.len();
        let line = serde_json::from_slice(line.strip_suffix(b"\n")?).ok()?;
        Some((line, end))
    })
}

/// Opens or creates a file and locks it for this run.
fn open_locked(path: &Path) -> Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|e| Error::io(path, e))?;
    file.try_lock()
        .map_err(|e| Error::invalid_option("another run is writing this file").at_path(path).because(e))?;
    Ok(file)
}

/// Encodes metadata as base64.
pub(crate) fn encoded(metadata: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(metadata)
}

/// Name of the setting that contains the options as the user gave them. Error messages use it to name
/// differing options. The setting itself is not compared, because different options may have the same effect.
const GIVEN: &str = "given";

/// Name of the setting that lists the inputs, each with what identifies its content. Error messages use it to name
/// the input that differs. It is not compared, because a very long list is left out.
const LISTED: &str = "listed";

/// Returns whether all settings are equal.
pub(super) fn is_same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    differing_keys(a, b).iter().all(|key| key == GIVEN || key == LISTED)
}

fn differing_keys(a: &serde_json::Value, b: &serde_json::Value) -> Vec<String> {
    let keys = |v: &serde_json::Value| v.as_object().map(|o| o.keys().cloned().collect()).unwrap_or_default();
    let all: BTreeSet<String> = [keys(a), keys(b)].into_iter().flat_map(|k: Vec<String>| k).collect();
    all.into_iter().filter(|key| a.get(key) != b.get(key)).collect()
}

/// Describes the difference between the settings of two runs: the inputs, options with their values, or a
/// setting.
pub(super) fn differing(before: &serde_json::Value, now: &serde_json::Value) -> String {
    let keys = differing_keys(before, now);
    let none = serde_json::Value::Null;
    let [old, new] = [before, now].map(|settings| settings.get(GIVEN).unwrap_or(&none));
    let value = |given: &serde_json::Value, option: &str| match given.get(option).and_then(|v| v.as_str()) {
        None => "not given".to_owned(),
        Some("") => "given".to_owned(),
        Some(value) => format!("`{value}`"),
    };
    let option = |option: &String| format!("{option} ({}, now {})", value(old, option), value(new, option));
    let mut named: Vec<String> = keys
        .iter()
        .filter(|key| *key == "inputs")
        .map(|key| format!("{key}{}", inputs(before, now)))
        .collect();
    named.extend(differing_keys(old, new).iter().map(option));
    match named.is_empty() {
        true => keys
            .into_iter()
            .find(|key| key != GIVEN && key != LISTED)
            .unwrap_or_else(|| "settings".to_owned()),
        false => named.join(", "),
    }
}

/// Describes the difference between the inputs of two runs. Returns an empty string if it is unknown.
fn inputs(before: &serde_json::Value, now: &serde_json::Value) -> String {
    let list = |settings: &serde_json::Value| settings.get(LISTED).and_then(|list| list.as_object()).cloned();
    let Some((old, new)) = list(before).zip(list(now)) else { return String::new() };
    let kinds = [
        ("new", new.keys().filter(|path| !old.contains_key(*path)).collect::<Vec<_>>()),
        ("missing", old.keys().filter(|path| !new.contains_key(*path)).collect()),
        (
            "changed",
            new.iter()
                .filter(|(path, state)| old.get(*path).is_some_and(|o| o != *state))
                .map(|i| i.0)
                .collect(),
        ),
    ];
    let kind = |(what, paths): &(&str, Vec<&String>)| {
        let (first, more) = paths.split_first()?;
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        Some(format!("{what}: `{first}`{more}"))
    };
    let kinds: Vec<String> = kinds.iter().filter_map(kind).collect();
    format!(" ({})", if kinds.is_empty() { "another order".to_owned() } else { kinds.join("; ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_line_is_ignored() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("j");
        let settings = serde_json::json!({"inputs": ["a"], "format": "jsonl"});
        let group = |bytes| GroupLine {
            bytes,
            position: Position { source: 0, item: bytes },
            tally: Tally::default(),
            metadata: encoded(b"m"),
        };
        let mut journal = Journal::open(&path, &settings).expect("begun");
        assert!(!Journal::has_groups(&path));
        assert!(Journal::open(&path, &settings).is_err_and(|e| e.message.contains("another run")));
        journal.done(group(5)).expect("written");
        journal.writing(vec!["x".into()]).expect("written");
        journal.done(group(7)).expect("written");
        drop(journal);
        let whole = std::fs::read(&path).expect("read");
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("written");
            let journal = Journal::open(&path, &settings).expect("read");
            let lines = whole[..cut].iter().filter(|&&b| b == b'\n').count();
            assert_eq!(journal.groups.len(), [0, 0, 1, 1, 2][lines]);
            assert_eq!(journal.leftovers.len(), [0, 0, 0, 1, 0][lines]);
            assert_eq!(journal.num_bytes(), [0, 0, 5, 5, 12][lines]);
        }
        assert!(Journal::has_groups(&path));
        for (length, num_groups) in [(12, 2), (11, 1), (5, 1), (4, 0), (0, 0)] {
            std::fs::write(&path, &whole).expect("written");
            let mut journal = Journal::open(&path, &settings).expect("read");
            journal.fall_back(length).expect("fallen back");
            journal.done(group(9)).expect("written");
            drop(journal);
            let journal = Journal::open(&path, &settings).expect("read");
            let bytes: Vec<u64> = journal.groups.iter().map(|g| g.bytes).collect();
            assert_eq!(bytes, [&[5, 7][..num_groups], &[9]].concat(), "{length}");
        }
        std::fs::write(&path, &whole).expect("written");
        let other = serde_json::json!({"inputs": ["b"], "format": "jsonl"});
        assert!(Journal::open(&path, &other).is_err_and(|e| e.message.contains("other inputs")));
    }

    #[test]
    fn options_that_differ_are_named() {
        let run = |inputs: &str, options: &str, given: serde_json::Value| serde_json::json!({"inputs": inputs, "options": options, "given": given});
        let before = run("a", "x", serde_json::json!({"--threshold": "0.5", "--keep-hidden": ""}));
        // the same effect
        assert!(is_same(&before, &run("a", "x", serde_json::json!({"--threshold": "0.50"}))));
        for (now, expected) in [
            (
                run("a", "y", serde_json::json!({"--threshold": "0.3", "--keep-hidden": ""})),
                "--threshold (`0.5`, now `0.3`)",
            ),
            (
                run("a", "y", serde_json::json!({"--threshold": "0.5"})),
                "--keep-hidden (given, now not given)",
            ),
            (
                run(
                    "b",
                    "y",
                    serde_json::json!({"--threshold": "0.5", "--keep-hidden": "", "--filter": "none"}),
                ),
                "inputs, --filter (not given, now `none`)",
            ),
            (run("a", "y", serde_json::json!({"--threshold": "0.5", "--keep-hidden": ""})), "options"),
        ] {
            assert!(!is_same(&before, &now));
            assert_eq!(differing(&before, &now), expected);
        }
    }

    #[test]
    fn inputs_that_differ_are_named() {
        let run =
            |hash: &str, listed: serde_json::Value| serde_json::json!({"inputs": hash, "listed": listed});
        let before = run("a", serde_json::json!({"a": "1", "b": "1"}));
        assert!(is_same(&before, &run("a", serde_json::Value::Null)));
        for (listed, expected) in [
            (serde_json::json!({"a": "1", "b": "1", "c": "1", "d": "1"}), "inputs (new: `c` and 1 more)"),
            (serde_json::json!({"a": "2"}), "inputs (missing: `b`; changed: `a`)"),
            (serde_json::json!({"b": "1", "a": "1"}), "inputs (another order)"),
            (serde_json::Value::Null, "inputs"),
        ] {
            assert_eq!(differing(&before, &run("b", listed)), expected);
        }
    }
}
