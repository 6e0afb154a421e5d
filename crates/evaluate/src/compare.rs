//! Compares two rows of scores on the same pages: paired intervals and tests.

use crate::metrics::statistics::{
    bootstrap_difference, differences, holm, mann_whitney, wilcoxon_signed_rank,
};
use crate::{Kind, Row};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// The columns that reports compare.
pub const COMPARED: &[&str] = &[
    "token_p",
    "token_r",
    "token_f1",
    "char_p",
    "char_r",
    "char_f1",
    "rouge_f1",
    "sh_f1",
    "sn_f1",
    "cleaneval_text",
];

/// A column of one row compared with the same column of another row, over the pages that both rows contain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The row.
    pub row: String,
    /// The row that `row` is compared with.
    pub versus: String,
    /// The column.
    pub column: &'static str,
    /// Mean of the differences (`row` minus `versus`) over pages.
    pub difference: f64,
    /// Lower end of the 95 % bootstrap interval over pages.
    pub ci_low: f64,
    /// Upper end of the interval.
    pub ci_high: f64,
    /// p-value of the Wilcoxon signed-rank test.
    pub wilcoxon_p: f64,
    /// `wilcoxon_p` after Holm's correction over all comparisons of the report. Comparisons of ablations are
    /// corrected separately.
    pub wilcoxon_holm: f64,
    /// p-value of the two-sided Mann-Whitney U test (unpaired), as in Vogels et al. 2018.
    pub mann_whitney_p: f64,
    /// `higher` or `lower`; `no difference shown` if the interval contains 0 or Holm's p is above 0.05.
    pub conclusion: &'static str,
}

impl Comparison {
    /// Returns the conclusion. If the interval excludes 0 but Holm's p is too high, the reason follows.
    pub fn reasoned(&self) -> String {
        let excludes_zero = self.ci_low > 0.0 || self.ci_high < 0.0;
        match excludes_zero && self.wilcoxon_holm > ALPHA {
            true => format!("{} (Holm's p is above {ALPHA})", self.conclusion),
            false => self.conclusion.to_owned(),
        }
    }
}

/// Compares every row, except lower and upper bounds, with `versus` in the named columns.
pub fn compare(rows: &[Row], versus: &Row, columns: &[&str], seed: u64) -> Vec<Comparison> {
    let mut all = Vec::new();
    for row in rows.iter().filter(|r| r.kind != Kind::Bound && r.name != versus.name) {
        let pairs = pairs(row, versus);
        for (i, summary) in row.summaries.iter().enumerate() {
            if !columns.contains(&summary.column) {
                continue;
            }
            let (a, b): (Vec<f64>, Vec<f64>) =
                pairs.iter().map(|&(a, b)| (row.pages[a].values[i], versus.pages[b].values[i])).unzip();
            all.extend(one(row, versus, summary.column, &a, &b, seed));
        }
    }
    correct(&mut all.iter_mut().collect::<Vec<_>>());
    all
}

/// Index pairs of the pages that both rows contain. Rows of other runs may lack pages.
fn pairs(row: &Row, versus: &Row) -> Vec<(usize, usize)> {
    let places: FxHashMap<&str, usize> = versus.ids.iter().map(String::as_str).zip(0..).collect();
    let pair = |(a, id): (usize, &String)| Some((a, *places.get(id.as_str())?));
    row.ids.iter().enumerate().filter_map(pair).collect()
}

/// Applies Holm's correction to the comparisons of a report and sets their conclusions. A conclusion is `higher` or
/// `lower` if the interval excludes 0 and the corrected p is at most [`ALPHA`].
pub(crate) fn correct(comparisons: &mut [&mut Comparison]) {
    let corrected = holm(&comparisons.iter().map(|c| c.wilcoxon_p).collect::<Vec<_>>());
    for (c, p) in comparisons.iter_mut().zip(corrected) {
        c.wilcoxon_holm = p;
        c.conclusion = match (c.ci_low > 0.0, c.ci_high < 0.0) {
            (true, _) if p <= ALPHA => "higher",
            (_, true) if p <= ALPHA => "lower",
            _ => "no difference shown",
        };
    }
}

/// Significance level of conclusions.
const ALPHA: f64 = 0.05;

fn one(row: &Row, versus: &Row, column: &'static str, a: &[f64], b: &[f64], seed: u64) -> Option<Comparison> {
    let pairs = a.iter().zip(b).filter(|(x, y)| !x.is_nan() && !y.is_nan());
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.map(|(x, y)| (*x, *y)).unzip();
    if a.is_empty() {
        return None;
    }
    let (difference, [ci_low, ci_high]) = bootstrap_difference(&a, &b, seed);
    let wilcoxon_p = wilcoxon_signed_rank(&differences(&a, &b)).p_value;
    Some(Comparison {
        row: row.name.clone(),
        versus: versus.name.clone(),
        column,
        difference,
        ci_low,
        ci_high,
        wilcoxon_p,
        wilcoxon_holm: wilcoxon_p,
        mann_whitney_p: mann_whitney(&a, &b).p_value,
        conclusion: "",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics;
    use crate::metrics::PageScores;

    #[test]
    fn pages_are_paired_by_their_ids() {
        let row = |name: &str, pages: &[(&str, f64)]| {
            let scores = |p: &(&str, f64)| PageScores { values: vec![p.1; 3], counts: Vec::new() };
            let scores: Vec<PageScores> = pages.iter().map(scores).collect();
            Row {
                name: name.into(),
                filter: String::new(),
                kind: Kind::Model,
                ids: pages.iter().map(|p| p.0.to_owned()).collect(),
                summaries: metrics::summarise(&metrics::by_names(&["token"]).expect("a metric"), &scores, 1),
                pages: scores,
                pooled_auc: None,
                calibration: Vec::new(),
            }
        };
        let versus = row("b", &[("1", 0.1), ("2", 0.5), ("3", 0.3)]);
        // row `a` lacks page 1
        let found = compare(&[row("a", &[("2", 0.6), ("3", 0.4)])], &versus, &["token_f1"], 1);
        assert!((found[0].difference - 0.1).abs() < 1e-9, "{found:?}");
        assert!(compare(&[row("a", &[("4", 0.6)])], &versus, &["token_f1"], 1).is_empty());
    }

    #[test]
    fn conclusions_use_the_corrected_p() {
        let comparison = |ci_low: f64, ci_high: f64, wilcoxon_p: f64| Comparison {
            row: "a".into(),
            versus: "b".into(),
            column: "token_f1",
            difference: 0.5 * (ci_low + ci_high),
            ci_low,
            ci_high,
            wilcoxon_p,
            wilcoxon_holm: wilcoxon_p,
            mann_whitney_p: 1.0,
            conclusion: "",
        };
        let mut all = [
            comparison(0.01, 0.02, 0.001),
            comparison(-0.02, -0.01, 0.002),
            comparison(0.01, 0.02, 0.03),
            comparison(-0.01, 0.02, 0.001),
        ];
        correct(&mut all.iter_mut().collect::<Vec<_>>());
        assert_eq!(
            all.each_ref().map(|c| c.conclusion),
            ["higher", "lower", "higher", "no difference shown"]
        );
        // among thirty comparisons, p = 0.03 is not significant
        let mut more: Vec<Comparison> = (0..30).map(|_| comparison(0.01, 0.02, 0.03)).collect();
        correct(&mut more.iter_mut().collect::<Vec<_>>());
        assert!(more.iter().all(|c| c.conclusion == "no difference shown" && c.wilcoxon_holm > 0.5));
        let reasoned = Comparison { ci_low: 0.1, ci_high: 0.2, ..more[0].clone() }.reasoned();
        assert_eq!(reasoned, "no difference shown (Holm's p is above 0.05)");
    }
}
