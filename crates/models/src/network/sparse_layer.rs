//! The first layer of networks, computed column by column. Most input values are 0; zeros are skipped.

use crate::network::softsign_scaler::SoftsignScaler;
use ndarray::ArrayView2;
use pulp::{Simd, WithSimd};
use std::array::from_fn;
use threshr_core::simd_u128::Bytes;

/// Number of rows whose values are compared with 0 together.
const ROWS: usize = 64;

/// Number of values per vector.
const LANES: usize = 8;

/// Multiplies the scaled values of `x` by the weights of each network, and adds the products to the network's sums in
/// `out`.
///
/// `x` has shape (n, columns), weights have shape (columns, `units`), and sums have shape (n, `units`). `units`
/// must be a multiple of [`LANES`](crate::network::matmul::LANES). Values are added in the same order as in
/// [`add_product`](crate::network::matmul::add_product). So both functions return bit-identical sums, except for the
/// sign of zeros.
pub(crate) fn add_scaled_product(
    scaler: &SoftsignScaler,
    x: &ArrayView2<'_, f32>,
    weights: &[&[f32]],
    units: usize,
    out: &mut [Vec<f32>],
) {
    pulp::Arch::new().dispatch(Layer { scaler, x, weights, units, out });
}

struct Layer<'a, 'b, 'c> {
    scaler: &'a SoftsignScaler,
    x: &'a ArrayView2<'b, f32>,
    weights: &'a [&'c [f32]],
    units: usize,
    out: &'a mut [Vec<f32>],
}

impl WithSimd for Layer<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::F32_LANES == LANES { self.run(simd) } else { self.run(pulp::Scalar256b) }
    }
}

impl Layer<'_, '_, '_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let vectors = self.units / S::F32_LANES;
        let mut weights: Vec<&[S::f32s]> = Vec::new();
        weights.extend(self.weights.iter().map(|w| S::as_simd_f32s(w).0));
        let mut copy = Vec::new();
        // the padding after the last row stays 0, so it is skipped
        let mut z = vec![0.0; self.x.nrows().next_multiple_of(ROWS)];
        for (j, column) in self.x.columns().into_iter().enumerate() {
            let values = column.as_slice().unwrap_or_else(|| {
                copy.clear();
                copy.extend(column);
                &copy
            });
            if !self.scaler.apply_column(j, values, &mut z) {
                continue;
            }
            for (w, out) in weights.iter().zip(self.out.iter_mut()) {
                let (out, _) = S::as_mut_simd_f32s(out);
                let w = &w[j * vectors..][..vectors];
                let mut start = 0;
                while start + 4 <= vectors {
                    Self::add::<S, 4>(simd, &z, from_fn(|k| w[start + k]), out, start, vectors);
                    start += 4;
                }
                if start < vectors {
                    Self::add::<S, 2>(simd, &z, from_fn(|k| w[start + k]), out, start, vectors);
                }
            }
        }
    }

    /// Multiplies a column by `N` vectors of weights, and adds the products to the corresponding sums of each
    /// row.
    #[inline(always)]
    fn add<S: Simd, const N: usize>(
        simd: S,
        z: &[f32],
        w: [S::f32s; N],
        out: &mut [S::f32s],
        start: usize,
        vectors: usize,
    ) {
        for (rows, first) in z.as_chunks::<ROWS>().0.iter().zip((0..).step_by(ROWS)) {
            let mut left = not_zero(rows);
            while left != 0 {
                let row = left.trailing_zeros() as usize;
                left &= left - 1;
                let value = simd.splat_f32s(rows[row % ROWS]);
                let sums = &mut out[(first + row) * vectors + start..][..N];
                for k in 0..N {
                    sums[k] = simd.add_f32s(sums[k], simd.mul_f32s(value, w[k]));
                }
            }
        }
    }
}

/// Returns one bit per value, which is set if the value is not 0.
#[inline(always)]
fn not_zero(rows: &[f32; ROWS]) -> u64 {
    let mut bytes = [0; ROWS];
    bytes.iter_mut().zip(rows).for_each(|(byte, v)| *byte = if *v != 0.0 { 255 } else { 0 });
    let groups = bytes.as_chunks().0.iter().rev();
    groups.fold(0, |bits, group| bits << 16 | u64::from(Bytes::new(*group).equal(255).bits()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::matmul::{LANES, add_product};
    use ndarray::{Array2, ShapeBuilder};

    #[test]
    fn sums_agree_with_the_dense_product() {
        let value = |i: usize, j: usize| match j {
            0 => f32::from(u8::try_from(i * i % 7).unwrap_or(0) / 5),
            1 => ((i * 5) % 11) as f32,
            2 => 3.0,
            _ => 0.0,
        };
        for (n, units) in [(0, LANES), (1, LANES), (64, 2 * LANES), (131, 3 * LANES)] {
            let x = Array2::from_shape_fn((n, 4), |(i, j)| value(i, j));
            let (middle, spread) = (vec![0.0, 5.0, 3.0, 0.0], vec![0.3, 2.5, 0.0, 0.0]);
            let scaler = SoftsignScaler { middle, spread };
            let weights: Vec<f32> = (0..4 * units).map(|i| (i * 7 % 23) as f32 / 8.0 - 1.0).collect();
            let (mut z, mut rows) = (vec![0.0; n * 4], vec![0.5; n * units]);
            x.rows()
                .into_iter()
                .zip(z.chunks_exact_mut(4))
                .for_each(|(row, z)| scaler.apply(&row.to_vec(), z));
            add_product(&z, 4, &weights, &mut rows, units);
            let mut by_columns = Array2::zeros((n, 4).f());
            by_columns.assign(&x);
            for x in [x.view(), by_columns.view()] {
                let mut out = [vec![0.5; n * units], vec![0.5; n * units]];
                add_scaled_product(&scaler, &x, &[&weights, &weights], units, &mut out);
                assert_eq!(out, [rows.clone(), rows.clone()]);
            }
        }
    }

    #[test]
    fn finds_the_values_that_are_not_zero() {
        let mut rows = [0.0; ROWS];
        assert_eq!(not_zero(&rows), 0);
        for (i, v) in [(0, 1.0), (7, -0.0), (9, -2.0), (63, f32::MIN_POSITIVE)] {
            rows[i] = v;
        }
        assert_eq!(not_zero(&rows), 1 | 1 << 9 | 1 << 63);
    }
}
