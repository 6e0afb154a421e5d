//! A decision tree over few features.

use super::option::{self, SystemOption};
use super::{How, System};
use crate::error::Result;
use crate::pipeline::{BlockWeight, DecisionRecipe, PageWeight, Recipe, WeightRecipe};
use serde::Deserialize;
use serde_json::{Value, json};

/// Words, parent tag, share of words that begin upper-case and words by punctuation, in the tree of classifier `tree`;
/// a block goes to the class of most blocks of its leaf. Blocks count alike. How deep the published trees were is not
/// known.
pub static SYSTEM: System = System {
    name: "wcc-tree",
    summary: "a decision tree over words, parent tag, capitals and punctuation",
    source: "Hofmann and Weerkamp, CleanEval 2007, Web corpus cleaning using content and structure (decision trees)",
    needs_gold: false,
    needs_html: false,
    options: &[
        SystemOption { name: "max_depth", default: "10", help: "greatest depth of the tree" },
        SystemOption { name: "min_leaf_rows", default: "20", help: "least blocks of a leaf" },
    ],
    how: How::Recipe(recipe),
};

/// The options.
#[derive(Debug, Deserialize)]
struct Settings {
    max_depth: u32,
    min_leaf_rows: u32,
}

fn recipe(settings: &Value) -> Result<Recipe> {
    let Settings { max_depth, min_leaf_rows } = option::read(settings)?;
    let mut recipe = Recipe::default();
    recipe.features.set = "wcc".into();
    recipe.features.neighbours = Vec::new();
    recipe.classifier.name = "tree".into();
    recipe.classifier.params = json!({"max_depth": max_depth, "min_leaf_rows": min_leaf_rows});
    recipe.weights =
        WeightRecipe { page: PageWeight::Blocks, block: BlockWeight::Equal, ..WeightRecipe::default() };
    recipe.decision = DecisionRecipe { threshold: Some(0.5), ..DecisionRecipe::default() };
    Ok(recipe)
}
