//! Shared parts of systems that are defined by recipes.

use serde::Deserialize;
use serde_json::Value;
use threshr_extract::baseline::SystemOption;
use threshr_extract::recipe::{BlockWeight, PageWeight, Recipe};

/// Rule for the blocks that a recipe's model keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Threshold {
    /// Blocks with a score of at least 0.5.
    Half,
    /// Blocks above the score threshold that gives the best token F1 on held-out training pages.
    Learned,
}

impl Threshold {
    /// The option `threshold`.
    pub(crate) const OPTION: SystemOption = SystemOption::new(
        "threshold",
        "\"half\"",
        "blocks to keep: `half` keeps blocks with a score of at least 0.5; `learned` keeps blocks above the score with the best token F1 in training",
    );
}

/// Returns a recipe of a classifier and a feature set without neighbour features. All blocks have the same
/// weight.
pub(crate) fn recipe(features: &str, classifier: &str, params: Value, threshold: Threshold) -> Recipe {
    let mut recipe = Recipe::default();
    recipe.features.set = features.into();
    recipe.features.neighbours = Vec::new();
    recipe.classifier.name = classifier.into();
    recipe.classifier.params = params;
    recipe.weights.page = PageWeight::Blocks;
    recipe.weights.block = BlockWeight::Equal;
    recipe.decision.threshold = (threshold == Threshold::Half).then_some(0.5);
    recipe
}
