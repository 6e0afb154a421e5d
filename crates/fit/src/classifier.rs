//! Algorithms: texts, settings and the functions that fit a model.

use crate::{Classifiers, TrainingSet};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::fmt;
use threshr_core::{Error, Result};
use threshr_models::{FittedClassifier, ModelKind};

/// How a classifier uses the weights of the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// The loss is weighted.
    Exact,
    /// Training rows are sampled with probability proportional to their weight.
    BySampling,
}

/// Fits a model from a training set, settings, a seed and all known classifiers (for ensembles).
pub type Fit = fn(&TrainingSet<'_>, &Value, u64, &Classifiers) -> Result<Box<dyn FittedClassifier>>;

/// Fits one model for each pair of settings and seed on the same rows.
pub type FitGroup = fn(&TrainingSet<'_>, &[(&Value, u64)]) -> Vec<Result<Box<dyn FittedClassifier>>>;

/// An algorithm: texts, default settings, and the function that fits a model. Its name is that of the models.
pub struct Classifier {
    /// The kind of its models. The name of the kind is the name on the command line and in model files.
    pub kind: &'static ModelKind,
    /// One line for help and tables.
    pub summary: &'static str,
    /// The publications of the method.
    pub source: &'static str,
    /// Its limits.
    pub limits: &'static str,
    /// How it uses block weights.
    pub weights: Weights,
    /// The default settings, a JSON object.
    pub defaults: fn() -> Value,
    /// Fits a model.
    ///
    /// The settings are a JSON object that overrides the defaults; an unknown key is an error. Equal rows,
    /// settings and seed give the same model, bit for bit.
    pub fit: Fit,
    /// Fits several models on the same rows, each with its settings and seed, if that is cheaper than one
    /// [`Classifier::fit`] after the other. The models are the same.
    pub fit_group: Option<FitGroup>,
}

/// Ranges of numbers among the settings: the name, the least and the greatest value.
pub type Ranges = &'static [(&'static str, f64, f64)];

/// The settings of a classifier: defaults, ranges, and the fit.
///
/// The type denies unknown fields, and takes missing fields from its default.
///
/// A classifier of another crate whose models are linear:
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use threshr_core::Result;
/// use threshr_fit::linear::scaling::fit_scaler;
/// use threshr_fit::{Classifier, Classifiers, Ranges, Settings, TrainingSet};
/// use threshr_models::linear::{linear_model::Linear, logistic::Logistic};
/// use threshr_models::{FittedClassifier, ModelKind, Stored};
///
/// static KIND: ModelKind = ModelKind::new::<Logistic>("equal");
/// static EQUAL: Classifier =
///     Classifier { summary: "the same weight for every column", ..Classifier::new::<Equal>() };
///
/// #[derive(Default, Serialize, Deserialize)]
/// #[serde(deny_unknown_fields, default)]
/// struct Equal {
///     weight: f64,
/// }
///
/// impl Settings for Equal {
///     const KIND: &'static ModelKind = &KIND;
///     const RANGES: Ranges = &[("weight", -1.0, 1.0)];
///
///     fn fit(&self, set: &TrainingSet<'_>, _: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
///         let (scaler, num_columns) = (fit_scaler(set.x, set.weight), set.columns.len());
///         let model = Linear { scaler, weight: vec![self.weight; num_columns], bias: 0.0 };
///         Ok(Box::new(Logistic::new(model, num_columns)?))
///     }
/// }
///
/// let classifiers = Classifiers::default().with(&[&EQUAL]);
/// assert_eq!(classifiers.by_name("equal")?.name(), "equal");
/// # Ok::<(), threshr_core::Error>(())
/// ```
pub trait Settings: Default + Serialize + DeserializeOwned {
    /// The kind of the models that are fitted.
    const KIND: &'static ModelKind;

    /// The ranges of the numbers.
    const RANGES: Ranges = &[];

    /// Checks what [`Settings::RANGES`] does not tell.
    ///
    /// # Errors
    /// The first invalid setting.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Fits a model to rows that have passed [`TrainingSet::check`].
    ///
    /// # Errors
    /// If the rows cannot be fitted with these settings.
    fn fit(&self, set: &TrainingSet<'_>, seed: u64, all: &Classifiers) -> Result<Box<dyn FittedClassifier>>;
}

impl Classifier {
    /// A classifier with settings of type `S`, without texts.
    pub const fn new<S: Settings>() -> Self {
        Classifier {
            kind: S::KIND,
            summary: "",
            source: "",
            limits: "",
            weights: Weights::Exact,
            defaults: || json!(S::default()),
            fit: |set, params, seed, all| {
                set.check()?;
                settings::<S>(params)?.fit(set, seed, all)
            },
            fit_group: None,
        }
    }

    /// The name on the command line and in model files.
    pub fn name(&self) -> &'static str {
        self.kind.name
    }
}

impl fmt::Debug for Classifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classifier").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// Reads a classifier's settings: `params` overrides the defaults of `S`.
///
/// # Errors
/// If a setting is unknown, has the wrong type or is out of range.
pub fn settings<S: Settings>(params: &Value) -> Result<S> {
    let name = S::KIND.name;
    if !(params.is_null() || params.is_object()) {
        // Serde accepts a list as the fields in order of declaration.
        return Err(Error::recipe(format!("the settings of classifier `{name}` are not a table"))
            .expected("a table of names and values"));
    }
    let params = if params.is_null() { Value::Object(Map::new()) } else { params.clone() };
    let settings = S::deserialize(&params).map_err(|e| {
        // Serde's message lacks the name: find the first setting that fails alone.
        let fails_alone = |&(key, value): &(&String, &Value)| {
            let alone = Map::from_iter([(key.clone(), value.clone())]);
            S::deserialize(Value::Object(alone)).is_err()
        };
        let which = params.as_object().and_then(|p| p.iter().find(fails_alone));
        let which = which.map(|(key, _)| format!("`{key}`: ")).unwrap_or_default();
        Error::recipe(format!("invalid settings of classifier `{name}`: {which}{e}"))
    })?;
    let values = json!(settings);
    for &(setting, low, high) in S::RANGES {
        // JSON has no infinite numbers: they are null
        check_range(name, setting, values[setting].as_f64().unwrap_or(f64::NAN), low, high)?;
    }
    settings.check().map(|()| settings)
}

/// Checks `low <= value <= high` for a setting of a classifier.
///
/// # Errors
/// If the value is out of range; names the setting and the range.
pub fn check_range(classifier: &str, setting: &str, value: f64, low: f64, high: f64) -> Result<()> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Error::recipe(format!("`{setting}` of classifier `{classifier}` is {value}"))
        .expected(format!("a number in {low}..={high}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_setting_and_its_range() {
        let e = check_range("tree", "max_depth", f64::NAN, 1.0, 64.0).unwrap_err();
        assert_eq!(e.to_string(), "`max_depth` of classifier `tree` is NaN; expected a number in 1..=64");
        assert!(check_range("tree", "max_depth", 64.0, 1.0, 64.0).is_ok());
    }
}
