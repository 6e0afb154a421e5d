//! WCC's decision tree over four features.

use crate::shared::threshold::{self, Threshold};
use serde::Deserialize;
use serde_json::{Value, json};
use threshr_core::Result;
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, System};
use threshr_extract::recipe::Recipe;

/// The features are the number of words, the parent tag, the share of words with an upper-case first letter, and
/// the number of words per punctuation mark. The classifier is `tree`; a block gets the majority class of its leaf.
/// All blocks have the same weight. The depth of the published trees is not known.
pub(crate) static SYSTEM: System = System {
    name: "wcc-tree",
    summary: "decision tree over number of words, parent tag, capitals and punctuation",
    source: "Hofmann and Weerkamp, CleanEval 2007, Web corpus cleaning using content and structure (decision trees)",
    options: &[
        SystemOption::new("max_depth", "10", "maximum depth of the tree"),
        SystemOption::new("min_leaf_rows", "20", "minimum number of blocks of a leaf"),
    ],
    ..System::new(How::Recipe(recipe))
};

/// The options.
#[derive(Debug, Deserialize)]
struct Settings {
    max_depth: u32,
    min_leaf_rows: u32,
}

fn recipe(settings: &Value) -> Result<Recipe> {
    let Settings { max_depth, min_leaf_rows } = option::read(settings)?;
    let params = json!({"max_depth": max_depth, "min_leaf_rows": min_leaf_rows});
    Ok(threshold::recipe("wcc", "tree", params, Threshold::Half))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_extract::baseline::SystemChoice;
    use threshr_features::{Families, PageContext};
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn features_are_the_four_published_ones() {
        let mut choice = SystemChoice::parse("wcc-tree", &crate::systems()).expect("it exists");
        choice.set("max_depth", json!(4)).expect("a number");
        let recipe = choice.recipe(1).expect("read").expect("a recipe");
        assert_eq!(recipe.classifier.params["max_depth"], 4);
        let doc = parse_str("<ul><li>Read the News, now!</ul><p>one");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let set = recipe.feature_set(&Families::default()).expect("a set");
        let matrix = set.extract(&PageContext::new(&doc, &blocks));
        let value = |column: &str, row: usize| {
            let at = matrix.columns().iter().position(|c| c == column).expect(column);
            matrix.values()[[row, at]]
        };
        // four words, two of which are capitalised; two punctuation marks, plus one; the parent is <li>
        assert_eq!(value("shallow.num_words", 0), 4.0);
        assert_eq!(value("shallow.capital_ratio", 0), 0.5);
        assert_eq!(value("token.words_per_sign", 0), 4.0 / 3.0);
        assert_eq!((value("container.is_li", 0), value("container.is_p", 0)), (1.0, 0.0));
        assert_eq!((value("container.is_li", 1), value("container.is_p", 1)), (0.0, 1.0));
    }
}
