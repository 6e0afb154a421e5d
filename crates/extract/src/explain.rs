//! Explains the scores of blocks by the contributions of columns.

use crate::decision::Outcome;
use crate::extraction::Extraction;
use crate::extractor::{Extractor, Input, facts};
use crate::{filters, flow};
use ndarray::ArrayView2;
use serde::Serialize;
use threshr_core::{Budget, Error, Result};
use threshr_models::FittedClassifier;

/// The contributions of columns to the decision value of a block.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Index of the block.
    pub block: usize,
    /// Its outcome.
    pub outcome: Outcome,
    /// Decision value without any feature, in the unit of the classifier (log-odds for trees).
    ///
    /// For classifiers without contributions of their own: the decision value of a block with the page's mean
    /// in every column. Columns that are constant on the page, such as those of `document`, then contribute
    /// nothing.
    pub base: f32,
    /// The decision value: the sum of the base and all contributions.
    pub decision: f32,
    /// All columns with a contribution, the greatest absolute value first.
    pub contributions: Vec<Contribution>,
}

/// The contribution of one column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contribution {
    /// Its name.
    pub column: String,
    /// Its value in this block.
    pub value: f32,
    /// Its contribution to the decision value; positive values speak for content.
    pub by: f32,
}

impl Extractor {
    /// Explains the scores of some blocks of a page; `None` means all blocks.
    ///
    /// # Errors
    /// As [`Extractor::extract`]. Also if a system labels the blocks, and if a block does not exist.
    pub fn explain(
        &self,
        input: &Input<'_>,
        blocks: Option<&[usize]>,
        budget: &Budget,
    ) -> Result<(Extraction, Vec<Explanation>)> {
        let model = self.model().ok_or_else(|| {
            Error::recipe("a system has no scores to explain")
                .expected("a model")
                .with_setting("Extractor::explain")
        })?;
        let page = self.prepare(input, budget)?;
        let decision = self.decision(model);
        let features = self.features(model, &page, &decision, input.url, budget)?;
        let x = features.matrix.values_for(model.columns())?;
        let inside = self.inside(&page);
        let labels =
            flow::decide(model.fitted(), &decision, x, &facts(&page, &features), inside.as_deref(), budget)?;
        let all: Vec<usize> = (0..page.blocks.len()).collect();
        let blocks = blocks.unwrap_or(&all);
        if let Some(missing) = blocks.iter().find(|&&b| b >= all.len()) {
            let expected = match all.last() {
                Some(last) => format!("blocks from 0 to {last}"),
                None => "a page with blocks".to_owned(),
            };
            return Err(Error::recipe(format!("there is no block {missing}")).expected(expected));
        }
        let of_filters = filters::Page {
            doc: &page.doc,
            blocks: &page.blocks,
            scores: &labels.scores,
            left_out: features.left_out,
        };
        let outcomes = decision.outcomes(&of_filters, inside.as_deref(), labels.threshold);
        debug_assert!(outcomes.iter().map(|o| *o == Outcome::Kept).eq(labels.kept.iter().copied()));
        let names: Vec<&str> = model.columns().iter().map(String::as_str).collect();
        let classifier = model.fitted().classifier.as_ref();
        let found = explanations(classifier, &names, x, blocks, &outcomes, budget)?;
        Ok((Extraction::new(page, labels, None, input.url), found))
    }
}

fn explanations(
    model: &dyn FittedClassifier,
    names: &[&str],
    x: ArrayView2<'_, f32>,
    blocks: &[usize],
    outcomes: &[Outcome],
    budget: &Budget,
) -> Result<Vec<Explanation>> {
    let explained = threshr_models::contributions(model, x, blocks, budget)?;
    let of = |(&block, (base, parts)): (&usize, (f32, Vec<f32>))| {
        let contributions = names.iter().zip(x.row(block)).zip(&parts).filter(|m| *m.1 != 0.0);
        let of = |((name, &value), &by): ((&&str, &f32), &f32)| Contribution {
            column: (*name).to_owned(),
            value,
            by,
        };
        let mut contributions: Vec<Contribution> = contributions.map(of).collect();
        contributions.sort_by(|a, b| b.by.abs().total_cmp(&a.by.abs()).then_with(|| a.column.cmp(&b.column)));
        Explanation {
            block,
            outcome: outcomes[block].clone(),
            base,
            decision: base + parts.iter().sum::<f32>(),
            contributions,
        }
    };
    Ok(blocks.iter().zip(explained).map(of).collect())
}
