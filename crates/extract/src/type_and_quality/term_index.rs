//! Looks up the terms of a vocabulary by their hashes.

use crate::type_and_quality::terms::{LEVELS, at};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;

/// Location of the log-odds of a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The channel of the term.
    pub(super) channel: usize,
    /// Row of the term in each group: that of the plain term, then one per entry of [`LEVELS`]; [`NONE`] if the
    /// group does not contain the term.
    pub(super) rows: [u32; 1 + LEVELS.len()],
}

/// Marks a missing row or index.
pub(super) const NONE: u32 = u32::MAX;

/// The terms of a vocabulary.
#[derive(Debug, Clone)]
pub(super) struct TermIndex {
    /// Index in `entries` by the key of the term, for terms outside [`WORD_CHANNELS`].
    numbers: FxHashMap<u64, u32>,
    /// Indices in `entries` of the terms in [`WORD_CHANNELS`], by the key of the word in the channel [`at::WORD`]. One
    /// look-up returns the terms of all these channels.
    words: FxHashMap<u64, WordNumbers>,
    entries: Vec<Entry>,
    /// Bitmap over the keys of all terms (a Bloom filter with one hash function). It rejects most unknown terms.
    filter: Box<[u64; FILTER_WORDS]>,
}

/// The channels whose terms are words of blocks.
///
/// A channel is a source of terms, such as the title or the kept blocks; see
/// [`CHANNELS`](crate::type_and_quality::terms::CHANNELS). The same word in two channels is two terms.
const WORD_CHANNELS: RangeInclusive<usize> = at::WORD..=at::KEPT_FIRST;

/// For each of [`WORD_CHANNELS`], the index of the term of a word; [`NONE`] if the vocabulary does not contain the term.
pub(super) type WordNumbers = [u32; NUM_WORD_CHANNELS];

const NUM_WORD_CHANNELS: usize = at::KEPT_FIRST + 1 - at::WORD;

/// Returns the position of a channel in [`WordNumbers`]; `None` for other channels.
pub(super) fn word_channel(channel: usize) -> Option<usize> {
    WORD_CHANNELS.contains(&channel).then(|| channel - WORD_CHANNELS.start())
}

/// Number of 64-bit words of the filter. It has 32 KB, which fit into the cache of a core.
const FILTER_WORDS: usize = 4096;

/// Returns the word and the bit of a key in the filter.
fn filter_place(key: u64) -> (usize, u64) {
    ((key >> 32) as usize % FILTER_WORDS, 1 << (key >> 44 & 63))
}

/// Returns the key of a term, computed from the hash of its word.
fn key(channel: usize, hash: u64) -> u64 {
    // odd multipliers: the first separates the channels, the second mixes the bits into the higher ones
    let of_channel = (channel as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ of_channel).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Like [`key`], but equal in all [`WORD_CHANNELS`].
fn shared_key(channel: usize, hash: u64) -> u64 {
    key(if word_channel(channel).is_some() { at::WORD } else { channel }, hash)
}

impl Default for TermIndex {
    fn default() -> Self {
        TermIndex {
            numbers: FxHashMap::default(),
            words: FxHashMap::default(),
            entries: Vec::new(),
            filter: Box::new([0; FILTER_WORDS]),
        }
    }
}

impl TermIndex {
    /// Sets the row of a term. `level` is 0 for the plain term, otherwise 1 + the index in [`LEVELS`].
    pub(super) fn set(&mut self, channel: usize, hash: u64, level: usize, row: usize) {
        let key = shared_key(channel, hash);
        let slot = match word_channel(channel) {
            Some(place) => &mut self.words.entry(key).or_insert([NONE; NUM_WORD_CHANNELS])[place],
            None => self.numbers.entry(key).or_insert(NONE),
        };
        if *slot == NONE {
            *slot = self.entries.len() as u32;
            self.entries.push(Entry { channel, rows: [NONE; 1 + LEVELS.len()] });
            let (word, bit) = filter_place(key);
            self.filter[word] |= bit;
        }
        let entry = &mut self.entries[*slot as usize];
        if let Some(slot) = entry.rows.get_mut(level) {
            *slot = row as u32;
        }
    }

    /// Returns the index of a term, by the hash of its word.
    #[inline]
    pub(super) fn number(&self, channel: usize, hash: u64) -> Option<u32> {
        match word_channel(channel) {
            Some(place) => Some(self.word(hash)?[place]).filter(|number| *number != NONE),
            None => {
                let key = key(channel, hash);
                if self.may_have(key) { self.numbers.get(&key).copied() } else { None }
            }
        }
    }

    /// Returns the indices of a word of a block, by its hash.
    #[inline]
    pub(super) fn word(&self, hash: u64) -> Option<&WordNumbers> {
        let key = key(at::WORD, hash);
        if self.may_have(key) { self.words.get(&key) } else { None }
    }

    fn may_have(&self, key: u64) -> bool {
        let (word, bit) = filter_place(key);
        self.filter[word] & bit != 0
    }

    /// Returns the term with this index.
    pub(super) fn entry(&self, number: u32) -> Option<&Entry> {
        self.entries.get(number as usize)
    }

    /// Returns the number of terms.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}
