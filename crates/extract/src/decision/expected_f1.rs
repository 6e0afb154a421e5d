//! A threshold per page that maximises the expected token F by the scores of the page.

use crate::decision::{PageScores, Rule, scaled};

/// Keeps the set of blocks with the greatest expected F_β, computed as a ratio of expectations.
///
/// For scores p and token counts n, the expected F of a set S of blocks is F(S) = (1 + β²) Σ_S p·n / (Σ_S n +
/// β² Σ p·n). The best set contains exactly the blocks with a score of at least F / (1 + β²), where F is the
/// expected F of this set. The set is a prefix of the blocks sorted by score. The rule multiplies this
/// threshold by twice its parameter, so 0.5 is the theoretical value.
///
/// Source: Lewis, 1995, "Evaluating and optimizing autonomous text classification systems"; the optimal
/// threshold: Lipton, Elkan and Naryanaswamy, ECML PKDD 2014, "Optimal thresholding of classifiers to
/// maximize F1 measure".
pub(super) static RULE: Rule = Rule {
    name: "expected-f1",
    summary: "keeps the blocks with the greatest expected token F, given the scores of the page; the \
              parameter scales this threshold (0.5: unchanged)",
    source: "Lewis 1995; Lipton, Elkan and Naryanaswamy 2014",
    default_parameter: 0.5,
    derive: |parameter, _| parameter,
    page_threshold: Some(threshold),
    cut: scaled,
};

/// The greatest expected F_β of the page, divided by 1 + β²; 0 if all tokens have score 0.
fn threshold(page: &PageScores<'_>, beta: f64) -> f64 {
    let blocks = page.by_score();
    let expected: f64 = blocks.iter().map(|(p, n)| p * n).sum();
    let (mut hits, mut kept, mut best) = (0.0, 0.0, 0.0f64);
    // The value increases up to the best prefix and decreases after it, also within blocks of equal score.
    for (p, n) in blocks {
        hits += p * n;
        kept += n;
        best = best.max(hits / (kept + beta * beta * expected));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(scores: &[f32], num_tokens: &[u32], beta: f64) -> f64 {
        threshold(&PageScores { scores, num_tokens }, beta)
    }

    #[test]
    fn the_best_prefix_by_hand() {
        // p·n: 8, 5, 1; expected 14. Prefixes: 8 / 24, 13 / 34, 14 / 44
        let got = of(&[0.5, 0.1, 0.8], &[10, 10, 10], 1.0);
        assert!((got - 13.0 / 34.0).abs() < 1e-6, "{got}");
        // β = 2: 8 / 66, 13 / 76, 14 / 86; β = 1/2: 8 / 13.5, 13 / 23.5, 14 / 33.5
        assert!((of(&[0.5, 0.1, 0.8], &[10, 10, 10], 2.0) - 13.0 / 76.0).abs() < 1e-6);
        assert!((of(&[0.5, 0.1, 0.8], &[10, 10, 10], 0.5) - 8.0 / 13.5).abs() < 1e-6);
    }

    #[test]
    fn without_content_the_threshold_is_zero() {
        assert_eq!(of(&[], &[], 1.0), 0.0);
        assert_eq!(of(&[0.0, 0.9], &[5, 0], 1.0), 0.0);
        // all scores are 1: the threshold is half of F1 = 1
        assert_eq!(of(&[1.0, 1.0], &[1, 7], 1.0), 0.5);
    }

    proptest! {
        #[test]
        fn no_set_has_a_greater_expectation(
            blocks in prop::collection::vec((0f32..=1.0, 0u32..20), 1..8),
            beta in prop::sample::select(vec![0.5, 1.0, 2.0]),
        ) {
            let (scores, tokens): (Vec<f32>, Vec<u32>) = blocks.into_iter().unzip();
            let own = of(&scores, &tokens, beta);
            let expected_f = |keep: &dyn Fn(usize) -> bool| {
                let (mut hits, mut kept, mut all) = (0.0, 0.0, 0.0);
                for (i, (&p, &n)) in scores.iter().zip(&tokens).enumerate() {
                    let (p, n) = (f64::from(p), f64::from(n));
                    all += p * n;
                    if keep(i) {
                        hits += p * n;
                        kept += n;
                    }
                }
                let whole = kept + beta * beta * all;
                if whole > 0.0 { hits / whole } else { 0.0 }
            };
            for set in 0..1usize << scores.len() {
                prop_assert!(expected_f(&|i| set >> i & 1 == 1) <= own + 1e-9);
            }
            let by_threshold = expected_f(&|i| f64::from(scores[i]) >= own - 1e-9);
            prop_assert!((by_threshold - own).abs() < 1e-6, "{} {}", by_threshold, own);
        }
    }
}
