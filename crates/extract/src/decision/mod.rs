//! Scores → the least score that a page keeps. What is kept is then up to the filter.
//!
//! One file per rule, one line each in [`REGISTRY`]. Every rule has one number, learned on held-out pages.

mod expected_f1;
mod labelling;
mod nested_f1;
mod threshold;

pub use labelling::{Decision, Outcome, without_metadata};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use threshr_core::registry;
use threshr_core::{Error, Result};

/// Every rule; the first is the default, and the one that `--threshold` asks for.
pub static REGISTRY: &[&Rule] = &[&threshold::RULE, &expected_f1::RULE, &nested_f1::RULE];

/// How the least score of a kept block follows from the page and the rule's number.
#[derive(Debug)]
pub struct Rule {
    /// The name on the command line and in recipes.
    pub name: &'static str,
    /// One line for help and tables.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Its number, `0.0..=1.0`, where none was learned.
    pub default_number: f32,
    /// Its number for another β, from that for β = 1, where none was learned.
    pub derive: fn(number: f32, beta: f64) -> f32,
    /// What the page itself says; O(n log n) in its blocks. `None` where the page says nothing.
    pub look: Option<fn(page: &PageScores<'_>, beta: f64) -> f64>,
    /// Least score of a kept block, from the number and what the page itself says (0 without `look`).
    pub cut: fn(number: f32, looked: f64) -> f32,
}

/// The blocks of a page as a rule sees them; both slices have one entry a block.
#[derive(Debug, Clone, Copy)]
pub struct PageScores<'a> {
    /// Calibrated scores, `0.0..=1.0`.
    pub scores: &'a [f32],
    /// Tokens; 0 for blocks that the rule is not to look at.
    pub num_tokens: &'a [u32],
}

impl PageScores<'_> {
    /// Score and tokens of the blocks that have tokens, by falling score; equal scores stay in the page's order, so that sums
    /// are always the same.
    fn by_score(&self) -> Vec<(f64, f64)> {
        let blocks = self.scores.iter().zip(self.num_tokens).enumerate().filter(|(_, b)| *b.1 > 0);
        // as numbers that sort faster: the score, turned round, above the place
        let mut keys: Vec<u64> = blocks.map(|(i, b)| u64::from(!ordered(*b.0)) << 32 | i as u64).collect();
        keys.sort_unstable();
        let block = |key: u64| {
            let i = key as u32 as usize;
            (f64::from(self.scores[i]), f64::from(self.num_tokens[i]))
        };
        keys.into_iter().map(block).collect()
    }
}

/// Bits that are in the order of the numbers.
fn ordered(number: f32) -> u32 {
    let bits = number.to_bits();
    if number.is_sign_negative() { !bits } else { bits | 1 << 31 }
}

/// The least score of rules whose number scales what the page says by twice itself.
fn scaled(number: f32, own: f64) -> f32 {
    (2.0 * f64::from(number) * own) as f32
}

/// The rule called `name`, or an error that lists the names there are.
pub fn by_name(name: &str) -> Result<&'static Rule> {
    registry::find(REGISTRY, "decision rule", name, |rule| rule.name)
}

/// Which error weighs more: β of the F measure that the decision is made for.
///
/// F_β counts recall β times as much as precision (van Rijsbergen, 1979, "Information Retrieval").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Favor {
    /// β = 0.5: fewer blocks, surer ones.
    Precision,
    /// β = 1: F1.
    #[default]
    Balance,
    /// β = 2: more blocks.
    Recall,
}

/// All three, in the order of [`Learned`]'s fields.
pub const FAVORS: [Favor; 3] = [Favor::Precision, Favor::Balance, Favor::Recall];

impl Favor {
    /// Reads `precision`, `balance` or `recall`.
    ///
    /// # Errors
    /// For anything else.
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "precision" => Ok(Self::Precision),
            "balance" => Ok(Self::Balance),
            "recall" => Ok(Self::Recall),
            _ => Err(Error::recipe(format!("`{text}` cannot be favoured"))
                .expected("precision, balance or recall")),
        }
    }

    /// Its β.
    pub fn beta(self) -> f64 {
        match self {
            Self::Precision => 0.5,
            Self::Balance => 1.0,
            Self::Recall => 2.0,
        }
    }
}

/// The numbers of a rule that gave held-out pages the best mean F_β, one for each β.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learned {
    /// β = 0.5.
    pub precision: f32,
    /// β = 1.
    pub balance: f32,
    /// β = 2.
    pub recall: f32,
}

impl Learned {
    /// The number for one β.
    pub fn number(&self, favor: Favor) -> f32 {
        match favor {
            Favor::Precision => self.precision,
            Favor::Balance => self.balance,
            Favor::Recall => self.recall,
        }
    }
}

/// What was learned for every rule, by name; empty in files of versions that had just one rule.
pub type LearnedRules = BTreeMap<String, Learned>;

/// What to decide by, where it is not what the model was trained with.
#[derive(Debug, Clone, Copy, Default)]
pub struct DecisionOptions {
    /// Least score of a kept block: the rule is then [`REGISTRY`]'s first, whatever else is said.
    pub threshold: Option<f32>,
    /// The rule.
    pub rule: Option<&'static Rule>,
    /// Which error weighs more.
    pub favor: Favor,
}

impl DecisionOptions {
    /// What stands in the names of rows that differ in it: the rule and what is favoured, where they are said.
    pub fn name(&self) -> String {
        let favor = match self.favor {
            Favor::Balance => None,
            Favor::Precision => Some("precision"),
            Favor::Recall => Some("recall"),
        };
        self.rule.map(|r| r.name).into_iter().chain(favor).collect::<Vec<_>>().join("+")
    }
}

/// A rule with its number.
#[derive(Debug, Clone, Copy)]
pub struct RuleChoice {
    /// The rule.
    pub rule: &'static Rule,
    /// Its number, `0.0..=1.0`.
    pub number: f32,
    /// Which error weighs more.
    pub favor: Favor,
}

impl RuleChoice {
    /// The rule asked for (else `rule`) with the number that was learned for it.
    ///
    /// `number` is that of `rule` without favour. What was not learned follows from it, or else from the rule's default.
    pub fn new(rule: &'static Rule, number: f32, learned: &LearnedRules, options: &DecisionOptions) -> Self {
        let favor = options.favor;
        if let Some(number) = options.threshold {
            return Self { rule: REGISTRY[0], number, favor };
        }
        let chosen = options.rule.unwrap_or(rule);
        let is_own = chosen.name == rule.name;
        let number = match learned.get(chosen.name) {
            _ if is_own && favor == Favor::Balance => number,
            Some(learned) => learned.number(favor),
            None => (chosen.derive)(if is_own { number } else { chosen.default_number }, favor.beta()),
        };
        Self { rule: chosen, number, favor }
    }

    /// Least score of a kept block of the page; `num_tokens` is asked only where the rule looks at the page.
    pub fn cut<'a>(&self, scores: &[f32], num_tokens: impl FnOnce() -> std::borrow::Cow<'a, [u32]>) -> f32 {
        let looked = self
            .rule
            .look
            .map_or(0.0, |look| look(&PageScores { scores, num_tokens: &num_tokens() }, self.favor.beta()));
        (self.rule.cut)(self.number, looked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_fall_by_score_and_stay_in_order(
            scores in prop::collection::vec(prop::sample::select(SCORES.to_vec()), 0..40),
            num_tokens in prop::collection::vec(0u32..3, 40),
        ) {
            let num_tokens = &num_tokens[..scores.len()];
            let mut expected: Vec<(f64, f64)> =
                scores.iter().zip(num_tokens).filter(|b| *b.1 > 0).map(|b| (f64::from(*b.0), f64::from(*b.1))).collect();
            expected.sort_by(|a, b| b.0.total_cmp(&a.0));
            // a score that is no number equals nothing, and both zeros each other
            let bits = |blocks: Vec<(f64, f64)>| blocks.iter().map(|b| (b.0.to_bits(), b.1)).collect::<Vec<_>>();
            prop_assert_eq!(bits(PageScores { scores: &scores, num_tokens }.by_score()), bits(expected));
        }
    }

    const SCORES: [f32; 11] =
        [0.0, -0.0, 0.1, 0.5, 0.5000001, 1.0, -1.0, f32::MAX, f32::NAN, -f32::NAN, f32::INFINITY];

    #[test]
    fn names_are_read() {
        assert_eq!(by_name("expected-f1").expect("a rule").name, "expected-f1");
        assert!(by_name("x").expect_err("none").to_string().contains("threshold, expected-f1"));
        assert_eq!(Favor::parse("recall").expect("read").beta(), 2.0);
        assert!(Favor::parse("f1").is_err());
    }

    #[test]
    fn numbers_are_those_asked_for_else_learned_else_derived() {
        let (own, other) = (REGISTRY[0], REGISTRY[1]);
        let number = |learned: &LearnedRules, options: DecisionOptions| {
            let choice = RuleChoice::new(own, 0.4, learned, &options);
            (choice.rule.name, choice.number)
        };
        let (nothing, precise) = (LearnedRules::new(), Favor::Precision);
        let all: LearnedRules = REGISTRY
            .iter()
            .map(|r| (r.name.to_owned(), Learned { precision: 0.7, balance: 0.3, recall: 0.1 }))
            .collect();
        let options = |threshold, rule, favor| DecisionOptions { threshold, rule, favor };
        assert_eq!(number(&nothing, DecisionOptions::default()), ("threshold", 0.4));
        assert_eq!(number(&all, DecisionOptions::default()), ("threshold", 0.4));
        assert_eq!(number(&all, options(None, None, precise)), ("threshold", 0.7));
        assert_eq!(number(&nothing, options(None, None, precise)), ("threshold", 0.64));
        assert_eq!(number(&all, options(None, Some(other), Favor::Balance)), ("expected-f1", 0.3));
        assert_eq!(
            number(&nothing, options(None, Some(other), precise)),
            ("expected-f1", other.default_number)
        );
        assert_eq!(number(&all, options(Some(0.9), Some(other), precise)), ("threshold", 0.9));
    }
}
