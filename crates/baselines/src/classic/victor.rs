//! Victor: a conditional random field over the text between tags.

use crate::shared::threshold::{self, Threshold};
use serde::Deserialize;
use serde_json::{Value, json};
use threshr_core::{Error, Result};
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, System};
use threshr_extract::recipe::Recipe;

/// The text between two tags is a block. A linear-chain conditional random field labels the blocks of a page
/// as paragraph, heading, list item or other. Blocks labelled other are dropped.
///
/// Three feature settings are published: `all` (73.92 %); `74.5`, without word-ratio, numeric-count,
/// mixed-count and nonword-count; and the default `75.15`, which in addition omits regexp-url and
/// document.word-count. The winning run of the competition (74.7 %) used another setting. Columns are binned
/// automatically; the published system uses bins chosen by hand.
pub(crate) static SYSTEM: System = System {
    name: "victor",
    summary: "conditional random field over the texts between tags, with paragraph classes",
    source: "Marek, Pecina and Spousta, CleanEval 2007, Web page cleaning with conditional random fields (Victor)",
    options: &[
        SystemOption::new("features", "\"75.15\"", "feature setting: `all`, `74.5` or `75.15`"),
        SystemOption::new("c", "1.0", "strength of the regularisation of the weights"),
        SystemOption::new("max_epochs", "60", "maximum number of training epochs"),
        Threshold::OPTION,
    ],
    ..System::new(How::Recipe(recipe))
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
            return Err(Error::invalid_option(format!("`victor.features` is {}", settings.features))
                .expected("all, 74.5 or 75.15"));
        }
    };
    let params = json!({"classes": "paragraph", "c": settings.c, "max_epochs": settings.max_epochs});
    let mut recipe = threshold::recipe(set, "crf", params, settings.threshold);
    recipe.block.segmentation = "text-node".into();
    Ok(recipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_extract::baseline::SystemChoice;
    use threshr_features::Families;

    #[test]
    fn settings_choose_features() {
        let columns = |features: &str| {
            let mut choice = SystemChoice::parse("victor", &crate::systems()).expect("it exists");
            choice.set("features", json!(features)).expect("a text");
            Ok::<_, Error>(
                choice.recipe(1)?.expect("a recipe").feature_set(&Families::default())?.names().len(),
            )
        };
        // `74.5` removes seven columns, and `75.15` removes four more
        let [all, middle, best] = ["all", "74.5", "75.15"].map(|f| columns(f).expect("columns"));
        assert_eq!((all - middle, middle - best), (7, 4));
        assert!(columns("75").is_err());
    }
}
