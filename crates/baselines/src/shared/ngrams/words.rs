//! A word language model: linear interpolation of maximum-likelihood trigrams, bigrams and unigrams.

use crate::shared::ngrams::{Counter, Cursor, NgramData, Ngrams, ROOT};
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};

/// Maximum number of words in an n-gram.
const ORDER: usize = 3;

/// Symbol that precedes the first word of a text.
pub(crate) const BEGIN: u32 = 0;
/// Symbol of every word that is not in the vocabulary.
pub(crate) const UNKNOWN: u32 = 1;
/// Symbol of the first word of the vocabulary.
pub(crate) const FIRST_WORD: u32 = 2;

/// P(w | u v) = λ₁ P(w) + λ₂ P(w | v) + λ₃ P(w | u v). The weights are computed by deleted interpolation (Brants
/// 2000). P(w) uses add-one smoothing over the vocabulary and the unknown word. If a context is unseen, its weight
/// goes to the shorter context.
#[derive(Debug)]
pub(crate) struct WordModel {
    ngrams: Ngrams,
    lambda: [f64; ORDER],
    num_words: usize,
}

/// The serialised model.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WordData {
    lambda: [f64; ORDER],
    ngrams: NgramData,
}

impl WordModel {
    /// Counts the n-grams of texts. The texts are symbols without [`BEGIN`].
    pub(crate) fn count<'a>(texts: impl Iterator<Item = &'a [u32]>) -> Counter {
        let mut counter = Counter::new(ORDER);
        let mut symbols = Vec::new();
        for text in texts.filter(|t| !t.is_empty()) {
            symbols.clear();
            symbols.push(BEGIN);
            symbols.extend_from_slice(text);
            counter.add(&symbols);
        }
        counter
    }

    /// Builds a model from counts. `num_words` is the size of the vocabulary. The weights are computed before
    /// n-grams with fewer than `least` occurrences are pruned.
    pub(crate) fn new(counter: Counter, num_words: usize, least: u32) -> Self {
        let lambda = deleted_interpolation(&counter);
        WordModel { ngrams: counter.freeze(least), lambda, num_words }
    }

    /// Loads the output of [`WordModel::data`].
    pub(crate) fn load(data: WordData, num_words: usize) -> Result<Self> {
        let usable = |l: &f64| (0.0..=1.0).contains(l);
        if data.lambda[0] <= 0.0
            || !data.lambda.iter().all(usable)
            || (data.lambda.iter().sum::<f64>() - 1.0).abs() > 1e-6
        {
            return Err(Error::model("the weights of a word language model do not add up to 1"));
        }
        Ok(WordModel { ngrams: Ngrams::load(data.ngrams, ORDER as u32)?, lambda: data.lambda, num_words })
    }

    /// Returns the data to save.
    pub(crate) fn data(&self) -> WordData {
        WordData { lambda: self.lambda, ngrams: self.ngrams.data().clone() }
    }

    /// Returns the weights of unigrams, bigrams and trigrams.
    pub(crate) fn lambda(&self) -> [f64; ORDER] {
        self.lambda
    }

    /// Number of n-grams.
    pub(crate) fn len(&self) -> usize {
        self.ngrams.len()
    }

    /// Returns the binary logarithm of the probability of a text.
    pub(crate) fn log2(&self, symbols: &[u32]) -> f64 {
        let mut cursor = Cursor::new();
        cursor.advance(&self.ngrams, BEGIN);
        let mut sum = 0.0;
        for &symbol in symbols {
            sum += self.chance(&cursor, symbol).log2();
            cursor.advance(&self.ngrams, symbol);
        }
        sum
    }

    fn chance(&self, cursor: &Cursor, symbol: u32) -> f64 {
        let (mut chance, mut scale) = (0.0, 0.0);
        for (length, context, longer) in cursor.contexts(&self.ngrams, symbol) {
            let seen = longer.map_or(0.0, |node| f64::from(self.ngrams.count(node)));
            let total = self.ngrams.total(context) as f64;
            let of_context = match context {
                ROOT => {
                    let begins = self.ngrams.child(ROOT, BEGIN).map_or(0, |node| self.ngrams.count(node));
                    (seen + 1.0) / (total - f64::from(begins) + self.num_words as f64 + 1.0)
                }
                _ if total == 0.0 => continue,
                _ => seen / total,
            };
            // normalises the weights of all contexts up to this length to a sum of 1
            scale += self.lambda[length];
            let weight = self.lambda[length] / scale;
            // the share of pruned n-grams goes to the shorter context
            let known = if context == ROOT { 1.0 } else { self.ngrams.kept(context) as f64 / total };
            chance = weight * of_context + (1.0 - weight * known) * chance;
        }
        chance
    }
}

/// Computes weights by deleted interpolation. For each trigram, one occurrence is removed from the counts,
/// and the trigram's count is added to the weight of the n-gram order that predicts the trigram best. If
/// orders are equally good, the count is added to the longer order. The weight of unigrams starts with 1, so
/// that no text has probability 0.
fn deleted_interpolation(counter: &Counter) -> [f64; ORDER] {
    let ngrams = Ngrams::index(counter.snapshot());
    let begins = ngrams.child(ROOT, BEGIN).map_or(0, |node| u64::from(ngrams.count(node)));
    let without_one = |seen: u32, total: u64| match total {
        0 | 1 => 0.0,
        _ => f64::from(seen - 1) / (total - 1) as f64,
    };
    let mut weight = [1.0, 0.0, 0.0];
    for (node, symbols) in ngrams.iter().filter(|(_, s)| s.len() == ORDER) {
        let at = |from: usize, to: usize| ngrams.find(&symbols[from..to]).unwrap_or(ROOT);
        let shares = [
            without_one(ngrams.count(at(2, 3)), ngrams.total(ROOT) - begins),
            without_one(ngrams.count(at(1, 3)), ngrams.total(at(1, 2))),
            without_one(ngrams.count(node), ngrams.total(at(0, 2))),
        ];
        let best = (0..ORDER).fold(0, |best, i| if shares[i] >= shares[best] { i } else { best });
        weight[best] += f64::from(ngrams.count(node));
    }
    let sum: f64 = weight.iter().sum();
    weight.map(|w| w / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(texts: &[&[u32]], num_words: usize) -> WordModel {
        WordModel::new(WordModel::count(texts.iter().copied()), num_words, 1)
    }

    #[test]
    fn weights_are_those_worked_out_by_hand() {
        // Words 2, 3, 4. Texts: "2 3 4" twice and "2 3 2". B is the symbol before each text. Trigrams: B23 three
        // times, 234 twice, 232 once. The 9 words are: 2 four times, 3 three times, 4 twice.
        // B23: unigram 3: (3-1)/(9-1); bigram 23: (3-1)/(3-1) = 1, since 2 is followed three times; trigram: 1;
        // so 3 is added to λ₃.
        // 234: unigram 4: 1/8; bigram 34: (2-1)/(3-1) = 1/2; trigram: 1/2; so 2 is added to λ₃.
        // 232: unigram 2: 3/8; bigram 32: 0; trigram: 0; so 1 is added to λ₁, which starts with 1.
        let m = fit(&[&[2, 3, 4], &[2, 3, 4], &[2, 3, 2]], 3);
        assert_eq!(m.lambda(), [2.0 / 7.0, 0.0, 5.0 / 7.0]);
        // P(2 | begin): the unigram gives (4+1)/(9+3+1), the context B gives 3/3; the weights 2/7 and 0 are
        // normalised to 1 and 0
        let first: f64 = 5.0 / 13.0;
        assert!((m.log2(&[2]) - first.log2()).abs() < 1e-12);
        // P(3 | begin 2) = 2/7 · 4/13 + 5/7 · 3/3
        let second: f64 = 2.0 / 7.0 * 4.0 / 13.0 + 5.0 / 7.0;
        assert!((m.log2(&[2, 3]) - first.log2() - second.log2()).abs() < 1e-12);
        // an unknown word: (0+1)/13
        assert!((m.log2(&[UNKNOWN]) - (1.0f64 / 13.0).log2()).abs() < 1e-12);
    }

    #[test]
    fn saved_models_are_checked() {
        let m = fit(&[&[2, 3, 4, 2, 3]], 3);
        let json = serde_json::to_value(m.data()).unwrap();
        let again = WordModel::load(serde_json::from_value(json).unwrap(), 3).unwrap();
        assert_eq!(again.log2(&[2, 3, 9]).to_bits(), m.log2(&[2, 3, 9]).to_bits());
        let bad = WordData { lambda: [0.5, f64::NAN, 0.5], ..m.data() };
        assert!(WordModel::load(bad, 3).is_err());
        assert_eq!(fit(&[], 0).log2(&[2]), 0.0, "one unknown word is all there is");
    }
}
