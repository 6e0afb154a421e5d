//! Computes the columns of a feature set for a page.

use super::FeatureSet;
use crate::families::site_repeat;
use crate::families::site_repeat::SiteCounts;
use crate::{Family, FeatureMatrix, Grid, PageContext, REGISTRY};
use ndarray::{Array2, ShapeBuilder};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use threshr_core::{Budget, Error, ErrorKind, Result};

impl FeatureSet {
    /// Computes the feature matrix of a page. It is stored in column-major order.
    pub fn extract(&self, page: &PageContext<'_>) -> FeatureMatrix {
        self.extract_within(page, &Budget::UNLIMITED).unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// Computes the feature matrix of a page within a time budget. It is stored in column-major order.
    ///
    /// # Errors
    /// If the budget is exhausted.
    pub fn extract_within(&self, page: &PageContext<'_>, budget: &Budget) -> Result<FeatureMatrix> {
        let n = page.len();
        // if the matrix begins with the base columns, these columns are computed in place
        let num_in_place = if self.begins_with_base() { self.base.len() } else { 0 };
        // the other columns are appended, so that they need not be set to 0 first
        let mut values = Vec::with_capacity(n * (self.base.len() + self.columns.len() - num_in_place));
        values.resize(n * self.base.len(), 0.0);
        self.fill_base(page, n, &mut values, budget)?;
        for (&(column, distance), &is_needed) in self.columns.iter().zip(&self.needed).skip(num_in_place) {
            let end = values.len() + n;
            if is_needed {
                let (from, to) = neighbours(n, distance);
                values.resize(values.len() + to.start, 0.0);
                values.extend_from_within(column * n + from.start..column * n + from.end);
            }
            values.resize(end, 0.0);
        }
        if num_in_place == 0 {
            values.drain(..n * self.base.len());
        }
        let values = Array2::from_shape_vec((n, self.columns.len()).f(), values);
        let values = values.unwrap_or_else(|e| unreachable!("{e}"));
        Ok(FeatureMatrix::of_set(self.names.clone(), values))
    }

    /// Recomputes the columns that need a crawl in the rows of a page. A row has `stride` values.
    pub fn refill_site(&self, counts: &SiteCounts, stride: usize, values: &mut [f32]) {
        let family = site_repeat::SiteRepeat.name();
        let fill = |grid: &mut Grid<'_>| site_repeat::fill(counts, grid);
        self.fill_family(family, counts.num_with.len(), fill, |block, column, value| {
            values[block * stride + column] = value;
        });
    }

    /// Computes the columns of one family for `num_blocks` blocks. Calls `set` with block, column and value.
    pub fn fill_family(
        &self,
        family: &str,
        num_blocks: usize,
        fill: impl FnOnce(&mut Grid<'_>),
        mut set: impl FnMut(usize, usize, f32),
    ) {
        let Some(f) = self.families.position(family) else { return };
        let mut grid = vec![0.0; self.widths[f] * num_blocks];
        fill(&mut Grid::new(&mut grid, num_blocks));
        for (at, &(base, distance)) in self.columns.iter().enumerate().filter(|c| self.base[c.1.0].0 == f) {
            let column = &grid[self.base[base].1 * num_blocks..][..num_blocks];
            for block in 0..num_blocks {
                let from = block as i64 + i64::from(distance);
                let value = usize::try_from(from).ok().and_then(|i| column.get(i)).copied();
                set(block, at, value.unwrap_or(0.0));
            }
        }
    }

    /// Returns true if the matrix begins with the base columns.
    fn begins_with_base(&self) -> bool {
        self.columns.len() >= self.base.len()
            && self.columns.iter().zip(0..self.base.len()).all(|(column, i)| *column == (i, 0))
    }

    /// Computes the base columns into `out`, which is column-major and filled with 0. Each family is computed
    /// once.
    fn fill_base(&self, page: &PageContext<'_>, n: usize, out: &mut [f32], budget: &Budget) -> Result<()> {
        let mut end = 0;
        for of_family in self.base.chunk_by(|a, b| a.0 == b.0) {
            budget.check()?;
            let start = end;
            end += of_family.len();
            let needed = &self.needed_base[start..end];
            if !needed.contains(&true) {
                continue;
            }
            let family = of_family[0].0;
            let out = &mut out[start * n..end * n];
            // columns are sorted and distinct, so if there are as many columns as in the family, they are all
            // columns of the family, in order
            if of_family.len() == self.widths[family] {
                self.fill_checked(family, page, &mut Grid::new(out, n).wanting(needed))?;
                continue;
            }
            let mut grid = vec![0.0; self.widths[family] * n];
            let mut wanted = vec![false; self.widths[family]];
            of_family.iter().zip(needed).for_each(|(&(_, column), needed)| wanted[column] = *needed);
            self.fill_checked(family, page, &mut Grid::new(&mut grid, n).wanting(&wanted))?;
            for (i, &(_, column)) in of_family.iter().enumerate() {
                out[i * n..(i + 1) * n].copy_from_slice(&grid[column * n..(column + 1) * n]);
            }
        }
        Ok(())
    }

    /// Computes the columns of a family. A family that a program has added is checked.
    ///
    /// # Errors
    /// If an added family panics or sets a value that is not finite.
    fn fill_checked(&self, family: usize, page: &PageContext<'_>, grid: &mut Grid<'_>) -> Result<()> {
        let added = self.families.all()[family];
        // added families follow those of this crate
        if family < REGISTRY.len() {
            fill_family(added, page, grid);
            return Ok(());
        }
        let (name, num_columns) = (added.name(), self.widths[family]);
        let wrong =
            |what: String| Error::new(ErrorKind::Features, format!("the feature family `{name}` {what}"));
        let filled = catch_unwind(AssertUnwindSafe(|| fill_family(added, page, grid)));
        filled.map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            wrong(format!("panicked: {}", text.unwrap_or_default())).expected(format!(
                "a method `fill` that sets columns below {num_columns} and blocks below {} without panics",
                page.len()
            ))
        })?;
        let not_finite = |&column: &usize| grid.column(column).iter().any(|value| !value.is_finite());
        match (0..num_columns).find(not_finite) {
            None => Ok(()),
            Some(column) => {
                let names = added.columns();
                let column = names.get(column).map_or_else(String::new, |column| column.name.to_string());
                let found = format!("has values in the column `{column}` that are infinite or no numbers");
                Err(wrong(found).expected("finite values"))
            }
        }
    }
}

/// Returns the ranges of source blocks and target blocks for a column that copies values at a distance, on a
/// page of `n` blocks. Blocks outside the target range do not have such a neighbour.
fn neighbours(n: usize, distance: i32) -> (Range<usize>, Range<usize>) {
    let shift = (distance.unsigned_abs() as usize).min(n);
    let (first, last) = (0..n - shift, shift..n);
    if distance < 0 { (first, last) } else { (last, first) }
}

/// Computes the columns of a family. For a learned family, the vocabularies of the page are used.
fn fill_family(family: &'static dyn Family, page: &PageContext<'_>, grid: &mut Grid<'_>) {
    match (family.learner(), page.vocabularies.and_then(|v| v.get(family.name()))) {
        (Some(learner), Some(vocabulary)) => {
            learner.fill_page(page, vocabulary, grid);
        }
        (Some(_), None) => {}
        (None, _) => family.fill(page, grid),
    }
}
