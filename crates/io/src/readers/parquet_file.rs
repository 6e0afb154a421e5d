//! The file access of the Parquet reader.

use crate::readers::stream::{Input, is_gzip, is_read_once, is_zstd};
use bytes::Bytes;
use parquet::errors;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::sync::atomic::Ordering::Relaxed;
use threshr_core::{Error, Result};

/// Maximum number of consecutive empty reads at the end of the file. After more, reading fails. A corrupt
/// field may declare up to two billion elements, and the decoder would try to read each of them beyond the
/// end of the file.
const MAX_EMPTY_READS: u32 = 100;

/// Number of bytes that are copied at a time.
const COPIED: u64 = 1 << 20;
/// A file that is decompressed to a temporary file may have at most `LEAST_UNPACKED` bytes plus
/// `MAX_DECOMPRESSED` bytes per compressed byte. The ratio is low because Parquet columns are compressed
/// already.
const LEAST_UNPACKED: u64 = 64 << 20;
const MAX_DECOMPRESSED: u64 = 20;

/// Opens a file for random access. Standard input, pipes, streams and compressed files are copied to a temporary file
/// first.
pub(super) fn seekable(input: Input<'_>) -> Result<File> {
    let (path, bytes_read) = (input.path, input.bytes_read);
    let failed = |e| Error::io(path, e);
    if input.stream.is_none() && !is_read_once(path) {
        let mut file = File::open(path).map_err(failed)?;
        let mut start = Vec::new();
        (&mut file).take(4).read_to_end(&mut start).map_err(failed)?;
        if !is_gzip(&start) && !is_zstd(&start) {
            file.rewind().map_err(failed)?;
            return Ok(file);
        }
    }
    let mut copy = tempfile::tempfile().map_err(failed)?;
    let mut bytes = input.decoded()?;
    let before = bytes_read.load(Relaxed);
    let mut written = 0;
    loop {
        let part = io::copy(&mut (&mut bytes).take(COPIED), &mut copy).map_err(failed)?;
        written += part;
        if part == 0 {
            break;
        }
        if written > LEAST_UNPACKED + MAX_DECOMPRESSED * (bytes_read.load(Relaxed) - before) {
            return Err(Error::data("the decompressed file is too large")
                .expected(format!("at most {MAX_DECOMPRESSED} bytes for each compressed byte"))
                .at_path(path));
        }
    }
    copy.rewind().map_err(failed)?;
    Ok(copy)
}

/// A file whose reads fail soon if a decoder reads beyond its end.
pub(super) struct ParquetFile(File);

impl ParquetFile {
    pub(super) fn new(file: File) -> Self {
        ParquetFile(file)
    }
}

impl Length for ParquetFile {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for ParquetFile {
    type T = UpToEnd<BufReader<File>>;

    fn get_read(&self, start: u64) -> errors::Result<Self::T> {
        self.0.get_read(start).map(|from| UpToEnd { from, num_empty: 0 })
    }

    fn get_bytes(&self, start: u64, length: usize) -> errors::Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

/// Counts the consecutive empty reads at the end of the file.
pub(super) struct UpToEnd<R> {
    from: R,
    num_empty: u32,
}

impl<R: Read> Read for UpToEnd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let num_bytes = self.from.read(into)?;
        self.num_empty = if num_bytes == 0 && !into.is_empty() { self.num_empty + 1 } else { 0 };
        match self.num_empty {
            0..MAX_EMPTY_READS => Ok(num_bytes),
            _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends inside a page header")),
        }
    }
}
