//! A threshold per page that maximises the expected token F if a block is content only with all blocks of
//! higher scores.

use crate::decision::{PageScores, Rule, scaled};

/// Keeps the set of blocks with the greatest expected F_β, if a block is content only with all blocks of
/// higher scores.
///
/// The errors of the scores of a page are correlated: for example, either all comments below an article are
/// content, or none is. The rule therefore averages over possible contents: the blocks with a score above t,
/// with t uniform from 0 to 1. Each block is then content with the probability of its score, as in
/// `expected-f1`. But `expected-f1` keeps a long section with medium scores, because it expects half of its
/// tokens to be content. This rule takes into account that the whole section may be boilerplate. Candidates
/// are the sets of blocks above a score. The rule multiplies the threshold by twice its parameter, so 0.5 is
/// the theoretical value.
///
/// Source: threshr. For dependent labels, F depends on more than the probability of each label: Dembczyński
/// et al., NIPS 2011, "An exact algorithm for F-measure maximization".
pub(super) static RULE: Rule = Rule {
    name: "nested-f1",
    summary: "as expected-f1, but a block is content only with all blocks of higher scores; the parameter \
              scales the threshold (0.5: unchanged)",
    source: "threshr, after Dembczyński et al. 2011",
    default_parameter: 0.5,
    derive: |parameter, _| parameter,
    page_threshold: Some(threshold),
    cut: scaled,
};

/// Number of values of t, equally spaced up to the greatest score of the page. Above that score there is no
/// content, and F is 0. On pages with few blocks, the discretisation error is at most a few hundredths of F.
const NUM_CONTENTS: usize = 32;

/// Number of values of t whose F is summed in parallel.
const LANES: usize = 8;
const _: () = assert!(NUM_CONTENTS.is_multiple_of(LANES));

/// The `i`-th value of t.
fn t(i: usize, top: f64) -> f64 {
    top * (i as f64 + 0.5) / NUM_CONTENTS as f64
}

/// The score halfway between the last block of the best set and the next block (0 after the last block). If no
/// block has tokens, 0, which keeps all blocks.
fn threshold(page: &PageScores<'_>, beta: f64) -> f64 {
    let blocks = page.by_score();
    let Some(&(top, _)) = blocks.first() else { return 0.0 };
    let contents = contents(&blocks, top);
    let (mut kept, mut best, mut own) = (0.0, 0.0f32, 0.0);
    // Blocks below the lowest t are never content, so keeping them only lowers F.
    for (i, &(p, n)) in blocks.iter().enumerate().take_while(|b| b.1.0 > t(0, top)) {
        kept += n;
        let next = blocks.get(i + 1).map_or(0.0, |b| b.0);
        // A threshold cannot separate equal scores.
        if next == p {
            continue;
        }
        let sum = sum_of_f(&contents, kept as f32, (beta * beta) as f32);
        if sum > best {
            (best, own) = (sum, 0.5 * (p + next));
        }
    }
    own
}

/// Number of tokens in blocks above each value of t; `blocks` is sorted by descending score.
fn contents(blocks: &[(f64, f64)], top: f64) -> [f32; NUM_CONTENTS] {
    let (mut contents, mut all, mut next) = ([0.0; NUM_CONTENTS], 0.0f64, 0);
    for (i, content) in contents.iter_mut().enumerate().rev() {
        while let Some(&(_, n)) = blocks.get(next).filter(|b| b.0 > t(i, top)) {
            all += n;
            next += 1;
        }
        *content = all as f32;
    }
    contents
}

/// Sum of F_β / (1 + β²) over all values of t, if `kept` > 0 tokens are kept.
fn sum_of_f(contents: &[f32; NUM_CONTENTS], kept: f32, square: f32) -> f32 {
    // Independent sums allow SIMD.
    let mut sums = [0.0; LANES];
    for some in contents.as_chunks::<LANES>().0 {
        for (sum, &all) in sums.iter_mut().zip(some) {
            *sum += if all < kept { all } else { kept } / (kept + square * all);
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(scores: &[f32], num_tokens: &[u32], beta: f64) -> f64 {
        threshold(&PageScores { scores, num_tokens }, beta)
    }

    #[test]
    fn a_long_uncertain_part_is_left_out() {
        let (scores, num_tokens) = ([0.95, 0.35, 0.05], [200, 1800, 300]);
        // the 1,800 tokens are content for a third of t; in the other cases keeping them costs far more
        let own = of(&scores, &num_tokens, 1.0);
        assert!((own - 0.65).abs() < 1e-6, "{own}");
        // expected-f1 keeps them as 600 expected tokens of content
        let page = PageScores { scores: &scores, num_tokens: &num_tokens };
        let independent =
            crate::decision::by_name("expected-f1").unwrap().page_threshold.unwrap()(&page, 1.0);
        assert!(independent < 0.35, "{independent}");
        // a shorter section is kept if recall has more weight
        assert!(of(&scores, &[200, 300, 300], 0.5) > 0.35 && of(&scores, &[200, 300, 300], 2.0) < 0.35);
    }

    #[test]
    fn without_content_the_threshold_is_zero() {
        assert_eq!(of(&[], &[], 1.0), 0.0);
        assert_eq!(of(&[0.0, 0.9], &[5, 0], 1.0), 0.0);
        // all blocks are kept with any parameter
        assert_eq!(of(&[1.0, 1.0], &[1, 7], 1.0), 0.5);
        assert!((of(&[0.9], &[5], 1.0) - 0.45).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn no_threshold_has_a_much_greater_expectation(
            blocks in prop::collection::vec((0u32..=64, 0u32..20), 1..9),
            beta in prop::sample::select(vec![0.5, 1.0, 2.0]),
        ) {
            let scores: Vec<f32> = blocks.iter().map(|b| b.0 as f32 / 64.0).collect();
            let num_tokens: Vec<u32> = blocks.iter().map(|b| b.1).collect();
            let from = |least: f64| -> f64 {
                let blocks = scores.iter().zip(&num_tokens).filter(|b| f64::from(*b.0) >= least);
                blocks.map(|b| f64::from(*b.1)).sum()
            };
            // exact integral over t: between two consecutive scores the content is constant
            let mut levels: Vec<f64> = scores.iter().map(|&s| f64::from(s)).chain([0.0]).collect();
            levels.sort_by(f64::total_cmp);
            let expected_f = |cut: f64| -> f64 {
                let between = |pair: &[f64]| {
                    let whole = from(cut) + beta * beta * from(pair[1]);
                    let value = if whole > 0.0 { (1.0 + beta * beta) * from(cut.max(pair[1])) / whole } else { 0.0 };
                    (pair[1] - pair[0]) * value
                };
                levels.windows(2).map(between).sum()
            };
            let best = levels.iter().map(|&cut| expected_f(cut)).fold(0.0, f64::max);
            let own = expected_f(of(&scores, &num_tokens, beta));
            prop_assert!(own > best - 0.05, "{} {}", own, best);
        }
    }
}
