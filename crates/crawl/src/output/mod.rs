//! Outputs of a run: streams, folders, and files. Files are written atomically, and another run can resume
//! them.

mod files;
mod journal;
mod pack;
mod record;

pub use pack::{Compression, check_ending, suggest};
pub use record::check_finished;

use crate::run::Position;
use files::Part;
use journal::GroupLine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use threshr_core::Setting;
use threshr_core::{Error, Result};
use threshr_io::atomic;
use threshr_io::atomic::AtomicFile;
use threshr_output::formats::{Added, Entry, Format, Layout};

/// Maximum number of records in a group. A resumed run may process the pages of one group again.
const GROUP_RECORDS: usize = 1_000;
/// Number of bytes of text at which a group is complete.
const GROUP_BYTES: usize = 8 << 20;

/// Number of items of a run for each outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Number of labelled pages.
    pub num_pages: u64,
    /// Number of labelled pages with a defect, such as a missing end.
    #[serde(default)]
    pub num_defects: u64,
    /// Number of labelled pages that declare an unknown charset.
    #[serde(default)]
    pub num_unknown_charsets: u64,
    /// Number of failed pages, plus number of inputs that cannot be read to the end.
    pub num_failed: u64,
    /// Number of items that are not pages, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Number of records in the output.
    pub num_records: u64,
}

/// Whether to resume an unfinished run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Start a new run. It is an error if there is an unfinished run that can be resumed.
    Fresh,
    /// Resume the unfinished run, if there is one.
    Resume,
}

enum Target<'a> {
    /// Standard output, a pipe or a device. It cannot be resumed.
    Stream(Box<dyn Write + 'a>, Option<AtomicFile>),
    Part(Box<Part>),
}

/// Takes the entries of pages in order and writes them in groups.
///
/// A file gets its final name when it is complete. Until then, it is `OUT.part` with `OUT.journal` next to it. The
/// limits of a group depend only on the number of records and bytes. Therefore, the same pages give the same bytes
/// for any number of workers, even if a run is killed and resumed.
pub struct Output<'a> {
    format: &'static Format,
    compression: Compression,
    added: Added,
    is_framed: bool,
    target: Target<'a>,
    group: Vec<Entry>,
    group_bytes: usize,
    tally: Tally,
    start: Position,
}

impl<'a> Output<'a> {
    /// Creates an output to a stream.
    ///
    /// # Errors
    /// If the format is a folder or Parquet.
    pub fn stream(
        to: impl Write + 'a,
        format: &'static Format,
        compression: Compression,
        added: Added,
    ) -> Result<Self> {
        match format.layout {
            Layout::Stream | Layout::Members => {}
            Layout::Folder => {
                return Err(Error::invalid_option(format!("the format `{}` is a folder", format.name))
                    .expected("the path of a folder")
                    .with_setting(Setting::Output));
            }
            Layout::Parquet => {
                return Err(Error::invalid_option("Parquet cannot be written to a stream")
                    .expected("the path of a file")
                    .with_setting(Setting::Output));
            }
        }
        Ok(Self::new(format, compression, added, Target::Stream(Box::new(to), None)))
    }

    /// Creates an output to a file, or to a folder if the format has that layout. `settings` contains
    /// everything that affects the bytes of the output: a run with other settings is not resumed. The entry
    /// `given` contains the options as the user gave them, and `listed` the inputs. They are used in error messages and
    /// are not compared.
    ///
    /// # Errors
    /// If the output cannot be written, or there is an unfinished run that may not be resumed.
    pub fn create(
        path: &Path,
        format: &'static Format,
        compression: Compression,
        added: Added,
        reuse: Reuse,
        settings: &serde_json::Value,
    ) -> Result<Self> {
        let path = record::resolved(path);
        let is_special = std::fs::metadata(&path).is_ok_and(|m| !m.is_file() && !m.is_dir());
        if is_special {
            if reuse == Reuse::Resume || !matches!(format.layout, Layout::Stream | Layout::Members) {
                return Err(Error::invalid_option("this is not a regular file")
                    .expected("a regular file")
                    .at_path(&path));
            }
            let file = AtomicFile::create(&path)?;
            return Ok(Self::new(
                format,
                compression,
                added,
                Target::Stream(Box::new(std::io::sink()), Some(file)),
            ));
        }
        let part = Part::open(&path, format.layout == Layout::Folder, reuse, settings)?;
        let last = part.journal.groups.last().cloned();
        let mut output = Self::new(format, compression, added, Target::Part(Box::new(part)));
        if let Some(last) = last {
            (output.start, output.tally) = (last.position, last.tally);
        }
        Ok(output)
    }

    fn new(format: &'static Format, compression: Compression, added: Added, target: Target<'a>) -> Self {
        Output {
            format,
            compression,
            added,
            is_framed: false,
            target,
            group: Vec::new(),
            group_bytes: 0,
            tally: Tally::default(),
            start: Position::default(),
        }
    }

    /// If `is_framed` is true, writes the [frame](Format::frame) of the format, which encloses several
    /// pages. Must be called before any page is added.
    #[must_use]
    pub fn framed(mut self, is_framed: bool) -> Self {
        self.is_framed = is_framed;
        self
    }
    /// Returns the position from which the inputs must be read. It is the position after the last record in
    /// the output.
    pub fn start(&self) -> Position {
        self.start
    }
    /// Returns the counts so far, including those of the resumed run.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
    /// Returns the counts, so that the caller can update them. An item must be counted before it is added
    /// by [`Output::add`].
    pub fn tally_mut(&mut self) -> &mut Tally {
        &mut self.tally
    }

    /// Adds the entry of an item. If `entry` is `None`, does nothing. `position` is the position in the
    /// inputs after the item.
    ///
    /// # Errors
    /// If the entry cannot be written.
    pub fn add(&mut self, entry: Option<Entry>, position: Position) -> Result<()> {
        let Some(entry) = entry else { return Ok(()) };
        self.group_bytes += entry.size();
        self.group.push(entry);
        self.tally.num_records += 1;
        // The reader of a stream sees every page immediately.
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
        let (bytes, metadata) = pack::pack(
            entries,
            is_first.then_some(self.start_of_file()),
            self.format,
            self.compression,
            self.added,
        )?;
        self.write(&bytes)?;
        if let Target::Part(part) = &mut self.target {
            part.sync()?;
            let bytes = bytes.len() as u64;
            part.done(GroupLine { bytes, position, tally, metadata: journal::encoded(&metadata) })?;
        }
        Ok(())
    }

    /// Returns the text before the first page.
    fn start_of_file(&self) -> &'static str {
        if self.is_framed && self.format.head.is_empty() { self.format.frame.0 } else { self.format.head }
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

    /// Writes the remaining entries and renames the output to its target. `position` is the current
    /// position in the inputs.
    ///
    /// # Errors
    /// If writing or renaming fails. The unfinished output can be resumed later.
    pub fn finish(mut self, position: Position) -> Result<Tally> {
        if !self.group.is_empty() {
            self.end_group(position)?;
        }
        if self.tally.num_records == 0 && self.format.layout != Layout::Folder {
            let start = Some(self.start_of_file());
            let (head, _) = pack::pack(Vec::new(), start, self.format, self.compression, self.added)?;
            self.write(&head)?;
        }
        if self.is_framed && !self.format.frame.1.is_empty() {
            let end = self.compression.compress(self.format.frame.1.as_bytes());
            self.write(&end.map_err(pack::failed)?)?;
        }
        match self.target {
            Target::Stream(_, Some(file)) => file.finish()?,
            Target::Stream(mut to, None) => to.flush().map_err(|e| Error::io("-", e))?,
            Target::Part(part) => {
                #[cfg(feature = "parquet")]
                let mut part = part;
                #[cfg(feature = "parquet")]
                if self.format.layout == Layout::Parquet {
                    // The length of the first group in the journal includes the head of the file.
                    let head = self.format.head.len() as u64;
                    let mut groups = part.journal.metadata()?;
                    groups.iter_mut().take(1).for_each(|g| g.0 = g.0.saturating_sub(head));
                    let footer = crate::parquet_rows::footer(&groups, self.added)?;
                    part.write(&footer)?;
                }
                part.finish(self.is_framed)?;
            }
        }
        Ok(self.tally)
    }
}

/// Returns whether `path` is the output of a finished run. Returns false if there is also an unfinished
/// output.
pub fn is_finished(path: &Path) -> bool {
    path.exists() && !files::with_suffix(&record::resolved(path), "part").exists()
}

impl Drop for Part {
    fn drop(&mut self) {
        self.abandon();
        atomic::unregister_unfinished(&self.path);
    }
}
