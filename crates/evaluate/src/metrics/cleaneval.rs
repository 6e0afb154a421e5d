//! The scores of the CleanEval shared task (2007), in percent.
//!
//! They follow the published description of the official scorer.
//! - Words: text is lower-cased and split at white space, `, ; : . ? !` are deleted, and empty words are
//!   dropped. For Chinese (language tag `zh…`), all white space is deleted, and the remaining text is split
//!   into pairs of characters.
//! - Alignment score of two sequences: 100·L / (m + n - L), where m and n are the lengths of the sequences, and L
//!   is the length of the longest common subsequence. This is the share of equal columns in an alignment where a
//!   substitution counts as two columns.
//! - Text score: the alignment score of the words. Markup score: the mean of the alignment score of words and tags,
//!   and of the mean of six segment F-measures. Final score: the mean of text score and markup score.
//! - A segment is a tag (`<p>`, `<h>`, `<l>`) with the words up to the next tag. Closing tags are deleted,
//!   and segments without words do not count. The start of a segment is its first N words, and the end is its
//!   last N words (N = 2 for p, 1 for h and l; all words if there are fewer). A predicted start is found if
//!   the word alignment maps it exactly to the start of a gold segment of the same kind. The rule for ends is
//!   the same. F = 2·found / (predicted + gold). F is 100 if neither text has segments of the kind, and 0 if
//!   only one of them has.
//! - A first line `URL:…` of the gold is dropped. A page has no value if both texts are empty.

use rustc_hash::FxHashMap;

use crate::metrics::{Case, Column, Metric, ratio_or};
use threshr_core::lcs::{compact, lcs_len, lcs_pairs};
use threshr_html::text::Interner;

/// Segment kinds: the letter of the tag, and the maximum number of words in a start or an end.
const KINDS: [(char, usize); 3] = [('p', 2), ('h', 1), ('l', 1)];

/// CleanEval's text score, markup score and final score. They are not pooled, because the task averages over pages.
pub static CLEANEVAL: Metric = Metric {
    name: "cleaneval",
    summary: "the scores of the CleanEval shared task",
    source: "Baroni, Chantree, Kilgarriff & Sharoff, LREC 2008; scorer by F. Chantree 2007",
    columns: &[
        Column {
            name: "cleaneval_text",
            unit: "percent",
            definition: "100·L / (m + n - L) over words; left out if both texts are empty",
            pooled: false,
        },
        Column {
            name: "cleaneval_markup",
            unit: "percent",
            definition: "mean of two numbers: 100·L / (m + n - L) over words and tags, and the mean of six segment F-measures; needs markup in both texts",
            pooled: false,
        },
        Column {
            name: "cleaneval",
            unit: "percent",
            definition: "mean of cleaneval_text and cleaneval_markup",
            pooled: false,
        },
    ],
    num_counts: 0,
    score,
    pool: None,
};

fn score(case: &Case, _: &mut [f64], values: &mut [f64]) {
    let chinese =
        case.lang.is_some_and(|lang| lang.get(..2).is_some_and(|tag| tag.eq_ignore_ascii_case("zh")));
    let mut interner = Interner::new();
    let mut gold = Vec::new();
    push_words(without_url(case.gold), chinese, &mut interner, &mut gold);
    let mut predicted = Vec::new();
    push_words(case.predicted, chinese, &mut interner, &mut predicted);
    if gold.is_empty() && predicted.is_empty() {
        return;
    }
    values[0] = alignment_score(&gold, &predicted);
    if let (Some(gold), Some(predicted)) = (case.gold_markup, case.predicted_markup) {
        let gold = Marked::read(without_url(gold), chinese, &mut interner);
        let predicted = Marked::read(predicted, chinese, &mut interner);
        values[1] = markup_score(&gold, &predicted);
        values[2] = (values[0] + values[1]) / 2.0;
    }
}

fn without_url(text: &str) -> &str {
    let start = text.trim_start();
    match start.get(..4) {
        Some(label) if label.eq_ignore_ascii_case("url:") => {
            start.split_once('\n').map_or("", |(_, rest)| rest)
        }
        _ => text,
    }
}

/// Appends the ids of the words of `text`; for Chinese, of its character pairs.
fn push_words(text: &str, chinese: bool, interner: &mut Interner, out: &mut Vec<u32>) {
    let bare = |word: &str| word.replace([',', ';', ':', '.', '?', '!'], "").to_lowercase();
    let words = text.split_whitespace().map(bare).filter(|word| !word.is_empty());
    if chinese {
        let chars: Vec<char> = words.flat_map(|word| word.chars().collect::<Vec<_>>()).collect();
        out.extend(chars.chunks(2).map(|pair| interner.id(&String::from_iter(pair))));
    } else {
        out.extend(words.map(|word| interner.id(&word)));
    }
}

/// Returns `100·L / (m + n - L)`; 100 for two empty sequences.
fn alignment_score(a: &[u32], b: &[u32]) -> f64 {
    let length = lcs_len(a, b);
    100.0 * ratio_or(length as f64, (a.len() + b.len() - length) as f64, 1.0)
}

/// Parsed markup: words, words with tags, and segments.
#[derive(Default)]
struct Marked {
    words: Vec<u32>,
    words_and_tags: Vec<u32>,
    /// For each segment with words: its kind (index into [`KINDS`]), and the start and end of its range in `words`.
    segments: Vec<(usize, usize, usize)>,
}

impl Marked {
    fn read(markup: &str, chinese: bool, interner: &mut Interner) -> Self {
        let (mut out, mut kind, mut text) = (Self::default(), None, String::new());
        for (i, piece) in markup.split('<').enumerate() {
            match (i > 0).then(|| tag_at(piece)).flatten() {
                Some((Some(next), rest)) => {
                    out.push(kind, &text, chinese, interner);
                    (kind, text) = (Some(next), rest.to_owned());
                }
                Some((None, rest)) => text.push_str(rest),
                None => {
                    text.push_str(if i > 0 { "<" } else { "" });
                    text.push_str(piece);
                }
            }
        }
        out.push(kind, &text, chinese, interner);
        out
    }

    /// Adds a segment. `kind` is `None` for text before the first tag.
    fn push(&mut self, kind: Option<usize>, text: &str, chinese: bool, interner: &mut Interner) {
        let start = self.words.len();
        push_words(text, chinese, interner, &mut self.words);
        if let Some(kind) = kind {
            // words contain no spaces, so this token differs from every word
            self.words_and_tags.push(interner.id([" p", " h", " l"][kind]));
            if start < self.words.len() {
                self.segments.push((kind, start, self.words.len()));
            }
        }
        self.words_and_tags.extend_from_slice(&self.words[start..]);
    }

    /// Returns the first word position and the number of words of each segment start of a kind. If `end` is true,
    /// returns those of the segment ends.
    fn edges(&self, kind: usize, end: bool) -> impl Iterator<Item = (usize, usize)> {
        let of_kind = self.segments.iter().filter(move |segment| segment.0 == kind);
        of_kind.map(move |&(_, first, last)| {
            let num = KINDS[kind].1.min(last - first);
            (if end { last - num } else { first }, num)
        })
    }
}

/// Parses a tag; its `<` is just before `piece`. Returns the kind (`None` for a closing tag) and the text after the
/// tag.
fn tag_at(piece: &str) -> Option<(Option<usize>, &str)> {
    let closing = piece.starts_with('/');
    let (name, rest) = piece[usize::from(closing)..].split_once('>')?;
    let kind = KINDS.iter().position(|&(letter, _)| {
        name.len() == 1 && name.eq_ignore_ascii_case(letter.encode_utf8(&mut [0; 4]))
    })?;
    Some((Some(kind).filter(|_| !closing), rest))
}

fn markup_score(gold: &Marked, predicted: &Marked) -> f64 {
    let mut pairs = lcs_pairs(&predicted.words, &gold.words);
    compact(&mut pairs, &predicted.words, &gold.words);
    let mut aligned = vec![None; predicted.words.len()];
    for (i, j) in pairs {
        aligned[i as usize] = Some(j as usize);
    }
    let cases = (0..KINDS.len()).flat_map(|kind| [(kind, false), (kind, true)]);
    let sum: f64 = cases.map(|(kind, end)| segment_f(gold, predicted, &aligned, kind, end)).sum();
    let segments = sum / (2 * KINDS.len()) as f64;
    (alignment_score(&gold.words_and_tags, &predicted.words_and_tags) + segments) / 2.0
}

fn segment_f(gold: &Marked, predicted: &Marked, aligned: &[Option<usize>], kind: usize, end: bool) -> f64 {
    let wanted: FxHashMap<usize, usize> = gold.edges(kind, end).collect();
    let (mut found, mut num_predicted) = (0, 0);
    for (place, num) in predicted.edges(kind, end) {
        num_predicted += 1;
        let Some(target) = aligned[place] else { continue };
        let joined = (0..num).all(|k| aligned[place + k] == Some(target + k));
        found += usize::from(joined && wanted.get(&target) == Some(&num));
    }
    100.0 * ratio_or(2.0 * found as f64, (num_predicted + wanted.len()) as f64, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::score_page;

    fn scores(gold: &str, predicted: &str, markup: Option<(&str, &str)>, lang: &str) -> Vec<f64> {
        let (gold_markup, predicted_markup) = (markup.map(|m| m.0), markup.map(|m| m.1));
        let case =
            Case { gold, predicted, gold_markup, predicted_markup, lang: Some(lang), ..Case::default() };
        score_page(&[&CLEANEVAL], &case).values
    }

    #[test]
    fn a_page_computed_by_hand() {
        let gold = "URL: http://x.example/\n<h>Title: one\n<p>A b, c d.\n<l>item";
        let predicted = "<h>Title one\n<P>a b</p>\n<p>c d !";
        let got =
            scores("Title: one\nA b, c d.\nitem", "Title one\na b\nc d !", Some((gold, predicted)), "en");
        // words: gold 7, predicted 6, common 6; 6 / (7 + 6 - 6)
        let text = 600.0 / 7.0;
        // with tags: gold 10, predicted 9; common h title one p a b c d: 8 / (10 + 9 - 8)
        let with_tags = 800.0 / 11.0;
        // p starts: gold {a b}, predicted {a b, c d}, F = 2·1/3; p ends: gold {c d}, predicted {a b, c d}, F =
        // 2·1/3; h: start and end found, F = 1 each; l: only in the gold, F = 0 each
        let segments = (200.0 / 3.0 + 200.0 / 3.0 + 100.0 + 100.0) / 6.0;
        let markup = (with_tags + segments) / 2.0;
        for (got, want) in got.iter().zip([text, markup, (text + markup) / 2.0]) {
            assert!((got - want).abs() < 1e-9, "{got} {want}");
        }
    }

    #[test]
    fn a_shortened_segment_is_not_found() {
        // the predicted segment "b" lacks a word of the gold segment "a b", so neither start nor end is found
        let gold = Marked::read("<p>a b", false, &mut Interner::new());
        let mut interner = Interner::new();
        let predicted = Marked::read("a <p>b", false, &mut interner);
        let aligned = [Some(0), Some(1)];
        assert_eq!(segment_f(&gold, &predicted, &aligned, 0, false), 0.0);
        assert_eq!(segment_f(&gold, &predicted, &aligned, 0, true), 0.0);
        assert_eq!(segment_f(&gold, &predicted, &aligned, 1, true), 100.0);
    }

    #[test]
    fn chinese_is_cut_into_pairs() {
        // gold 中文/网页/。清, predicted 中文/网页/。, common 2; 2 / (3 + 3 - 2)
        let got = scores("中文 网页。清", "中文网\n页。", None, "zh-CN");
        assert_eq!(got[0], 100.0 * 2.0 / 4.0);
        assert!(got[1].is_nan() && got[2].is_nan());
    }

    #[test]
    fn empty_pages_have_no_value() {
        assert!(scores("", " ! ", None, "en")[0].is_nan());
        assert_eq!(scores("a", "", None, "en")[0], 0.0);
    }
}
