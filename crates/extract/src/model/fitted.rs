//! The result of a fit: a classifier with its calibration and decision parameters.

use crate::correction::{Corrections, Shift};
use crate::decision::LearnedRules;
use crate::filters::FilterChoice;
use crate::model::HeldOut;
use crate::type_and_quality::PageModels;
use ndarray::ArrayView2;
use std::sync::Arc;
use threshr_core::policy::{PROPERTIES, Policy, Property};
use threshr_core::{Budget, Result};
use threshr_features::Vocabularies;
use threshr_html::blocks::ParagraphClass;
use threshr_models::calibration::Sigmoid;
use threshr_models::{self as models, FittedClassifier};
use threshr_page::article::article_metadata::metadata_column;

/// A fitted classifier with its calibration and decision parameters.
#[derive(Debug)]
pub struct Fitted {
    /// The vocabularies of learned features.
    pub vocabularies: Vocabularies,
    /// The classifier.
    pub classifier: Box<dyn FittedClassifier>,
    /// Corrections of the decision values for some sites; may be empty.
    pub corrections: Corrections,
    /// Maps decision values to scores.
    pub sigmoid: Sigmoid,
    /// The classifiers of paragraph classes, if the gold standard has such classes.
    pub classes: Option<ParagraphClasses>,
    /// The parameter of the recipe's decision rule. For the rule `threshold`, it is the minimum score of a kept
    /// block.
    pub threshold: f32,
    /// The tuned parameters of all rules.
    pub learned: Arc<LearnedRules>,
    /// The filter of the recipe. The parameters were tuned with it.
    pub filter: FilterChoice,
    /// Results on held-out pages.
    pub held_out: HeldOut,
    /// The models of page type and quality; empty if the recipe requests none.
    pub type_and_quality: PageModels,
}

impl Fitted {
    /// Returns the decision values of the blocks of one page in order, without site corrections. `rows` has the
    /// shape (n_blocks, n_features).
    ///
    /// # Errors
    /// If the number of columns differs, or the budget is exhausted.
    pub fn decisions(&self, rows: ArrayView2<'_, f32>, budget: &Budget) -> Result<Vec<f32>> {
        models::decide(self.classifier.as_ref(), rows, budget)
    }

    /// Returns the calibrated scores of the blocks of one page in order. `shift` is the correction for the
    /// page's site; see [`Corrections::shift`].
    ///
    /// # Errors
    /// Returns the errors of [`Fitted::decisions`].
    pub fn scores(
        &self,
        rows: ArrayView2<'_, f32>,
        shift: Option<&Shift>,
        budget: &Budget,
    ) -> Result<Vec<f32>> {
        let mut decisions = self.decisions(rows, budget)?;
        if let Some(shift) = shift {
            shift.apply(&mut decisions);
        }
        Ok(self.sigmoid.apply(&decisions))
    }

    /// Returns the paragraph class of each block of a page, or `None` if the model does not predict classes. `x`
    /// has the shape (n_blocks, n_features).
    ///
    /// # Errors
    /// Returns the errors of [`Fitted::scores`].
    pub fn classes(&self, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Option<Vec<ParagraphClass>>> {
        match models::classes(self.classifier.as_ref(), x)? {
            Some(classes) => Ok(Some(classes)),
            None => self.classes.as_ref().map(|c| c.classes(x, budget)).transpose(),
        }
    }

    /// Returns the properties that a policy overrides without an effect on the feature rows of other blocks.
    ///
    /// These are properties with a metadata column in `columns`, and properties that the filter handles. An
    /// override of these properties does not move the boundaries of the content.
    pub fn confined(&self, columns: &[String], policy: Policy) -> Vec<&'static Property> {
        let has_column = |p: &Property| metadata_column(p).is_some_and(|name| columns.contains(&name));
        let overridden = PROPERTIES.iter().filter(|p| policy.switches(p));
        overridden.filter(|p| has_column(p) || self.filter.drops(p)).collect()
    }
}

/// Classifiers of headings and list items.
#[derive(Debug)]
pub struct ParagraphClasses {
    /// Separates headings from other blocks.
    pub heading: Box<dyn FittedClassifier>,
    /// Separates list items from other blocks.
    pub list: Box<dyn FittedClassifier>,
}

impl ParagraphClasses {
    /// Returns the class of each block: the more probable of heading and list item if its probability exceeds
    /// 1/2, otherwise paragraph. `x` has the shape (n_blocks, n_features).
    ///
    /// # Errors
    /// If `x` has a different number of columns, or the budget is exhausted.
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
    fn overrides_are_confined_to_blocks_with_a_metadata_column() {
        let confined = |columns: &[&str], policy: &str, filter: &str| -> Vec<&str> {
            let columns: Vec<String> = columns.iter().map(|c| format!("policy.{c}")).collect();
            let fitted = Fitted {
                vocabularies: Vocabularies::new(),
                classifier: threshr_models::load(
                    "majority",
                    &serde_json::json!({"decision": 0.0}),
                    columns.len(),
                )
                .expect("a model"),
                corrections: Corrections::default(),
                sigmoid: Sigmoid { a: 1.0, b: 0.0 },
                classes: None,
                threshold: 0.5,
                learned: Arc::default(),
                filter: FilterChoice::parse(filter).expect("a filter"),
                held_out: HeldOut::default(),
                type_and_quality: PageModels::default(),
            };
            let policy = Policy::parse(policy).expect("a policy");
            fitted.confined(&columns, policy).iter().map(|p| p.name).collect()
        };
        let columns = ["captions", "caption", "title"];
        assert_eq!(confined(&columns, "main+captions", "none"), ["captions"]);
        assert_eq!(confined(&columns, "full-captions", "none"), ["captions"]);
        // no override
        assert!(confined(&columns, "full", "none").is_empty());
        // if there is no metadata column, only the policy column shows the override
        assert!(confined(&["captions", "title"], "main+captions", "none").is_empty());
        // the filter handles headings
        assert!(confined(&["headings"], "main-headings", "repeats").is_empty());
        assert_eq!(confined(&["headings"], "main-headings", "headings"), ["headings"]);
    }
}
