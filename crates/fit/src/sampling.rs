//! Seeded sampling of training rows, for classifiers that ignore weights or limit the number of rows.

use crate::TrainingSet;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// Samples the indices of `n` rows (at least 2), stratified by class, with probability proportional to weight.
///
/// The sample size of a class is proportional to its weight, and at least 1. Within a class, sampling is
/// systematic: from a random start, one row is selected every W/n of cumulative weight. This spreads the sample
/// evenly over the pages. A row whose weight exceeds W/n is selected several times. A row of weight 0 is never
/// selected. The result is ascending and depends only on `set`, `n` and `seed`. `set` must have passed
/// [`TrainingSet::check`].
///
/// Source: Cochran, 1977, "Sampling Techniques", ch. 8 (systematic sampling), ch. 5 (strata).
pub fn draw(set: &TrainingSet<'_>, n: usize, seed: u64) -> Vec<usize> {
    let n = n.max(2);
    let weight_of = |class: bool| -> f64 { rows(set, class).map(|(_, w)| w).sum() };
    let (content, boilerplate) = (weight_of(true), weight_of(false));
    let share = content / (content + boilerplate);
    let num_content = ((n as f64 * share).round() as usize).clamp(1, n - 1);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn = Vec::with_capacity(n);
    for (class, count, total) in [(true, num_content, content), (false, n - num_content, boilerplate)] {
        systematic(rows(set, class), count, total, rng.random::<f64>(), &mut drawn);
    }
    drawn.sort_unstable();
    drawn
}

/// Samples a `share` of the numbers `0..n` without replacement, in ascending order; at least one if `n > 0`.
///
/// Source: Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S (selection sampling).
pub(crate) fn draw_ascending(rng: &mut ChaCha8Rng, n: usize, share: f64) -> Vec<u32> {
    if share >= 1.0 {
        return (0..n as u32).collect();
    }
    let mut left = ((n as f64 * share).round() as usize).clamp(n.min(1), n);
    let mut drawn = Vec::with_capacity(left);
    for i in 0..n {
        if rng.random::<f64>() * ((n - i) as f64) < left as f64 {
            drawn.push(i as u32);
            left -= 1;
        }
    }
    drawn
}

/// Rows with a positive weight, grouped by page. Whole pages are sampled, since the blocks of a page are
/// dependent.
#[derive(Debug)]
pub(crate) struct Pages {
    rows: Vec<u32>,
    pages: Vec<Range<usize>>,
}

impl Pages {
    /// Groups the rows of `set` that have a positive weight.
    pub(crate) fn new(set: &TrainingSet<'_>) -> Self {
        let rows: Vec<u32> = (0..set.y.len() as u32).filter(|&row| set.weight[row as usize] > 0.0).collect();
        let mut pages: Vec<Range<usize>> = Vec::new();
        for run in rows.chunk_by(|&a, &b| set.page[a as usize] == set.page[b as usize]) {
            let start = pages.last().map_or(0, |page| page.end);
            pages.push(start..start + run.len());
        }
        Self { rows, pages }
    }

    /// Number of rows on all pages.
    pub(crate) fn num_rows(&self) -> usize {
        self.rows.len()
    }

    /// Samples a `share` of the pages (at least one) without replacement. Returns their rows in ascending
    /// order.
    pub(crate) fn draw(&self, rng: &mut ChaCha8Rng, share: f64) -> Vec<u32> {
        let pages = draw_ascending(rng, self.pages.len(), share);
        pages.iter().flat_map(|&page| &self.rows[self.pages[page as usize].clone()]).copied().collect()
    }
}

/// Whether all weights are equal.
pub fn equal_weights(set: &TrainingSet<'_>) -> bool {
    set.weight.windows(2).all(|w| w[0] == w[1])
}

/// Returns the rows to fit on: all rows if their weights are equal and there are at most `max_rows`, otherwise
/// a sample.
pub fn all_or_drawn(set: &TrainingSet<'_>, max_rows: usize, seed: u64) -> Vec<usize> {
    let n = set.y.len();
    if n <= max_rows && equal_weights(set) { (0..n).collect() } else { draw(set, n.min(max_rows), seed) }
}

/// Returns the rows of a class that have a positive weight, with their weights.
fn rows(set: &TrainingSet<'_>, class: bool) -> impl Iterator<Item = (usize, f64)> {
    let all = set.y.iter().zip(set.weight).enumerate();
    all.filter(move |(_, (y, w))| **y == class && **w > 0.0).map(|(i, (_, w))| (i, f64::from(*w)))
}

fn systematic(
    rows: impl Iterator<Item = (usize, f64)>,
    count: usize,
    total: f64,
    start: f64,
    drawn: &mut Vec<usize>,
) {
    let step = total / count as f64;
    let (mut passed, mut taken, mut last) = (0.0, 0, None);
    for (row, weight) in rows {
        passed += weight;
        while taken < count && (start + taken as f64) * step < passed {
            drawn.push(row);
            taken += 1;
        }
        last = Some(row);
    }
    // Due to rounding, the last positions may lie beyond the sum of the weights.
    drawn.extend(last.into_iter().cycle().take(count - taken));
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn with_set<T>(weight: &[f32], f: impl Fn(&TrainingSet<'_>) -> T) -> T {
        let n = weight.len();
        let (x, page) = (Array2::zeros((n, 1)), vec![0; n]);
        let y: Vec<_> = (0..n).map(|i| i % 4 == 0).collect();
        f(&TrainingSet {
            x: x.view().into(),
            y: &y,
            weight,
            page: &page,
            class: &[],
            columns: &["a".to_string()],
        })
    }

    #[test]
    fn draws_follow_weights_within_one_draw() {
        let weight: Vec<_> = (0..1000).map(|i| (i % 10) as f32).collect();
        with_set(&weight, |set| {
            let drawn = draw(set, 400, 3);
            assert_eq!(drawn, draw(set, 400, 3));
            assert_ne!(drawn, draw(set, 400, 4));
            assert!(drawn.len() == 400 && drawn.is_sorted());
            assert!(drawn.iter().all(|i| i % 10 != 0));
            let share = |rows: &[usize], k| rows.iter().filter(|&&i| i % 10 == k).count() as f64;
            assert!((share(&drawn, 9) / 400.0 - 9.0 / 45.0).abs() < 0.03);
        });
    }

    #[test]
    fn numbers_are_drawn_in_proportion() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(draw_ascending(&mut rng, 3, 1.0), [0, 1, 2]);
        assert_eq!(draw_ascending(&mut rng, 3, 1e-9).len(), 1);
        assert!(draw_ascending(&mut rng, 0, 0.5).is_empty());
        let mut times = [0; 10];
        for _ in 0..1000 {
            let drawn = draw_ascending(&mut rng, 10, 0.3);
            assert!(drawn.len() == 3 && drawn.windows(2).all(|w| w[0] < w[1]));
            drawn.iter().for_each(|&i| times[i as usize] += 1);
        }
        assert!(times.iter().all(|t| (240..=360).contains(t)), "{times:?}");
    }

    #[test]
    fn pages_are_drawn_whole() {
        let (x, y) = (Array2::zeros((6, 1)), [true, false, true, false, true, false]);
        let (weight, page) = ([1.0, 1.0, 0.0, 1.0, 0.0, 1.0], [4, 4, 4, 7, 8, 9]);
        let columns = ["a".to_string()];
        let set = TrainingSet {
            x: x.view().into(),
            y: &y,
            weight: &weight,
            page: &page,
            class: &[],
            columns: &columns,
        };
        let (pages, mut rng) = (Pages::new(&set), ChaCha8Rng::seed_from_u64(2));
        assert_eq!((pages.num_rows(), pages.pages.len()), (4, 3));
        assert_eq!(pages.draw(&mut rng, 1.0), [0, 1, 3, 5]);
        for _ in 0..50 {
            let drawn = pages.draw(&mut rng, 0.4);
            assert!([&[0, 1][..], &[3], &[5]].contains(&&drawn[..]), "{drawn:?}");
        }
    }

    #[test]
    fn equal_weights_draw_distinct_rows_of_both_classes() {
        with_set(&[2.0; 100], |set| {
            let mut drawn = draw(set, 20, 0);
            assert_eq!(drawn.iter().filter(|&&i| set.y[i]).count(), 5);
            drawn.dedup();
            assert_eq!(drawn.len(), 20);
            assert_eq!(all_or_drawn(set, 100, 0).len(), 100);
            assert_eq!(all_or_drawn(set, 50, 0).len(), 50);
            assert_eq!(draw(set, 0, 0).len(), 2);
        });
    }
}
