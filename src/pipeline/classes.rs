//! Paragraph, heading or list: what kind of paragraph a content block is, for CleanEval's markup.

use super::Corpus;
use super::WeightRecipe;
use super::corpus::Form;
use super::weights::weights;
use crate::block::ParagraphClass;
use crate::classifier::{self, Classifier, Model, TrainingSet};
use crate::error::{Error, Result};
use ndarray::{Array2, ArrayView2};
use serde_json::{Value, json};

/// Fewest training pages with paragraph classes; with fewer, elements decide.
const LEAST_PAGES: usize = 10;

/// The algorithm: small, and as good here as larger ones, since tags say nearly all.
pub(crate) static CLASSIFIER: &Classifier = &classifier::tree::CLASSIFIER;

fn params() -> Value {
    json!({"max_depth": 7, "min_leaf_rows": 10})
}

/// Tells headings and entries of lists from running text.
#[derive(Debug)]
pub struct ClassModels {
    /// Headings against the rest.
    pub heading: Box<dyn Model>,
    /// Entries of lists against the rest.
    pub list: Box<dyn Model>,
}

impl ClassModels {
    /// Fitted on the content blocks of `pages` whose class the gold says; `None` where there are too few.
    pub(super) fn fit(
        corpus: &Corpus,
        pages: &[usize],
        recipe: &WeightRecipe,
        seed: u64,
    ) -> Result<Option<Self>> {
        let with_class = |&p: &usize| corpus.pages[p].alignment.class.iter().any(Option::is_some);
        let pages: Vec<usize> = pages.iter().copied().filter(with_class).collect();
        if pages.len() < LEAST_PAGES {
            return Ok(None);
        }
        let forms: Vec<Form<'_>> = pages.iter().map(|&p| corpus.pages[p].form()).collect();
        let all_weights = weights(&forms, recipe, false);
        let (mut values, mut class, mut page_of, mut weight) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut at = 0;
        for (number, &p) in (0u32..).zip(&pages) {
            let page = &corpus.pages[p];
            for (i, row) in corpus.values_of(p).rows().into_iter().enumerate() {
                if let Some(c) = page.alignment.class[i].filter(|_| page.labels[i]) {
                    values.extend(row.iter().copied());
                    class.push(c);
                    page_of.push(number);
                    weight.push(all_weights[at]);
                }
                at += 1;
            }
        }
        let x = Array2::from_shape_vec((class.len(), corpus.columns().len()), values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))?;
        let one = |wanted: ParagraphClass| -> Result<Option<Box<dyn Model>>> {
            let y: Vec<bool> = class.iter().map(|&c| c == wanted).collect();
            if !y.contains(&true) || !y.contains(&false) || weight.iter().all(|&w| w == 0.0) {
                return Ok(None);
            }
            let set = TrainingSet {
                x: x.view(),
                y: &y,
                weight: &weight,
                page: &page_of,
                class: &[],
                columns: corpus.columns(),
            };
            (CLASSIFIER.fit)(&set, &params(), seed).map(Some)
        };
        let (heading, list) = (one(ParagraphClass::Heading)?, one(ParagraphClass::List)?);
        Ok(heading.zip(list).map(|(heading, list)| ClassModels { heading, list }))
    }

    /// The class of each block, `x` of shape (n_blocks, n_features): the likelier of heading and list where that is
    /// likelier than not, else running text.
    ///
    /// # Errors
    /// Where `x` has another number of columns.
    pub fn classes(&self, x: ArrayView2<'_, f32>) -> Result<Vec<ParagraphClass>> {
        let heading = classifier::decide(self.heading.as_ref(), x)?;
        let list = classifier::decide(self.list.as_ref(), x)?;
        let class = |(&h, &l): (&f32, &f32)| match (h > 0.0, l > 0.0) {
            (true, _) if h >= l => ParagraphClass::Heading,
            (_, true) => ParagraphClass::List,
            _ => ParagraphClass::Paragraph,
        };
        Ok(heading.iter().zip(&list).map(class).collect())
    }
}
