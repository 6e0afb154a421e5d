//! `network`: a small neural network over rows, or over the neighbouring blocks of a page.

use crate::network::fit::{Schedule, train};
use crate::network::matmul::LANES;
use crate::network::net::{Net, Shape};
use crate::network::softsign_scaler::SoftsignScaler;
use crate::network::sparse_layer::add_scaled_product;
use crate::range::Range;
use crate::rows::{BLOCK, finite};
use crate::{Classifier, Classifiers, FittedClassifier, TrainingSet, Weights, from_json, settings};
use ndarray::{ArrayView2, Axis, Slice};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result};

const NAME: &str = "network";

const MAX_MODELS: usize = 32;
const MAX_UNITS: usize = 1024;
/// Units of the second layer of networks that are trained.
const SECOND_UNITS: usize = 32;
const MAX_CONTEXT_RADIUS: usize = 8;

/// A network of two layers; the second may read the first layer of neighbouring blocks.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    name: NAME,
    summary: "neural network with two layers; with context_radius > 0, a convolution over the blocks of a \
             page",
    source: "Rumelhart, Hinton and Williams, Nature 323, 1986, Learning representations by back-propagating \
             errors; Kingma and Ba, ICLR 2015, Adam; Srivastava et al., JMLR 15, 2014, Dropout; Vogels, \
             Ganea and Eickhoff, ECIR 2018, Web2Text (convolutions over blocks)",
    limits: "Columns are scaled to -1..1 by softsign, which compresses large values. The number of epochs is \
             fixed; there is no early stopping on held-out pages.",
    weights: Weights::Exact,
    defaults: || json!(Settings::default()),
    fit,
    fit_group: None,
    load,
};

/// Settings of `network`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
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

impl Default for Settings {
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

impl Settings {
    fn check(&self) -> Result<()> {
        let range = Range(NAME);
        range.check("models", self.models as f64, 1.0, MAX_MODELS as f64)?;
        let units = self.first_units;
        range.check("first_units", units as f64, LANES as f64, MAX_UNITS as f64)?;
        if !units.is_multiple_of(LANES) {
            return Err(Error::recipe(format!("`first_units` of classifier `{NAME}` is {units}"))
                .expected(format!("a multiple of {LANES}")));
        }
        range.check("context_radius", self.context_radius as f64, 0.0, MAX_CONTEXT_RADIUS as f64)?;
        range.check("epochs", self.epochs as f64, 1.0, 1000.0)?;
        range.check("batch_rows", self.batch_rows as f64, 1.0, 1e6)?;
        range.check("learning_rate", self.learning_rate, 1e-6, 1.0)?;
        range.check("decay", self.decay, 0.0, 100.0)?;
        range.check("dropout", self.dropout, 0.0, 0.9)?;
        range.check("column_dropout", self.column_dropout, 0.0, 0.9)
    }

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

fn fit(
    set: &TrainingSet<'_>,
    params: &Value,
    seed: u64,
    _all: &Classifiers,
) -> Result<Box<dyn FittedClassifier>> {
    set.check()?;
    let settings: Settings = settings(NAME, params)?;
    settings.check()?;
    let scaler = SoftsignScaler::fit(set, seed);
    let (first, context_radius) = (settings.first_units, settings.context_radius);
    let shape = Shape { columns: set.columns.len(), first, second: SECOND_UNITS, context_radius };
    let schedule = settings.schedule();
    let nets = (0..settings.models as u64)
        .into_par_iter()
        .map(|model| train(set, &scaler, shape, &schedule, seed ^ model.rotate_left(32)))
        .collect();
    let data = Data {
        scaler,
        first_units: first,
        second_units: SECOND_UNITS,
        context_radius,
        models: settings.models,
        nets,
    };
    let network = Network::of(data).map_err(|_| {
        Error::classifier("the parameters of classifier `network` diverged")
            .expected("a smaller `learning_rate` or `decay`")
    })?;
    Ok(Box::new(network))
}

fn load(value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    let data: Data = from_json(NAME, value)?;
    data.scaler.check(num_columns)?;
    Ok(Box::new(Network::of(data)?))
}

/// The model file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    scaler: SoftsignScaler,
    first_units: usize,
    second_units: usize,
    context_radius: usize,
    models: usize,
    nets: Vec<Net>,
}

/// Decision value: the mean log-odds of the networks.
#[derive(Debug)]
struct Network {
    data: Data,
    shape: Shape,
}

impl Network {
    fn of(data: Data) -> Result<Self> {
        let Data { first_units: first, second_units: second, context_radius, .. } = data;
        let good = |units: usize| (LANES..=MAX_UNITS).contains(&units) && units.is_multiple_of(LANES);
        if !(good(first) && good(second) && context_radius <= MAX_CONTEXT_RADIUS) {
            return Err(Error::model("invalid shape of a network").expected(format!(
                "multiples of {LANES} units up to {MAX_UNITS}, `context_radius` up to {MAX_CONTEXT_RADIUS}"
            )));
        }
        if data.nets.len() != data.models || !(1..=MAX_MODELS).contains(&data.models) {
            return Err(Error::model(format!(
                "the model has {} networks, but `models` is {}",
                data.nets.len(),
                data.models
            ))
            .expected(format!("1 to {MAX_MODELS} networks, as many as `models`")));
        }
        let shape = Shape { columns: data.scaler.num_columns(), first, second, context_radius };
        data.nets.iter().try_for_each(|net| net.check(shape))?;
        Ok(Self { data, shape })
    }
}

impl FittedClassifier for Network {
    fn num_columns(&self) -> usize {
        self.shape.columns
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        let (nets, n, shape) = (&self.data.nets, x.nrows(), self.shape);
        let mut sums = vec![0f64; n];
        let weights: Vec<&[f32]> = nets.iter().map(|net| net.first(shape)).collect();
        for (start, sums) in (0..n).step_by(BLOCK).zip(sums.chunks_mut(BLOCK)) {
            // a block of rows and their context
            let before = start.min(self.shape.context_radius);
            let end = (start + sums.len() + self.shape.context_radius).min(n);
            let rows = x.slice_axis(Axis(0), Slice::from(start - before..end));
            let mut firsts: Vec<_> = nets.iter().map(|net| net.first_biases(shape, rows.nrows())).collect();
            budget.check()?;
            add_scaled_product(&self.data.scaler, &rows, &weights, shape.first, &mut firsts);
            for (net, first) in nets.iter().zip(firsts) {
                budget.check()?;
                let decisions = net.decide_from(shape, first);
                sums.iter_mut().zip(&decisions[before..]).for_each(|(sum, d)| *sum += f64::from(*d));
            }
        }
        let num_nets = nets.len() as f64;
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = finite(sum / num_nets));
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!(self.data)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("networks", self.data.nets.len().to_string()),
            ("numbers of each", self.shape.len().to_string()),
            ("columns used", self.data.scaler.used().filter(|u| *u).count().to_string()),
        ]
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(self.data.scaler.used().collect())
    }

    fn context_radius(&self) -> usize {
        self.shape.context_radius
    }

    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        if self.shape.context_radius > 0 {
            return None; // the context of the row is unknown
        }
        let mut z = vec![0.0; row.len()];
        self.data.scaler.apply(row, &mut z);
        let (mut moved, share) = (vec![0.0; row.len()], 1.0 / self.data.nets.len() as f64);
        let bases = self.data.nets.iter().map(|net| net.explain(self.shape, &z, share, &mut moved));
        let base: f64 = bases.sum();
        out.iter_mut().zip(moved).for_each(|(out, m)| *out = finite(m));
        Some(finite(base * share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide;
    use ndarray::Array2;

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
            fit(&set, &params, 3, &Classifiers::default()).unwrap()
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
        let data: Data = from_json(NAME, &wide.to_json()).unwrap();
        let mut z = vec![0.0; 900];
        data.scaler.apply_all(x.view().into(), 0..x.nrows(), &mut z);
        let shape = Shape { columns: 3, first: 32, second: 32, context_radius: 3 };
        assert_eq!(
            decide(wide.as_ref(), x.view(), &Budget::UNLIMITED).unwrap(),
            data.nets[0].decide(shape, &z)
        );

        let damaged = |change: fn(&mut Data)| {
            let mut bad = data.clone();
            change(&mut bad);
            Network::of(bad).unwrap_err().to_string()
        };
        assert!(damaged(|d| d.nets[0].numbers[5] = f32::NAN).contains("invalid parameters of a network"));
        assert!(damaged(|d| d.context_radius = 2).contains("invalid parameters of a network"));
        assert!(damaged(|d| d.first_units = 24).contains("invalid shape of a network"));
        assert!(damaged(|d| d.nets.clear()).contains("0 networks, but `models` is 1"));
    }
}
