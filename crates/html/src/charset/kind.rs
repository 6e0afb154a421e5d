//! Recognises bytes that are not an HTML page.

use super::utf16;
use encoding_rs::Encoding;

/// Returns the kind of bytes that are not an HTML page: a picture, an archive, a PDF, a program, a data file or
/// other binary data. Returns `None` if the bytes may be a page.
pub fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 17] = [
        (b"WARC/1.", "a WARC file"),
        (b"WARC/0.", "a WARC file"),
        (b"filedesc:", "an ARC file"),
        (b"bplist00", "a web archive of Safari"),
        (b"{\"", "JSON"),
        (b"[{\"", "JSON"),
        (b"PAR1", "a Parquet file"),
        (b"BZh", "a bzip2 file"),
        (b"%PDF-", "a PDF"),
        (b"\x89PNG\r\n", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"GIF8", "a GIF picture"),
        (b"RIFF", "a media file"),
        (b"\x1f\x8b", "a gzip file"),
        (b"\x28\xb5\x2f\xfd", "a zstd file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x7fELF", "a program"),
    ];
    let known = KINDS.iter().find(|(sign, _)| bytes.starts_with(sign)).map(|k| k.1);
    known.or_else(|| is_binary(bytes).then_some("binary data"))
}

/// Whether at least one in twenty of the first bytes is a control character.
///
/// The counted control characters are those by which browsers detect binary data, except NUL, which some pages
/// contain.
fn is_binary(bytes: &[u8]) -> bool {
    const WINDOW: usize = 4096;
    const LEAST: usize = 8;
    let begin = &bytes[..bytes.len().min(WINDOW)];
    let is_control = |b: &u8| matches!(b, 1..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    // a sum of at most 255 fits into a byte, so that the compiler can vectorise the addition
    let of_chunk = |chunk: &[u8]| chunk.iter().map(|b| u8::from(is_control(b))).sum::<u8>();
    let num: usize = begin.chunks(usize::from(u8::MAX)).map(|chunk| usize::from(of_chunk(chunk))).sum();
    num >= LEAST && 20 * num >= begin.len() && Encoding::for_bom(bytes).is_none() && utf16(bytes).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_bytes_that_are_no_text() {
        let mut random = 7u32;
        let mut draw = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 24) as u8
        };
        let noise: Vec<u8> = (0..5000).map(|_| draw()).collect();
        assert_eq!(other_kind(&noise), Some("binary data"));
        assert_eq!(other_kind(b"GIF89a"), Some("a GIF picture"));
        // a few control characters, zeros, UTF-16
        let page = format!("<p>{}", "some\u{1} words\0 of a page ".repeat(9));
        let wide: Vec<u8> =
            "<html>\u{4e01}\u{0102}".repeat(99).encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [
            b"\xff\xfe".as_slice(),
            &"\u{0101}".repeat(99).encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
        ]
        .concat();
        for text in [page.as_bytes(), &[0; 300], &wide, &marked, b"", b"\x01\x02"] {
            assert_eq!(other_kind(text), None, "{text:?}");
        }
    }
}
