//! Detects the charset of a page and decodes its bytes.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use memchr::memmem;
use std::borrow::Cow;

/// Bytes of a page that are searched for `<meta charset>`. Browsers search 1,024; some pages have it later.
const META_WINDOW: usize = 16_384;

/// Bytes of a page's non-ASCII words from which a charset is detected.
const SAMPLE_BYTES: usize = 2_048;

/// A page as text.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The text, with U+FFFD for malformed sequences.
    pub text: Cow<'a, str>,
    /// Name of the charset in the Encoding Standard.
    pub encoding: &'static str,
}

/// Decodes a page's bytes. The first of these rules that applies decides:
///
/// 1. a byte-order mark, or four ASCII characters in UTF-16 at the begin;
/// 2. `hint`, the charset of the HTTP header or the data set, if it is a known label that the bytes do not
///    contradict. Bytes contradict UTF-8 if most non-ASCII bytes are no UTF-8. They contradict a single-byte
///    charset if they are valid multi-byte UTF-8;
/// 3. valid multi-byte UTF-8, whatever `<meta>` declares;
/// 4. `<meta charset>` or `<?xml encoding?>`, if the bytes do not contradict a declaration of UTF-8;
/// 5. detection from the bytes: UTF-8 if most non-ASCII bytes are UTF-8, else the result of chardetng.
pub fn decode<'a>(bytes: &'a [u8], hint: Option<&str>) -> Decoded<'a> {
    if let Some((encoding, bom_length)) = Encoding::for_bom(bytes) {
        return with(encoding, &bytes[bom_length..]);
    }
    if let Some(encoding) = utf16(bytes) {
        return with(encoding, bytes);
    }
    let utf8 = simdutf8::basic::from_utf8(bytes).ok();
    let read_as = |encoding| match utf8.filter(|_| encoding == UTF_8) {
        Some(text) => Decoded { text: text.into(), encoding: UTF_8.name() },
        None => with(encoding, bytes),
    };
    let usable =
        |e: &&'static Encoding| *e != UTF_8 || utf8.is_some() || AsUtf8::of(sample(bytes)).allows_utf8();
    let is_utf8 = || utf8.is_some() && !bytes.is_ascii();
    let hinted = hint.and_then(|h| Encoding::for_label_no_replacement(h.trim().as_bytes())).filter(usable);
    // many servers send one charset for all their pages
    if let Some(encoding) = hinted.filter(|e| !e.is_single_byte() || !is_utf8()) {
        return read_as(encoding);
    }
    if is_utf8() {
        return read_as(UTF_8);
    }
    // a `<meta>` that is readable as ASCII is not in UTF-16
    let is_utf16 = |e: &'static Encoding| e == encoding_rs::UTF_16LE || e == encoding_rs::UTF_16BE;
    let declared = declared(bytes).map(|e| if is_utf16(e) { UTF_8 } else { e }).filter(usable);
    read_as(declared.unwrap_or_else(|| detect(bytes)))
}

/// The UTF-16 charset of bytes that begin with four ASCII characters in it.
fn utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let units = bytes.first_chunk::<8>()?.as_chunks::<2>().0;
    let all = |is: fn(&[u8; 2]) -> bool| units.iter().all(is);
    if all(|unit| matches!(unit, [1..=0x7f, 0])) {
        Some(encoding_rs::UTF_16LE)
    } else {
        all(|unit| matches!(unit, [0, 1..=0x7f])).then_some(encoding_rs::UTF_16BE)
    }
}

/// The kind of bytes that are no HTML page: a picture, an archive, a PDF, a program, a data file or other
/// binary data. `None` if they may be a page.
pub fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 14] = [
        (b"WARC/1.", "a WARC file"),
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

/// Whether one in twenty of the first bytes is a control character.
///
/// Counts the control characters by which browsers detect binary data, except NUL, which some pages contain.
fn is_binary(bytes: &[u8]) -> bool {
    const WINDOW: usize = 4096;
    const LEAST: usize = 8;
    let begin = &bytes[..bytes.len().min(WINDOW)];
    let is_control = |b: &&u8| matches!(b, 1..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let num = begin.iter().filter(is_control).count();
    num >= LEAST && 20 * num >= begin.len() && Encoding::for_bom(bytes).is_none() && utf16(bytes).is_none()
}

/// Whether `label` names a charset.
pub fn is_charset(label: &str) -> bool {
    Encoding::for_label_no_replacement(label.trim().as_bytes()).is_some()
}

fn with<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, encoding: encoding.name() }
}

/// Counts of a sample read as UTF-8.
#[derive(Default)]
struct AsUtf8 {
    /// Non-ASCII characters.
    num_characters: usize,
    /// Malformed bytes outside truncated characters.
    num_malformed: usize,
    /// Truncated characters, as after a replacement of quotes. Not the one at the end of the sample.
    num_truncated: usize,
}

impl AsUtf8 {
    fn of<'a>(sample: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut found = AsUtf8::default();
        for mut rest in sample {
            loop {
                let error = std::str::from_utf8(rest).err();
                let (valid, after) = rest.split_at(error.map_or(rest.len(), |e| e.valid_up_to()));
                // every non-ASCII character has one such byte
                found.num_characters += valid.iter().filter(|&&b| b >= 0xc0).count();
                let Some(length) = error.and_then(|e| e.error_len()) else { break };
                let count = if length == 1 { &mut found.num_malformed } else { &mut found.num_truncated };
                *count += 1;
                rest = &after[length..];
            }
        }
        found
    }

    /// Whether most non-ASCII bytes are UTF-8, so that the sample is UTF-8 with some foreign bytes.
    fn is_mostly_utf8(&self) -> bool {
        self.num_characters > 2 * self.num_malformed
    }

    /// Whether the sample is consistent with a declaration of UTF-8.
    fn allows_utf8(&self) -> bool {
        self.num_malformed + self.num_truncated == 0 || self.is_mostly_utf8()
    }
}

/// The charset that `<meta>` or `<?xml` declares.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes[..bytes.len().min(META_WINDOW)].to_ascii_lowercase();
    if let Some(xml) = head.strip_prefix(b"<?xml") {
        let end = memmem::find(xml, b"?>").unwrap_or(0);
        if let Some(encoding) = label_after(&xml[..end], b"encoding") {
            return Some(encoding);
        }
    }
    let head = without_comments(head);
    memmem::find_iter(&head, b"<meta").find_map(|at| {
        let tag = &head[at..];
        let end = memchr::memchr(b'>', tag).unwrap_or(tag.len());
        label_after(&tag[..end], b"charset")
    })
}

/// Replaces comments by spaces, except one without end.
fn without_comments(mut head: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while let Some(start) = memmem::find(&head[at..], b"<!--").map(|i| at + i) {
        let Some(end) = memmem::find(&head[start + 2..], b"-->").map(|i| start + 2 + i) else { break };
        head[start..end].fill(b' ');
        at = end;
    }
    head
}

/// The charset whose label follows `key` and `=`, with or without quotes.
fn label_after(text: &[u8], key: &[u8]) -> Option<&'static Encoding> {
    memmem::find_iter(text, key).find_map(|at| {
        let value = text[at + key.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
        let value = value.trim_ascii_start();
        let end = value.iter().position(|b| b"\"'; \t\r\n/".contains(b)).unwrap_or(value.len());
        Encoding::for_label_no_replacement(&value[..end])
    })
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    // ISO-2022-JP switches by escape sequences
    let has_escape = memchr::memchr(0x1b, bytes).is_some();
    if bytes.is_ascii() && !has_escape {
        return WINDOWS_1252;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    let mut has_letters = true;
    if has_escape {
        detector.feed(bytes, true);
    } else {
        let pieces: Vec<&[u8]> = sample(bytes).collect();
        if AsUtf8::of(pieces.iter().copied()).is_mostly_utf8() {
            return UTF_8;
        }
        has_letters = may_be_letters(&pieces);
        // never the last piece: a sample may end inside a character
        pieces.into_iter().for_each(|piece| _ = detector.feed(piece, false));
    }
    let found = detector.guess(None, chardetng::Utf8Detection::Allow);
    // a few symbols (pounds, quotes) are no evidence of a language
    if found.is_single_byte() && !has_letters { WINDOWS_1252 } else { found }
}

/// Whether over a tenth of the non-ASCII bytes are in the range where single-byte charsets have letters.
fn may_be_letters(pieces: &[&[u8]]) -> bool {
    let count = |from: u8| pieces.iter().map(|p| p.iter().filter(|&&b| b >= from).count()).sum::<usize>();
    10 * count(0xc0) > count(0x80)
}

/// The pieces of a page from which its charset is detected.
fn sample(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut room = SAMPLE_BYTES;
    non_ascii_pieces(bytes).map_while(move |piece| {
        let piece = &piece[..piece.len().min(room)];
        room -= piece.len();
        (!piece.is_empty()).then_some(piece)
    })
}

/// The pieces between spaces, `>` and line ends that contain non-ASCII bytes.
///
/// No multi-byte charset has a separator inside a character, and the detector treats pieces independently.
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

    fn name(bytes: &[u8], hint: Option<&str>) -> &'static str {
        decode(bytes, hint).encoding
    }

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

    #[test]
    fn order_of_evidence() {
        assert_eq!(name(b"\xef\xbb\xbfx", Some("koi8-r")), "UTF-8");
        assert_eq!(name(b"<meta charset=koi8-r>\xd4", Some("iso-8859-2")), "ISO-8859-2");
        assert_eq!(name(b"<meta charset='KOI8-R'>\xd4", None), "KOI8-R");
        assert_eq!(name("<meta charset=iso-8859-1>é".as_bytes(), None), "UTF-8");
        assert_eq!(name("é".as_bytes(), Some("iso-8859-1")), "UTF-8");
        assert_eq!(name("é".as_bytes(), Some("gbk")), "GBK");
        assert_eq!(name(b"<meta http-equiv=x content='text/html; charset=gb2312'>\xc4\xe3", None), "GBK");
        assert_eq!(name(b"<?xml version='1.0' encoding='shift_jis'?>\x83\x41\x82\xa0", None), "Shift_JIS");
        assert_eq!(name(b"plain", None), "windows-1252");
        let japanese = b"\x1b$B$3$l$OF|K\\8l$N%Z!<%8$G$9\x1b(B";
        assert_eq!(name(japanese, None), "ISO-2022-JP");
        assert_eq!(name(&[b"<meta charset=iso-2022-jp>", &japanese[..]].concat(), None), "ISO-2022-JP");
        assert_ne!(name(b"<meta charset=utf-16>x\xe9y", None), "UTF-16LE");
    }

    #[test]
    fn utf16_needs_no_mark() {
        let units =
            |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { "<p>x é 漢".encode_utf16().flat_map(bytes).collect() };
        let (little, big) = (units(u16::to_le_bytes), units(u16::to_be_bytes));
        for hint in [None, Some("utf-8")] {
            assert_eq!((name(&little, hint), name(&big, hint)), ("UTF-16LE", "UTF-16BE"));
        }
        assert_eq!(decode(&little, None).text, "<p>x é 漢");
        assert_ne!(name(b"<\0\0\0p\0\0\0>\0\0\0", None), "UTF-16LE");
    }

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

    #[test]
    fn a_sample_may_end_inside_a_character() {
        // shifts the text, which is longer than the sample, by one to three bytes
        for before in ["a", "ab", "abc"] {
            let text = format!("<p>{before}{}</p>", "这是一个关于网页内容提取的中文段落。".repeat(200));
            for charset in ["GBK", "Big5"] {
                let encoding = Encoding::for_label(charset.as_bytes()).expect("a charset");
                let bytes = encoding.encode(&text).0;
                assert_eq!(name(&bytes, None), charset, "{before}");
            }
        }
    }

    #[test]
    fn a_false_declaration_of_utf8_is_ignored() {
        let latin =
            b"<meta charset=utf-8>caf\xe9 cr\xe8me d\xe9j\xe0 vu na\xefve \xe9t\xe9 h\xf4tel \xe0 c\xf4t\xe9";
        assert_eq!(decode(latin, Some("utf-8")).text.matches('\u{fffd}').count(), 0);
        // at any length of the page
        let long = [b"It\x92s ".to_vec(), b"<p>plain text ".repeat(4_000)].concat();
        assert_eq!((name(&long, Some("utf-8")), name(&long, None)), ("windows-1252", "windows-1252"));
        // some foreign bytes and truncated characters do not contradict UTF-8
        let mixed = ["naïve déjà vu — été — ".as_bytes(), b"caf\xe9 \xe2\x80\""].concat();
        let mixed = [b"<p>", &mixed[..], &mixed[..]].concat();
        assert_eq!((name(&mixed, Some("utf-8")), name(&mixed, None)), ("UTF-8", "UTF-8"));
        // nor do truncated characters alone
        let cut = [b"<p>caf\xc3\xa9 ".to_vec(), b"that\xe2\x80\"s ".repeat(9)].concat();
        assert_eq!((name(&cut, Some("utf-8")), name(&cut, None)), ("UTF-8", "UTF-8"));
        let french = b"<meta charset=utf-8>Nouveaut\xe9\xa0: le march\xe9\xa0! La libert\xe9\xa0?";
        assert!(decode(french, Some("utf-8")).text.contains("march\u{e9}\u{a0}!"));
        // nor does a truncated last character
        assert_eq!(name("<meta charset=utf-8>é".as_bytes().split_last().expect("bytes").1, None), "UTF-8");
    }

    #[test]
    fn a_few_symbols_are_no_language() {
        for signs in [&b"costs \xa3125"[..], b"\xa9 2004 \xabnews\xbb", b"section \xa7 5 \xae"] {
            assert_eq!(name(signs, None), "windows-1252");
            assert_eq!(name(&[b"<meta charset=utf-8>", signs].concat(), None), "windows-1252");
        }
        let thai = encoding_rs::WINDOWS_874.encode(&"เนื้อหาของหน้าเว็บ ข่าววันนี้ ".repeat(9)).0.into_owned();
        assert_eq!(name(&thai, None), "windows-874");
    }

    #[test]
    fn an_unsupported_charset_is_detected() {
        for label in ["iso-2022-kr", "hz-gb-2312", "replacement"] {
            let page = format!("<meta charset={label}><p>Text.");
            assert_eq!(decode(page.as_bytes(), None).text, page);
            assert_eq!(decode(page.as_bytes(), Some(label)).text, page);
        }
    }

    /// Cases of the html5lib encoding tests with another result: file, number, reason.
    const OTHERWISE: &[(&str, usize, &str)] = &[
        ("tests1.dat", 6, ANYWHERE),
        ("tests1.dat", 10, ANYWHERE),
        ("tests1.dat", 11, ANYWHERE),
        ("tests1.dat", 12, ANYWHERE),
        ("tests1.dat", 14, ANYWHERE),
        ("tests1.dat", 15, ANYWHERE),
        ("tests1.dat", 16, ANYWHERE),
        ("tests1.dat", 17, ANYWHERE),
        ("tests1.dat", 18, ANYWHERE),
        ("tests1.dat", 19, ANYWHERE),
        ("tests1.dat", 20, ANYWHERE),
        ("tests1.dat", 24, QUOTES),
        ("tests1.dat", 25, QUOTES),
        ("tests1.dat", 28, QUOTES),
        ("tests1.dat", 29, QUOTES),
        ("tests1.dat", 30, QUOTES),
        ("tests1.dat", 33, QUOTES),
        ("tests1.dat", 34, QUOTES),
        ("tests1.dat", 35, QUOTES),
        ("tests2.dat", 4, "a `<meta>` truncated by the end of the page counts"),
        ("tests2.dat", 9, QUOTES),
        ("tests2.dat", 11, QUOTES),
        ("test-yahoo-jp.dat", 0, "the file is valid UTF-8, which takes precedence over its declaration"),
    ];
    const ANYWHERE: &str = "a `charset=` anywhere in a `<meta>` counts: many pages have syntax errors there";
    const QUOTES: &str = "quotes are not matched to find a `<meta>`: some pages lack one";

    #[test]
    fn html5lib_encoding_tests() {
        let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/html5lib/encoding");
        let mut wrong = Vec::new();
        let mut num_cases = 0;
        for file in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
            let bytes = std::fs::read(dir.join(file)).expect("the suite is there");
            let starts: Vec<usize> = memmem::find_iter(&bytes, b"#data\n").collect();
            for (number, &start) in starts.iter().enumerate() {
                let case = &bytes[start + 6..starts.get(number + 1).copied().unwrap_or(bytes.len())];
                let at = memmem::rfind(case, b"\n#encoding\n").expect("an encoding");
                let label = case[at + 11..].trim_ascii();
                let expected = Encoding::for_label(label).expect("a label").name();
                let found = name(&case[..at], None);
                num_cases += 1;
                if found != expected {
                    wrong.push((
                        file,
                        number,
                        expected,
                        found,
                        String::from_utf8_lossy(&case[..at]).into_owned(),
                    ));
                }
            }
        }
        let list: Vec<_> = wrong.iter().map(|w| (w.0, w.1)).collect();
        let expected: Vec<_> = OTHERWISE.iter().map(|o| (o.0, o.1)).collect();
        assert!(list == expected, "of {num_cases} cases other ones than listed differ: {wrong:#?}");
    }
}
