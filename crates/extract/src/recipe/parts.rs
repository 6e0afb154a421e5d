//! Reads and writes recipes as TOML, checks them, and finds the registry entries that they name.

use super::Recipe;
use crate::decision;
use crate::filters::FilterChoice;
use serde_json::Value;
use threshr_core::{Error, Result};
use threshr_features::FeatureSet;
use threshr_html::blocks::{self, Segmentation};
use threshr_html::{Annotation, ParseOptions, Visibility};

/// The registry entries that a recipe names.
#[derive(Debug, Clone)]
pub struct Parts {
    /// How blocks are cut.
    pub segmentation: &'static Segmentation,
    /// The feature columns.
    pub features: FeatureSet,
    /// The decision rule.
    pub rule: &'static decision::Rule,
    /// The filter after it.
    pub filter: FilterChoice,
}

impl Recipe {
    /// Parses TOML.
    ///
    /// # Errors
    /// If the TOML is invalid; the error has the line. If a number of `params` is not finite.
    pub fn from_toml(text: &str) -> Result<Self> {
        let recipe: Recipe = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|s| 1 + text[..s.start.min(text.len())].matches('\n').count() as u64);
            let error = Error::recipe(format!("invalid recipe: {}", e.message()));
            line.map_or_else(|| Error::recipe(e.message()), |l| error.at_line(l))
        })?;
        let params = [("classifier", Some(&recipe.classifier.params))];
        let null = params
            .into_iter()
            .find_map(|(name, params)| Some(format!("{name}.params{}", path_of_null(params?)?)));
        match null {
            Some(setting) => Err(Error::recipe(format!("{setting} is not a finite number"))),
            None => Ok(recipe),
        }
    }

    /// Writes TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|e| format!("# this recipe cannot be written as TOML: {e}\n"))
    }

    /// Which parts of a page the blocks contain.
    pub fn visibility(&self) -> Visibility {
        if self.page.keep_hidden { Visibility::WithHidden } else { Visibility::Visible }
    }

    /// How pages are parsed.
    pub fn parse_options(&self, charset: Option<String>, annotation: Option<Annotation>) -> ParseOptions {
        ParseOptions {
            charset,
            annotation,
            strict_visibility: self.page.strict_visibility,
            ..ParseOptions::default()
        }
    }

    /// The columns of the feature-set expression in this version.
    ///
    /// # Errors
    /// If the expression is invalid.
    pub fn feature_set(&self) -> Result<FeatureSet> {
        FeatureSet::parse(&self.features.set, &self.features.neighbours)
    }

    /// Looks up all names except those of classifiers, and checks all numbers.
    ///
    /// # Errors
    /// For the first invalid value.
    pub fn parts(&self) -> Result<Parts> {
        let share = |value: f32, name: &str| match value {
            v if (0.0..=1.0).contains(&v) => Ok(()),
            v => Err(Error::recipe(format!("`{name}` is {v}")).expected("a number from 0 to 1")),
        };
        share(self.labels.threshold, "labels.threshold")?;
        share(self.labels.min_aligned, "labels.min_aligned")?;
        let augmentation = &self.augmentation;
        share(augmentation.without_attributes, "augmentation.without_attributes")?;
        share(augmentation.insert_comments, "augmentation.insert_comments")?;
        share(augmentation.insert_stories, "augmentation.insert_stories")?;
        share(augmentation.replace_content, "augmentation.replace_content")?;
        if !(5..=1000).contains(&augmentation.max_stories) {
            return Err(Error::recipe(format!("`augmentation.max_stories` is {}", augmentation.max_stories))
                .expected("a number from 5 to 1000"));
        }
        share(self.decision.threshold.unwrap_or(0.5), "decision.threshold")?;
        if !(2..=100).contains(&self.decision.folds) {
            return Err(
                Error::recipe(format!("`decision.folds` is {}", self.decision.folds)).expected("2 to 100")
            );
        }
        Ok(Parts {
            segmentation: blocks::by_name(&self.block.segmentation)?,
            features: self.feature_set()?,
            rule: decision::by_name(&self.decision.rule)?,
            filter: FilterChoice::parse(&self.decision.filter)?,
        })
    }
}

/// The path of the first `null`. TOML has none: `nan` and `inf` become `null`.
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
