//! The result of a fit: a classifier with its calibration and decision parameters.

use crate::correction::{Corrections, Shift};
use crate::decision::LearnedRules;
use crate::filters::FilterChoice;
use crate::model::HeldOut;
use crate::page_level::PageModels;
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
    /// Corrections of its decision values; empty without any.
    pub corrections: Corrections,
    /// Maps decision values to scores.
    pub sigmoid: Sigmoid,
    /// The classifiers of paragraph classes, if the gold has such classes.
    pub classes: Option<ParagraphClasses>,
    /// The parameter of the decision rule of the recipe; for the rule `threshold`, the minimum score of a
    /// kept block.
    pub threshold: f32,
    /// The tuned parameters of all rules.
    pub learned: Arc<LearnedRules>,
    /// The filter of the recipe, with which the parameters were tuned.
    pub filter: FilterChoice,
    /// Results on held-out pages.
    pub held_out: HeldOut,
    /// Models of pages as a whole; empty if the recipe asks for none.
    pub page_level: PageModels,
}

impl Fitted {
    /// Decision values of the blocks of one page in order, `rows` of shape (n_blocks, n_features), without the correction
    /// of a site.
    ///
    /// # Errors
    /// If the number of columns differs, and if the budget is used up.
    pub fn decisions(&self, rows: ArrayView2<'_, f32>, budget: &Budget) -> Result<Vec<f32>> {
        models::decide(self.classifier.as_ref(), rows, budget)
    }

    /// Calibrated scores of the blocks of one page in order. `shift` is the correction of the page's site, see
    /// [`Corrections::shift`].
    ///
    /// # Errors
    /// As [`Fitted::decisions`].
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

    /// Paragraph class of each block of a page, `x` of shape (n_blocks, n_features); `None` if the model
    /// predicts none.
    ///
    /// # Errors
    /// As [`Fitted::scores`].
    pub fn classes(&self, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Option<Vec<ParagraphClass>>> {
        match models::classes(self.classifier.as_ref(), x)? {
            Some(classes) => Ok(Some(classes)),
            None => self.classes.as_ref().map(|c| c.classes(x, budget)).transpose(),
        }
    }

    /// Properties that a policy overrides, and whose override is visible only in the rows of their own
    /// blocks.
    ///
    /// These are properties with a metadata column among `columns`, and properties that the filter handles.
    /// The override then does not change other blocks: with captions, content starts and ends where it does
    /// without them.
    pub fn confined(&self, columns: &[String], policy: Policy) -> Vec<&'static Property> {
        let has_column = |p: &Property| metadata_column(p).is_some_and(|name| columns.contains(&name));
        let overridden = PROPERTIES.iter().filter(|p| policy.switches(p));
        overridden.filter(|p| has_column(p) || self.filter.drops(p)).collect()
    }
}

/// Classifiers of headings and list items.
#[derive(Debug)]
pub struct ParagraphClasses {
    /// Headings against the rest.
    pub heading: Box<dyn FittedClassifier>,
    /// List items against the rest.
    pub list: Box<dyn FittedClassifier>,
}

impl ParagraphClasses {
    /// Class of each block, `x` of shape (n_blocks, n_features): the more probable of heading and list if its
    /// probability exceeds 1/2, else paragraph.
    ///
    /// # Errors
    /// If `x` has another number of columns, and if the budget is used up.
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
                page_level: PageModels::default(),
            };
            let policy = Policy::parse(policy).expect("a policy");
            fitted.confined(&columns, policy).iter().map(|p| p.name).collect()
        };
        let columns = ["captions", "caption", "title"];
        assert_eq!(confined(&columns, "main+captions", "none"), ["captions"]);
        assert_eq!(confined(&columns, "full-captions", "none"), ["captions"]);
        // no override
        assert!(confined(&columns, "full", "none").is_empty());
        // without the metadata column only the policy column shows the override
        assert!(confined(&["captions", "title"], "main+captions", "none").is_empty());
        // the filter handles headings
        assert!(confined(&["headings"], "main-headings", "repeats").is_empty());
        assert_eq!(confined(&["headings"], "main-headings", "headings"), ["headings"]);
    }
}
