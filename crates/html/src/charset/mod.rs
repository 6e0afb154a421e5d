//! Detects the charset of a page and decodes its bytes.

mod declared;
mod detect;
mod dos;
mod kind;
mod single_byte;
#[cfg(test)]
mod tests;
mod twice_encoded;

pub use kind::other_kind;
pub use twice_encoded::decoded_again;

use declared::declared;
use detect::{AsUtf8, decode_mixed, detect, sample};
use encoding_rs::{Encoding, UTF_8};
use single_byte::better;
use std::borrow::Cow;
use threshr_core::{Error, Result, Setting};

/// A decoded page.
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
    /// A charset of the Encoding Standard.
    Standard(&'static Encoding),
    /// DOS code page 437.
    Cp437,
    /// DOS code page 850.
    Cp850,
    /// UTF-8 mixed with another charset.
    Mixed,
}

/// Decodes the bytes of a page. The first rule that applies determines the charset:
///
/// 1. a byte-order mark, or four ASCII characters in UTF-16 at the start;
/// 2. `hint`, the charset from the HTTP header or the data set, if it is a known label that the bytes do not
///    contradict;
/// 3. valid UTF-8 with non-ASCII characters, whatever `<meta>` declares;
/// 4. `<meta charset>` or `<?xml encoding?>`, if the bytes do not contradict it;
/// 5. detection from the bytes: UTF-8 if the bytes are mostly UTF-8, otherwise the result of chardetng.
///
/// Bytes are mostly UTF-8 if valid non-ASCII characters are more than twice as many as malformed bytes. Bytes
/// contradict:
///
/// - UTF-8, if they are neither valid nor mostly UTF-8;
/// - a single-byte charset, if they are valid UTF-8 with non-ASCII characters, or if a charset of old Macintosh or
///   DOS systems fits clearly better;
/// - another multi-byte charset, if at least a tenth of the non-ASCII characters is malformed and a different
///   multi-byte charset fits better.
///
/// Surrogate pairs that are encoded as UTF-8 (CESU-8) are decoded to the characters that they represent. If
/// much text of a UTF-8 page is in another charset, this text is also decoded.
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
        *c != Charset::Standard(UTF_8) || utf8.is_some() || AsUtf8::new(sample(bytes)).allows_utf8()
    };
    let is_utf8 = || utf8.is_some() && !bytes.is_ascii();
    let hinted = hint.and_then(|h| Charset::of_label(h.as_bytes())).filter(usable);
    // valid UTF-8 overrides a hint of a single-byte charset, since many servers send one charset for all their
    // pages
    if let Some(charset) = hinted.filter(|c| !c.is_single_byte() || !is_utf8()) {
        return read_as(charset.or_better(bytes));
    }
    if is_utf8() {
        return read_as(Charset::Standard(UTF_8));
    }
    // a page whose `<meta>` is readable as ASCII is not in UTF-16
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
    /// Returns the charset of a label. Accepts the labels of the Encoding Standard and labels that other
    /// programs use.
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

    /// Returns this charset, or another one if the bytes contradict this one.
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

    /// Returns the number of malformed characters and the number of non-ASCII characters in the sample. If more
    /// than half of the non-ASCII characters are halfwidth katakana, they count as malformed, because EUC-JP
    /// decoded as Shift_JIS yields mostly such characters.
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

/// Replaces each surrogate pair, encoded as two sequences of three bytes (CESU-8), by the UTF-8 encoding of its
/// character. Returns `None` if there are no surrogate pairs.
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

/// Returns the UTF-16 charset if the bytes begin with four ASCII characters in UTF-16.
fn utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let units = bytes.first_chunk::<8>()?.as_chunks::<2>().0;
    let all = |is: fn(&[u8; 2]) -> bool| units.iter().all(is);
    if all(|unit| matches!(unit, [1..=0x7f, 0])) {
        Some(encoding_rs::UTF_16LE)
    } else {
        all(|unit| matches!(unit, [0, 1..=0x7f])).then_some(encoding_rs::UTF_16BE)
    }
}

/// Whether `label` is the label of a known charset.
pub fn is_charset(label: &str) -> bool {
    Charset::of_label(label.as_bytes()).is_some()
}

/// Checks a charset label that a user gives.
///
/// # Errors
/// [`ErrorKind::InvalidOption`](threshr_core::ErrorKind::InvalidOption) if `label` is not the label of a known
/// charset.
pub fn check_charset(label: &str) -> Result<()> {
    if is_charset(label) {
        return Ok(());
    }
    Err(Error::invalid_option(format!("unknown charset `{label}`"))
        .expected("a label such as utf-8 or windows-1252")
        .with_setting(Setting::Charset))
}

/// Returns the declared charset label of a page if the charset is unknown. `hint` is the label from the HTTP header
/// and takes precedence over the label in the page. Returns `None` if a known charset is declared, or no charset.
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
