//! Gradient boosting of the logistic loss: each round fits a tree on sampled pages and columns.
//!
//! Source: Friedman, Annals of Statistics 29, 2001, "Greedy function approximation", and Computational
//! Statistics and Data Analysis 38, 2002, "Stochastic gradient boosting"; Newton steps as in Friedman, Hastie
//! and Tibshirani, Annals of Statistics 28, 2000, "Additive logistic regression".

use crate::TrainingSet;
use crate::boosting::gbt::Params;
use crate::sampling::{Pages, draw_ascending};
use crate::simd::byte_transpose::{Cell, ColumnGroups};
use crate::trees::binning::{BinnedMatrix, MAX_BINS};
use crate::trees::leafwise::{Grower, GrownTree, Node, Scale, Task};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::array::from_fn;
use std::ops::Range;
use threshr_core::stop;
use threshr_models::trees::ensemble::{Split, Trees};

/// Number of rows per parallel task. It is fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 8192;

/// Lower bound for a leaf's sum of Hessians, so that the Newton step is finite.
const MIN_HESSIAN: f64 = 1e-6;

/// Returns the binned columns of `set`, for [`boost`].
pub(crate) fn bins_of(set: &TrainingSet<'_>) -> BinnedMatrix {
    BinnedMatrix::new(set.x, Some(set.weight), MAX_BINS)
}

/// Fits the base log-odds and the trees to `set`, which must have passed its check. `binned` contains the
/// binned columns of `set`.
pub(crate) fn boost(set: &TrainingSet<'_>, binned: &BinnedMatrix, how: &Params, seed: u64) -> (f64, Trees) {
    let mut state = State::new(set, binned);
    let (base, mut trees) = (state.base(), Trees::default());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // all models share one random number generator
    for _ in 0..how.models {
        state.scores.fill(base);
        for _ in 0..how.rounds {
            if stop::is_requested() {
                break;
            }
            state.round(how, &mut rng, &mut trees);
        }
    }
    (base, trees)
}

/// State that is kept between rounds.
struct State<'a> {
    y: &'a [bool],
    binned: &'a BinnedMatrix,
    /// Weight of each row.
    weights: &'a [f32],
    /// Mean weight of the rows whose weight is positive.
    mean_weight: f64,
    /// Current log-odds of each row.
    scores: Vec<f64>,
    pages: Pages,
    in_sample: Vec<bool>,
    groups: ColumnGroups,
    grower: Grower,
}

impl<'a> State<'a> {
    fn new(set: &'a TrainingSet<'_>, binned: &'a BinnedMatrix) -> Self {
        let n = set.y.len();
        let pages = Pages::new(set);
        let total: f64 = set.weight.iter().map(|w| f64::from(*w)).sum();
        let mean_weight = total / pages.num_rows().max(1) as f64;
        Self {
            y: set.y,
            binned,
            weights: set.weight,
            mean_weight,
            scores: vec![0.0; n],
            pages,
            in_sample: vec![false; n],
            groups: ColumnGroups::default(),
            grower: Grower::default(),
        }
    }

    /// Returns the weight of a row, scaled so that rows with a positive weight have a mean of 1.
    fn weight(&self, row: usize) -> f64 {
        f64::from(self.weights[row]) / self.mean_weight
    }

    /// Returns the log-odds of the weighted content share.
    fn base(&self) -> f64 {
        let sum = |class: bool| -> f64 {
            (0..self.y.len()).filter(|&row| self.y[row] == class).map(|row| self.weight(row)).sum()
        };
        (sum(true).max(f64::MIN_POSITIVE) / sum(false).max(f64::MIN_POSITIVE)).ln()
    }

    fn round(&mut self, how: &Params, rng: &mut ChaCha8Rng, trees: &mut Trees) {
        let rows = self.pages.draw(rng, how.row_share);
        let columns = draw_ascending(rng, self.binned.num_columns(), how.column_share);
        self.groups.load(self.binned, rows, columns);
        let stats = self.gradients();
        let (scale, cells) = fixed_point(&stats);
        let growth = how.growth();
        let task = Task { binned: self.binned, groups: &self.groups, cells: &cells, scale, growth: &growth };
        let grown = self.grower.grow(&task);
        if !grown.nodes.is_empty() {
            let leaves = self.leaf_values(&grown, &stats, how);
            self.add_tree(&grown, &leaves, how.row_share < 1.0);
            let share = 1.0 / how.models as f32;
            let shares: Vec<_> = leaves.iter().map(|&(value, weight)| (value * share, weight)).collect();
            trees.push(&splits(&grown, self.binned), &shares);
        }
        self.grower.recycle(grown);
    }

    /// Returns the gradient and the Hessian of the loss for each sampled row.
    fn gradients(&self) -> Vec<[f32; 2]> {
        let stats = self.groups.rows().par_iter().with_min_len(CHUNK).map(|&row| {
            let row = row as usize;
            let (w, p) = (self.weight(row), 1.0 / (1.0 + (-self.scores[row]).exp()));
            let y = if self.y[row] { 1.0 } else { 0.0 };
            [(w * (p - y)) as f32, (w * p * (1.0 - p)) as f32]
        });
        stats.collect()
    }

    /// Returns the Newton step, multiplied by the learning rate, and the total weight of each leaf.
    fn leaf_values(&self, grown: &GrownTree, stats: &[[f32; 2]], how: &Params) -> Vec<(f32, f32)> {
        let leaf = |range: &Range<usize>| {
            let (mut gradient, mut hessian, mut weight) = (0.0, how.lambda_l2, 0.0);
            for &row in &grown.order[range.clone()] {
                let [g, h] = stats[row as usize].map(f64::from);
                (gradient, hessian) = (gradient + g, hessian + h);
                weight += self.weight(self.groups.rows()[row as usize] as usize);
            }
            ((-how.learning_rate * gradient / hessian.max(MIN_HESSIAN)) as f32, weight as f32)
        };
        grown.leaves.par_iter().map(leaf).collect()
    }

    /// Adds the tree's leaf values to the log-odds of the sampled rows. If `with_unsampled` is true, the other
    /// rows are updated too.
    fn add_tree(&mut self, grown: &GrownTree, leaves: &[(f32, f32)], with_unsampled: bool) {
        for (range, &(value, _)) in grown.leaves.iter().zip(leaves) {
            for &row in &grown.order[range.clone()] {
                let row = self.groups.rows()[row as usize] as usize;
                self.scores[row] += f64::from(value);
                self.in_sample[row] = true;
            }
        }
        if !with_unsampled {
            return;
        }
        let walk = Walk::new(grown, leaves, self.binned);
        let chunks = self.scores.par_chunks_mut(CHUNK).zip(self.in_sample.par_chunks_mut(CHUNK)).enumerate();
        chunks.for_each_init(Vec::new, |unsampled, (chunk, (scores, in_sample))| {
            unsampled.clear();
            unsampled.extend((0..scores.len()).filter(|&i| !std::mem::take(&mut in_sample[i])));
            for rows in unsampled.chunks(LANES) {
                let values = walk.values(chunk * CHUNK, rows);
                rows.iter().zip(values).for_each(|(&row, value)| scores[row] += value);
            }
        });
    }
}

/// Number of rows that descend a tree together. Their steps are independent, so the memory accesses overlap.
const LANES: usize = 8;

/// A tree that is laid out for the traversal by many rows. A leaf is a node whose two children are the node
/// itself.
struct Walk<'a> {
    nodes: Vec<(&'a [u8], u8, [u32; 2])>,
    /// Value of each leaf.
    leaves: Vec<f64>,
    /// Number of nodes that are splits.
    num_splits: u32,
}

impl<'a> Walk<'a> {
    fn new(grown: &GrownTree, leaves: &[(f32, f32)], binned: &'a BinnedMatrix) -> Self {
        let num_splits = grown.nodes.len() as u32;
        let place = |child: i32| if child >= 0 { child as u32 } else { num_splits + !child as u32 };
        let split = |n: &Node| (binned.codes(n.column as usize), n.bin, n.child.map(place));
        let any = grown.nodes.first().map_or(&[][..], |n| binned.codes(n.column as usize));
        let leaf = |i: u32| (any, u8::MAX, [num_splits + i; 2]);
        let nodes = grown.nodes.iter().map(split).chain((0..leaves.len() as u32).map(leaf)).collect();
        Walk { nodes, leaves: leaves.iter().map(|leaf| f64::from(leaf.0)).collect(), num_splits }
    }

    /// Returns the leaf values of at most [`LANES`] rows. `rows` are offsets from the matrix row `first`.
    fn values(&self, first: usize, rows: &[usize]) -> [f64; LANES] {
        // unused lanes repeat the first row
        let lanes: [usize; LANES] = from_fn(|i| first + rows.get(i).or(rows.first()).copied().unwrap_or(0));
        let mut at = [0u32; LANES];
        while at.iter().any(|&at| at < self.num_splits) {
            for (at, &row) in at.iter_mut().zip(&lanes) {
                let (codes, bin, child) = &self.nodes[*at as usize];
                *at = child[usize::from(codes[row] > *bin)];
            }
        }
        at.map(|at| self.leaves[(at - self.num_splits) as usize])
    }
}

/// Converts gradients and Hessians to fixed point. Returns the scale and one cell per row.
fn fixed_point(stats: &[[f32; 2]]) -> (Scale, Vec<Cell>) {
    let of_chunk = |chunk: &[[f32; 2]]| {
        chunk.iter().fold([0.0, 0.0], |s, [g, h]| [s[0] + f64::from(g.abs()), s[1] + f64::from(*h)])
    };
    let sums: Vec<[f64; 2]> = stats.par_chunks(CHUNK).map(of_chunk).collect();
    let sum = sums.iter().fold([0.0, 0.0], |s, c| [s[0] + c[0], s[1] + c[1]]);
    let scale = Scale::new(stats.len(), sum[0], sum[1]);
    (scale, stats.par_iter().with_min_len(CHUNK).map(|s| scale.cell(*s)).collect())
}

/// Returns the splits of a tree in the format of the model file.
fn splits(grown: &GrownTree, binned: &BinnedMatrix) -> Vec<Split> {
    let num_splits = grown.nodes.len() as i32;
    let child = |c: i32| if c >= 0 { c as u16 } else { (num_splits + !c) as u16 };
    let split = |n: &Node| Split {
        feature: n.column,
        cut: binned.cut(n.column as usize, usize::from(n.bin)),
        gain: n.gain.clamp(0.0, f64::from(f32::MAX)) as f32,
        children: n.child.map(child),
    };
    grown.nodes.iter().map(split).collect()
}
