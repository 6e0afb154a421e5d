//! Files and standard input as streams of decompressed bytes.

use crate::readers::compressed::Parts;
use crate::sniff;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use threshr_core::{Error, Result};

const BUFFER: usize = 1 << 17;
/// Maximum size of a file that [`read_bytes`] reads, in bytes after decompression.
const MAX_BYTES: u64 = 1 << 28;

/// Counts the bytes that are read, and repeats reads that were interrupted by a signal.
struct CountingReader<R> {
    from: R,
    bytes_read: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let read = loop {
            match self.from.read(out) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.bytes_read.fetch_add(read as u64, Relaxed);
        Ok(read)
    }
}

/// Standard input and pipes of which the start was read to detect their format. They cannot be read twice.
static STARTED: Mutex<BTreeMap<PathBuf, Box<dyn Read + Send>>> = Mutex::new(BTreeMap::new());

/// Returns whether an input can be read only once: standard input (`-`), pipes and devices.
pub fn is_read_once(path: &Path) -> bool {
    path.as_os_str() == "-" || std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// Opens a file or pipe, or standard input if the path is `-`. Bytes that [`start`] read are returned again.
pub(crate) fn open(path: &Path) -> std::io::Result<Box<dyn Read + Send>> {
    if let Some(started) = STARTED.lock().unwrap_or_else(PoisonError::into_inner).remove(path) {
        return Ok(started);
    }
    Ok(match path.as_os_str() == "-" {
        true => Box::new(std::io::stdin()),
        false => Box::new(std::fs::File::open(path)?),
    })
}

/// Opens a file, or standard input if the path is `-`, without decompression.
pub(crate) fn raw(path: &Path, bytes_read: &Arc<AtomicU64>) -> Result<Box<dyn BufRead + Send>> {
    let from = open(path).map_err(|e| Error::io(path, e))?;
    Ok(Box::new(BufReader::with_capacity(BUFFER, CountingReader { from, bytes_read: bytes_read.clone() })))
}

/// Opens a file and decompresses it. Gzip and zstd are detected from the first bytes, not from the file
/// name. Reading can continue after a corrupt gzip member or zstd frame.
///
/// # Errors
/// If the file cannot be opened or its first bytes cannot be read.
pub fn decoded(path: &Path, bytes_read: &Arc<AtomicU64>) -> Result<Box<dyn Read + Send>> {
    let bytes = raw(path, bytes_read)?;
    decompressed(bytes).map_err(|e| Error::io(path, e))
}

/// Reads a whole file. Decompresses gzip and zstd, which are detected from the first bytes.
///
/// # Errors
/// If the file cannot be read or has more than 256 MB. The error contains the path.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let from = decoded(path, &Default::default())?;
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| Error::io(path, e))?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(Error::data("the file is too large").expected("at most 256 MB").at_path(path)),
        false => Ok(bytes),
    }
}

/// Decompresses a stream if it starts like gzip or zstd.
pub(crate) fn decompressed(mut bytes: Box<dyn BufRead + Send>) -> std::io::Result<Box<dyn Read + Send>> {
    let start = bytes.fill_buf()?;
    Ok(if is_gzip(start) {
        Box::new(Parts::gzip(bytes))
    } else if is_zstd(start) {
        Box::new(Parts::zstd(bytes)?)
    } else {
        bytes
    })
}

/// Returns up to [`sniff::WINDOW`] decompressed bytes from the start of an input. If it cannot be read, there are
/// fewer bytes, and reading it again reports the error. The start of a pipe is kept for [`open`].
pub(crate) fn start(path: &Path) -> Vec<u8> {
    if !is_read_once(path) {
        return decoded(path, &Arc::default()).map(first_bytes).unwrap_or_default();
    }
    let Ok(mut from) = open(path) else { return Vec::new() };
    let start = first_bytes(&mut from);
    let again = Box::new(Cursor::new(start.clone()).chain(from));
    STARTED.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf(), again);
    decompressed(Box::new(Cursor::new(start))).map(first_bytes).unwrap_or_default()
}

/// Reads the bytes from which the format of a stream is detected. If this fails, reading the stream fails
/// again and reports the error.
fn first_bytes(from: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.take(sniff::WINDOW as u64).read_to_end(&mut bytes);
    bytes
}

pub(crate) fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1f\x8b")
}

/// Returns whether the bytes start with a zstd frame or a skippable frame. In skippable frames, archives
/// store dictionaries and pzstd stores frame sizes.
pub(crate) fn is_zstd(start: &[u8]) -> bool {
    start.starts_with(b"\x28\xb5\x2f\xfd") || matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}
