//! Counts n-grams in bounded memory.

use crate::shared::ngrams::{NgramData, Ngrams, ROOT};
use rustc_hash::FxHashMap;

/// Maximum number of nodes while counting. When it is exceeded, the rarest n-grams are pruned (lossy counting), so
/// that memory is bounded for any amount of text. Such rare n-grams would not be saved anyway.
const MAX_COUNTED: usize = 1 << 22;

/// A counter of n-grams.
#[derive(Debug)]
pub(crate) struct Counter {
    order: usize,
    most: usize,
    children: FxHashMap<(u32, u32), u32>,
    /// The first node is the root. Other nodes with a count of 0 are free for reuse.
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// N-grams with fewer occurrences than this may have been pruned.
    least: u32,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    symbol: u32,
    count: u32,
    /// Total occurrences of the pruned n-grams that extend this n-gram by one symbol.
    lost: u32,
    lost_kinds: u32,
}

impl Node {
    fn new(parent: u32, symbol: u32) -> Self {
        Node { parent, symbol, count: 0, lost: 0, lost_kinds: 0 }
    }
}

impl Counter {
    /// Creates a counter of n-grams with up to `order` symbols.
    pub(crate) fn new(order: usize) -> Self {
        Self::bounded(order, MAX_COUNTED)
    }

    fn bounded(order: usize, most: usize) -> Self {
        let root = Node::new(ROOT, 0);
        let (children, free) = (FxHashMap::default(), Vec::new());
        Counter { order, most, children, nodes: vec![root], free, least: 1 }
    }

    /// Counts every n-gram in `symbols`.
    pub(crate) fn add(&mut self, symbols: &[u32]) {
        for start in 0..symbols.len() {
            let mut node = ROOT;
            for &symbol in symbols[start..].iter().take(self.order) {
                let parent = node;
                let next = self.free.last().copied().unwrap_or(self.nodes.len() as u32);
                node = *self.children.entry((parent, symbol)).or_insert(next);
                if node == next {
                    self.place(Node::new(parent, symbol));
                }
                let count = &mut self.nodes[node as usize].count;
                *count = count.saturating_add(1);
            }
        }
        let mut least = 2;
        while self.len() > self.most {
            self.forget_below(least);
            least += 1;
        }
    }

    /// Returns the number of nodes in use, including the root.
    fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Stores a node at the last free index, or appends it.
    fn place(&mut self, node: Node) {
        match self.free.pop() {
            Some(id) => self.nodes[id as usize] = node,
            None => self.nodes.push(node),
        }
    }

    /// Prunes n-grams with fewer than `least` occurrences. An n-gram is never more frequent than its prefix, so no
    /// remaining node loses its parent.
    fn forget_below(&mut self, least: u32) {
        self.least = self.least.max(least);
        for id in 1..self.nodes.len() {
            let Node { parent, symbol, count, .. } = self.nodes[id];
            if count == 0 || count >= least {
                continue;
            }
            let of = &mut self.nodes[parent as usize];
            of.lost = of.lost.saturating_add(count);
            of.lost_kinds = of.lost_kinds.saturating_add(1);
            self.nodes[id].count = 0;
            self.children.remove(&(parent, symbol));
            self.free.push(id as u32);
        }
    }

    /// Returns the minimum count for n-grams to keep: at least `least`, and high enough that all counters
    /// together keep at most `most` n-grams. The minimum is shared by all counters and is at least as high as
    /// the minimum at which each counter has already been pruned. With separate minima, the class with the
    /// lower minimum would have an advantage for texts whose n-grams were pruned in the other class.
    pub(crate) fn least_of(counters: &[&Counter], least: u32, most: usize) -> u32 {
        let mut counts: Vec<u32> =
            counters.iter().flat_map(|c| &c.nodes[1..]).map(|n| n.count).filter(|&n| n > 0).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let bound = counts.get(most).map_or(0, |first_out| first_out.saturating_add(1));
        counters.iter().map(|c| c.least).fold(least.max(bound), u32::max)
    }

    /// Returns the n-grams with at least `least` occurrences, indexed for lookup.
    pub(crate) fn freeze(mut self, least: u32) -> Ngrams {
        self.forget_below(least);
        Ngrams::index(self.snapshot())
    }

    /// Returns all n-grams in the serialised format.
    pub(crate) fn snapshot(&self) -> NgramData {
        // breadth first, children sorted by symbol; parents then have ascending indices
        let mut of_parent: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let held = (0u32..).zip(&self.nodes).skip(1).filter(|(_, n)| n.count > 0);
        held.for_each(|(id, n)| of_parent[n.parent as usize].push(id));
        let mut data = NgramData { order: self.order as u32, ..NgramData::default() };
        let mut queue = vec![ROOT];
        let mut at = 0;
        while let Some(&node) = queue.get(at) {
            let children = &mut of_parent[node as usize];
            children.sort_unstable_by_key(|&c| self.nodes[c as usize].symbol);
            if !children.is_empty() {
                let Node { lost, lost_kinds, .. } = self.nodes[node as usize];
                data.lost.push(lost);
                data.lost_kinds.push(lost_kinds);
            }
            for &child in &*children {
                let Node { symbol, count, .. } = self.nodes[child as usize];
                data.parent.push(at as u32);
                data.symbol.push(symbol);
                data.count.push(count);
            }
            queue.extend(&*children);
            at += 1;
        }
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn rare_ones_are_forgotten_alike() {
        let mut counter = Counter::new(2);
        counter.add(&[1, 2, 1, 2, 3]);
        // counts: 1, 2 and 12 twice; 3, 21 and 23 once; if at most four may be kept, all n-grams of count 1 are
        // pruned
        let least = Counter::least_of(&[&counter], 1, 4);
        let few = counter.freeze(least);
        assert_eq!(few.len(), 3);
        // the pruned 3 still counts as a successor of the empty n-gram; 2 has no remaining children, so
        // nothing is stored for 2
        assert_eq!((few.total(ROOT), few.kept(ROOT), few.num_kinds(ROOT)), (5, 4, 3));
        let [one, two] = [1, 2].map(|s| few.child(ROOT, s).unwrap());
        assert_eq!((few.total(one), few.num_kinds(one), few.total(two)), (2, 1, 0));
        let mut small = Counter::bounded(2, 8);
        (0..1000).for_each(|i| small.add(&[1, 2, i + 10]));
        assert!(small.len() <= 8 && small.nodes.len() <= 11);
        let n = small.freeze(1);
        assert!(n.find(&[1, 2]).is_some_and(|node| n.count(node) == 1000));
    }

    #[test]
    fn places_of_forgotten_ones_are_taken_again() {
        let mut counter = Counter::bounded(1, 3);
        // with the root there are four nodes, so 2 and 3 (once each) are pruned; 3 is then counted again at a
        // free index
        [&[1, 1, 2][..], &[3], &[3, 3]].iter().for_each(|t| counter.add(t));
        assert_eq!((counter.len(), counter.nodes.len(), counter.free.len()), (3, 4, 1));
        assert_eq!(Counter::least_of(&[&counter], 1, 9), 2);
        let data = counter.snapshot();
        assert_eq!((data.symbol, data.count), (vec![1, 3], vec![2, 2]));
        assert_eq!((data.lost, data.lost_kinds), (vec![2], vec![2]));
    }

    /// A reference implementation of lossy counting. The values are the occurrences of the n-gram, and the total
    /// occurrences and number of the pruned n-grams that extend it by one symbol.
    fn counted_plainly(
        texts: &[Vec<u32>],
        order: usize,
        most: usize,
    ) -> BTreeMap<(usize, Vec<u32>), [u32; 3]> {
        let mut all = BTreeMap::from([((0, Vec::new()), [0; 3])]);
        for text in texts {
            for start in 0..text.len() {
                for length in 1..=order.min(text.len() - start) {
                    all.entry((length, text[start..start + length].to_vec())).or_insert([0; 3])[0] += 1;
                }
            }
            let mut least = 2;
            while all.len() > most {
                let rare: Vec<_> = all
                    .iter()
                    .filter(|(k, n)| k.0 > 0 && n[0] < least)
                    .map(|(k, n)| (k.clone(), n[0]))
                    .collect();
                for ((length, symbols), count) in &rare {
                    if let Some(of) = all.get_mut(&(length - 1, symbols[..length - 1].to_vec())) {
                        (of[1], of[2]) = (of[1] + count, of[2] + 1);
                    }
                }
                for (key, _) in &rare {
                    all.remove(key);
                }
                least += 1;
            }
        }
        all
    }

    #[test]
    fn what_is_forgotten_is_what_plain_counting_forgets() {
        // skewed symbols, so that some n-grams stay and others are pruned and counted again
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24).leading_zeros() + (state >> 16) % 3
        };
        let texts: Vec<Vec<u32>> = (0..60).map(|i| (0..i % 9).map(|_| next()).collect()).collect();
        for most in [4, 12, 40, 1000] {
            let mut counter = Counter::bounded(3, most);
            texts.iter().for_each(|t| counter.add(t));
            let plain = counted_plainly(&texts, 3, most);
            let data = counter.snapshot();
            let entries: Vec<_> = plain.iter().skip(1).collect();
            assert_eq!(data.symbol, entries.iter().map(|(k, _)| k.1[k.0 - 1]).collect::<Vec<_>>(), "{most}");
            assert_eq!(data.count, entries.iter().map(|(_, n)| n[0]).collect::<Vec<_>>(), "{most}");
            let has_child =
                |key: &(usize, Vec<u32>)| plain.keys().any(|k| k.0 == key.0 + 1 && k.1.starts_with(&key.1));
            let lost: Vec<_> =
                plain.iter().filter(|(k, _)| has_child(k)).map(|(_, n)| (n[1], n[2])).collect();
            assert_eq!(data.lost.into_iter().zip(data.lost_kinds).collect::<Vec<_>>(), lost, "{most}");
        }
    }

    #[test]
    fn all_counters_leave_out_from_the_same_count_on() {
        let counter = |texts: &[&[u32]], most: usize| {
            let mut counter = Counter::bounded(1, most);
            texts.iter().for_each(|t| counter.add(t));
            counter
        };
        // counts 3, 2, 1 and 2, 1
        let [large, small] = [[1, 1, 1, 2, 2, 3], [1, 1, 2, 0, 0, 0]].map(|t| counter(&[&t[..]], 99));
        let small_alone = counter(&[&[1, 1, 2]], 99);
        let both = [&large, &small_alone];
        assert_eq!([9, 5, 4, 3, 2, 1].map(|most| Counter::least_of(&both, 1, most)), [1, 1, 2, 2, 3, 3]);
        assert_eq!(Counter::least_of(&both, 4, 9), 4);
        // this counter has pruned n-grams with one occurrence, so that two n-grams remain
        let forgetful = counter(&[&[1, 1, 2, 2], &[3]], 3);
        assert_eq!(Counter::least_of(&[&small, &forgetful], 1, 99), 2);
    }
}
