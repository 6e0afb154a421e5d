//! Decision rules: scores → the threshold of a page. A filter may then drop more blocks.
//!
//! Each rule is one file and one line in [`REGISTRY`]. Every rule has one parameter, which training tunes on
//! held-out pages.
//!
//! # How to add a rule
//!
//! 1. Write `NAME.rs` with a `static RULE: Rule`. Its parameter is from 0 to 1 and is learned in training.
//! 2. `page_threshold` computes a threshold from the scores of a page. `cut` computes the final threshold from this
//!    value and the parameter.
//! 3. Add it to [`REGISTRY`].

mod article;
mod expected_f1;
pub(crate) mod groups;
mod labelling;
mod nested_f1;
mod notes;
pub(crate) mod rows;
mod sections;
mod threads;
mod threshold;

pub use labelling::{Decision, Outcome, without_metadata};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use threshr_core::Setting;
use threshr_core::registry;
use threshr_core::{Error, Result};

/// All rules. The first is the default, and also the rule that `--threshold` selects.
pub static REGISTRY: &[&Rule] = &[&threshold::RULE, &expected_f1::RULE, &nested_f1::RULE];

/// A decision rule: computes the threshold of a page from its scores and one parameter.
#[derive(Debug)]
pub struct Rule {
    /// The name on the command line and in recipes.
    pub name: &'static str,
    /// Description in one line, for help texts and tables.
    pub summary: &'static str,
    /// The publication.
    pub source: &'static str,
    /// Default parameter, `0.0..=1.0`. Used if training has not learned the parameter.
    pub default_parameter: f32,
    /// Computes the parameter for another β from the parameter for β = 1. Used if training has not learned
    /// the parameter for this β.
    pub derive: fn(parameter: f32, beta: f64) -> f32,
    /// Computes a threshold from the scores of a page, in O(n log n) of its blocks. `None` if the rule does not
    /// depend on the page.
    pub page_threshold: Option<fn(page: &PageScores<'_>, beta: f64) -> f64>,
    /// Computes the final threshold from the parameter and the result of `page_threshold` (0 without
    /// `page_threshold`).
    pub cut: fn(parameter: f32, own: f64) -> f32,
}

/// The blocks of a page as input of a rule. Both slices have one entry per block.
#[derive(Debug, Clone, Copy)]
pub struct PageScores<'a> {
    /// Calibrated scores, `0.0..=1.0`.
    pub scores: &'a [f32],
    /// Number of tokens; 0 for blocks that the rule ignores.
    pub num_tokens: &'a [u32],
}

impl PageScores<'_> {
    /// Returns scores and token counts of the blocks with tokens, by descending score. Equal scores stay in
    /// document order, so that sums are reproducible.
    fn by_score(&self) -> Vec<(f64, f64)> {
        let blocks = self.scores.iter().zip(self.num_tokens).enumerate().filter(|(_, b)| *b.1 > 0);
        // Integers sort faster: the inverted score in the high bits, the index in the low bits.
        let mut keys: Vec<u64> =
            blocks.map(|(i, b)| u64::from(!sortable_bits(*b.0)) << 32 | i as u64).collect();
        keys.sort_unstable();
        let block = |key: u64| {
            let i = key as u32 as usize;
            (f64::from(self.scores[i]), f64::from(self.num_tokens[i]))
        };
        keys.into_iter().map(block).collect()
    }
}

/// Maps a float to bits that sort in the same order.
fn sortable_bits(number: f32) -> u32 {
    let bits = number.to_bits();
    if number.is_sign_negative() { !bits } else { bits | 1 << 31 }
}

/// The threshold of rules that multiply the result of `page_threshold` by twice the parameter.
fn scaled(parameter: f32, own: f64) -> f32 {
    (2.0 * f64::from(parameter) * own) as f32
}

/// Finds the rule `name`.
///
/// # Errors
/// If no rule has this name. The error lists all names.
pub fn by_name(name: &str) -> Result<&'static Rule> {
    registry::find(REGISTRY, "decision rule", name, |rule| rule.name)
}

/// The weight of recall relative to precision: β of the F measure that the decision maximises.
///
/// F_β counts recall β times as much as precision (van Rijsbergen, 1979, "Information Retrieval").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Favor {
    /// β = 0.5: fewer and more certain blocks.
    Precision,
    /// β = 1: F1.
    #[default]
    Balance,
    /// β = 2: more blocks.
    Recall,
}

/// All variants, in the order of [`Learned`]'s fields.
pub const FAVORS: [Favor; 3] = [Favor::Precision, Favor::Balance, Favor::Recall];

impl Favor {
    /// Parses `precision`, `balance` or `recall`.
    ///
    /// # Errors
    /// For any other string.
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "precision" => Ok(Self::Precision),
            "balance" => Ok(Self::Balance),
            "recall" => Ok(Self::Recall),
            _ => Err(Error::invalid_option(format!("`{text}` is not a valid value of `favor`"))
                .expected("precision, balance or recall")
                .with_setting(Setting::Favor)),
        }
    }

    /// The value of β.
    pub fn beta(self) -> f64 {
        match self {
            Self::Precision => 0.5,
            Self::Balance => 1.0,
            Self::Recall => 2.0,
        }
    }
}

/// The parameters of a rule that maximise mean F_β on held-out pages, one for each β.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learned {
    /// For β = 0.5.
    pub precision: f32,
    /// For β = 1.
    pub balance: f32,
    /// For β = 2.
    pub recall: f32,
}

impl Learned {
    /// The parameter for the β of `favor`.
    pub fn parameter(&self, favor: Favor) -> f32 {
        match favor {
            Favor::Precision => self.precision,
            Favor::Balance => self.balance,
            Favor::Recall => self.recall,
        }
    }
}

/// The learned parameters of all rules, by name of the rule.
pub type LearnedRules = BTreeMap<String, Learned>;

/// Decision settings that replace those of the model.
#[derive(Debug, Clone, Copy, Default)]
pub struct DecisionOptions {
    /// Minimum score of a kept block. If set, it replaces the decision rule by the first one of [`REGISTRY`].
    pub threshold: Option<f32>,
    /// The decision rule; `None` for the rule of the model.
    pub rule: Option<&'static Rule>,
    /// Whether precision or recall has more weight.
    pub favor: Favor,
}

impl DecisionOptions {
    /// A name for table rows: the rule and the value of `favor`, if set.
    pub fn name(&self) -> String {
        let favor = match self.favor {
            Favor::Balance => None,
            Favor::Precision => Some("precision"),
            Favor::Recall => Some("recall"),
        };
        self.rule.map(|r| r.name).into_iter().chain(favor).collect::<Vec<_>>().join("+")
    }
}

/// A rule with its parameter.
#[derive(Debug, Clone, Copy)]
pub struct RuleChoice {
    /// The rule.
    pub rule: &'static Rule,
    /// The parameter of the rule, `0.0..=1.0`.
    pub parameter: f32,
    /// Whether precision or recall has more weight.
    pub favor: Favor,
}

impl RuleChoice {
    /// Returns the rule of the options, or `rule` if the options have none, with its parameter.
    ///
    /// `parameter` is the parameter of `rule` for β = 1. If training has not learned the required parameter,
    /// the parameter is derived from `parameter`, or from the default of the rule.
    pub fn new(
        rule: &'static Rule,
        parameter: f32,
        learned: &LearnedRules,
        options: &DecisionOptions,
    ) -> Self {
        let favor = options.favor;
        if let Some(parameter) = options.threshold {
            return Self { rule: REGISTRY[0], parameter, favor };
        }
        let chosen = options.rule.unwrap_or(rule);
        let is_own = chosen.name == rule.name;
        let parameter = match learned.get(chosen.name) {
            _ if is_own && favor == Favor::Balance => parameter,
            Some(learned) => learned.parameter(favor),
            None => (chosen.derive)(if is_own { parameter } else { chosen.default_parameter }, favor.beta()),
        };
        Self { rule: chosen, parameter, favor }
    }

    /// Returns the threshold of a page. `num_tokens` is called only if the rule reads the page.
    pub fn cut<'a>(&self, scores: &[f32], num_tokens: impl FnOnce() -> std::borrow::Cow<'a, [u32]>) -> f32 {
        let own = self.rule.page_threshold.map_or(0.0, |page_threshold| {
            page_threshold(&PageScores { scores, num_tokens: &num_tokens() }, self.favor.beta())
        });
        (self.rule.cut)(self.parameter, own)
    }
}

#[cfg(test)]
mod tests;
