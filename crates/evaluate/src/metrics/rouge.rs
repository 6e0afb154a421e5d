//! ROUGE-LSum: overlap of words in order, within sentences.

use crate::metrics::{Case, Column, Metric, is_space, prf};
use rustc_hash::{FxHashMap, FxHashSet};
use threshr_html::text::Interner;

/// Number of words of gold sentences in a longest common subsequence with a predicted sentence. Pooled values are
/// computed from the summed counts of all pages.
///
/// Words are separated by white space. A sentence ends at a line end, at `. ! ? …` before white space, and
/// after `。 ！ ？`. Closing quotes and brackets between punctuation and white space are dropped. A word of a
/// gold sentence is a hit if its position is in the longest common subsequence with at least one predicted
/// sentence. Each word is counted at most as often as it occurs in either text. If there are several longest
/// subsequences, the one that RapidFuzz selects is used (see `matched`).
pub static ROUGE: Metric = Metric {
    name: "rouge",
    summary: "ROUGE-LSum: precision, recall and F1 of words in order within sentences",
    source: "Lin 2004, by sentences as in Bevendorff et al. 2023; checked against an independent scorer (`rougeLsum`)",
    columns: &[
        column("rouge_p", "hits / predicted words"),
        column("rouge_r", "hits / gold words"),
        column("rouge_f1", "harmonic mean of rouge_p and rouge_r; 1 if both texts are empty, 0 if one is"),
    ],
    num_counts: 3,
    score,
    pool: Some(pool),
};

/// Maximum number of steps for a page; they take a few seconds. A step compares 64 words of a gold sentence with
/// one predicted word. Sentences that would exceed the limit are not aligned: only sentences that occur in both
/// texts count, and the score is a lower bound.
const BUDGET_STEPS: u64 = 2_000_000_000;

const fn column(name: &'static str, definition: &'static str) -> Column {
    Column { name, unit: "ratio", definition, pooled: true }
}

fn score(case: &Case, counts: &mut [f64], values: &mut [f64]) {
    let mut interner = Interner::new();
    let (gold, predicted) = (sentences(case.gold, &mut interner), sentences(case.predicted, &mut interner));
    let total = |sentences: &[Vec<u32>]| sentences.iter().map(Vec::len).sum::<usize>() as f64;
    let hits = hits(&gold, &predicted, interner.len());
    counts.copy_from_slice(&[hits as f64, total(&predicted), total(&gold)]);
    pool(counts, values);
}

fn pool(counts: &[f64], values: &mut [f64]) {
    values.copy_from_slice(&prf(counts[0], counts[1], counts[2]));
}

/// Splits a text into sentences and returns the word ids of each. Sentences without words are dropped.
fn sentences(text: &str, interner: &mut Interner) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut push = |sentence: &str| {
        let words = sentence.split(is_space).filter(|w| !w.is_empty());
        let words: Vec<u32> = words.map(|w| interner.id(w)).collect();
        if !words.is_empty() {
            found.push(words);
        }
    };
    let (mut start, mut chars) = (0, text.char_indices().peekable());
    while let Some((at, c)) = chars.next() {
        let after = at + c.len_utf8();
        let (end, next) = match c {
            '\n' => (at, after),
            '。' | '！' | '？' => (after, after),
            '.' | '!' | '?' | '…' => match closing(&text[after..]) {
                Some(dropped) => (after, after + dropped),
                None => continue,
            },
            _ => continue,
        };
        push(&text[start..end]);
        start = next;
        while chars.next_if(|&(at, _)| at < next).is_some() {}
    }
    push(&text[start..]);
    found
}

/// Number of bytes of closing quotes and brackets at the start of `text`; `None` if they are not followed by white
/// space.
fn closing(text: &str) -> Option<usize> {
    const CLOSING: [char; 8] = ['"', '\'', '»', '“', '”', '’', ')', ']'];
    let end = text.find(|c| !CLOSING.contains(&c))?;
    text[end..].starts_with(is_space).then_some(end)
}

/// Returns the number of hits: matched words of gold sentences, each counted at most as often as in either text.
fn hits(gold: &[Vec<u32>], predicted: &[Vec<u32>], num_ids: usize) -> usize {
    let whole: FxHashSet<&[u32]> = predicted.iter().map(Vec::as_slice).collect();
    let mut seen = FxHashSet::default();
    let unique: Vec<&[u32]> = predicted.iter().map(Vec::as_slice).filter(|&s| seen.insert(s)).collect();
    let mut union = Union::new(&unique, num_ids);
    let mut left = [vec![0u32; num_ids], vec![0u32; num_ids]];
    for (side, left) in [gold, predicted].into_iter().zip(&mut left) {
        side.iter().flatten().for_each(|&t| left[t as usize] += 1);
    }
    let mut hits = 0;
    let mut done: FxHashMap<&[u32], Vec<bool>> = FxHashMap::default();
    for sentence in gold {
        let is_whole = whole.contains(sentence.as_slice());
        let found = match is_whole {
            true => &vec![true; sentence.len()],
            false => &*done.entry(sentence).or_insert_with(|| union.of(sentence)),
        };
        for (&token, _) in sentence.iter().zip(found).filter(|(_, found)| **found) {
            let token = token as usize;
            if left.iter().all(|l| l[token] > 0) {
                left.iter_mut().for_each(|l| l[token] -= 1);
                hits += 1;
            }
        }
    }
    hits
}

/// The distinct predicted sentences, with an index of their words. Computes the union of the matches of all
/// predicted sentences with a gold sentence.
struct Union<'a> {
    sentences: &'a [&'a [u32]],
    /// For each word id, the ascending indices of the sentences that contain the word.
    having: Vec<Vec<u32>>,
    /// For each predicted sentence, the number of unmatched positions of the current gold sentence that the
    /// predicted sentence could match; all 0 between calls.
    useful: Vec<u32>,
    masks: Vec<u64>,
    left: u64,
}

impl<'a> Union<'a> {
    fn new(sentences: &'a [&'a [u32]], num_ids: usize) -> Self {
        let mut having: Vec<Vec<u32>> = vec![Vec::new(); num_ids];
        for (sentence, number) in sentences.iter().zip(0u32..) {
            for &token in *sentence {
                let having = &mut having[token as usize];
                if having.last() != Some(&number) {
                    having.push(number);
                }
            }
        }
        let (useful, masks) = (vec![0; sentences.len()], vec![0; num_ids]);
        Self { sentences, having, useful, masks, left: BUDGET_STEPS }
    }

    /// Returns, for each position of a gold sentence, whether the position is in the longest common subsequence
    /// with at least one predicted sentence.
    fn of(&mut self, gold: &[u32]) -> Vec<bool> {
        let mut order = Vec::new();
        for &number in gold.iter().flat_map(|&t| &self.having[t as usize]) {
            if self.useful[number as usize] == 0 {
                order.push(number);
            }
            self.useful[number as usize] += 1;
        }
        // sentences that share the most words come first, so that the search ends early
        order.sort_by_key(|&n| (std::cmp::Reverse(self.useful[n as usize]), n));
        let mut found = vec![false; gold.len()];
        let mut missing = gold.iter().filter(|&&t| !self.having[t as usize].is_empty()).count();
        for &number in &order {
            let sentence = self.sentences[number as usize];
            let steps = gold.len().div_ceil(64) as u64 * sentence.len() as u64;
            if missing == 0 || steps > self.left {
                break;
            }
            if self.useful[number as usize] == 0 {
                continue;
            }
            self.left -= steps;
            for at in matched(gold, sentence, &mut self.masks) {
                if !std::mem::replace(&mut found[at], true) {
                    missing -= 1;
                    self.having[gold[at] as usize].iter().for_each(|&n| self.useful[n as usize] -= 1);
                }
            }
        }
        order.iter().for_each(|&n| self.useful[n as usize] = 0);
        found
    }
}

/// Returns the positions of `gold` in a longest common subsequence with `predicted`. `masks` has one entry for each
/// word id; all entries are 0 before and after the call.
///
/// Common prefixes and suffixes are matched first. Between them, the trace starts at the end of the table. It
/// prefers, in this order: skip the gold word without loss, skip the predicted word without loss, match.
/// RapidFuzz's `LCSseq` makes the same choice. The bit-parallel computation follows Hyyrö 2004, with 64 gold words
/// at a time. Only the carries between blocks are stored (one bit for each predicted word), and the trace
/// recomputes each block. It takes O(n·m / 64) time and O(n·m / 512 + m) bytes.
fn matched(gold: &[u32], predicted: &[u32], masks: &mut [u64]) -> Vec<usize> {
    let head = gold.iter().zip(predicted).take_while(|(x, y)| x == y).count();
    let mut found: Vec<usize> = (0..head).collect();
    let (rest, predicted) = (&gold[head..], &predicted[head..]);
    let tail = rest.iter().rev().zip(predicted.iter().rev()).take_while(|(x, y)| x == y).count();
    found.extend(gold.len() - tail..gold.len());
    let (rest, predicted) = (&rest[..rest.len() - tail], &predicted[..predicted.len() - tail]);
    let mut carries = vec![vec![0u64; predicted.len().div_ceil(64)]];
    for block in rest.chunks(64) {
        let incoming = carries.last().map_or(&[][..], Vec::as_slice);
        let mut outgoing = vec![0; incoming.len()];
        sweep(block, predicted, masks, incoming, |row, _, carry| {
            outgoing[row / 64] |= u64::from(carry) << (row % 64);
        });
        carries.push(outgoing);
    }
    let mut row = predicted.len();
    for (number, block) in rest.chunks(64).enumerate().rev() {
        let mut bits = Vec::with_capacity(row);
        sweep(block, &predicted[..row], masks, &carries[number], |_, state, _| bits.push(state));
        let mut column = block.len();
        // a bit is set if the gold word of its column does not increase the length in the row
        let idle = |row: usize, column: usize| bits[row - 1] >> (column - 1) & 1 == 1;
        while row > 0 && column > 0 {
            if idle(row, column) {
                column -= 1;
                continue;
            }
            row -= 1;
            if row == 0 || idle(row, column) {
                column -= 1;
                found.push(head + number * 64 + column);
            }
        }
    }
    found
}

/// Computes the rows of a block of up to 64 gold words. `seen` is called with each row's index, its bits and the
/// outgoing carry.
fn sweep(
    block: &[u32],
    predicted: &[u32],
    masks: &mut [u64],
    carries: &[u64],
    mut seen: impl FnMut(usize, u64, bool),
) {
    block.iter().enumerate().for_each(|(i, &t)| masks[t as usize] |= 1 << i);
    let mut state = u64::MAX;
    for (row, &token) in predicted.iter().enumerate() {
        let hit = state & masks[token as usize];
        let (sum, over) = state.overflowing_add(hit);
        let (sum, over_again) = sum.overflowing_add(carries[row / 64] >> (row % 64) & 1);
        state = sum | (state ^ hit);
        seen(row, state, over || over_again);
    }
    block.iter().for_each(|&t| masks[t as usize] = 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::{close, values};
    use proptest::prelude::*;
    use threshr_core::lcs::lcs_len;

    fn split(text: &str) -> Vec<usize> {
        sentences(text, &mut Interner::new()).iter().map(Vec::len).collect()
    }

    #[test]
    fn sentences_are_split() {
        assert_eq!(split("One two. Three!\n\nfour 3.5 five?"), [2, 1, 3]);
        assert_eq!(split("一。二三！四"), [1, 1, 1]);
        assert_eq!(split("a.b c.\nd... e"), [2, 1, 1]);
        assert_eq!(split(" \n. \n"), [1]);
        // the quote after the full stop is dropped if white space follows
        let mut interner = Interner::new();
        assert_eq!(sentences("so.\" He", &mut interner), [[0], [1]]);
        assert_eq!(sentences("so.", &mut interner), [[0]]);
        assert_eq!(sentences("so.\"", &mut interner), [[2]]);
    }

    #[test]
    fn the_union_over_sentences_counts() {
        // w1 w2 w3 w4 w5 against (w1 w2 w6 w7 w8) and (w1 w3 w8 w9 w5): the union is w1 w2 w3 w5 (Lin 2004)
        let got = values(&ROUGE, "w1 w2 w3 w4 w5", "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5");
        close(&got, &[0.4, 0.8, 8.0 / 15.0]);
        // a word counts at most as often as in either text; order matters within sentences only
        close(&values(&ROUGE, "a a b\na", "a\nb a"), &[2.0 / 3.0, 0.5, 4.0 / 7.0]);
        close(&values(&ROUGE, "a b", "b a"), &[0.5, 0.5, 0.5]);
        assert_eq!(values(&ROUGE, "", " "), [1.0; 3]);
        assert_eq!(values(&ROUGE, "a", ""), [0.0; 3]);
    }

    #[test]
    fn ties_are_resolved_as_in_rapidfuzz() {
        let at = |gold: &[u32], predicted: &[u32]| {
            let mut found = matched(gold, predicted, &mut [0; 10]);
            found.sort_unstable();
            found
        };
        // the trace starts at the end: skipping the last gold word loses no match
        assert_eq!(at(&[1, 2], &[2, 1]), [0]);
        // common prefixes and suffixes are matched first
        assert_eq!(at(&[1, 3, 2, 1], &[1, 4]), [0]);
        assert_eq!(at(&[3, 1, 2, 1], &[4, 1]), [3]);
        assert_eq!(at(&[5, 1, 2, 1, 5], &[6, 1, 7]), [1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_subsequence_is_longest(
            (gold, predicted) in (1u32..30).prop_flat_map(|n| {
                (prop::collection::vec(0..n, 0..200), prop::collection::vec(0..n, 0..200))
            })
        ) {
            let mut masks = vec![0; 30];
            let mut found = matched(&gold, &predicted, &mut masks);
            found.sort_unstable();
            found.dedup();
            prop_assert_eq!(found.len(), lcs_len(&gold, &predicted));
            let mut left = predicted.iter();
            prop_assert!(found.iter().all(|&at| left.any(|&t| t == gold[at])));
            prop_assert!(masks.iter().all(|&m| m == 0));
        }
    }

    #[test]
    fn long_texts_without_sentences_are_fast() {
        let text =
            |step: usize| (0..20_000).map(|i| format!("w{}", i * step % 997)).collect::<Vec<_>>().join(" ");
        let got = values(&ROUGE, &text(1), &text(3));
        assert!(got[2] > 0.0 && got[2] < 1.0);
    }
}
