//! Samples random Fourier features.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;
use threshr_models::linear::fourier::Fourier;
use threshr_models::linear::scaling::Scaler;

/// Samples frequency vectors for the kernel exp(-|d|^2 / `eps`). Each component has variance 2 / `eps`. The vectors
/// are divided by 2π before they are stored.
pub(crate) fn draw_features(
    scaler: Scaler,
    components: usize,
    linear: bool,
    eps: f32,
    rng: &mut ChaCha8Rng,
) -> Fourier {
    let sd = (2.0 / f64::from(eps)).sqrt() / TAU;
    let count = components * scaler.num_columns();
    let projection = (0..count).map(|_| (sd * normal(rng)) as f32).collect();
    let phase = (0..components).map(|_| rng.random::<f32>()).collect();
    Fourier { scaler, linear, projection, phase }
}

/// Returns a standard normal random number. Source: Box and Muller, 1958.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::scaling::{fit_scaler, scaled_rows};
    use ndarray::Array2;
    use rand::SeedableRng;

    #[test]
    fn products_of_features_are_the_kernel() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let x = Array2::from_shape_fn((10, 6), |_| normal(&mut rng) as f32);
        let scaler = fit_scaler(x.view(), &[1.0; 10]);
        let scaled = scaled_rows(&scaler, x.view(), &(0..10).collect::<Vec<_>>());
        let fourier = draw_features(scaler, 8192, false, 6.0, &mut rng);
        fourier.check(6).unwrap();
        let mut z = vec![0.0; 10 * fourier.width()];
        fourier.features(x.view(), &mut z);
        let z: Vec<_> = z.chunks_exact(fourier.width()).collect();
        for (a, za) in scaled.rows().into_iter().zip(&z) {
            for (b, zb) in scaled.rows().into_iter().zip(&z) {
                let d = &a - &b;
                let kernel = (-d.dot(&d) / 6.0).exp();
                let product: f32 = za.iter().zip(*zb).map(|(a, b)| a * b).sum();
                assert!((product - 1.0 - kernel).abs() < 0.06, "{product} {kernel}");
            }
        }
    }
}
