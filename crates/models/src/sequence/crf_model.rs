//! A fitted `crf`: one weight for each state, column and bin, and transition scores.

use crate::rows::{finite, for_rows};
use crate::sequence::crf_chain::{Chain, Sums, Transitions, log_sum};
use crate::{FittedClassifier, Stored, packed};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::ParagraphClass;
use threshr_core::{Budget, Error, Result};

/// Maximum absolute weight, so that the sums over a page are finite.
const MAX_WEIGHT: f64 = 1e6;
/// Maximum number of buckets of transition scores.
pub const MAX_BUCKETS: usize = 16;
/// Classes of the states 1, 2 and 3 in a model with paragraph classes. State 0 is boilerplate.
pub const CLASSES: [ParagraphClass; 3] =
    [ParagraphClass::Paragraph, ParagraphClass::Heading, ParagraphClass::List];

/// Content of the model file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Number of states. 2: boilerplate, content. 4: boilerplate, paragraph, heading, list item.
    pub states: usize,
    /// Number of cuts (bin boundaries) of each column. A column has one bin more than cuts.
    pub num_cuts: Vec<u32>,
    /// Cuts of all columns, column by column, ascending within a column. A value that exceeds `i` cuts of its
    /// column is in bin `i`.
    #[serde(with = "packed")]
    pub cuts: Vec<f32>,
    /// Weights by state (from state 1), column and bin. The weights of boilerplate (state 0) are 0 and not
    /// stored.
    #[serde(with = "packed")]
    pub weight: Vec<f32>,
    /// Biases by state, from state 1.
    pub bias: Vec<f64>,
    /// Transition scores by bucket, previous state and next state.
    pub moves: Vec<f64>,
    /// Column that selects the bucket of the transition scores. If it is `None`, there is one bucket.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gap: Option<Gap>,
}

/// The column that selects the bucket of the transition scores.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// Index of the column.
    pub column: usize,
    /// Cuts between the buckets, ascending.
    pub cuts: Vec<f32>,
}

impl Gap {
    /// Returns the bucket of a value.
    pub fn bucket(&self, value: f32) -> u8 {
        bin(&self.cuts, value) as u8 // less than MAX_BUCKETS
    }
}

fn bin(cuts: &[f32], value: f32) -> usize {
    cuts.partition_point(|cut| *cut < value)
}

/// A fitted conditional random field.
#[derive(Debug)]
pub struct Crf {
    data: Data,
    /// Index of each column's first cut in `cuts`. The index of the first bin of column `j` is larger by `j`.
    starts: Vec<usize>,
}

impl Stored for Crf {
    type Data = Data;

    fn new(data: Data, num_columns: usize) -> Result<Self> {
        let mut starts = vec![0usize];
        for &n in &data.num_cuts {
            starts.push(starts[starts.len() - 1].saturating_add(n as usize));
        }
        let fault =
            |what: &str| Err(Error::model(format!("invalid {what} in the model of classifier `crf`")));
        let num_bins = data.cuts.len() + num_columns;
        if data.num_cuts.len() != num_columns || starts[num_columns] != data.cuts.len() {
            return fault("number of columns");
        }
        let ascending = |c: &[f32]| c.iter().all(|c| c.is_finite()) && c.windows(2).all(|w| w[0] < w[1]);
        if !starts.windows(2).all(|s| ascending(&data.cuts[s[0]..s[1]])) {
            return fault("cuts");
        }
        let free = data.states.saturating_sub(1);
        if !matches!(data.states, 2 | 4) || data.bias.len() != free || data.weight.len() != free * num_bins {
            return fault("states");
        }
        let buckets = data.gap.as_ref().map_or(1, |gap| gap.cuts.len() + 1);
        if data.gap.as_ref().is_some_and(|g| g.column >= num_columns || !ascending(&g.cuts))
            || buckets > MAX_BUCKETS
            || data.moves.len() != buckets * data.states * data.states
        {
            return fault("transition scores");
        }
        let mut numbers =
            data.weight.iter().map(|w| f64::from(*w)).chain(data.bias.iter().chain(&data.moves).copied());
        if !numbers.all(|w| w.abs() <= MAX_WEIGHT) {
            return fault("weight");
        }
        Ok(Self { data, starts })
    }
}

impl Crf {
    /// Returns the range of the bins of column `j` within the weights of a state.
    fn bins(&self, j: usize) -> std::ops::Range<usize> {
        self.starts[j] + j..self.starts[j + 1] + j + 1
    }

    /// Returns the forward and backward sums of the page `x`.
    fn sums<const S: usize>(&self, x: ArrayView2<'_, f32>) -> Sums<S> {
        let data = &self.data;
        let num_bins = data.weight.len() / data.bias.len();
        let (mut scores, mut bucket) = (vec![[0.0; S]; x.nrows()], vec![0; x.nrows()]);
        for_rows(x, |i, row| {
            let score = &mut scores[i];
            score[1..].copy_from_slice(&data.bias);
            for (j, &v) in row.iter().enumerate() {
                let at = self.bins(j).start + bin(&data.cuts[self.starts[j]..self.starts[j + 1]], v);
                for (k, score) in score[1..].iter_mut().enumerate() {
                    *score += f64::from(data.weight[k * num_bins + at]);
                }
            }
            bucket[i] = data.gap.as_ref().map_or(0, |gap| gap.bucket(row[gap.column]));
        });
        let transitions: Vec<Transitions<S>> = data
            .moves
            .chunks_exact(S * S)
            .map(|m| std::array::from_fn(|a| std::array::from_fn(|b| m[a * S + b])))
            .collect();
        Chain { scores: &scores, bucket: &bucket, transitions: &transitions }.sums()
    }

    fn decide_with<const S: usize>(&self, x: ArrayView2<'_, f32>, out: &mut [f32]) {
        let sums = self.sums::<S>(x);
        for (t, out) in out.iter_mut().enumerate() {
            let mut logs = sums.log_weights(t);
            let other = std::mem::replace(&mut logs[0], f64::NEG_INFINITY);
            *out = finite(log_sum(logs) - other);
        }
    }
}

impl FittedClassifier for Crf {
    fn num_columns(&self) -> usize {
        self.data.num_cuts.len()
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], _budget: &Budget) -> Result<()> {
        match self.data.states {
            2 => self.decide_with::<2>(x, out),
            _ => self.decide_with::<4>(x, out),
        }
        Ok(())
    }

    fn classes(&self, x: ArrayView2<'_, f32>) -> Option<Vec<ParagraphClass>> {
        if self.data.states == 2 {
            return None;
        }
        let sums = self.sums::<4>(x);
        let best = |t: usize| {
            let [_, paragraph, heading, list] = sums.log_weights(t);
            // if values are equal, the first class wins
            let best = usize::from(heading > paragraph);
            CLASSES[if list > [paragraph, heading][best] { 2 } else { best }]
        };
        Some((0..x.nrows()).map(best).collect())
    }

    fn context_radius(&self) -> usize {
        usize::MAX
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        let gap = self.data.gap.as_ref().map(|g| g.column);
        let is_used = |(j, n): (usize, &u32)| *n > 0 || gap == Some(j);
        Some(self.data.num_cuts.iter().enumerate().map(is_used).collect())
    }

    fn to_json(&self) -> Value {
        json!(self.data)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let used = self.data.num_cuts.iter().filter(|&&n| n > 0).count();
        let moves: Vec<_> = self.data.moves.iter().map(|m| format!("{m:.2}")).collect();
        let states = ["boilerplate, content", "boilerplate, paragraph, heading, list"];
        vec![
            ("states", states[usize::from(self.data.states > 2)].to_owned()),
            ("columns used", used.to_string()),
            ("weights", self.data.weight.len().to_string()),
            ("moves", moves.join(" ")),
        ]
    }

    /// Returns each column's share in the sum of the weight ranges of all columns. A weight range is the
    /// largest minus the smallest weight of a column.
    fn importance(&self) -> Option<Vec<f32>> {
        let num_bins = self.data.weight.len() / self.data.bias.len();
        let spread = |bins: &[f32]| {
            let (min, max) = bins.iter().fold((f32::MAX, f32::MIN), |m, &w| (m.0.min(w), m.1.max(w)));
            f64::from(max) - f64::from(min)
        };
        let of_column = |j| -> f64 {
            self.data.weight.chunks_exact(num_bins).map(|state| spread(&state[self.bins(j)])).sum()
        };
        let sizes: Vec<f64> = (0..self.num_columns()).map(of_column).collect();
        let total: f64 = sizes.iter().sum();
        Some(sizes.iter().map(|s| if total > 0.0 { (s / total) as f32 } else { 0.0 }).collect())
    }
}
