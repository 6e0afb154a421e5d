//! Finds blocks that are in another order in the gold than on the page, such as product details that follow
//! the description in the gold.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// Minimum number of tokens of a block to search for, since shorter blocks may match by chance. Shorter blocks
/// are found only next to a longer block that was found.
const MIN_TOKENS: usize = 5;
/// Number of tokens in a key. Positions in the gold are indexed by key.
const KEY: usize = 4;
/// Maximum number of gold positions per key. The run time is limited to this number of passes over the page.
const MAX_PLACES: usize = 16;

/// Finds blocks whose tokens are contiguous in the gold, but in another order than on the page.
///
/// A longest common subsequence also aligns frequent words of moved blocks. So a block may still be moved if
/// less than half of its tokens are aligned and less than a quarter of the tokens at its gold position. The
/// first valid position is used, among the first [`MAX_PLACES`] with the same key.
///
/// `blocks` has the token range of each block in `page`. `page_hit` and `gold_hit` state whether each token is
/// aligned. Returns pairs of ranges in page and gold, which do not overlap. They replace all other alignments
/// of these tokens.
pub(crate) fn moved(
    blocks: &[Range<usize>],
    [page, gold]: [&[u32]; 2],
    [page_hit, gold_hit]: [&[bool]; 2],
) -> Vec<(Range<usize>, Range<usize>)> {
    if gold.len() < MIN_TOKENS {
        return Vec::new();
    }
    let mut search = Search {
        blocks,
        page,
        gold,
        is_open: blocks.iter().map(|b| 2 * num_hits(&page_hit[b.clone()]) < b.len()).collect(),
        gold_hit,
        is_taken: vec![false; gold.len()],
        found: Vec::new(),
    };
    let mut places: FxHashMap<&[u32], Vec<usize>> = FxHashMap::default();
    for (start, key) in gold.windows(KEY).enumerate() {
        if gold_hit[start..start + KEY].contains(&false) {
            let of_key = places.entry(key).or_default();
            if of_key.len() < MAX_PLACES {
                of_key.push(start);
            }
        }
    }
    for (index, block) in blocks.iter().enumerate() {
        if block.len() < MIN_TOKENS {
            continue;
        }
        let of_key = places.get(&page[block.start..block.start + KEY]);
        if let Some(&start) = of_key.and_then(|starts| starts.iter().find(|&&s| search.fits(index, s))) {
            search.take(index, start);
            search.spread(index, start);
        }
    }
    search.found
}

fn num_hits(hits: &[bool]) -> usize {
    hits.iter().filter(|hit| **hit).count()
}

struct Search<'a> {
    blocks: &'a [Range<usize>],
    page: &'a [u32],
    gold: &'a [u32],
    /// Blocks that are not found yet and have less than half of their tokens aligned.
    is_open: Vec<bool>,
    gold_hit: &'a [bool],
    /// Whether each gold token belongs to a found block.
    is_taken: Vec<bool>,
    found: Vec<(Range<usize>, Range<usize>)>,
}

impl Search<'_> {
    /// Returns whether the block can be aligned with the gold at `start`: the tokens are equal, not used by
    /// another block, and mostly unaligned.
    fn fits(&self, index: usize, start: usize) -> bool {
        let tokens = &self.page[self.blocks[index].clone()];
        let place = start..start + tokens.len();
        self.is_open[index]
            && self.gold.get(place.clone()) == Some(tokens)
            && !self.is_taken[place.clone()].contains(&true)
            && 4 * num_hits(&self.gold_hit[place]) < tokens.len()
    }

    /// Aligns the block with the gold at `start`.
    fn take(&mut self, index: usize, start: usize) {
        let place = start..start + self.blocks[index].len();
        self.is_taken[place.clone()].fill(true);
        self.is_open[index] = false;
        self.found.push((self.blocks[index].clone(), place));
    }

    /// Extends the alignment of the block at `start` to the blocks before and after it, as long as these
    /// match the neighbouring gold tokens. The neighbouring blocks may have any length.
    fn spread(&mut self, index: usize, start: usize) {
        let mut at = start;
        for before in (0..index).rev().filter(|&i| !self.blocks[i].is_empty()) {
            match at.checked_sub(self.blocks[before].len()).filter(|&from| self.fits(before, from)) {
                Some(from) => at = from,
                None => break,
            }
            self.take(before, at);
        }
        let mut at = start + self.blocks[index].len();
        for behind in (index + 1..self.blocks.len()).filter(|&i| !self.blocks[i].is_empty()) {
            if !self.fits(behind, at) {
                break;
            }
            self.take(behind, at);
            at += self.blocks[behind].len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(
        blocks: &[&[u32]],
        gold: &[u32],
        page_hit: &[usize],
        gold_hit: &[usize],
    ) -> Vec<(Range<usize>, Range<usize>)> {
        let mut end = 0;
        let places: Vec<_> = blocks
            .iter()
            .map(|b| {
                end += b.len();
                end - b.len()..end
            })
            .collect();
        let page = blocks.concat();
        let of = |hits: &[usize], len: usize| (0..len).map(|i| hits.contains(&i)).collect::<Vec<_>>();
        moved(&places, [&page, gold], [&of(page_hit, page.len()), &of(gold_hit, gold.len())])
    }

    #[test]
    fn a_block_is_found_with_its_neighbours() {
        let blocks: [&[u32]; 6] = [&[9], &[8, 7], &[], &[1, 2, 3, 4, 5], &[6], &[0]];
        let gold = [0, 8, 7, 1, 2, 3, 4, 5, 6, 3];
        assert_eq!(found(&blocks, &gold, &[], &[]), [(3..8, 3..8), (1..3, 1..3), (8..9, 8..9)]);
        // blocks that are aligned already keep their alignment
        assert_eq!(found(&blocks, &gold, &[1, 2], &[0, 8]), [(3..8, 3..8)]);
    }

    #[test]
    fn a_place_is_taken_once() {
        let block = [1; 5];
        assert_eq!(found(&[&block, &block], &[1; 9], &[], &[]), [(0..5, 0..5)]);
        assert_eq!(found(&[&block, &block], &[1; 10], &[], &[]), [(0..5, 0..5), (5..10, 5..10)]);
    }

    #[test]
    fn few_aligned_tokens_are_replaced() {
        let (block, gold) = ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]);
        assert_eq!(found(&[&block], &gold, &[0, 4], &[1]).len(), 1);
        assert_eq!(found(&[&block], &gold, &[0, 1, 4], &[]), []);
        assert_eq!(found(&[&block], &gold, &[], &[1, 3]), []);
        // a block that is too short; a block with a different last token
        assert_eq!(found(&[&block[..4]], &gold, &[], &[]), []);
        assert_eq!(found(&[&[1, 2, 3, 4, 6]], &gold, &[], &[]), []);
    }

    proptest! {
        #[test]
        fn found_ranges_do_not_overlap(
            blocks in prop::collection::vec(prop::collection::vec(0u32..2, 0..8), 0..12),
            gold in prop::collection::vec(0u32..2, 0..60),
        ) {
            let blocks: Vec<&[u32]> = blocks.iter().map(Vec::as_slice).collect();
            let page = blocks.concat();
            let (mut of_page, mut of_gold) = (vec![false; page.len()], vec![false; gold.len()]);
            for (p, g) in found(&blocks, &gold, &[], &[]) {
                prop_assert_eq!(&page[p.clone()], &gold[g.clone()]);
                prop_assert!(p.clone().all(|i| !std::mem::replace(&mut of_page[i], true)));
                prop_assert!(g.clone().all(|i| !std::mem::replace(&mut of_gold[i], true)));
            }
        }
    }
}
