//! Relative dates: `3 hours ago`, `vor 3 Stunden`, `il y a 3 heures`, `3小时前`.

use crate::word_lists::{list, rows};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use threshr_html::text::normalise;

/// Maximum number of tokens from the number to the last word of a relative date.
const MAX_TOKENS: u8 = 4;
/// Maximum number of letters of an inflectional ending of a unit.
const MAX_IN_ENDING: usize = 4;

/// Recognises relative dates in a sequence of tokens, for languages with spaces between words.
#[derive(Default)]
pub struct RelativeDate<'t> {
    /// The last three words, the most recent last.
    before: [&'t str; 3],
    /// Number of tokens since the last number, including the number; 0 if there was no number.
    since_number: u8,
    /// Bit mask of the languages that have an introductory phrase such as `vor` directly before the number.
    introduced: u64,
    /// The word after the number.
    unit: &'t str,
}

impl<'t> RelativeDate<'t> {
    /// Processes a number.
    pub fn number(&mut self) {
        let [_, _, last] = self.before;
        let candidates = if last.is_empty() { 0 } else { languages_of(&ENDS_OF_BEFORE, &normalise(last)) };
        let introduced = languages(candidates, |l| l.is_introduced_by(&self.before));
        *self = RelativeDate { since_number: 1, introduced, ..RelativeDate::default() };
    }

    /// Processes a word. Returns whether it completes a relative date.
    pub fn word(&mut self, word: &'t str) -> bool {
        self.before = [self.before[1], self.before[2], word];
        if self.since_number == 0 {
            return false;
        }
        self.since_number = (self.since_number + 1) % (MAX_TOKENS + 1);
        let candidates = if self.since_number == 2 {
            self.unit = word;
            // `5m ago`: the unit is part of the number token
            if trimmed(word).eq_ignore_ascii_case("ago") {
                return true;
            }
            self.introduced
        } else {
            languages_of(&AFTER, trimmed(&normalise(word)))
        };
        // the condition on the unit is last, because the first condition rejects most words
        candidates != 0 && languages(candidates, |l| l.is_unit(trimmed(&normalise(self.unit)))) != 0
    }

    /// Processes a token that is neither a number nor a word.
    pub fn other(&mut self) {
        *self = RelativeDate::default();
    }
}

fn trimmed(word: &str) -> &str {
    word.trim_end_matches([',', '.', ':', ')'])
}

/// Returns whether a text begins with a unit of time and a word for the past. The text follows a number of
/// `num_digits` digits. Used for languages without spaces between words, and for Korean.
pub fn begins_with_past_unit(text: &str, num_digits: u32) -> bool {
    let is_past = |rest: &str| {
        let rest = rest.trim_start_matches(' ');
        if let Some(korean) = rest.strip_prefix('전') {
            // other words also begin with this syllable
            let is_letter = |c: char| ('가'..='힣').contains(&c);
            return !korean.starts_with(is_letter) || korean.starts_with('에') || korean.starts_with("부터");
        }
        // a number of four digits is a year, as in "before 2024"
        num_digits < 4 && PAST_UNSPACED.iter().any(|past| rest.starts_with(past))
    };
    UNITS_UNSPACED.iter().filter_map(|unit| text.strip_prefix(unit)).any(is_past)
}

/// Words for relative dates in one language.
struct Language {
    /// Phrases before the number, separated by commas.
    before: &'static str,
    /// Words after the unit, separated by spaces.
    after: &'static str,
    /// Units of time, separated by spaces. A trailing `-` means that an inflectional ending may follow.
    units: &'static str,
}

impl Language {
    fn is_introduced_by(&self, before: &[&str; 3]) -> bool {
        let matches = |phrase: &str| {
            before.iter().rev().zip(phrase.rsplit(' ')).all(|(found, word)| normalise(found) == word)
        };
        self.before.split(", ").any(matches)
    }

    fn is_unit(&self, word: &str) -> bool {
        self.units.split(' ').any(|unit| match unit.strip_suffix('-') {
            Some(stem) => word.strip_prefix(stem).is_some_and(|end| end.chars().count() <= MAX_IN_ENDING),
            None => word == unit,
        })
    }
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let language = |[_, before, after, units]: [&'static str; 4]| Language { before, after, units };
    rows(include_str!("../../data/relative_dates.tsv")).map(language).collect()
});

const UNSPACED: &str = include_str!("../../data/relative_dates_unspaced.tsv");
/// Units of time, and words for the past, in languages without spaces between words.
static UNITS_UNSPACED: LazyLock<Vec<&str>> = LazyLock::new(|| list(UNSPACED, "units"));
static PAST_UNSPACED: LazyLock<Vec<&str>> = LazyLock::new(|| list(UNSPACED, "past"));

/// Returns a bit mask of the languages in `candidates` for which `holds` is true.
fn languages(candidates: u64, holds: impl Fn(&Language) -> bool) -> u64 {
    let holds = |i: usize| candidates >> i & 1 == 1 && holds(&LANGUAGES[i]);
    (0..LANGUAGES.len()).filter(|&i| holds(i)).fold(0, |bits, i| bits | 1 << i)
}

/// Maps a word to a bit mask of languages. One lookup rejects most words.
type ByWord = LazyLock<FxHashMap<&'static str, u64>>;

/// Languages by the last word of the phrases before a number.
static ENDS_OF_BEFORE: ByWord =
    LazyLock::new(|| by_word(|l| l.before.split(", ").filter_map(|phrase| phrase.split(' ').next_back())));
/// Languages by the words after a unit.
static AFTER: ByWord = LazyLock::new(|| by_word(|l| l.after.split(' ')));

fn by_word<W: Iterator<Item = &'static str>>(words: impl Fn(&Language) -> W) -> FxHashMap<&'static str, u64> {
    let mut found = FxHashMap::default();
    for (i, language) in LANGUAGES.iter().enumerate() {
        words(language).filter(|w| !w.is_empty()).for_each(|w| *found.entry(w).or_insert(0) |= 1 << i);
    }
    found
}

fn languages_of(words: &ByWord, word: &str) -> u64 {
    words.get(word).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_normalised() {
        assert_eq!(LANGUAGES.len(), 35);
        for Language { before, after, units } in LANGUAGES.iter() {
            assert!([before, after, units].iter().all(|words| normalise(words) == **words), "{units}");
            assert!(!units.is_empty(), "{units}");
            assert!(!before.is_empty() || !after.is_empty(), "{units}");
        }
        assert_eq!((UNITS_UNSPACED.len(), PAST_UNSPACED.len()), (35, 3));
    }
}
