//! `gbt`: gradient-boosted trees on the logistic loss.

use crate::boosting::rounds::{bins_of, boost};
use crate::trees::binning::BinnedMatrix;
use crate::trees::leafwise::Growth;
use crate::{Classifier, Classifiers, Ranges, Settings, TrainingSet, check_range, settings, settings_of};
use serde_json::Value;
use std::cell::OnceCell;
use threshr_core::Result;
use threshr_models::boosting::gbt::{Boosted, Data};
use threshr_models::registry::GBT;
use threshr_models::trees::MAX_DEPTH;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// Gradient-boosted trees with histogram-based split search.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "gradient-boosted trees: most accurate, larger and slower than one tree",
    source: "Friedman, Annals of Statistics 29, 2001, Greedy function approximation; Chen and Guestrin, KDD \
             2016, XGBoost; Ke et al., NIPS 2017, LightGBM",
    limits: "Columns with more than 255 distinct values are split only at quantiles. The number of rounds \
             is fixed; there is no early stopping on held-out pages. In addition to the matrix, training \
             needs one byte per value.",
    fit_group: Some(fit_group),
    ..Classifier::new::<Params>()
};

settings_of! {
    /// Settings of `gbt`.
    pub(crate) struct Params {
        /// Number of models whose log-odds are averaged, 1..=100. The number of trees is `models` times
        /// `rounds`.
        models: usize = 1, 1.0 to 100.0;
        /// Number of trees per model, 1..=10000. The trees of all models together have the same limit.
        rounds: usize = 300, 1.0 to 1e4;
        /// Learning rate (shrinkage): factor of each leaf's Newton step, 1e-6..=1.
        learning_rate: f64 = 0.1, 1e-6 to 1.0;
        /// Maximum number of leaves per tree, 2..=32768.
        max_leaves: usize = 31, 2.0 to 32_768.0;
        /// Maximum number of splits from the root to a leaf, 1..=64.
        max_depth: usize = MAX_DEPTH, 1.0 to MAX_DEPTH as f64;
        /// Minimum number of sampled rows in a leaf.
        min_leaf_rows: u32 = 5, 1.0 to 1e9;
        /// L2 penalty, added to the sum of Hessians of each leaf.
        lambda_l2: f64 = 1.0, 0.0 to 1e9;
        /// Share of the pages that is sampled for each tree. The blocks of a page stay together.
        row_share: f64 = 0.5, 1e-6 to 1.0;
        /// Share of the columns that is sampled for each tree.
        column_share: f64 = 0.3, 1e-6 to 1.0;
    }
}

impl Params {
    /// Fits a model. `bins` holds the binned columns of `set`; they are computed if the cell is empty.
    fn fit_binned(
        &self,
        set: &TrainingSet<'_>,
        bins: &OnceCell<BinnedMatrix>,
        seed: u64,
    ) -> Result<Box<dyn FittedClassifier>> {
        let (base, trees) = boost(set, bins.get_or_init(|| bins_of(set)), self, seed);
        let num_columns = set.columns.len();
        Ok(Box::new(Boosted::new(Data { num_columns, base, trees }, num_columns)?))
    }

    pub(super) fn growth(&self) -> Growth {
        Growth {
            max_leaves: self.max_leaves,
            max_depth: self.max_depth,
            min_leaf_rows: self.min_leaf_rows,
            lambda_l2: self.lambda_l2,
        }
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &GBT;
    const RANGES: Ranges = Self::LIMITS;

    fn check(&self) -> Result<()> {
        let trees = self.models as f64 * self.rounds as f64;
        check_range(Self::KIND.name, "models times rounds", trees, 1.0, 1e4)
    }

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        self.fit_binned(set, &OnceCell::new(), seed)
    }
}

/// Fits several models on the same rows. The columns are binned only once.
fn fit_group(set: &TrainingSet<'_>, models: &[(&Value, u64)]) -> Vec<Result<Box<dyn FittedClassifier>>> {
    let bins = OnceCell::new();
    let fit = |&(params, seed): &(&Value, u64)| {
        set.check()?;
        settings::<Params>(params)?.fit_binned(set, &bins, seed)
    };
    models.iter().map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};
    use serde_json::json;
    use threshr_core::Budget;
    use threshr_models::decide;

    fn fit_with(
        x: &Array2<f32>,
        y: &[bool],
        weight: &[f32],
        page: &[u32],
        params: Value,
    ) -> Box<dyn FittedClassifier> {
        let columns: Vec<_> = (0..x.ncols()).map(|j| format!("c{j}")).collect();
        let set = TrainingSet { x: x.view().into(), y, weight, page, class: &[], columns: &columns };
        (CLASSIFIER.fit)(&set, &params, 3, &Classifiers::default()).unwrap()
    }

    #[test]
    fn one_round_takes_newton_steps() {
        // Base: content has 3 of a total weight of 8. Left of 1.5: content has weight 1, boilerplate 3 + 1.
        // Right of 1.5: content has 2, boilerplate 1.
        let x = array![[0.0], [1.0], [1.0], [2.0], [3.0]];
        let (y, weight) = ([true, false, false, true, false], [1.0, 3.0, 1.0, 2.0, 1.0]);
        let params = json!({"rounds": 1, "max_leaves": 2, "min_leaf_rows": 1, "lambda_l2": 1.0,
            "learning_rate": 0.5, "row_share": 1.0, "column_share": 1.0});
        let model = fit_with(&x, &y, &weight, &[0, 0, 1, 1, 2], params);
        let d = decide(model.as_ref(), x.view(), &Budget::UNLIMITED).unwrap();
        // Weights are scaled to a mean of 1, a factor of 5 / 8.
        let (w, p, base) = (5.0 / 8.0, 3.0 / 8.0, (3.0f64 / 5.0).ln());
        let leaf = |content: f64, boilerplate: f64| {
            let gradient = w * (content * (p - 1.0) + boilerplate * p);
            let hessian = w * (content + boilerplate) * p * (1.0 - p);
            base - 0.5 * gradient / (hessian + 1.0)
        };
        let (left, right) = (leaf(1.0, 4.0) as f32, leaf(2.0, 1.0) as f32);
        let expected = [left, left, left, right, right];
        assert!(d.iter().zip(expected).all(|(d, e)| (d - e).abs() < 1e-6), "{d:?} {expected:?}");
        assert_eq!(model.importance().unwrap(), [1.0]);
    }

    /// Returns 40 pages of 50 blocks. A block is content if column 0 and column 3 are both high or both low.
    fn data() -> (Array2<f32>, Vec<bool>, Vec<f32>, Vec<u32>) {
        let x =
            Array2::from_shape_fn((2000, 11), |(i, j)| ((i * i + 7 * i * j + 13 * j) % (19 + 8 * j)) as f32);
        let y = x.rows().into_iter().map(|r| (r[0] > 9.0) == (r[3] > 20.0)).collect();
        let weight = (0..2000).map(|i| 0.5 + (i % 3) as f32).collect();
        (x, y, weight, (0..2000).map(|i| i / 50).collect())
    }

    #[test]
    fn several_models_are_averaged() {
        let (x, y, weight, page) = data();
        let decide = |models: usize, share: f64| {
            let params = json!({
                "models": models, "rounds": 9, "row_share": share, "column_share": 1.0, "max_leaves": 8,
            });
            let model = fit_with(&x, &y, &weight, &page, params);
            assert_eq!(model.facts()[0], ("trees", (9 * models).to_string()));
            decide(model.as_ref(), x.view(), &Budget::UNLIMITED).unwrap()
        };
        // if all pages and columns are used, all models are equal
        let (one, three) = (decide(1, 1.0), decide(3, 1.0));
        assert!(one.iter().zip(&three).all(|(a, b)| (a - b).abs() < 1e-4));
        // if pages are sampled, averaging reduces the variance
        let loss = |d: &[f32]| -> f64 {
            d.iter().zip(&y).map(|(d, y)| f64::from(if *y { -d } else { *d }).exp().ln_1p()).sum()
        };
        let (one, many) = (decide(1, 0.2), decide(8, 0.2));
        assert_ne!(one, many);
        assert!(loss(&many) < loss(&one), "{} {}", loss(&many), loss(&one));
    }

    #[test]
    fn any_number_of_threads_gives_the_same_model() {
        let (x, y, weight, page) = data();
        let params = json!({"rounds": 12, "max_leaves": 100, "min_leaf_rows": 3});
        let text = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit_with(&x, &y, &weight, &page, params.clone()).to_json().to_string())
        };
        assert_eq!(text(1), text(2));
        assert_eq!(text(1), text(3));
    }

    #[test]
    fn training_and_prediction_agree() {
        // The training loss falls with the number of rounds.
        let (x, y, weight, page) = data();
        let mut last = f64::INFINITY;
        for rounds in [1, 5, 20, 60] {
            let params = json!({"rounds": rounds, "row_share": 0.7, "column_share": 1.0});
            let model = fit_with(&x, &y, &weight, &page, params);
            let d = decide(model.as_ref(), x.view(), &Budget::UNLIMITED).unwrap();
            let loss = |(d, y): (&f32, &bool)| f64::from(if *y { -d } else { *d }).exp().ln_1p();
            let loss: f64 = d.iter().zip(&y).map(loss).sum();
            assert!(loss < last, "{rounds}: {loss} {last}");
            last = loss;
        }
        assert!(last < 200.0, "{last}");
    }

    #[test]
    fn limits_are_kept() {
        let (x, y, weight, page) = data();
        let params = json!({"rounds": 3, "max_depth": 2, "max_leaves": 100});
        let facts = fit_with(&x, &y, &weight, &page, params).facts();
        assert_eq!(facts[..3], [("trees", "3".into()), ("leaves", "12".into()), ("depth", "2".into())]);
        let params = json!({"rounds": 2, "min_leaf_rows": 1e9 as u32});
        let model = fit_with(&x, &y, &weight, &page, params);
        let d = decide(model.as_ref(), x.view(), &Budget::UNLIMITED).unwrap();
        assert!(d.windows(2).all(|d| d[0] == d[1]));
    }
}
