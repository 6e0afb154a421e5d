//! The record of what a complete output was made from: a hidden file beside the output.
//!
//! `.OUT.journal` contains the settings of the run and the size of the output as JSON. `--resume` compares it with
//! the options, so that an output of other inputs is not taken for complete.

use crate::output::files::with_suffix;
use crate::output::journal::{differing, is_same};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::atomic::AtomicFile;
use threshr_output::formats::{Format, Layout};

#[derive(Serialize, Deserialize)]
struct Record {
    settings: serde_json::Value,
    /// Length of the file, or number of files in the folder.
    size: u64,
}

/// Returns the path of the record of an output. The name begins with a dot, so that programs that read all files of a
/// folder ignore it.
pub(super) fn path(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    with_suffix(&target.with_file_name(name), "journal")
}

/// Writes the record of the output `target`, which is still at `part`.
pub(super) fn write(target: &Path, part: &Path, settings: &serde_json::Value) -> Result<()> {
    let record = Record { settings: settings.clone(), size: size(part)? };
    let (path, bytes) = (path(target), serde_json::to_vec(&record).unwrap_or_default());
    let mut file = AtomicFile::create(&path)?;
    file.write_all(&bytes).map_err(|e| Error::io(&path, e))?;
    file.finish()
}

/// Returns the path of a file without symbolic links, so that files beside an output stand beside the file itself.
pub(super) fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn size(path: &Path) -> Result<u64> {
    let failed = |e| Error::io(path, e);
    match path.is_dir() {
        true => Ok(std::fs::read_dir(path).map_err(failed)?.count() as u64),
        false => Ok(std::fs::metadata(path).map_err(failed)?.len()),
    }
}

/// Checks that a complete output was made from the same inputs and options. Returns false if this is not known,
/// because the output has no record.
///
/// # Errors
/// If the output was made from other inputs or options, has changed since, or is not an output of this program.
pub fn check_finished(target: &Path, format: &Format, settings: &serde_json::Value) -> Result<bool> {
    let wrong = |message: String| {
        Err(Error::invalid_option(message)
            .expected("--force without --resume to write the output again, or another output path")
            .at_path(target))
    };
    let target = &resolved(target);
    let record =
        std::fs::read(path(target)).ok().and_then(|text| serde_json::from_slice::<Record>(&text).ok());
    match record {
        Some(record) if record.size != size(target)? => {
            wrong("the complete output has changed since it was written".to_owned())
        }
        Some(record) if !is_same(&record.settings, settings) => {
            let differ = differing(&record.settings, settings);
            wrong(format!("the complete output was made from other {differ}"))
        }
        Some(_) => Ok(true),
        None if !may_be_output(target, format)? => {
            wrong(format!("this is not an output of this program in the format `{}`", format.name))
        }
        None => Ok(false),
    }
}

/// Number of bytes at the end of a Parquet file that contain the name of its format.
const END: u64 = 4096;

/// Returns whether a file or folder may be an output in a format, judging by its start and end.
fn may_be_output(path: &Path, format: &Format) -> Result<bool> {
    let failed = |e| Error::io(path, e);
    if path.is_dir() || format.layout == Layout::Folder {
        return Ok(path.is_dir() && format.layout == Layout::Folder);
    }
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let mut start = Vec::new();
    (&mut file).take(16).read_to_end(&mut start).map_err(failed)?;
    if start.is_empty() || start.starts_with(&[0x1f, 0x8b]) || start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return Ok(!matches!(format.layout, Layout::Parquet));
    }
    Ok(match format.name {
        "jsonl" => start.starts_with(b"{\"id\":"),
        "wet" => start.starts_with(b"WARC/"),
        "parquet" => {
            let length = file.metadata().map_err(failed)?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(END))).map_err(failed)?;
            let mut end = Vec::new();
            file.read_to_end(&mut end).map_err(failed)?;
            end.ends_with(b"PAR1") && end.windows(13).any(|w| w == b"threshr pages")
        }
        _ => true,
    })
}
