//! Frames of a zstd file, with the dictionary that may be in its first frame.

use crate::readers::packed::rewind::Rewind;
use std::io::{self, BufRead, Read};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// The first bytes of a frame.
pub(super) const SIGNATURE: &[u8] = b"\x28\xb5\x2f\xfd";
/// Maximum size of a dictionary, in bytes.
const MAX_DICTIONARY: u64 = 1 << 26;

/// Decodes frames, one after the other.
pub(super) struct Frames {
    decoder: Decoder<'static>,
}

/// The type and the size of a skippable frame.
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

    /// Skips skippable frames. One of type 0x5d at the start of the file contains a dictionary for all frames.
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
                self.decoder = Decoder::with_dictionary(&unpacked(dictionary)?)?;
            } else {
                from.skip(size)?;
            }
        }
        Ok(())
    }

    /// Prepares for the next frame.
    pub(super) fn start(&mut self) -> io::Result<()> {
        self.decoder.reinit()
    }

    /// Decodes bytes of the frame. Returns their number, and whether the frame is at its end.
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
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "its end is missing"));
            }
        }
    }
}

/// A dictionary, which may be compressed itself.
fn unpacked(dictionary: Vec<u8>) -> io::Result<Vec<u8>> {
    if !dictionary.starts_with(SIGNATURE) {
        return Ok(dictionary);
    }
    let mut bytes = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(&dictionary[..])?;
    decoder.take(MAX_DICTIONARY).read_to_end(&mut bytes)?;
    Ok(bytes)
}
