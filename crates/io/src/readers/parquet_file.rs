//! The file below a Parquet reader.

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read};

/// Reads at the end of the file in a row that give nothing, after which reading fails. The decoder skips fields that
/// state up to two billion parts, and asks for each of them behind the end of the file.
const MAX_EMPTY_READS: u32 = 100;

/// A file that fails soon if a decoder reads behind its end.
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

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.0.get_read(start).map(|from| UpToEnd { from, num_empty: 0 })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

/// Counts the reads at the end.
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
            _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends inside the head of a page")),
        }
    }
}
