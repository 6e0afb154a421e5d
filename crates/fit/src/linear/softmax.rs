//! Fits multinomial logistic regression by L-BFGS.

use crate::sequence::lbfgs::{Stop, minimise};
use ndarray::ArrayView2;
use threshr_core::{Error, Result};
use threshr_models::linear::softmax::{Softmax, normalise, squashed};

/// Stopping rule of the minimisation.
const STOP: Stop = Stop { max_steps: 400, tolerance: 1e-7 };

/// Fits a model to rows of shape (n_rows, n_columns). All values must be finite. `class` has the class of each
/// row, in `0..num_classes`; `weight` has its weight.
///
/// The objective is the weighted mean loss plus `penalty` / 2 times the sum of squared weights. Equal rows give
/// bit-identical models.
///
/// # Errors
/// If the lengths differ, a class is out of range, a number is not finite, a weight is negative, the weights
/// sum to 0, or the penalty is not positive.
pub fn fit_softmax(
    x: ArrayView2<'_, f32>,
    class: &[usize],
    weight: &[f32],
    num_classes: usize,
    penalty: f64,
) -> Result<Softmax> {
    let n = x.nrows();
    let total: f64 = weight.iter().map(|&w| f64::from(w)).sum();
    let is_sound = class.len() == n
        && weight.len() == n
        && class.iter().all(|&c| c < num_classes)
        && weight.iter().all(|w| *w >= 0.0)
        && x.iter().all(|v| v.is_finite());
    if !is_sound || !total.is_finite() || total <= 0.0 || penalty.is_nan() || penalty <= 0.0 {
        return Err(Error::classifier("the rows of a softmax model are invalid").expected(
            "finite rows, one class and one weight per row, weights that do not sum to 0, a positive penalty",
        ));
    }
    let width = x.ncols();
    let (mean, scale) = moments(x, weight, total);
    let mut model =
        Softmax { mean, scale, bias: vec![0.0; num_classes], weights: vec![0.0; num_classes * width] };
    let rows: Vec<f64> = x.rows().into_iter().flat_map(|row| model.standardised(row.iter())).collect();
    let share: Vec<f64> = weight.iter().map(|&w| f64::from(w) / total).collect();
    let mut parameters = vec![0.0; num_classes * (width + 1)];
    let data = Rows { values: &rows, width, class, share: &share, num_classes, penalty };
    minimise(&mut parameters, STOP, |at, gradient| data.loss(at, gradient));
    for (c, of_class) in parameters.chunks_exact(width + 1).enumerate() {
        let (weights, bias) = of_class.split_at(width);
        model.bias[c] = bias.iter().map(|&b| b as f32).sum();
        model.weights[c * width..(c + 1) * width].iter_mut().zip(weights).for_each(|(to, &w)| *to = w as f32);
    }
    Ok(model)
}

/// Returns the mean and the inverse standard deviation of each column after squashing (`sign(x) ln(1 + |x|)`).
/// The inverse is 0 for a column that does not vary.
fn moments(x: ArrayView2<'_, f32>, weight: &[f32], total: f64) -> (Vec<f32>, Vec<f32>) {
    let mut all = (Vec::new(), Vec::new());
    for column in x.columns() {
        let weighted = || column.iter().zip(weight).map(|(&v, &w)| (squashed(v), f64::from(w) / total));
        let mean: f64 = weighted().map(|(v, w)| v * w).sum();
        let variance: f64 = weighted().map(|(v, w)| (v - mean) * (v - mean) * w).sum();
        let varies = column.iter().any(|v| Some(v) != column.first()) && variance > 1e-12;
        all.0.push(mean as f32);
        all.1.push(if varies { (1.0 / variance.sqrt()) as f32 } else { 0.0 });
    }
    all
}

/// The standardised training rows.
struct Rows<'a> {
    values: &'a [f64],
    width: usize,
    class: &'a [usize],
    /// Weights of the rows, scaled to a sum of 1.
    share: &'a [f64],
    num_classes: usize,
    penalty: f64,
}

impl Rows<'_> {
    /// Returns the objective and writes its gradient. The parameters of a class are one weight per column, then
    /// the bias; the classes follow each other.
    fn loss(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let step = self.width + 1;
        gradient.fill(0.0);
        let mut loss = 0.0;
        let mut p = vec![0.0; self.num_classes];
        let rows = (0..self.class.len()).map(|i| &self.values[i * self.width..(i + 1) * self.width]);
        for ((row, &class), &share) in rows.zip(self.class).zip(self.share) {
            for (p, of_class) in p.iter_mut().zip(at.chunks_exact(step)) {
                let (weights, bias) = of_class.split_at(self.width);
                *p = bias[0] + weights.iter().zip(row).map(|(w, v)| w * v).sum::<f64>();
            }
            normalise(&mut p);
            loss -= share * p[class].max(1e-300).ln();
            for (c, of_class) in gradient.chunks_exact_mut(step).enumerate() {
                let residual = share * (p[c] - f64::from(u8::from(c == class)));
                let (weights, bias) = of_class.split_at_mut(self.width);
                bias[0] += residual;
                weights.iter_mut().zip(row).for_each(|(g, v)| *g += residual * v);
            }
        }
        for (of_class, gradient) in at.chunks_exact(step).zip(gradient.chunks_exact_mut(step)) {
            for (w, g) in of_class[..self.width].iter().zip(gradient) {
                loss += 0.5 * self.penalty * w * w;
                *g += self.penalty * w;
            }
        }
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn without_columns_that_vary_the_probabilities_are_the_shares() {
        let x = array![[1.0], [1.0], [1.0], [1.0]];
        let model = fit_softmax(x.view(), &[0, 1, 1, 2], &[1.0, 1.0, 1.0, 2.0], 3, 0.1).unwrap();
        let p = model.probabilities(&[7.0]);
        assert!(p.iter().zip([0.2, 0.4, 0.4]).all(|(p, e)| (p - e).abs() < 1e-3), "{p:?}");
    }

    #[test]
    fn classes_are_separated_and_penalties_shrink() {
        let x = Array2::from_shape_fn((90, 3), |(i, j)| {
            ((i * 7 + j * 5) % 11) as f32 + if i % 3 == j { 9.0 } else { 0.0 }
        });
        let class: Vec<usize> = (0..90).map(|i| i % 3).collect();
        let fit = |penalty| fit_softmax(x.view(), &class, &[1.0; 90], 3, penalty).unwrap();
        let own = |model: &Softmax| -> f32 {
            let of_row =
                |(row, &c): (ndarray::ArrayView1<'_, f32>, &usize)| model.probabilities(&row.to_vec())[c];
            x.rows().into_iter().zip(&class).map(of_row).sum::<f32>() / 90.0
        };
        let (weak, strong) = (fit(0.001), fit(1.0));
        assert!(own(&weak) > 0.9 && own(&strong) < own(&weak), "{} {}", own(&weak), own(&strong));
        assert_eq!(weak, fit(0.001));
        let json = serde_json::to_string(&weak).unwrap();
        assert_eq!(serde_json::from_str::<Softmax>(&json).unwrap(), weak);
    }

    #[test]
    fn invalid_rows_and_damaged_models_are_errors() {
        let x = array![[1.0], [2.0]];
        assert!(fit_softmax(x.view(), &[0, 2], &[1.0, 1.0], 2, 0.1).is_err());
        assert!(fit_softmax(x.view(), &[0], &[1.0, 1.0], 2, 0.1).is_err());
        assert!(fit_softmax(x.view(), &[0, 1], &[0.0, 0.0], 2, 0.1).is_err());
        assert!(fit_softmax(array![[f32::NAN], [2.0]].view(), &[0, 1], &[1.0, 1.0], 2, 0.1).is_err());
        let model = fit_softmax(x.view(), &[0, 1], &[1.0, 1.0], 2, 0.1).unwrap();
        assert!(model.check(1, 2).is_ok() && model.check(2, 2).is_err() && model.check(1, 3).is_err());
        let damaged = Softmax { bias: vec![f32::NAN, 0.0], ..model.clone() };
        assert!(damaged.check(1, 2).is_err());
        // rejected: rows that are too short or too long, and values that are not finite
        for row in [&[][..], &[f32::INFINITY, 1.0][..], &[f32::NAN][..]] {
            assert!(model.probabilities(row).iter().all(|p| p.is_finite()), "{row:?}");
        }
    }
}
