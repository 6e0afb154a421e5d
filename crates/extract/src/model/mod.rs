//! Trained models, and the model files that store them.

pub mod file;
mod fitted;
mod known;
mod summary;

pub use fitted::{Fitted, ParagraphClasses};
pub use known::Known;
pub use summary::{HeldOut, SetInfo, TrainingSummary};

use crate::baseline::TrainedSystem;
use crate::correction::Corrections;
use crate::decision::{Decision, DecisionOptions, Rule, RuleChoice};
use crate::filters::FilterChoice;
use crate::recipe::{Parts, PolicyRecipe, Recipe};
use threshr_core::Setting;
use threshr_core::policy::{PROPERTIES, Property};
use threshr_core::{Error, Result};
use threshr_features::FeatureSet;
use threshr_html::blocks::Segmentation;
use threshr_page::article::article_metadata::metadata_column;

/// A trained model: recipe, feature columns, fitted classifier and training summary.
#[derive(Debug)]
pub struct Model {
    recipe: Recipe,
    parts: Parts,
    features: FeatureSet,
    fitted: Fitted,
    summary: TrainingSummary,
    /// `features`, restricted to the columns that the classifiers use. The other columns are not computed.
    used: FeatureSet,
    /// Checksum of the model file.
    checksum: Option<String>,
}

impl Model {
    /// Creates a model with the columns of `features`.
    pub fn new(
        recipe: Recipe,
        parts: Parts,
        features: FeatureSet,
        fitted: Fitted,
        summary: TrainingSummary,
    ) -> Self {
        let used = with_used_columns(&features, &fitted);
        Self { recipe, parts, features, fitted, summary, used, checksum: None }
    }

    /// Creates a model from the contents of a model file. The column definitions must be those of this version.
    fn assemble(
        recipe: Recipe,
        fitted: Fitted,
        summary: TrainingSummary,
        features: FeatureSet,
        definitions: &str,
        checksum: String,
    ) -> Result<Self> {
        let num_columns = features.names().len();
        if fitted.classifier.num_columns() != num_columns {
            return Err(Error::model(format!("the model has {num_columns} columns"))
                .expected(fitted.classifier.num_columns().to_string()));
        }
        if features.definitions_hash() != definitions {
            return Err(Error::model("the model was trained with other definitions of its columns")
                .expected("a model trained by this version; the file contains the recipe to train it again")
                .with_setting(Setting::Recipe));
        }
        let parts = recipe.parts()?;
        Ok(Self { checksum: Some(checksum), ..Self::new(recipe, parts, features, fitted, summary) })
    }

    /// Returns the model with these corrections instead of its own. Its checksum is unknown until it is written.
    ///
    /// # Errors
    /// If a number or a size is out of range.
    pub fn with_corrections(mut self, corrections: Corrections) -> Result<Self> {
        corrections.check()?;
        self.fitted.corrections = corrections;
        self.used = with_used_columns(&self.features, &self.fitted);
        self.checksum = None;
        Ok(self)
    }

    /// Returns the settings of the training.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }
    /// Returns the fitted classifier with its calibration and decision parameters.
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }
    /// Returns the summary of the training data and of the results on held-out pages.
    pub fn summary(&self) -> &TrainingSummary {
        &self.summary
    }
    /// Returns the checksum of the model file in hexadecimal; `None` if the model was not read from a file.
    pub fn checksum(&self) -> Option<&str> {
        self.checksum.as_deref()
    }
    /// Returns the feature columns.
    pub fn features(&self) -> &FeatureSet {
        &self.features
    }
    /// Returns the feature columns. Only the columns that the classifiers use are computed; the other columns
    /// are 0.
    pub fn used_features(&self) -> &FeatureSet {
        &self.used
    }
    /// Returns the names of the columns.
    pub fn columns(&self) -> &[String] {
        self.features.names()
    }
    /// Returns the filter of the recipe.
    pub fn filter(&self) -> FilterChoice {
        self.parts.filter
    }
    /// Returns the segmentation, which splits pages into blocks.
    pub fn segmentation(&self) -> &'static Segmentation {
        self.parts.segmentation
    }
    /// Returns the decision rule of the recipe.
    pub fn rule(&self) -> &'static Rule {
        self.parts.rule
    }

    /// Returns the learnable policy properties that no column of the model uses or that its filter handles. An
    /// override of such a property does not change the scores.
    pub fn unused_properties(&self) -> Vec<&'static Property> {
        let PolicyRecipe { vary, sets, .. } = &self.recipe.policy;
        // If all training policies agree on the property, the column shows only which blocks have the
        // property, not whether they are content.
        let has_both_signs = |p: &Property| {
            let counts = || sets.values().map(|policy| policy.has(p));
            *vary || counts().any(|c| c) && counts().any(|c| !c)
        };
        let uses = |p: &&Property| {
            let has_sign = metadata_column(p).is_some_and(|name| self.used.computes(&name));
            has_sign && has_both_signs(p) || self.used.computes(&format!("policy.{}", p.name))
        };
        PROPERTIES.iter().filter(|p| p.is_learned && (self.fitted.filter.drops(p) || !uses(p))).collect()
    }

    /// Returns how scores become labels. Options that are not given have the values of the model.
    pub fn decision(&self, options: &DecisionOptions, filter: Option<FilterChoice>) -> Decision {
        let rule = RuleChoice::new(self.parts.rule, self.fitted.threshold, &self.fitted.learned, options);
        Decision { rule, filter: filter.unwrap_or(self.parts.filter) }
    }
}

/// Returns the feature columns, restricted to those that the classifiers use.
fn with_used_columns(features: &FeatureSet, fitted: &Fitted) -> FeatureSet {
    let classes = fitted.classes.iter().flat_map(|c| [&c.heading, &c.list]);
    let mut needed = vec![false; features.names().len()];
    for classifier in classes.chain([&fitted.classifier]) {
        match classifier.used_columns() {
            Some(used) => needed.iter_mut().zip(used).for_each(|(n, u)| *n |= u),
            None => return features.clone(),
        }
    }
    features.clone().computing(needed)
}

/// The content of a model file.
#[derive(Debug)]
pub enum Trained {
    /// A model: feature columns and a classifier.
    Model(Box<Model>),
    /// A trained system.
    System(Box<TrainedSystem>),
}

impl Trained {
    /// Returns the summary of the training.
    pub fn summary(&self) -> &TrainingSummary {
        match self {
            Trained::Model(model) => model.summary(),
            Trained::System(system) => system.summary(),
        }
    }

    /// Returns the model.
    ///
    /// # Errors
    /// If the file contains a trained system.
    pub fn into_model(self) -> Result<Model> {
        match self {
            Trained::Model(model) => Ok(*model),
            Trained::System(system) => Err(Error::model(format!(
                "the file contains the trained system `{}`",
                system.choice().system().name
            ))
            .expected("a model that consists of features and a classifier")),
        }
    }
}
