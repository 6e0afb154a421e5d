//! Classification algorithms: description, settings, and the function that fits a model.

use crate::{Classifiers, TrainingSet};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::fmt;
use threshr_core::{Error, Result};
use threshr_models::{FittedClassifier, ModelKind};

/// Fits a model from a training set, settings, a seed and all known classifiers (for ensembles).
pub type Fit = fn(&TrainingSet<'_>, &Value, u64, &Classifiers) -> Result<Box<dyn FittedClassifier>>;

/// Fits one model for each pair of settings and seed on the same rows.
pub type FitGroup = fn(&TrainingSet<'_>, &[(&Value, u64)]) -> Vec<Result<Box<dyn FittedClassifier>>>;

/// A classification algorithm: description, default settings, and the function that fits a model.
pub struct Classifier {
    /// Model kind that the algorithm fits. Its name is used on the command line and in model files.
    pub kind: &'static ModelKind,
    /// One-line summary for help and tables.
    pub summary: &'static str,
    /// Publications that describe the method.
    pub source: &'static str,
    /// Known limits of the method.
    pub limits: &'static str,
    /// The default settings, a JSON object.
    pub defaults: fn() -> Value,
    /// Fits a model.
    /// The settings are a JSON object that overrides the defaults. An unknown key is an error. Equal rows,
    /// settings and seed give bit-identical models.
    pub fit: Fit,
    /// Fits several models on the same rows, each with its own settings and seed. `Some` if a joint fit is
    /// cheaper than repeated calls of [`Classifier::fit`]. The resulting models are identical to those of
    /// separate fits.
    pub fit_group: Option<FitGroup>,
}

/// Allowed ranges of numeric settings: name, minimum, maximum.
pub type Ranges = &'static [(&'static str, f64, f64)];

/// The settings of a classifier: defaults, ranges, and the fit.
///
/// The type must deny unknown fields and take missing fields from its default.
///
/// Example of a classifier in another crate, which fits linear models:
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
    /// Kind of the fitted models.
    const KIND: &'static ModelKind;

    /// Allowed ranges of the numeric settings.
    const RANGES: Ranges = &[];

    /// Checks conditions that [`Settings::RANGES`] cannot express.
    ///
    /// # Errors
    /// If a setting is invalid. The error refers to the first one.
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
    /// Returns a classifier with settings of type `S`. Its description is empty.
    pub const fn new<S: Settings>() -> Self {
        Classifier {
            kind: S::KIND,
            summary: "",
            source: "",
            limits: "",
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

/// Declares the settings of a classifier: type, default and range of each field.
///
/// The constant `LIMITS` contains the numeric ranges, for [`Settings::RANGES`].
#[macro_export]
macro_rules! settings_of {
    ($(#[$of_type:meta])* $view:vis struct $name:ident {
        $($(#[$of_field:meta])* $field:ident: $type:ty = $default:expr $(, $low:literal to $high:expr)?;)*
    }) => {
        $(#[$of_type])*
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        $view struct $name {
            $($(#[$of_field])* $view $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            const LIMITS: $crate::Ranges = &[$($((stringify!($field), $low, $high),)?)*];
        }
    };
}

/// Reads a classifier's settings. `params` overrides the defaults of `S`.
///
/// # Errors
/// If a setting is unknown, has the wrong type or is out of range.
pub fn settings<S: Settings>(params: &Value) -> Result<S> {
    let name = S::KIND.name;
    if !(params.is_null() || params.is_object()) {
        // Serde would accept a list as the fields in declaration order.
        return Err(Error::invalid_option(format!("the settings of classifier `{name}` are not a table"))
            .expected("a table of names and values"));
    }
    let params = if params.is_null() { Value::Object(Map::new()) } else { params.clone() };
    let settings = S::deserialize(&params).map_err(|e| {
        // Serde's message does not contain the setting's name, so each setting is read separately to find the
        // first invalid one.
        let fails_alone = |&(key, value): &(&String, &Value)| {
            let alone = Map::from_iter([(key.clone(), value.clone())]);
            S::deserialize(Value::Object(alone)).is_err()
        };
        let which = params.as_object().and_then(|p| p.iter().find(fails_alone));
        let which = which.map(|(key, _)| format!("`{key}`: ")).unwrap_or_default();
        Error::invalid_option(format!("invalid settings of classifier `{name}`: {which}{e}"))
    })?;
    let values = json!(settings);
    for &(setting, low, high) in S::RANGES {
        // JSON cannot represent infinite numbers; serde writes null
        check_range(name, setting, values[setting].as_f64().unwrap_or(f64::NAN), low, high)?;
    }
    settings.check().map(|()| settings)
}

/// Checks `low <= value <= high` for a setting of a classifier.
///
/// # Errors
/// If the value is out of range. The error contains the setting and the range.
pub fn check_range(classifier: &str, setting: &str, value: f64, low: f64, high: f64) -> Result<()> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Error::invalid_option(format!("`{setting}` of classifier `{classifier}` is {value}"))
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
