//! The language of a page, and its stop words.

use crate::PageContext;
use crate::page_index::hashing::word_hash;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use threshr_html::text;
use threshr_html::text::{is_nospace, stop_words};

/// Most bytes of a page's text that its language is told from.
const SAMPLE_BYTES: usize = 1000;

/// Share of stop words in a text from which on it is taken to be in the language that `<html lang>` says; by chance
/// texts of a related language have less.
const CONFIRMED: f64 = 0.3;

/// ISO 639-3 codes of the detector with those of the lists.
const CODES: &[(&str, &str)] = &[
    ("afr", "af"),
    ("ara", "ar"),
    ("aze", "az"),
    ("bel", "be"),
    ("ben", "bn"),
    ("bul", "bg"),
    ("cat", "ca"),
    ("ces", "cs"),
    ("cmn", "zh"),
    ("dan", "da"),
    ("deu", "de"),
    ("ell", "el"),
    ("eng", "en"),
    ("epo", "eo"),
    ("est", "et"),
    ("fin", "fi"),
    ("fra", "fr"),
    ("guj", "gu"),
    ("heb", "he"),
    ("hin", "hi"),
    ("hrv", "hr"),
    ("hun", "hu"),
    ("hye", "hy"),
    ("ind", "id"),
    ("ita", "it"),
    ("jpn", "ja"),
    ("kor", "ko"),
    ("lat", "la"),
    ("lav", "lv"),
    ("lit", "lt"),
    ("mar", "mr"),
    ("nep", "ne"),
    ("nld", "nl"),
    ("nob", "no"),
    ("pes", "fa"),
    ("pol", "pl"),
    ("por", "pt"),
    ("ron", "ro"),
    ("rus", "ru"),
    ("slk", "sk"),
    ("slv", "sl"),
    ("spa", "es"),
    ("srp", "sr"),
    ("swe", "sv"),
    ("tam", "ta"),
    ("tgl", "tl"),
    ("tha", "th"),
    ("tur", "tr"),
    ("ukr", "uk"),
    ("urd", "ur"),
    ("uzb", "uz"),
    ("vie", "vi"),
    ("zul", "zu"),
];

/// Stop words of one language, normalised.
#[derive(Debug, Default)]
pub(crate) struct StopWords {
    /// Hashes of the words.
    words: FxHashSet<u64>,
    /// Those of scripts without spaces, found in running text, and all that they begin with: whether it is one itself.
    phrases: FxHashMap<String, bool>,
}

impl StopWords {
    /// The list of a language by its ISO 639-1 code.
    pub fn of(code: &str) -> Option<&'static StopWords> {
        static LISTS: LazyLock<Vec<OnceLock<StopWords>>> =
            LazyLock::new(|| stop_words::codes().iter().map(|_| OnceLock::new()).collect());
        let at = stop_words::codes().binary_search(&code).ok()?;
        Some(LISTS.get(at)?.get_or_init(|| StopWords::new(&stop_words::list(code).unwrap_or_default())))
    }

    fn new(list: &[Cow<'_, str>]) -> Self {
        let mut found = StopWords::default();
        for entry in list.iter().filter(|e| !e.contains(char::is_whitespace)) {
            let entry = text::normalise(entry);
            let Some(first) = entry.chars().next() else { continue };
            if is_nospace(first) {
                for (begin, _) in entry.char_indices().skip(1) {
                    found.phrases.entry(entry[..begin].to_owned()).or_default();
                }
                found.phrases.insert(entry.into_owned(), true);
            } else {
                // `don't` is two words
                found.words.extend(text::words(&entry).map(|(start, end)| word_hash(&entry[start..end])));
            }
        }
        found
    }

    /// Whether the word with this hash is one.
    pub fn contains(&self, hash: u64) -> bool {
        self.words.contains(&hash)
    }

    /// Whether so many words of `sample` are stop words that it must be of the language.
    fn confirmed_by(&self, sample: &str) -> bool {
        let (mut stops, mut all) = (0, 0);
        for (start, end) in text::words(sample) {
            all += 1;
            stops += usize::from(self.contains(word_hash(&sample[start..end])));
        }
        all > 20 && stops as f64 >= CONFIRMED * all as f64
    }

    /// Bytes of the longest phrase that `text` begins with; 0 for none.
    pub fn phrase_at(&self, text: &str) -> usize {
        let mut longest = 0;
        for end in text.char_indices().map(|(at, c)| at + c.len_utf8()) {
            match self.phrases.get(&text[..end]) {
                Some(true) => longest = end,
                Some(false) => {}
                None => break,
            }
        }
        longest
    }
}

/// The stop words of the page's language, as [`code_of`] finds it.
pub(crate) fn stop_words_of(page: &PageContext<'_>) -> Option<&'static StopWords> {
    code_of(page).and_then(StopWords::of)
}

/// The ISO 639-1 code of a page's language, one that has a list of stop words: that of `<html lang>`, or English, where
/// the text bears it out, else the detected one where detection is sure, else that of `<html lang>`, else the detected one.
pub fn language_of(doc: &Document, blocks: &Blocks) -> Option<&'static str> {
    code_of(&PageContext::without_words(doc, blocks))
}

fn code_of(page: &PageContext<'_>) -> Option<&'static str> {
    let sample = sample(page);
    let declared = page.doc.language().map(primary);
    let hint = declared.as_deref().and_then(listed);
    if let Some(code) = borne_out(&sample, hint) {
        return Some(code);
    }
    let detected = whatlang::detect(&sample);
    let code = |info: &whatlang::Info| {
        let three = info.lang().code();
        CODES.iter().find(|c| c.0 == three).map(|c| c.1).filter(|c| StopWords::of(c).is_some())
    };
    let sure = detected.as_ref().filter(|info| info.is_reliable());
    sure.and_then(code).or(hint).or_else(|| detected.as_ref().and_then(code))
}

/// The language of a text: the primary part of `declared`, or English, where its stop words bear it out, else the detected
/// one where detection is sure, else that part of `declared` where it is a code of two or three letters. ISO 639-1 where
/// the language has such a code that we know, else 639-3.
pub fn language(text: &str, declared: Option<&str>) -> Option<Cow<'static, str>> {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    let declared = declared.map(primary);
    if let Some(code) = borne_out(sample, declared.as_deref().and_then(listed)) {
        return Some(code.into());
    }
    if let Some(sure) = whatlang::detect(sample).filter(whatlang::Info::is_reliable) {
        let code = sure.lang().code();
        return Some(CODES.iter().find(|c| c.0 == code).map_or(code, |c| c.1).into());
    }
    let declared = declared?;
    let is_code = matches!(declared.len(), 2 | 3) && declared.bytes().all(|b| b.is_ascii_lowercase());
    is_code.then(|| declared.into())
}

/// The language of a tag such as `de-AT`.
fn primary(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or(tag).trim().to_ascii_lowercase()
}

/// The code of a language under which there is a list of stop words.
fn listed(code: &str) -> Option<&'static str> {
    stop_words::listed(if matches!(code, "nb" | "nn") { "no" } else { code })
}

/// `hint` or English, whichever has its stop words in the sample: detection takes twenty times as long.
fn borne_out(sample: &str, hint: Option<&'static str>) -> Option<&'static str> {
    let mut likely = hint.into_iter().chain(Some("en").filter(|en| hint != Some(en)));
    likely.find(|code| StopWords::of(code).is_some_and(|list| list.confirmed_by(sample)))
}

/// Text of the blocks with most words outside links, in order of the page.
fn sample(page: &PageContext<'_>) -> String {
    let mut order: Vec<usize> = (0..page.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(page.stats[i].num_text_words()));
    let mut size = 0;
    let enough = order.iter().position(|&i| {
        size += page.blocks.text(i).len();
        size >= SAMPLE_BYTES
    });
    order.truncate(enough.map_or(order.len(), |at| at + 1));
    order.sort_unstable();
    let mut out = String::new();
    for i in order {
        let text = page.blocks.text(i);
        let room = SAMPLE_BYTES.saturating_sub(out.len());
        out.push_str(&text[..text.floor_char_boundary(room)]);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn every_code_has_a_list() {
        assert!(CODES.is_sorted() && CODES.len() >= 30);
        for (three, two) in CODES {
            let list = StopWords::of(two).unwrap_or_else(|| panic!("no list {two} for {three}"));
            let num_phrases = list.phrases.values().filter(|is_whole| **is_whole).count();
            assert!(list.words.len() + num_phrases >= 20, "{two}");
        }
        assert!(StopWords::of("xx").is_none());
    }

    #[test]
    fn phrases_are_the_longest_there_are() {
        let list = StopWords::new(&["的", "一个", "一", "因为什么", "don't", "a b"].map(Cow::from));
        assert_eq!(list.phrase_at("一个人"), 6);
        assert_eq!(list.phrase_at("一人"), 3);
        assert_eq!(list.phrase_at("人"), 0);
        // what a phrase begins with is none by itself
        assert_eq!((list.phrase_at("因为什么人"), list.phrase_at("因为")), (12, 0));
        let contains = |word| list.contains(word_hash(word));
        assert!(contains("DON") && contains("t") && !contains("b"));
    }

    #[test]
    fn languages_have_short_codes() {
        let english =
            "The committee said that it was not able to read all of the letters which had been sent to it.";
        assert_eq!(language(english, Some("de")).as_deref(), Some("en"));
        assert_eq!(language("12", Some("de-AT")).as_deref(), Some("de"));
        assert_eq!(language("12", Some("${lang}")), None);
        assert_eq!(language("", None), None);
    }

    fn is_stop(html: &str, word: &str) -> bool {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        stop_words_of(&PageContext::new(&doc, &blocks)).is_some_and(|list| list.contains(word_hash(word)))
    }

    #[test]
    fn the_text_decides_before_the_attribute() {
        let german = "<html lang=en><p>Der Ausschuss hat gestern beschlossen, dass die Gebühren für das kommende \
            Jahr nicht erhöht werden, weil die Einnahmen der Stadt wieder gestiegen sind.";
        assert!(is_stop(german, "dass") && !is_stop(german, "the"));
        let english = "<html lang=en><p>The committee said that it was not able to read all of the letters which had \
            been sent to it before the end of the year.";
        assert!(is_stop(english, "the"));
        assert!(is_stop("<html lang=pl-PL><p>12", "nie"));
        let serbian = "<p>Одбор је јуче саопштио да није могао да прочита сва писма која су му била послата пре краја \
            године, као и да ће се седница одржати када се сви чланови врате у земљу.";
        assert!(is_stop(serbian, "када") && is_stop(serbian, "koji"));
        assert!(!is_stop("<p>12", "the"));
    }
}
