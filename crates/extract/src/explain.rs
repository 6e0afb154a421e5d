//! Explains the scores of blocks by the contributions of columns.

use crate::correction::{SiteCorrection, TemplateTerms};
use crate::decision::Outcome;
use crate::extraction::Extraction;
use crate::extractor::{Extractor, Input, facts};
use crate::flow;
use ndarray::ArrayView2;
use serde::Serialize;
use threshr_core::Setting;
use threshr_core::{Budget, Error, Result};
use threshr_html::structure::notes::Notes;
use threshr_models::FittedClassifier;
use threshr_page::threads::PartKind;

/// The contributions of columns to the decision value of a block.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Index of the block.
    pub block: usize,
    /// Outcome of the block.
    pub outcome: Outcome,
    /// The part of the post that contains the block, and the number of the post; `None` outside of threads.
    pub part: Option<(PartKind, usize)>,
    /// Decision value before any contribution, in the unit of the classifier (log-odds for trees).
    ///
    /// For classifiers without contributions, this is the decision value.
    pub base: f32,
    /// The decision value: the sum of the base and all contributions.
    pub decision: f32,
    /// All columns with a contribution, by descending absolute value.
    pub contributions: Vec<Contribution>,
}

/// The contribution of one column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contribution {
    /// Name of the column. For terms of a correction, `correction: COLUMN` or `site: TERM`; see
    /// [`correction`](crate::correction).
    pub column: String,
    /// Value of the column in this block.
    pub value: f32,
    /// Contribution to the decision value; positive values are evidence of content.
    pub by: f32,
}

impl Extractor {
    /// Explains the scores of the given blocks of a page; `None` means all blocks.
    ///
    /// # Errors
    /// As [`Extractor::extract`]. Also if a system labels the blocks, or a block does not exist.
    pub fn explain(
        &self,
        input: &Input<'_>,
        blocks: Option<&[usize]>,
        budget: &Budget,
    ) -> Result<(Extraction, Vec<Explanation>)> {
        let model = self.model().ok_or_else(|| {
            Error::invalid_option("a system has no scores to explain")
                .expected("a model")
                .with_setting(Setting::Explain)
        })?;
        let page = self.prepare(input, budget)?;
        let decision = self.decision(model);
        let features = self.features(model, &page, &decision, input.url, budget)?;
        let x = features.rows(model.columns())?;
        let inside = self.inside(&page);
        let notes = Notes::new(&page.doc);
        let of_page = facts(&page, &features, &notes);
        let labels = flow::decide(model.fitted(), &decision, x, &of_page, inside.as_deref(), budget)?;
        let all: Vec<usize> = (0..page.blocks.len()).collect();
        let blocks = blocks.unwrap_or(&all);
        if let Some(missing) = blocks.iter().find(|&&b| b >= all.len()) {
            let expected = match all.last() {
                Some(last) => format!("blocks from 0 to {last}"),
                None => "a page with blocks".to_owned(),
            };
            return Err(Error::invalid_option(format!("there is no block {missing}")).expected(expected));
        }
        let of_filters = of_page.with_scores(&labels.scores);
        let outcomes = decision.outcomes(&of_filters, inside.as_deref(), labels.threshold);
        debug_assert!(outcomes.iter().map(|o| *o == Outcome::Kept).eq(labels.kept.iter().copied()));
        let names: Vec<&str> = model.columns().iter().map(String::as_str).collect();
        let fitted = model.fitted();
        let mut found = explanations(fitted.classifier.as_ref(), &names, x, blocks, &outcomes, budget)?;
        let parts = features.thread.parts().by_block(page.blocks.len());
        found.iter_mut().for_each(|e| e.part = parts[e.block]);
        let site = self.site(model, &page, input.url);
        if let Some(correction) = site.and_then(|site| fitted.corrections.sites.get(&site)) {
            let mut terms = TemplateTerms::new(&page.doc, &page.blocks);
            found.iter_mut().for_each(|explanation| correct(explanation, correction, &mut terms));
        }
        Ok((Extraction::new(page, labels, None, input.url), found))
    }
}

/// Adds the contributions of a site's correction to an explanation.
fn correct(explanation: &mut Explanation, correction: &SiteCorrection, terms: &mut TemplateTerms<'_>) {
    let Explanation { block, base, decision, contributions, .. } = explanation;
    *base *= correction.slope;
    *decision *= correction.slope;
    contributions.iter_mut().for_each(|c| c.by *= correction.slope);
    let parts = correction.contributions(terms.of(*block));
    let parts = parts.into_iter().chain([("intercept".to_owned(), correction.intercept)]);
    for (name, by) in parts.filter(|part| part.1 != 0.0) {
        *decision += by;
        contributions.push(Contribution { column: format!("site: {name}"), value: 1.0, by });
    }
    sort(contributions);
}

/// Sorts contributions by descending absolute value.
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
            part: None,
            base,
            decision: base + parts.iter().sum::<f32>(),
            contributions,
        }
    };
    Ok(blocks.iter().zip(explained).map(of).collect())
}
