//! The terms of a vocabulary by their hashes, with their log-odds.

use crate::type_and_quality::terms::{CHANNELS, LEVELS, at};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use threshr_features::learned::TermTable;
use threshr_page::text::hashing::word_hash;

/// Number of classes whose log-odds are added at once.
pub(super) const LANES: usize = 8;
/// Number of rows of log-odds of a term: one for its occurrence, then one per entry of [`LEVELS`].
const NUM_ROWS: usize = 1 + LEVELS.len();

/// The channels whose terms are words of blocks.
///
/// A channel is a source of terms, such as the title or the kept blocks; see
/// [`CHANNELS`](crate::type_and_quality::terms::CHANNELS). The same word in two channels is two terms.
pub(super) const WORD_CHANNELS: RangeInclusive<usize> = at::WORD..=at::KEPT_FIRST;
pub(super) const NUM_WORD_CHANNELS: usize = at::KEPT_FIRST + 1 - at::WORD;

/// Index of the log-odds of unknown terms, which are 0.
const UNKNOWN: u32 = 0;

/// The terms of a vocabulary.
///
/// A word of blocks has one number for all [`WORD_CHANNELS`], so that one look-up finds its terms in all of them. A term
/// of another channel has a number of its own. The numbers of words precede the others; number 0 is an unknown term.
#[derive(Debug, Clone)]
pub(super) struct TermIndex {
    /// Number of each term, by its key.
    numbers: TermTable<u32>,
    /// For each number of a word, the indices of its log-odds by channel.
    words: Vec<[u32; NUM_WORD_CHANNELS]>,
    /// For each term outside [`WORD_CHANNELS`], in the order of the term numbers: its channel and the index of its
    /// log-odds.
    others: Vec<(usize, u32)>,
    /// Log-odds in steps of 1/20 nat, padded to full lanes. Each term has `NUM_ROWS * lanes` entries. Those of a word in
    /// several channels are next to each other.
    odds: Vec<[i8; LANES]>,
    /// Number of entries of `odds` per row.
    lanes: usize,
}

/// A term of a vocabulary.
pub(super) struct IndexedTerm<'a> {
    pub(super) channel: usize,
    /// 0 for the occurrence of the term, otherwise 1 + the index of its number of occurrences in [`LEVELS`].
    pub(super) level: usize,
    pub(super) text: &'a str,
    /// Log-odds of each class, quantised to steps of 1/20 nat.
    pub(super) odds: &'a [i8],
}

/// Returns the position of a channel in [`WORD_CHANNELS`]; `None` for other channels.
fn word_channel(channel: usize) -> Option<usize> {
    WORD_CHANNELS.contains(&channel).then(|| channel - WORD_CHANNELS.start())
}

/// Returns the key of a term, computed from the hash of its word. It is equal in all [`WORD_CHANNELS`].
#[inline]
fn key(channel: usize, hash: u64) -> u64 {
    let channel = if WORD_CHANNELS.contains(&channel) { at::WORD } else { channel };
    // an odd multiplier separates the channels
    hash ^ (channel as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl TermIndex {
    pub(super) fn new<'a>(num_classes: usize, terms: impl Iterator<Item = IndexedTerm<'a>>) -> Self {
        let lanes = num_classes.div_ceil(LANES);
        let num_entries = NUM_ROWS * lanes;
        // in the order of the terms
        let mut odds = vec![[0; LANES]; num_entries];
        let mut words: FxHashMap<u64, [u32; NUM_WORD_CHANNELS]> = FxHashMap::default();
        let mut others: FxHashMap<u64, (usize, u32)> = FxHashMap::default();
        for term in terms {
            let key = key(term.channel, word_hash(term.text));
            let index = match word_channel(term.channel) {
                Some(place) => &mut words.entry(key).or_insert([UNKNOWN; NUM_WORD_CHANNELS])[place],
                None => &mut others.entry(key).or_insert((term.channel, UNKNOWN)).1,
            };
            if *index == UNKNOWN {
                *index = (odds.len() / num_entries) as u32;
                odds.resize(odds.len() + num_entries, [0; LANES]);
            }
            let row = (*index as usize * NUM_ROWS + term.level) * lanes;
            odds[row..row + lanes].as_flattened_mut()[..num_classes].copy_from_slice(term.odds);
        }
        let mut ordered = odds[..num_entries].to_vec();
        ordered.reserve_exact(odds.len() - num_entries);
        let in_words = words.values_mut().flatten();
        for index in in_words.chain(others.values_mut().map(|term| &mut term.1)) {
            if *index != UNKNOWN {
                let start = std::mem::replace(index, (ordered.len() / num_entries) as u32) as usize;
                ordered.extend_from_slice(&odds[start * num_entries..][..num_entries]);
            }
        }
        let keys: Vec<u64> = words.keys().chain(others.keys()).copied().collect();
        TermIndex {
            numbers: TermTable::new(keys.into_iter().zip(1..).collect::<Vec<_>>().into_iter(), 0),
            words: std::iter::once([UNKNOWN; NUM_WORD_CHANNELS]).chain(words.into_values()).collect(),
            others: others.into_values().collect(),
            odds: ordered,
            lanes,
        }
    }

    /// Returns the number of a term by the hash of its word; 0 if the term is unknown.
    #[inline]
    pub(super) fn number(&self, channel: usize, hash: u64) -> u32 {
        self.numbers.get(key(channel, hash))
    }

    /// Returns the number of words, including the unknown one.
    pub(super) fn num_words(&self) -> usize {
        self.words.len()
    }

    /// Returns the number of words and other terms.
    pub(super) fn len(&self) -> usize {
        self.words.len() + self.others.len()
    }

    /// Returns the channel of a term outside [`WORD_CHANNELS`], by its number; `None` for words.
    pub(super) fn channel(&self, number: u32) -> Option<usize> {
        Some(self.others.get((number as usize).checked_sub(self.words.len())?)?.0)
    }

    /// Returns the log-odds of a term in a channel: the row of its occurrence, then those of the [`LEVELS`]. `None` if the
    /// channel does not have the term.
    #[inline]
    pub(super) fn rows(&self, channel: usize, number: u32) -> Option<impl Iterator<Item = &[[i8; LANES]]>> {
        let number = number as usize;
        let index = match word_channel(channel) {
            Some(place) => self.words.get(number)?[place],
            None => self.others.get(number.checked_sub(self.words.len())?)?.1,
        };
        if index == UNKNOWN {
            return None;
        }
        let start = index as usize * NUM_ROWS * self.lanes;
        let num_rows = if CHANNELS[channel].is_counted { NUM_ROWS } else { 1 };
        Some(self.odds[start..start + num_rows * self.lanes].chunks_exact(self.lanes.max(1)))
    }
}
