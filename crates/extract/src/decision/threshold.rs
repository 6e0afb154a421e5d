//! One threshold for all pages.

use crate::decision::Rule;

/// Keeps blocks whose score is at least the number.
///
/// For another β the number is scaled by 2 / (1 + β²): the threshold that maximises an F_β whose best value is F is
/// F / (1 + β²) (Zhao et al., JMLR 14, 2013, "Beyond Fano's inequality"), were F the same for both.
pub static RULE: Rule = Rule {
    name: "threshold",
    summary: "keeps blocks whose score is at least a number, the same for all pages",
    source: "threshr",
    default_number: 0.5,
    derive: |number, beta| (f64::from(number) * 2.0 / (1.0 + beta * beta)).min(1.0) as f32,
    look: None,
    cut: |number, _| number,
};
