//! Keeps the run of consecutive kept blocks with most text.

use crate::filters::{Filter, Page, Settings, with_share_of_best};

/// Kept blocks with fewer than `depth` other blocks between them form a run. Runs with little text mass are
/// dropped.
///
/// The mass of a run is the sum of score × characters (without white space) over its kept blocks. Runs with
/// at least `share` of the greatest mass stay. With share 1, only the first run of greatest mass stays.
pub(super) static FILTER: Filter = Filter {
    name: "largest-run",
    summary: "keeps the run of kept blocks with most score-weighted text, and runs with a share of it \
              (NAME:GAP:SHARE)",
    source: "threshr",
    max_depth: 50,
    default_depth: 10,
    default_share: Some(0.1),
    reads_tree: false,
    is_for: |_| true,
    apply,
};

fn apply(page: &Page<'_>, keep: &mut [bool], settings: Settings) {
    let mut masses: Vec<f64> = Vec::new();
    let mut run_of = vec![0; keep.len()];
    let mut last = None;
    for index in (0..keep.len()).filter(|&i| keep[i]) {
        if last.is_none_or(|last| index - last > settings.depth as usize) {
            masses.push(0.0);
        }
        let run = masses.len() - 1;
        masses[run] += page.mass(index);
        run_of[index] = run;
        last = Some(index);
    }
    let stays = with_share_of_best(&masses, settings.share);
    keep.iter_mut().zip(run_of).filter(|(keep, _)| **keep).for_each(|(keep, run)| *keep = stays[run]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn kept(labels: &[u8], depth: u32, share: f32) -> Vec<usize> {
        let doc = parse_str(&"<p>ab".repeat(labels.len()));
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let mut keep: Vec<bool> = labels.iter().map(|&l| l == 1).collect();
        let scores: Vec<f32> = labels.iter().map(|&l| f32::from(l)).collect();
        apply(&Page::new(&doc, &blocks, &scores), &mut keep, Settings { depth, share });
        (0..blocks.len()).filter(|&i| keep[i]).collect()
    }

    #[test]
    fn runs_end_at_gaps() {
        let labels = [1, 0, 0, 1, 1, 0, 1];
        assert_eq!(kept(&labels, 1, 1.0), [3, 4]);
        assert_eq!(kept(&labels, 2, 1.0), [3, 4, 6]);
        assert_eq!(kept(&labels, 3, 1.0), [0, 3, 4, 6]);
        // one block has half of the mass of two
        assert_eq!(kept(&labels, 1, 0.5), [0, 3, 4, 6]);
        assert_eq!(kept(&[0, 1, 0, 0, 1], 1, 1.0), [1]);
    }
}
