//! Recipes.

use crate::Target;
use threshr_extract::Recipe;

pub(crate) static TARGET: Target = Target {
    name: "recipe",
    summary: "TOML of a recipe: what is read can be written, and is read again as the same recipe",
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
    // Debug text, because NaN equals NaN in it.
    assert_eq!(format!("{recipe:?}"), format!("{again:?}"), "the recipe changes when it is written");
    if let Ok(parts) = recipe.parts() {
        let names = parts.features.names();
        assert!(names.len() < 1 << 20, "{} columns", names.len());
    }
}
