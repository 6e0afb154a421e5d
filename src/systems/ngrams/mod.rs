//! Counts of n-grams, and the two language models that systems make of them.
//!
//! Symbols are numbers: characters for [`characters`], words of a vocabulary for [`words`]. A saved model is a list of
//! nodes, each with its parent, symbol and count, sorted so that the children of a node stand together.

pub(super) mod characters;
pub(super) mod words;

use crate::classifier::packed;
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The empty n-gram.
pub(super) const ROOT: u32 = 0;

/// Nodes held while counting. Beyond, the rarest are forgotten (lossy counting), so that any amount of text is counted
/// in bounded memory; what is that rare would not be saved either.
const MOST_COUNTED: usize = 1 << 22;

/// A counter of n-grams.
#[derive(Debug)]
pub(super) struct Counter {
    order: usize,
    most: usize,
    children: FxHashMap<(u32, u32), u32>,
    /// The first is the root. Others that never occurred are forgotten ones, whose places are free.
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// N-grams that occurred less often may have been forgotten.
    least: u32,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    symbol: u32,
    count: u32,
    /// Occurrences of forgotten n-grams one symbol longer, and how many there were.
    lost: u32,
    lost_kinds: u32,
}

impl Node {
    fn new(parent: u32, symbol: u32) -> Self {
        Node { parent, symbol, count: 0, lost: 0, lost_kinds: 0 }
    }
}

impl Counter {
    /// Counts n-grams of up to `order` symbols.
    pub fn new(order: usize) -> Self {
        Self::bounded(order, MOST_COUNTED)
    }

    fn bounded(order: usize, most: usize) -> Self {
        let root = Node::new(ROOT, 0);
        let (children, free) = (FxHashMap::default(), Vec::new());
        Counter { order, most, children, nodes: vec![root], free, least: 1 }
    }

    /// Counts every n-gram of `symbols`.
    pub fn add(&mut self, symbols: &[u32]) {
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

    /// Nodes held, the root among them.
    fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Writes a node to the last free place, or behind all.
    fn place(&mut self, node: Node) {
        match self.free.pop() {
            Some(id) => self.nodes[id as usize] = node,
            None => self.nodes.push(node),
        }
    }

    /// Forgets n-grams that occurred fewer than `least` times. A longer n-gram is never more frequent than its
    /// beginning, so no node loses its parent.
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

    /// The least count of an n-gram that is kept: at least `least`, and such that all counters together keep at most
    /// `most`. It is one for all, and what one of them had to forget the others forget too: of two classes, the one
    /// whose n-grams are left out from a lesser count on would win wherever the other's were cut.
    pub fn least_of(counters: &[&Counter], least: u32, most: usize) -> u32 {
        let mut counts: Vec<u32> =
            counters.iter().flat_map(|c| &c.nodes[1..]).map(|n| n.count).filter(|&n| n > 0).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let bound = counts.get(most).map_or(0, |first_out| first_out.saturating_add(1));
        counters.iter().map(|c| c.least).fold(least.max(bound), u32::max)
    }

    /// The n-grams that occurred at least `least` times.
    pub fn freeze(mut self, least: u32) -> Ngrams {
        self.forget_below(least);
        Ngrams::index(self.snapshot())
    }

    /// All that was counted, in the saved form.
    fn snapshot(&self) -> NgramData {
        // breadth first, children by symbol; then parents are numbered in order
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

/// The saved form: one entry a node but the root, breadth first, children by symbol.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NgramData {
    /// Symbols of the longest n-gram.
    order: u32,
    /// Number of the node without its last symbol; the root is 0, the first entry 1.
    #[serde(with = "packed")]
    parent: Vec<u32>,
    /// Last symbol.
    #[serde(with = "packed")]
    symbol: Vec<u32>,
    /// Occurrences.
    #[serde(with = "packed")]
    count: Vec<u32>,
    /// Of every node with children, the root first: occurrences of those left out.
    #[serde(with = "packed")]
    lost: Vec<u32>,
    /// How many different ones were left out.
    #[serde(with = "packed")]
    lost_kinds: Vec<u32>,
}

/// Counted n-grams, to be looked up.
#[derive(Debug, Clone, Default)]
pub(super) struct Ngrams {
    data: NgramData,
    /// By node: number of its first child's entry; one more at the end.
    first: Vec<u32>,
    /// By node: occurrences of its children.
    kept: Vec<u64>,
    /// By node: occurrences of those left out, and how many these are; 0 for a node without children.
    lost: Vec<(u32, u32)>,
}

impl Ngrams {
    fn index(data: NgramData) -> Self {
        let num_nodes = data.parent.len() + 1;
        let (mut first, mut kept) = (vec![0; num_nodes + 1], vec![0; num_nodes]);
        for (&parent, &count) in data.parent.iter().zip(&data.count) {
            first[parent as usize + 1] += 1;
            kept[parent as usize] += u64::from(count);
        }
        let mut left_out = data.lost.iter().copied().zip(data.lost_kinds.iter().copied());
        let with_children = |&kept: &u64| if kept > 0 { left_out.next() } else { None };
        let lost = kept.iter().map(with_children).map(Option::unwrap_or_default).collect();
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        Ngrams { data, first, kept, lost }
    }

    /// Checks and indexes what was saved.
    pub fn load(data: NgramData, most_order: u32) -> Result<Self> {
        let damaged = |what: &str| Error::model(format!("the n-grams of the model are damaged: {what}"));
        let n = data.parent.len();
        if !(1..=most_order).contains(&data.order) {
            return Err(damaged("their length").expected(format!("1 to {most_order}")));
        }
        if data.symbol.len() != n || data.count.len() != n || n >= u32::MAX as usize {
            return Err(damaged("lists of different lengths"));
        }
        let mut depth = vec![0u32; n + 1];
        for i in 0..n {
            let parent = data.parent[i] as usize;
            let sorted =
                i == 0 || (data.parent[i - 1], data.symbol[i - 1]) < (data.parent[i], data.symbol[i]);
            if parent > i || !sorted {
                return Err(damaged("nodes out of order"));
            }
            depth[i + 1] = depth[parent] + 1;
            if depth[i + 1] > data.order || data.count[i] == 0 {
                return Err(damaged("an n-gram that is too long or never occurred"));
            }
        }
        let mut parents = data.parent.clone();
        parents.dedup();
        if data.lost.len() != parents.len() || data.lost_kinds.len() != parents.len() {
            return Err(damaged("what was left out"));
        }
        Ok(Self::index(data))
    }

    /// What is to be saved.
    pub fn data(&self) -> &NgramData {
        &self.data
    }
    /// Symbols of the longest n-gram.
    pub fn order(&self) -> usize {
        self.data.order as usize
    }
    /// Number of n-grams.
    pub fn len(&self) -> usize {
        self.data.parent.len()
    }
    /// Occurrences of a node other than the root.
    pub fn count(&self, node: u32) -> u32 {
        (node as usize).checked_sub(1).and_then(|i| self.data.count.get(i)).copied().unwrap_or(0)
    }
    /// Occurrences of all n-grams one symbol longer than `node`, those left out too, where any is known.
    pub fn total(&self, node: u32) -> u64 {
        self.kept(node) + self.lost.get(node as usize).map_or(0, |l| u64::from(l.0))
    }
    /// Occurrences of the known ones.
    pub fn kept(&self, node: u32) -> u64 {
        self.kept.get(node as usize).copied().unwrap_or(0)
    }
    /// How many different symbols followed `node`, those left out too.
    pub fn num_kinds(&self, node: u32) -> u64 {
        self.entries(node).len() as u64 + self.lost.get(node as usize).map_or(0, |l| u64::from(l.1))
    }
    fn entries(&self, node: u32) -> Range<usize> {
        let at = |i: usize| self.first.get(i).copied().unwrap_or(0) as usize;
        at(node as usize)..at(node as usize + 1)
    }
    /// The n-gram `node` with one more symbol.
    pub fn child(&self, node: u32, symbol: u32) -> Option<u32> {
        let entries = self.entries(node);
        let place = self.data.symbol.get(entries.clone())?.binary_search(&symbol).ok()?;
        Some((entries.start + place) as u32 + 1)
    }
    /// The node of an n-gram.
    pub fn find(&self, symbols: &[u32]) -> Option<u32> {
        symbols.iter().try_fold(ROOT, |node, &symbol| self.child(node, symbol))
    }
    /// The symbols of each n-gram with its node, in the order of the nodes.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Vec<u32>)> {
        (1..=self.len() as u32).map(|node| {
            let mut symbols = Vec::with_capacity(self.order());
            let mut at = node;
            while at != ROOT {
                symbols.push(self.data.symbol[at as usize - 1]);
                at = self.data.parent[at as usize - 1];
            }
            symbols.reverse();
            (node, symbols)
        })
    }
}

/// Where a reader stands in the trie: by length, the node of the last so many symbols.
#[derive(Debug, Clone)]
pub(super) struct Cursor {
    /// `nodes[n]` is the n-gram of the last n symbols, where it is known; the empty one always is.
    nodes: Vec<Option<u32>>,
}

impl Cursor {
    /// Before the first symbol.
    pub fn new() -> Self {
        Cursor { nodes: vec![Some(ROOT)] }
    }
    /// The known contexts, shortest first: length, node, and the node that `symbol` makes of it, if that is known.
    pub fn contexts<'a>(
        &'a self,
        ngrams: &'a Ngrams,
        symbol: u32,
    ) -> impl Iterator<Item = (usize, u32, Option<u32>)> + 'a {
        let known = self.nodes.iter().enumerate().filter_map(|(length, node)| Some((length, (*node)?)));
        known.map(move |(length, context)| (length, context, ngrams.child(context, symbol)))
    }
    /// Moves on by one symbol.
    pub fn advance(&mut self, ngrams: &Ngrams, symbol: u32) {
        let order = ngrams.order();
        let mut next = Vec::with_capacity(order);
        next.push(Some(ROOT));
        let longer = self.nodes.iter().take(order - 1);
        next.extend(longer.map(|context| context.and_then(|c| ngrams.child(c, symbol))));
        self.nodes = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn ngrams(texts: &[&[u32]], order: usize) -> Ngrams {
        let mut counter = Counter::new(order);
        texts.iter().for_each(|t| counter.add(t));
        counter.freeze(1)
    }

    #[test]
    fn counts_are_those_of_substrings() {
        // 7 5 7 5: 7 and 5 twice each, 75 twice, 57 once
        let n = ngrams(&[&[7, 5, 7, 5]], 2);
        let count = |s: &[u32]| n.find(s).map_or(0, |node| n.count(node));
        assert_eq!((count(&[7]), count(&[5]), count(&[7, 5]), count(&[5, 7])), (2, 2, 2, 1));
        assert_eq!(count(&[7, 7]), 0);
        assert_eq!((n.len(), n.total(ROOT), n.num_kinds(ROOT)), (4, 4, 2));
        let listed: Vec<_> = n.iter().map(|(_, symbols)| symbols).collect();
        assert_eq!(listed, [vec![5], vec![7], vec![5, 7], vec![7, 5]]);
    }

    #[test]
    fn rare_ones_are_forgotten_alike() {
        let mut counter = Counter::new(2);
        counter.add(&[1, 2, 1, 2, 3]);
        // 1: 2, 2: 2, 12: 2; 3, 21, 23 once: with room for four none of the three of count 1 is taken
        let least = Counter::least_of(&[&counter], 1, 4);
        let few = counter.freeze(least);
        assert_eq!(few.len(), 3);
        // but it is known that 3 followed the empty n-gram, and nothing of 2, after which nothing is known
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
        // with the root four: 2 and 3, once each, are forgotten; 3 is counted anew, in one of their places
        [&[1, 1, 2][..], &[3], &[3, 3]].iter().for_each(|t| counter.add(t));
        assert_eq!((counter.len(), counter.nodes.len(), counter.free.len()), (3, 4, 1));
        assert_eq!(Counter::least_of(&[&counter], 1, 9), 2);
        let data = counter.snapshot();
        assert_eq!((data.symbol, data.count), (vec![1, 3], vec![2, 2]));
        assert_eq!((data.lost, data.lost_kinds), (vec![2], vec![2]));
    }

    /// What lossy counting is, n-gram by n-gram: occurrences, and those and kinds of forgotten ones that are longer by one.
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
        // skewed symbols, so that some n-grams stay and others come and go
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
        // one that had to forget what occurred once, so that two n-grams stay
        let forgetful = counter(&[&[1, 1, 2, 2], &[3]], 3);
        assert_eq!(Counter::least_of(&[&small, &forgetful], 1, 99), 2);
    }

    #[test]
    fn what_is_saved_is_checked() {
        let good = ngrams(&[&[1, 2, 3, 1, 2]], 3);
        let json = serde_json::to_value(good.data()).unwrap();
        let read: NgramData = serde_json::from_value(json).unwrap();
        assert_eq!(Ngrams::load(read.clone(), 3).unwrap().data(), good.data());
        let broken: [fn(&mut NgramData); 7] = [
            |d| d.parent[1] = 9,
            |d| d.symbol.swap(0, 1),
            |d| d.count.truncate(1),
            |d| d.count[0] = 0,
            |d| d.order = 0,
            |d| d.order = 2,
            |d| d.lost.truncate(1),
        ];
        for (i, change) in broken.into_iter().enumerate() {
            let mut data = read.clone();
            change(&mut data);
            assert!(Ngrams::load(data, 3).is_err(), "{i}");
        }
    }

    #[test]
    fn a_cursor_knows_all_contexts() {
        let n = ngrams(&[&[1, 2, 3, 1, 2, 4]], 3);
        let mut cursor = Cursor::new();
        [1, 2].iter().for_each(|&s| cursor.advance(&n, s));
        // contexts: nothing, 2, 12; 4 is known after each
        let found: Vec<_> = cursor.contexts(&n, 4).map(|(_, _, node)| n.count(node.unwrap())).collect();
        assert_eq!(found, [1, 1, 1]);
        cursor.advance(&n, 9);
        assert_eq!(
            cursor.contexts(&n, 1).count(),
            1,
            "after an unknown symbol only the empty context is known"
        );
    }
}
