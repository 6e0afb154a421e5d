//! Recipes.

use crate::Target;
use threshr_extract::Recipe;
use threshr_features::Families;

pub(crate) static TARGET: Target = Target {
    name: "recipe",
    summary: "TOML of a recipe: a recipe that is read can be written, and the result is read as the same recipe",
    body,
};

fn body(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let recipe = match Recipe::from_toml(text) {
        Ok(recipe) => recipe,
        Err(error) => return assert!(!error.to_string().is_empty(), "an error without a message"),
    };
    let written = recipe.to_toml();
    let again = Recipe::from_toml(&written);
    let again = again.unwrap_or_else(|error| panic!("the written recipe cannot be read: {error}\n{written}"));
    // Compares debug output, because NaN values are equal in it.
    assert_eq!(format!("{recipe:?}"), format!("{again:?}"), "the recipe changes when it is written");
    if let (Ok(_), Ok(features)) = (recipe.parts(), recipe.feature_set(&Families::default())) {
        let num_columns = features.names().len();
        assert!(num_columns < 1 << 20, "{num_columns} columns");
    }
}
