//! Drops isolated kept blocks among blocks of low scores.

use crate::filters::{Filter, Page, Settings};

/// A kept block stays if the mean score around it is at least `share`.
///
/// The mean covers the block and `depth` blocks on either side, weighted by characters (without white space).
/// A long block thus depends on its own score, a short block on its neighbours. If no kept block reaches
/// `share`, the one with the greatest mean stays (of equal means the first).
pub(super) static FILTER: Filter = Filter {
    name: "smooth",
    summary: "drops blocks if the mean score of the surrounding text is below a share (NAME:BLOCKS:SHARE)",
    source: "threshr",
    max_depth: 5,
    default_depth: 2,
    default_share: Some(0.2),
    reads_tree: false,
    is_for: |_| true,
    apply,
};

fn apply(page: &Page<'_>, keep: &mut [bool], settings: Settings) {
    let (mut mass, mut chars) = (vec![0.0], vec![0.0]);
    for index in 0..keep.len() {
        let of_block = page.num_chars(index) as f64;
        mass.push(mass[index] + of_block * f64::from(page.scores[index]));
        chars.push(chars[index] + of_block);
    }
    let around = |index: usize| {
        let from = index.saturating_sub(settings.depth as usize);
        let to = (index + settings.depth as usize + 1).min(keep.len());
        let whole = chars[to] - chars[from];
        if whole > 0.0 { (mass[to] - mass[from]) / whole } else { f64::from(page.scores[index]) }
    };
    let means: Vec<f64> = (0..keep.len()).map(around).collect();
    let kept = (0..keep.len()).rev().filter(|&i| keep[i]);
    let best = kept.max_by(|&a, &b| means[a].total_cmp(&means[b]));
    for (index, keep) in keep.iter_mut().enumerate() {
        *keep &= means[index] >= f64::from(settings.share) || Some(index) == best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn kept(html: &str, scores: &[f32], share: f32) -> Vec<usize> {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let mut keep: Vec<bool> = scores.iter().map(|&s| s >= 0.5).collect();
        apply(&Page::new(&doc, &blocks, scores), &mut keep, Settings { depth: 1, share });
        (0..blocks.len()).filter(|&i| keep[i]).collect()
    }

    #[test]
    fn a_short_block_depends_on_its_neighbours() {
        // means of the kept: (8 + 2) / 10 = 1 for 0; 10 / 18 for 1; 2 · 0.5 / 18 = 1 / 18 for 3
        let html = "<p>aaaaaaaa<p>bb<p>cccccccc<p>dd<p>eeeeeeee";
        assert_eq!(kept(html, &[1.0, 1.0, 0.0, 0.5, 0.0], 0.2), [0, 1]);
        assert_eq!(kept(html, &[1.0, 1.0, 0.0, 0.5, 0.0], 0.6), [0]);
        // no block reaches the share: the best one stays
        assert_eq!(kept(html, &[0.0, 0.0, 0.0, 0.5, 0.0], 0.2), [3]);
    }
}
