//! Patience-diff anchors of two sequences, and an index of token positions for the greedy alignment.

use crate::lcs::Item;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Index of the positions of each token in a sequence. Each lookup starts at or after the previous one and
/// takes amortized constant time.
pub(crate) struct Places {
    starts: Vec<usize>,
    cursors: Vec<usize>,
    places: Vec<usize>,
}

impl Places {
    pub(crate) fn new(xs: &[Item], num_ids: usize) -> Self {
        let mut starts = vec![0; num_ids + 1];
        for x in xs {
            starts[x.token as usize + 1] += 1;
        }
        for t in 0..num_ids {
            starts[t + 1] += starts[t];
        }
        let (mut ends, mut places) = (starts.clone(), vec![0; xs.len()]);
        for (i, x) in xs.iter().enumerate() {
            places[ends[x.token as usize]] = i;
            ends[x.token as usize] += 1;
        }
        Self { cursors: starts.clone(), starts, places }
    }

    /// Returns the first position of `token` at or after `from`. `from` must not decrease from call to call.
    pub(crate) fn next(&mut self, token: u32, from: usize) -> Option<usize> {
        let (t, end) = (token as usize, self.starts[token as usize + 1]);
        while self.cursors[t] < end && self.places[self.cursors[t]] < from {
            self.cursors[t] += 1;
        }
        (self.cursors[t] < end).then(|| self.places[self.cursors[t]])
    }
}

/// Returns the positions `(in a, in b)` of runs of `width` tokens that occur exactly once in each sequence.
///
/// The position of a run is the position of its first token. The function returns the longest subset of these
/// pairs that increases in both sequences.
pub(crate) fn anchors(a: &[Item], b: &[Item], width: usize) -> Vec<(usize, usize)> {
    let key = |run: &[Item]| {
        let mut hasher = FxHasher::default();
        run.iter().for_each(|x| hasher.write_u32(x.token));
        hasher.finish()
    };
    // for each run: (count in `a`, first position in `a`, count in `b`, last position in `b`)
    let mut seen: FxHashMap<u64, (u32, usize, u32, usize)> = FxHashMap::default();
    for (i, run) in a.windows(width).enumerate() {
        let entry = seen.entry(key(run)).or_insert((0, i, 0, 0));
        entry.0 = entry.0.saturating_add(1);
    }
    for (j, run) in b.windows(width).enumerate() {
        if let Some(entry) = seen.get_mut(&key(run)) {
            (entry.2, entry.3) = (entry.2.saturating_add(1), j);
        }
    }
    let once = seen.into_values().filter(|seen| seen.0 == 1 && seen.2 == 1).map(|seen| (seen.1, seen.3));
    // equal hashes do not imply equal tokens; only the first tokens are aligned, so only they must be equal
    let mut found: Vec<_> = once.filter(|&(i, j)| a[i] == b[j]).collect();
    found.sort_unstable();
    longest_increasing(&found)
}

/// Returns the longest subsequence in which the second numbers increase, by patience sorting. The first numbers of
/// `pairs` must increase.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut piles: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (k, pair) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|&top| pairs[top].1 < pair.1);
        before[k] = pile.checked_sub(1).map(|p| piles[p]);
        if pile == piles.len() {
            piles.push(k);
        } else {
            piles[pile] = k;
        }
    }
    let mut out: Vec<_> =
        std::iter::successors(piles.last().copied(), |&k| before[k]).map(|k| pairs[k]).collect();
    out.reverse();
    out
}
