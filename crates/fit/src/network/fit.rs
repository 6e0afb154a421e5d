//! Training of a network by Adam, on pages in random order.

use crate::TrainingSet;
use crate::network::classifier::Params;
use crate::network::outer::{add_outer, transposed};
use crate::network::softsign_scaler::scale_rows;
use crate::rows::{page_groups, page_rows};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use threshr_core::stop;
use threshr_models::network::matmul::add_product;
use threshr_models::network::net::{Activations, Net, Shape};
use threshr_models::network::softsign_scaler::SoftsignScaler;

/// Share of the steps that warm up the step size.
const WARM_UP: f32 = 0.05;

/// Minimum number of rows in a batch.
const MIN_BATCH_ROWS: usize = 64;

/// Trains a network. Equal rows, shape, settings and seed give equal parameters.
pub(crate) fn train(
    set: &TrainingSet<'_>,
    scaler: &SoftsignScaler,
    shape: Shape,
    params: &Params,
    seed: u64,
) -> Net {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut learner = Learner::new(set, scaler, shape, params, &mut rng);
    let mut pages = pages(set);
    let num_rows: usize = pages.iter().map(Range::len).sum();
    let all = (params.epochs * num_rows).max(1) as f32;
    let batch_rows = (num_rows / 100).max(MIN_BATCH_ROWS).min(params.batch_rows);
    // a constant divisor gives every block the same influence, regardless of the batch size
    let weight: f64 = pages.iter().flat_map(|rows| &set.weight[rows.clone()]).map(|w| f64::from(*w)).sum();
    let total = ((weight / num_rows as f64 * batch_rows as f64) as f32).max(f32::MIN_POSITIVE);
    let mut done = 0;
    for _ in 0..params.epochs {
        pages.shuffle(&mut rng);
        for batch in page_groups(&pages, batch_rows) {
            if stop::is_requested() {
                break;
            }
            learner.step(batch, total, done as f32 / all, &mut rng);
            done += batch.iter().map(Range::len).sum::<usize>();
        }
    }
    Net { numbers: learner.numbers }
}

/// Returns the row range of each page that has a positive weight.
fn pages(set: &TrainingSet<'_>) -> Vec<Range<usize>> {
    page_rows(set.page).filter(|rows| set.weight[rows.clone()].iter().any(|w| *w > 0.0)).collect()
}

/// Writes the scaled columns of a range of rows to `z`, shape (rows, columns).
fn fill_scaled(set: &TrainingSet<'_>, scaler: &SoftsignScaler, rows: &Range<usize>, z: &mut Vec<f32>) {
    z.resize(rows.len() * set.x.ncols(), 0.0);
    scale_rows(scaler, set.x, rows.clone(), z);
}

/// Buffers that are reused for each page, with shape (rows, columns) or (rows, units).
#[derive(Debug, Default)]
struct Scratch {
    /// The scaled columns.
    z: Vec<f32>,
    /// Random bytes that select the units of the first layer to drop.
    drawn: Vec<u8>,
    /// Gradients of the loss with respect to the first layer's units.
    d_first: Vec<f32>,
    /// Gradients of the loss with respect to the second layer's units.
    d_second: Vec<f32>,
}

struct Learner<'a, 'b> {
    set: &'a TrainingSet<'b>,
    scaler: &'a SoftsignScaler,
    shape: Shape,
    params: &'a Params,
    numbers: Vec<f32>,
    gradient: Vec<f32>,
    /// Running mean of the gradient.
    mean: Vec<f32>,
    /// Running mean of the squared gradient.
    square: Vec<f32>,
    /// Powers of the running means' decay rates, for bias correction.
    powers: (f32, f32),
    page: Activations,
    scratch: Scratch,
}

impl<'a, 'b> Learner<'a, 'b> {
    fn new(
        set: &'a TrainingSet<'b>,
        scaler: &'a SoftsignScaler,
        shape: Shape,
        params: &'a Params,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let (parts, len) = (shape.parts(), shape.num_parameters());
        let mut numbers = vec![0.0; len];
        let mut draw = |range: Range<usize>, inputs: usize| {
            let limit = (6.0 / inputs.max(1) as f32).sqrt();
            numbers[range].iter_mut().for_each(|v| *v = limit * (2.0 * rng.random::<f32>() - 1.0));
        };
        draw(parts.first, shape.columns);
        draw(parts.second, shape.first);
        draw(parts.last, 4 * shape.second);
        Self {
            set,
            scaler,
            shape,
            params,
            numbers,
            gradient: vec![0.0; len],
            mean: vec![0.0; len],
            square: vec![0.0; len],
            powers: (1.0, 1.0),
            page: Activations::default(),
            scratch: Scratch::default(),
        }
    }

    /// Makes one step on a batch of pages. `total` divides the block weights. `share` is the completed share of
    /// the training.
    fn step(&mut self, pages: &[Range<usize>], total: f32, share: f32, rng: &mut ChaCha8Rng) {
        let keep = 1.0 - self.params.column_dropout as f32;
        let columns: Vec<f32> = (0..self.shape.columns)
            .map(|_| if rng.random::<f32>() < keep { 1.0 / keep } else { 0.0 })
            .collect();
        self.gradient.fill(0.0);
        for rows in pages {
            self.add_gradient(rows.clone(), total, &columns, rng);
        }
        self.adam(share);
    }

    /// Adds the gradient of a page. `total` divides the block weights. `columns` are the factors of column
    /// dropout.
    fn add_gradient(&mut self, rows: Range<usize>, total: f32, columns: &[f32], rng: &mut ChaCha8Rng) {
        let (shape, parts) = (self.shape, self.shape.parts());
        let (first, second, n) = (shape.first, shape.second, rows.len());
        let Scratch { z, drawn, d_first, d_second } = &mut self.scratch;
        fill_scaled(self.set, self.scaler, &rows, z);
        for row in z.chunks_exact_mut(shape.columns) {
            row.iter_mut().zip(columns).for_each(|(v, c)| *v *= c);
        }
        self.page.fill_first(shape, &self.numbers, z);
        drawn.resize(n * first, 0);
        rng.fill_bytes(drawn);
        let limit = (self.params.dropout as f32 * 256.0) as u8;
        let kept = 256.0 / (256.0 - f32::from(limit));
        let factor = |drawn: u8| if drawn < limit { 0.0 } else { kept };
        self.page.first.iter_mut().zip(&*drawn).for_each(|(v, d)| *v *= factor(*d));
        self.page.fill_second(shape, &self.numbers);

        d_second.resize(n * second, 0.0);
        let last = &self.numbers[parts.last.clone()];
        let layer = self.page.second.chunks_exact(second).zip(d_second.chunks_exact_mut(second));
        for ((&decision, (units, d_units)), row) in self.page.decisions.iter().zip(layer).zip(rows) {
            let score = 1.0 / (1.0 + (-decision).exp());
            let d = self.set.weight[row] / total * (score - f32::from(u8::from(self.set.y[row])));
            self.gradient[parts.last_bias.start] += d;
            let gradient = &mut self.gradient[parts.last.clone()];
            for (((d_unit, unit), w), gradient) in d_units.iter_mut().zip(units).zip(last).zip(gradient) {
                *gradient += d * unit;
                *d_unit = if *unit > 0.0 { d * w } else { 0.0 };
            }
        }
        add_rows(d_second, &mut self.gradient[parts.second_bias.clone()]);
        d_first.clear();
        d_first.resize(n * first, 0.0);
        let weights = transposed(&self.numbers[parts.second.clone()], second);
        add_outer(&self.page.first, first, d_second, second, &mut self.gradient[parts.second.clone()]);
        add_product(d_second, second, &weights, d_first, first);
        for ((d, unit), drawn) in d_first.iter_mut().zip(&self.page.first).zip(&*drawn) {
            *d = if *unit > 0.0 { *d * factor(*drawn) } else { 0.0 };
        }
        add_rows(d_first, &mut self.gradient[parts.first_bias.clone()]);
        add_outer(z, shape.columns, d_first, first, &mut self.gradient[parts.first]);
    }

    /// Makes one Adam step with decoupled weight decay. `share` is the completed share of the training.
    fn adam(&mut self, share: f32) {
        let (mean_decay, square_decay) = (0.9, 0.999);
        self.powers = (self.powers.0 * mean_decay, self.powers.1 * square_decay);
        let (mean_by, square_by) = (1.0 / (1.0 - self.powers.0), 1.0 / (1.0 - self.powers.1));
        let cosine = 0.5 * (1.0 + (std::f32::consts::PI * share).cos());
        let rate = self.params.learning_rate as f32 * cosine * (share / WARM_UP + 0.01).min(1.0);
        let decay = (1.0 - rate * self.params.decay as f32).max(0.0);
        let numbers = self.numbers.iter_mut().zip(&self.gradient).zip(&mut self.mean).zip(&mut self.square);
        for (((v, g), mean), square) in numbers {
            *mean = mean_decay * *mean + (1.0 - mean_decay) * g;
            *square = square_decay * *square + (1.0 - square_decay) * g * g;
            let step = *mean * mean_by / ((*square * square_by).sqrt() + 1e-8);
            *v = *v * decay - rate * step;
        }
    }
}

/// Adds each row of `d` to `sum`.
fn add_rows(d: &[f32], sum: &mut [f32]) {
    for row in d.chunks_exact(sum.len()) {
        sum.iter_mut().zip(row).for_each(|(sum, d)| *sum += d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::softsign_scaler::fit_softsign;
    use ndarray::Array2;

    const SHAPE: Shape = Shape { columns: 5, first: 16, second: 16 };

    fn params(epochs: usize) -> Params {
        Params {
            epochs,
            batch_rows: 64,
            learning_rate: 0.01,
            decay: 0.0,
            dropout: 0.0,
            column_dropout: 0.0,
            ..Params::default()
        }
    }

    /// Calls `f` with a training set of pages with 3, 4, 3, 4, … blocks. A block is content if the value of
    /// column 2 is high.
    fn with_set<T>(n: usize, f: impl Fn(&TrainingSet<'_>) -> T) -> T {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let x = Array2::from_shape_fn((n, 5), |_| rng.random_range(0..17) as f32);
        let y: Vec<_> = (0..n).map(|i| x[[i, 2]] > 7.0).collect();
        let weight: Vec<_> = (0..n).map(|i| 0.5 + (i % 3) as f32).collect();
        let page: Vec<_> = (0..n as u32).map(|i| i / 7 * 2 + u32::from(i % 7 > 2)).collect();
        let columns: Vec<_> = (0..5).map(|j| format!("c{j}")).collect();
        f(&TrainingSet {
            x: x.view().into(),
            y: &y,
            weight: &weight,
            page: &page,
            class: &[],
            columns: &columns,
        })
    }

    #[test]
    fn gradients_agree_with_differences() {
        with_set(21, |set| {
            let scaler = fit_softsign(set, 1);
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            let params = params(3);
            let mut learner = Learner::new(set, &scaler, SHAPE, &params, &mut rng);
            let (total, columns) = (set.weight.iter().sum(), [1.5, 0.0, 1.0, 0.7, 2.0]);
            let loss = |numbers: &[f32]| -> f64 {
                let of_page = |rows: &Range<usize>| -> f64 {
                    let mut z = Vec::new();
                    fill_scaled(set, &scaler, rows, &mut z);
                    for row in z.chunks_exact_mut(5) {
                        row.iter_mut().zip(columns).for_each(|(v, c)| *v *= c);
                    }
                    let decisions = Net { numbers: numbers.to_vec() }.decide(SHAPE, &z);
                    let of = |(d, row): (f32, usize)| {
                        f64::from(set.weight[row] / total)
                            * f64::from(if set.y[row] { -d } else { d }).exp().ln_1p()
                    };
                    decisions.into_iter().zip(rows.clone()).map(of).sum()
                };
                pages(set).iter().map(of_page).sum()
            };
            for rows in pages(set) {
                learner.add_gradient(rows, total, &columns, &mut rng);
            }
            let mut numbers = learner.numbers.clone();
            let (mut checked, mut steep) = (0, 0);
            let last = SHAPE.parts().last;
            for i in (0..numbers.len()).step_by(2).chain(last.start..numbers.len()) {
                let (old, h) = (numbers[i], 1e-3);
                let mut at = |v: f32| {
                    numbers[i] = v;
                    loss(&numbers)
                };
                let (up, down, here) = (at(old + h), at(old - h), at(old));
                // skip coordinates at a kink of ReLU
                if ((up - here) - (here - down)).abs() < 2e-7 {
                    let slope = (up - down) / (2.0 * f64::from(h));
                    assert!(
                        (slope - f64::from(learner.gradient[i])).abs() < 2e-4,
                        "{i}: {slope} {}",
                        learner.gradient[i]
                    );
                    checked += 1;
                    steep += u32::from(slope.abs() > 0.01);
                }
            }
            assert!(checked > 150 && steep > 10, "{checked} {steep}");
        });
    }

    #[test]
    fn pages_have_a_positive_weight() {
        with_set(10, |set| assert_eq!(pages(set), [0..3, 3..7, 7..10]));
        with_set(10, |set| {
            static WEIGHT: [f32; 10] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0];
            assert_eq!(pages(&TrainingSet { weight: &WEIGHT, ..*set }), [3..7, 7..10]);
        });
    }

    #[test]
    fn a_column_is_learned() {
        with_set(2800, |set| {
            let scaler = fit_softsign(set, 1);
            let net = train(set, &scaler, SHAPE, &params(30), 3);
            net.check(SHAPE).unwrap();
            let mut z = Vec::new();
            fill_scaled(set, &scaler, &(0..2800), &mut z);
            let decisions = net.decide(SHAPE, &z);
            let wrong = decisions.iter().zip(set.y).filter(|(d, y)| (**d > 0.0) != **y).count();
            assert!(wrong < 10, "{wrong}");
        });
    }
}
