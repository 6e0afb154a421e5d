//! Decisions for threads: blocks at the same position in all posts are decided together.

use crate::filters::Page;
use threshr_page::threads::{PartKind, Slot};

/// If the mean score of the post texts is at least this multiple of the threshold, a block of them needs only
/// [`BLOCK_SHARE`] of the threshold.
const TEXT_SHARE: f64 = 0.5;
/// The multiple of the threshold that a block of a post text must reach in this case.
const BLOCK_SHARE: f64 = 0.4;
/// If the mean score of another slot is at least this multiple of the threshold, the blocks of the slot are decided
/// one by one.
const BESIDE_SHARE: f64 = 1.6;

/// Labels the blocks of posts.
///
/// - Texts: if their mean score, weighted by characters, reaches half of the threshold, the threshold for
///   their blocks is lowered. Short replies are then kept, while buttons inside a text are still dropped.
///   Otherwise the blocks are decided one by one. Comments below an article and reviews are always decided
///   one by one.
/// - Authors and dates are dropped.
/// - The blocks of any other slot are dropped, unless the mean score of the slot is so high that it may be text.
pub(super) fn decide(page: &Page<'_>, threshold: f32, inside: Option<&[bool]>, keep: &mut [bool]) {
    let Some(thread) = page.thread else { return };
    let threshold = f64::from(threshold);
    for slot in &thread.slots {
        let reaches = |share: f64| mean(page, slot) >= share * threshold;
        let needed = match slot.kind {
            PartKind::Text if slot.is_comments || !reaches(TEXT_SHARE) => continue,
            PartKind::Text => BLOCK_SHARE * threshold,
            PartKind::Beside if reaches(BESIDE_SHARE) => continue,
            PartKind::Mark | PartKind::Beside => f64::INFINITY,
        };
        for &(block, _) in &slot.blocks {
            let is_inside = inside.is_none_or(|inside| inside[block]);
            keep[block] = is_inside && f64::from(page.scores[block]) >= needed;
        }
    }
}

/// Returns the mean score of the blocks of a slot, weighted by their number of characters.
fn mean(page: &Page<'_>, slot: &Slot) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for &(block, _) in &slot.blocks {
        let weight = page.blocks.num_chars(block).max(1) as f64;
        sum += weight * f64::from(page.scores[block]);
        weights += weight;
    }
    sum / f64::max(weights, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};
    use threshr_page::threads::Parts;

    /// Returns the blocks that are kept with threshold 0.5.
    fn kept(slots: Vec<Slot>, scores: &[f32]) -> Vec<usize> {
        let doc = parse_str(&"<p>word</p>".repeat(scores.len()));
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let parts = Parts { slots, quotes: Vec::new() };
        let page = Page { thread: Some(&parts), ..Page::new(&doc, &blocks, scores) };
        let mut keep: Vec<bool> = scores.iter().map(|&score| score >= 0.5).collect();
        decide(&page, 0.5, None, &mut keep);
        (0..keep.len()).filter(|&i| keep[i]).collect()
    }

    fn slot(kind: PartKind, blocks: &[usize]) -> Slot {
        let blocks = blocks.iter().map(|&block| (block, 0)).collect();
        Slot { kind, is_comments: false, blocks }
    }

    #[test]
    fn texts_share_their_fate() {
        let texts = slot(PartKind::Text, &[0, 1, 2]);
        assert_eq!(kept(vec![texts.clone()], &[0.9, 0.3, 0.1, 0.4]), [0, 1]);
        // low scores: the posts may not be the content of the page
        assert_eq!(kept(vec![texts.clone()], &[0.5, 0.1, 0.1, 0.4]), [0]);
        assert_eq!(kept(vec![Slot { is_comments: true, ..texts }], &[0.9, 0.4, 0.1, 0.4]), [0]);
    }

    #[test]
    fn what_is_beside_texts_is_dropped() {
        let slots = || vec![slot(PartKind::Mark, &[0, 1]), slot(PartKind::Beside, &[2, 3])];
        assert_eq!(kept(slots(), &[0.9, 0.9, 0.9, 0.4, 0.6]), [4]);
        // a post text that was not detected as text
        assert_eq!(kept(slots(), &[0.9, 0.9, 0.9, 0.8, 0.6]), [2, 3, 4]);
    }
}
