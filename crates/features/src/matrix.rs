//! The feature matrix, with validated names and values.

use ndarray::{Array2, ArrayView2};
use std::sync::Arc;
use threshr_core::{Error, Result};

/// Features of blocks, shape (n_blocks, n_features). Column names are unique, and all values are finite.
///
/// [`FeatureMatrix::new`] checks both conditions. For the matrix of a [`FeatureSet`](crate::FeatureSet), only
/// debug builds check that the values are finite.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureMatrix {
    columns: Arc<[String]>,
    values: Array2<f32>,
}

impl FeatureMatrix {
    /// Creates a matrix with named columns.
    ///
    /// # Errors
    /// If the numbers of names and columns differ, a name occurs twice, or a value is not finite.
    pub fn new(columns: Arc<[String]>, values: Array2<f32>) -> Result<Self> {
        if columns.len() != values.ncols() {
            return Err(Error::features(format!("{} names for {} columns", columns.len(), values.ncols()))
                .expected("one name for each column"));
        }
        let mut sorted: Vec<_> = columns.iter().collect();
        sorted.sort();
        if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
            return Err(Error::features("two columns have this name").at_column(twice[0]));
        }
        match not_finite(&columns, &values) {
            Some(error) => Err(error),
            None => Ok(Self { columns, values }),
        }
    }

    /// Creates the matrix of a feature set. Its names are known to be unique, and its values to be finite.
    pub(crate) fn of_set(columns: Arc<[String]>, values: Array2<f32>) -> Self {
        debug_assert!(not_finite(&columns, &values).is_none(), "{:?}", not_finite(&columns, &values));
        Self { columns, values }
    }

    /// Column names, in order.
    pub fn columns(&self) -> &Arc<[String]> {
        &self.columns
    }
    /// The values, shape (n_blocks, n_features).
    pub fn values(&self) -> ArrayView2<'_, f32> {
        self.values.view()
    }
    /// Number of rows.
    pub fn num_blocks(&self) -> usize {
        self.values.nrows()
    }

    /// Returns the values if the columns are exactly `expected`, in this order.
    ///
    /// # Errors
    /// If the columns differ. The error refers to the first difference.
    pub fn values_for(&self, expected: &[String]) -> Result<ArrayView2<'_, f32>> {
        // matrices of one feature set share the list of names, so comparing pointers is sufficient
        if std::ptr::eq(&raw const *self.columns, expected) {
            return Ok(self.values.view());
        }
        if let Some((found, wanted)) = self.columns.iter().zip(expected).find(|(a, b)| a != b) {
            return Err(Error::features("the columns of the matrix differ from the columns of the model")
                .expected(format!("`{wanted}`"))
                .at_column(found));
        }
        if self.columns.len() != expected.len() {
            return Err(Error::features(format!("the matrix has {} columns", self.columns.len()))
                .expected(expected.len().to_string()));
        }
        Ok(self.values.view())
    }
}

/// Returns the error for the first value that is not finite.
fn not_finite(columns: &[String], values: &Array2<f32>) -> Option<Error> {
    columns.iter().zip(values.columns()).find_map(|(name, column)| {
        let row = column.iter().position(|v| !v.is_finite())?;
        let error = Error::features(format!("row {row} is {}", column[row]));
        Some(error.expected("a finite number").at_column(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn invalid_names_and_values_are_rejected() {
        let names = |n: &[&str]| -> Arc<[String]> { n.iter().map(|s| (*s).to_owned()).collect() };
        assert!(FeatureMatrix::new(names(&["a"]), array![[1.0, 2.0]]).is_err());
        assert!(FeatureMatrix::new(names(&["a", "a"]), array![[1.0, 2.0]]).is_err());
        let e = FeatureMatrix::new(names(&["a", "b"]), array![[1.0, 2.0], [0.0, f32::NAN]]).expect_err("NaN");
        assert!(e.to_string().contains("column b: row 1 is NaN"), "{e}");
        let m = FeatureMatrix::new(names(&["a", "b"]), array![[1.0, 2.0]]).expect("fine");
        assert!(m.values_for(&["a".into(), "b".into()]).is_ok());
        assert!(m.values_for(&["b".into(), "a".into()]).is_err());
        assert!(m.values_for(&["a".into()]).is_err());
    }
}
