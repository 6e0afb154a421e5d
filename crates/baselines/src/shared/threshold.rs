//! The threshold option of systems that are recipes.

use serde::Deserialize;
use threshr_extract::baseline::SystemOption;

/// Which blocks a recipe's model keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Threshold {
    /// Blocks with a score of at least 0.5.
    Half,
    /// Blocks above the score with the best token F1 on held-out training pages.
    Learned,
}

impl Threshold {
    /// The option `threshold`.
    pub(crate) const OPTION: SystemOption = SystemOption {
        name: "threshold",
        default: "\"half\"",
        help: "blocks to keep: `half`, those with a score of at least 0.5; `learned`, those above the score with the best token F1 in training",
    };
    /// The minimum score of a kept block; `None` if it is learned.
    pub(crate) fn least(self) -> Option<f32> {
        (self == Self::Half).then_some(0.5)
    }
}
