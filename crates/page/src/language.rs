//! Detects the language of a page, and provides its stop words.

use crate::PageFacts;
use crate::text::hashing::word_hash;
use crate::word_lists::rows;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use threshr_html::text;
use threshr_html::text::{is_nospace, stop_words};

/// Number of bytes of the text sample for language detection, or less if the page has less text.
const SAMPLE_BYTES: usize = 1000;

/// Minimum share of stop words that confirms a language. Text in a related language has a smaller share.
const CONFIRMED: f64 = 0.3;

/// Pairs of codes: ISO 639-3 of the language detector, ISO 639-1 of the stop word lists.
static CODES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let pair = |[three, two]: [&'static str; 2]| (three, two);
    rows(include_str!("../data/language_codes.tsv")).map(pair).collect()
});

/// Stop words of one language, normalised.
#[derive(Debug, Default)]
pub struct StopWords {
    /// Hashes of the words.
    words: FxHashSet<u64>,
    /// Stop words in scripts without spaces, and all their prefixes. The value is true for a complete word.
    /// The prefixes allow a search for the longest match.
    phrases: FxHashMap<String, bool>,
}

impl StopWords {
    /// Returns the stop word list of a language by its ISO 639-1 code.
    pub fn for_language(code: &str) -> Option<&'static StopWords> {
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
                // the tokenizer splits `don't` into two words
                found.words.extend(text::words(&entry).map(|(start, end)| word_hash(&entry[start..end])));
            }
        }
        found
    }

    /// Whether the word with this hash is a stop word.
    pub fn contains(&self, hash: u64) -> bool {
        self.words.contains(&hash)
    }

    /// Whether the share of stop words in `sample` confirms the language.
    fn confirmed_by(&self, sample: &str) -> bool {
        let (mut stops, mut all) = (0, 0);
        for (start, end) in text::words(sample) {
            all += 1;
            stops += usize::from(self.contains(word_hash(&sample[start..end])));
        }
        all > 20 && stops as f64 >= CONFIRMED * all as f64
    }

    /// Returns the length in bytes of the longest stop word at the start of `text`, or 0. For scripts without
    /// spaces.
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

/// Returns the stop words of the page's language; see [`language_of`].
pub fn stop_words_of(page: &PageFacts<'_>) -> Option<&'static StopWords> {
    code_of(page).and_then(StopWords::for_language)
}

/// Returns the language of a page as an ISO 639-1 code for which there is a stop word list.
///
/// The first of these that is available: `<html lang>` or English, if the share of stop words confirms it;
/// the detected language, if the detection is reliable; `<html lang>`; the detected language.
pub fn language_of(doc: &Document, blocks: &Blocks) -> Option<&'static str> {
    code_of(&PageFacts::without_words(doc, blocks))
}

fn code_of(page: &PageFacts<'_>) -> Option<&'static str> {
    let sample = sample(page);
    let declared = page.doc.language().map(primary_subtag);
    let hint = declared.as_deref().and_then(listed);
    if let Some(code) = confirmed(&sample, hint) {
        return Some(code);
    }
    let detected = whatlang::detect(&sample);
    let code = |info: &whatlang::Info| {
        let three = info.lang().code();
        CODES.iter().find(|c| c.0 == three).map(|c| c.1).filter(|c| StopWords::for_language(c).is_some())
    };
    let reliable = detected.as_ref().filter(|info| info.is_reliable());
    reliable.and_then(code).or(hint).or_else(|| detected.as_ref().and_then(code))
}

/// Returns the language of a text as an ISO 639-1 code, or as an ISO 639-3 code if it has no two-letter code.
///
/// The first of these that is available: the primary subtag of `declared` or English, if the share of stop
/// words confirms it; the detected language, if the detection is reliable; the primary subtag of `declared`,
/// if it has two or three letters.
pub fn language(text: &str, declared: Option<&str>) -> Option<Cow<'static, str>> {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    let declared = declared.map(primary_subtag);
    if let Some(code) = confirmed(sample, declared.as_deref().and_then(listed)) {
        return Some(code.into());
    }
    if let Some(reliable) = whatlang::detect(sample).filter(whatlang::Info::is_reliable) {
        let code = reliable.lang().code();
        return Some(CODES.iter().find(|c| c.0 == code).map_or(code, |c| c.1).into());
    }
    let declared = declared?;
    let is_code = matches!(declared.len(), 2 | 3) && declared.bytes().all(|b| b.is_ascii_lowercase());
    is_code.then(|| declared.into())
}

/// Returns the primary subtag of a language tag: `de` for `de-AT`.
pub fn primary_subtag(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or(tag).trim().to_ascii_lowercase()
}

/// Returns the code of the language if there is a stop word list for it.
fn listed(code: &str) -> Option<&'static str> {
    stop_words::listed(if matches!(code, "nb" | "nn") { "no" } else { code })
}

/// Returns `hint` or English if the share of stop words in the sample confirms it. This is twenty times faster
/// than detection.
fn confirmed(sample: &str, hint: Option<&'static str>) -> Option<&'static str> {
    let mut likely = hint.into_iter().chain(Some("en").filter(|en| hint != Some(en)));
    likely.find(|code| StopWords::for_language(code).is_some_and(|list| list.confirmed_by(sample)))
}

/// Returns text from the blocks with the most words outside links, in page order.
fn sample(page: &PageFacts<'_>) -> String {
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
        for (three, two) in CODES.iter() {
            let list = StopWords::for_language(two).unwrap_or_else(|| panic!("no list {two} for {three}"));
            let num_phrases = list.phrases.values().filter(|is_whole| **is_whole).count();
            assert!(list.words.len() + num_phrases >= 20, "{two}");
        }
        assert!(StopWords::for_language("xx").is_none());
    }

    #[test]
    fn the_longest_phrase_is_found() {
        let list = StopWords::new(&["的", "一个", "一", "因为什么", "don't", "a b"].map(Cow::from));
        assert_eq!(list.phrase_at("一个人"), 6);
        assert_eq!(list.phrase_at("一人"), 3);
        assert_eq!(list.phrase_at("人"), 0);
        // a prefix of a stop word does not match
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
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        stop_words_of(&PageFacts::new(&doc, &blocks)).is_some_and(|list| list.contains(word_hash(word)))
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
