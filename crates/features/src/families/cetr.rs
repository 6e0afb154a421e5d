//! Characters per tag along the page, smoothed and clustered (CETR); share of text in the HTML source.

use crate::{Column, Family, Grid, PageContext};

/// The family.
pub(crate) struct Cetr;

const SOURCE: &str =
    "CETR (Weninger et al., WWW 2010) over blocks instead of source lines; density after Pal 2009";

/// Radius of the Gaussian kernel in blocks, and also its standard deviation.
const RADIUS: usize = 2;
/// Number of following blocks whose mean is used for the derivative.
const AHEAD: usize = 3;
const NUM_CLUSTERS: usize = 3;
const MAX_ROUNDS: usize = 20;

const COLUMNS: &[(&str, &str, &str)] = &[
    (
        "ratio",
        "characters per tag",
        "characters / tags; the tags are the start tags in the block and all tags between the previous block \
         and this one, at least 1",
    ),
    ("smoothed", "characters per tag", "cetr.ratio smoothed over the page by a Gaussian kernel of radius 2"),
    (
        "derivative",
        "characters per tag",
        "absolute value of the smoothed derivative of cetr.smoothed; the derivative is the mean over the \
         next 3 blocks minus the value of the block",
    ),
    ("of_max", "ratio", "cetr.smoothed / greatest cetr.smoothed on the page"),
    (
        "cluster",
        "code",
        "rank (0 to 2) of the block's cluster, in ascending order of cetr.smoothed; k-means of cetr.smoothed \
         and cetr.derivative with 3 clusters, and the centre of one cluster is fixed at the origin",
    ),
    (
        "from_origin",
        "ratio",
        "distance of (cetr.smoothed, cetr.derivative) from the origin / greatest such distance on the page",
    ),
    (
        "source_density",
        "ratio",
        "(bytes of text + 1) / (bytes of text + bytes of tags in the block and since the previous block + 1)",
    ),
    (
        "over_source_threshold",
        "ratio",
        "cetr.source_density minus a threshold, which is 0.5 minus the standard deviation of \
         cetr.source_density on the page",
    ),
];

impl Family for Cetr {
    fn name(&self) -> &'static str {
        "cetr"
    }
    fn summary(&self) -> &'static str {
        "characters per tag along the page, smoothed and clustered (CETR); share of text in the HTML source"
    }
    fn columns(&self) -> Vec<Column> {
        COLUMNS.iter().map(|&(name, unit, text)| Column::new(name, unit, text, SOURCE)).collect()
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let ratios: Vec<f64> = (0..page.len())
            .map(|i| {
                let block = page.block(i);
                f64::from(page.stats[i].num_chars) / f64::from((block.num_tags + block.gap.all()).max(1))
            })
            .collect();
        let smoothed = smooth(&ratios);
        let derivative: Vec<f64> = smooth(&slopes(&smoothed)).into_iter().map(f64::abs).collect();
        let norms: Vec<f64> = smoothed.iter().zip(&derivative).map(|(x, y)| x.hypot(*y)).collect();
        let clusters = clusters(&smoothed, &derivative, &norms);
        let densities = source_densities(page);
        let least = 0.5 - deviation(&densities);
        let (top, far) = (greatest(&smoothed), greatest(&norms));
        for i in 0..page.len() {
            let values = [
                ratios[i] as f32,
                smoothed[i] as f32,
                derivative[i] as f32,
                share(smoothed[i], top),
                clusters[i] as f32,
                share(norms[i], far),
                densities[i] as f32,
                (densities[i] - least) as f32,
            ];
            out.set_all(0, i, &values);
        }
    }
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn share(value: f64, of: f64) -> f32 {
    if of > 0.0 { (value / of) as f32 } else { 0.0 }
}

/// Gaussian smoothing. At the ends of the page, the kernel is truncated and renormalised.
fn smooth(values: &[f64]) -> Vec<f64> {
    let weight = |d: usize| (-((d * d) as f64) / (2.0 * (RADIUS * RADIUS) as f64)).exp();
    let weights: Vec<f64> = (0..=RADIUS).map(weight).collect();
    let at = |i: usize| {
        let near = i.saturating_sub(RADIUS)..(i + RADIUS + 1).min(values.len());
        let (sum, total) = near.fold((0.0, 0.0), |(sum, total), j| {
            let w = weights[i.abs_diff(j)];
            (sum + w * values[j], total + w)
        });
        sum / total
    };
    (0..values.len()).map(at).collect()
}

/// Returns the mean of the next [`AHEAD`] values minus each value; 0 for the last value.
fn slopes(values: &[f64]) -> Vec<f64> {
    let at = |i: usize| {
        let ahead = &values[(i + 1).min(values.len())..(i + 1 + AHEAD).min(values.len())];
        if ahead.is_empty() { 0.0 } else { ahead.iter().sum::<f64>() / ahead.len() as f64 - values[i] }
    };
    (0..values.len()).map(at).collect()
}

/// Clusters points in the plane by k-means. One centre is fixed at the origin. The other centres start at the
/// point with the median norm and at the point with the largest norm. Clusters are sorted by the x coordinate
/// of their centre.
fn clusters(x: &[f64], y: &[f64], norms: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| norms[a].total_cmp(&norms[b]));
    let (Some(&last), Some(&middle)) = (order.last(), order.get(order.len() / 2)) else { return Vec::new() };
    let mut centres = [(0.0, 0.0), (x[middle], y[middle]), (x[last], y[last])];
    let mut labels = vec![0; x.len()];
    for _ in 0..MAX_ROUNDS {
        let mut sums = [(0.0, 0.0, 0.0); NUM_CLUSTERS];
        let mut changed = false;
        for i in 0..x.len() {
            let label = nearest(&centres, x[i], y[i]);
            changed |= labels[i] != label;
            labels[i] = label;
            let sum = &mut sums[label];
            *sum = (sum.0 + x[i], sum.1 + y[i], sum.2 + 1.0);
        }
        for (centre, sum) in centres.iter_mut().zip(sums).skip(1).filter(|(_, sum)| sum.2 > 0.0) {
            *centre = (sum.0 / sum.2, sum.1 / sum.2);
        }
        if !changed {
            break;
        }
    }
    let rank = |label: usize| (0..NUM_CLUSTERS).filter(|&c| centres[c].0 < centres[label].0).count();
    labels.into_iter().map(rank).collect()
}

fn nearest(centres: &[(f64, f64); NUM_CLUSTERS], x: f64, y: f64) -> usize {
    let distance = |c: usize| (x - centres[c].0).powi(2) + (y - centres[c].1).powi(2);
    (1..NUM_CLUSTERS).fold(0, |best, c| if distance(c) < distance(best) { c } else { best })
}

fn source_densities(page: &PageContext<'_>) -> Vec<f64> {
    let density = |i: usize| {
        let text = page.blocks.text(i).len() as f64;
        (text + 1.0) / (text + f64::from(page.block(i).markup) + 1.0)
    };
    (0..page.len()).map(density).collect()
}

fn deviation(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::values;

    #[test]
    fn smoothing_keeps_constants_and_spreads_peaks() {
        assert!(smooth(&[3.0; 6]).iter().all(|v| (v - 3.0).abs() < 1e-12));
        let s = smooth(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let (near, far) = ((-0.125f64).exp(), (-0.5f64).exp());
        assert!((s[3] - 1.0 / (1.0 + 2.0 * near + 2.0 * far)).abs() < 1e-12);
        assert!((s[2] / s[3] - near).abs() < 1e-12 && s[0] == 0.0);
        assert_eq!(slopes(&[1.0, 2.0, 3.0, 7.0]), [3.0, 3.0, 4.0, 0.0]);
    }

    #[test]
    fn clusters_are_ranked_and_the_origin_stays() {
        let x = [1.0, 0.5, 50.0, 52.0, 100.0, 101.0];
        assert_eq!(clusters(&x, &[0.0; 6], &x), [0, 0, 1, 1, 2, 2]);
        assert_eq!(clusters(&[], &[], &[]), [0usize; 0]);
        assert_eq!(clusters(&[0.0; 2], &[0.0; 2], &[0.0; 2]), [0, 0]);
    }

    #[test]
    fn densities_of_a_small_page() {
        let html = "<p>abcdefghij</p><p class='xyz'>abcde</p>";
        // 2 tags: </p> and <p class="xyz">; 15 + 4 bytes of markup
        assert_eq!(values(html, "cetr.ratio")[1], 2.5);
        assert_eq!(values(html, "cetr.source_density")[1], 6.0 / 25.0);
    }
}
