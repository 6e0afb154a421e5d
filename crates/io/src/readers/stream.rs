//! Files and standard input as streams of decompressed bytes.

use crate::readers::compressed::Parts;
use crate::sniff;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
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

/// Opens a file, or standard input if the path is `-`, without decompression.
pub(crate) fn raw(path: &Path, bytes_read: &Arc<AtomicU64>) -> Result<Box<dyn BufRead + Send>> {
    let from: Box<dyn Read + Send> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(path).map_err(|e| Error::io(path, e))?)
    };
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

/// Returns up to [`sniff::WINDOW`] decompressed bytes from the start of a file. If the file cannot be read,
/// there are fewer bytes.
pub(crate) fn start(path: &Path) -> Vec<u8> {
    decoded(path, &Arc::default()).map(first_bytes).unwrap_or_default()
}

/// Returns the decompressed start of the buffered bytes of standard input. They stay in the buffer for the
/// next reader.
pub(crate) fn start_of_stdin() -> Vec<u8> {
    let mut stdin = std::io::stdin().lock();
    // If this fails, reading the input fails again and reports the error.
    let buffered = stdin.fill_buf().unwrap_or_default().to_vec();
    decompressed(Box::new(std::io::Cursor::new(buffered))).map(first_bytes).unwrap_or_default()
}

/// Reads the bytes from which the format of a stream is detected. If this fails, reading the stream fails
/// again and reports the error.
fn first_bytes(from: Box<dyn Read + Send>) -> Vec<u8> {
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
