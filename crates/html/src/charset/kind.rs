//! Recognises bytes that are not an HTML page.

use super::utf16;
use encoding_rs::Encoding;

/// First bytes of formats that are not HTML. Sources: WHATWG MIME Sniffing, 6; the documents of the formats.
const KINDS: [(&[u8], &str); 52] = [
    (b"WARC/1.", "a WARC file"),
    (b"WARC/0.", "a WARC file"),
    (b"filedesc:", "an ARC file"),
    (b"bplist00", "a web archive of Safari"),
    (b"{\"", "JSON"),
    (b"[{\"", "JSON"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"BZh", "a bzip2 file"),
    (b"%PDF-", "a PDF"),
    (b"%!PS", "a PostScript file"),
    (b"{\\rtf", "an RTF document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document of old Office (Word, Excel, PowerPoint)"),
    (b"\xdb\xa5-\0", "a Word document"),
    (b"\xffWPC", "a WordPerfect document"),
    (b"ITSF\x03\0", "a help file of Windows (CHM)"),
    (b"AT&TFORM", "a DjVu document"),
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"8BPS\0", "a Photoshop picture"),
    (b"\0\0\x01\0", "an icon"),
    (b"RIFF", "a media file"),
    (b"OggS\0", "a media file"),
    (b"fLaC\0", "a media file"),
    (b"ID3\x02", "a media file"),
    (b"ID3\x03", "a media file"),
    (b"ID3\x04", "a media file"),
    (b"\x1a\x45\xdf\xa3", "a media file"),
    (b"\0\0\x01\xba", "a media file"),
    (b"FLV\x01", "a media file"),
    (b"MThd\0", "a media file"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a media file"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OTTO\0", "a font"),
    (b"\0\x01\0\0\0", "a font"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\xfd7zXZ\0", "an xz file"),
    (b"\x04\x22\x4d\x18", "an lz4 file"),
    (b"\x1f\x9d", "a file of compress"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\0asm\x01\0", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
];

/// Signatures that are not in the first bytes of a file: position, signature, format.
const INNER: [(usize, &[u8], &str); 3] = [
    (4, b"ftyp", "a media file"),
    (4, b"jP  \r\n\x87\n", "a JPEG picture"),
    (257, b"ustar", "a tar archive"),
];

/// Returns the kind of bytes that are not an HTML page: a picture, a document of another format, an archive, a
/// program, a data file or other binary data. Returns `None` if the bytes may be a page.
pub fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    let known = KINDS.iter().find(|(sign, _)| bytes.starts_with(sign)).map(|k| k.1);
    let is_at = |(at, sign, _): &&(usize, &[u8], &str)| bytes.get(*at..).is_some_and(|b| b.starts_with(sign));
    let inner = || INNER.iter().find(is_at).filter(|_| bytes.first() != Some(&b'<')).map(|k| k.2);
    known.or_else(inner).or_else(|| is_binary(bytes).then_some("binary data"))
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
        assert_eq!(other_kind(b"{\\rtf1\\ansi Text}"), Some("an RTF document"));
        let office = [&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], &[0; 504]].concat();
        assert!(other_kind(&office).is_some_and(|kind| kind.contains("old Office")));
        assert_eq!(other_kind(b"\0\0\0\x20ftypisom"), Some("a media file"));
        let tar = [&b"a.html"[..], &[0; 251], b"ustar\0"].concat();
        assert_eq!(other_kind(&tar), Some("a tar archive"));
        let page = format!("<p>{}ustar", " ".repeat(254));
        assert_eq!(
            (other_kind(page.as_bytes()), other_kind(b"<tr>ftyp"), other_kind(b"{\\r")),
            (None, None, None)
        );
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
