//! A network's parameters and its forward pass over a page.

use crate::network::matmul::add_product;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use threshr_core::{Error, Result};

/// Sizes of the layers.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Number of columns.
    pub columns: usize,
    /// Number of units in the first layer, a multiple of [`LANES`](crate::network::matmul::LANES).
    pub first: usize,
    /// Number of units in the second layer, also a multiple of `LANES`.
    pub second: usize,
}

/// Ranges of the weights and biases in a network's parameter vector.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Weights of the first layer, shape (columns, first).
    pub first: Range<usize>,
    /// Biases of the first layer.
    pub first_bias: Range<usize>,
    /// Weights of the second layer, shape (first, second).
    pub second: Range<usize>,
    /// Biases of the second layer.
    pub second_bias: Range<usize>,
    /// Weights of the output unit (log-odds).
    pub last: Range<usize>,
    /// Bias of the output unit.
    pub last_bias: Range<usize>,
}

impl Shape {
    /// Returns the ranges of the weights and biases.
    pub fn parts(self) -> Parts {
        let mut end = 0;
        let mut part = |n: usize| {
            end += n;
            end - n..end
        };
        let (first, second) = (self.first, self.second);
        Parts {
            first: part(self.columns * first),
            first_bias: part(first),
            second: part(first * second),
            second_bias: part(second),
            last: part(second),
            last_bias: part(1),
        }
    }

    /// Number of parameters.
    pub fn num_parameters(self) -> usize {
        self.parts().last_bias.end
    }
}

/// A trained network.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Net {
    /// All parameters, in the order of [`Shape::parts`].
    #[serde(with = "crate::packed")]
    pub numbers: Vec<f32>,
}

impl Net {
    /// Validates deserialized data.
    ///
    /// # Errors
    /// If the number of parameters is wrong, or a parameter is not finite.
    pub fn check(&self, shape: Shape) -> Result<()> {
        if self.numbers.len() != shape.num_parameters() || self.numbers.iter().any(|v| !v.is_finite()) {
            return Err(Error::model("invalid parameters of a network")
                .expected(format!("{} finite numbers", shape.num_parameters())));
        }
        Ok(())
    }

    /// Returns the log-odds of the blocks of a page. `z` has shape (n, columns).
    pub fn decide(&self, shape: Shape, z: &[f32]) -> Vec<f32> {
        let mut page = Activations::default();
        page.fill_first(shape, &self.numbers, z);
        page.fill_second(shape, &self.numbers);
        page.decisions
    }

    /// Returns the weights of the first layer, shape (columns, first).
    pub fn first(&self, shape: Shape) -> &[f32] {
        &self.numbers[shape.parts().first]
    }

    /// Returns the biases of the first layer, repeated for n blocks, shape (n, first).
    pub fn first_biases(&self, shape: Shape, n: usize) -> Vec<f32> {
        self.numbers[shape.parts().first_bias].repeat(n)
    }

    /// Returns the log-odds of the blocks of a page. `sums` are the first layer's sums before ReLU, shape (n,
    /// first).
    pub fn decide_from(&self, shape: Shape, sums: Vec<f32>) -> Vec<f32> {
        let mut page = Activations { first: sums, ..Activations::default() };
        page.rectify_first();
        page.fill_second(shape, &self.numbers);
        page.decisions
    }

    /// Adds the contribution of each column to the log-odds of a row, multiplied by `scale`, to `out`. Returns
    /// the log-odds of the reference row, in which all scaled columns are 0.
    ///
    /// The contributions are integrated gradients (Sundararajan et al., ICML 2017) from the reference row.
    /// The error of the numerical integration is distributed in proportion to the absolute values of the
    /// contributions, so that the sum is exact.
    pub fn explain(&self, shape: Shape, z: &[f32], scale: f64, out: &mut [f64]) -> f64 {
        const STEPS: usize = 200;
        let (parts, num_second) = (shape.parts(), shape.second);
        let units =
            |range: Range<usize>| self.numbers[range].iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
        let (bias, second_bias, last) =
            (units(parts.first_bias), units(parts.second_bias), units(parts.last));
        let (first, second) = (&self.numbers[parts.first], &self.numbers[parts.second]);
        let mut along = vec![0.0; bias.len()];
        for (v, w) in z.iter().zip(first.chunks_exact(bias.len())) {
            along.iter_mut().zip(w).for_each(|(sum, w)| *sum += f64::from(*v) * f64::from(*w));
        }
        let mut slope = vec![0.0; bias.len()];
        for step in 0..STEPS {
            let t = (step as f64 + 0.5) / STEPS as f64;
            let on: Vec<f64> = bias.iter().zip(&along).map(|(b, a)| (b + t * a).max(0.0)).collect();
            let mut sums = second_bias.clone();
            for (v, w) in on.iter().zip(second.chunks_exact(num_second)) {
                sums.iter_mut().zip(w).for_each(|(sum, w)| *sum += v * f64::from(*w));
            }
            let d: Vec<f64> = sums.iter().zip(&last).map(|(s, w)| if *s > 0.0 { *w } else { 0.0 }).collect();
            for ((slope, v), w) in slope.iter_mut().zip(&on).zip(second.chunks_exact(num_second)) {
                if *v > 0.0 {
                    *slope += w.iter().zip(&d).map(|(w, d)| f64::from(*w) * d).sum::<f64>() / STEPS as f64;
                }
            }
        }
        let part = |(v, w): (&f32, &[f32])| -> f64 {
            f64::from(*v) * w.iter().zip(&slope).map(|(w, s)| f64::from(*w) * s).sum::<f64>()
        };
        let moved: Vec<f64> = z.iter().zip(first.chunks_exact(bias.len())).map(part).collect();
        let decide = |z: &[f32]| f64::from(self.decide(shape, z)[0]);
        let base = decide(&vec![0.0; z.len()]);
        let size: f64 = moved.iter().map(|m| m.abs()).sum();
        let error = decide(z) - base - moved.iter().sum::<f64>();
        let distance: f64 = z.iter().map(|v| f64::from(v.abs())).sum();
        for ((out, m), v) in out.iter_mut().zip(&moved).zip(z) {
            let share = if size > 0.0 {
                m.abs() / size
            } else {
                f64::from(v.abs()) / distance.max(f64::MIN_POSITIVE)
            };
            *out += scale * (m + error * share);
        }
        base
    }
}

/// Activations of all layers for a page with n blocks.
#[derive(Debug, Default)]
pub struct Activations {
    /// First layer after ReLU, shape (n, first).
    pub first: Vec<f32>,
    /// Second layer after ReLU, shape (n, second).
    pub second: Vec<f32>,
    /// Log-odds of the blocks.
    pub decisions: Vec<f32>,
}

impl Activations {
    /// Computes the first layer. `z` has shape (n, columns).
    pub fn fill_first(&mut self, shape: Shape, numbers: &[f32], z: &[f32]) {
        let parts = shape.parts();
        let bias = &numbers[parts.first_bias];
        self.first.clear();
        (0..z.len() / shape.columns.max(1)).for_each(|_| self.first.extend_from_slice(bias));
        add_product(z, shape.columns, &numbers[parts.first], &mut self.first, shape.first);
        self.rectify_first();
    }

    /// Applies ReLU to the sums of the first layer.
    fn rectify_first(&mut self) {
        self.first.iter_mut().for_each(|v| *v = v.max(0.0));
    }

    /// Computes the second layer and the log-odds from the first layer.
    pub fn fill_second(&mut self, shape: Shape, numbers: &[f32]) {
        let (parts, first, second) = (shape.parts(), shape.first, shape.second);
        let n = self.first.len() / first;
        let bias = &numbers[parts.second_bias];
        self.second.clear();
        (0..n).for_each(|_| self.second.extend_from_slice(bias));
        add_product(&self.first, first, &numbers[parts.second], &mut self.second, second);
        self.second.iter_mut().for_each(|v| *v = v.max(0.0));
        let (last, bias) = (&numbers[parts.last], numbers[parts.last_bias.start]);
        self.decisions.clear();
        let sum = |row: &[f32]| row.iter().zip(last).fold(bias, |sum, (v, w)| sum + v * w);
        self.decisions.extend(self.second.chunks_exact(second).map(sum));
    }
}
