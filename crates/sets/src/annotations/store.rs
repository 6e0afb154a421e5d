//! The annotation file of a folder, with read and append access.

use crate::annotations::file::{self, CutLine};
use crate::annotations::{FILE, Record, Renamed};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::atomic::{AtomicFile, lock_folder};

/// Minimum number of superseded lines for [`Store::open`] to compact the file. There must also be at least
/// [`SUPERSEDED_SHARE`] times as many superseded lines as other lines.
pub(super) const MIN_SUPERSEDED: usize = 200;
/// Minimum ratio of superseded to other lines, see [`MIN_SUPERSEDED`].
const SUPERSEDED_SHARE: usize = 2;

/// The annotations of a folder. Only one program at a time can open the store of a folder.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    records: BTreeMap<(String, String), Stored>,
    num_superseded: usize,
    cut: Option<CutLine>,
    /// Number of bytes of the valid lines.
    length: u64,
    /// Whether the last valid line ends with a line feed.
    is_ended: bool,
    /// Whether the valid lines may be followed by bytes of an incomplete line.
    has_rest: bool,
    _lock: Option<File>,
}

/// A record and the byte range of its line in the file.
#[derive(Debug)]
struct Stored {
    record: Record,
    place: Range<u64>,
}

impl Store {
    /// Opens the annotation file of a folder. The file need not exist; the first [`Store::put`] creates it. A file
    /// with many superseded lines is compacted.
    ///
    /// # Errors
    /// If another program has opened the store, the folder or its file cannot be read, or a line of the file is
    /// invalid. The error contains the path and the line number. An incomplete last line is not an error, see
    /// [`Store::cut`].
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

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the last line as it was when the file was opened, if it was incomplete. Its labels are lost; all
    /// other lines are kept.
    pub fn cut(&self) -> Option<&CutLine> {
        self.cut.as_ref()
    }

    /// Number of lines in the file that are superseded by later lines.
    pub fn num_superseded(&self) -> usize {
        self.num_superseded
    }

    /// Returns the latest record of each page and annotator, sorted by page and then by annotator.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values().map(|stored| &stored.record)
    }

    /// Returns the latest record of a page by an annotator.
    pub fn get(&self, id: &str, annotator: &str) -> Option<&Record> {
        self.records.get(&(id.to_owned(), annotator.to_owned())).map(|stored| &stored.record)
    }

    /// Gives the records of renamed pages the new ids. The file contains the new ids only when the pages are
    /// saved. Until then, each call of [`Store::open`] must be followed by this method.
    pub fn rename(&mut self, renamed: &[Renamed]) {
        for Renamed { id, annotator, to } in renamed {
            let Some(to) = to else { continue };
            if let Some(mut stored) = self.records.remove(&(id.clone(), annotator.clone())) {
                stored.record.id.clone_from(to);
                self.records.insert((to.clone(), annotator.clone()), stored);
            }
        }
    }

    /// Appends a record to the file. When this method returns, the line has been written to disk.
    ///
    /// # Errors
    /// If a field of the record is invalid, the file cannot be written, or another program changed it. The store is
    /// then unchanged. If a part of the line was written, the next call removes it.
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

    /// Rewrites the file without superseded lines. All other lines are copied byte by byte, including fields that
    /// are unknown to this program. If this fails, the file is unchanged.
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

    /// Removes the bytes of an incomplete line from the file.
    fn remove_rest(&self, file: &File) -> Result<()> {
        self.check_length(file)?;
        match self.has_rest {
            true => file.set_len(self.length).map_err(|e| self.failed(e)),
            false => Ok(()),
        }
    }

    /// Checks that the length of the file equals the total length of the valid lines.
    fn check_length(&self, file: &File) -> Result<()> {
        let length = file.metadata().map_err(|e| self.failed(e))?.len();
        let is_same = length == self.length || self.has_rest && length > self.length;
        match is_same {
            true => Ok(()),
            false => Err(Error::data("another program changed the file")
                .expected("no changes by other programs; open the folder again")
                .at_path(&self.path)),
        }
    }

    /// Syncs the folder so that a new file name is permanent, on systems that support it.
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
