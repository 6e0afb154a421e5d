//! What moves the decision value of a row, for models of any kind: they are asked again with some of the values taken away.

use crate::{FittedClassifier, decided};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, Slice};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use threshr_core::{Budget, Result};

/// Orders in which values are put back, each also walked backwards.
const ORDERS: usize = 4;

/// Most rows on either side that a sequence model is shown when it is asked again; those farther away count as part of the base.
const MOST_AROUND: usize = 16;

/// A page whose rows are explained, and what is the same for all of them.
pub(crate) struct Sampler<'a, 'b> {
    model: &'a dyn FittedClassifier,
    x: ArrayView2<'b, f32>,
    /// Mean of each column over the page.
    mean: Vec<f32>,
    /// Whether the model looks at each column; `None`: at every one.
    used_columns: Option<Vec<bool>>,
    /// Of the page as it is.
    decisions: Vec<f32>,
}

impl<'a, 'b> Sampler<'a, 'b> {
    /// `x` has shape (n_blocks, [`FittedClassifier::num_columns`]), the blocks of one page in order.
    pub(crate) fn of(
        model: &'a dyn FittedClassifier,
        x: ArrayView2<'b, f32>,
        budget: &Budget,
    ) -> Result<Self> {
        // of equal values the mean is that value: sums of f64 are exact there
        let mean = |column: ArrayView1<'_, f32>| {
            (column.iter().map(|v| f64::from(*v)).sum::<f64>() / column.len().max(1) as f64) as f32
        };
        let mean = x.columns().into_iter().map(mean).collect();
        let decisions = decided(model, x, budget)?;
        Ok(Self { model, x, mean, used_columns: model.used_columns(), decisions })
    }

    /// How much each column moves the decision value of row `index`: gives the base, which is what the model says of a row that has
    /// the page's mean in every column and the row's own neighbours, and fills `out`, of length [`FittedClassifier::num_columns`], so that the
    /// base and all of `out` add up to the decision value.
    ///
    /// Shapley values, estimated: values are put in place of the means one by one, in random orders, and a column's part
    /// is the mean of what it changed (Štrumbelj and Kononenko, JMLR 11, 2010; orders in pairs: Mitchell et al., JMLR 23,
    /// 2022). What is the same in all rows of a page moves none of them by this. The same page gives the same numbers.
    pub(crate) fn contributions(&self, index: usize, out: &mut [f32], budget: &Budget) -> Result<f32> {
        let around = self.model.context_radius().min(MOST_AROUND);
        let (start, end) = (index.saturating_sub(around), (index + around + 1).min(self.x.nrows()));
        let mut page = self.x.slice_axis(Axis(0), Slice::from(start..end)).to_owned();
        let own = self.x.row(index);
        let is_asked = |j: &usize| {
            own[*j] != self.mean[*j] && self.used_columns.as_ref().is_none_or(|l| l.get(*j) != Some(&false))
        };
        let mut columns: Vec<usize> = (0..self.x.ncols()).filter(is_asked).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(index as u64);
        let mut sums = vec![0f64; self.x.ncols()];
        let (mut base, mut asked) = (0.0, 0.0);
        for _ in 0..ORDERS {
            columns.shuffle(&mut rng);
            for _ in 0..2 {
                let values = self.along(&mut page, index, index - start, &columns, budget)?;
                for (&column, pair) in columns.iter().zip(values.windows(2)) {
                    sums[column] += f64::from(pair[1]) - f64::from(pair[0]);
                }
                (base, asked) = (f64::from(values[0]), f64::from(values[columns.len()]));
                columns.reverse();
            }
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = (sum / (2 * ORDERS) as f64) as f32);
        // what the rows farther away do
        Ok((base + f64::from(self.decisions[index]) - asked) as f32)
    }

    /// Decision values of row `index`, row `at` of `page`, with the means, and after each of `columns` has got its own value.
    fn along(
        &self,
        page: &mut Array2<f32>,
        index: usize,
        at: usize,
        columns: &[usize],
        budget: &Budget,
    ) -> Result<Vec<f32>> {
        let means = ArrayView1::from(&self.mean);
        if self.model.context_radius() == 0 {
            // rows by themselves, all at once
            let mut rows = Array2::zeros((columns.len() + 1, self.mean.len()));
            let mut row = means.to_owned();
            rows.row_mut(0).assign(&row);
            for (&column, mut put) in columns.iter().zip(rows.rows_mut().into_iter().skip(1)) {
                row[column] = self.x[[index, column]];
                put.assign(&row);
            }
            budget.check()?;
            return decided(self.model, rows.view(), budget);
        }
        page.row_mut(at).assign(&means);
        let mut values = vec![decided(self.model, page.view(), budget)?[at]];
        for &column in columns {
            budget.check()?;
            page[[at, column]] = self.x[[index, column]];
            values.push(decided(self.model, page.view(), budget)?[at]);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use serde_json::Value;

    /// The product of the first two columns, and the third of the row behind.
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
                let behind = if self.context_radius > 0 && i + 1 < x.nrows() { x[[i + 1, 2]] } else { 0.0 };
                *out = x[[i, 0]] * x[[i, 1]] + behind;
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
    fn parts_are_shapley_values() {
        // means 2, 1 and 5
        let x = array![[4.0, 3.0, 1.0], [0.0, 0.0, 5.0], [2.0, 0.0, 9.0]];
        // first column: from 2 to 4 where the second is 1 or 3; second: from 1 to 3 where the first is 2 or 4
        for (context_radius, base) in [(0, 2.0), (1, 7.0), (usize::MAX, 7.0)] {
            let mut out = [9.0; 3];
            let model = Product { context_radius };
            let sampler = Sampler::of(&model, x.view(), &Budget::UNLIMITED).unwrap();
            assert_eq!(sampler.contributions(0, &mut out, &Budget::UNLIMITED).unwrap(), base);
            assert_eq!(out, [4.0, 6.0, 0.0]);
        }
        // the last row has none behind
        let mut out = [9.0; 3];
        let model = Product { context_radius: 1 };
        let sampler = Sampler::of(&model, x.view(), &Budget::UNLIMITED).unwrap();
        assert_eq!(sampler.contributions(2, &mut out, &Budget::UNLIMITED).unwrap(), 2.0);
        assert_eq!(out, [0.0, -2.0, 0.0]);
    }
}
