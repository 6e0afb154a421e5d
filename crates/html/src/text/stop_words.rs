//! Lists of stop words by language: those of the crate `stop-words`, and Serbian.

use crate::text::word_list::word_list;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The crate has no list for Serbian. The Croatian list is used for it, in Latin and in Cyrillic letters.
const SERBIAN: &str = "sr";
const CROATIAN: &str = "hr";

/// Latin letters, digraphs first, and the Cyrillic letters in the same order.
const LATIN: &[&str] = &word_list!("serbian_cyrillic.tsv");
const CYRILLIC: &[&str] = &word_list!("serbian_cyrillic.tsv", 1);

/// ISO 639-1 codes of the languages that have a list, sorted.
pub fn codes() -> &'static [&'static str] {
    static CODES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let mut codes: Vec<&str> = ::stop_words::available_languages().to_vec();
        codes.push(SERBIAN);
        codes.sort_unstable();
        codes.dedup();
        codes
    });
    &CODES
}

/// Returns `code` as a static string, if [`codes`] contains it.
pub fn listed(code: &str) -> Option<&'static str> {
    codes().binary_search(&code).ok().map(|at| codes()[at])
}

/// Returns the stop words of a language, or `None` if the language has no list.
pub fn list(code: &str) -> Option<Vec<Cow<'static, str>>> {
    let given = |code: &str| -> Option<&'static [&'static str]> {
        let code = ::stop_words::available_languages().iter().find(|c| **c == code)?;
        ::stop_words::lookup(code)
    };
    let both = |list: &'static [&str]| {
        let cyrillic = list.iter().map(|w| Cow::from(in_cyrillic(w)));
        list.iter().copied().map(Cow::from).chain(cyrillic).collect()
    };
    match given(code) {
        Some(list) => Some(list.iter().copied().map(Cow::from).collect()),
        None if code == SERBIAN => given(CROATIAN).map(both),
        None => None,
    }
}

/// Transliterates a Serbian or Croatian word to Cyrillic. Other characters are not changed.
fn in_cyrillic(word: &str) -> String {
    let word = word.to_lowercase();
    let (mut rest, mut out) = (word.as_str(), String::new());
    while let Some(next) = rest.chars().next() {
        let length = match LATIN.iter().position(|latin| rest.starts_with(latin)) {
            Some(at) => {
                out.push_str(CYRILLIC[at]);
                LATIN[at].len()
            }
            None => {
                out.push(next);
                next.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serbian_is_in_both_scripts() {
        assert_eq!(in_cyrillic("Njegov džep, ljubav"), "његов џеп, љубав");
        let serbian = list("sr").expect("a list");
        assert!(serbian.iter().any(|w| w == "koji") && serbian.iter().any(|w| w == "који"));
        assert!(codes().is_sorted() && listed("sr").is_some() && list("xx").is_none());
        assert!(codes().iter().all(|code| list(code).is_some_and(|l| !l.is_empty())));
    }
}
