//! For each page the threshold of the best expected token F where the blocks of a page are right or wrong together.

use crate::decision::{PageScores, Rule, scaled};

/// Keeps the set of blocks with the greatest expected F_β, given that a block is content only with all those of higher
/// scores.
///
/// The scores of a page are wrong together: all readers' comments below an article are content, or none is. So the rule
/// averages over what the content may be, from the surest blocks alone to all of them: the blocks whose score is above t,
/// every t from 0 to 1 being equally likely. Each block is then content as often as its score says, which is all that
/// `expected-f1` looks at; but where that expects half of a long doubtful part, and keeps it, this one sees that the part may
/// be wrong as a whole. Candidates are the sets of blocks above some score. The rule's number scales the threshold by twice
/// itself, so that 0.5 is the theory.
///
/// Source: threshr. That F needs more than each label's probability where labels hang together: Dembczyński et al., NIPS
/// 2011, "An exact algorithm for F-measure maximization".
pub static RULE: Rule = Rule {
    name: "nested-f1",
    summary: "as expected-f1, but a block is content only with all of higher scores; the number scales the threshold (0.5: as is)",
    source: "threshr, after Dembczyński et al. 2011",
    default_number: 0.5,
    derive: |number, _| number,
    look: Some(threshold),
    cut: scaled,
};

/// How many values of t stand for all up to the page's greatest score, equally far from each other: above that there is no
/// content, and F is 0 whatever is kept. What so few lose against all values is at most some hundredths of F, on pages of a
/// few blocks.
const NUM_CONTENTS: usize = 32;

/// Contents that are worked on together.
const LANES: usize = 8;
const _: () = assert!(NUM_CONTENTS.is_multiple_of(LANES));

/// The `i`-th value of t.
fn t(i: usize, top: f64) -> f64 {
    top * (i as f64 + 0.5) / NUM_CONTENTS as f64
}

/// The score halfway between the best set of blocks and the next block (0 after the last); 0, which keeps all, where no token
/// has a chance of being content.
fn threshold(page: &PageScores<'_>, beta: f64) -> f64 {
    let blocks = page.by_score();
    let Some(&(top, _)) = blocks.first() else { return 0.0 };
    let contents = contents(&blocks, top);
    let (mut kept, mut best, mut own) = (0.0, 0.0f32, 0.0);
    // what is never content only costs
    for (i, &(p, n)) in blocks.iter().enumerate().take_while(|b| b.1.0 > t(0, top)) {
        kept += n;
        let next = blocks.get(i + 1).map_or(0.0, |b| b.0);
        // a threshold does not come between equal scores
        if next == p {
            continue;
        }
        let promised = promised(&contents, kept as f32, (beta * beta) as f32);
        if promised > best {
            (best, own) = (promised, 0.5 * (p + next));
        }
    }
    own
}

/// Tokens of the blocks, given by falling score, above each value of t.
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

/// Sum of F_β / (1 + β²) over what the content may be; `kept` > 0 tokens are kept.
fn promised(contents: &[f32; NUM_CONTENTS], kept: f32, square: f32) -> f32 {
    // several sums, which need not wait for each other
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
    fn a_long_doubtful_part_is_left_out() {
        let (scores, num_tokens) = ([0.95, 0.35, 0.05], [200, 1800, 300]);
        // for a third of the values of t the 1,800 are content; where they are not, to keep them costs far more
        let own = of(&scores, &num_tokens, 1.0);
        assert!((own - 0.65).abs() < 1e-6, "{own}");
        // as a third of 1,800 words of content they would be kept
        let page = PageScores { scores: &scores, num_tokens: &num_tokens };
        let independent = crate::decision::by_name("expected-f1").unwrap().look.unwrap()(&page, 1.0);
        assert!(independent < 0.35, "{independent}");
        // a shorter one is worth the risk where recall counts
        assert!(of(&scores, &[200, 300, 300], 0.5) > 0.35 && of(&scores, &[200, 300, 300], 2.0) < 0.35);
    }

    #[test]
    fn nothing_promises_nothing() {
        assert_eq!(of(&[], &[], 1.0), 0.0);
        assert_eq!(of(&[0.0, 0.9], &[5, 0], 1.0), 0.0);
        // kept as a whole by any number that a rule may learn
        assert_eq!(of(&[1.0, 1.0], &[1, 7], 1.0), 0.5);
        assert!((of(&[0.9], &[5], 1.0) - 0.45).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn no_threshold_promises_much_more(
            blocks in prop::collection::vec((0u32..=64, 0u32..20), 1..9),
            beta in prop::sample::select(vec![0.5, 1.0, 2.0]),
        ) {
            let scores: Vec<f32> = blocks.iter().map(|b| b.0 as f32 / 64.0).collect();
            let num_tokens: Vec<u32> = blocks.iter().map(|b| b.1).collect();
            let from = |least: f64| -> f64 {
                let blocks = scores.iter().zip(&num_tokens).filter(|b| f64::from(*b.0) >= least);
                blocks.map(|b| f64::from(*b.1)).sum()
            };
            // over all values of t: between two scores in a row the content is the same
            let mut levels: Vec<f64> = scores.iter().map(|&s| f64::from(s)).chain([0.0]).collect();
            levels.sort_by(f64::total_cmp);
            let promised = |cut: f64| -> f64 {
                let between = |pair: &[f64]| {
                    let whole = from(cut) + beta * beta * from(pair[1]);
                    let value = if whole > 0.0 { (1.0 + beta * beta) * from(cut.max(pair[1])) / whole } else { 0.0 };
                    (pair[1] - pair[0]) * value
                };
                levels.windows(2).map(between).sum()
            };
            let best = levels.iter().map(|&cut| promised(cut)).fold(0.0, f64::max);
            let own = promised(of(&scores, &num_tokens, beta));
            prop_assert!(own > best - 0.05, "{} {}", own, best);
        }
    }
}
