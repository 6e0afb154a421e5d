//! The rows that a classifier is fitted on, and their validation.

use crate::TrainingRows;
use rayon::prelude::*;
use threshr_core::{Error, ParagraphClass, Result};

/// Number of rows per task of the parallel check.
const CHECKED_ROWS: usize = 1024;

/// The rows that a classifier is fitted on.
#[derive(Debug, Clone, Copy)]
pub struct TrainingSet<'a> {
    /// Feature rows, shape (n_blocks, n_features). All values must be finite.
    pub x: TrainingRows<'a>,
    /// Label of each block: `true` is content.
    pub y: &'a [bool],
    /// Weight of each block: the product of page, class and length weights. Weights are finite and `>= 0`, and
    /// at least one is positive.
    pub weight: &'a [f32],
    /// Page index of each block. The blocks of a page are contiguous.
    pub page: &'a [u32],
    /// Paragraph class of each block, `None` if the gold standard has no class for it. The slice may be empty.
    /// It is used only by classifiers that predict paragraph classes.
    pub class: &'a [Option<ParagraphClass>],
    /// Column names, in matrix order.
    pub columns: &'a [String],
}

impl TrainingSet<'_> {
    /// Checks that all lengths agree, that values and weights are finite, and that both classes have weight.
    ///
    /// # Errors
    /// If a check fails. The error refers to the first fault, with its column or row.
    pub fn check(&self) -> Result<()> {
        let n = self.x.nrows();
        if n == 0 {
            return Err(Error::classifier("the training set is empty")
                .expected("pages with text and a gold standard"));
        }
        if self.y.len() != n || self.weight.len() != n || self.page.len() != n {
            let lengths =
                format!("{} labels, {} weights, {} pages", self.y.len(), self.weight.len(), self.page.len());
            return Err(Error::classifier(format!("{lengths} for {n} blocks"))
                .expected("one of each for every block"));
        }
        if self.columns.len() != self.x.ncols() || self.columns.is_empty() {
            return Err(Error::features(format!(
                "{} names for {} columns",
                self.columns.len(),
                self.x.ncols()
            ))
            .expected("one name for each column, and at least one column"));
        }
        let rows_of = |chunk: usize| chunk * CHECKED_ROWS..((chunk + 1) * CHECKED_ROWS).min(n);
        let fault_in = |chunk: usize| {
            let mut fault = None;
            self.x.for_rows(rows_of(chunk), |i, row| {
                // branch-free, so that the compiler vectorises it
                let is_finite = row.iter().fold(true, |all, v| all & v.is_finite());
                if !is_finite && fault.is_none() {
                    let column = row.iter().position(|v| !v.is_finite()).unwrap_or(0);
                    fault = Some((rows_of(chunk).start + i, column, row[column]));
                }
            });
            fault
        };
        let fault = (0..n.div_ceil(CHECKED_ROWS)).into_par_iter().find_map_first(fault_in);
        if let Some((row, column, value)) = fault {
            return Err(Error::features(format!("the value in row {row} is {value}"))
                .at_column(&self.columns[column])
                .expected("a finite number"));
        }
        if let Some(row) = self.weight.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(Error::classifier(format!("the weight of row {row} is {}", self.weight[row]))
                .expected("a finite number >= 0"));
        }
        for (class, what) in [(true, "content"), (false, "boilerplate")] {
            if !self.y.iter().zip(self.weight).any(|(&y, &w)| y == class && w > 0.0) {
                return Err(Error::classifier(format!(
                    "the training set has no {what} blocks with a positive weight"
                ))
                .expected("blocks of both classes; check that the gold standard belongs to these pages"));
            }
        }
        Ok(())
    }
}
