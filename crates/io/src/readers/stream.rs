//! Files and standard input as streams of decompressed bytes.

use crate::readers::packed::Parts;
use crate::sniff;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use threshr_core::{Error, Result};

const BUFFER: usize = 1 << 17;
/// Number of bytes that are copied at a time.
const COPIED: u64 = 1 << 20;
/// Bytes of any file that is unpacked to a temporary file, and for each packed byte. Such files hold packed columns or
/// packed pages themselves.
const LEAST_UNPACKED: u64 = 64 << 20;
const MOST_UNPACKED: u64 = 20;

/// Counts the bytes that are read, and repeats reads that a signal interrupts.
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

/// The bytes of a file, or of standard input if the path is `-`.
pub(crate) fn raw(path: &Path, bytes_read: &Arc<AtomicU64>) -> Result<Box<dyn BufRead + Send>> {
    let from: Box<dyn Read + Send> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(path).map_err(|e| Error::io(path, e))?)
    };
    Ok(Box::new(BufReader::with_capacity(BUFFER, CountingReader { from, bytes_read: bytes_read.clone() })))
}

/// The decompressed bytes of a file. The first bytes, not the name, decide between gzip, zstd and plain
/// bytes. Reading goes on after a damaged
/// gzip member or zstd frame.
pub(crate) fn decoded(path: &Path, bytes_read: &Arc<AtomicU64>) -> Result<Box<dyn Read + Send>> {
    let bytes = raw(path, bytes_read)?;
    unpacked(bytes).map_err(|e| Error::io(path, e))
}

/// The decompressed bytes of a stream.
pub(crate) fn unpacked(mut bytes: Box<dyn BufRead + Send>) -> std::io::Result<Box<dyn Read + Send>> {
    let start = bytes.fill_buf()?;
    Ok(if is_gzip(start) {
        Box::new(Parts::gzip(bytes))
    } else if is_zstd(start) {
        Box::new(Parts::zstd(bytes)?)
    } else {
        bytes
    })
}

/// The first bytes of a file, decompressed, up to [`sniff::WINDOW`]; fewer if it cannot be read.
pub(crate) fn start(path: &Path) -> Vec<u8> {
    decoded(path, &Arc::default()).map(first_bytes).unwrap_or_default()
}

/// The first bytes of standard input that are buffered, decompressed. They are read again by the next reader.
pub(crate) fn start_of_stdin() -> Vec<u8> {
    let mut stdin = std::io::stdin().lock();
    // An error is found again when the input is read.
    let buffered = stdin.fill_buf().unwrap_or_default().to_vec();
    unpacked(Box::new(std::io::Cursor::new(buffered))).map(first_bytes).unwrap_or_default()
}

/// The bytes that decide what a stream is. An error is found again when the stream is read.
fn first_bytes(from: Box<dyn Read + Send>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.take(sniff::WINDOW as u64).read_to_end(&mut bytes);
    bytes
}

/// A file that can be read at any position. Standard input and packed files are copied to a temporary file.
pub(crate) fn seekable(path: &Path, bytes_read: &Arc<AtomicU64>) -> Result<std::fs::File> {
    let failed = |e| Error::io(path, e);
    if path.as_os_str() != "-" {
        let mut file = std::fs::File::open(path).map_err(failed)?;
        let mut start = Vec::new();
        (&mut file).take(4).read_to_end(&mut start).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_file() && !is_gzip(&start) && !is_zstd(&start) {
            file.rewind().map_err(failed)?;
            return Ok(file);
        }
    }
    let mut copy = tempfile::tempfile().map_err(failed)?;
    let mut bytes = decoded(path, bytes_read)?;
    let before = bytes_read.load(Relaxed);
    let mut written = 0;
    loop {
        let part = std::io::copy(&mut (&mut bytes).take(COPIED), &mut copy).map_err(failed)?;
        written += part;
        if part == 0 {
            break;
        }
        if written > LEAST_UNPACKED + MOST_UNPACKED * (bytes_read.load(Relaxed) - before) {
            return Err(Error::data("the file grows too much when it is unpacked")
                .expected(format!("at most {MOST_UNPACKED} bytes for each packed byte"))
                .at_path(path));
        }
    }
    copy.rewind().map_err(failed)?;
    Ok(copy)
}

pub(crate) fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1f\x8b")
}

/// Whether the bytes start with a zstd frame or a skippable frame. Archives store dictionaries, and pzstd
/// stores lengths, in skippable frames.
pub(crate) fn is_zstd(start: &[u8]) -> bool {
    start.starts_with(b"\x28\xb5\x2f\xfd") || matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}
