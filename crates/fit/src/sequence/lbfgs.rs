//! L-BFGS: deterministic minimisation of a smooth function on one thread.
//!
//! The line search halves the step until the decrease is sufficient (Armijo condition). Pairs without positive
//! curvature are skipped, since they would make the approximate Hessian indefinite (Li and Fukushima, 2001).
//!
//! Source: Nocedal and Wright, 2006, "Numerical Optimization", algorithms 7.4 and 7.5.

use std::collections::VecDeque;
use threshr_core::stop::is_requested;

/// Maximum number of stored pairs (step, change of the gradient).
const MEMORY: usize = 8;
/// Armijo constant: minimum share of the predicted decrease.
const ARMIJO: f64 = 1e-4;
/// Maximum number of halvings of a step.
const MAX_HALVINGS: u32 = 30;
/// Number of steps whose joint decrease is compared with the tolerance, since a single step may be small.
const PATIENCE: usize = 3;

/// Stopping rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    /// Maximum number of steps.
    pub(crate) max_steps: usize,
    /// Minimum relative decrease over [`PATIENCE`] steps.
    pub(crate) tolerance: f64,
}

struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inverse: f64,
}

/// Minimises `f`, starting from `x`. Returns the minimum and the number of steps; `x` becomes the minimiser.
///
/// `f(x, gradient)` writes the gradient and returns the value. The line search rejects values that are not
/// finite.
pub(crate) fn minimise(
    x: &mut Vec<f64>,
    stop: Stop,
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> (f64, usize) {
    let mut gradient = vec![0.0; x.len()];
    let mut value = f(x, &mut gradient);
    let mut pairs: VecDeque<Pair> = VecDeque::new();
    let (mut next, mut next_gradient) = (x.clone(), gradient.clone());
    let mut values = vec![value];
    while values.len() <= stop.max_steps && !is_requested() {
        let direction = direction(&gradient, &pairs);
        let slope = dot(&direction, &gradient);
        // the gradient contains NaN, or the direction does not descend
        if slope.is_nan() || slope >= 0.0 {
            break;
        }
        // the first step has no curvature information, so its length is at most 1
        let mut length = if pairs.is_empty() { 1.0 / dot(&gradient, &gradient).sqrt().max(1.0) } else { 1.0 };
        let mut found = None;
        for _ in 0..MAX_HALVINGS {
            next.iter_mut().zip(&*x).zip(&direction).for_each(|((n, x), d)| *n = x + length * d);
            let new = f(&next, &mut next_gradient);
            if new.is_finite() && new <= value + ARMIJO * length * slope {
                found = Some(new);
                break;
            }
            length *= 0.5;
        }
        let Some(new) = found else { break };
        remember(&mut pairs, x, &next, &gradient, &next_gradient);
        std::mem::swap(x, &mut next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        value = new;
        values.push(value);
        let before = values.len().checked_sub(PATIENCE + 1).map(|i| values[i]);
        if before.is_some_and(|b| b - value <= stop.tolerance * value.abs().max(f64::MIN_POSITIVE)) {
            break;
        }
    }
    (value, values.len() - 1)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds `factor` times `other` to `to`.
fn add(to: &mut [f64], factor: f64, other: &[f64]) {
    to.iter_mut().zip(other).for_each(|(to, o)| *to += factor * o);
}

fn remember(pairs: &mut VecDeque<Pair>, x: &[f64], next: &[f64], before: &[f64], after: &[f64]) {
    let minus = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let (step, change) = (minus(next, x), minus(after, before));
    let curvature = dot(&step, &change);
    if curvature > 1e-10 * dot(&change, &change) {
        if pairs.len() == MEMORY {
            pairs.pop_front();
        }
        pairs.push_back(Pair { step, change, inverse: 1.0 / curvature });
    }
}

/// Returns the descent direction: minus the approximate inverse Hessian times the gradient (two-loop
/// recursion).
fn direction(gradient: &[f64], pairs: &VecDeque<Pair>) -> Vec<f64> {
    let mut d: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut factors = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let factor = pair.inverse * dot(&pair.step, &d);
        add(&mut d, -factor, &pair.change);
        factors.push(factor);
    }
    if let Some(last) = pairs.back() {
        let scale = 1.0 / (last.inverse * dot(&last.change, &last.change));
        d.iter_mut().for_each(|d| *d *= scale);
    }
    for (pair, factor) in pairs.iter().zip(factors.iter().rev()) {
        let back = pair.inverse * dot(&pair.change, &d);
        add(&mut d, factor - back, &pair.step);
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_minimum_of_a_narrow_valley() {
        // Rosenbrock's function: its minimum is 0 at (1, 1)
        let mut x = vec![-1.2, 1.0];
        let stop = Stop { max_steps: 200, tolerance: 1e-12 };
        let (value, steps) = minimise(&mut x, stop, |x, g| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            g[0] = -2.0 * a - 400.0 * x[0] * b;
            g[1] = 200.0 * b;
            a * a + 100.0 * b * b
        });
        assert!(value < 1e-12 && steps < 80, "{value} after {steps}");
        assert!((x[0] - 1.0).abs() < 1e-5 && (x[1] - 1.0).abs() < 1e-5);
    }

    #[test]
    fn stops_at_a_flat_or_undefined_start() {
        let stop = Stop { max_steps: 9, tolerance: 0.0 };
        let mut x = vec![3.0];
        assert_eq!(
            minimise(&mut x, stop, |_, g| {
                g[0] = 0.0;
                7.0
            }),
            (7.0, 0)
        );
        assert_eq!(
            minimise(&mut x, stop, |_, g| {
                g[0] = f64::NAN;
                f64::NAN
            })
            .1,
            0
        );
        assert_eq!(x, [3.0]);
    }
}
