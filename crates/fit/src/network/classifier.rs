//! `network`: a small feed-forward neural network that scores each row.

use crate::network::fit::train;
use crate::network::softsign_scaler::fit_softsign;
use crate::{Classifier, Classifiers, Ranges, Settings, TrainingSet, settings_of};
use rayon::prelude::*;
use threshr_core::{Error, Result};
use threshr_models::network::classifier::{Data, MAX_MODELS, MAX_UNITS, Network};
use threshr_models::network::matmul::LANES;
use threshr_models::network::net::Shape;
use threshr_models::registry::NETWORK;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// Number of units in the second layer.
const SECOND_UNITS: usize = 32;

/// A network with two layers.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "neural network with two layers",
    source: "Rumelhart, Hinton and Williams, Nature 323, 1986, Learning representations by back-propagating \
             errors; Kingma and Ba, ICLR 2015, Adam; Srivastava et al., JMLR 15, 2014, Dropout",
    limits: "Columns are scaled to -1..1 by softsign, which compresses large values. The number of epochs is \
             fixed; there is no early stopping on held-out pages.",
    ..Classifier::new::<Params>()
};

settings_of! {
    /// Settings of `network`.
    pub(crate) struct Params {
        /// Number of networks whose log-odds are averaged, 1..=32.
        models: usize = 1, 1.0 to MAX_MODELS as f64;
        /// Number of units in the first layer, a multiple of 16, at most 1024.
        first_units: usize = 32, 16.0 to MAX_UNITS as f64;
        /// Number of passes over the pages, 1..=1000.
        epochs: usize = 12, 1.0 to 1000.0;
        /// Maximum target size of a batch in blocks, 1..=1000000. The target is 1 % of all blocks, but at least
        /// 64. A batch takes whole pages until it reaches the target.
        batch_rows: usize = 4096, 1.0 to 1e6;
        /// Step size of Adam, 1e-6..=1, with linear warm-up over the first 5 % of the steps and cosine decay to
        /// 0.
        learning_rate: f64 = 0.003, 1e-6 to 1.0;
        /// Decoupled weight decay, 0..=100; it is multiplied by the step size.
        decay: f64 = 0.01, 0.0 to 100.0;
        /// Dropout rate of the first layer's units, 0..=0.9, in steps of 1/256.
        dropout: f64 = 0.4, 0.0 to 0.9;
        /// Column dropout rate of each step, 0..=0.9.
        column_dropout: f64 = 0.3, 0.0 to 0.9;
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &NETWORK;
    const RANGES: Ranges = Self::LIMITS;

    fn check(&self) -> Result<()> {
        let units = self.first_units;
        if units.is_multiple_of(LANES) {
            return Ok(());
        }
        Err(Error::invalid_option(format!("`first_units` of classifier `{}` is {units}", Self::KIND.name))
            .expected(format!("a multiple of {LANES}")))
    }

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let scaler = fit_softsign(set, seed);
        let first = self.first_units;
        let shape = Shape { columns: set.columns.len(), first, second: SECOND_UNITS };
        let nets = (0..self.models as u64)
            .into_par_iter()
            .map(|model| train(set, &scaler, shape, self, seed ^ model.rotate_left(32)))
            .collect();
        let data = Data {
            scaler,
            first_units: first,
            second_units: SECOND_UNITS,
            context_radius: 0,
            models: self.models,
            nets,
        };
        let network = Network::new(data, set.columns.len()).map_err(|_| {
            Error::classifier("the parameters of classifier `network` diverged")
                .expected("a smaller `learning_rate` or `decay`")
        })?;
        Ok(Box::new(network))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::softsign_scaler::scale_rows;
    use ndarray::Array2;
    use serde_json::json;
    use threshr_core::Budget;
    use threshr_models::{decide, from_json};

    #[test]
    fn networks_are_averaged_and_explained_together() {
        let x = Array2::from_shape_fn((300, 3), |(i, j)| ((i * i + 7 * i * j) % (11 + j)) as f32);
        let y: Vec<_> = x.rows().into_iter().map(|r| (r[0] > 4.0) == (r[1] > 6.0)).collect();
        let page: Vec<_> = (0..300).map(|i| i / 10).collect();
        let columns = ["a", "b", "c"].map(str::to_owned);
        let set = TrainingSet {
            x: x.view().into(),
            y: &y,
            weight: &[1.0; 300],
            page: &page,
            class: &[],
            columns: &columns,
        };
        let model = |models: usize| {
            let params = json!({
                "models": models, "epochs": 60, "dropout": 0.0, "column_dropout": 0.0,
            });
            (CLASSIFIER.fit)(&set, &params, 3, &Classifiers::default()).unwrap()
        };
        let (one, three) = (model(1), model(3));
        let (d_one, d_three) = (
            decide(one.as_ref(), x.view(), &Budget::UNLIMITED).unwrap(),
            decide(three.as_ref(), x.view(), &Budget::UNLIMITED).unwrap(),
        );
        assert_ne!(d_one, d_three);
        let right = d_three.iter().zip(&y).filter(|(d, y)| (**d > 0.0) == **y).count();
        assert!(right > 255, "{right}");
        let mut out = [0.0; 3];
        let base = three.contributions(&x.row(7).to_vec(), &mut out).unwrap();
        assert!((base + out.iter().sum::<f32>() - d_three[7]).abs() < 1e-4);
        assert!(out[0].abs() > out[2].abs() && out[1].abs() > out[2].abs(), "{out:?}");

        // evaluation of all rows at once gives the same result as evaluation in blocks of rows
        let data: Data = from_json("network", &one.to_json()).unwrap();
        let mut z = vec![0.0; 900];
        scale_rows(&data.scaler, x.view().into(), 0..x.nrows(), &mut z);
        let shape = Shape { columns: 3, first: 32, second: 32 };
        assert_eq!(d_one, data.nets[0].decide(shape, &z));

        let damaged = |change: fn(&mut Data)| {
            let mut bad = data.clone();
            change(&mut bad);
            Network::new(bad, 3).unwrap_err().to_string()
        };
        assert!(damaged(|d| d.nets[0].numbers[5] = f32::NAN).contains("invalid parameters of a network"));
        assert!(damaged(|d| d.context_radius = 2).contains("`context_radius` of a network is 2"));
        assert!(damaged(|d| d.first_units = 24).contains("invalid shape of a network"));
        assert!(damaged(|d| d.nets.clear()).contains("0 networks, but `models` is 1"));
    }
}
