//! N-gram counts, and the two language models that are built from them.
//!
//! Symbols are integers: character codes for [`characters`], vocabulary ids for [`words`]. A saved model is a list
//! of nodes, each with its parent, symbol and count. The children of a node are contiguous.

pub(crate) mod characters;
mod counter;
pub(crate) mod words;

use serde::{Deserialize, Serialize};
use std::ops::Range;
use threshr_core::{Error, Result};
use threshr_models::packed;

pub(crate) use counter::Counter;

/// The node of the empty n-gram.
pub(crate) const ROOT: u32 = 0;

/// The serialised format: one entry for each node except the root, breadth first, with children sorted by symbol.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NgramData {
    /// Maximum number of symbols in an n-gram.
    order: u32,
    /// Index of the parent node. The root has index 0, and the first entry has index 1.
    #[serde(with = "packed")]
    parent: Vec<u32>,
    /// Last symbol of the n-gram.
    #[serde(with = "packed")]
    symbol: Vec<u32>,
    /// Number of occurrences of the n-gram.
    #[serde(with = "packed")]
    count: Vec<u32>,
    /// For every node with children, the root first: total occurrences of its pruned children.
    #[serde(with = "packed")]
    lost: Vec<u32>,
    /// For every node with children, the root first: number of its pruned children.
    #[serde(with = "packed")]
    lost_kinds: Vec<u32>,
}

/// Counted n-grams, indexed for lookup.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ngrams {
    data: NgramData,
    /// For each node, the entry of its first child, and the number of entries as the last value.
    first: Vec<u32>,
    /// For each node, the total occurrences of its children.
    kept: Vec<u64>,
    /// For each node, total occurrences and number of its pruned children; 0 for a node without children.
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

    /// Validates and indexes saved data.
    pub(crate) fn load(data: NgramData, most_order: u32) -> Result<Self> {
        let invalid =
            |what: &str| Error::model(format!("the n-grams in the model file are not valid: {what}"));
        let n = data.parent.len();
        if !(1..=most_order).contains(&data.order) {
            let found = format!("`order` is {}", data.order);
            return Err(invalid(&found).expected(format!("1 to {most_order}")));
        }
        if data.symbol.len() != n || data.count.len() != n || n >= u32::MAX as usize {
            return Err(invalid("the lists have different lengths").expected("one length for all lists"));
        }
        let mut depth = vec![0u32; n + 1];
        for i in 0..n {
            let parent = data.parent[i] as usize;
            let sorted =
                i == 0 || (data.parent[i - 1], data.symbol[i - 1]) < (data.parent[i], data.symbol[i]);
            if parent > i || !sorted {
                return Err(invalid("the nodes are not sorted").expected("nodes sorted by parent and symbol"));
            }
            depth[i + 1] = depth[parent] + 1;
            if depth[i + 1] > data.order || data.count[i] == 0 {
                return Err(invalid("an n-gram is too long or has the count 0")
                    .expected(format!("at most {} symbols and a count of at least 1", data.order)));
            }
        }
        let mut parents = data.parent.clone();
        parents.dedup();
        if data.lost.len() != parents.len() || data.lost_kinds.len() != parents.len() {
            return Err(invalid("the number of counts of pruned n-grams is wrong")
                .expected(format!("{}, one for each node with children", parents.len())));
        }
        Ok(Self::index(data))
    }

    /// Returns the data to save.
    pub(crate) fn data(&self) -> &NgramData {
        &self.data
    }
    /// Returns the maximum number of symbols in an n-gram.
    pub(crate) fn order(&self) -> usize {
        self.data.order as usize
    }
    /// Number of n-grams.
    pub(crate) fn len(&self) -> usize {
        self.data.parent.len()
    }
    /// Returns the number of occurrences of a node other than the root.
    pub(crate) fn count(&self, node: u32) -> u32 {
        (node as usize).checked_sub(1).and_then(|i| self.data.count.get(i)).copied().unwrap_or(0)
    }
    /// Total occurrences of all n-grams that extend `node` by one symbol, including pruned ones.
    pub(crate) fn total(&self, node: u32) -> u64 {
        self.kept(node) + self.lost.get(node as usize).map_or(0, |l| u64::from(l.0))
    }
    /// Total occurrences of the children of `node`, without pruned ones.
    pub(crate) fn kept(&self, node: u32) -> u64 {
        self.kept.get(node as usize).copied().unwrap_or(0)
    }
    /// Number of distinct symbols after `node`, including pruned ones.
    pub(crate) fn num_kinds(&self, node: u32) -> u64 {
        self.entries(node).len() as u64 + self.lost.get(node as usize).map_or(0, |l| u64::from(l.1))
    }
    fn entries(&self, node: u32) -> Range<usize> {
        let at = |i: usize| self.first.get(i).copied().unwrap_or(0) as usize;
        at(node as usize)..at(node as usize + 1)
    }
    /// Returns the child of `node` for `symbol`.
    pub(crate) fn child(&self, node: u32, symbol: u32) -> Option<u32> {
        let entries = self.entries(node);
        let place = self.data.symbol.get(entries.clone())?.binary_search(&symbol).ok()?;
        Some((entries.start + place) as u32 + 1)
    }
    /// Returns the node of an n-gram.
    pub(crate) fn find(&self, symbols: &[u32]) -> Option<u32> {
        symbols.iter().try_fold(ROOT, |node, &symbol| self.child(node, symbol))
    }
    /// Iterates over the nodes in order, each with the symbols of its n-gram.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, Vec<u32>)> {
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

/// The current contexts in the trie: for each length, the node of the last symbols.
#[derive(Debug, Clone)]
pub(crate) struct Cursor {
    /// `nodes[n]` is the n-gram of the last n symbols; `None` if it is unknown. The empty n-gram is always known.
    nodes: Vec<Option<u32>>,
}

impl Cursor {
    /// A cursor before the first symbol.
    pub(crate) fn new() -> Self {
        Cursor { nodes: vec![Some(ROOT)] }
    }
    /// Returns the known contexts, shortest first: length, node, and the node's child for `symbol` if it exists.
    pub(crate) fn contexts<'a>(
        &'a self,
        ngrams: &'a Ngrams,
        symbol: u32,
    ) -> impl Iterator<Item = (usize, u32, Option<u32>)> + 'a {
        let known = self.nodes.iter().enumerate().filter_map(|(length, node)| Some((length, (*node)?)));
        known.map(move |(length, context)| (length, context, ngrams.child(context, symbol)))
    }
    /// Advances by one symbol.
    pub(crate) fn advance(&mut self, ngrams: &Ngrams, symbol: u32) {
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
        // contexts: the empty context, 2 and 12; each of them has the child 4
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
