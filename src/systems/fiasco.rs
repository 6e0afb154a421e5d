//! A support vector machine over the target nodes of a page.

use super::option::{self, SystemOption};
use super::threshold::Threshold;
use super::{How, System};
use crate::error::Result;
use crate::pipeline::{BlockWeight, DecisionRecipe, PageWeight, Recipe, WeightRecipe};
use serde::Deserialize;
use serde_json::{Value, json};

/// Blocks are target nodes (segmentation `target-node`); a support vector machine with a Gaussian kernel, calibrated on
/// held-out pages, says how likely each is to be clean from linguistic, structural and visual features.
///
/// The keywords typical of clean text and of boilerplate are learned (`words`). Visual features come from a geometry
/// file beside a page (see `features`, family `visual`) and are 0 without. Parts of speech are left out. The published
/// settings of the machine are not known.
pub static SYSTEM: System = System {
    name: "fiasco",
    summary: "a support vector machine over linguistic, structural and visual features of target nodes",
    source: "Bauer et al., CleanEval 2007, FIASCO: Filtering the internet by automatic subtree classification, Osnabrück",
    needs_gold: false,
    needs_html: false,
    options: &[
        SystemOption { name: "c", default: "1.0", help: "cost of an error" },
        SystemOption {
            name: "machine",
            default: "\"svm-rff\"",
            help: "`svm`: exact, on at most 5,000 blocks; `svm-rff`: on all of them, the kernel approximated",
        },
        SystemOption {
            name: "threshold",
            default: "\"half\"",
            help: "blocks kept: `half`, those likelier clean than not, or `learned`, by what gives the best token F1 in training",
        },
    ],
    how: How::Recipe(recipe),
};

/// The options.
#[derive(Debug, Deserialize)]
struct Settings {
    c: f64,
    machine: String,
    threshold: Threshold,
}

fn recipe(settings: &Value) -> Result<Recipe> {
    let Settings { c, machine, threshold } = option::read(settings)?;
    let mut recipe = Recipe::default();
    recipe.block.segmentation = "target-node".into();
    recipe.features.set = "fiasco".into();
    recipe.features.neighbours = Vec::new();
    recipe.classifier.name = machine;
    recipe.classifier.params = json!({ "c": c });
    recipe.weights =
        WeightRecipe { page: PageWeight::Blocks, block: BlockWeight::Equal, ..WeightRecipe::default() };
    recipe.decision = DecisionRecipe { threshold: threshold.least(), ..DecisionRecipe::default() };
    Ok(recipe)
}
