//! What a training run produces: a fitted classifier with its calibration and decision.

use crate::decision::LearnedRules;
use crate::filters::FilterChoice;
use crate::model::HeldOut;
use ndarray::ArrayView2;
use std::sync::Arc;
use threshr_core::policy::{PROPERTIES, Policy, Property};
use threshr_core::{Budget, Result};
use threshr_features::{Vocabularies, metadata_column};
use threshr_html::blocks::ParagraphClass;
use threshr_models::calibration::Sigmoid;
use threshr_models::{self as models, FittedClassifier};

/// A fitted classifier with its calibration and threshold.
#[derive(Debug)]
pub struct Fitted {
    /// What learned features rest on.
    pub vocabularies: Vocabularies,
    /// The classifier.
    pub classifier: Box<dyn FittedClassifier>,
    /// From its decision values to scores.
    pub sigmoid: Sigmoid,
    /// What tells classes of paragraphs apart, where the gold has them.
    pub classes: Option<ParagraphClasses>,
    /// The number of the recipe's decision rule; for the rule `threshold` the least score of a kept block.
    pub threshold: f32,
    /// The numbers of all rules.
    pub learned: Arc<LearnedRules>,
    /// The filter of the recipe, with which these were learned.
    pub filter: FilterChoice,
    /// Scores on held-out pages.
    pub held_out: HeldOut,
}

impl Fitted {
    /// Calibrated scores of the blocks of one page in order, `x` of shape (n_blocks, n_features).
    ///
    /// # Errors
    /// Where `x` has another number of columns, and where the time is over.
    pub fn scores(&self, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Vec<f32>> {
        Ok(self.sigmoid.apply(&models::decide(self.classifier.as_ref(), x, budget)?))
    }

    /// Class of each block of a page, `x` of shape (n_blocks, n_features), where the model tells them apart.
    ///
    /// # Errors
    /// As [`Fitted::scores`].
    pub fn classes(&self, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Option<Vec<ParagraphClass>>> {
        match models::classes(self.classifier.as_ref(), x)? {
            Some(classes) => Ok(Some(classes)),
            None => self.classes.as_ref().map(|c| c.classes(x, budget)).transpose(),
        }
    }

    /// Properties that a policy switches and that the rows of other blocks must not show: a model with `columns` sees
    /// their switch in the rows of their own blocks, or leaves them to its filter. With captions, content then begins and
    /// ends where it does without them.
    pub fn confined(&self, columns: &[String], policy: Policy) -> Vec<&'static Property> {
        let has_sign = |p: &Property| metadata_column(p).is_some_and(|name| columns.contains(&name));
        let switched = PROPERTIES.iter().filter(|p| policy.switches(p));
        switched.filter(|p| has_sign(p) || self.filter.drops(p)).collect()
    }
}

/// Tells headings and list items from running text.
#[derive(Debug)]
pub struct ParagraphClasses {
    /// Headings against the rest.
    pub heading: Box<dyn FittedClassifier>,
    /// List items against the rest.
    pub list: Box<dyn FittedClassifier>,
}

impl ParagraphClasses {
    /// Class of each block, `x` of shape (n_blocks, n_features): the likelier of heading and list where that is likelier
    /// than not, else running text.
    ///
    /// # Errors
    /// Where `x` has another number of columns, and where the time is over.
    pub fn classes(&self, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Vec<ParagraphClass>> {
        let heading = models::decide(self.heading.as_ref(), x, budget)?;
        let list = models::decide(self.list.as_ref(), x, budget)?;
        let class = |(&h, &l): (&f32, &f32)| match (h > 0.0, l > 0.0) {
            (true, _) if h >= l => ParagraphClass::Heading,
            (_, true) => ParagraphClass::List,
            _ => ParagraphClass::Paragraph,
        };
        Ok(heading.iter().zip(&list).map(class).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_confined_where_their_blocks_are_known() {
        let confined = |columns: &[&str], policy: &str, filter: &str| -> Vec<&str> {
            let columns: Vec<String> = columns.iter().map(|c| format!("policy.{c}")).collect();
            let fitted = Fitted {
                vocabularies: Vocabularies::new(),
                classifier: threshr_models::load(
                    "majority",
                    &serde_json::json!({"decision": 0.0, "num_columns": columns.len()}),
                    columns.len(),
                )
                .expect("a model"),
                sigmoid: Sigmoid { a: 1.0, b: 0.0 },
                classes: None,
                threshold: 0.5,
                learned: Arc::default(),
                filter: FilterChoice::parse(filter).expect("a filter"),
                held_out: HeldOut::default(),
            };
            let policy = Policy::parse(policy).expect("a policy");
            fitted.confined(&columns, policy).iter().map(|p| p.name).collect()
        };
        let columns = ["captions", "caption", "title"];
        assert_eq!(confined(&columns, "main+captions", "none"), ["captions"]);
        assert_eq!(confined(&columns, "full-captions", "none"), ["captions"]);
        // no switch
        assert!(confined(&columns, "full", "none").is_empty());
        // without the sign the policy is all that a model knows
        assert!(confined(&["captions", "title"], "main+captions", "none").is_empty());
        // headings are left to the filter
        assert!(confined(&["headings"], "main-headings", "repeats").is_empty());
        assert_eq!(confined(&["headings"], "main-headings", "headings"), ["headings"]);
    }
}
