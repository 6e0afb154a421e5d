//! Ridge logistic regression that adjusts given log-odds. The prior favours no change.

/// Convergence tolerance: the descent ends if no parameter changes by this value in a round.
const TOLERANCE: f64 = 1e-4;

/// Maximum number of rounds of coordinate descent.
const MAX_ROUNDS: usize = 300;

/// A sparse column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Column {
    /// Pairs (row, value), with ascending rows. The value is 0 in all other rows.
    pub entries: Vec<(u32, f64)>,
    /// Strength of the prior that pulls the column's weight to 0.
    pub ridge: f64,
}

/// Rows to fit. All slices have one entry per row.
#[derive(Debug, Clone)]
pub(crate) struct Problem<'a> {
    /// Log-odds before the correction.
    pub log_odds: &'a [f64],
    /// Labels.
    pub labels: &'a [bool],
    /// Weights, `>= 0`.
    pub weight: &'a [f64],
    /// The columns.
    pub columns: Vec<Column>,
    /// Strengths of the priors that pull the intercept to 0 and the slope to 1.
    pub line_ridge: [f64; 2],
}

/// Parameters of the correction: log-odds become `intercept + slope * log_odds + sum of weights * columns`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Solution {
    pub intercept: f64,
    pub slope: f64,
    /// One weight per column.
    pub weights: Vec<f64>,
}

/// Minimises the weighted log loss plus `ridge / 2 * (parameter - prior)^2` over all parameters.
///
/// The method is coordinate descent on a quadratic upper bound of the loss, so no step increases the loss.
/// Source: Böhning and Lindsay, Annals of the Institute of Statistical Mathematics 40, 1988, "Monotonicity of
/// quadratic-approximation algorithms".
pub(crate) fn solve(problem: &Problem<'_>) -> Solution {
    let Problem { log_odds, labels, weight, columns, line_ridge } = problem;
    let rows = 0..log_odds.len() as u32;
    let ones = Column { entries: rows.clone().map(|row| (row, 1.0)).collect(), ridge: line_ridge[0] };
    let own =
        Column { entries: rows.map(|row| (row, log_odds[row as usize])).collect(), ridge: line_ridge[1] };
    let all: Vec<&Column> = [&ones, &own].into_iter().chain(columns).collect();
    // deviation of each parameter from its prior, which is 1 for the slope and 0 for all others
    let mut deviation = vec![0.0; all.len()];
    let mut margin = log_odds.to_vec();
    let curvature: Vec<f64> = all
        .iter()
        .map(|column| {
            let sum: f64 = column.entries.iter().map(|&(row, x)| weight[row as usize] * x * x).sum();
            sum / 4.0 + column.ridge
        })
        .collect();
    for _ in 0..MAX_ROUNDS {
        let mut largest = 0.0f64;
        for ((column, deviation), &curvature) in all.iter().zip(&mut deviation).zip(&curvature) {
            if curvature <= 0.0 {
                continue;
            }
            let slope: f64 = column
                .entries
                .iter()
                .map(|&(row, x)| {
                    let row = row as usize;
                    weight[row] * (probability(margin[row]) - f64::from(u8::from(labels[row]))) * x
                })
                .sum();
            let step = -(slope + column.ridge * *deviation) / curvature;
            *deviation += step;
            column.entries.iter().for_each(|&(row, x)| margin[row as usize] += step * x);
            largest = largest.max(step.abs());
        }
        if largest < TOLERANCE {
            break;
        }
    }
    let slope = (1.0 + deviation[1]).max(0.0);
    Solution { intercept: deviation[0], slope, weights: deviation.split_off(2) }
}

/// Converts log-odds to a probability.
pub(crate) fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem<'a>(log_odds: &'a [f64], labels: &'a [bool], weight: &'a [f64], ridge: f64) -> Problem<'a> {
        // the column is 1 in the second half of the rows
        let half = log_odds.len() as u32 / 2;
        let entries = (half..2 * half).map(|row| (row, 1.0)).collect();
        Problem { log_odds, labels, weight, columns: vec![Column { entries, ridge }], line_ridge: [10.0; 2] }
    }

    #[test]
    fn a_wrong_group_gets_a_weight() {
        let (log_odds, weight) = ([-2.0, 2.0, -2.0, 2.0, 2.0, 2.0, 2.0, 2.0], [1.0; 8]);
        let labels = [false, true, false, true, false, false, false, false];
        let solve = |ridge: f64| solve(&problem(&log_odds, &labels, &weight, ridge));
        let [loose, tight] = [solve(0.1), solve(10.0)];
        assert!(loose.weights[0] < -2.5 && tight.weights[0] < -0.05, "{loose:?} {tight:?}");
        assert!(tight.weights[0] > loose.weights[0]);
        assert!(loose.intercept.abs() < 0.2 && (loose.slope - 1.0).abs() < 0.3, "{loose:?}");
        assert_eq!(loose, solve(0.1));
    }

    #[test]
    fn the_gradient_is_0_at_the_solution() {
        let (log_odds, weight) = ([-1.0, 0.5, 2.0, -0.3], [1.0, 2.0, 0.5, 1.0]);
        let labels = [true, false, true, false];
        let problem = problem(&log_odds, &labels, &weight, 0.5);
        let found = solve(&problem);
        let margin = |row: usize| {
            let own = if row >= 2 { found.weights[0] } else { 0.0 };
            found.intercept + found.slope * log_odds[row] + own
        };
        let residual =
            |row: usize| weight[row] * (probability(margin(row)) - f64::from(u8::from(labels[row])));
        let gradient: f64 = (2..4).map(residual).sum::<f64>() + 0.5 * found.weights[0];
        let of_intercept: f64 = (0..4).map(residual).sum::<f64>() + 10.0 * found.intercept;
        assert!(gradient.abs() < 1e-3 && of_intercept.abs() < 1e-2, "{gradient} {of_intercept}");
    }

    #[test]
    fn without_rows_nothing_changes() {
        let empty = Problem {
            log_odds: &[],
            labels: &[],
            weight: &[],
            columns: vec![Column::default()],
            line_ridge: [0.0; 2],
        };
        assert_eq!(solve(&empty), Solution { intercept: 0.0, slope: 1.0, weights: vec![0.0] });
    }
}
