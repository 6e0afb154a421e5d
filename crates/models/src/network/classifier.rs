//! `network`: a small feed-forward neural network that scores each row.

use crate::network::matmul::LANES;
use crate::network::net::{Net, Shape};
use crate::network::softsign_scaler::SoftsignScaler;
use crate::network::sparse_layer::add_scaled_product;
use crate::rows::{BLOCK, finite};
use crate::{FittedClassifier, Stored};
use ndarray::{ArrayView2, Axis, Slice};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result};

/// Maximum number of networks.
pub const MAX_MODELS: usize = 32;
/// Maximum number of units per layer.
pub const MAX_UNITS: usize = 1024;

/// Content of the model file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Scales the columns.
    pub scaler: SoftsignScaler,
    /// Number of units in the first layer.
    pub first_units: usize,
    /// Number of units in the second layer.
    pub second_units: usize,
    /// Always 0. Networks that use neighbouring blocks are not supported.
    pub context_radius: usize,
    /// Number of networks.
    pub models: usize,
    /// The networks, which all have the same shape.
    pub nets: Vec<Net>,
}

/// An ensemble of networks. The decision value is the mean log-odds of the networks.
#[derive(Debug)]
pub struct Network {
    data: Data,
    shape: Shape,
}

impl Stored for Network {
    type Data = Data;

    fn new(data: Data, num_columns: usize) -> Result<Self> {
        data.scaler.check(num_columns)?;
        let Data { first_units: first, second_units: second, .. } = data;
        let good = |units: usize| (LANES..=MAX_UNITS).contains(&units) && units.is_multiple_of(LANES);
        if !(good(first) && good(second)) {
            return Err(Error::model("invalid shape of a network")
                .expected(format!("multiples of {LANES} units up to {MAX_UNITS}")));
        }
        if data.context_radius != 0 {
            return Err(Error::model(format!("`context_radius` of a network is {}", data.context_radius))
                .expected("0, because networks over neighbouring blocks are not supported"));
        }
        if data.nets.len() != data.models || !(1..=MAX_MODELS).contains(&data.models) {
            return Err(Error::model(format!(
                "the model has {} networks, but `models` is {}",
                data.nets.len(),
                data.models
            ))
            .expected(format!("1 to {MAX_MODELS} networks, as many as `models`")));
        }
        let shape = Shape { columns: data.scaler.num_columns(), first, second };
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
            let rows = x.slice_axis(Axis(0), Slice::from(start..start + sums.len()));
            let mut firsts: Vec<_> = nets.iter().map(|net| net.first_biases(shape, rows.nrows())).collect();
            budget.check()?;
            add_scaled_product(&self.data.scaler, &rows, &weights, shape.first, &mut firsts);
            for (net, first) in nets.iter().zip(firsts) {
                budget.check()?;
                let decisions = net.decide_from(shape, first);
                sums.iter_mut().zip(&decisions).for_each(|(sum, d)| *sum += f64::from(*d));
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
            ("numbers of each", self.shape.num_parameters().to_string()),
            ("columns used", self.data.scaler.used().filter(|u| *u).count().to_string()),
        ]
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(self.data.scaler.used().collect())
    }

    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let mut z = vec![0.0; row.len()];
        self.data.scaler.apply(row, &mut z);
        let (mut moved, share) = (vec![0.0; row.len()], 1.0 / self.data.nets.len() as f64);
        let bases = self.data.nets.iter().map(|net| net.explain(self.shape, &z, share, &mut moved));
        let base: f64 = bases.sum();
        out.iter_mut().zip(moved).for_each(|(out, m)| *out = finite(m));
        Some(finite(base * share))
    }
}
