//! Detects the charset of a page and decodes its bytes.

mod declared;
mod detect;
mod dos;
mod kind;
mod single_byte;
#[cfg(test)]
mod tests;

pub use kind::other_kind;

use declared::declared;
use detect::{AsUtf8, decode_mixed, detect, sample};
use encoding_rs::{Encoding, UTF_8};
use single_byte::better;
use std::borrow::Cow;

/// A page as text.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The text, with U+FFFD for malformed sequences.
    pub text: Cow<'a, str>,
    /// Name of the charset in the Encoding Standard, or `CP437` or `CP850`.
    pub encoding: &'static str,
}

/// A charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    /// One of the Encoding Standard.
    Standard(&'static Encoding),
    /// Code page 437 of DOS.
    Cp437,
    /// Code page 850 of DOS.
    Cp850,
    /// UTF-8 with pieces in another charset.
    Mixed,
}

/// Decodes a page's bytes. The first of these rules that applies decides:
///
/// 1. a byte-order mark, or four ASCII characters in UTF-16 at the begin;
/// 2. `hint`, the charset of the HTTP header or the data set, if it is a known label that the bytes do not
///    contradict;
/// 3. valid multi-byte UTF-8, whatever `<meta>` declares;
/// 4. `<meta charset>` or `<?xml encoding?>`, if the bytes do not contradict it;
/// 5. detection from the bytes: UTF-8 if most non-ASCII bytes are UTF-8, else the result of chardetng.
///
/// Bytes contradict UTF-8 if most non-ASCII bytes are no UTF-8. They contradict a single-byte charset if they
/// are valid multi-byte UTF-8, or if a charset of old Macintosh or DOS systems fits clearly better. They
/// contradict another multi-byte charset if a tenth is malformed and another such charset fits.
///
/// Pairs of surrogates in UTF-8 (CESU-8) become the characters that they stand for. In a page of UTF-8 with
/// many bytes in another charset, these are decoded too.
pub fn decode<'a>(bytes: &'a [u8], hint: Option<&str>) -> Decoded<'a> {
    if let Some((encoding, bom_length)) = Encoding::for_bom(bytes) {
        let bytes = &bytes[bom_length..];
        let joined = (encoding == UTF_8).then(|| joined_surrogates(bytes)).flatten();
        return match joined {
            Some(joined) => with(Charset::Standard(encoding), &joined).into_owned(),
            None => with(Charset::Standard(encoding), bytes),
        };
    }
    if let Some(encoding) = utf16(bytes) {
        return with(Charset::Standard(encoding), bytes);
    }
    let utf8 = simdutf8::basic::from_utf8(bytes).ok();
    if utf8.is_none()
        && let Some(joined) = joined_surrogates(bytes)
    {
        let decoded = decode(&joined, hint);
        if decoded.encoding == UTF_8.name() {
            return decoded.into_owned();
        }
    }
    let read_as = |charset: Charset| match utf8.filter(|_| charset == Charset::Standard(UTF_8)) {
        Some(text) => Decoded { text: text.into(), encoding: UTF_8.name() },
        None => with(charset, bytes),
    };
    let usable = |c: &Charset| {
        *c != Charset::Standard(UTF_8) || utf8.is_some() || AsUtf8::of(sample(bytes)).allows_utf8()
    };
    let is_utf8 = || utf8.is_some() && !bytes.is_ascii();
    let hinted = hint.and_then(|h| Charset::of_label(h.as_bytes())).filter(usable);
    // many servers send one charset for all their pages
    if let Some(charset) = hinted.filter(|c| !c.is_single_byte() || !is_utf8()) {
        return read_as(charset.or_better(bytes));
    }
    if is_utf8() {
        return read_as(Charset::Standard(UTF_8));
    }
    // a `<meta>` that is readable as ASCII is not in UTF-16
    let ascii_only = |c: Charset| match c {
        Charset::Standard(e) if e == encoding_rs::UTF_16LE || e == encoding_rs::UTF_16BE => {
            Charset::Standard(UTF_8)
        }
        other => other,
    };
    let declared = declared(bytes).map(ascii_only).filter(usable).map(|c| c.or_better(bytes));
    read_as(declared.unwrap_or_else(|| detect(bytes)))
}

impl Decoded<'_> {
    fn into_owned(self) -> Decoded<'static> {
        Decoded { text: Cow::Owned(self.text.into_owned()), encoding: self.encoding }
    }
}

impl Charset {
    /// The charset of a label: of the Encoding Standard, or one that other programs use.
    fn of_label(label: &[u8]) -> Option<Charset> {
        let label = label.trim_ascii();
        let standard = Encoding::for_label_no_replacement(label).map(Charset::Standard);
        standard.or_else(|| {
            Some(match &label.to_ascii_lowercase()[..] {
                b"cp437" | b"ibm437" | b"437" | b"cp-437" | b"cspc8codepage437" => Charset::Cp437,
                b"cp850" | b"ibm850" | b"850" | b"cp-850" | b"cspc850multilingual" => Charset::Cp850,
                b"mac-roman" | b"macroman" | b"mac_roman" | b"x-macroman" => {
                    Charset::Standard(encoding_rs::MACINTOSH)
                }
                b"mac-cyrillic" | b"maccyrillic" | b"mac_cyrillic" | b"x-maccyrillic" => {
                    Charset::Standard(encoding_rs::X_MAC_CYRILLIC)
                }
                b"cesu-8" | b"cesu8" | b"wtf-8" | b"utf8mb4" => Charset::Standard(UTF_8),
                _ => return None,
            })
        })
    }

    fn name(self) -> &'static str {
        match self {
            Charset::Standard(encoding) => encoding.name(),
            Charset::Cp437 => "CP437",
            Charset::Cp850 => "CP850",
            Charset::Mixed => UTF_8.name(),
        }
    }

    fn is_single_byte(self) -> bool {
        match self {
            Charset::Standard(encoding) => encoding.is_single_byte(),
            Charset::Cp437 | Charset::Cp850 => true,
            Charset::Mixed => false,
        }
    }

    fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Charset::Standard(encoding) => encoding.decode_without_bom_handling(bytes).0,
            Charset::Cp437 => dos::decode(bytes, dos::CP437).into(),
            Charset::Cp850 => dos::decode(bytes, dos::CP850).into(),
            Charset::Mixed => decode_mixed(bytes).into(),
        }
    }

    /// The charset, or another one if the bytes contradict this one.
    fn or_better(self, bytes: &[u8]) -> Charset {
        if self == Charset::Standard(UTF_8) {
            return self;
        }
        if self.is_single_byte() {
            return better(self, sample(bytes)).unwrap_or(self);
        }
        let (num_errors, num_others) = self.errors(bytes);
        if num_errors < 3 || 10 * num_errors < num_others {
            return self;
        }
        let found = detect(bytes);
        if !found.is_single_byte() && 2 * found.errors(bytes).0 < num_errors { found } else { self }
    }

    /// The numbers of malformed and of non-ASCII characters in the sample. Halfwidth katakana count as
    /// malformed if they are the most: EUC-JP looks so in Shift_JIS.
    fn errors(self, bytes: &[u8]) -> (usize, usize) {
        let (mut num_errors, mut num_others, mut num_halfwidth) = (0, 0, 0);
        for piece in sample(bytes) {
            let text = self.decode(piece);
            num_errors += text.matches(char::REPLACEMENT_CHARACTER).count();
            num_others += text.chars().filter(|c| !c.is_ascii()).count();
            num_halfwidth += text.chars().filter(|c| matches!(c, '\u{ff61}'..='\u{ff9f}')).count();
        }
        (num_errors + if 2 * num_halfwidth > num_others { num_halfwidth } else { 0 }, num_others)
    }
}

/// The bytes with each pair of surrogates, encoded in three bytes each, as one character of four bytes. `None`
/// if there are no pairs.
fn joined_surrogates(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut joined: Option<Vec<u8>> = None;
    let (mut at, mut done) = (0, 0);
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr(0xed, rest)) {
        at += next;
        let &[_, a @ 0xa0..=0xaf, b @ 0x80..=0xbf, 0xed, c @ 0xb0..=0xbf, d @ 0x80..=0xbf, ..] = &bytes[at..]
        else {
            at += 1;
            continue;
        };
        let unit = |high: u8, low: u8| 0xd000 | u16::from(high & 0x3f) << 6 | u16::from(low & 0x3f);
        let joined = joined.get_or_insert_with(Vec::new);
        joined.extend_from_slice(&bytes[done..at]);
        for char in char::decode_utf16([unit(a, b), unit(c, d)]) {
            let char = char.unwrap_or(char::REPLACEMENT_CHARACTER);
            joined.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        }
        at += 6;
        done = at;
    }
    joined.map(|mut joined| {
        joined.extend_from_slice(&bytes[done..]);
        joined
    })
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

/// Whether `label` names a charset.
pub fn is_charset(label: &str) -> bool {
    Charset::of_label(label.as_bytes()).is_some()
}

/// The label of a charset that a page declares and that is unknown: `hint`, that of the HTTP header, else that in the
/// page. `None` if a known charset is declared, or none.
///
/// ```
/// let unknown = threshr_html::unknown_charset(b"<meta charset=klingon-8><p>x", None);
/// assert_eq!(unknown.as_deref(), Some("klingon-8"));
/// assert_eq!(threshr_html::unknown_charset(b"<meta charset=latin1>", None), None);
/// ```
pub fn unknown_charset(bytes: &[u8], hint: Option<&str>) -> Option<String> {
    match hint.map(str::trim).filter(|label| !label.is_empty()) {
        Some(label) if !is_charset(label) => Some(label.chars().take(40).collect()),
        Some(_) => None,
        None if Encoding::for_bom(bytes).is_some() || utf16(bytes).is_some() => None,
        None => declared::unknown(bytes),
    }
}

fn with(charset: Charset, bytes: &[u8]) -> Decoded<'_> {
    Decoded { text: charset.decode(bytes), encoding: charset.name() }
}
