//! Tunes the parameters of decision rules by maximising the mean token F_β on held-out pages.

use crate::{Corpus, CorpusPage};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use threshr_extract::decision;
use threshr_extract::decision::{FAVORS, Favor, Learned, LearnedRules, PageScores, Rule};
use threshr_extract::filters::{FilterChoice, Page};

/// Result of the tuning.
pub(crate) struct Outcome {
    /// Tuned parameters of all rules.
    pub learned: LearnedRules,
    /// Parameter of the recipe's rule.
    pub parameter: f32,
    /// Mean token F1 for `parameter`.
    pub token_f1: f64,
}

/// Returns the parameter values to try for each rule.
fn candidates() -> impl Iterator<Item = f32> {
    (1..=49).map(|i| i as f32 * 0.02)
}

/// Tunes the parameters of all rules. `scores` has the calibrated scores of the blocks of `pages`, page by
/// page.
///
/// F_β is computed from the tokens of the blocks that are kept after filtering, and from the aligned share of
/// each block. Means are smoothed over three neighbouring parameter values, so that a single page has little
/// influence. `fixed` is the parameter that the recipe sets for its rule `own`; it is not tuned.
pub(crate) fn learn(
    corpus: &Corpus,
    pages: &[usize],
    scores: &[f32],
    own: &Rule,
    fixed: Option<f32>,
    filter: FilterChoice,
) -> Outcome {
    let mut starts = vec![0];
    pages.iter().for_each(|&p| starts.push(starts[starts.len() - 1] + corpus.rows_of(p).len()));
    let curves: Vec<Vec<f64>> = pages
        .par_iter()
        .zip(starts.par_windows(2))
        .map(|(&p, s)| page_curves(&corpus.pages[p], corpus.columns(), &scores[s[0]..s[1]], fixed, filter))
        .collect();
    let mut mean = vec![0.0; curves.first().map_or(0, Vec::len)];
    for curve in &curves {
        mean.iter_mut().zip(curve).for_each(|(m, f)| *m += f / curves.len() as f64);
    }
    let width = candidates().count() + usize::from(fixed.is_some());
    let mut curve_of = mean.chunks(width.max(1));
    let mut out = Outcome {
        learned: LearnedRules::new(),
        parameter: fixed.unwrap_or(own.default_parameter),
        token_f1: 0.0,
    };
    for rule in decision::REGISTRY {
        let mut learned = Learned { precision: 0.5, balance: 0.5, recall: 0.5 };
        for favor in FAVORS {
            let curve = curve_of.next().unwrap_or_default();
            let (parameter, f) = best(&curve[..candidates().count().min(curve.len())]);
            let is_own = rule.name == own.name && favor == Favor::Balance;
            let (parameter, f) = match fixed.filter(|_| is_own) {
                Some(fixed) => (fixed, curve.last().copied().unwrap_or(0.0)),
                None => (parameter, f),
            };
            if is_own {
                (out.parameter, out.token_f1) = (parameter, f);
            }
            *match favor {
                Favor::Precision => &mut learned.precision,
                Favor::Balance => &mut learned.balance,
                Favor::Recall => &mut learned.recall,
            } = parameter;
        }
        out.learned.insert(rule.name.to_owned(), in_order(learned));
    }
    out
}

/// Ensures that `precision` keeps at most as much as `balance`, and that `recall` keeps at least as much. F_β
/// is almost constant near its maximum, so the maxima may be out of order by chance.
fn in_order(learned: Learned) -> Learned {
    let Learned { precision, balance, recall } = learned;
    Learned { precision: precision.max(balance), balance, recall: recall.min(balance) }
}

/// Returns the best parameter for a curve over [`candidates`], and the value of the curve there.
fn best(curve: &[f64]) -> (f32, f64) {
    let smooth = |i: usize| {
        let window = &curve[i.saturating_sub(1)..(i + 2).min(curve.len())];
        window.iter().sum::<f64>() / window.len() as f64
    };
    let middle = curve.len() / 2;
    let best = (0..curve.len()).map(|i| (smooth(i), i)).max_by(|a, b| {
        // if values are equal, the parameter closest to 0.5 wins
        a.0.total_cmp(&b.0).then(b.1.abs_diff(middle).cmp(&a.1.abs_diff(middle)))
    });
    let best = best.map_or(middle, |b| b.1);
    (candidates().nth(best).unwrap_or(0.5), curve.get(best).copied().unwrap_or(0.0))
}

/// Returns F_β of a page for each combination of rule, β and candidate parameter, in this nesting order. The
/// fixed parameter is the last candidate.
fn page_curves(
    page: &CorpusPage,
    columns: &[String],
    scores: &[f32],
    fixed: Option<f32>,
    filter: FilterChoice,
) -> Vec<f64> {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f32::total_cmp);
    // if the number of blocks below the cut is equal, the set of blocks is equal, so the filter runs once per
    // number
    let mut counted: FxHashMap<usize, (f64, f64)> = FxHashMap::default();
    let mut out = Vec::new();
    let num_tokens = page.tokens_without_metadata(scores, columns);
    for rule in decision::REGISTRY {
        for favor in FAVORS {
            let of_page = PageScores { scores, num_tokens: &num_tokens };
            let page_threshold =
                rule.page_threshold.map_or(0.0, |page_threshold| page_threshold(&of_page, favor.beta()));
            for parameter in candidates().chain(fixed) {
                let cut = (rule.cut)(parameter, page_threshold);
                let num_below = sorted.partition_point(|&s| s < cut);
                let counts = counted.entry(num_below).or_insert_with(|| count(page, scores, cut, filter));
                out.push(f_beta(*counts, f64::from(page.alignment.num_gold_tokens), favor.beta()));
            }
        }
    }
    out
}

/// Returns the number of kept tokens, and the number of these that are aligned with the gold.
fn count(page: &CorpusPage, scores: &[f32], cut: f32, filter: FilterChoice) -> (f64, f64) {
    count_kept(page, &keep_from(page, scores, cut, filter))
}

/// Returns which blocks are kept: their score is at least `cut`, and the filter does not remove them.
fn keep_from(page: &CorpusPage, scores: &[f32], cut: f32, filter: FilterChoice) -> Vec<bool> {
    let mut keep: Vec<bool> = scores.iter().map(|&s| s >= cut).collect();
    let of_filters = Page {
        left_out: page.left_out,
        controls: Some(&page.controls),
        ..Page::new(&page.doc, &page.blocks, scores)
    };
    filter.under(page.left_out).apply(&of_filters, &mut keep);
    keep
}

/// Returns the labels of a page by a rule with the parameter `number`, and the token F1 of these labels.
pub(crate) fn labels_and_f1(
    page: &CorpusPage,
    columns: &[String],
    scores: &[f32],
    (rule, number): (&Rule, f32),
    filter: FilterChoice,
) -> (Vec<bool>, f32) {
    let num_tokens = page.tokens_without_metadata(scores, columns);
    let of_page = PageScores { scores, num_tokens: &num_tokens };
    let page_threshold = rule.page_threshold.map_or(0.0, |of| of(&of_page, Favor::Balance.beta()));
    let kept = keep_from(page, scores, (rule.cut)(number, page_threshold), filter);
    let f1 = f_beta(count_kept(page, &kept), f64::from(page.alignment.num_gold_tokens), 1.0);
    (kept, f1 as f32)
}

/// Returns the number of kept tokens, and the number of these that are aligned with the gold.
fn count_kept(page: &CorpusPage, keep: &[bool]) -> (f64, f64) {
    let (mut kept, mut hits) = (0.0, 0.0);
    for ((&keep, &share), &tokens) in keep.iter().zip(&page.alignment.share).zip(&page.alignment.num_tokens) {
        if keep {
            kept += f64::from(tokens);
            hits += f64::from(tokens) * f64::from(share);
        }
    }
    (kept, hits)
}

fn f_beta((kept, hits): (f64, f64), gold: f64, beta: f64) -> f64 {
    let square = beta * beta;
    let whole = kept + square * gold;
    if whole == 0.0 { 1.0 } else { (1.0 + square) * hits / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_beta_by_hand() {
        // precision 3/4, recall 3/6
        assert!((f_beta((4.0, 3.0), 6.0, 1.0) - 0.6).abs() < 1e-12);
        assert!((f_beta((4.0, 3.0), 6.0, 2.0) - 5.0 * 0.75 * 0.5 / (4.0 * 0.75 + 0.5)).abs() < 1e-12);
        assert_eq!(f_beta((0.0, 0.0), 0.0, 0.5), 1.0);
        assert_eq!(f_beta((3.0, 0.0), 0.0, 0.5), 0.0);
    }

    #[test]
    fn precision_keeps_at_most_and_recall_at_least_as_much_as_balance() {
        let learned = in_order(Learned { precision: 0.46, balance: 0.86, recall: 0.98 });
        assert_eq!([learned.precision, learned.recall], [0.86, 0.86]);
        let learned = in_order(Learned { precision: 0.6, balance: 0.5, recall: 0.4 });
        assert_eq!([learned.precision, learned.balance, learned.recall], [0.6, 0.5, 0.4]);
    }

    #[test]
    fn the_best_of_equal_parameters_is_closest_to_the_middle() {
        assert_eq!(best(&[1.0; 49]), (0.5, 1.0));
        let mut curve = vec![0.0; 49];
        curve[8..13].fill(0.5);
        curve[40] = 0.9;
        // a single peak, smoothed to 0.9 / 3, does not beat a plateau of 0.5; of the plateau's inner points 9,
        // 10 and 11, the one closest to the middle wins
        assert_eq!(best(&curve), (0.24, 0.5));
        assert_eq!(best(&[]), (0.02, 0.0));
    }
}
