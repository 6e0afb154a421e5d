//! Explains the scores of blocks by the contributions of columns.

use crate::correction::TemplateTerms;
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
    /// Its name; for parts of a correction `correction: COLUMN` or `site: TERM`, see [`correction`](crate::correction).
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
        let x = features.rows(model.columns())?;
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
        let fitted = model.fitted();
        let mut found = explanations(fitted.classifier.as_ref(), &names, x, blocks, &outcomes, budget)?;
        let site = self.site(model, &page, input.url);
        if let Some(correction) = site.and_then(|site| fitted.corrections.sites.get(&site)) {
            let mut terms = TemplateTerms::new(&page.doc, &page.blocks);
            let parts = |block: usize| {
                let weighted = correction.contributions(terms.of(block));
                weighted.into_iter().map(|(term, by)| (term, 1.0, by)).collect()
            };
            correct(&mut found, correction.slope, correction.intercept, SITE, parts);
        }
        Ok((Extraction::new(page, labels, None, input.url), found))
    }
}

/// What begins the names of a site correction's contributions.
const SITE: &str = "site";

/// Adds a correction to explanations: `slope` is the factor of the decision value, `parts` gives the name, value and
/// contribution of each part for a block.
fn correct(
    explanations: &mut [Explanation],
    slope: f32,
    intercept: f32,
    kind: &str,
    mut parts: impl FnMut(usize) -> Vec<(String, f32, f32)>,
) {
    for explanation in explanations {
        explanation.base *= slope;
        explanation.decision *= slope;
        explanation.contributions.iter_mut().for_each(|c| c.by *= slope);
        let mut parts = parts(explanation.block);
        parts.push(("intercept".to_owned(), 1.0, intercept));
        for (name, value, by) in parts.into_iter().filter(|part| part.2 != 0.0) {
            explanation.decision += by;
            explanation.contributions.push(Contribution { column: format!("{kind}: {name}"), value, by });
        }
        sort(&mut explanation.contributions);
    }
}

/// The greatest absolute contribution first.
fn sort(contributions: &mut [Contribution]) {
    contributions.sort_by(|a, b| b.by.abs().total_cmp(&a.by.abs()).then_with(|| a.column.cmp(&b.column)));
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
        sort(&mut contributions);
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
