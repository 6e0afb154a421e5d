//! Where results go: streams, files that appear whole and that a killed run can go on with, folders.

mod files;
mod journal;
mod pack;

pub use pack::{Compression, check_ending, suggest};

use crate::run::Position;
use files::Part;
use journal::GroupLine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use threshr_core::{Error, Result};
use threshr_extract::formats::{Entry, Format, Layout};
use threshr_io::atomic;
use threshr_io::atomic::AtomicFile;

/// Records in a group: what a killed run may have to do again.
const GROUP_RECORDS: usize = 1_000;
/// Bytes of text after which a group is full.
const GROUP_BYTES: usize = 8 << 20;

/// What has become of the items of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Pages that were labelled.
    pub num_pages: u64,
    /// Pages that could not be read or worked on, and inputs of which the rest could not be read.
    pub num_failed: u64,
    /// Items that are no pages, by what they are.
    pub skipped: BTreeMap<String, u64>,
    /// Records in the output.
    pub num_records: u64,
}

/// Whether to go on with an unfinished run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// A new run. One that is unfinished, and has got far enough to go on with, is an error.
    Fresh,
    /// Go on, where there is something to go on with.
    Resume,
}

enum Target<'a> {
    /// Standard output, a pipe or a device: nothing to go on with.
    Stream(Box<dyn Write + 'a>, Option<AtomicFile>),
    Part(Part),
}

/// Takes what pages give, in order, and writes it in groups.
///
/// A file appears under its name when it is whole; until then it is `OUT.part`, with `OUT.journal` beside it.
/// Groups end after so many records or bytes, whatever the time or the number of workers, so the same pages give the same
/// bytes, also where a run was killed and gone on with.
pub struct Output<'a> {
    format: &'static Format,
    compression: Compression,
    with_markdown: bool,
    target: Target<'a>,
    group: Vec<Entry>,
    group_bytes: usize,
    tally: Tally,
    start: Position,
}

impl<'a> Output<'a> {
    /// Writes to a stream.
    ///
    /// # Errors
    /// Where the format is a folder.
    pub fn stream(
        to: impl Write + 'a,
        format: &'static Format,
        compression: Compression,
        with_markdown: bool,
    ) -> Result<Self> {
        match format.layout {
            Layout::Stream | Layout::Members => {}
            Layout::Folder => {
                return Err(
                    Error::recipe(format!("the format `{}` is a folder", format.name)).expected("--out DIR")
                );
            }
            Layout::Parquet => {
                return Err(Error::recipe("Parquet cannot be written to a stream").expected("--out FILE"));
            }
        }
        Ok(Self::new(format, compression, with_markdown, Target::Stream(Box::new(to), None)))
    }

    /// Writes to a file or, for such a format, a folder. `settings` is what the bytes of the output depend on: an unfinished
    /// run with others is not gone on with.
    ///
    /// # Errors
    /// Where it cannot be written, or an unfinished run is in the way.
    pub fn create(
        path: &Path,
        format: &'static Format,
        compression: Compression,
        with_markdown: bool,
        reuse: Reuse,
        settings: &serde_json::Value,
    ) -> Result<Self> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let is_special = std::fs::metadata(&path).is_ok_and(|m| !m.is_file() && !m.is_dir());
        if is_special {
            if reuse == Reuse::Resume || !matches!(format.layout, Layout::Stream | Layout::Members) {
                return Err(Error::recipe("this is no regular file").expected("a file").at_path(&path));
            }
            let file = AtomicFile::create(&path)?;
            return Ok(Self::new(
                format,
                compression,
                with_markdown,
                Target::Stream(Box::new(std::io::sink()), Some(file)),
            ));
        }
        let part = Part::open(&path, format.layout == Layout::Folder, reuse, settings)?;
        let last = part.journal.groups.last().cloned();
        let mut output = Self::new(format, compression, with_markdown, Target::Part(part));
        if let Some(last) = last {
            (output.start, output.tally) = (last.position, last.tally);
        }
        Ok(output)
    }

    fn new(
        format: &'static Format,
        compression: Compression,
        with_markdown: bool,
        target: Target<'a>,
    ) -> Self {
        Output {
            format,
            compression,
            with_markdown,
            target,
            group: Vec::new(),
            group_bytes: 0,
            tally: Tally::default(),
            start: Position::default(),
        }
    }

    /// Where the inputs are to be read from: behind what the output holds already.
    pub fn start(&self) -> Position {
        self.start
    }
    /// What has become of the items so far, those of an unfinished run that this one goes on with included.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
    /// The same, to be counted in. Count an item before [`Output::add`] is told of it.
    pub fn tally_mut(&mut self) -> &mut Tally {
        &mut self.tally
    }

    /// Takes what an item gives, if anything; `position` is where the inputs are after it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn add(&mut self, entry: Option<Entry>, position: Position) -> Result<()> {
        let Some(entry) = entry else { return Ok(()) };
        self.group_bytes += entry.size();
        self.group.push(entry);
        self.tally.num_records += 1;
        // who looks at a stream wants to see every page as soon as it is there
        let at_once = matches!(self.target, Target::Stream(..)) && self.compression == Compression::None;
        let is_full = self.group.len() >= GROUP_RECORDS || self.group_bytes >= GROUP_BYTES;
        if at_once || is_full { self.end_group(position) } else { Ok(()) }
    }

    fn end_group(&mut self, position: Position) -> Result<()> {
        let entries = std::mem::take(&mut self.group);
        self.group_bytes = 0;
        let is_first = self.tally.num_records == entries.len() as u64;
        let tally = self.tally.clone();
        if self.format.layout == Layout::Folder {
            let Target::Part(part) = &mut self.target else { return Ok(()) };
            return part.write_files(entries, |bytes| GroupLine {
                bytes,
                position,
                tally,
                metadata: String::new(),
            });
        }
        let (bytes, metadata) =
            pack::pack(entries, is_first, self.format, self.compression, self.with_markdown)?;
        self.write(&bytes)?;
        if let Target::Part(part) = &mut self.target {
            part.sync()?;
            let bytes = bytes.len() as u64;
            part.done(GroupLine { bytes, position, tally, metadata: journal::encoded(&metadata) })?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.target {
            Target::Stream(_, Some(file)) => {
                file.write_all(bytes).and_then(|()| file.flush()).map_err(|e| Error::io("-", e))
            }
            Target::Stream(to, None) => {
                to.write_all(bytes).and_then(|()| to.flush()).map_err(|e| Error::io("-", e))
            }
            Target::Part(part) => part.write(bytes),
        }
    }

    /// Writes what is left and gives the output its name; `position` is where the inputs are.
    ///
    /// # Errors
    /// Where that fails; the unfinished output can then be gone on with.
    pub fn finish(mut self, position: Position) -> Result<Tally> {
        if !self.group.is_empty() {
            self.end_group(position)?;
        }
        if self.tally.num_records == 0 && self.format.layout != Layout::Folder {
            let (head, _) = pack::pack(Vec::new(), true, self.format, self.compression, self.with_markdown)?;
            self.write(&head)?;
        }
        match self.target {
            Target::Stream(_, Some(file)) => file.finish()?,
            Target::Stream(mut to, None) => to.flush().map_err(|e| Error::io("-", e))?,
            Target::Part(part) => {
                #[cfg(feature = "parquet")]
                let mut part = part;
                #[cfg(feature = "parquet")]
                if self.format.layout == Layout::Parquet {
                    // the first group's bytes begin with the file's head
                    let head = self.format.head.len() as u64;
                    let mut groups = part.journal.metadata()?;
                    groups.iter_mut().take(1).for_each(|g| g.0 = g.0.saturating_sub(head));
                    let footer = crate::parquet_rows::footer(&groups, self.with_markdown)?;
                    part.write(&footer)?;
                }
                part.finish()?;
            }
        }
        Ok(self.tally)
    }
}

/// Whether `path` is the output of a finished run, with no unfinished one beside it.
pub fn is_finished(path: &Path) -> bool {
    path.exists() && !files::beside(path, "part").exists()
}

impl Drop for Part {
    fn drop(&mut self) {
        self.abandon();
        atomic::unregister_unfinished(&self.path);
    }
}
