//! Fits a conditional random field: computes the loss over all pages and its gradient in parallel.
//!
//! The result does not depend on the number of threads. Pages are divided into fixed groups, whose losses are
//! added in order. The gradient with respect to a column's bins is summed over all rows in order; columns are
//! processed in parallel.

use crate::rows::{page_groups, page_rows};
use crate::sequence::lbfgs::{Stop, minimise};
use crate::trees::binning::BinnedMatrix;
use rayon::prelude::*;
use std::ops::Range;
use threshr_models::sequence::crf_chain::{Chain, Transitions};

/// Minimum number of rows in a group of pages.
const GROUP_ROWS: usize = 4096;

/// Training data. Slices have one entry per row.
pub(crate) struct Training<'a> {
    pub(crate) binned: &'a BinnedMatrix,
    /// Bucket of the gap before each row, which selects the transition scores.
    pub(crate) bucket: &'a [u8],
    /// Number of buckets.
    pub(crate) num_buckets: usize,
    pub(crate) states: &'a [u8],
    pub(crate) weight: &'a [f32],
    pub(crate) page: &'a [u32],
    /// Factor of the L2 penalty.
    pub(crate) penalty: f64,
}

/// Parameters of a fitted model, as in `crf_model::Data`.
pub(crate) struct Trained {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f64>,
    pub(crate) moves: Vec<f64>,
}

/// Offsets in the parameter vector. It contains the steps between bins (state by state), the biases, and the
/// transition scores.
struct Layout {
    /// Offset of each column's first bin within the bins of a state.
    starts: Vec<usize>,
    num_bins: usize,
    bias: usize,
    moves: usize,
    len: usize,
}

/// Loss of a group of pages, and its gradient with respect to the scores.
struct GroupLoss<const S: usize> {
    loss: f64,
    of_scores: Vec<[f64; S]>,
    of_transitions: Vec<Transitions<S>>,
}

impl Training<'_> {
    /// Fits a model with `S` states. All parameters start at 0.
    pub(crate) fn run<const S: usize>(&self, stop: Stop) -> Trained {
        let layout = self.layout::<S>();
        let groups = self.groups();
        let mut x = vec![0.0; layout.len];
        minimise(&mut x, stop, |x, gradient| self.loss::<S>(&layout, &groups, x, gradient));
        let weight = self.weights(&layout, &x).iter().map(|&w| w as f32).collect();
        let (bias, moves) = (x[layout.bias..layout.moves].to_vec(), x[layout.moves..].to_vec());
        Trained { weight, bias, moves }
    }

    fn layout<const S: usize>(&self) -> Layout {
        let mut starts = vec![0];
        for j in 0..self.binned.num_columns() {
            starts.push(starts[j] + self.binned.num_bins(j));
        }
        let num_bins = starts[starts.len() - 1];
        let bias = (S - 1) * num_bins;
        let moves = bias + S - 1;
        Layout { starts, num_bins, bias, moves, len: moves + self.num_buckets * S * S }
    }

    /// Groups whole pages; each group has at least [`GROUP_ROWS`] rows, except perhaps the last.
    fn groups(&self) -> Vec<Vec<Range<usize>>> {
        let pages: Vec<_> = page_rows(self.page).collect();
        page_groups(&pages, GROUP_ROWS).map(<[_]>::to_vec).collect()
    }

    /// Returns the weight of each bin: the sum of the steps up to this bin. The parameters of a column are
    /// the steps from one bin to the next, so that the L2 penalty smooths the weights over neighbouring bins.
    fn weights(&self, layout: &Layout, x: &[f64]) -> Vec<f64> {
        let mut weight = x[..layout.bias].to_vec();
        for state in weight.chunks_exact_mut(layout.num_bins) {
            for s in layout.starts.windows(2) {
                let bins = &mut state[s[0]..s[1]];
                bins[0] = 0.0;
                for bin in 1..bins.len() {
                    bins[bin] += bins[bin - 1];
                }
            }
        }
        weight
    }

    fn loss<const S: usize>(
        &self,
        layout: &Layout,
        groups: &[Vec<Range<usize>>],
        x: &[f64],
        gradient: &mut [f64],
    ) -> f64 {
        let weight = self.weights(layout, x);
        let moves: Vec<Transitions<S>> = x[layout.moves..]
            .chunks_exact(S * S)
            .map(|m| std::array::from_fn(|a| std::array::from_fn(|b| m[a * S + b])))
            .collect();
        let bias = &x[layout.bias..layout.moves];
        let done: Vec<GroupLoss<S>> =
            groups.par_iter().map(|group| self.group_loss(layout, &weight, bias, &moves, group)).collect();
        // biases are not penalised, since they represent the class shares
        let penalised = x[..layout.bias].iter().chain(&x[layout.moves..]);
        let loss = done.iter().map(|d| d.loss).sum::<f64>();
        gradient.fill(0.0);
        self.add_gradient(layout, &done, gradient);
        for (i, (g, x)) in gradient.iter_mut().zip(x).enumerate() {
            if !(layout.bias..layout.moves).contains(&i) {
                *g += self.penalty * x;
            }
        }
        loss + 0.5 * self.penalty * penalised.map(|w| w * w).sum::<f64>()
    }

    fn group_loss<const S: usize>(
        &self,
        layout: &Layout,
        weight: &[f64],
        bias: &[f64],
        moves: &[Transitions<S>],
        pages: &[Range<usize>],
    ) -> GroupLoss<S> {
        let (start, end) = (pages[0].start, pages[pages.len() - 1].end);
        let mut first = [0.0; S];
        first[1..].copy_from_slice(bias);
        let mut scores = vec![first; end - start];
        for j in (0..self.binned.num_columns()).filter(|&j| self.binned.num_bins(j) > 1) {
            let codes = &self.binned.codes(j)[start..end];
            for (k, state) in weight.chunks_exact(layout.num_bins).enumerate() {
                let bins = &state[layout.starts[j]..layout.starts[j + 1]];
                scores.iter_mut().zip(codes).for_each(|(s, &code)| s[k + 1] += bins[usize::from(code)]);
            }
        }
        let mut out = GroupLoss {
            loss: 0.0,
            of_scores: vec![[0.0; S]; end - start],
            of_transitions: vec![[[0.0; S]; S]; moves.len()],
        };
        for page in pages.iter().filter(|p| self.weight[(*p).clone()].iter().any(|w| *w > 0.0)) {
            let within = page.start - start..page.end - start;
            let chain = Chain {
                scores: &scores[within.clone()],
                bucket: &self.bucket[page.clone()],
                transitions: moves,
            };
            let (y, weight) = (&self.states[page.clone()], &self.weight[page.clone()]);
            out.loss += chain.loss(y, weight, &mut out.of_scores[within], &mut out.of_transitions);
        }
        out
    }

    fn add_gradient<const S: usize>(&self, layout: &Layout, done: &[GroupLoss<S>], gradient: &mut [f64]) {
        let columns: Vec<Vec<[f64; S]>> =
            (0..self.binned.num_columns()).into_par_iter().map(|j| self.by_bin(j, done)).collect();
        for (j, bins) in columns.iter().enumerate() {
            for (bin, sums) in bins.iter().enumerate() {
                for k in 1..S {
                    gradient[(k - 1) * layout.num_bins + layout.starts[j] + bin] = sums[k];
                }
            }
        }
        for group in done {
            for scores in &group.of_scores {
                (1..S).for_each(|k| gradient[layout.bias + k - 1] += scores[k]);
            }
            let moves = group.of_transitions.iter().flatten().flatten();
            gradient[layout.moves..].iter_mut().zip(moves).for_each(|(g, m)| *g += m);
        }
    }

    /// Returns the gradient with respect to the steps between the bins of column `j`.
    fn by_bin<const S: usize>(&self, j: usize, done: &[GroupLoss<S>]) -> Vec<[f64; S]> {
        let mut bins = vec![[0.0; S]; self.binned.num_bins(j)];
        if bins.len() < 2 {
            return bins;
        }
        let scores = done.iter().flat_map(|group| &group.of_scores);
        for (&code, scores) in self.binned.codes(j).iter().zip(scores) {
            bins[usize::from(code)].iter_mut().zip(scores).for_each(|(b, s)| *b += s);
        }
        // a step affects its own bin and all later bins
        for bin in (1..bins.len()).rev() {
            let (before, here) = bins.split_at_mut(bin);
            before[bin - 1].iter_mut().zip(&here[0]).for_each(|(b, h)| *b += h);
        }
        bins[0] = [0.0; S];
        bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    /// Calls `f` with training data of three pages: 5 blocks, 2 blocks of weight 0, and 1 block. There are 3
    /// columns.
    fn with_training<T>(states: &[u8], f: impl Fn(&Training<'_>) -> T) -> T {
        let x = Array2::from_shape_fn((8, 3), |(i, j)| ((i * 7 + j * 3) % 5) as f32);
        let binned = BinnedMatrix::new(x.view(), None, 4);
        f(&Training {
            binned: &binned,
            bucket: &[0, 1, 1, 0, 1, 0, 1, 0],
            num_buckets: 2,
            states,
            weight: &[1.0, 0.5, 2.0, 0.0, 3.0, 0.0, 0.0, 1.5],
            page: &[0, 0, 0, 0, 0, 4, 4, 5],
            penalty: 0.3,
        })
    }

    fn gradient_is_that_of_the_loss<const S: usize>(states: &[u8]) {
        with_training(states, |training| {
            let (layout, groups) = (training.layout::<S>(), training.groups());
            let mut x: Vec<f64> = (0..layout.len).map(|i| ((i * 37 % 11) as f64 - 5.0) / 7.0).collect();
            // the first step of each column has no effect and stays 0
            for k in 0..S - 1 {
                layout.starts[..3].iter().for_each(|start| x[k * layout.num_bins + start] = 0.0);
            }
            let mut gradient = vec![0.0; layout.len];
            let mut spare = gradient.clone();
            training.loss::<S>(&layout, &groups, &x, &mut gradient);
            for i in 0..layout.len {
                let mut at = |d: f64| {
                    let mut x = x.clone();
                    x[i] += d;
                    training.loss::<S>(&layout, &groups, &x, &mut spare)
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((slope - gradient[i]).abs() < 1e-6, "{i}: {slope} {}", gradient[i]);
            }
        });
    }

    #[test]
    fn gradients_agree_with_differences() {
        gradient_is_that_of_the_loss::<2>(&[0, 1, 1, 0, 1, 1, 0, 1]);
        gradient_is_that_of_the_loss::<4>(&[0, 2, 1, 3, 1, 1, 0, 2]);
    }

    #[test]
    fn groups_hold_whole_pages_and_every_row_once() {
        with_training(&[0; 8], |training| {
            assert_eq!(training.groups(), [[0..5, 5..7, 7..8]]);
            let page: Vec<u32> = (0..30_000).map(|i| i / 3_000).collect();
            let groups = Training { page: &page, ..*training }.groups();
            assert!(groups.iter().all(|g| g.len() == 2) && groups.len() == 5);
        });
    }
}
