//! Reads and writes recipes as TOML, validates them, and looks up the registry entries that they refer to.

use super::Recipe;
use crate::decision;
use crate::filters::FilterChoice;
use serde_json::Value;
use threshr_core::{Error, Result};
use threshr_features::{Families, FeatureSet};
use threshr_html::blocks::{self, Segmentation};
use threshr_html::{ParseOptions, Visibility};

/// The registry entries that a recipe refers to.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The segmentation, which splits pages into blocks.
    pub segmentation: &'static Segmentation,
    /// The decision rule.
    pub rule: &'static decision::Rule,
    /// The filter that runs after the rule.
    pub filter: FilterChoice,
}

impl Recipe {
    /// Parses a recipe in TOML.
    ///
    /// # Errors
    /// If the TOML is invalid; the error contains the line. Also if a number in `params` is not finite.
    pub fn from_toml(text: &str) -> Result<Self> {
        let recipe: Recipe = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|s| 1 + text[..s.start.min(text.len())].matches('\n').count() as u64);
            let error = Error::invalid_option(format!("invalid recipe: {}", e.message()));
            line.map_or_else(|| Error::invalid_option(e.message()), |l| error.at_line(l))
        })?;
        let params = [("classifier", Some(&recipe.classifier.params))];
        let null = params
            .into_iter()
            .find_map(|(name, params)| Some(format!("{name}.params{}", path_of_null(params?)?)));
        match null {
            Some(setting) => Err(Error::invalid_option(format!("{setting} is not a finite number"))),
            None => Ok(recipe),
        }
    }

    /// Writes the recipe as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|e| format!("# this recipe cannot be written as TOML: {e}\n"))
    }

    /// Returns whether the blocks contain hidden text.
    pub fn visibility(&self) -> Visibility {
        if self.page.keep_hidden { Visibility::WithHidden } else { Visibility::Visible }
    }

    /// Returns the options for parsing pages.
    pub fn parse_options(&self) -> ParseOptions {
        ParseOptions { strict_visibility: self.page.strict_visibility, ..ParseOptions::default() }
    }

    /// Returns the columns that the feature-set expression selects from these families.
    ///
    /// # Errors
    /// If the expression is invalid.
    pub fn feature_set(&self, families: &Families) -> Result<FeatureSet> {
        families.feature_set(&self.features.set, &self.features.neighbours)
    }

    /// Looks up all names except those of features and classifiers, and validates all numbers.
    ///
    /// # Errors
    /// For the first invalid value.
    pub fn parts(&self) -> Result<Parts> {
        let share = |value: f32, name: &str| match value {
            v if (0.0..=1.0).contains(&v) => Ok(()),
            v => Err(Error::invalid_option(format!("`{name}` is {v}")).expected("a number from 0 to 1")),
        };
        share(self.labels.threshold, "labels.threshold")?;
        share(self.labels.min_aligned, "labels.min_aligned")?;
        share(self.labels.teacher_weight, "labels.teacher_weight")?;
        let augmentation = &self.augmentation;
        share(augmentation.without_attributes, "augmentation.without_attributes")?;
        share(augmentation.insert_comments, "augmentation.insert_comments")?;
        share(augmentation.insert_stories, "augmentation.insert_stories")?;
        if !(5..=1000).contains(&augmentation.max_stories) {
            return Err(Error::invalid_option(format!(
                "`augmentation.max_stories` is {}",
                augmentation.max_stories
            ))
            .expected("a number from 5 to 1000"));
        }
        share(self.decision.threshold.unwrap_or(0.5), "decision.threshold")?;
        if !(2..=100).contains(&self.decision.folds) {
            return Err(Error::invalid_option(format!("`decision.folds` is {}", self.decision.folds))
                .expected("2 to 100"));
        }
        Ok(Parts {
            segmentation: blocks::by_name(&self.block.segmentation)?,
            rule: decision::by_name(&self.decision.rule)?,
            filter: FilterChoice::parse(&self.decision.filter)?,
        })
    }
}

/// Returns the path of the first `null`. TOML has no `null`, but `nan` and `inf` become `null`.
fn path_of_null(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Array(parts) => {
            (0..).zip(parts).find_map(|(i, part)| Some(format!("[{i}]{}", path_of_null(part)?)))
        }
        Value::Object(parts) => {
            parts.iter().find_map(|(name, part)| Some(format!(".{name}{}", path_of_null(part)?)))
        }
        _ => None,
    }
}
