//! A character language model with Witten-Bell interpolation, as in LingPipe's process models.

use crate::shared::ngrams::{Counter, Cursor, NgramData, Ngrams};
use threshr_core::Result;

/// Size of the alphabet: all 16-bit values, as in LingPipe. It determines the probability of an unseen character.
const NUM_CHARACTERS: f64 = 65_535.0;

/// Maximum order (length of the n-grams).
pub(crate) const MAX_ORDER: u32 = 12;

/// For a context s, the last n - 1 characters, P(c | s) = λ(s) count(s c) / total(s) + (1 - λ(s)) P(c | s
/// without its first character), where λ(s) = total(s) / (total(s) + n · number of distinct characters after
/// s). The probability below the empty context is uniform. Both totals include rare n-grams that were pruned.
/// Their probability mass goes to the shorter context. Otherwise, the more n-grams a model prunes, the higher
/// the probabilities of the remaining n-grams would be.
#[derive(Debug)]
pub(crate) struct CharacterModel {
    ngrams: Ngrams,
}

impl CharacterModel {
    /// Adds the n-grams of `text` to a counter.
    pub(crate) fn count(counter: &mut Counter, text: &str) {
        let symbols: Vec<u32> = text.chars().map(u32::from).collect();
        counter.add(&symbols);
    }

    /// Builds a model of the n-grams with at least `least` occurrences.
    pub(crate) fn new(counter: Counter, least: u32) -> Self {
        CharacterModel { ngrams: counter.freeze(least) }
    }

    /// Loads the output of [`CharacterModel::data`].
    pub(crate) fn load(data: NgramData) -> Result<Self> {
        Ok(CharacterModel { ngrams: Ngrams::load(data, MAX_ORDER)? })
    }

    /// Returns the data to save.
    pub(crate) fn data(&self) -> &NgramData {
        self.ngrams.data()
    }

    /// Number of n-grams.
    pub(crate) fn len(&self) -> usize {
        self.ngrams.len()
    }

    /// Returns the binary logarithm of the probability of `text`.
    pub(crate) fn log2(&self, text: &str) -> f64 {
        let mut cursor = Cursor::new();
        let mut sum = 0.0;
        for c in text.chars() {
            sum += self.chance(&cursor, u32::from(c)).log2();
            cursor.advance(&self.ngrams, u32::from(c));
        }
        sum
    }

    fn chance(&self, cursor: &Cursor, symbol: u32) -> f64 {
        let order = self.ngrams.order() as f64;
        let mut chance = 1.0 / NUM_CHARACTERS;
        for (_, context, longer) in cursor.contexts(&self.ngrams, symbol) {
            let total = self.ngrams.total(context) as f64;
            if total == 0.0 {
                continue;
            }
            let strength = order * self.ngrams.num_kinds(context) as f64;
            let seen = longer.map_or(0.0, |node| f64::from(self.ngrams.count(node)));
            let left = strength + total - self.ngrams.kept(context) as f64;
            // λ · seen / total, plus the probability mass that λ does not assign to unpruned n-grams
            chance = (seen + left * chance) / (total + strength);
        }
        chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str, order: usize) -> CharacterModel {
        let mut counter = Counter::new(order);
        CharacterModel::count(&mut counter, text);
        CharacterModel::new(counter, 1)
    }

    #[test]
    fn chances_are_those_worked_out_by_hand() {
        // "abab", n = 2: a and b twice each, ab twice, ba once. Empty context: λ = 4 / (4 + 2·2) = 1/2, so P(a) =
        // 1/2 · 2/4 + 1/2 · 1/65535. P(b | a) = λ 2/2 + (1 - λ) P(b), where λ = 2 / (2 + 2·1) = 1/2.
        let m = model("abab", 2);
        let a: f64 = 0.25 + 0.5 / 65_535.0;
        assert!((m.log2("a") - a.log2()).abs() < 1e-12);
        let b_after_a: f64 = 0.5 + 0.5 * a;
        assert!((m.log2("ab") - a.log2() - b_after_a.log2()).abs() < 1e-12);
        // b is followed once, by a: λ = 1 / (1 + 2) = 1/3; b after b is unseen
        let b_after_b: f64 = 2.0 / 3.0 * a;
        assert!((m.log2("bb") - a.log2() - b_after_b.log2()).abs() < 1e-12);
        // an unseen character
        assert!((m.log2("x") - (0.5f64 / 65_535.0).log2()).abs() < 1e-12);
        assert_eq!(m.log2(""), 0.0);
    }

    #[test]
    fn chances_sum_to_one() {
        for least in [1, 2, 3] {
            let mut counter = Counter::new(4);
            CharacterModel::count(&mut counter, "the cat sat on the mat");
            let m = CharacterModel::new(counter, least);
            let mut cursor = Cursor::new();
            for c in "the c".chars() {
                let all: f64 = (0..65_535).map(|s| m.chance(&cursor, s)).sum();
                assert!((all - 1.0).abs() < 1e-9, "{all} with {least}");
                cursor.advance(&m.ngrams, u32::from(c));
            }
        }
    }
}
