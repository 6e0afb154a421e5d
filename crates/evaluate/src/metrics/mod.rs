//! Metrics: scores of predictions against gold. Each metric is one file and one entry of [`REGISTRY`].
//!
//! A metric scores single pages. [`summarise`] computes means with intervals, medians and, for some columns, pooled
//! scores: all pages are scored as one. If a column does not apply to a page, the value is NaN and is ignored.
//!
//! # How to add a metric
//!
//! 1. Write `NAME.rs` with a `static NAME: Metric`: columns with definitions, and a `score` for one page.
//! 2. Add counts and a `pool` function if all pages can be scored as one.
//! 3. Add it to [`REGISTRY`], with a `pub use` line, and to the table of `docs/guide/evaluate.md`.

mod auc;
mod block;
mod character;
mod cleaneval;
mod edit_distance;
mod order;
mod posts;
mod rouge;
mod shingle;
mod significance;
mod snippet;
pub mod statistics;
mod token;

use rayon::prelude::*;
use serde::Serialize;

use threshr_core::Result;
use threshr_core::registry;
use threshr_sets::gold::Snippets;
use threshr_train::PagePosts;

pub use auc::{AUC, CalibrationBin, calibration_table, expected_calibration_error, pooled_auc};
pub use block::BLOCK;
pub use character::{CHARACTER, CHARACTER_CELLS};
pub use cleaneval::CLEANEVAL;
pub use edit_distance::edit_distance;
pub use order::ORDER;
pub use posts::POSTS;
pub use rouge::ROUGE;
pub use shingle::SHINGLE;
pub use snippet::SNIPPET;
pub use token::TOKEN;

/// All metrics, in the order of reports.
pub static REGISTRY: &[&Metric] =
    &[&TOKEN, &ORDER, &CHARACTER, &SHINGLE, &ROUGE, &SNIPPET, &POSTS, &CLEANEVAL, &BLOCK, &AUC];

/// The inputs of metrics for one page: gold and prediction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Case<'a> {
    /// Gold text, one block per line.
    pub gold: &'a str,
    /// Extracted text.
    pub predicted: &'a str,
    /// Gold text with `<p>`, `<h>`, `<l>` before its segments, if the data set has it.
    pub gold_markup: Option<&'a str>,
    /// The extracted text with these tags.
    pub predicted_markup: Option<&'a str>,
    /// Language tag of the page, such as `en` or `zh-CN`.
    pub lang: Option<&'a str>,
    /// Strings that must and must not be extracted, if the data set has them.
    pub snippets: Option<&'a Snippets>,
    /// The posts of the page, if the gold has posts.
    pub posts: Option<&'a PagePosts>,
    /// Labels of the page's blocks, if the method classifies blocks.
    pub blocks: Option<BlockCase<'a>>,
}

/// Labels and scores of a page's blocks in document order. All slices have one element for each block. Extra
/// elements are ignored.
#[derive(Debug, Clone, Copy)]
pub struct BlockCase<'a> {
    /// Score of each block, 0..1, higher for content.
    pub scores: Option<&'a [f32]>,
    /// Whether each block is kept.
    pub kept: &'a [bool],
    /// Whether each block is content.
    pub gold: &'a [bool],
    /// Number of tokens in each block.
    pub num_tokens: &'a [u32],
}

/// One value of a metric.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Column {
    /// Unique name among the columns of all metrics.
    pub name: &'static str,
    /// `ratio` (0..1), `percent` (0..100) or `nats`.
    pub unit: &'static str,
    /// Definition in one line.
    pub definition: &'static str,
    /// Whether the column has a pooled value (all pages as one).
    pub pooled: bool,
}

/// Computes the pooled value of each column from the sums of the counts.
pub type Pool = fn(counts_sum: &[f64], values: &mut [f64]);

/// A metric: its columns and their computation.
#[derive(Debug)]
pub struct Metric {
    /// Unique name.
    pub name: &'static str,
    /// Description of the measured quantity, in one line.
    pub summary: &'static str,
    /// Publication that defines the metric.
    pub source: &'static str,
    /// The columns of the metric, in order.
    pub columns: &'static [Column],
    /// Number of counts that are summed over pages for pooled values.
    pub num_counts: usize,
    /// Scores a page. Fills `counts` (initially `num_counts` zeros) and `values` (initially one NaN for each
    /// column).
    pub score: fn(&Case, counts: &mut [f64], values: &mut [f64]),
    /// Computes the pooled values from the sums of the counts over all pages.
    pub pool: Option<Pool>,
}

/// The values of one page, in the order of metrics and their columns.
#[derive(Debug, Clone, PartialEq)]
pub struct PageScores {
    /// One value for each column; NaN if it does not apply.
    pub values: Vec<f64>,
    /// The counts for pooled values.
    pub counts: Vec<f64>,
}

/// Statistics of a column over all pages. If there are no pages, all statistics are NaN (null in JSON).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Name of the column.
    pub column: &'static str,
    /// Number of pages with a value.
    pub num_pages: usize,
    /// Mean over these pages.
    pub mean: f64,
    /// Lower end of the mean's 95 % bootstrap interval.
    pub ci_low: f64,
    /// Upper end of that interval.
    pub ci_high: f64,
    /// Median over pages.
    pub median: f64,
    /// First quartile.
    pub q1: f64,
    /// Third quartile.
    pub q3: f64,
    /// The pooled score (all pages as one), if the column has one.
    pub pooled: Option<f64>,
    /// 95 % bootstrap interval of the pooled score: pages are resampled, then pooled.
    pub pooled_ci: Option<[f64; 2]>,
}

/// The columns of all metrics, in the order of [`REGISTRY`].
pub fn columns() -> impl Iterator<Item = &'static Column> {
    REGISTRY.iter().flat_map(|metric| metric.columns)
}

/// Returns the metrics with these names, in the order of `names`.
///
/// # Errors
/// For an unknown name; the error lists the known names.
pub fn by_names<S: AsRef<str>>(names: &[S]) -> Result<Vec<&'static Metric>> {
    names.iter().map(|name| registry::find(REGISTRY, "metric", name.as_ref(), |metric| metric.name)).collect()
}

/// Scores one page.
pub fn score_page(metrics: &[&Metric], case: &Case) -> PageScores {
    let mut out = PageScores { values: Vec::new(), counts: Vec::new() };
    for metric in metrics {
        let (first_value, first_count) = (out.values.len(), out.counts.len());
        out.values.resize(first_value + metric.columns.len(), f64::NAN);
        out.counts.resize(first_count + metric.num_counts, 0.0);
        (metric.score)(case, &mut out.counts[first_count..], &mut out.values[first_value..]);
    }
    out
}

/// Summarises every column over pages that were scored by `metrics`.
///
/// Equal seeds give equal intervals. Columns with equally many pages use the same resamples.
pub fn summarise(metrics: &[&Metric], pages: &[PageScores], seed: u64) -> Vec<Summary> {
    let pooled = pooled_values(metrics, pages);
    let intervals = pooled_intervals(metrics, pages, seed);
    let columns: Vec<&Column> = metrics.iter().flat_map(|metric| metric.columns).collect();
    let summary = |(i, column): (usize, &&Column)| {
        let value = |page: &PageScores| page.values.get(i).copied().filter(|x| !x.is_nan());
        let values: Vec<f64> = pages.iter().filter_map(value).collect();
        let pooled = pooled[i].filter(|x| column.pooled && !values.is_empty() && !x.is_nan());
        let pooled_ci = pooled.and(intervals[i]);
        Summary { pooled, pooled_ci, ..summarise_column(column.name, &values, seed) }
    };
    columns.par_iter().enumerate().map(summary).collect()
}

fn summarise_column(column: &'static str, values: &[f64], seed: u64) -> Summary {
    let [ci_low, ci_high] = statistics::bootstrap_mean(values, seed);
    let [q1, median, q3] = statistics::quartiles(values);
    let (num_pages, mean) = (values.len(), statistics::mean(values));
    Summary { column, num_pages, mean, ci_low, ci_high, median, q1, q3, pooled: None, pooled_ci: None }
}

/// Pooled values, one entry for each column.
fn pooled_values(metrics: &[&Metric], pages: &[PageScores]) -> Vec<Option<f64>> {
    let num_counts: usize = metrics.iter().map(|m| m.num_counts).sum();
    let sum = |k| pages.iter().filter_map(|page| page.counts.get(k)).sum();
    pool(metrics, &(0..num_counts).map(sum).collect::<Vec<f64>>())
}

/// Bootstrap interval of each column's pooled value. `None` if there are no counts, or no resample has a value.
fn pooled_intervals(metrics: &[&Metric], pages: &[PageScores], seed: u64) -> Vec<Option<[f64; 2]>> {
    let num_columns: usize = metrics.iter().map(|m| m.columns.len()).sum();
    let num_counts: usize = metrics.iter().map(|m| m.num_counts).sum();
    if pages.is_empty() || pages.iter().any(|page| page.counts.len() != num_counts) {
        return vec![None; num_columns];
    }
    let samples = statistics::resampled_sums(pages.iter().map(|p| &p.counts[..]), seed);
    let pooled: Vec<Vec<Option<f64>>> = samples.iter().map(|sums| pool(metrics, sums)).collect();
    let interval = |column: usize| {
        let values = pooled.iter().filter_map(|of| of[column]).filter(|v| !v.is_nan()).collect();
        let interval = statistics::percentiles(values);
        (!interval[0].is_nan()).then_some(interval)
    };
    (0..num_columns).map(interval).collect()
}

/// Computes pooled values from the sums of the counts of all metrics. Returns one entry for each column.
fn pool(metrics: &[&Metric], sums: &[f64]) -> Vec<Option<f64>> {
    let (mut out, mut first) = (Vec::new(), 0);
    for metric in metrics {
        let mut values = vec![f64::NAN; metric.columns.len()];
        if let Some(pool) = metric.pool {
            pool(&sums[first..first + metric.num_counts], &mut values);
        }
        first += metric.num_counts;
        out.extend(values.into_iter().map(|x| metric.pool.map(|_| x)));
    }
    out
}

/// Returns precision, recall and F1. All are 1 if prediction and gold are empty. If only one of them is empty, F1 is 0:
/// without predictions, precision is 0; without gold, recall is 1.
fn prf(hits: f64, predicted: f64, gold: f64) -> [f64; 3] {
    if predicted == 0.0 && gold == 0.0 {
        return [1.0; 3];
    }
    let (p, r) = (ratio_or(hits, predicted, 0.0), ratio_or(hits, gold, 1.0));
    [p, r, if hits > 0.0 { f_measure(p, r) } else { 0.0 }]
}

/// White space as in Python, which includes the four ASCII separators U+001C to U+001F.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Harmonic mean; 0 if both values are 0.
fn f_measure(p: f64, r: f64) -> f64 {
    ratio_or(2.0 * p * r, p + r, 0.0)
}

/// Returns `part / whole`, or `otherwise` if `whole` is 0.
fn ratio_or(part: f64, whole: f64, otherwise: f64) -> f64 {
    if whole == 0.0 { otherwise } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the values of one metric for a gold and a predicted text.
    pub(super) fn values(metric: &Metric, gold: &str, predicted: &str) -> Vec<f64> {
        score_page(&[metric], &Case { gold, predicted, ..Case::default() }).values
    }

    /// Asserts equality within 1e-12.
    pub(super) fn close(got: &[f64], want: &[f64]) {
        assert!(
            got.len() == want.len() && got.iter().zip(want).all(|(x, y)| (x - y).abs() < 1e-12),
            "{got:?} {want:?}"
        );
    }

    #[test]
    fn column_names_are_unique() {
        let mut names: Vec<_> = columns().map(|column| column.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), columns().count());
        assert_eq!(by_names(&["order", "token"]).unwrap()[1].name, "token");
        assert!(by_names(&["tokens"]).unwrap_err().to_string().contains("one of token, order"));
    }

    #[test]
    fn values_are_in_the_range_of_their_unit() {
        let texts =
            ["", " ", "Title\nA b, c d e.", "<p>A b c", "标题 中文。", "\u{301}x \u{0}", "<h><l></p> < p>"];
        let labels = [true, false, true];
        for (gold, predicted) in texts.iter().flat_map(|a| texts.iter().map(move |b| (*a, *b))) {
            for lang in [None, Some("zh")] {
                let blocks = BlockCase {
                    scores: Some(&[0.5, 1.0]),
                    kept: &labels,
                    gold: &labels,
                    num_tokens: &[1, 0],
                };
                let (gold_markup, predicted_markup) = (Some(gold), Some(predicted));
                let snippets = Snippets {
                    with: vec![gold.to_owned()],
                    without: vec!["x".to_owned()],
                    ..Snippets::default()
                };
                let snippets = Some(&snippets);
                let blocks = Some(blocks);
                let case = Case {
                    gold,
                    predicted,
                    gold_markup,
                    predicted_markup,
                    lang,
                    snippets,
                    posts: None,
                    blocks,
                };
                for (value, column) in score_page(REGISTRY, &case).values.iter().zip(columns()) {
                    let top = if column.unit == "percent" { 100.0 } else { 1.0 };
                    let free = value.is_nan() || column.unit == "nats";
                    assert!(free || (0.0..=top).contains(value), "{} {gold:?} {predicted:?}", column.name);
                }
            }
        }
    }

    #[test]
    fn a_perfect_prediction_has_the_best_scores() {
        let text = "A title\nSome words, and some more.";
        let markup = "<h>A title\n<p>Some words, and some more.";
        let (gold_markup, predicted_markup) = (Some(markup), Some(markup));
        let case = Case { gold: text, predicted: text, gold_markup, predicted_markup, ..Case::default() };
        for (value, column) in score_page(REGISTRY, &case).values.iter().zip(columns()) {
            let top = if column.unit == "percent" { 100.0 } else { 1.0 };
            assert!(value.is_nan() || *value == top, "{}: {value}", column.name);
        }
    }

    #[test]
    fn pages_without_a_value_do_not_count() {
        let metrics = by_names(&["token", "shingle", "block"]).unwrap();
        let page = |gold, predicted| score_page(&metrics, &Case { gold, predicted, ..Case::default() });
        let pages = [page("a b c d", "a b c d"), page("a", ""), page("x y", "x")];
        let got = summarise(&metrics, &pages, 7);
        // token_r of the pages: 1, 0, 1/2; pooled: 5 of 7 tokens
        assert_eq!(
            (got[1].num_pages, got[1].mean, got[1].median, got[1].pooled),
            (3, 0.5, 0.5, Some(5.0 / 7.0))
        );
        assert!(got[1].ci_low <= 0.5 && 0.5 <= got[1].ci_high);
        // a resample may contain only the worst page or only the best page
        assert_eq!(got[1].pooled_ci, Some([0.0, 1.0]));
        assert!(got[6].pooled_ci.is_none());
        // the page without prediction has no shingle precision
        assert_eq!((got[3].num_pages, got[3].mean), (2, 0.5));
        assert_eq!((got[6].num_pages, got[6].pooled), (0, None));
        assert!(got[6].mean.is_nan());
        assert_eq!(summarise(&metrics, &pages, 7)[1], got[1]);
        assert!(summarise(&metrics, &[], 7)[0].median.is_nan());
    }
}
