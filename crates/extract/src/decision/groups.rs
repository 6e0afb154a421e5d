//! Decisions for groups of blocks: all blocks of a code block, a data table, a term with its definitions or
//! an embedded post are kept, or all are dropped.

use std::ops::Range;
use threshr_html::blocks::Blocks;
use threshr_html::structure::{Group, GroupKind};

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

/// Factor of the threshold for a group between two kept blocks. A formula or a few lines of code contain few words, so
/// their scores are unreliable. Tuned on annotated sets: with a smaller factor for tables, pairs and posts, accuracy
/// falls.
fn share_between(kind: GroupKind) -> f64 {
    match kind {
        GroupKind::Formula | GroupKind::Code => 0.3,
        GroupKind::Table | GroupKind::Pair | GroupKind::Post | GroupKind::Title => 1.0,
    }
}

/// Maximum number of dropped titles and code blocks between code or a formula and a kept block.
const MAX_BETWEEN: usize = 8;
/// Maximum number of characters of a prompt, a file name, the title of a tab or a button.
const MAX_TITLE: usize = 32;

/// Whether a kept block is next to a group. Code and formulas may have short dropped blocks and other code beside them.
fn is_beside_kept(blocks: &Blocks, group: usize, is_after: bool, keep: &[bool]) -> bool {
    let groups = blocks.groups();
    let is_code = |group: &&Group| group.kind == GroupKind::Code;
    let mut group = group;
    let mut range = groups[group].blocks.clone();
    let looks_beyond = matches!(groups[group].kind, GroupKind::Code | GroupKind::Formula);
    for _ in 0..=MAX_BETWEEN {
        let Some(at) = (if is_after { Some(range.end) } else { range.start.checked_sub(1) }) else {
            return false;
        };
        match keep.get(at) {
            Some(true) => return true,
            // code may be the end of a page
            None => return looks_beyond,
            Some(false) if !looks_beyond => return false,
            Some(false) => {}
        }
        let next = if is_after { group + 1 } else { group.wrapping_sub(1) };
        if let Some(other) = groups.get(next).filter(is_code).filter(|other| other.blocks.contains(&at)) {
            (group, range) = (next, other.blocks.clone());
        } else if blocks.num_chars(at) <= MAX_TITLE {
            range = at..at + 1;
        } else {
            return false;
        }
    }
    false
}

/// Keeps each group whose mean score reaches the threshold, and drops the others. Blocks are weighted by their
/// number of characters. The threshold is lower for a group between two kept blocks. Blocks outside the
/// selected elements are not kept.
pub(super) fn decide(
    blocks: &Blocks,
    scores: &[f32],
    threshold: f32,
    inside: Option<&[bool]>,
    keep: &mut [bool],
) {
    for (index, group) in blocks.groups().iter().enumerate() {
        let range = group.blocks.clone();
        if group.kind == GroupKind::Title {
            // a title is kept with the text below it
            let is_kept = is_kept_at(keep, Some(range.end));
            range.for_each(|i| keep[i] = is_kept && inside.is_none_or(|inside| inside[i]));
            continue;
        }
        if !keep[range.clone()].contains(&false) {
            continue;
        }
        let is_beside = |is_after| is_beside_kept(blocks, index, is_after, keep);
        let is_between = is_beside(false) && is_beside(true);
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
        let doc = parse_str(
            "<p>a</p><pre>b</pre><p>c</p><pre>d</pre><p>and the text of another article about rain</p>",
        );
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let scores = [0.9, 0.4, 0.9, 0.4, 0.0];
        let mut keep = vec![true, false, true, false, false];
        decide(&blocks, &scores, 0.5, None, &mut keep);
        assert_eq!(keep, [true, true, true, false, false]);
    }

    #[test]
    fn a_title_is_kept_with_the_text_of_its_box() {
        let doc = parse_str("<p>a</p><div class=callout><p class=callout-title>b</p><p>c</p></div>");
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let decided = |mut keep: [bool; 3]| {
            decide(&blocks, &[0.5; 3], 0.5, None, &mut keep);
            keep
        };
        assert_eq!(decided([true, false, true]), [true; 3]);
        assert_eq!(decided([true, true, false]), [true, false, false]);
    }

    #[test]
    fn titles_and_code_may_be_between_code_and_kept_blocks() {
        let decided = |html: &str, scores: &[f32]| {
            let blocks = Blocks::new(&parse_str(html), REGISTRY[0], Visibility::Visible);
            let mut keep: Vec<bool> = scores.iter().map(|&score| score >= 0.5).collect();
            decide(&blocks, scores, 0.5, None, &mut keep);
            keep
        };
        let cell = "<p>In [1]:</p><pre>b</pre>";
        assert_eq!(
            decided(&format!("<p>a</p>{cell}{cell}<p>c</p>"), &[0.9, 0.1, 0.4, 0.1, 0.4, 0.9]),
            [true, false, true, false, true, true]
        );
        assert_eq!(decided(&format!("<p>a</p>{cell}"), &[0.9, 0.1, 0.4]), [true, false, true]);
        let text = "<p>a sentence that is longer than the title of any code</p>";
        assert_eq!(decided(&format!("<p>a</p>{text}<pre>b</pre>"), &[0.9, 0.1, 0.4]), [true, false, false]);
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
