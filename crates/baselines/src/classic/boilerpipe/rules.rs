//! The three decision rules that label a block from its own features and those of its neighbours.

use crate::classic::boilerpipe::text_block::TextBlock;
use serde::Deserialize;

/// Thresholds of the rule that uses numbers of words.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct NumWords {
    pub max_link_density: f64,
    pub max_link_density_before: f64,
    pub num_words: u32,
    pub num_words_after: u32,
    pub num_words_before: u32,
    pub num_words_after_links: u32,
    pub next_num_words_after_links: u32,
}

impl NumWords {
    /// Decision tree of Kohlschütter et al. 2010, figure 3b.
    fn keeps(&self, prev: &TextBlock, block: &TextBlock, next: &TextBlock) -> bool {
        if block.link_density() > self.max_link_density {
            return false;
        }
        if prev.link_density() > self.max_link_density_before {
            return block.num_words > self.num_words_after_links
                || next.num_words > self.next_num_words_after_links;
        }
        block.num_words > self.num_words
            || next.num_words > self.num_words_after
            || prev.num_words > self.num_words_before
    }

    pub(super) fn apply(&self, blocks: &mut [TextBlock]) {
        classify(blocks, |p, b, n| self.keeps(p, b, n));
    }
}

/// Thresholds of the rule that uses text densities.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Density {
    pub max_link_density: f64,
    pub max_link_density_before: f64,
    pub density: f64,
    pub density_after: f64,
    pub density_before: f64,
    pub density_after_links: f64,
}

impl Density {
    /// Densitometric decision tree of Kohlschütter et al. 2010.
    fn keeps(&self, prev: &TextBlock, block: &TextBlock, next: &TextBlock) -> bool {
        if block.link_density() > self.max_link_density {
            return false;
        }
        let after = next.text_density();
        if prev.link_density() > self.max_link_density_before {
            return after > self.density_after_links;
        }
        if block.text_density() > self.density {
            return after != 0.0;
        }
        after > self.density_after || prev.text_density() > self.density_before
    }

    pub(super) fn apply(&self, blocks: &mut [TextBlock]) {
        classify(blocks, |p, b, n| self.keeps(p, b, n));
    }
}

/// The rule that was trained on the KrdWrd Canola set.
pub(crate) fn canola(blocks: &mut [TextBlock]) {
    classify(blocks, |prev, block, next| {
        let unlinked = |b: &TextBlock| b.num_linked == 0;
        block.num_linked > 0 && next.num_words > 11
            || block.num_words > 19
            || next.num_words > 6
                && unlinked(next)
                && unlinked(prev)
                && (block.num_words > 6 || prev.num_words > 7 || next.num_words > 19)
    });
}

/// Labels every block from its own features and those of its neighbours. The missing neighbours of the first and
/// last block are empty blocks.
fn classify(blocks: &mut [TextBlock], keeps: impl Fn(&TextBlock, &TextBlock, &TextBlock) -> bool) {
    let empty = TextBlock::default();
    let kept: Vec<bool> = (0..blocks.len())
        .map(|i| {
            let prev = i.checked_sub(1).map_or(&empty, |p| &blocks[p]);
            keeps(prev, &blocks[i], blocks.get(i + 1).unwrap_or(&empty))
        })
        .collect();
    blocks.iter_mut().zip(kept).for_each(|(block, keep)| block.is_content = keep);
}
