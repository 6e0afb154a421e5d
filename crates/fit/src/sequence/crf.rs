//! `crf`: a linear-chain conditional random field over the blocks of a page.

use crate::sequence::crf_fit::{Trained, Training};
use crate::sequence::lbfgs::Stop;
use crate::trees::binning::BinnedMatrix;
use crate::{Classifier, Classifiers, Ranges, Settings, TrainingSet, settings_of};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use threshr_core::{Error, ParagraphClass, Result};
use threshr_models::registry::CRF;
use threshr_models::sequence::crf_model::{Crf, Data, Gap};
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// A linear-chain conditional random field on binned columns.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "conditional random field: labels the blocks of a page jointly, as a sequence",
    source: "Marek, Pecina and Spousta, 2007, Victor; Lafferty, McCallum and Pereira, ICML 2001, Conditional \
             random fields",
    limits: "Columns are cut into bins at quantiles. The loss of a page is the sum of the negative log-probabilities of its states, given the previous state. Each term is multiplied by the weight of its block. With equal weights, this is the negative log-likelihood. With unequal weights, the loss is not convex, so the fit may be a local optimum. \
             Training stops after max_epochs, even if it has not converged.",
    ..Classifier::new::<Params>()
};

/// Column that selects the transition scores, if the feature set contains it. The more tags are between two
/// blocks, the more often the label changes.
const GAP_COLUMN: &str = "density.gap_tags";
/// Maximum number of buckets of [`GAP_COLUMN`].
const GAP_BUCKETS: usize = 4;

/// Label set of the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum States {
    /// Two states: boilerplate and content.
    Content,
    /// Four states: boilerplate, paragraph, heading, list item. If the gold standard has no headings or lists,
    /// the states are those of `content`.
    Paragraph,
}

settings_of! {
    /// Settings of `crf`.
    struct Params {
        /// Label set: `content` (boilerplate, content) or `paragraph` (boilerplate, paragraph, heading, list
        /// item).
        classes: States = States::Content;
        /// L2 penalty: adds 0.5 c |w|^2 to the sum of losses.
        c: f64 = 1.0, 1e-6 to 1e9;
        /// Maximum number of steps of L-BFGS.
        max_epochs: usize = 40, 1.0 to 1e5;
        /// Tolerance: fitting stops if three consecutive steps together reduce the loss by at most this share.
        tolerance: f64 = 1e-3, 0.0 to 1.0;
        /// Maximum number of bins per column, 2..=64.
        bins: usize = 16, 2.0 to 64.0;
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &CRF;
    const RANGES: Ranges = Self::LIMITS;

    fn fit(&self, set: &TrainingSet<'_>, _: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let binned = BinnedMatrix::new(set.x, Some(set.weight), self.bins);
        let gap = gap(set);
        let bucket: Vec<u8> = match &gap {
            None => vec![0; set.y.len()],
            Some(gap) => set.x.column(gap.column).into_iter().map(|v| gap.bucket(v)).collect(),
        };
        let states = states(set, self.classes)?;
        let training = Training {
            binned: &binned,
            bucket: &bucket,
            num_buckets: gap.as_ref().map_or(1, |g| g.cuts.len() + 1),
            states: &states,
            weight: set.weight,
            page: set.page,
            penalty: self.c,
        };
        let stop = Stop { max_steps: self.max_epochs, tolerance: self.tolerance };
        let num_states = if states.iter().any(|&s| s > 1) { 4 } else { 2 };
        let trained = if num_states == 2 { training.run::<2>(stop) } else { training.run::<4>(stop) };
        let Trained { weight, bias, moves } = trained;
        let columns = 0..binned.num_columns();
        let cuts = |j: usize| (0..binned.num_bins(j) - 1).map(move |bin| (j, bin));
        let data = Data {
            states: num_states,
            num_cuts: columns.clone().map(|j| binned.num_bins(j) as u32 - 1).collect(),
            cuts: columns.flat_map(cuts).map(|(j, bin)| binned.cut(j, bin)).collect(),
            weight,
            bias,
            moves,
            gap,
        };
        let model = Crf::new(data, set.columns.len()).map_err(|_| {
            Error::classifier("the weights of classifier `crf` diverged").expected("a larger `c`")
        })?;
        Ok(Box::new(model))
    }
}

/// Returns the column [`GAP_COLUMN`] with its quantile cuts, or `None` if it is missing or constant.
fn gap(set: &TrainingSet<'_>) -> Option<Gap> {
    let column = set.columns.iter().position(|name| name == GAP_COLUMN)?;
    let values = Array2::from_shape_vec((set.x.nrows(), 1), set.x.column(column)).ok()?;
    let binned = BinnedMatrix::new(values.view(), Some(set.weight), GAP_BUCKETS);
    let cuts: Vec<f32> = (1..binned.num_bins(0)).map(|bin| binned.cut(0, bin - 1)).collect();
    (!cuts.is_empty()).then_some(Gap { column, cuts })
}

/// Returns the true state of each block.
fn states(set: &TrainingSet<'_>, classes: States) -> Result<Vec<u8>> {
    if classes == States::Content || set.class.is_empty() {
        return Ok(set.y.iter().map(|&y| u8::from(y)).collect());
    }
    if set.class.len() != set.y.len() {
        return Err(Error::classifier(format!("{} classes for {} blocks", set.class.len(), set.y.len()))
            .expected("one for every block, or none"));
    }
    let state = |(&y, class): (&bool, &Option<ParagraphClass>)| match class {
        _ if !y => 0,
        None | Some(ParagraphClass::Paragraph) => 1,
        Some(ParagraphClass::Heading) => 2,
        Some(ParagraphClass::List) => 3,
    };
    Ok(set.y.iter().zip(set.class).map(state).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Axis, Slice};
    use serde_json::{Value, json};
    use threshr_core::Budget;
    use threshr_models::{decide, load};

    /// Fits 40 pages of 12 blocks: boilerplate, a heading, paragraphs, list items, boilerplate. Column 0 is 1
    /// for headings, column 1 for list items, column 2 for content. Every fifth block has the wrong value in
    /// column 2.
    fn fitted(params: &Value, with_classes: bool) -> (Box<dyn FittedClassifier>, Array2<f32>, Vec<bool>) {
        use ParagraphClass::{Heading, List, Paragraph};
        let page = [None, None, None, Some(Heading), None, Some(Paragraph), Some(List), Some(List)];
        let n = 40 * 12;
        let truth = |i: usize| if i % 12 < 8 { page[i % 12] } else { None };
        // on each page, one content block has no class in the gold standard
        let y: Vec<bool> = (0..n).map(|i| (3..8).contains(&(i % 12))).collect();
        let x = Array2::from_shape_fn((n, 3), |(i, j)| match j {
            0 => f32::from(u8::from(truth(i) == Some(Heading))),
            1 => f32::from(u8::from(truth(i) == Some(List))),
            _ => f32::from(u8::from(y[i] != (i % 5 == 0))),
        });
        let class: Vec<_> = if with_classes { (0..n).map(truth).collect() } else { Vec::new() };
        let page: Vec<u32> = (0..n as u32).map(|i| i / 12).collect();
        let columns = ["a", "b", "density.gap_tags"].map(str::to_owned);
        let set = TrainingSet {
            x: x.view().into(),
            y: &y,
            weight: &vec![1.0; n],
            page: &page,
            class: &class,
            columns: &columns,
        };
        ((CLASSIFIER.fit)(&set, params, 0, &Classifiers::default()).unwrap(), x, y)
    }

    #[test]
    fn neighbours_correct_errors_of_single_blocks() {
        let (model, x, y) = fitted(&Value::Null, false);
        let page = |p: usize| x.slice_axis(Axis(0), Slice::from(p * 12..p * 12 + 12));
        let wrong: usize = (0..40)
            .map(|p| {
                let d = decide(model.as_ref(), page(p), &Budget::UNLIMITED).unwrap();
                d.iter().zip(&y[p * 12..]).filter(|(d, y)| (**d > 0.0) != **y).count()
            })
            .sum();
        assert!(wrong < 40, "{wrong} of 480; 96 by the column alone");
        assert!(model.classes(x.view()).is_none());
    }

    #[test]
    fn paragraph_mode_predicts_classes() {
        let params = json!({"classes": "paragraph", "c": 0.1});
        let (model, x, _) = fitted(&params, true);
        let page = x.slice_axis(Axis(0), Slice::from(0..12));
        let classes = model.classes(page).unwrap();
        use ParagraphClass::{Heading, List, Paragraph};
        assert_eq!(classes[3..8], [Heading, Paragraph, Paragraph, List, List]);
        let loaded = load("crf", &model.to_json(), 3).unwrap();
        assert_eq!(loaded.classes(page).unwrap(), classes);
        assert_eq!(
            decide(loaded.as_ref(), page, &Budget::UNLIMITED).unwrap(),
            decide(model.as_ref(), page, &Budget::UNLIMITED).unwrap()
        );
        // if the gold standard has no classes, the model has no classes either
        assert!(fitted(&params, false).0.classes(page).is_none());
    }

    #[test]
    fn invalid_gaps_and_states_are_errors() {
        let good = fitted(&json!({"classes": "paragraph"}), true).0.to_json();
        for (path, bad) in [
            ("/gap/column", json!(3)),
            ("/gap/cuts", json!([])),
            ("/gap/cuts/0", json!(1e300)),
            ("/states", json!(3)),
            ("/states", json!(2)),
            ("/moves/0", json!(1e7)),
            ("/num_cuts/0", json!(u32::MAX)),
        ] {
            let mut value = good.clone();
            *value.pointer_mut(path).unwrap() = bad;
            assert!(load("crf", &value, 3).is_err(), "{path}");
        }
        assert!(load("crf", &good, 3).is_ok() && load("crf", &good, 2).is_err());
    }

    #[test]
    fn pages_of_any_length_are_decided() {
        let model = fitted(&Value::Null, false).0;
        for n in [0, 1, 100_000] {
            let x = Array2::from_shape_fn((n, 3), |(i, _)| (i % 2) as f32);
            assert!(
                decide(model.as_ref(), x.view(), &Budget::UNLIMITED).unwrap().iter().all(|d| d.is_finite())
            );
        }
    }
}
