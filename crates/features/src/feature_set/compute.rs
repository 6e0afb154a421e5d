//! Computes the columns of a feature set for a page.

use super::{FeatureSet, Stages, Wanted};
use crate::families::site_repeat;
use crate::families::site_repeat::SiteCounts;
use crate::{Family, FeatureMatrix, Grid, PageContext, REGISTRY};
use ndarray::{Array2, ArrayView2, ShapeBuilder};
use std::ops::Range;
use threshr_core::{Budget, Result};

/// Values of a page while they are computed, column by column.
struct Values {
    matrix: Vec<f32>,
    /// The base columns, if the matrix does not begin with them.
    base: Vec<f32>,
}

impl FeatureSet {
    /// Computes the matrix of a page, stored column by column.
    pub fn extract(&self, page: &PageContext<'_>) -> FeatureMatrix {
        self.extract_within(page, &Budget::UNLIMITED).unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// Computes the matrix of a page within a time budget, stored column by column.
    ///
    /// # Errors
    /// The budget is exhausted.
    pub fn extract_within(&self, page: &PageContext<'_>, budget: &Budget) -> Result<FeatureMatrix> {
        let n = page.len();
        if !self.begins_with_base() {
            let mut values = self.values(n);
            self.fill(page, &self.needed, None, &mut values, budget)?;
            return Ok(self.matrix(n, values));
        }
        // the columns of neighbours are appended, so that they are not set to 0 before
        let mut matrix = Vec::with_capacity(n * self.columns.len());
        matrix.resize(n * self.base.len(), 0.0);
        self.fill_base(page, n, &self.needed, None, &mut matrix, budget)?;
        let columns = self.columns.iter().zip(&self.needed.columns).skip(self.base.len());
        for (&(column, distance), &is_needed) in columns {
            let end = matrix.len() + n;
            if is_needed {
                let (from, to) = neighbours(n, distance);
                matrix.resize(matrix.len() + to.start, 0.0);
                matrix.extend_from_within(column * n + from.start..column * n + from.end);
            }
            matrix.resize(end, 0.0);
        }
        Ok(self.matrix(n, Values { matrix, base: Vec::new() }))
    }

    /// Computes the matrix of a page in two stages, stored column by column. `undecided` gets the matrix with the columns
    /// of the first stage, and says which blocks need the others. The other columns of decided blocks are undefined.
    ///
    /// # Errors
    /// The budget is exhausted. The errors of `undecided`.
    pub fn extract_in_stages(
        &self,
        page: &PageContext<'_>,
        stages: &Stages,
        undecided: impl FnOnce(ArrayView2<'_, f32>) -> Result<Vec<bool>>,
        budget: &Budget,
    ) -> Result<FeatureMatrix> {
        let n = page.len();
        let mut values = self.values(n);
        self.fill(page, &stages.first, None, &mut values, budget)?;
        let shape = (n, self.columns.len()).f();
        let matrix = ArrayView2::from_shape(shape, &values.matrix).unwrap_or_else(|e| unreachable!("{e}"));
        let blocks = around(&undecided(matrix)?, stages.reach);
        if blocks.contains(&true) {
            self.fill(page, &stages.second, Some(&blocks), &mut values, budget)?;
        }
        Ok(self.matrix(n, values))
    }

    /// The values of a page of `n` blocks, all 0.
    fn values(&self, n: usize) -> Values {
        let num_base = if self.begins_with_base() { 0 } else { self.base.len() };
        Values { matrix: vec![0.0; n * self.columns.len()], base: vec![0.0; n * num_base] }
    }

    fn matrix(&self, n: usize, values: Values) -> FeatureMatrix {
        let values = Array2::from_shape_vec((n, self.columns.len()).f(), values.matrix);
        let values = values.unwrap_or_else(|e| unreachable!("{e}"));
        FeatureMatrix::of_set(self.names.clone(), values)
    }

    /// Computes some columns. `blocks` says which blocks need them; all if `None`.
    fn fill(
        &self,
        page: &PageContext<'_>,
        wanted: &Wanted,
        blocks: Option<&[bool]>,
        values: &mut Values,
        budget: &Budget,
    ) -> Result<()> {
        let n = page.len();
        // if the matrix begins with the base columns, they are computed in place
        let num_first = if self.begins_with_base() { self.base.len() } else { 0 };
        let (first, rest) = values.matrix.split_at_mut(num_first * n);
        let base = if num_first > 0 { first } else { &mut values.base[..] };
        self.fill_base(page, n, wanted, blocks, base, budget)?;
        let columns = rest.chunks_exact_mut(n.max(1)).zip(&self.columns[num_first..]);
        for ((out, &(column, distance)), _) in columns.zip(&wanted.columns[num_first..]).filter(|c| *c.1) {
            let (from, to) = neighbours(n, distance);
            out[to].copy_from_slice(&base[column * n..][from]);
        }
        Ok(())
    }

    /// Writes the columns that need a crawl into the rows of a page. A row has `stride` values.
    pub fn refill_site(&self, counts: &SiteCounts, stride: usize, values: &mut [f32]) {
        let family = site_repeat::SiteRepeat.name();
        let fill = |grid: &mut Grid<'_>| site_repeat::fill(counts, grid);
        self.fill_family(family, counts.num_with.len(), fill, |block, column, value| {
            values[block * stride + column] = value;
        });
    }

    /// Computes the columns of one family for `num_blocks` blocks, and calls `set` with block, column and
    /// value.
    pub fn fill_family(
        &self,
        family: &str,
        num_blocks: usize,
        fill: impl FnOnce(&mut Grid<'_>),
        mut set: impl FnMut(usize, usize, f32),
    ) {
        let Some(f) = REGISTRY.iter().position(|x| x.name() == family) else { return };
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

    /// Whether the matrix begins with the base columns.
    fn begins_with_base(&self) -> bool {
        self.columns.len() >= self.base.len()
            && self.columns.iter().zip(0..self.base.len()).all(|(column, i)| *column == (i, 0))
    }

    /// Computes base columns into `out`, which is column-major. Each family is computed once.
    fn fill_base(
        &self,
        page: &PageContext<'_>,
        n: usize,
        wanted: &Wanted,
        blocks: Option<&[bool]>,
        out: &mut [f32],
        budget: &Budget,
    ) -> Result<()> {
        let mut at = 0;
        while at < self.base.len() {
            budget.check()?;
            let family = self.base[at].0;
            let end = at + self.base[at..].iter().take_while(|b| b.0 == family).count();
            let wanted = &wanted.base[at..end];
            let is_whole = end - at == self.widths[family];
            // columns are sorted, so if their number is that of the family they are all of it, in order
            if is_whole && (blocks.is_none() || !wanted.contains(&false)) {
                if wanted.contains(&true) {
                    let grid = Grid::new(&mut out[at * n..end * n], n);
                    fill_family(family, page, &mut grid.wanting(wanted).wanting_blocks(blocks));
                }
            } else if wanted.contains(&true) {
                let mut grid = vec![0.0; self.widths[family] * n];
                let mut of_family = vec![false; self.widths[family]];
                (at..end).for_each(|i| of_family[self.base[i].1] = wanted[i - at]);
                let mut whole = Grid::new(&mut grid, n).wanting(&of_family).wanting_blocks(blocks);
                fill_family(family, page, &mut whole);
                for i in (at..end).filter(|i| wanted[i - at]) {
                    let column = self.base[i].1;
                    out[i * n..(i + 1) * n].copy_from_slice(&grid[column * n..(column + 1) * n]);
                }
            }
            at = end;
        }
        Ok(())
    }
}

/// Which of `n` blocks have their values in a column of neighbours at a distance, and for which blocks. The other blocks
/// have no such neighbour.
fn neighbours(n: usize, distance: i32) -> (Range<usize>, Range<usize>) {
    let shift = (distance.unsigned_abs() as usize).min(n);
    let (first, last) = (0..n - shift, shift..n);
    if distance < 0 { (first, last) } else { (last, first) }
}

/// The blocks at most `reach` blocks away from those that are set.
fn around(blocks: &[bool], reach: usize) -> Vec<bool> {
    let mut near = vec![false; blocks.len()];
    for (index, _) in blocks.iter().enumerate().filter(|b| *b.1) {
        near[index.saturating_sub(reach)..(index + reach + 1).min(blocks.len())].fill(true);
    }
    near
}

/// Fills the columns of a family; those of a learned family from the vocabularies of the page.
fn fill_family(family: usize, page: &PageContext<'_>, grid: &mut Grid<'_>) {
    let family = REGISTRY[family];
    match (family.learner(), page.vocabularies.and_then(|v| v.get(family.name()))) {
        (Some(learner), Some(vocabulary)) => {
            learner.fill_page(page, vocabulary, grid);
        }
        (Some(_), None) => {}
        (None, _) => family.fill(page, grid),
    }
}
