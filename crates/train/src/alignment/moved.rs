//! Blocks that stand elsewhere in the gold than on the page, as details of a product that an annotator put behind its description.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// Tokens that a block must have to be looked for, since fewer may stand together by chance; shorter ones are found beside such.
const LEAST: usize = 5;
/// Tokens that are looked up.
const KEY: usize = 4;
/// Places with the same key that are compared, which bounds the work by so many times the page.
const MOST_PLACES: usize = 16;

/// Finds blocks of which less than half is aligned and whose tokens stand together in gold of which less than a quarter is, at the
/// first such place (of the first sixteen that begin alike and not in aligned gold). A common subsequence strays into what was
/// moved: some words are everywhere.
///
/// `blocks`: where each block's tokens stand in `page`; `page_hit`, `gold_hit`: tokens that are aligned. Gives the places in page
/// and gold; none is found twice. What was aligned with them, of other blocks too, is to give way.
pub(crate) fn moved(
    blocks: &[Range<usize>],
    [page, gold]: [&[u32]; 2],
    [page_hit, gold_hit]: [&[bool]; 2],
) -> Vec<(Range<usize>, Range<usize>)> {
    if gold.len() < LEAST {
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
            if of_key.len() < MOST_PLACES {
                of_key.push(start);
            }
        }
    }
    for (index, block) in blocks.iter().enumerate() {
        if block.len() < LEAST {
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
    /// Blocks that are not content so far.
    is_open: Vec<bool>,
    gold_hit: &'a [bool],
    /// Tokens of the gold that a block was found at.
    is_taken: Vec<bool>,
    found: Vec<(Range<usize>, Range<usize>)>,
}

impl Search<'_> {
    fn fits(&self, index: usize, start: usize) -> bool {
        let tokens = &self.page[self.blocks[index].clone()];
        let place = start..start + tokens.len();
        self.is_open[index]
            && self.gold.get(place.clone()) == Some(tokens)
            && !self.is_taken[place.clone()].contains(&true)
            && 4 * num_hits(&self.gold_hit[place]) < tokens.len()
    }

    fn take(&mut self, index: usize, start: usize) {
        let place = start..start + self.blocks[index].len();
        self.is_taken[place.clone()].fill(true);
        self.is_open[index] = false;
        self.found.push((self.blocks[index].clone(), place));
    }

    /// Takes the blocks before and behind one that stands at `start` as long as they do so in the gold too, however short.
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
    fn a_block_with_what_stands_around_it() {
        let blocks: [&[u32]; 6] = [&[9], &[8, 7], &[], &[1, 2, 3, 4, 5], &[6], &[0]];
        let gold = [0, 8, 7, 1, 2, 3, 4, 5, 6, 3];
        assert_eq!(found(&blocks, &gold, &[], &[]), [(3..8, 3..8), (1..3, 1..3), (8..9, 8..9)]);
        // what is aligned stays where it is
        assert_eq!(found(&blocks, &gold, &[1, 2], &[0, 8]), [(3..8, 3..8)]);
    }

    #[test]
    fn a_place_is_taken_once() {
        let block = [1; 5];
        assert_eq!(found(&[&block, &block], &[1; 9], &[], &[]), [(0..5, 0..5)]);
        assert_eq!(found(&[&block, &block], &[1; 10], &[], &[]), [(0..5, 0..5), (5..10, 5..10)]);
    }

    #[test]
    fn strays_give_way() {
        let (block, gold) = ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]);
        assert_eq!(found(&[&block], &gold, &[0, 4], &[1]).len(), 1);
        assert_eq!(found(&[&block], &gold, &[0, 1, 4], &[]), []);
        assert_eq!(found(&[&block], &gold, &[], &[1, 3]), []);
        // too short, and not quite the same
        assert_eq!(found(&[&block[..4]], &gold, &[], &[]), []);
        assert_eq!(found(&[&[1, 2, 3, 4, 6]], &gold, &[], &[]), []);
    }

    proptest! {
        #[test]
        fn nothing_is_found_twice(
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
