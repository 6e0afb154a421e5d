//! Decoder for the frames of a zstd file. A dictionary may be in the first frame.

use crate::readers::compressed::rewind::Rewind;
use std::io::{self, BufRead, Read};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// First bytes of a zstd frame.
pub(super) const SIGNATURE: &[u8] = b"\x28\xb5\x2f\xfd";
/// Maximum size of a dictionary, in bytes.
const MAX_DICTIONARY: u64 = 1 << 26;

/// Decodes frames one after another.
pub(super) struct Frames {
    decoder: Decoder<'static>,
}

/// Returns the lowest byte of the magic number of a skippable frame, and the size of its content.
fn skippable(bytes: &[u8]) -> Option<(u8, u64)> {
    match bytes {
        [kind @ 0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, ..] => {
            Some((*kind, u64::from(u32::from_le_bytes([*a, *b, *c, *d]))))
        }
        _ => None,
    }
}

impl Frames {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Frames { decoder: Decoder::new()? })
    }

    /// Skips skippable frames. A skippable frame with magic byte 0x5d at the start of the file contains a
    /// dictionary for all frames.
    ///
    /// Source: "Zstandard-compressed WARC files", IIPC, 2020.
    pub(super) fn skip_skippable<R: Read>(&mut self, from: &mut Rewind<R>) -> io::Result<()> {
        while let Some((kind, size)) = skippable(from.peek(8)?) {
            let is_dictionary = kind == 0x5d && from.position() == 0;
            from.skip(8)?;
            if is_dictionary && size <= MAX_DICTIONARY {
                let mut dictionary = Vec::new();
                from.take(size).read_to_end(&mut dictionary)?;
                from.mark();
                self.decoder = Decoder::with_dictionary(&decompressed(dictionary)?)?;
            } else {
                from.skip(size)?;
            }
        }
        Ok(())
    }

    /// Prepares the decoder for the next frame.
    pub(super) fn start(&mut self) -> io::Result<()> {
        self.decoder.reinit()
    }

    /// Decodes bytes of the current frame. Returns the number of decoded bytes, and whether the frame
    /// ended.
    pub(super) fn read<R: Read>(
        &mut self,
        from: &mut Rewind<R>,
        out: &mut [u8],
    ) -> io::Result<(usize, bool)> {
        loop {
            let bytes = from.fill_buf()?;
            let is_at_end = bytes.is_empty();
            let (mut input, mut output) = (InBuffer::around(bytes), OutBuffer::around(&mut *out));
            let is_done = self.decoder.run(&mut input, &mut output)? == 0;
            let (used, written) = (input.pos(), output.pos());
            from.consume(used);
            if written > 0 || is_done {
                return Ok((written, is_done));
            }
            if is_at_end {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the end of the frame is missing"));
            }
        }
    }
}

/// Decompresses a dictionary if it is compressed.
fn decompressed(dictionary: Vec<u8>) -> io::Result<Vec<u8>> {
    if !dictionary.starts_with(SIGNATURE) {
        return Ok(dictionary);
    }
    let mut bytes = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(&dictionary[..])?;
    decoder.take(MAX_DICTIONARY).read_to_end(&mut bytes)?;
    Ok(bytes)
}
