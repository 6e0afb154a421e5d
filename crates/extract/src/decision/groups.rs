//! Decisions for groups of blocks: all blocks of a code block, a data table, a term with its definitions or
//! an embedded post are kept, or all are dropped.

use std::ops::Range;
use threshr_html::blocks::Blocks;
use threshr_html::structure::GroupKind;

/// The weight of a block: its number of characters, at least 1.
pub(super) fn weight(blocks: &Blocks, index: usize) -> f64 {
    blocks.num_chars(index).max(1) as f64
}

/// The weight of the kept blocks in a range.
pub(super) fn kept_weight(blocks: &Blocks, range: Range<usize>, keep: &[bool]) -> f64 {
    range.filter(|&i| keep[i]).map(|i| weight(blocks, i)).sum()
}

/// Whether there is a block with this index, and it is kept.
pub(super) fn is_kept_at(keep: &[bool], index: Option<usize>) -> bool {
    index.is_some_and(|i| keep.get(i) == Some(&true))
}

/// Factor of the threshold for a group directly between two kept blocks. A formula or a few lines of code contain
/// few words, so their scores are unreliable. Tuned on annotated sets: with a smaller factor for tables, pairs and
/// posts, accuracy falls.
fn share_between(kind: GroupKind) -> f64 {
    match kind {
        GroupKind::Formula => 0.3,
        GroupKind::Code => 0.6,
        GroupKind::Table | GroupKind::Pair | GroupKind::Post => 1.0,
    }
}

/// Keeps each group whose mean score reaches the threshold, and drops the others. Blocks are weighted by their
/// number of characters. The threshold is lower for a group directly between two kept blocks. Blocks outside the
/// selected elements are not kept.
pub(super) fn decide(
    blocks: &Blocks,
    scores: &[f32],
    threshold: f32,
    inside: Option<&[bool]>,
    keep: &mut [bool],
) {
    for group in blocks.groups() {
        let range = group.blocks.clone();
        if !keep[range.clone()].contains(&false) {
            continue;
        }
        let is_between = is_kept_at(keep, range.start.checked_sub(1)) && is_kept_at(keep, Some(range.end));
        let needed = f64::from(threshold) * if is_between { share_between(group.kind) } else { 1.0 };
        let is_inside = |i: &usize| inside.is_none_or(|inside| inside[*i]);
        let (mut sum, mut sum_of_weights) = (0.0, 0.0);
        for i in range.clone().filter(is_inside) {
            let weight = weight(blocks, i);
            sum += weight * f64::from(scores[i]);
            sum_of_weights += weight;
        }
        let is_kept = sum_of_weights > 0.0 && sum >= needed * sum_of_weights;
        range.for_each(|i| keep[i] = is_kept && is_inside(&i));
    }
}

/// Makes a filter keep or drop each group or list as a whole: if at least half of its kept characters remain, the
/// blocks that the filter dropped are restored. Otherwise the rest is dropped.
pub(crate) fn complete(
    blocks: &Blocks,
    groups: impl Iterator<Item = Range<usize>>,
    before: &[bool],
    keep: &mut [bool],
) {
    for group in groups.filter(|group| !group.is_empty()) {
        if before[group.clone()] == keep[group.clone()] {
            continue;
        }
        let weight = |kept: &[bool]| kept_weight(blocks, group.clone(), kept);
        if 2.0 * weight(keep) >= weight(before) {
            keep[group.clone()].copy_from_slice(&before[group]);
        } else {
            keep[group].fill(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::REGISTRY;
    use threshr_html::{Visibility, parse_str};

    fn table() -> Blocks {
        let doc = parse_str("<table><tr><th>a<th>a long head<tr><td>1<td>2</table><p>c");
        Blocks::new(&doc, REGISTRY[0], Visibility::Visible)
    }

    #[test]
    fn the_mean_score_decides_for_a_group() {
        let (blocks, scores) = (table(), [0.1, 0.9, 0.1, 0.1, 0.1]);
        let decided = |threshold: f32, inside: Option<&[bool]>| {
            let mut keep: Vec<bool> = scores.iter().map(|&s| s >= threshold).collect();
            decide(&blocks, &scores, threshold, inside, &mut keep);
            keep
        };
        assert_eq!(decided(0.5, None), [true, true, true, true, false]);
        assert_eq!(decided(0.95, None), [false; 5]);
        assert_eq!(decided(0.5, Some(&[false, true, true, true, true])), [false, true, true, true, false]);
    }

    #[test]
    fn a_group_between_kept_blocks_needs_less() {
        let doc = parse_str("<p>a</p><pre>b</pre><p>c</p><pre>d</pre>");
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let scores = [0.9, 0.4, 0.9, 0.4];
        let mut keep = vec![true, false, true, false];
        decide(&blocks, &scores, 0.5, None, &mut keep);
        assert_eq!(keep, [true, true, true, false]);
    }

    #[test]
    fn a_filter_drops_most_of_a_group_or_nothing() {
        let blocks = table();
        let completed = |mut keep: Vec<bool>| {
            complete(&blocks, std::iter::once(0..4), &[true; 5], &mut keep);
            keep
        };
        assert_eq!(completed(vec![false, true, false, false, false]), [true, true, true, true, false]);
        assert_eq!(completed(vec![true, false, true, true, true]), [false, false, false, false, true]);
    }
}
