//! Words next to dates that state the meaning of the date, such as `published`.

use super::date_tokens::{Token, tokens};
use super::dates::MAX_TEXT;
use super::text::{cut, phrases};
use std::sync::LazyLock;

const FILE: &str = include_str!("../../data/metadata/date_words.tsv");

/// Maximum number of words of a text that is only a date label.
const MAX_LABEL_WORDS: usize = 3;

/// The meaning that a word gives to the date after it.
#[derive(PartialEq, Clone, Copy)]
pub(super) enum Label {
    /// A date of publication.
    None,
    /// A date of modification.
    Modified,
    /// Another kind of date, such as the year of a copyright.
    Other,
}

static MODIFIED: LazyLock<Vec<&str>> = LazyLock::new(|| phrases(FILE, "modified", " "));
static PUBLISHED: LazyLock<Vec<&str>> = LazyLock::new(|| phrases(FILE, "published", " "));
static OTHER: LazyLock<Vec<&str>> = LazyLock::new(|| phrases(FILE, "other", " "));

/// Returns the meaning that a word gives to the date after it, or `None` if the word is not a date label.
pub(super) fn label_of(token: &Token<'_>) -> Option<Label> {
    if is_modified(token.text) {
        return Some(Label::Modified);
    }
    let lower = token.text.to_lowercase();
    if OTHER.contains(&lower.as_str()) || token.before.contains('©') {
        return Some(Label::Other);
    }
    is_published(token.text).then_some(Label::None)
}

/// Returns whether a word denotes a modification.
pub(super) fn is_modified(word: &str) -> bool {
    is_among(&MODIFIED, word)
}

fn is_published(word: &str) -> bool {
    is_among(&PUBLISHED, word)
}

/// Whether a word is in a list. In scripts without spaces, a word that begins with a listed word also counts.
fn is_among(list: &[&str], word: &str) -> bool {
    let word = word.to_lowercase();
    let is_unspaced = |w: &str| w.starts_with(|c: char| c >= '\u{2e80}') && word.starts_with(w);
    list.iter().any(|w| *w == word || is_unspaced(w))
}

/// Whether the whole text is a label of a publication or modification date, such as `Published on:`.
pub(super) fn is_label(text: &str) -> bool {
    let words = tokens(cut(text, MAX_TEXT));
    words.len() <= MAX_LABEL_WORDS
        && !words.iter().any(Token::is_number)
        && words.iter().any(|t| is_modified(t.text) || is_published(t.text))
}

/// Returns whether a text contains a word that denotes publication or modification.
pub(super) fn has_label(text: &str) -> bool {
    let words = tokens(cut(text, MAX_TEXT));
    words.iter().any(|t| is_modified(t.text) || is_published(t.text))
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
