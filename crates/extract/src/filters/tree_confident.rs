//! The tree filter for pages with several groups of content: forums, lists of posts, comments.

use crate::filters::tree_group::group;
use crate::filters::{Filter, Page, Settings, with_share_of_best};
use rustc_hash::FxHashMap;

/// Forms groups as the filter `tree` does. Groups with little text mass are dropped.
///
/// The mass of a group is the sum of score × characters (without white space) over its kept blocks. Groups
/// with at least `share` of the greatest mass stay. With share 1, only the first group of greatest mass
/// stays.
pub(super) static FILTER: Filter = Filter {
    name: "tree-confident",
    summary: "as tree, but keeps every group with at least a share of the score-weighted text of the best \
              group (NAME:DEPTH:SHARE)",
    source: "threshr, after Viveros-Jiménez et al. 2018",
    max_depth: 5,
    default_depth: 2,
    default_share: Some(0.1),
    reads_tree: true,
    is_for: |_| true,
    apply,
};

fn apply(page: &Page<'_>, keep: &mut [bool], settings: Settings) {
    // Groups are numbered in the order of their first kept blocks.
    let mut numbers = FxHashMap::default();
    let mut masses: Vec<f64> = Vec::new();
    let mut group_of = vec![0; keep.len()];
    for (index, block) in page.blocks.iter().enumerate().filter(|&(i, _)| keep[i]) {
        let number = *numbers.entry(group(page.doc, block.node, settings.depth)).or_insert(masses.len());
        if number == masses.len() {
            masses.push(0.0);
        }
        masses[number] += page.mass(index);
        group_of[index] = number;
    }
    let stays = with_share_of_best(&masses, settings.share);
    keep.iter_mut().zip(group_of).filter(|(keep, _)| **keep).for_each(|(keep, group)| *keep = stays[group]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn kept(html: &str, scores: &[f32], share: f32) -> Vec<String> {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let mut keep = vec![true; blocks.len()];
        apply(&Page::new(&doc, &blocks, scores), &mut keep, Settings { depth: 1, share });
        (0..blocks.len()).filter(|&i| keep[i]).map(|i| blocks.text(i).to_owned()).collect()
    }

    #[test]
    fn groups_with_share_of_best_stay() {
        // masses: 4 · 1 + 2 · 0.5 = 5; 4 · 0.5 = 2; 10 · 0.1 = 1
        let html = "<div><p>aaaa<p>bb</div><div><p>cccc</div><div><p>dddddddddd</div>";
        let scores = [1.0, 0.5, 0.5, 0.1];
        assert_eq!(kept(html, &scores, 0.1).len(), 4);
        assert_eq!(kept(html, &scores, 0.3), ["aaaa", "bb", "cccc"]);
        assert_eq!(kept(html, &scores, 0.5), ["aaaa", "bb"]);
        // with equal scores the longest group is best
        assert_eq!(kept(html, &[1.0; 4], 1.0), ["dddddddddd"]);
    }
}
