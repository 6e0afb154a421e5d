//! Why a block has its score.

use super::{Pipeline, PredictOptions, Prediction, fit::widened};
use crate::classifier::Model;
use crate::deadline;
use crate::error::{Error, Result};
use crate::page::Document;
use crate::rescore;

/// What moved the decision value of a block, and by how much.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Index of the block.
    pub block: usize,
    /// Decision value of a block of which nothing is known, in the classifier's unit (log-odds for trees).
    pub base: f32,
    /// The decision value: the base and all moves.
    pub decision: f32,
    /// Every column that moved it, the farthest first.
    pub moves: Vec<Move>,
}

/// The part of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// Its name.
    pub column: String,
    /// Its value in this block.
    pub value: f32,
    /// How far it moved the decision value; toward content where it is positive.
    pub by: f32,
}

impl Pipeline {
    /// Explains the scores of some blocks of a page (all without `blocks`), those of the last pass where there are two.
    ///
    /// # Errors
    /// Where the classifier cannot tell what moved it, or there is no such block.
    pub fn explain(
        &self,
        doc: &Document,
        options: &PredictOptions,
        blocks: Option<&[usize]>,
    ) -> Result<(Prediction, Vec<Explanation>)> {
        let (matrix, structure, prediction) = self.predict_whole(doc, options, None)?;
        let first = matrix.values_for(self.columns())?;
        let fit = self.fit();
        let all: Vec<usize> = (0..prediction.blocks.len()).collect();
        let blocks = blocks.unwrap_or(&all);
        if let Some(missing) = blocks.iter().find(|&&b| b >= all.len()) {
            return Err(Error::recipe(format!("there is no block {missing}"))
                .expected(format!("blocks from 0 to {}", all.len().saturating_sub(1))));
        }
        let explain = |model: &dyn Model, names: &[&str], row: &[f32], block| {
            deadline::check();
            explanation(model, names, row, block).ok_or_else(|| {
                Error::classifier(format!(
                    "the classifier `{}` cannot tell what moved it",
                    self.recipe().classifier.name
                ))
                .expected("a model of tree, linfa-tree, gbt, forest, logistic, network without reach, or a blend of these")
            })
        };
        let mut names: Vec<&str> = self.columns().iter().map(String::as_str).collect();
        let mut found = Vec::new();
        match &fit.second {
            None => {
                for &block in blocks {
                    found.push(explain(fit.model.as_ref(), &names, &first.row(block).to_vec(), block)?);
                }
            }
            Some(second) => {
                let scores = fit.first_scores(first)?;
                let wide = widened(first, &structure, &scores);
                names.extend(rescore::COLUMNS);
                for &block in blocks {
                    found.push(explain(second.model.as_ref(), &names, &wide.row(block).to_vec(), block)?);
                }
            }
        }
        Ok((prediction, found))
    }
}

fn explanation(model: &dyn Model, names: &[&str], row: &[f32], block: usize) -> Option<Explanation> {
    let mut out = vec![0.0; row.len()];
    let base = model.contributions(row, &mut out)?;
    let decision = base + out.iter().sum::<f32>();
    let of = |((name, &value), &by): ((&&str, &f32), &f32)| Move { column: (*name).to_owned(), value, by };
    let mut moves: Vec<Move> = names.iter().zip(row).zip(&out).map(of).filter(|m| m.by != 0.0).collect();
    moves.sort_by(|a, b| b.by.abs().total_cmp(&a.by.abs()).then_with(|| a.column.cmp(&b.column)));
    Some(Explanation { block, base, decision, moves })
}
