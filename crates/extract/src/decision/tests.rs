//! Tests of the rules, and the labels of a page after a rule for their own tests.

use super::*;
use crate::filters::Page;
use proptest::prelude::*;
use threshr_html::blocks::{Blocks, REGISTRY as SEGMENTATIONS};
use threshr_html::{Visibility, parse_str};

/// A rule that changes labels.
type Rule = fn(&Page<'_>, Option<&[bool]>, &mut [bool]);

/// Returns the labels of a page after a rule. `+` is a kept block.
pub(super) fn decided(rule: Rule, html: &str, before: &str, inside: Option<&[bool]>) -> String {
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, SEGMENTATIONS[0], Visibility::Visible);
    let mut keep: Vec<bool> = before.bytes().map(|b| b == b'+').collect();
    assert_eq!(keep.len(), blocks.len(), "{html}");
    let scores = vec![0.5; keep.len()];
    rule(&Page::new(&doc, &blocks, &scores), inside, &mut keep);
    keep.iter().map(|&kept| if kept { '+' } else { '-' }).collect()
}

proptest! {
    #[test]
    fn blocks_are_sorted_by_score_and_stable(
        scores in prop::collection::vec(prop::sample::select(SCORES.to_vec()), 0..40),
        num_tokens in prop::collection::vec(0u32..3, 40),
    ) {
        let num_tokens = &num_tokens[..scores.len()];
        let mut expected: Vec<(f64, f64)> =
            scores.iter().zip(num_tokens).filter(|b| *b.1 > 0).map(|b| (f64::from(*b.0), f64::from(*b.1))).collect();
        expected.sort_by(|a, b| b.0.total_cmp(&a.0));
        // compares bits: NaN differs from itself, and the two zeros are equal as numbers
        let bits = |blocks: Vec<(f64, f64)>| blocks.iter().map(|b| (b.0.to_bits(), b.1)).collect::<Vec<_>>();
        prop_assert_eq!(bits(PageScores { scores: &scores, num_tokens }.by_score()), bits(expected));
    }
}

const SCORES: [f32; 11] =
    [0.0, -0.0, 0.1, 0.5, 0.5000001, 1.0, -1.0, f32::MAX, f32::NAN, -f32::NAN, f32::INFINITY];

#[test]
fn names_are_parsed() {
    assert_eq!(by_name("expected-f1").expect("a rule").name, "expected-f1");
    assert!(by_name("x").expect_err("none").to_string().contains("threshold, expected-f1"));
    assert_eq!(Favor::parse("recall").expect("read").beta(), 2.0);
    assert!(Favor::parse("f1").is_err());
}

#[test]
fn parameters_are_given_or_tuned_or_derived() {
    let (own, other) = (REGISTRY[0], REGISTRY[1]);
    let parameter = |learned: &LearnedRules, options: DecisionOptions| {
        let choice = RuleChoice::new(own, 0.4, learned, &options);
        (choice.rule.name, choice.parameter)
    };
    let (nothing, precise) = (LearnedRules::new(), Favor::Precision);
    let all: LearnedRules = REGISTRY
        .iter()
        .map(|r| (r.name.to_owned(), Learned { precision: 0.7, balance: 0.3, recall: 0.1 }))
        .collect();
    let options = |threshold, rule, favor| DecisionOptions { threshold, rule, favor };
    assert_eq!(parameter(&nothing, DecisionOptions::default()), ("threshold", 0.4));
    assert_eq!(parameter(&all, DecisionOptions::default()), ("threshold", 0.4));
    assert_eq!(parameter(&all, options(None, None, precise)), ("threshold", 0.7));
    assert_eq!(parameter(&nothing, options(None, None, precise)), ("threshold", 0.64));
    assert_eq!(parameter(&all, options(None, Some(other), Favor::Balance)), ("expected-f1", 0.3));
    assert_eq!(
        parameter(&nothing, options(None, Some(other), precise)),
        ("expected-f1", other.default_parameter)
    );
    assert_eq!(parameter(&all, options(Some(0.9), Some(other), precise)), ("threshold", 0.9));
}
