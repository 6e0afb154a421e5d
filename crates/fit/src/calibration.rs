//! Platt scaling: fits the map from decision values to scores.

use threshr_models::calibration::Sigmoid;

/// Maximum number of steps of Newton's method.
const MAX_STEPS: usize = 100;

/// Fits a sigmoid to the decision values, labels and weights of held-out blocks.
///
/// The targets are smoothed by Platt's prior. For the prior, weights are scaled to a mean of 1. The result is a
/// constant score, the smoothed share of content, with `a = 0`, in three cases:
///
/// - all decision values are equal,
/// - only one class has weight,
/// - higher decision values would get lower scores.
///
/// Source: Platt, 1999, "Probabilistic outputs for support vector machines"; fitted by Newton's method as in
/// Lin, Lin and Weng, Machine Learning 68, 2007, "A note on Platt's probabilistic outputs".
///
/// Rows are ignored if their weight is 0, if a number is not finite, or if one of the slices is too short to
/// contain them.
pub fn fit_sigmoid(decisions: &[f32], y: &[bool], weight: &[f32]) -> Sigmoid {
    let rows = Row::collect(decisions, y, weight);
    let sums = |class: bool| -> f64 { rows.iter().filter(|r| r.y == class).map(|r| r.weight).sum() };
    let (content, boilerplate) = (sums(true), sums(false));
    let prior = Sigmoid { a: 0.0, b: ((content + 1.0) / (boilerplate + 1.0)).ln() };
    let constant = rows.windows(2).all(|r| r[0].d == r[1].d);
    if constant || content <= 0.0 || boilerplate <= 0.0 {
        return prior;
    }
    let targets = ((content + 1.0) / (content + 2.0), 1.0 / (boilerplate + 2.0));
    let (center, spread) = location(&rows);
    let rows: Vec<_> = rows.into_iter().map(|r| Row { d: (r.d - center) / spread, ..r }).collect();
    let (a, b) = newton(&rows, targets, prior.b);
    let fitted = Sigmoid { a: a / spread, b: b - a * center / spread };
    if fitted.a.is_finite() && fitted.b.is_finite() && fitted.a > 0.0 { fitted } else { prior }
}

/// Returns the weighted mean of -ln(score of the true label), in nats. Scores are clamped to 1e-7..=1 - 1e-7.
///
/// Returns 0 if the total weight is 0. Source: Good, 1952, "Rational decisions".
pub fn log_loss(scores: &[f32], y: &[bool], weight: &[f32]) -> f64 {
    let (mut loss, mut total) = (0.0, 0.0);
    for ((&score, &y), &weight) in scores.iter().zip(y).zip(weight) {
        let p = f64::from(score).clamp(1e-7, 1.0 - 1e-7);
        loss -= f64::from(weight) * if y { p } else { 1.0 - p }.ln();
        total += f64::from(weight);
    }
    if total > 0.0 { loss / total } else { 0.0 }
}

#[derive(Clone, Copy)]
struct Row {
    d: f64,
    y: bool,
    weight: f64,
}

impl Row {
    /// Returns the valid rows, with weights scaled to a mean of 1.
    fn collect(decisions: &[f32], y: &[bool], weight: &[f32]) -> Vec<Self> {
        let rows = decisions.iter().zip(y).zip(weight);
        let mut rows: Vec<_> = rows
            .map(|((&d, &y), &w)| Self { d: f64::from(d), y, weight: f64::from(w) })
            .filter(|r| r.d.is_finite() && r.weight.is_finite() && r.weight > 0.0)
            .collect();
        let mean = rows.iter().map(|r| r.weight).sum::<f64>() / rows.len().max(1) as f64;
        rows.iter_mut().for_each(|r| r.weight /= mean);
        rows
    }
}

/// Returns mean and standard deviation of the decision values, used to standardise them for Newton's method.
fn location(rows: &[Row]) -> (f64, f64) {
    let n = rows.len() as f64;
    let mean = rows.iter().map(|r| r.d).sum::<f64>() / n;
    let variance = rows.iter().map(|r| (r.d - mean) * (r.d - mean)).sum::<f64>() / n;
    (mean, variance.sqrt().max(f64::MIN_POSITIVE))
}

/// Returns the weighted cross-entropy for the targets of content and boilerplate. The formula does not
/// overflow.
fn objective(rows: &[Row], targets: (f64, f64), a: f64, b: f64) -> f64 {
    let loss = |r: &Row| {
        let (z, t) = (a * r.d + b, if r.y { targets.0 } else { targets.1 });
        r.weight * if z >= 0.0 { (1.0 - t) * z + (-z).exp().ln_1p() } else { -t * z + z.exp().ln_1p() }
    };
    rows.iter().map(loss).sum()
}

/// Newton's method with backtracking from (0, `start`).
fn newton(rows: &[Row], targets: (f64, f64), start: f64) -> (f64, f64) {
    let (mut a, mut b) = (0.0, start);
    let mut value = objective(rows, targets, a, b);
    for _ in 0..MAX_STEPS {
        let (mut ga, mut gb, mut haa, mut hab, mut hbb) = (0.0, 0.0, 1e-12, 0.0, 1e-12);
        for r in rows {
            let p = 1.0 / (1.0 + (-(a * r.d + b)).exp());
            let (e, h) = (r.weight * (p - if r.y { targets.0 } else { targets.1 }), r.weight * p * (1.0 - p));
            (ga, gb) = (ga + e * r.d, gb + e);
            (haa, hab, hbb) = (haa + h * r.d * r.d, hab + h * r.d, hbb + h);
        }
        if ga.abs().max(gb.abs()) < 1e-9 * rows.len() as f64 {
            break;
        }
        let det = haa * hbb - hab * hab;
        let (da, db) = (-(hbb * ga - hab * gb) / det, -(haa * gb - hab * ga) / det);
        let (slope, mut step) = (ga * da + gb * db, 1.0);
        let found = loop {
            let next = objective(rows, targets, a + step * da, b + step * db);
            if next < value + 1e-4 * step * slope {
                break Some(next);
            }
            step /= 2.0;
            if step < 1e-10 {
                break None;
            }
        };
        let Some(next) = found else { break };
        (a, b, value) = (a + step * da, b + step * db, next);
    }
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn recovers_the_generating_sigmoid() {
        let (mut d, mut y, mut w) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..400 {
            let x = i as f64 / 50.0 - 4.0;
            let p = 1.0 / (1.0 + (-(1.7 * x - 0.6)).exp());
            // each row occurs with both labels; the weight is the label's probability
            for (label, weight) in [(true, p), (false, 1.0 - p)] {
                d.push(x as f32);
                y.push(label);
                w.push(weight as f32);
            }
        }
        let s = fit_sigmoid(&d, &y, &w);
        assert!((s.a - 1.7).abs() < 0.1 && (s.b + 0.6).abs() < 0.05, "{s:?}");
        let constant = vec![0.5; d.len()];
        assert!(log_loss(&s.apply(&d), &y, &w) < log_loss(&constant, &y, &w));
        // scaling all weights by a common factor has no effect
        let tenfold: Vec<_> = w.iter().map(|w| w * 10.0).collect();
        assert!((fit_sigmoid(&d, &y, &tenfold).a - s.a).abs() < 1e-6);
    }

    #[test]
    fn falls_back_to_the_prior() {
        let prior = |d: &[f32], y: &[bool]| {
            let s = fit_sigmoid(d, y, &vec![1.0; d.len()]);
            assert_eq!(s.a, 0.0);
            s.score(3.0)
        };
        assert_eq!(prior(&[], &[]), 0.5);
        assert_eq!(prior(&[1.0, 2.0, 3.0], &[true; 3]), 0.8);
        assert_eq!(prior(&[1.0; 3], &[true, false, false]), 0.4);
        assert_eq!(prior(&[1.0, 2.0, 3.0, 4.0], &[true, true, false, false]), 0.5);
    }

    #[test]
    fn separable_and_huge_decisions_stay_finite() {
        let d = [-1e30, -1e29, 1e29, 1e30];
        let s = fit_sigmoid(&d, &[false, false, true, true], &[1.0; 4]);
        assert!(s.a > 0.0 && s.b.is_finite());
        assert!(s.score(1e30) > 0.6 && s.score(f32::NAN).is_finite());
    }

    proptest! {
        #[test]
        fn never_panics_and_scores_are_scores(
            rows in proptest::collection::vec((any::<f32>(), any::<bool>(), 0f32..9.0), 0..40),
        ) {
            let d: Vec<_> = rows.iter().map(|r| r.0).collect();
            let y: Vec<_> = rows.iter().map(|r| r.1).collect();
            let w: Vec<_> = rows.iter().map(|r| r.2).collect();
            let s = fit_sigmoid(&d, &y, &w);
            prop_assert!(s.a >= 0.0 && s.a.is_finite() && s.b.is_finite());
            prop_assert!(s.apply(&d).iter().all(|p| (0.0..=1.0).contains(p)));
        }
    }
}
