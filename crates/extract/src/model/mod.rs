//! Trained models, and the model files that store them.

pub mod file;
mod fitted;
mod summary;

pub use fitted::{Fitted, ParagraphClasses};
pub use summary::{HeldOut, SetInfo, TrainingSummary};

use crate::baseline::TrainedSystem;
use crate::correction::Corrections;
use crate::decision::{Decision, DecisionOptions, Rule, RuleChoice};
use crate::filters::FilterChoice;
use crate::recipe::{Parts, PolicyRecipe, Recipe};
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
    fitted: Fitted,
    summary: TrainingSummary,
    /// The feature columns, of which only those that the classifiers use are computed.
    used: FeatureSet,
    /// Checksum of its model file.
    checksum: Option<String>,
}

impl Model {
    /// Creates a model with the columns of `parts`.
    pub fn new(recipe: Recipe, parts: Parts, fitted: Fitted, summary: TrainingSummary) -> Self {
        let used = with_used_columns(&parts.features, &fitted);
        Self { recipe, parts, fitted, summary, used, checksum: None }
    }

    /// Creates a model from the parts of a model file. The column definitions must be those of this version.
    fn assemble(
        recipe: Recipe,
        fitted: Fitted,
        summary: TrainingSummary,
        columns: &[String],
        definitions: &str,
        checksum: String,
    ) -> Result<Self> {
        let parts = Parts { features: FeatureSet::from_names(columns)?, ..recipe.parts()? };
        if fitted.classifier.num_columns() != columns.len() {
            return Err(Error::model(format!("the model has {} columns", columns.len()))
                .expected(fitted.classifier.num_columns().to_string()));
        }
        if parts.features.definitions_hash() != definitions {
            return Err(Error::model("the model was trained with other definitions of its columns")
                .expected("a model trained by this version; the file contains the recipe for it")
                .with_setting("Recipe"));
        }
        Ok(Self { checksum: Some(checksum), ..Self::new(recipe, parts, fitted, summary) })
    }

    /// The model with these corrections instead of its own. Its checksum is unknown until it is written.
    ///
    /// # Errors
    /// If a number is out of range or a column does not exist.
    pub fn with_corrections(mut self, corrections: Corrections) -> Result<Self> {
        corrections.check()?;
        self.fitted.corrections = corrections;
        self.used = with_used_columns(&self.parts.features, &self.fitted);
        self.checksum = None;
        Ok(self)
    }

    /// The settings of its training.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }
    /// The fitted classifier with its calibration and decision parameters.
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }
    /// The training data, and the results on held-out pages.
    pub fn summary(&self) -> &TrainingSummary {
        &self.summary
    }
    /// The checksum of its model file, in hexadecimal digits; `None` if it was not read from a file.
    pub fn checksum(&self) -> Option<&str> {
        self.checksum.as_deref()
    }
    /// Its feature columns.
    pub fn features(&self) -> &FeatureSet {
        &self.parts.features
    }
    /// Its feature columns, of which only those that the classifiers use are computed. The others are 0.
    pub fn used_features(&self) -> &FeatureSet {
        &self.used
    }
    /// Names of its columns.
    pub fn columns(&self) -> &[String] {
        self.parts.features.names()
    }
    /// The filter of its recipe.
    pub fn filter(&self) -> FilterChoice {
        self.parts.filter
    }
    /// How it cuts pages into blocks.
    pub fn segmentation(&self) -> &'static Segmentation {
        self.parts.segmentation
    }
    /// The decision rule of its recipe.
    pub fn rule(&self) -> &'static Rule {
        self.parts.rule
    }

    /// Policy properties that no column of the model uses, or that its filter handles. Overriding them
    /// changes no score. Properties that no model learns are not among them.
    pub fn unused_properties(&self) -> Vec<&'static Property> {
        let PolicyRecipe { vary, sets, .. } = &self.recipe.policy;
        // A column with one sign shows which blocks have the property, not whether they count as content.
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

    /// How scores become labels: the given options, else the settings of the model.
    pub fn decision(&self, options: &DecisionOptions, filter: Option<FilterChoice>) -> Decision {
        let rule = RuleChoice::new(self.parts.rule, self.fitted.threshold, &self.fitted.learned, options);
        Decision { rule, filter: filter.unwrap_or(self.parts.filter) }
    }
}

/// The feature columns, of which only those that the classifiers use are computed.
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
    /// The training data.
    pub fn summary(&self) -> &TrainingSummary {
        match self {
            Trained::Model(model) => model.summary(),
            Trained::System(system) => system.summary(),
        }
    }

    /// The model.
    ///
    /// # Errors
    /// If it is a trained system.
    pub fn into_model(self) -> Result<Model> {
        match self {
            Trained::Model(model) => Ok(*model),
            Trained::System(system) => Err(Error::model(format!(
                "the file contains the trained system `{}`",
                system.choice().system().name
            ))
            .expected("a model of features and a classifier")),
        }
    }
}
