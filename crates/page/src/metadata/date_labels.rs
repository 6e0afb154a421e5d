//! Words next to dates that state the meaning of the date, such as `published`.

use super::date_tokens::{Token, each_token, tokens};
use super::dates::MAX_TEXT;
use super::text::{cut, phrases};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::LazyLock;

const FILE: &str = include_str!("../../data/metadata/date_words.tsv");

/// Maximum number of words of a text that is only a date label.
const MAX_LABEL_WORDS: usize = 3;

/// The meaning that a word gives to the date after it.
#[derive(PartialEq, Clone, Copy)]
pub(super) enum Label {
    /// A date of publication, which is also the meaning of a date without a label.
    None,
    /// A date of modification.
    Modified,
    /// Another kind of date, such as the year of a copyright.
    Other,
}

/// A list of words in lower case.
struct List {
    words: FxHashSet<&'static str>,
    /// The words in scripts without spaces. They also match longer words that begin with them.
    unspaced: Vec<&'static str>,
}

impl List {
    fn new(name: &str) -> Self {
        let words = phrases(FILE, name, " ");
        let unspaced = words.iter().copied().filter(|word| word.starts_with(|c: char| c >= FIRST_UNSPACED));
        List { unspaced: unspaced.collect(), words: words.into_iter().collect() }
    }

    /// Whether the list has `word`, which must be in lower case.
    fn has(&self, word: &str) -> bool {
        self.words.contains(word)
            || word.starts_with(|c: char| c >= FIRST_UNSPACED)
                && self.unspaced.iter().any(|known| word.starts_with(known))
    }
}

const FIRST_UNSPACED: char = '\u{2e80}';

static MODIFIED: LazyLock<List> = LazyLock::new(|| List::new("modified"));
static PUBLISHED: LazyLock<List> = LazyLock::new(|| List::new("published"));
static OTHER: LazyLock<List> = LazyLock::new(|| List::new("other"));

/// Returns the meaning that a word gives to the date after it, or `None` if the word is not a date label.
pub(super) fn label_of(token: &Token<'_>) -> Option<Label> {
    let word = lower(token.text);
    if MODIFIED.has(&word) {
        Some(Label::Modified)
    } else if OTHER.words.contains(&*word) || token.before.contains('©') {
        Some(Label::Other)
    } else {
        PUBLISHED.has(&word).then_some(Label::None)
    }
}

/// Returns whether a word denotes a modification.
pub(super) fn is_modified(word: &str) -> bool {
    MODIFIED.has(&lower(word))
}

/// Whether a word says that something changed or was published.
fn is_label_word(word: &str) -> bool {
    let word = lower(word);
    MODIFIED.has(&word) || PUBLISHED.has(&word)
}

fn lower(word: &str) -> Cow<'_, str> {
    let is_lower = word.bytes().all(|b| b.is_ascii_lowercase());
    if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
}

/// Whether the whole text is a label of a publication or modification date, such as `Published on:`.
pub(super) fn is_label(text: &str) -> bool {
    let words: Vec<_> = each_token(cut(text, MAX_TEXT)).take(MAX_LABEL_WORDS + 1).collect();
    words.len() <= MAX_LABEL_WORDS
        && !words.iter().any(Token::is_number)
        && words.iter().any(|t| is_label_word(t.text))
}

/// Returns whether a text contains a word that denotes publication or modification.
pub(super) fn has_label(text: &str) -> bool {
    each_token(cut(text, MAX_TEXT)).any(|t| is_label_word(t.text))
}

/// Returns whether one of the last three words before `part` in the text `around` denotes a modification,
/// such as `updated`.
pub(super) fn is_after_modified(around: &str, part: &str) -> bool {
    let Some(at) = around.find(part).filter(|_| !part.is_empty()) else { return false };
    let around = cut(around, MAX_TEXT);
    let before = tokens(around);
    let before = before.iter().filter(|t| around.len() - t.rest.len() < at);
    before.rev().take(3).any(|t| is_modified(t.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_whole_short_texts() {
        assert!(is_label("Published on:") && is_label("Zuletzt aktualisiert") && is_label("发布时间"));
        assert!(
            !is_label("Published in 3 parts") && !is_label("It is published here today") && !is_label("")
        );
    }
}
