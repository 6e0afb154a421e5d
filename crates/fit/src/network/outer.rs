//! Products of small dense row-major matrices, used only in training.
//!
//! As in [`threshr_models::network::matmul`], the order of additions does not depend on the vector width, and
//! multiply-add is not fused. So results are reproducible on all processors.

use pulp::{Simd, WithSimd};
use std::array::from_fn;

/// Number of rows that are processed together.
const ROWS: usize = 4;

/// Adds `x`ᵀ · `d` to `out`. Shapes: `x` (n, `width`), `d` (n, `d_width`), `out` (`width`, `d_width`).
///
/// `d_width` is a multiple of [`LANES`](threshr_models::network::matmul::LANES).
pub(crate) fn add_outer(x: &[f32], width: usize, d: &[f32], d_width: usize, out: &mut [f32]) {
    pulp::Arch::new().dispatch(Outer { x, width, d, d_width, out });
}

struct Outer<'a> {
    x: &'a [f32],
    width: usize,
    d: &'a [f32],
    d_width: usize,
    out: &'a mut [f32],
}

impl WithSimd for Outer<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::F32_LANES == 8 { self.run(simd) } else { self.run(pulp::Scalar256b) }
    }
}

impl Outer<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (d, _) = S::as_simd_f32s(self.d);
        let (out, _) = S::as_mut_simd_f32s(self.out);
        let vectors = self.d_width / S::F32_LANES;
        let mut rows = self.x.chunks_exact(ROWS * self.width);
        let mut ds = d.chunks_exact(ROWS * vectors);
        for (x, d) in (&mut rows).zip(&mut ds) {
            Self::tile::<S, ROWS>(simd, from_fn(|r| &x[r * self.width..][..self.width]), d, out, vectors);
        }
        for (x, d) in rows.remainder().chunks_exact(self.width).zip(ds.remainder().chunks_exact(vectors)) {
            Self::tile::<S, 1>(simd, [x], d, out, vectors);
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const N: usize>(
        simd: S,
        rows: [&[f32]; N],
        d: &[S::f32s],
        out: &mut [S::f32s],
        vectors: usize,
    ) {
        for start in (0..vectors).step_by(2) {
            let left: [S::f32s; N] = from_fn(|r| d[r * vectors + start]);
            let right: [S::f32s; N] = from_fn(|r| d[r * vectors + start + 1]);
            for (j, out) in out.chunks_exact_mut(vectors).take(rows[0].len()).enumerate() {
                let (mut sum_left, mut sum_right) = (out[start], out[start + 1]);
                for r in 0..N {
                    let value = simd.splat_f32s(rows[r][j]);
                    sum_left = simd.add_f32s(sum_left, simd.mul_f32s(value, left[r]));
                    sum_right = simd.add_f32s(sum_right, simd.mul_f32s(value, right[r]));
                }
                (out[start], out[start + 1]) = (sum_left, sum_right);
            }
        }
    }
}

/// Returns `w`ᵀ. `w` has the shape (n, `width`), the result (`width`, n).
pub(crate) fn transposed(w: &[f32], width: usize) -> Vec<f32> {
    let n = w.len() / width.max(1);
    (0..w.len()).map(|i| w[(i % n.max(1)) * width + i / n.max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_models::network::matmul::LANES;

    fn numbers(n: usize, step: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * step) % 23) as f32 / 8.0 - 1.0).collect()
    }

    #[test]
    fn products_agree_with_the_definition() {
        for n in [0, 1, 3, 4, 9] {
            let (width, out_width) = (5, 2 * LANES);
            let x = numbers(n * width, 7);
            let d = numbers(n * out_width, 3);
            let mut outer = vec![2.0; width * out_width];
            add_outer(&x, width, &d, out_width, &mut outer);
            for (i, out) in outer.iter().enumerate() {
                let (j, column) = (i / out_width, i % out_width);
                let sum: f32 = (0..n).map(|row| x[row * width + j] * d[row * out_width + column]).sum();
                assert!((out - 2.0 - sum).abs() < 1e-5);
            }
        }
        assert_eq!(transposed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }
}
