//! Why a block has its score.

use super::{Fate, Pipeline, PredictOptions, Prediction, fit::widened};
use crate::classifier::{Model, contributions};
use crate::error::{Error, Result};
use crate::filter::Page;
use crate::page::Document;
use crate::rescore;
use ndarray::ArrayView2;

/// What moved the decision value of a block, and by how much.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Index of the block.
    pub block: usize,
    /// What became of it.
    pub fate: Fate,
    /// Decision value of a block of which nothing is known, in the classifier's unit (log-odds for trees). Where the classifier
    /// cannot tell by itself what moved it: of one that has the page's mean in every column, so that what is the same in all
    /// blocks of the page (columns of `document`) moves none.
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
    /// As for predicting, and where there is no such block.
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
            let expected = match all.last() {
                Some(last) => format!("blocks from 0 to {last}"),
                None => "a page with blocks".to_owned(),
            };
            return Err(Error::recipe(format!("there is no block {missing}")).expected(expected));
        }
        let mut names: Vec<&str> = self.columns().iter().map(String::as_str).collect();
        let judged = Page {
            doc,
            blocks: &prediction.blocks,
            scores: &prediction.scores,
            left_out: prediction.left_out,
        };
        let fates = self.decision(&options.decision, options.filter).fates(&judged, prediction.least_score);
        debug_assert!(fates.iter().map(|f| *f == Fate::Kept).eq(prediction.kept.iter().copied()));
        let found = match &fit.second {
            None => explanations(fit.model.as_ref(), &names, first, blocks, &fates)?,
            Some(second) => {
                let wide = widened(first, &structure, &fit.first_scores(first)?);
                names.extend(rescore::COLUMNS);
                explanations(second.model.as_ref(), &names, wide.view(), blocks, &fates)?
            }
        };
        Ok((prediction, found))
    }
}

fn explanations(
    model: &dyn Model,
    names: &[&str],
    x: ArrayView2<'_, f32>,
    blocks: &[usize],
    fates: &[Fate],
) -> Result<Vec<Explanation>> {
    let explained = contributions(model, x, blocks)?;
    let of = |(&block, (base, parts)): (&usize, (f32, Vec<f32>))| {
        let moves = names.iter().zip(x.row(block)).zip(&parts).filter(|m| *m.1 != 0.0);
        let of =
            |((name, &value), &by): ((&&str, &f32), &f32)| Move { column: (*name).to_owned(), value, by };
        let mut moves: Vec<Move> = moves.map(of).collect();
        moves.sort_by(|a, b| b.by.abs().total_cmp(&a.by.abs()).then_with(|| a.column.cmp(&b.column)));
        Explanation {
            block,
            fate: fates[block].clone(),
            base,
            decision: base + parts.iter().sum::<f32>(),
            moves,
        }
    };
    Ok(blocks.iter().zip(explained).map(of).collect())
}
