//! Files and standard input as streams of decompressed bytes.

use crate::readers::Fields;
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

/// An input to open, and what reading it depends on.
pub(crate) struct Input<'a> {
    /// The file; `-` for standard input. If there is a `stream`, its name.
    pub path: &'a Path,
    /// The bytes, if they do not come from a file.
    pub stream: Option<Box<dyn Read + Send>>,
    /// The names of fields and columns.
    pub fields: &'a Fields,
    /// Counts the bytes that are read.
    pub bytes_read: &'a Arc<AtomicU64>,
}

impl Input<'_> {
    /// Opens the input without decompression.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn raw(self) -> Result<Box<dyn BufRead + Send>> {
        match self.stream {
            Some(stream) => Ok(buffered(stream, self.bytes_read)),
            None => raw(self.path, self.bytes_read),
        }
    }

    /// Opens the input and decompresses it, like [`decoded`].
    ///
    /// # Errors
    /// If the file cannot be opened or its first bytes cannot be read.
    pub(crate) fn decoded(self) -> Result<Box<dyn Read + Send>> {
        let path = self.path;
        self.raw().and_then(|bytes| decompressed(bytes).map_err(|e| Error::io(path, e)))
    }
}

/// The failure of a file or stream itself, unlike an error in its content. Reading cannot continue after it.
#[derive(Debug)]
pub(crate) struct SourceFailure(std::io::Error);

impl SourceFailure {
    /// Returns whether the source of the bytes caused the error.
    pub(crate) fn is_cause(error: &std::io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<SourceFailure>())
    }
}

impl std::fmt::Display for SourceFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SourceFailure {}

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
                read => break read.map_err(|e| std::io::Error::new(e.kind(), SourceFailure(e)))?,
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

fn buffered(from: Box<dyn Read + Send>, bytes_read: &Arc<AtomicU64>) -> Box<dyn BufRead + Send> {
    Box::new(BufReader::with_capacity(BUFFER, CountingReader { from, bytes_read: bytes_read.clone() }))
}

/// Opens a file, or standard input if the path is `-`, without decompression.
fn raw(path: &Path, bytes_read: &Arc<AtomicU64>) -> Result<Box<dyn BufRead + Send>> {
    let from = open(path).map_err(|e| Error::io(path, e))?;
    Ok(buffered(from, bytes_read))
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
    unpacked_start(start)
}

/// Decompresses the first bytes of a stream.
pub(crate) fn unpacked_start(start: Vec<u8>) -> Vec<u8> {
    decompressed(Box::new(Cursor::new(start))).map(first_bytes).unwrap_or_default()
}

/// Reads the bytes from which the format of a stream is detected. If this fails, reading the stream fails
/// again and reports the error.
pub(crate) fn first_bytes(from: impl Read) -> Vec<u8> {
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
