//! Products of small dense row-major matrices.
//!
//! The order of additions does not depend on the vector width, and multiply-add is not fused. So products are
//! bit-identical on all processors.

use pulp::{Simd, WithSimd};
use std::array::from_fn;

/// The widths of results must be multiples of this number: two vectors of eight.
pub const LANES: usize = 16;

/// Number of rows that are processed together.
const ROWS: usize = 4;

/// Adds `x` · `w` to `out`. Shapes: `x` (n, `width`), `w` (`width`, `out_width`), `out` (n, `out_width`).
///
/// `out_width` must be a multiple of [`LANES`].
pub fn add_product(x: &[f32], width: usize, w: &[f32], out: &mut [f32], out_width: usize) {
    pulp::Arch::new().dispatch(Product { x, width, w, out, out_width });
}

struct Product<'a> {
    x: &'a [f32],
    width: usize,
    w: &'a [f32],
    out: &'a mut [f32],
    out_width: usize,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::F32_LANES == 8 { self.run(simd) } else { self.run(pulp::Scalar256b) }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (w, _) = S::as_simd_f32s(self.w);
        let (out, _) = S::as_mut_simd_f32s(self.out);
        let vectors = self.out_width / S::F32_LANES;
        let mut rows = self.x.chunks_exact(ROWS * self.width);
        let mut outs = out.chunks_exact_mut(ROWS * vectors);
        for (x, out) in (&mut rows).zip(&mut outs) {
            Self::tile::<S, ROWS>(simd, from_fn(|r| &x[r * self.width..][..self.width]), w, out, vectors);
        }
        let rest = rows.remainder().chunks_exact(self.width);
        for (x, out) in rest.zip(outs.into_remainder().chunks_exact_mut(vectors)) {
            Self::tile::<S, 1>(simd, [x], w, out, vectors);
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const N: usize>(
        simd: S,
        rows: [&[f32]; N],
        w: &[S::f32s],
        out: &mut [S::f32s],
        vectors: usize,
    ) {
        for start in (0..vectors).step_by(2) {
            let mut left: [S::f32s; N] = from_fn(|r| out[r * vectors + start]);
            let mut right: [S::f32s; N] = from_fn(|r| out[r * vectors + start + 1]);
            for (j, w) in w.chunks_exact(vectors).take(rows[0].len()).enumerate() {
                let (w_left, w_right) = (w[start], w[start + 1]);
                for r in 0..N {
                    let value = simd.splat_f32s(rows[r][j]);
                    left[r] = simd.add_f32s(left[r], simd.mul_f32s(value, w_left));
                    right[r] = simd.add_f32s(right[r], simd.mul_f32s(value, w_right));
                }
            }
            for r in 0..N {
                out[r * vectors + start] = left[r];
                out[r * vectors + start + 1] = right[r];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize, step: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * step) % 23) as f32 / 8.0 - 1.0).collect()
    }

    #[test]
    fn products_agree_with_the_definition() {
        for n in [0, 1, 3, 4, 9] {
            let (width, out_width) = (5, 2 * LANES);
            let (x, w) = (numbers(n * width, 7), numbers(width * out_width, 5));
            let mut out = vec![1.0; n * out_width];
            add_product(&x, width, &w, &mut out, out_width);
            for (i, out) in out.iter().enumerate() {
                let (row, column) = (i / out_width, i % out_width);
                let sum: f32 = (0..width).map(|j| x[row * width + j] * w[j * out_width + column]).sum();
                assert!((out - 1.0 - sum).abs() < 1e-5);
            }
        }
    }
}
