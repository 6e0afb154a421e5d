//! What moves the decision value of a row, for models of any kind: they are asked again with some of the values taken away.

use super::Model;
use crate::deadline;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Slice};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Orders in which values are put back, each also walked backwards.
const ORDERS: usize = 4;

/// Most rows on either side that a model is shown; those farther away move a sequence model's value by next to nothing.
const MOST_AROUND: usize = 32;

/// How much each column moves the decision value of row `index` of a page: gives the decision value of a row that has the page's mean
/// in every column, and fills `out` so that it and all of `out` add up to the row's own.
///
/// `x` has shape (n_blocks, [`Model::num_columns`]), the blocks of one page in order; `out` has length [`Model::num_columns`].
/// Shapley values, estimated: values are put in place of the means one by one, in random orders, and a column's part
/// is the mean of what it changed (Štrumbelj and Kononenko, JMLR 11, 2010; orders in pairs: Mitchell et al., JMLR 23,
/// 2022). The same page gives the same numbers.
///
/// # Panics
/// Where there is no such row.
pub fn contributions(model: &dyn Model, x: ArrayView2<'_, f32>, index: usize, out: &mut [f32]) -> f32 {
    let around = model.reach().min(MOST_AROUND);
    let (start, end) = (index.saturating_sub(around), index.saturating_add(around + 1).min(x.nrows()));
    let mean = x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(x.ncols()));
    let mut asked = Asked {
        model,
        own: x.row(index),
        mean,
        page: x.slice_axis(Axis(0), Slice::from(start..end)).to_owned(),
        at: index - start,
    };
    let looks_at = model.looks_at();
    let is_asked = |j: &usize| {
        asked.own[*j] != asked.mean[*j] && looks_at.as_ref().is_none_or(|l| l.get(*j) != Some(&false))
    };
    let mut columns: Vec<usize> = (0..x.ncols()).filter(is_asked).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(index as u64);
    let mut sums = vec![0f64; x.ncols()];
    let mut base = 0.0;
    for _ in 0..ORDERS {
        columns.shuffle(&mut rng);
        for _ in 0..2 {
            let values = asked.along(&columns);
            for (&column, pair) in columns.iter().zip(values.windows(2)) {
                sums[column] += f64::from(pair[1]) - f64::from(pair[0]);
            }
            base = values[0];
            columns.reverse();
        }
    }
    out.iter_mut().zip(sums).for_each(|(out, sum)| *out = (sum / (2 * ORDERS) as f64) as f32);
    base
}

struct Asked<'a> {
    model: &'a dyn Model,
    own: ArrayView1<'a, f32>,
    mean: Array1<f32>,
    /// The row and those around it.
    page: Array2<f32>,
    /// Which of them it is.
    at: usize,
}

impl Asked<'_> {
    /// Decision values of the row of means, and after each of `columns` has got its own value.
    fn along(&mut self, columns: &[usize]) -> Vec<f32> {
        let mut row = self.mean.clone();
        if self.model.reach() == 0 {
            // rows by themselves, all at once
            let mut rows = Array2::zeros((columns.len() + 1, row.len()));
            rows.row_mut(0).assign(&row);
            for (&column, mut put) in columns.iter().zip(rows.rows_mut().into_iter().skip(1)) {
                row[column] = self.own[column];
                put.assign(&row);
            }
            deadline::check();
            return self.decide(rows.view());
        }
        self.page.row_mut(self.at).assign(&row);
        let mut values = vec![self.decide(self.page.view())[self.at]];
        for &column in columns {
            deadline::check();
            self.page[[self.at, column]] = self.own[column];
            values.push(self.decide(self.page.view())[self.at]);
        }
        values
    }

    fn decide(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        let mut out = vec![0.0; rows.nrows()];
        self.model.decide(rows, &mut out);
        out
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
        reach: usize,
    }

    impl Model for Product {
        fn num_columns(&self) -> usize {
            3
        }

        fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32]) {
            for (i, out) in out.iter_mut().enumerate() {
                let behind = if self.reach > 0 && i + 1 < x.nrows() { x[[i + 1, 2]] } else { 0.0 };
                *out = x[[i, 0]] * x[[i, 1]] + behind;
            }
        }

        fn reach(&self) -> usize {
            self.reach
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
        for (reach, base) in [(0, 2.0), (1, 7.0), (usize::MAX, 7.0)] {
            let mut out = [9.0; 3];
            assert_eq!(contributions(&Product { reach }, x.view(), 0, &mut out), base);
            assert_eq!(out, [4.0, 6.0, 0.0]);
        }
        // the last row has none behind
        let mut out = [9.0; 3];
        assert_eq!(contributions(&Product { reach: 1 }, x.view(), 2, &mut out), 2.0);
        assert_eq!(out, [0.0, -2.0, 0.0]);
    }
}
