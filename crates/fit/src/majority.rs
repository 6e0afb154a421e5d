//! `majority`: a constant score, the baseline for all classifiers.

use crate::{Classifier, Classifiers, Settings, TrainingSet};
use serde::{Deserialize, Serialize};
use threshr_core::Result;
use threshr_models::majority::{Data, Majority};
use threshr_models::registry::MAJORITY;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// The constant classifier.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "the same score for every block, the share of content: the baseline of all classifiers",
    source: "the usual baseline, as in the tables of Kohlschütter et al., WSDM 2010",
    limits: "Uses no feature.",
    ..Classifier::new::<Constant>()
};

/// No settings.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {}

impl Settings for Constant {
    const KIND: &'static ModelKind = &MAJORITY;

    fn fit(&self, set: &TrainingSet<'_>, _: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let weight_of = |class: bool| -> f64 {
            set.y.iter().zip(set.weight).filter(|(y, _)| **y == class).map(|(_, w)| f64::from(*w)).sum()
        };
        let decision = (weight_of(true) / weight_of(false)).ln();
        Ok(Box::new(Majority::new(Data { decision }, set.columns.len())?))
    }
}
