//! What a page says twice, such as once for telephones and once for wide screens, is written once.

use super::{Filter, Page, Settings};
use crate::text::words;
use rustc_hash::FxHashMap;

/// Of kept blocks with the same text of `depth` words or more, that with the greatest score stays, of equal ones the first.
pub static FILTER: Filter = Filter {
    name: "repeats",
    summary: "of kept blocks with the same text keeps the one with the greatest score (NAME:LEAST_WORDS)",
    source: "threshr; annotators keep one copy of what a page says twice",
    max_depth: 100,
    default_depth: 6,
    default_share: None,
    looks_at_tree: false,
    apply,
};

fn apply(page: &Page<'_>, keep: &mut [bool], settings: Settings) {
    let least = settings.depth as usize;
    // most texts have a length of their own, so that they need not be read
    let kept: Vec<usize> = (0..keep.len()).filter(|&i| keep[i]).collect();
    let mut lengths: Vec<usize> = kept.iter().map(|&i| page.blocks.text(i).len()).collect();
    lengths.sort_unstable();
    let lengths: Vec<usize> = lengths.array_windows().filter(|[a, b]| a == b).map(|&[a, _]| a).collect();
    let mut best: FxHashMap<&str, usize> = FxHashMap::default();
    for index in kept {
        let text = page.blocks.text(index);
        // a word has a byte at least
        if text.len() < least || lengths.binary_search(&text.len()).is_err() {
            continue;
        }
        let Some(&other) = best.get(text) else {
            best.insert(text, index);
            continue;
        };
        if words(text).take(least).count() < least {
            continue;
        }
        let loses = if page.scores[index] > page.scores[other] { other } else { index };
        keep[loses] = false;
        if loses == other {
            best.insert(text, index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{self, Blocks};
    use crate::page::{Visibility, parse_str};

    #[test]
    fn one_copy_stays() {
        let doc = parse_str("<p>one two<p>one two three<p>one two<p>one two<p>one<p>one");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let kept = |labels: [bool; 6], depth| {
            let mut keep = labels;
            let page = Page::new(&doc, &blocks, &[0.5, 1.0, 0.9, 0.9, 0.5, 0.5]);
            apply(&page, &mut keep, Settings { depth, share: 0.0 });
            (0..6).filter(|&i| keep[i]).collect::<Vec<_>>()
        };
        assert_eq!(kept([true; 6], 2), [1, 2, 4, 5]);
        assert_eq!(kept([true; 6], 1), [1, 2, 4]);
        assert_eq!(kept([true, true, false, false, true, true], 2), [0, 1, 4, 5]);
        assert_eq!(kept([true; 6], 3), [0, 1, 2, 3, 4, 5]);
        // as long is not as good
        let doc = parse_str("<p>one two<p>two one<p>one<p>six<p>one two");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let mut keep = [true; 5];
        apply(&Page::new(&doc, &blocks, &[0.5; 5]), &mut keep, Settings { depth: 1, share: 0.0 });
        assert_eq!(keep, [true, true, true, true, false]);
    }
}
