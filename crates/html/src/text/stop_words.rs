//! Lists of stop words by language: those of the crate `stop-words`, and Serbian.

use std::borrow::Cow;
use std::sync::LazyLock;

/// Serbian, which has no list of its own: Croatian is close enough, and is written in Cyrillic letter by letter.
const SERBIAN: &str = "sr";
const CROATIAN: &str = "hr";

/// Digraphs before letters.
const LETTERS: &[(&str, char)] = &[
    ("dž", 'џ'),
    ("lj", 'љ'),
    ("nj", 'њ'),
    ("a", 'а'),
    ("b", 'б'),
    ("c", 'ц'),
    ("č", 'ч'),
    ("ć", 'ћ'),
    ("d", 'д'),
    ("đ", 'ђ'),
    ("e", 'е'),
    ("f", 'ф'),
    ("g", 'г'),
    ("h", 'х'),
    ("i", 'и'),
    ("j", 'ј'),
    ("k", 'к'),
    ("l", 'л'),
    ("m", 'м'),
    ("n", 'н'),
    ("o", 'о'),
    ("p", 'п'),
    ("r", 'р'),
    ("s", 'с'),
    ("š", 'ш'),
    ("t", 'т'),
    ("u", 'у'),
    ("v", 'в'),
    ("z", 'з'),
    ("ž", 'ж'),
];

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

/// The code as [`codes`] has it.
pub fn listed(code: &str) -> Option<&'static str> {
    codes().binary_search(&code).ok().map(|at| codes()[at])
}

/// The words of a language; `None` for one without a list.
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

/// A Serbian or Croatian word in Cyrillic; signs that are no letters stay.
fn in_cyrillic(word: &str) -> String {
    let word = word.to_lowercase();
    let (mut rest, mut out) = (word.as_str(), String::new());
    while let Some(next) = rest.chars().next() {
        let (latin, letter) = match LETTERS.iter().find(|l| rest.starts_with(l.0)) {
            Some(&(latin, letter)) => (latin.len(), letter),
            None => (next.len_utf8(), next),
        };
        out.push(letter);
        rest = &rest[latin..];
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
