//! Finds blocks that the gold has in another order than the page, such as product details behind the
//! description.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// Minimum number of tokens of a block that is searched for; fewer may match by chance. Shorter blocks are
/// found beside such a block.
const MIN_TOKENS: usize = 5;
/// Number of tokens in the key of a place.
const KEY: usize = 4;
/// Maximum number of places with the same key. It bounds the time to as many passes over the page.
const MAX_PLACES: usize = 16;

/// Finds blocks whose tokens are together in the gold, in another order than on the page.
///
/// Less than half of a block's tokens may be aligned, and less than a quarter of the tokens of its place in
/// the gold: a common subsequence also aligns frequent words of moved blocks. The first such place is taken,
/// of the first sixteen with the same key.
///
/// `blocks`: ranges of the blocks' tokens in `page`. `page_hit`, `gold_hit`: whether each token is aligned.
/// Returns the ranges in page and gold; none overlap. They replace all other alignments of these tokens.
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
    /// Blocks of which less than half is aligned, and that are not found yet.
    is_open: Vec<bool>,
    gold_hit: &'a [bool],
    /// Tokens of the gold that belong to a found block.
    is_taken: Vec<bool>,
    found: Vec<(Range<usize>, Range<usize>)>,
}

impl Search<'_> {
    /// Whether the block's tokens are in the gold at `start`.
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

    /// Takes the blocks before and behind the block at `start`, of any length, as long as the gold has them
    /// there too.
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
        // aligned blocks keep their alignment
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
        // too short; a different last token
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
