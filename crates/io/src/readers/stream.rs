//! Files and standard input as streams of decompressed bytes.

use crate::readers::packed::Parts;
use crate::sniff;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use threshr_core::{Error, Result};

const BUFFER: usize = 1 << 17;

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

pub(crate) fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1f\x8b")
}

/// Whether the bytes start with a zstd frame or a skippable frame. Archives store dictionaries, and pzstd
/// stores lengths, in skippable frames.
pub(crate) fn is_zstd(start: &[u8]) -> bool {
    start.starts_with(b"\x28\xb5\x2f\xfd") || matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}
