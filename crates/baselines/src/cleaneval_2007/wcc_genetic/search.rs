//! The genetic search.

use crate::cleaneval_2007::wcc_genetic::{Leaf, Settings};
use crate::shared::patterns;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Maximum number of leaves in an initial tree.
const MAX_FIRST_LEAVES: usize = 5;
/// Tournament size: the fittest of this many individuals becomes a parent.
const TOURNAMENT: usize = 3;

/// Blocks of training pages.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    /// The HTML of the blocks.
    pub html: Vec<String>,
    /// Change of the fitness if the block is kept: 2 for every gold word, -1 for every other word.
    pub gain: Vec<i64>,
}

/// Bit set of the blocks that an expression matches.
type Found = Vec<u64>;

/// A tree, stored as its leaves in order. OR is associative, so any contiguous range of leaves can be a subtree.
#[derive(Debug, Clone, PartialEq)]
struct Tree {
    /// Index of the expression, and whether it is positive.
    leaves: Vec<(usize, bool)>,
    fitness: i64,
}

pub(crate) struct Search<'a> {
    examples: &'a Examples,
    settings: &'a Settings,
    patterns: Vec<String>,
    numbers: BTreeMap<String, usize>,
    found: Vec<Found>,
    rng: ChaCha8Rng,
}

impl<'a> Search<'a> {
    /// Starts a search over the expressions of `pool` and their concatenations.
    pub(super) fn new(examples: &'a Examples, pool: Vec<String>, settings: &'a Settings, seed: u64) -> Self {
        let numbers = pool.iter().cloned().zip(0..).collect();
        let found = pool.par_iter().map(|pattern| find(pattern, &examples.html)).collect();
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Search { examples, settings, patterns: pool, numbers, found, rng }
    }

    /// Returns the leaves of the fittest tree and its fitness. Leaves that have no effect are removed.
    pub(super) fn run(mut self) -> (Vec<Leaf>, i64) {
        let size = self.settings.population;
        let mut population: Vec<Tree> = (0..size).map(|_| self.random_tree()).collect();
        sort(&mut population);
        for _ in 0..self.settings.generations {
            let mut next: Vec<Tree> = population[..self.settings.elite.min(size)].to_vec();
            while next.len() < size {
                let (a, b) = (self.parent(&population), self.parent(&population));
                let mut leaves = match self.rng.random_bool(self.settings.crossover) {
                    true => self.cross(a, b),
                    false => a.leaves.clone(),
                };
                if self.rng.random_bool(self.settings.mutation) {
                    self.mutate(&mut leaves);
                }
                leaves.truncate(self.settings.max_leaves);
                next.push(self.tree(leaves));
            }
            sort(&mut next);
            population = next;
        }
        let best = self.pruned(population.swap_remove(0));
        let leaf = |&(number, keep): &(usize, bool)| Leaf { pattern: self.patterns[number].clone(), keep };
        (best.leaves.iter().map(leaf).collect(), best.fitness)
    }

    fn tree(&self, leaves: Vec<(usize, bool)>) -> Tree {
        Tree { fitness: self.fitness(&leaves), leaves }
    }

    /// Sum of gains over the blocks that match a positive expression and no negative expression.
    fn fitness(&self, leaves: &[(usize, bool)]) -> i64 {
        let words = self.examples.gain.len().div_ceil(64);
        let mut sum = 0;
        for word in 0..words {
            let any = |positive: bool| {
                leaves.iter().filter(|l| l.1 == positive).fold(0, |bits, l| bits | self.found[l.0][word])
            };
            let mut kept = any(true) & !any(false);
            while kept != 0 {
                sum += self.examples.gain[word * 64 + kept.trailing_zeros() as usize];
                kept &= kept - 1;
            }
        }
        sum
    }

    fn random_tree(&mut self) -> Tree {
        let num_leaves = self.rng.random_range(1..=MAX_FIRST_LEAVES.min(self.settings.max_leaves));
        let leaves = (0..num_leaves).map(|_| self.random_leaf()).collect();
        self.tree(leaves)
    }

    fn random_leaf(&mut self) -> (usize, bool) {
        (self.rng.random_range(0..self.patterns.len()), self.rng.random_bool(0.5))
    }

    /// Tournament selection. The population must be sorted by fitness.
    fn parent<'t>(&mut self, population: &'t [Tree]) -> &'t Tree {
        let draws = (0..TOURNAMENT).map(|_| self.rng.random_range(0..population.len()));
        &population[draws.min().unwrap_or(0)]
    }

    /// Crossover: replaces a subtree of the first tree by a subtree of the second.
    fn cross(&mut self, a: &Tree, b: &Tree) -> Vec<(usize, bool)> {
        let (out, in_) = (self.stretch(a.leaves.len()), self.stretch(b.leaves.len()));
        let mut leaves = a.leaves.clone();
        leaves.splice(out, b.leaves[in_].iter().copied());
        leaves
    }

    fn stretch(&mut self, len: usize) -> std::ops::Range<usize> {
        let (a, b) = (self.rng.random_range(0..=len), self.rng.random_range(0..=len));
        a.min(b)..a.max(b)
    }

    /// Mutation: adds, drops, replaces, negates or narrows one leaf.
    fn mutate(&mut self, leaves: &mut Vec<(usize, bool)>) {
        let new = self.random_leaf();
        if leaves.is_empty() {
            return leaves.push(new);
        }
        let at = self.rng.random_range(0..leaves.len());
        match self.rng.random_range(0..5) {
            0 => leaves.insert(at, new),
            1 => drop(leaves.remove(at)),
            2 => leaves[at].0 = new.0,
            3 => leaves[at].1 ^= true,
            _ => leaves[at].0 = self.joined(leaves[at].0, new.0),
        }
    }

    /// Returns the index of an expression that matches `first` and then `second`. Returns `first` if the
    /// concatenation is too long or cannot match.
    fn joined(&mut self, first: usize, second: usize) -> usize {
        let pattern = format!("{}(?s:.*)(?:{})", self.patterns[first], self.patterns[second]);
        // an expression anchored with `^` cannot match after another one
        if pattern.len() > self.settings.max_length || self.patterns[second].starts_with('^') {
            return first;
        }
        if let Some(&number) = self.numbers.get(&pattern) {
            return number;
        }
        let number = self.patterns.len();
        self.found.push(find(&pattern, &self.examples.html));
        self.numbers.insert(pattern.clone(), number);
        self.patterns.push(pattern);
        number
    }

    /// Removes leaves whose removal does not lower the fitness, tried from the last to the first.
    fn pruned(&self, mut tree: Tree) -> Tree {
        for at in (0..tree.leaves.len()).rev() {
            let mut leaves = tree.leaves.clone();
            leaves.remove(at);
            let smaller = self.tree(leaves);
            if smaller.fitness >= tree.fitness {
                tree = smaller;
            }
        }
        tree
    }
}

/// Sorts by descending fitness, then by ascending number of leaves.
fn sort(population: &mut [Tree]) {
    population.sort_by_key(|t| (std::cmp::Reverse(t.fitness), t.leaves.len()));
}

/// Returns the blocks that the expression matches; no block if it cannot be compiled.
fn find(pattern: &str, blocks: &[String]) -> Found {
    let mut bits = vec![0; blocks.len().div_ceil(64)];
    if let Ok(regex) = patterns::one(pattern) {
        let found: Vec<bool> = blocks.par_iter().map(|html| regex.is_match(html)).collect();
        found.iter().enumerate().filter(|f| *f.1).for_each(|(i, _)| bits[i / 64] |= 1 << (i % 64));
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            population: 30,
            generations: 20,
            elite: 2,
            crossover: 0.8,
            mutation: 0.4,
            max_leaves: 6,
            max_length: 100,
            max_blocks: 1000,
        }
    }

    fn examples(blocks: &[(&str, i64)]) -> Examples {
        Examples {
            html: blocks.iter().map(|b| b.0.to_owned()).collect(),
            gain: blocks.iter().map(|b| b.1).collect(),
        }
    }

    #[test]
    fn fitness_is_as_worked_out_by_hand() {
        // three gold words; two words of boilerplate; four words of boilerplate
        let examples = examples(&[("<p>a b c", 6), ("<li>a b", -2), ("<p>a b c ©", -4)]);
        let settings = settings();
        let pool = ["<p", "a", "©"].map(str::to_owned).to_vec();
        let search = Search::new(&examples, pool, &settings, 1);
        assert_eq!(search.fitness(&[(0, true)]), 2);
        assert_eq!(search.fitness(&[(0, true), (2, false)]), 6);
        assert_eq!(search.fitness(&[(1, true), (2, false)]), 4);
        assert_eq!(search.fitness(&[(2, false)]), 0, "without a positive leaf nothing is kept");
        assert_eq!(search.fitness(&[]), 0);
        // a leaf that changes nothing is removed
        let pruned = search.pruned(search.tree(vec![(0, true), (2, false), (2, false)]));
        assert_eq!(pruned.leaves, [(0, true), (2, false)]);
    }

    #[test]
    fn the_search_finds_what_tells_blocks_apart() {
        let blocks: Vec<(&str, i64)> =
            [("<p>text", 20), ("<li>link", -3), ("<p>© me", -5), ("<div>x", -1)].repeat(20);
        let (examples, settings) = (examples(&blocks), settings());
        let pool = || ["<p>", "<li>", "text", "©", "<div>", "e"].map(str::to_owned).to_vec();
        let run = |seed| Search::new(&examples, pool(), &settings, seed).run();
        let (leaves, fitness) = run(1);
        assert_eq!(fitness, 400, "{leaves:?}");
        assert_eq!(run(1), (leaves, fitness), "the same seed, the same tree");
    }
}
