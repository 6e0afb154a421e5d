//! Sampled Shapley values: contributions of columns for models of any kind.
//!
//! The model is evaluated again with some values of a row replaced by the page's means.
//!
//! Source: Štrumbelj and Kononenko, JMLR 11, 2010, "An efficient explanation of individual classifications
//! using game theory"; antithetic pairs of permutations: Mitchell et al., JMLR 23, 2022.

use crate::{FittedClassifier, decide_unchecked};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, Slice};
use threshr_core::{Budget, Result};

/// Random permutations of the columns; each is also used in reverse.
const PERMUTATIONS: usize = 4;

/// Most rows on either side that a sequence model is evaluated on. The effect of farther rows is part of the
/// base.
const MAX_CONTEXT_ROWS: usize = 16;

/// Random numbers for permutations, the same on every machine.
///
/// Source: Steele, Lea and Flood, OOPSLA 2014, "Fast splittable pseudorandom number generators".
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Puts the items in a random order (Fisher and Yates). The remainder of 64 bits is as good as uniform for lists that
    /// fit into memory.
    fn shuffle(&mut self, items: &mut [usize]) {
        for last in (1..items.len()).rev() {
            items.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
    }
}

/// Estimates contributions for the rows of a page.
pub(crate) struct ShapleySampler<'a, 'b> {
    model: &'a dyn FittedClassifier,
    x: ArrayView2<'b, f32>,
    /// Mean of each column over the page.
    mean: Vec<f32>,
    /// Whether the model uses each column; `None` means all.
    used_columns: Option<Vec<bool>>,
    /// Decision values of the unchanged page.
    decisions: Vec<f32>,
}

impl<'a, 'b> ShapleySampler<'a, 'b> {
    /// `x` has shape (n_blocks, [`FittedClassifier::num_columns`]), the blocks of one page in order.
    pub(crate) fn new(
        model: &'a dyn FittedClassifier,
        x: ArrayView2<'b, f32>,
        budget: &Budget,
    ) -> Result<Self> {
        // the mean of equal f32 values is exactly that value, since their sum is exact in f64
        let mean = |column: ArrayView1<'_, f32>| {
            (column.iter().map(|v| f64::from(*v)).sum::<f64>() / column.len().max(1) as f64) as f32
        };
        let mean = x.columns().into_iter().map(mean).collect();
        let decisions = decide_unchecked(model, x, budget)?;
        Ok(Self { model, x, mean, used_columns: model.used_columns(), decisions })
    }

    /// Estimates the contribution of each column to the decision value of row `index`.
    ///
    /// Returns the base: the decision value of a row with the page's mean in every column, among the
    /// neighbours of row `index`. Fills `out`, of length [`FittedClassifier::num_columns`], so that the base
    /// and all of `out` sum to the decision value of the row.
    ///
    /// The values of the row replace the means one by one, in random order. The contribution of a column is
    /// its mean change of the decision value. A column that is constant on the page contributes 0. The
    /// estimate is deterministic.
    pub(crate) fn contributions(&self, index: usize, out: &mut [f32], budget: &Budget) -> Result<f32> {
        let context = self.model.context_radius().min(MAX_CONTEXT_ROWS);
        let (start, end) = (index.saturating_sub(context), (index + context + 1).min(self.x.nrows()));
        let mut page = self.x.slice_axis(Axis(0), Slice::from(start..end)).to_owned();
        let own = self.x.row(index);
        let is_varied = |j: &usize| {
            own[*j] != self.mean[*j] && self.used_columns.as_ref().is_none_or(|l| l.get(*j) != Some(&false))
        };
        let mut columns: Vec<usize> = (0..self.x.ncols()).filter(is_varied).collect();
        let mut random = SplitMix64(index as u64);
        let mut sums = vec![0f64; self.x.ncols()];
        let (mut base, mut full) = (0.0, 0.0);
        for _ in 0..PERMUTATIONS {
            random.shuffle(&mut columns);
            for _ in 0..2 {
                let values = self.decisions_along(&mut page, index, index - start, &columns, budget)?;
                for (&column, pair) in columns.iter().zip(values.windows(2)) {
                    sums[column] += f64::from(pair[1]) - f64::from(pair[0]);
                }
                (base, full) = (f64::from(values[0]), f64::from(values[columns.len()]));
                columns.reverse();
            }
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = (sum / (2 * PERMUTATIONS) as f64) as f32);
        // the difference is the effect of the rows beyond the context
        Ok((base + f64::from(self.decisions[index]) - full) as f32)
    }

    /// Decision values of row `index` (row `at` of `page`): with the means, then after each of `columns` has
    /// the value of the row.
    fn decisions_along(
        &self,
        page: &mut Array2<f32>,
        index: usize,
        at: usize,
        columns: &[usize],
        budget: &Budget,
    ) -> Result<Vec<f32>> {
        let means = ArrayView1::from(&self.mean);
        if self.model.context_radius() == 0 {
            // rows are independent: evaluate all in one call
            let mut rows = Array2::zeros((columns.len() + 1, self.mean.len()));
            let mut row = means.to_owned();
            rows.row_mut(0).assign(&row);
            for (&column, mut put) in columns.iter().zip(rows.rows_mut().into_iter().skip(1)) {
                row[column] = self.x[[index, column]];
                put.assign(&row);
            }
            budget.check()?;
            return decide_unchecked(self.model, rows.view(), budget);
        }
        page.row_mut(at).assign(&means);
        let mut values = vec![decide_unchecked(self.model, page.view(), budget)?[at]];
        for &column in columns {
            budget.check()?;
            page[[at, column]] = self.x[[index, column]];
            values.push(decide_unchecked(self.model, page.view(), budget)?[at]);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use serde_json::Value;

    /// The product of the first two columns, plus the third column of the next row.
    #[derive(Debug)]
    struct Product {
        context_radius: usize,
    }

    impl FittedClassifier for Product {
        fn num_columns(&self) -> usize {
            3
        }

        fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], _: &Budget) -> Result<()> {
            for (i, out) in out.iter_mut().enumerate() {
                let next = if self.context_radius > 0 && i + 1 < x.nrows() { x[[i + 1, 2]] } else { 0.0 };
                *out = x[[i, 0]] * x[[i, 1]] + next;
            }
            Ok(())
        }

        fn context_radius(&self) -> usize {
            self.context_radius
        }

        fn to_json(&self) -> Value {
            Value::Null
        }

        fn facts(&self) -> Vec<(&'static str, String)> {
            Vec::new()
        }
    }

    #[test]
    fn random_numbers_are_those_of_the_definition() {
        let mut random = SplitMix64(0);
        assert_eq!([random.next(), random.next()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
        let mut times = [[0; 3]; 3];
        for _ in 0..3000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            items.iter().enumerate().for_each(|(place, &item)| times[place][item] += 1);
        }
        assert!(times.as_flattened().iter().all(|n| (900..1100).contains(n)), "{times:?}");
    }

    #[test]
    fn contributions_are_shapley_values() {
        // means 2, 1 and 5
        let x = array![[4.0, 3.0, 1.0], [0.0, 0.0, 5.0], [2.0, 0.0, 9.0]];
        // first column: from 2 to 4 where the second is 1 or 3; second: from 1 to 3 where the first is 2 or 4
        for (context_radius, base) in [(0, 2.0), (1, 7.0), (usize::MAX, 7.0)] {
            let mut out = [9.0; 3];
            let model = Product { context_radius };
            let sampler = ShapleySampler::new(&model, x.view(), &Budget::UNLIMITED).unwrap();
            assert_eq!(sampler.contributions(0, &mut out, &Budget::UNLIMITED).unwrap(), base);
            assert_eq!(out, [4.0, 6.0, 0.0]);
        }
        // the last row has no next row
        let mut out = [9.0; 3];
        let model = Product { context_radius: 1 };
        let sampler = ShapleySampler::new(&model, x.view(), &Budget::UNLIMITED).unwrap();
        assert_eq!(sampler.contributions(2, &mut out, &Budget::UNLIMITED).unwrap(), 2.0);
        assert_eq!(out, [0.0, -2.0, 0.0]);
    }
}
