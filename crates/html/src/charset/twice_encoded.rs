//! Repairs texts that were encoded twice: the UTF-8 bytes of such a text were decoded with a single-byte
//! charset and encoded again, so that `Jaroń` became `JaroÅ„`.

use encoding_rs::{Encoding, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Charsets with which the UTF-8 bytes may have been decoded, the most common first.
const CHARSETS: [&Encoding; 5] = [WINDOWS_1252, WINDOWS_1251, WINDOWS_1250, WINDOWS_1254, WINDOWS_1253];
/// First and second byte of characters whose second byte may be missing, because it was decoded as white
/// space and collapsed: for `à` a no-break space, for `ą` a control character that is a line end.
const COLLAPSED: [(u8, u8); 2] = [(0xc3, 0xa0), (0xc4, 0x85)];
/// The first character beyond Latin script.
const BEYOND_LATIN: char = '\u{250}';
/// Maximum number of times that a text is decoded again.
const MAX_TIMES: usize = 3;
/// Punctuation that may follow a capital letter in correct text, such as in `CAFÉ’s`.
const AFTER_WORDS: &str = "\u{a0}‘’“”»›–—…™®'";
/// Characters that may end a word in correct text, but do not precede a letter.
const LAST: &str = "©°²³¹·¨´•";
/// Symbols that Unicode classifies as letters, but that do not follow a capital letter in any word.
const SIGNS: &str = "ªºµˆƒ";
/// The characters to which the first byte of most Latin letters is decoded. None of them is a word by itself
/// in any language.
const ALONE: &str = "ÂÃĂ";
/// Letters of Vietnamese, Azerbaijani, Romanian and Pinyin in the range of phonetic letters.
const RARE_LETTERS: &str = "ƠơƯưƏəǍǎǏǐǑǒǓǔǗǘǙǚǛǜȘșȚț";

/// The byte of each non-ASCII character, for each charset.
static BYTES: LazyLock<Vec<FxHashMap<char, u8>>> = LazyLock::new(|| {
    let of_charset = |charset: &&'static Encoding| {
        let chars = (0x80..=0xff_u8).filter_map(|byte| {
            let text =
                charset.decode_without_bom_handling_and_without_replacement(std::slice::from_ref(&byte));
            Some((text?.chars().next()?, byte))
        });
        // the bytes 0x80 to 0x9f are control characters if the text was decoded with ISO 8859-1
        let controls = (0x80..=0x9f_u8).map(|byte| (char::from(byte), byte));
        controls.chain(chars).collect()
    };
    CHARSETS.iter().map(of_charset).collect()
});

/// Returns the original of a text that was encoded twice, or `None` if the text has no clear evidence of this
/// error.
///
/// A word is decoded again if its characters encode valid UTF-8. As evidence, at least one word of the text
/// must contain a character that does not occur at this position in correct text, such as a symbol or an
/// opening quote inside a word.
pub fn decoded_again(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut found: Option<String> = None;
    for _ in 0..MAX_TIMES {
        let now = found.as_deref().unwrap_or(text);
        match BYTES.iter().find_map(|bytes| decoded_by(now, bytes)) {
            Some(decoded) => found = Some(decoded),
            None => break,
        }
    }
    found
}

fn decoded_by(text: &str, bytes: &FxHashMap<char, u8>) -> Option<String> {
    let (mut out, mut is_sure, mut copied) = (String::new(), false, 0);
    let (all, mut at) = (text.as_bytes(), 0);
    while let Some(len) = all[at..].iter().position(|byte| !byte.is_ascii()) {
        let before = all[at..at + len].iter().rposition(u8::is_ascii_whitespace);
        let start = before.map_or(at, |before| at + before + 1);
        let end = all[start..].iter().position(u8::is_ascii_whitespace).map_or(all.len(), |len| start + len);
        if let Some((decoded, is_sure_word)) = decoded_word(&text[start..end], bytes, end < all.len()) {
            out.push_str(&text[copied..start]);
            out.push_str(&decoded);
            is_sure |= is_sure_word;
            copied = end;
        }
        at = end;
    }
    is_sure.then(|| out + &text[copied..])
}

/// Decodes a word that is not ASCII again. Returns the decoded word, and whether there is clear evidence that the word was
/// encoded twice.
fn decoded_word(word: &str, bytes: &FxHashMap<char, u8>, has_space: bool) -> Option<(String, bool)> {
    let byte = |c: char| if c.is_ascii() { Some(c as u8) } else { bytes.get(&c).copied() };
    let mut all: Vec<u8> = word.chars().map(byte).collect::<Option<_>>()?;
    let collapsed = COLLAPSED.iter().find(|(lead, _)| all.last() == Some(lead));
    all.extend(collapsed.filter(|_| has_space).map(|(_, second)| second));
    let decoded = String::from_utf8(all).ok()?;
    (!decoded.contains(is_unlikely)).then(|| {
        let is_sure = has_sure(&decoded, &word.chars().collect::<Vec<_>>());
        (decoded, is_sure)
    })
}

/// Returns whether a character does not occur in ordinary text: control characters, private-use characters,
/// and phonetic letters.
fn is_unlikely(c: char) -> bool {
    c.is_control()
        || c == char::REPLACEMENT_CHARACTER
        || matches!(c, '\u{180}'..='\u{2ff}' | '\u{e000}'..='\u{f8ff}') && !RARE_LETTERS.contains(c)
}

/// Returns whether `chars`, the word before decoding, has a sequence of characters that does not occur in correct
/// text.
fn has_sure(decoded: &str, chars: &[char]) -> bool {
    let is_letter = |c: char| c.is_alphabetic() && !SIGNS.contains(c);
    let mut at = 0;
    let mut was_decoded = false;
    for c in decoded.chars() {
        let end = (at + c.len_utf8()).min(chars.len());
        let is_decoded = c.len_utf8() > 1;
        if is_decoded {
            let (lead, signs) = (chars[at], &chars[at + 1..end]);
            let before = at.checked_sub(1).map(|before| chars[before]);
            let after = chars.get(end).copied();
            let is_in_word = after.is_some_and(is_letter);
            let is_odd = |&sign: &char| {
                !is_letter(sign) && !AFTER_WORDS.contains(sign) && (is_in_word || !LAST.contains(sign))
            };
            let is_alone = ALONE.contains(lead) && !before.is_some_and(is_letter);
            // in other scripts, a letter with a mark may be a number, such as `Β΄` in Greek
            let is_sure_latin = || {
                signs.iter().any(is_odd)
                    || lead.is_uppercase() && before.is_some_and(char::is_lowercase)
                    || is_alone && !signs.iter().all(|&sign| is_letter(sign))
            };
            if signs.iter().any(|sign| sign.is_control())
                || was_decoded && signs.iter().any(|&sign| !is_letter(sign))
                || lead < BEYOND_LATIN && is_sure_latin()
            {
                return true;
            }
        }
        was_decoded = is_decoded;
        at = end;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNS_OF_TESTS: &str = "’–…ếầươạễ";

    /// Returns a text whose UTF-8 bytes are decoded with a charset.
    fn read_in(text: &str, charset: &'static Encoding) -> String {
        charset.decode_without_bom_handling(text.as_bytes()).0.into_owned()
    }

    #[test]
    fn texts_that_were_encoded_twice_are_decoded() {
        for text in [
            "Anna Jaroń",
            "María José Núñez",
            "Łukasz Żółty",
            "Jürgen Groß",
            "Özil",
            "André",
            "Éric Béart",
            "à la carte",
            "voilà tout",
            "Настя Иванова",
            "Ο Νίκος Παππάς",
            "王小明",
            "山田 太郎",
            "홍길동",
            "Ann’s rain – today…",
            "Çağrı Yıldız",
            "Łódź",
            "Ștefan Țăran",
            "משה כהן",
            "😀 rain",
            "Trần Văn Dương",
        ] {
            // one Cyrillic or Greek letter with a mark is not clear evidence
            let is_latin = text.chars().all(|c| c < BEYOND_LATIN || SIGNS_OF_TESTS.contains(c));
            for charset in
                CHARSETS.into_iter().filter(|c| !is_latin || ![WINDOWS_1251, WINDOWS_1253].contains(c))
            {
                let twice = read_in(text, charset);
                if !twice.contains('\u{fffd}') {
                    assert_eq!(decoded_again(&twice).as_deref(), Some(text), "{twice} {}", charset.name());
                }
            }
            assert_eq!(decoded_again(text), None, "{text}");
        }
        let azerbaijani = read_in("Əli Əliyev", WINDOWS_1252);
        assert_eq!(decoded_again(&azerbaijani).as_deref(), Some("Əli Əliyev"));
        let thrice = read_in(&read_in("Jürgen Groß", WINDOWS_1252), WINDOWS_1252);
        assert_eq!(decoded_again(&thrice).as_deref(), Some("Jürgen Groß"));
        // collapsed white space; only a part was encoded twice; decoded with ISO 8859-1
        assert_eq!(decoded_again("DÃ©jÃ vu").as_deref(), Some("Déjà vu"));
        assert_eq!(decoded_again("siÄ\u{99} jÄ leczy").as_deref(), Some("się ją leczy"));
        assert_eq!(decoded_again("JaroÅ„ – Gość").as_deref(), Some("Jaroń – Gość"));
        assert_eq!(decoded_again("Jaro\u{c5}\u{84}").as_deref(), Some("Jaroń"));
    }

    #[test]
    fn right_texts_stay() {
        for text in [
            "",
            "Rain",
            "CAFÉ’s rain",
            "„ALTES CAFÉ“",
            "“CAFÉ”",
            "L’ÉTÉ…",
            "CAFÉ™",
            "CAFÉ®",
            "QUALITÉ\u{a0}!",
            "CAFÉ–BAR",
            "É\u{a0}verdade",
            "«É»",
            "É… sim",
            "voilà…",
            "café…”",
            "Spaß…",
            "«Её»",
            "Її",
            "Ті",
            "Ёж",
            "Ά",
            "SÃO PAULO",
            "Ñ",
            "Â",
            "½ Ü",
            "Β΄ τόμος",
            "Γ΄ Γυμνασίου",
            "Åsa Ødegård",
            "ÇA…",
            "Ñandú 5×™",
            "Smith® Ü®",
            "ŁÓDŹ™",
            "ŠKODA®",
            "日本…",
            "Íñigo",
            "MÜ\u{fffd}",
        ] {
            assert_eq!(decoded_again(text), None, "{text}");
        }
    }
}
