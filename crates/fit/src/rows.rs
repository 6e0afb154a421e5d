//! Parallel processing of row blocks, and grouping of rows by page.

use ndarray::{ArrayView2, Axis};
use rayon::prelude::*;
use std::ops::Range;
use threshr_models::rows::BLOCK;

/// Calls `f(rows, out)` in parallel on blocks of at most [`BLOCK`] rows.
///
/// `out` has `width` values per row of `x`; `width` is at least 1.
pub(crate) fn par_blocks(
    x: ArrayView2<'_, f32>,
    out: &mut [f32],
    width: usize,
    f: impl Fn(ArrayView2<'_, f32>, &mut [f32]) + Sync,
) {
    out.par_chunks_mut(BLOCK * width).enumerate().for_each(|(block, out)| {
        let (start, rows) = (block * BLOCK, out.len() / width);
        let (_, rest) = x.split_at(Axis(0), start);
        let (rows, _) = rest.split_at(Axis(0), rows);
        f(rows, out);
    });
}

/// Returns the row range of each page. `page` has the page of each row. The rows of a page must be contiguous.
pub(crate) fn page_rows(page: &[u32]) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    page.chunk_by(|a, b| a == b).map(move |run| {
        end += run.len();
        end - run.len()..end
    })
}

/// Groups consecutive pages so that each group has at least `min_rows` rows. The last group may have fewer.
pub(crate) fn page_groups(pages: &[Range<usize>], min_rows: usize) -> impl Iterator<Item = &[Range<usize>]> {
    let mut rest = pages;
    std::iter::from_fn(move || {
        let mut num_rows = 0;
        let end = rest.iter().position(|page| {
            num_rows += page.len();
            num_rows >= min_rows
        });
        let (group, after) = rest.split_at(end.map_or(rest.len(), |last| last + 1));
        rest = after;
        (!group.is_empty()).then_some(group)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn blocks_cover_every_row_once() {
        let x = Array2::from_shape_fn((BLOCK * 2 + 5, 1), |(i, _)| i as f32);
        let mut out = vec![-1.0; x.nrows()];
        par_blocks(x.view(), &mut out, 1, |rows, out| {
            for (row, o) in rows.rows().into_iter().zip(out) {
                *o = row[0];
            }
        });
        assert!(out.iter().enumerate().all(|(i, &v)| v == i as f32));
    }

    #[test]
    fn pages_are_contiguous_and_grouped() {
        let pages: Vec<_> = page_rows(&[4, 4, 7, 1, 1, 1, 4]).collect();
        assert_eq!(pages, [0..2, 2..3, 3..6, 6..7]);
        let groups: Vec<_> = page_groups(&pages, 3).collect();
        assert_eq!(groups, [&pages[..2], &pages[2..3], &pages[3..]]);
        assert_eq!(page_groups(&pages, 1).count(), 4);
        assert_eq!(page_groups(&pages, 99).count(), 1);
        assert_eq!((page_rows(&[]).count(), page_groups(&[], 3).count()), (0, 0));
    }
}
