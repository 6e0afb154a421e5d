//! Snippets: strings that the extracted text must contain, and strings that it must not.

use crate::metrics::{Case, Column, Metric, is_space, ratio_or};

/// Numbers of snippets that were found and missed, after white-space folding. Pooled values are computed from the
/// summed counts of all pages.
pub static SNIPPET: Metric = Metric {
    name: "snippet",
    summary: "precision, recall, accuracy and F1 of strings that must or must not be in the text, for sets with such strings",
    source: "Barbaresi, ACL demo 2021 (Trafilatura's evaluation); checked against an independent scorer",
    columns: &[
        column("sn_p", "wanted snippets found / all snippets found; 0 if none is found"),
        column("sn_r", "wanted snippets found / wanted snippets"),
        column("sn_acc", "wanted snippets found and unwanted ones not found / all snippets"),
        column("sn_f1", "harmonic mean of sn_p and sn_r"),
    ],
    num_counts: 4,
    score,
    pool: Some(pool),
};

const fn column(name: &'static str, definition: &'static str) -> Column {
    Column { name, unit: "ratio", definition, pooled: true }
}

/// Fills `counts` with the numbers of wanted snippets found, unwanted found, wanted missed, and unwanted missed.
fn score(case: &Case, counts: &mut [f64], values: &mut [f64]) {
    let Some(snippets) = case.snippets.filter(|s| !s.is_empty()) else { return };
    let text = folded(case.predicted);
    let found = |list: &[String]| list.iter().filter(|s| text.contains(&folded(s))).count();
    let (wanted, unwanted) = (found(&snippets.with), found(&snippets.without));
    let missed = [snippets.with.len() - wanted, snippets.without.len() - unwanted];
    counts.copy_from_slice(&[wanted as f64, unwanted as f64, missed[0] as f64, missed[1] as f64]);
    pool(counts, values);
}

fn pool(counts: &[f64], values: &mut [f64]) {
    let [found, wrong, missed, right] = *counts else { return };
    let nothing = |whole: f64| if whole == 0.0 { f64::NAN } else { 0.0 };
    values[0] = ratio_or(found, found + wrong, nothing(found + missed));
    values[1] = ratio_or(found, found + missed, f64::NAN);
    values[2] = ratio_or(found + right, found + wrong + missed + right, f64::NAN);
    values[3] = ratio_or(2.0 * found, 2.0 * found + wrong + missed, f64::NAN);
}

/// Replaces each run of white space by one space and trims the ends.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|w| !w.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{score_page, summarise};
    use threshr_sets::gold::Snippets;

    fn page(with: &[&str], without: &[&str], predicted: &str) -> crate::metrics::PageScores {
        let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        let snippets = Snippets { with: own(with), without: own(without), ..Snippets::default() };
        score_page(&[&SNIPPET], &Case { predicted, snippets: Some(&snippets), ..Case::default() })
    }

    #[test]
    fn snippets_are_counted() {
        let text = "Good\u{a0}news,\n  every one. Share this";
        let got = page(&["Good news", "one.  Share", "bad"], &["Share", "Log in"], text);
        assert_eq!(got.counts, [2.0, 1.0, 1.0, 1.0]);
        assert_eq!(got.values, [2.0 / 3.0, 2.0 / 3.0, 0.6, 2.0 / 3.0]);
    }

    #[test]
    fn pages_are_pooled_and_may_lack_either_kind() {
        let pages = [
            page(&["a"], &[], "a b"),
            page(&["c"], &["b"], "a b"),
            page(&[], &["x"], "a"),
            page(&[], &[], "a"),
        ];
        assert_eq!(pages[1].values, [0.0; 4]);
        assert!(pages[2].values[0].is_nan() && pages[2].values[2] == 1.0);
        assert!(pages[3].values.iter().all(|v| v.is_nan()));
        let got: Vec<_> = summarise(&[&SNIPPET], &pages, 0).iter().map(|s| s.pooled).collect();
        assert_eq!(got, [Some(0.5), Some(0.5), Some(0.5), Some(0.5)]);
    }
}
