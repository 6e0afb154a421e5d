//! Charset detection from the bytes of a page.

use super::Charset;
use super::single_byte::better;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Maximum size in bytes of the sample of non-ASCII words from which the charset is detected.
const SAMPLE_BYTES: usize = 2_048;

/// Statistics of a sample that is decoded as UTF-8.
#[derive(Default)]
pub(super) struct AsUtf8 {
    /// Number of valid non-ASCII characters.
    num_characters: usize,
    /// Number of malformed bytes that do not belong to truncated characters.
    num_malformed: usize,
    /// Number of truncated characters, such as those that remain after a byte-wise replacement of quotes. A
    /// truncated character at the end of a word of the sample is not counted.
    num_truncated: usize,
}

impl AsUtf8 {
    pub(super) fn new<'a>(sample: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut found = AsUtf8::default();
        for mut rest in sample {
            loop {
                let error = std::str::from_utf8(rest).err();
                let (valid, after) = rest.split_at(error.map_or(rest.len(), |e| e.valid_up_to()));
                // every non-ASCII character has exactly one byte from 0xc0 on
                found.num_characters += valid.iter().filter(|&&b| b >= 0xc0).count();
                let Some(length) = error.and_then(|e| e.error_len()) else { break };
                let count = if length == 1 { &mut found.num_malformed } else { &mut found.num_truncated };
                *count += 1;
                rest = &after[length..];
            }
        }
        found
    }

    /// Whether valid characters are more than twice as many as malformed bytes, so that the sample is UTF-8 with a
    /// few foreign bytes.
    fn is_mostly_utf8(&self) -> bool {
        self.num_characters > 2 * self.num_malformed
    }

    /// Whether the sample is consistent with a declaration of UTF-8.
    pub(super) fn allows_utf8(&self) -> bool {
        self.num_malformed + self.num_truncated == 0 || self.is_mostly_utf8()
    }
}

/// Detects the charset of `bytes` from a sample.
pub(super) fn detect(bytes: &[u8]) -> Charset {
    // ISO-2022-JP consists of ASCII bytes and escape sequences
    let has_escape = memchr::memchr(0x1b, bytes).is_some();
    if bytes.is_ascii() && !has_escape {
        return Charset::Standard(WINDOWS_1252);
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    let mut has_letters = true;
    if has_escape {
        detector.feed(bytes, true);
    } else {
        let pieces: Vec<&[u8]> = sample(bytes).collect();
        if AsUtf8::new(pieces.iter().copied()).is_mostly_utf8() {
            return Charset::Standard(UTF_8);
        }
        if is_mixed(&pieces) {
            return Charset::Mixed;
        }
        has_letters = may_be_letters(&pieces);
        // `last` is never true, because the sample may end inside a character
        pieces.into_iter().for_each(|piece| _ = detector.feed(piece, false));
    }
    let found = detector.guess(None, chardetng::Utf8Detection::Allow);
    // a few symbols (such as pound signs or quotes) are no evidence of a language
    let found = if found.is_single_byte() && !has_letters { WINDOWS_1252 } else { found };
    let found = Charset::Standard(found);
    better(found, sample(bytes)).unwrap_or(found)
}

/// Whether the sample is a mix of UTF-8 and another charset.
///
/// In another charset, a run of non-ASCII bytes is rarely valid UTF-8 by chance. About one in seven single
/// characters of GBK is valid UTF-8; for longer runs and for other charsets, the share is lower.
fn is_mixed(pieces: &[&[u8]]) -> bool {
    const LEAST: usize = 3;
    let runs = pieces.iter().flat_map(|p| p.split(u8::is_ascii)).filter(|run| !run.is_empty());
    let (mut num_utf8, mut num_other) = (0, 0);
    for run in runs {
        *(if std::str::from_utf8(run).is_ok() { &mut num_utf8 } else { &mut num_other }) += 1;
    }
    num_utf8 >= LEAST && 2 * num_utf8 > num_other
}

/// Decodes a mix of UTF-8 and another charset. The other charset is detected from the words that are not valid
/// UTF-8.
pub(super) fn decode_mixed(bytes: &[u8]) -> String {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    let pieces = sample(bytes).filter(|piece| std::str::from_utf8(piece).is_err());
    pieces.for_each(|piece| _ = detector.feed(piece, false));
    let other = detector.guess(None, chardetng::Utf8Detection::Deny);
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&other.decode_without_bom_handling(chunk.invalid()).0);
    }
    text
}

/// Whether more than a tenth of the non-ASCII bytes are in the range in which single-byte charsets have letters.
fn may_be_letters(pieces: &[&[u8]]) -> bool {
    let count = |from: u8| pieces.iter().map(|p| p.iter().filter(|&&b| b >= from).count()).sum::<usize>();
    10 * count(0xc0) > count(0x80)
}

/// Returns the sample from which a page's charset is detected: its non-ASCII words, up to [`SAMPLE_BYTES`] in
/// total.
pub(super) fn sample(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut room = SAMPLE_BYTES;
    non_ascii_pieces(bytes).map_while(move |piece| {
        let piece = &piece[..piece.len().min(room)];
        room -= piece.len();
        (!piece.is_empty()).then_some(piece)
    })
}

/// Returns the words that contain non-ASCII bytes. A word ends after a space, `>` or a line end.
///
/// Multi-byte charsets do not use these separators inside a character, so the detector can read the words
/// independently.
fn non_ascii_pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let at = Encoding::ascii_valid_up_to(rest);
        let start = memchr::memrchr3(b' ', b'>', b'\n', &rest[..at]).map_or(0, |i| i + 1);
        let end = memchr::memchr3(b' ', b'>', b'\n', &rest[at..]).map_or(rest.len(), |i| at + i + 1);
        let piece = &rest[start..end];
        rest = &rest[end..];
        (at < end).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_pieces_contain_non_ascii_bytes() {
        for page in [
            &b""[..],
            b"a>b\nc d",
            b"\xe9",
            b"a\xe9>b>\xe8 \xe8\n\n>c\xe7 d \xe7",
            b"x\n \xe9> ",
            b"\xe9\n\xe9>y\n",
        ] {
            let pieces =
                page.split_inclusive(|b| matches!(b, b' ' | b'>' | b'\n')).filter(|piece| !piece.is_ascii());
            assert!(non_ascii_pieces(page).eq(pieces), "{page:?}");
        }
    }
}
