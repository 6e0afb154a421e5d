//! Character precision, recall and F1, sensitive to order.

use unicode_normalization::UnicodeNormalization;

use crate::metrics::{Case, Column, Metric, prf};
use threshr_core::lcs::{BUDGET_CELLS, lcs_len, lcs_pairs};
use threshr_html::text::{Interner, words};

/// Maximum number of cells (gold characters · predicted characters) for a character alignment.
///
/// For larger texts, words and the characters between them are the units of the alignment. A matched word
/// contributes all its characters. The score is then a lower bound, because characters of different words do not
/// match.
pub const CHARACTER_CELLS: u64 = BUDGET_CELLS;

/// Longest common subsequence of the characters, without white space, after NFC, case-sensitive. Pooled values are
/// computed from the summed counts of all pages.
pub static CHARACTER: Metric = Metric {
    name: "character",
    summary: "precision, recall and F1 of the characters in order, without white space",
    source: "Viveros-Jiménez et al. 2018",
    columns: &[
        Column {
            name: "char_p",
            unit: "ratio",
            definition: "characters in the longest common subsequence / predicted characters",
            pooled: true,
        },
        Column {
            name: "char_r",
            unit: "ratio",
            definition: "characters in the longest common subsequence / gold characters",
            pooled: true,
        },
        Column {
            name: "char_f1",
            unit: "ratio",
            definition: "harmonic mean of char_p and char_r; 1 if both texts are empty, 0 if one is",
            pooled: true,
        },
    ],
    num_counts: 3,
    score,
    pool: Some(pool),
};

fn score(case: &Case, counts: &mut [f64], values: &mut [f64]) {
    let (gold, predicted) = (characters(case.gold), characters(case.predicted));
    let cells = (gold.len() as u64).saturating_mul(predicted.len() as u64);
    let hits = if cells <= CHARACTER_CELLS {
        lcs_len(&gold, &predicted)
    } else {
        hits_by_word(case.gold, case.predicted)
    };
    counts.copy_from_slice(&[hits as f64, predicted.len() as f64, gold.len() as f64]);
    pool(counts, values);
}

fn pool(counts: &[f64], values: &mut [f64]) {
    values.copy_from_slice(&prf(counts[0], counts[1], counts[2]));
}

fn characters(text: &str) -> Vec<u32> {
    text.nfc().filter(|c| !c.is_whitespace()).map(u32::from).collect()
}

/// Returns the number of characters in matched words, plus matched characters between words.
fn hits_by_word(gold: &str, predicted: &str) -> usize {
    let mut interner = Interner::new();
    let (gold, lengths) = pieces(gold, &mut interner);
    let (predicted, _) = pieces(predicted, &mut interner);
    lcs_pairs(&gold, &predicted).iter().map(|&(i, _)| lengths[i as usize]).sum()
}

/// Splits a text into words and the single characters between them. Returns the id and the number of characters of
/// each unit.
fn pieces(text: &str, interner: &mut Interner) -> (Vec<u32>, Vec<usize>) {
    let text: String = text.nfc().collect();
    let (mut ids, mut lengths, mut from) = (Vec::new(), Vec::new(), 0);
    let mut push = |piece: &str| {
        ids.push(interner.id(piece));
        lengths.push(piece.chars().count());
    };
    let mut between = [0; 4];
    for (start, end) in words(&text).chain([(text.len(), text.len())]) {
        for c in text[from..start].chars().filter(|c| !c.is_whitespace()) {
            push(c.encode_utf8(&mut between));
        }
        if start < end {
            push(&text[start..end]);
        }
        from = end;
    }
    (ids, lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::{close, values};

    #[test]
    fn white_space_is_ignored_and_case_matters() {
        // "ab,C" against "abc": LCS "ab"
        close(&values(&CHARACTER, "a b, C", "abc\n"), &[2.0 / 3.0, 0.5, 4.0 / 7.0]);
        assert_eq!(values(&CHARACTER, "e\u{301}", "\u{e9}"), [1.0; 3]);
    }

    #[test]
    fn words_of_large_texts_are_aligned() {
        let (gold, predicted) = ("One two, three 中文!", "one two; three 中国 !");
        // "two", "three", "中" and "!" match; "One" has no match
        assert_eq!(hits_by_word(gold, predicted), 3 + 5 + 1 + 1);
        assert_eq!(hits_by_word(gold, gold), characters(gold).len());
        assert!(hits_by_word(gold, predicted) <= lcs_len(&characters(gold), &characters(predicted)));
    }
}
