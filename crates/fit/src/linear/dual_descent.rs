//! Dual coordinate descent for linear support vector machines with one cost per row.
//!
//! Source: Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008, "A dual coordinate descent method for
//! large-scale linear SVM"; shrinking as in LIBLINEAR.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use threshr_core::stop;
use threshr_models::linear::svm_rff::dot;

/// The rows of a training problem.
pub(crate) struct Problem<'a> {
    /// Feature values, shape (n_rows, `width`).
    pub(crate) z: &'a [f32],
    pub(crate) width: usize,
    pub(crate) y: &'a [bool],
    /// Cost of an error for each row, `>= 0`. Rows with cost 0 are ignored.
    pub(crate) cost: &'a [f64],
}

/// The result of a fit.
pub(crate) struct Solution {
    /// One weight for each of `width` features.
    pub(crate) weight: Vec<f32>,
    /// Number of passes over the rows.
    pub(crate) epochs: usize,
    /// Whether the spread of the projected gradients is within the tolerance.
    pub(crate) converged: bool,
}

/// Minimises 0.5 |w|^2 + sum of cost x squared hinge loss. Stops if the spread of the projected gradients
/// (largest minus smallest) is at most `tolerance`, or after `max_epochs`.
pub(crate) fn solve(
    problem: &Problem<'_>,
    tolerance: f64,
    max_epochs: usize,
    rng: &mut ChaCha8Rng,
) -> Solution {
    let mut state = State::new(problem);
    let rows: Vec<u32> = (0..problem.y.len() as u32).filter(|&i| problem.cost[i as usize] > 0.0).collect();
    let mut active = rows.clone();
    let mut highest = f64::INFINITY;
    for epoch in 1..=max_epochs {
        if stop::is_requested() {
            break;
        }
        active.shuffle(rng);
        let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
        active.retain(|&row| match state.step(row as usize, highest) {
            Some(gradient) => {
                (high, low) = (high.max(gradient), low.min(gradient));
                true
            }
            None => false,
        });
        if active.is_empty() || high - low <= tolerance {
            if active.len() == rows.len() {
                return Solution { weight: state.weight, epochs: epoch, converged: true };
            }
            // converged on the active rows, so check all rows again
            active.clone_from(&rows);
            highest = f64::INFINITY;
            continue;
        }
        highest = if high > 0.0 { high } else { f64::INFINITY };
    }
    Solution { weight: state.weight, epochs: max_epochs, converged: false }
}

struct State<'a> {
    problem: &'a Problem<'a>,
    alpha: Vec<f64>,
    /// Diagonal of the dual problem's quadratic form.
    diagonal: Vec<f64>,
    weight: Vec<f32>,
}

impl<'a> State<'a> {
    fn new(problem: &'a Problem<'a>) -> Self {
        let rows = problem.z.chunks_exact(problem.width).zip(problem.cost);
        let extra = |cost: f64| 0.5 / cost.max(1e-300);
        let diagonal = rows.map(|(z, &cost)| (f64::from(dot(z, z)) + extra(cost)).max(1e-12)).collect();
        Self { problem, alpha: vec![0.0; problem.y.len()], diagonal, weight: vec![0.0; problem.width] }
    }

    /// Optimises the dual variable of one row. Returns its projected gradient, or `None` if the row is shrunk
    /// (stays at 0).
    fn step(&mut self, row: usize, highest: f64) -> Option<f64> {
        let p = self.problem;
        let z = &p.z[row * p.width..][..p.width];
        let sign = if p.y[row] { 1.0 } else { -1.0 };
        let old = self.alpha[row];
        let gradient = sign * f64::from(dot(&self.weight, z)) - 1.0 + old * (0.5 / p.cost[row]);
        let projected = if old <= 0.0 {
            if gradient > highest {
                return None;
            }
            gradient.min(0.0)
        } else {
            gradient
        };
        if projected.abs() > 1e-12 {
            let new = (old - gradient / self.diagonal[row]).max(0.0);
            self.alpha[row] = new;
            let change = ((new - old) * sign) as f32;
            self.weight.iter_mut().zip(z).for_each(|(w, v)| *w += change * v);
        }
        Some(projected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn fit(cost: &[f64]) -> Solution {
        let z = [1.0, 1.0, 2.0, 1.0, -1.0, 1.0, -3.0, 1.0, 0.5, 1.0];
        let problem = Problem { z: &z, width: 2, y: &[true, true, false, false, false], cost };
        solve(&problem, 1e-6, 10_000, &mut ChaCha8Rng::seed_from_u64(1))
    }

    /// Returns the primal objective at `w`.
    fn primal(w: &[f32], cost: &[f64]) -> f64 {
        let rows = [(1.0, 1.0), (2.0, 1.0), (-1.0, -1.0), (-3.0, -1.0), (0.5, -1.0)];
        let w = [f64::from(w[0]), f64::from(w[1])];
        let loss = |(x, y): (f64, f64)| (1.0 - y * (w[0] * x + w[1])).max(0.0).powi(2);
        let sum: f64 = rows.iter().zip(cost).map(|(&r, c)| c * loss(r)).sum();
        0.5 * (w[0] * w[0] + w[1] * w[1]) + sum
    }

    #[test]
    fn finds_the_minimum_for_weighted_rows() {
        let cost = [1.0, 0.5, 2.0, 1.0, 3.0];
        let s = fit(&cost);
        assert!(s.converged && s.epochs < 10_000);
        let best = primal(&s.weight, &cost);
        for (dx, db) in [(0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01), (0.01, -0.01)] {
            let neighbour = [s.weight[0] + dx, s.weight[1] + db];
            assert!(primal(&neighbour, &cost) >= best - 1e-6);
        }
    }

    #[test]
    fn rows_of_cost_0_have_no_effect() {
        let with = fit(&[1.0, 1.0, 1.0, 1.0, 0.0]).weight;
        assert!(with[0] * 0.5 + with[1] > 0.0);
    }
}
