//! One threshold for all pages.

use crate::decision::Rule;

/// Keeps blocks whose score is at least the parameter.
///
/// For another β the parameter is multiplied by 2 / (1 + β²). The threshold that maximises F_β is F / (1 +
/// β²), where F is the maximum (Zhao et al., JMLR 14, 2013, "Beyond Fano's inequality"). The factor assumes
/// that F is the same for both values of β.
pub(super) static RULE: Rule = Rule {
    name: "threshold",
    summary: "keeps blocks with at least a minimum score; the parameter is this score, and it is the same for all pages",
    source: "threshr",
    default_parameter: 0.5,
    derive: |parameter, beta| (f64::from(parameter) * 2.0 / (1.0 + beta * beta)).min(1.0) as f32,
    page_threshold: None,
    cut: |parameter, _| parameter,
};
