//! The file of annotations of a folder, to which labels are added.

use crate::annotations::file::{self, CutLine};
use crate::annotations::{FILE, Record};
use crate::atomic::{AtomicFile, lock_folder};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// Number of replaced lines from which [`Store::open`] compacts the file, if they are also at least
/// [`SUPERSEDED_SHARE`] times as many as the others.
pub(super) const MIN_SUPERSEDED: usize = 200;
/// See [`MIN_SUPERSEDED`].
const SUPERSEDED_SHARE: usize = 2;

/// The annotations of a folder. Only one program at a time has a store of the folder.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    records: BTreeMap<(String, String), Stored>,
    num_superseded: usize,
    cut: Option<CutLine>,
    /// Length of the valid lines, in bytes.
    length: u64,
    /// Whether the last valid line has an end of line.
    is_ended: bool,
    /// Whether the file may have bytes of a cut line after the valid lines.
    has_rest: bool,
    _lock: Option<File>,
}

/// A record, and where its line is in the file.
#[derive(Debug)]
struct Stored {
    record: Record,
    place: Range<u64>,
}

impl Store {
    /// Opens the file of annotations in a folder. The file need not be there; the first [`Store::put`] creates it.
    /// A file with many replaced lines is compacted.
    ///
    /// # Errors
    /// If another program has a store of the folder, the folder or its file cannot be read, or a line of the file is
    /// invalid; the error has the path and the line. A cut last line is no error, see [`Store::cut`].
    pub fn open(dir: &Path) -> Result<Store> {
        if !dir.is_dir() {
            return Err(Error::data("there is no such folder").expected("a folder with pages").at_path(dir));
        }
        let lock = lock_folder(dir)?;
        let path = dir.join(FILE);
        let mut placed = Vec::new();
        let is_there = path.try_exists().map_err(|e| Error::io(&path, e))?;
        let ends = match is_there {
            true => file::each(&path, &mut |record, place| placed.push((record, place)))?,
            false => file::Ends { is_ended: true, ..file::Ends::default() },
        };
        let latest = file::latest(placed);
        let key = |record: &Record| (record.id.clone(), record.annotator.clone());
        let mut store = Store {
            path,
            num_superseded: latest.num_superseded,
            records: latest
                .records
                .into_iter()
                .map(|(record, place)| (key(&record), Stored { record, place }))
                .collect(),
            has_rest: ends.cut.is_some(),
            cut: ends.cut,
            length: ends.length,
            is_ended: ends.is_ended,
            _lock: lock,
        };
        let is_long = store.num_superseded >= SUPERSEDED_SHARE * store.records.len();
        if store.num_superseded >= MIN_SUPERSEDED && is_long {
            store.compact()?;
        }
        Ok(store)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last line of the file when it was opened, if it was cut. Its labels are lost; the other lines are kept.
    pub fn cut(&self) -> Option<&CutLine> {
        self.cut.as_ref()
    }

    /// Number of lines of the file that later lines replace.
    pub fn num_superseded(&self) -> usize {
        self.num_superseded
    }

    /// The latest record of each page and annotator, sorted by page and then by annotator.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values().map(|stored| &stored.record)
    }

    /// The latest record of a page by an annotator.
    pub fn get(&self, id: &str, annotator: &str) -> Option<&Record> {
        self.records.get(&(id.to_owned(), annotator.to_owned())).map(|stored| &stored.record)
    }

    /// Adds a record to the file. When this returns, the line is on disk.
    ///
    /// # Errors
    /// If a field of the record is invalid, the file cannot be written, or another program changed it. The store is
    /// then unchanged, and what was written of the line is removed by the next call.
    pub fn put(&mut self, record: Record) -> Result<()> {
        let mut line = record.to_line()?;
        let is_new = self.length == 0 && !self.path.exists();
        let mut options = File::options();
        let opened = options.read(true).write(true).create(true).truncate(false).open(&self.path);
        let mut file = opened.map_err(|e| self.failed(e))?;
        self.remove_rest(&file)?;
        let start = self.length + u64::from(!self.is_ended);
        if !self.is_ended {
            line.insert(0, b'\n');
        }
        self.has_rest = true;
        let written = file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| file.write_all(&line))
            .and_then(|()| file.sync_data());
        written.map_err(|e| self.failed(e))?;
        if is_new {
            self.sync_folder()?;
        }
        self.has_rest = false;
        self.length += line.len() as u64;
        self.is_ended = true;
        let place = start..self.length - 1;
        let replaced =
            self.records.insert((record.id.clone(), record.annotator.clone()), Stored { record, place });
        self.num_superseded += usize::from(replaced.is_some());
        Ok(())
    }

    /// Writes the file anew without replaced lines. The other lines stay as they are, with the fields that this
    /// program does not know. If this fails, the file is unchanged.
    ///
    /// # Errors
    /// If the file cannot be read or written, or another program changed it.
    pub fn compact(&mut self) -> Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        let mut file = File::open(&self.path).map_err(|e| self.failed(e))?;
        self.check_length(&file)?;
        let mut places: Vec<(Range<u64>, &(String, String))> =
            self.records.iter().map(|(key, stored)| (stored.place.clone(), key)).collect();
        places.sort_by_key(|(place, _)| place.start);
        let mut out = AtomicFile::create(&self.path)?;
        let (mut length, mut moved) = (0, Vec::with_capacity(places.len()));
        let mut line = Vec::new();
        for (place, key) in places {
            line.clear();
            let read = file
                .seek(SeekFrom::Start(place.start))
                .and_then(|_| Read::by_ref(&mut file).take(place.end - place.start).read_to_end(&mut line));
            read.map_err(|e| self.failed(e))?;
            line.push(b'\n');
            out.write_all(&line).map_err(|e| self.failed(e))?;
            moved.push((key.clone(), length..length + line.len() as u64 - 1));
            length += line.len() as u64;
        }
        out.finish()?;
        for (key, place) in moved {
            if let Some(stored) = self.records.get_mut(&key) {
                stored.place = place;
            }
        }
        (self.length, self.is_ended, self.has_rest, self.num_superseded) = (length, true, false, 0);
        self.sync_folder()
    }

    /// Removes the bytes of a cut line.
    fn remove_rest(&self, file: &File) -> Result<()> {
        self.check_length(file)?;
        match self.has_rest {
            true => file.set_len(self.length).map_err(|e| self.failed(e)),
            false => Ok(()),
        }
    }

    /// Checks that the file has the lines that were read and written, and nothing else.
    fn check_length(&self, file: &File) -> Result<()> {
        let length = file.metadata().map_err(|e| self.failed(e))?.len();
        let is_same = length == self.length || self.has_rest && length > self.length;
        match is_same {
            true => Ok(()),
            false => Err(Error::data("another program changed the file")
                .expected("to open the folder again")
                .at_path(&self.path)),
        }
    }

    /// Makes the name of a new file permanent, where the system can sync folders.
    fn sync_folder(&self) -> Result<()> {
        match self.path.parent().map(File::open) {
            Some(Ok(dir)) if cfg!(unix) => dir.sync_all().map_err(|e| self.failed(e)),
            _ => Ok(()),
        }
    }

    fn failed(&self, error: std::io::Error) -> Error {
        Error::io(&self.path, error)
    }
}
