//! How systems that are recipes decide.

use serde::Deserialize;
use threshr_extract::baseline::SystemOption;

/// Which blocks a recipe's model keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Threshold {
    /// Those that are likelier content than not.
    Half,
    /// Those above the score that gives held-out training pages the best token F1.
    Learned,
}

impl Threshold {
    /// The option that chooses it.
    pub const OPTION: SystemOption = SystemOption {
        name: "threshold",
        default: "\"half\"",
        help: "blocks kept: `half`, those likelier clean than not, or `learned`, by what gives the best token F1 in training",
    };
    /// The least score of a kept block; none where it is learned.
    pub fn least(self) -> Option<f32> {
        (self == Self::Half).then_some(0.5)
    }
}
