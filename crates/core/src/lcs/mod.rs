//! Longest common subsequence of two token sequences: its length, and one alignment of that length.
//!
//! Tokens that occur in only one sequence are dropped first. The table of LCS lengths of prefixes is computed
//! bit-parallel (Crochemore et al. 2001, Hyyrö 2004): a bit encodes whether the length increases from one
//! position of `a` to the next. Blocks of 256 positions of `a` are processed one after another. For every
//! position of `b`, the carry bit of a block is stored and added in the next block. This takes O(n·m / 64)
//! time and O(n + m) memory. If the table has few cells, all bits are stored, and the alignment is read from
//! them. Larger tables are divided by Hirschberg's (1975) algorithm.
//!
//! Results are exact for tables of at most [`BUDGET_CELLS`] cells. Larger alignments are split at patience-diff
//! anchors: tokens, or runs of tokens, that occur exactly once in each sequence. The longest selection of anchors
//! with the same order in both sequences is used. The gaps between anchors are aligned exactly until the budget is
//! spent. After that, each gap is split again at the anchors inside it. A gap without anchors is aligned by one
//! greedy pass in linear time.

mod anchors;

use anchors::{Places, anchors};
use rustc_hash::FxHashMap;

/// Maximum number of table cells that a call computes exactly. Computing this number takes one or two seconds. A
/// table has n·m cells for sequences of n and m tokens, without the dropped tokens. The largest page of the public
/// data sets has 4·10⁸ cells.
pub const BUDGET_CELLS: u64 = 10_000_000_000;
/// Maximum number of cells whose bits are stored for the traceback. The bits take 4 MB.
const STORED_CELLS: usize = 1 << 25;
/// Number of 64-bit words in a block of `a`. The processor can add four words in parallel; with one word per
/// block, each addition would wait for the previous addition.
const LANES: usize = 4;
const BLOCK: usize = 64 * LANES;
/// Numbers of tokens per anchor, tried in this order. A run of tokens may be unique even if each of its
/// tokens occurs several times.
const ANCHOR_WIDTHS: [usize; 3] = [1, 4, 16];
/// Maximum recursion depth of anchors in gaps. It limits the time for adversarial input.
const MAX_DEPTH: usize = 32;

type Lanes = [u64; LANES];

/// Returns the length of the longest common subsequence.
///
/// The length is exact for tables of at most [`BUDGET_CELLS`] cells. Otherwise, it is the length of the alignment
/// from [`lcs_pairs`], a lower bound.
pub fn lcs_len(a: &[u32], b: &[u32]) -> usize {
    let (head, tail) = common_ends(a, b);
    let (a, b) = (items(&a[head..a.len() - tail]), items(&b[head..b.len() - tail]));
    let (a, b, num_ids) = restrict(&a, &b);
    if cells(&a, &b) > BUDGET_CELLS {
        return head + tail + aligned_within(&a, &b, BUDGET_CELLS).len();
    }
    // The masks of each block of `a` must be set. The shorter sequence becomes `a`, because it has fewer blocks.
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut sweeper = Sweeper::new(num_ids);
    sweeper.sweep(&a, &b, |_| ());
    head + tail + sweeper.prefix_lengths(a.len()).last().map_or(0, |&n| n as usize)
}

/// Returns one longest common subsequence as pairs `(position in a, position in b)`. Both positions are strictly
/// increasing.
///
/// The result is exact for tables of at most [`BUDGET_CELLS`] cells; for larger tables, see the module
/// documentation. Positions above `u32::MAX` are not matched. If several alignments have the maximum length,
/// the choice between them is arbitrary but deterministic. [`compact`] can join separate matches into runs.
pub fn lcs_pairs(a: &[u32], b: &[u32]) -> Vec<(u32, u32)> {
    aligned_within(&items(a), &items(b), BUDGET_CELLS)
}

fn aligned_within(a: &[Item], b: &[Item], budget: u64) -> Vec<(u32, u32)> {
    let mut aligner = Aligner { out: Vec::with_capacity(a.len().min(b.len())), left: budget };
    aligner.region(a, b, 0);
    aligner.out
}

/// Moves the matches of an alignment so that runs become contiguous. The number of pairs stays the same.
///
/// A backward pass moves each match to the position directly before the next match, if that position has the same
/// token. The positions in `a` and in `b` are moved independently. Then a forward pass moves each match that is not
/// adjacent to the next match to the position directly after the previous match, if that position has the same
/// token. `pairs` must be an alignment of `a` and `b`. Positions outside the sequences do not cause a panic.
pub fn compact(pairs: &mut [(u32, u32)], a: &[u32], b: &[u32]) {
    let is = |xs: &[u32], at: u32, token: u32| xs.get(at as usize) == Some(&token);
    for k in (1..pairs.len()).rev() {
        let ((i, j), (next_i, next_j)) = (pairs[k - 1], pairs[k]);
        let Some(&token) = a.get(i as usize) else { continue };
        if i.saturating_add(1) < next_i && is(a, next_i - 1, token) {
            pairs[k - 1].0 = next_i - 1;
        }
        if j.saturating_add(1) < next_j && is(b, next_j - 1, token) {
            pairs[k - 1].1 = next_j - 1;
        }
    }
    for k in 1..pairs.len() {
        let ((last_i, last_j), (i, j)) = (pairs[k - 1], pairs[k]);
        let (after_i, after_j) = (last_i.saturating_add(1), last_j.saturating_add(1));
        if pairs.get(k + 1) == Some(&(i.saturating_add(1), j.saturating_add(1))) {
            continue;
        }
        let Some(&token) = a.get(i as usize) else { continue };
        if i > after_i && is(a, after_i, token) {
            pairs[k].0 = after_i;
        }
        if j > after_j && is(b, after_j, token) {
            pairs[k].1 = after_j;
        }
    }
}

/// A token and its position in the whole sequence.
#[derive(Clone, Copy)]
struct Item {
    token: u32,
    at: u32,
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.token == other.token
    }
}

fn items(tokens: &[u32]) -> Vec<Item> {
    (0..=u32::MAX).zip(tokens).map(|(at, &token)| Item { token, at }).collect()
}

fn cells(a: &[Item], b: &[Item]) -> u64 {
    (a.len() as u64).saturating_mul(b.len() as u64)
}

/// Returns the length of the common prefix, and the length of the common suffix of the remaining tokens.
fn common_ends<T: PartialEq>(a: &[T], b: &[T]) -> (usize, usize) {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    (head, tail)
}

/// Removes the tokens that occur in only one sequence, and replaces the others by consecutive ids from 0. Returns
/// both sequences and the number of ids.
fn restrict(a: &[Item], b: &[Item]) -> (Vec<Item>, Vec<Item>, usize) {
    const ONLY_A: u32 = u32::MAX;
    let mut ids: FxHashMap<u32, u32> = a.iter().map(|x| (x.token, ONLY_A)).collect();
    let (mut kept_b, mut num_ids) = (Vec::with_capacity(b.len()), 0);
    for x in b {
        let Some(id) = ids.get_mut(&x.token) else { continue };
        if *id == ONLY_A {
            *id = num_ids;
            num_ids += 1;
        }
        kept_b.push(Item { token: *id, at: x.at });
    }
    let shared = |x: &Item| {
        let token = ids.get(&x.token).copied().filter(|&id| id != ONLY_A)?;
        Some(Item { token, at: x.at })
    };
    (a.iter().filter_map(shared).collect(), kept_b, num_ids as usize)
}

/// The bit-parallel kernel and its buffers. Tokens must be less than the `num_ids` of [`Sweeper::new`].
struct Sweeper {
    /// For each token, the bit mask of its positions in the current block of `a`. All masks are zero between
    /// blocks.
    masks: Vec<Lanes>,
    /// For each position of `b`, the carry out of the previous block of `a`.
    carries: Vec<bool>,
    /// For each block of `a`, its bits after the last token of `b`. A 0 means that the prefix length increases by
    /// one.
    ends: Vec<Lanes>,
}

impl Sweeper {
    fn new(num_ids: usize) -> Self {
        Self { masks: vec![[0; LANES]; num_ids], carries: Vec::new(), ends: Vec::new() }
    }

    /// Computes the whole table. `each` receives the bits of a block after each token of `b`, block by block.
    fn sweep(&mut self, a: &[Item], b: &[Item], mut each: impl FnMut(Lanes)) {
        self.carries.clear();
        self.carries.resize(b.len(), false);
        self.ends.clear();
        for block in a.chunks(BLOCK) {
            for (i, x) in block.iter().enumerate() {
                self.masks[x.token as usize][i / 64] |= 1 << (i % 64);
            }
            let mut bits: Lanes = [u64::MAX; LANES];
            for (y, carry) in b.iter().zip(&mut self.carries) {
                let mask = self.masks[y.token as usize];
                for (v, m) in bits.iter_mut().zip(mask) {
                    let hit = *v & m;
                    let (sum, carried) = v.carrying_add(hit, *carry);
                    (*v, *carry) = (sum | (*v & !hit), carried);
                }
                each(bits);
            }
            self.ends.push(bits);
            for x in block {
                self.masks[x.token as usize] = [0; LANES];
            }
        }
    }

    /// Returns the LCS length of `b` and each prefix of `a`, for prefixes of 0 to `len` tokens. Call it after a
    /// sweep.
    fn prefix_lengths(&self, len: usize) -> Vec<u32> {
        let mut out = Vec::with_capacity(len + 1);
        let mut n = 0;
        out.push(n);
        for i in 0..len {
            n += u32::from(!has_bit(&self.ends[i / BLOCK], i % BLOCK));
            out.push(n);
        }
        out
    }
}

fn has_bit(bits: &Lanes, i: usize) -> bool {
    bits[i / 64] >> (i % 64) & 1 == 1
}

/// Collects the pairs of an alignment in order.
struct Aligner {
    out: Vec<(u32, u32)>,
    /// Number of cells that may still be computed exactly.
    left: u64,
}

impl Aligner {
    /// Aligns `a` and `b` exactly if the budget allows it, otherwise between anchors. If there are no anchors, the
    /// alignment is greedy.
    fn region(&mut self, a: &[Item], b: &[Item], depth: usize) {
        let (head, tail) = common_ends(a, b);
        self.push_all(&a[..head], &b[..head]);
        let (tail_a, tail_b) = (&a[a.len() - tail..], &b[b.len() - tail..]);
        let (a, b, num_ids) = restrict(&a[head..a.len() - tail], &b[head..b.len() - tail]);
        let cost = cells(&a, &b);
        if cost <= self.left {
            self.left -= cost;
            self.exact(&a, &b, &mut Sweeper::new(num_ids));
        } else {
            let widths = ANCHOR_WIDTHS.iter().filter(|_| depth < MAX_DEPTH);
            match widths.map(|&width| anchors(&a, &b, width)).find(|found| !found.is_empty()) {
                Some(anchors) => self.between(&a, &b, &anchors, depth),
                None => self.greedy(&a, &b, num_ids),
            }
        }
        self.push_all(tail_a, tail_b);
    }

    fn push_all(&mut self, a: &[Item], b: &[Item]) {
        self.out.extend(a.iter().zip(b).map(|(x, y)| (x.at, y.at)));
    }

    /// Aligns anchors with each other, and the gaps between them.
    fn between(&mut self, a: &[Item], b: &[Item], anchors: &[(usize, usize)], depth: usize) {
        let (mut from_a, mut from_b) = (0, 0);
        for &(i, j) in anchors {
            self.region(&a[from_a..i], &b[from_b..j], depth + 1);
            self.out.push((a[i].at, b[j].at));
            (from_a, from_b) = (i + 1, j + 1);
        }
        self.region(&a[from_a..], &b[from_b..], depth + 1);
    }

    /// Aligns `a` and `b` exactly. A table that is too large to store is divided by Hirschberg's algorithm:
    /// `b` is halved, and `a` is split where the sum of the LCS lengths of both parts is largest.
    fn exact(&mut self, a: &[Item], b: &[Item], sweeper: &mut Sweeper) {
        let (head, tail) = common_ends(a, b);
        self.push_all(&a[..head], &b[..head]);
        let (tail_a, tail_b) = (&a[a.len() - tail..], &b[b.len() - tail..]);
        let (a, b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
        // whole blocks are stored, so even a single token of `b` may exceed the limit; this is accepted
        if a.len().next_multiple_of(BLOCK).saturating_mul(b.len()) <= STORED_CELLS || b.len() < 2 {
            self.traceback(a, b, sweeper);
        } else {
            let (b1, b2) = b.split_at(b.len() / 2);
            sweeper.sweep(a, b1, |_| ());
            let before = sweeper.prefix_lengths(a.len());
            let reversed = |xs: &[Item]| xs.iter().rev().copied().collect::<Vec<_>>();
            sweeper.sweep(&reversed(a), &reversed(b2), |_| ());
            let after = sweeper.prefix_lengths(a.len());
            let joint = before.iter().zip(after.iter().rev()).map(|(x, y)| x + y);
            let cut = joint.enumerate().max_by_key(|&(i, n)| (n, usize::MAX - i)).map_or(0, |(i, _)| i);
            self.exact(&a[..cut], b1, sweeper);
            self.exact(&a[cut..], b2, sweeper);
        }
        self.push_all(tail_a, tail_b);
    }

    /// Reads the alignment from the stored bits, starting at the end.
    fn traceback(&mut self, a: &[Item], b: &[Item], sweeper: &mut Sweeper) {
        let mut rows = Vec::with_capacity(a.len().div_ceil(BLOCK) * b.len());
        sweeper.sweep(a, b, |bits| rows.push(bits));
        // whether the LCS length with the first j tokens of `b` (j > 0) increases from i - 1 to i tokens of `a`
        let increases =
            |i: usize, j: usize| !has_bit(&rows[(i - 1) / BLOCK * b.len() + j - 1], (i - 1) % BLOCK);
        let first = self.out.len();
        let (mut i, mut j) = (a.len(), b.len());
        while i > 0 && j > 0 {
            if !increases(i, j) {
                i -= 1;
            } else if j > 1 && increases(i, j - 1) {
                // a diagonal step adds at most 1, so the last of the j tokens of `b` adds 0
                j -= 1;
            } else {
                (i, j) = (i - 1, j - 1);
                self.out.push((a[i].at, b[j].at));
            }
        }
        self.out[first..].reverse();
    }

    /// Aligns in one pass over both sequences. At a mismatch, it skips to the next match in `a` or in `b`,
    /// whichever is closer.
    fn greedy(&mut self, a: &[Item], b: &[Item], num_ids: usize) {
        let (mut in_a, mut in_b) = (Places::new(a, num_ids), Places::new(b, num_ids));
        let (mut i, mut j) = (0, 0);
        while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
            if x == y {
                self.out.push((x.at, y.at));
                (i, j) = (i + 1, j + 1);
                continue;
            }
            match (in_a.next(y.token, i), in_b.next(x.token, j)) {
                (None, None) => (i, j) = (i + 1, j + 1),
                (Some(_), None) => i += 1,
                (None, Some(_)) => j += 1,
                (Some(to_i), Some(to_j)) if to_i - i < to_j - j => i = to_i,
                (_, Some(to_j)) => j = to_j,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(a: &[u32], b: &[u32]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (j, y) in b.iter().enumerate() {
                let up = row[j + 1];
                row[j + 1] = if x == y { diagonal + 1 } else { up.max(row[j]) };
                diagonal = up;
            }
        }
        row[b.len()]
    }

    fn check(pairs: &[(u32, u32)], a: &[u32], b: &[u32]) {
        assert!(pairs.iter().all(|&(i, j)| a[i as usize] == b[j as usize]));
        assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
    }

    fn sequences() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
        (1u32..40).prop_flat_map(|n| {
            (proptest::collection::vec(0..n, 0..700), proptest::collection::vec(0..n, 0..700))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn agrees_with_the_table((a, b) in sequences()) {
            let want = naive(&a, &b);
            prop_assert_eq!(lcs_len(&a, &b), want);
            let mut pairs = lcs_pairs(&a, &b);
            prop_assert_eq!(pairs.len(), want);
            check(&pairs, &a, &b);
            compact(&mut pairs, &a, &b);
            check(&pairs, &a, &b);
        }

        #[test]
        fn is_an_alignment_over_budget((a, b) in sequences(), budget in 0u64..200_000) {
            let pairs = aligned_within(&items(&a), &items(&b), budget);
            prop_assert!(pairs.len() <= naive(&a, &b));
            check(&pairs, &a, &b);
        }
    }

    /// A linear congruential generator.
    fn noise(seed: u64) -> impl FnMut(u64) -> u32 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % below) as u32
        }
    }

    #[test]
    fn large_tables_are_divided() {
        let mut next = noise(1);
        let a: Vec<u32> = (0..9_000).map(|_| next(900)).collect();
        let b: Vec<u32> = (0..8_000).map(|i| if next(3) == 0 { next(900) } else { a[i + 700] }).collect();
        let pairs = lcs_pairs(&a, &b);
        check(&pairs, &a, &b);
        assert_eq!(pairs.len(), lcs_len(&a, &b));
        assert_eq!(pairs.len(), naive(&a, &b));
    }

    #[test]
    fn runs_of_tokens_are_anchors_if_no_token_is_unique() {
        let mut next = noise(2);
        let a: Vec<u32> = (0..5_000).map(|_| next(200)).collect();
        let b: Vec<u32> = a.iter().map(|&x| if next(10) == 0 { next(200) } else { x }).collect();
        let pairs = aligned_within(&items(&a), &items(&b), 50_000);
        check(&pairs, &a, &b);
        assert!(pairs.len() * 100 >= lcs_len(&a, &b) * 98, "{}", pairs.len());
    }

    #[test]
    fn empty_sequences_have_no_match() {
        assert_eq!((lcs_len(&[], &[1]), lcs_pairs(&[1], &[]).len()), (0, 0));
    }

    #[test]
    fn compact_joins_runs() {
        // b: "the … on … the cat sat on the mat"; the first "the" is matched too early
        let (a, b) = ([1, 2, 3, 4, 1, 5], [1, 9, 4, 9, 1, 2, 3, 4, 1, 5]);
        let mut pairs = [(0, 0), (1, 5), (2, 6), (3, 7), (4, 8), (5, 9)];
        compact(&mut pairs, &a, &b);
        assert_eq!(pairs, [(0, 4), (1, 5), (2, 6), (3, 7), (4, 8), (5, 9)]);
        // the match of the last token moves to the token before it
        let (a, b) = ([1, 2], [1, 2, 7, 7, 2]);
        let mut pairs = [(0, 0), (1, 4)];
        compact(&mut pairs, &a, &b);
        assert_eq!(pairs, [(0, 0), (1, 1)]);
    }
}
