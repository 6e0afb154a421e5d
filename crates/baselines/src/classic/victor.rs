//! Victor: a conditional random field over the texts between tags.

use crate::shared::threshold::Threshold;
use serde::Deserialize;
use serde_json::{Value, json};
use threshr_core::{Error, Result};
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, System};
use threshr_extract::recipe::{BlockWeight, DecisionRecipe, PageWeight, Recipe, WeightRecipe};

/// Every text between two tags is a block. A linear-chain conditional random field labels the blocks of a
/// page as paragraph, heading, list item or other, and drops the blocks labelled other.
///
/// There are three published feature settings: `all` (73.92 %); `74.5`, without word-ratio, numeric-count,
/// mixed-count and nonword-count; and `75.15`, also without regexp-url and document.word-count, which is the
/// default. None of them is the winning run of the competition (74.7 %). Columns are binned automatically;
/// the published system uses bins chosen by hand.
pub(crate) static SYSTEM: System = System {
    name: "victor",
    summary: "conditional random field over the texts between tags, with paragraph classes",
    source: "Marek, Pecina and Spousta, CleanEval 2007, Web page cleaning with conditional random fields (Victor)",
    needs_gold: false,
    needs_html: false,
    options: &[
        SystemOption {
            name: "features",
            default: "\"75.15\"",
            help: "feature setting: `all`, `74.5` or `75.15`",
        },
        SystemOption { name: "c", default: "1.0", help: "strength of the regularisation of the weights" },
        SystemOption { name: "max_epochs", default: "60", help: "maximum number of training epochs" },
        Threshold::OPTION,
    ],
    how: How::Recipe(recipe),
};

/// The options.
#[derive(Debug, Deserialize)]
struct Settings {
    features: Value,
    c: f64,
    max_epochs: usize,
    threshold: Threshold,
}

fn recipe(settings: &Value) -> Result<Recipe> {
    let settings: Settings = option::read(settings)?;
    let set = match settings.features.as_str() {
        Some("all") => "victor",
        Some("74.5") => "victor-74.5",
        Some("75.15") => "victor-75.15",
        _ => {
            return Err(Error::recipe(format!("`victor.features` is {}", settings.features))
                .expected("all, 74.5 or 75.15"));
        }
    };
    let mut recipe = Recipe::default();
    recipe.block.segmentation = "text-node".into();
    recipe.features.set = set.into();
    recipe.features.neighbours = Vec::new();
    recipe.classifier.name = "crf".into();
    recipe.classifier.params =
        json!({"classes": "paragraph", "c": settings.c, "max_epochs": settings.max_epochs});
    // Every block has weight 1, as in the likelihood of a page.
    recipe.weights =
        WeightRecipe { page: PageWeight::Blocks, block: BlockWeight::Equal, ..WeightRecipe::default() };
    recipe.decision = DecisionRecipe { threshold: settings.threshold.least(), ..DecisionRecipe::default() };
    Ok(recipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_extract::baseline::SystemChoice;

    #[test]
    fn settings_choose_features() {
        let columns = |features: &str| {
            let mut choice = SystemChoice::parse("victor", &crate::systems()).expect("it exists");
            choice.set("features", json!(features)).expect("a text");
            Ok::<_, Error>(choice.recipe(1)?.expect("a recipe").feature_set()?.names().len())
        };
        // seven columns, then four more
        let [all, middle, best] = ["all", "74.5", "75.15"].map(|f| columns(f).expect("columns"));
        assert_eq!((all - middle, middle - best), (7, 4));
        assert!(columns("75").is_err());
    }
}
