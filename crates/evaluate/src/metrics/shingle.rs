//! 4-gram shingles: are the right words extracted, with the right neighbours?

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::metrics::{Case, Column, Metric, f_measure, ratio_or};
use threshr_html::text::is_word_char;

/// Number of words in a shingle.
const SIZE: usize = 4;

/// Overlap of the multisets of four-word sequences. Pooled values are the mean precision and recall over pages, and
/// the F1 of these means.
pub static SHINGLE: Metric = Metric {
    name: "shingle",
    summary: "precision and recall of 4-word shingles; F1 of their means (see the pooled value)",
    source: "Scrapinghub article-extraction-benchmark 2020; checked against an independent scorer (`shingle`)",
    columns: &[
        Column {
            name: "sh_p",
            unit: "ratio",
            definition: "share of predicted shingles that are in the gold; left out if nothing is predicted",
            pooled: true,
        },
        Column {
            name: "sh_r",
            unit: "ratio",
            definition: "share of gold shingles that are in the prediction; left out if the gold is empty",
            pooled: true,
        },
        Column {
            name: "sh_f1",
            unit: "ratio",
            definition: "harmonic mean of sh_p and sh_r (0 if one is left out); the benchmark's F1 is the pooled value",
            pooled: true,
        },
    ],
    num_counts: 4,
    score,
    pool: Some(pool),
};

fn score(case: &Case, counts: &mut [f64], values: &mut [f64]) {
    let (gold, predicted) = (shingles(case.gold), shingles(case.predicted));
    let num_gold = gold.values().sum::<u32>();
    let num_predicted = predicted.values().sum::<u32>();
    let hits: u32 = gold.iter().filter_map(|(k, &n)| predicted.get(k).map(|&m| n.min(m))).sum();
    let p = ratio_or(f64::from(hits), f64::from(num_predicted), f64::NAN);
    let r = ratio_or(f64::from(hits), f64::from(num_gold), f64::NAN);
    let f1 = match (p.is_nan(), r.is_nan()) {
        (true, true) => f64::NAN,
        (false, false) => f_measure(p, r),
        _ => 0.0,
    };
    values.copy_from_slice(&[p, r, f1]);
    let counted = |x: f64| if x.is_nan() { (0.0, 0.0) } else { (x, 1.0) };
    (counts[0], counts[1]) = counted(p);
    (counts[2], counts[3]) = counted(r);
}

fn pool(counts: &[f64], values: &mut [f64]) {
    values[0] = ratio_or(counts[0], counts[1], f64::NAN);
    values[1] = ratio_or(counts[2], counts[3], f64::NAN);
    // as in the benchmark, F1 uses 0 for the mean precision or recall if no page has a value
    values[2] = f_measure(ratio_or(counts[0], counts[1], 0.0), ratio_or(counts[2], counts[3], 0.0));
}

/// Returns shingles with their frequencies. A text of one to three words has one shingle. An empty text has no
/// shingle.
///
/// Words are maximal sequences of word characters, case-sensitive, without NFC. Shingles are stored as 64-bit
/// hashes; the probability of a collision within a page is below 10^-9.
fn shingles(text: &str) -> FxHashMap<u64, u32> {
    let words: Vec<&str> = text.split(|c| !is_word_char(c)).filter(|w| !w.is_empty()).collect();
    let mut out = FxHashMap::default();
    if !words.is_empty() {
        for shingle in words.windows(SIZE.min(words.len())) {
            let mut hasher = FxHasher::default();
            shingle.hash(&mut hasher);
            *out.entry(hasher.finish()).or_default() += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::values;

    #[test]
    fn neighbours_and_case_matter() {
        // gold: 2 shingles, predicted: 3, one in common
        assert_eq!(values(&SHINGLE, "a b c d e", "x, b c d e F"), [1.0 / 3.0, 0.5, 0.4]);
        assert_eq!(values(&SHINGLE, "A b", "a b"), [0.0; 3]);
        assert_eq!(values(&SHINGLE, "A b", "A, b!"), [1.0; 3]);
    }

    #[test]
    fn texts_without_words_have_no_value() {
        let got = values(&SHINGLE, "", "a");
        assert!(got[0] == 0.0 && got[1].is_nan() && got[2] == 0.0);
        assert!(values(&SHINGLE, "", "").iter().all(|x| x.is_nan()));
    }

    #[test]
    fn the_pooled_f1_is_that_of_the_means() {
        let mut pooled = [0.0; 3];
        pool(&[1.0, 2.0, 0.5, 2.0], &mut pooled);
        assert_eq!(pooled, [0.5, 0.25, 1.0 / 3.0]);
    }
}
