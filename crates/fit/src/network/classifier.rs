//! `network`: a small neural network over rows, or over the neighbouring blocks of a page.

use crate::network::fit::{Schedule, train};
use crate::network::softsign_scaler::fit_softsign;
use crate::{Classifier, Classifiers, Ranges, Settings, TrainingSet};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};
use threshr_models::network::classifier::{Data, MAX_CONTEXT_RADIUS, MAX_MODELS, MAX_UNITS, Network};
use threshr_models::network::matmul::LANES;
use threshr_models::network::net::Shape;
use threshr_models::registry::NETWORK;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// Units of the second layer of networks that are trained.
const SECOND_UNITS: usize = 32;

/// A network of two layers; the second may read the first layer of neighbouring blocks.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "neural network with two layers; with context_radius > 0, a convolution over the blocks of a \
             page",
    source: "Rumelhart, Hinton and Williams, Nature 323, 1986, Learning representations by back-propagating \
             errors; Kingma and Ba, ICLR 2015, Adam; Srivastava et al., JMLR 15, 2014, Dropout; Vogels, \
             Ganea and Eickhoff, ECIR 2018, Web2Text (convolutions over blocks)",
    limits: "Columns are scaled to -1..1 by softsign, which compresses large values. The number of epochs is \
             fixed; there is no early stopping on held-out pages.",
    ..Classifier::new::<Params>()
};

/// Settings of `network`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Params {
    /// Number of networks whose log-odds are averaged, 1..=32.
    models: usize,
    /// Units of the first layer, a multiple of 16 up to 1024.
    first_units: usize,
    /// Blocks before and after a block whose first layer the second layer reads, 0..=8.
    context_radius: usize,
    /// Passes over the pages, 1..=1000.
    epochs: usize,
    /// Most blocks in a batch, 1..=1000000. A batch has whole pages: a hundredth of all blocks, but at least
    /// 64.
    batch_rows: usize,
    /// Step size of Adam, 1e-6..=1: linear warm-up over 5 % of the steps, with cosine decay to 0.
    learning_rate: f64,
    /// Decoupled weight decay at a step size of 1, 0..=100.
    decay: f64,
    /// Dropout of the units of the first layer, 0..=0.9, in steps of 1/256.
    dropout: f64,
    /// Share of the columns that each step drops, 0..=0.9.
    column_dropout: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            models: 1,
            first_units: 32,
            context_radius: 0,
            epochs: 12,
            batch_rows: 4096,
            learning_rate: 0.003,
            decay: 0.01,
            dropout: 0.4,
            column_dropout: 0.3,
        }
    }
}

impl Params {
    fn schedule(&self) -> Schedule {
        Schedule {
            epochs: self.epochs,
            batch_rows: self.batch_rows,
            learning_rate: self.learning_rate as f32,
            decay: self.decay as f32,
            dropout: self.dropout as f32,
            column_dropout: self.column_dropout as f32,
        }
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &NETWORK;
    const RANGES: Ranges = &[
        ("models", 1.0, MAX_MODELS as f64),
        ("first_units", LANES as f64, MAX_UNITS as f64),
        ("context_radius", 0.0, MAX_CONTEXT_RADIUS as f64),
        ("epochs", 1.0, 1000.0),
        ("batch_rows", 1.0, 1e6),
        ("learning_rate", 1e-6, 1.0),
        ("decay", 0.0, 100.0),
        ("dropout", 0.0, 0.9),
        ("column_dropout", 0.0, 0.9),
    ];

    fn check(&self) -> Result<()> {
        let units = self.first_units;
        if units.is_multiple_of(LANES) {
            return Ok(());
        }
        Err(Error::recipe(format!("`first_units` of classifier `{}` is {units}", Self::KIND.name))
            .expected(format!("a multiple of {LANES}")))
    }

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let scaler = fit_softsign(set, seed);
        let (first, context_radius) = (self.first_units, self.context_radius);
        let shape = Shape { columns: set.columns.len(), first, second: SECOND_UNITS, context_radius };
        let schedule = self.schedule();
        let nets = (0..self.models as u64)
            .into_par_iter()
            .map(|model| train(set, &scaler, shape, &schedule, seed ^ model.rotate_left(32)))
            .collect();
        let data = Data {
            scaler,
            first_units: first,
            second_units: SECOND_UNITS,
            context_radius,
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
        let model = |models: usize, context_radius: usize| {
            let params = json!({
                "models": models, "context_radius": context_radius, "epochs": 60,
                "dropout": 0.0, "column_dropout": 0.0,
            });
            (CLASSIFIER.fit)(&set, &params, 3, &Classifiers::default()).unwrap()
        };
        let (one, three) = (model(1, 0), model(3, 0));
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
        assert!(model(1, 2).contributions(&[1.0; 3], &mut out).is_none());

        // evaluation in blocks of rows with their context equals evaluation at once
        let wide = model(1, 3);
        let data: Data = from_json("network", &wide.to_json()).unwrap();
        let mut z = vec![0.0; 900];
        scale_rows(&data.scaler, x.view().into(), 0..x.nrows(), &mut z);
        let shape = Shape { columns: 3, first: 32, second: 32, context_radius: 3 };
        assert_eq!(
            decide(wide.as_ref(), x.view(), &Budget::UNLIMITED).unwrap(),
            data.nets[0].decide(shape, &z)
        );

        let damaged = |change: fn(&mut Data)| {
            let mut bad = data.clone();
            change(&mut bad);
            Network::new(bad, 3).unwrap_err().to_string()
        };
        assert!(damaged(|d| d.nets[0].numbers[5] = f32::NAN).contains("invalid parameters of a network"));
        assert!(damaged(|d| d.context_radius = 2).contains("invalid parameters of a network"));
        assert!(damaged(|d| d.first_units = 24).contains("invalid shape of a network"));
        assert!(damaged(|d| d.nets.clear()).contains("0 networks, but `models` is 1"));
    }
}
