//! Drops duplicates of text that a page contains in several places, such as one box for phones and one for wide
//! screens.

use crate::filters::{Filter, Page};
use rustc_hash::{FxHashMap, FxHashSet};
use threshr_html::text::words;

/// Drops duplicates: among kept blocks with the same text of at least `depth` words, the block with the
/// greatest score stays (in a tie, the first). A copy between two kept blocks takes precedence over other
/// copies. Two kinds of copies also stay:
///
/// - Copies in the same table as the best copy or, outside tables, in an element with the same parent
///   ([`Block::around`](threshr_html::blocks::Block::around)). Such a copy is part of the text, for example a
///   refrain or a value in a table. Duplicates made for the layout are usually elsewhere.
/// - Copies of fewer than 8 words that have the same tags before them as the best copy, and whose neighbouring
///   texts differ from those of every kept copy: a date, a short post, a label in similar records.
///
/// If one of several copies is a quotation in a post of a thread, a copy that is not a quotation stays. If the
/// policy counts quotations as content, quotations are not duplicates.
///
/// Equal headings that are siblings all stay, because they are copies in elements with the same parent. In
/// annotated data sets, most copies that are siblings are in the gold standard.
pub(super) static FILTER: Filter = Filter {
    name: "repeats",
    summary: "among kept blocks with the same text, keeps the block with the greatest score, its copies in the same table or with the same parent, and short copies with other neighbours (NAME:MIN_WORDS)",
    source: "threshr; annotators keep one copy of repeated text",
    max_depth: 100,
    default_depth: 6,
    reads_tree: false,
    is_for: |_| true,
    apply,
};

/// Minimum number of words of a copy that is dropped regardless of its neighbours, because threads quote posts.
const SHORT: usize = 8;

fn apply(page: &Page<'_>, keep: &mut [bool], depth: u32) {
    let min_words = depth as usize;
    let text = |index: usize| page.blocks.text(index);
    let quotes = page.thread.map_or(&[][..], |thread| &thread.quotes);
    let is_quote = |index: usize| quotes.binary_search(&index).is_ok();
    // most texts have a unique length and need no comparison
    let is_free = |i: usize| !page.left_out.quotes && is_quote(i);
    let mut kept: Vec<usize> = (0..keep.len()).filter(|&i| keep[i] && !is_free(i)).collect();
    let mut lengths: Vec<usize> = kept.iter().map(|&i| text(i).len()).collect();
    lengths.sort_unstable();
    let lengths: Vec<usize> = lengths.array_windows().filter(|[a, b]| a == b).map(|&[a, _]| a).collect();
    // a word has at least one byte
    kept.retain(|&i| text(i).len() >= min_words && lengths.binary_search(&text(i).len()).is_ok());
    let is_kept = |index: usize| keep.get(index).is_none_or(|&kept| kept);
    let has_neighbours = |index: usize| index.checked_sub(1).is_none_or(is_kept) && is_kept(index + 1);
    let mut best: FxHashMap<&str, usize> = FxHashMap::default();
    for &index in &kept {
        let best = best.entry(text(index)).or_insert(index);
        let rank = |i: usize| (!is_quote(i), has_neighbours(i), page.scores[i]);
        if rank(index) > rank(*best) {
            *best = index;
        }
    }
    // copies in one element are part of the text
    let place = |index: usize| page.blocks.get(index).map(|b| b.around);
    let is_beside = |index: usize| best.get(text(index)).is_none_or(|&best| place(index) == place(best));
    let (beside, elsewhere): (Vec<usize>, Vec<usize>) = kept.into_iter().partition(|&i| is_beside(i));
    let gap = |index: usize| page.blocks.get(index).map(|b| b.gap);
    let is_alike = |index: usize| best.get(text(index)).is_some_and(|&best| gap(index) == gap(best));
    let mut doubtful = Vec::new();
    for index in elsewhere {
        let num_words = words(text(index)).take(min_words.max(SHORT)).count();
        if num_words >= min_words && num_words < SHORT && is_alike(index) {
            doubtful.push(index);
        } else if num_words >= min_words {
            keep[index] = false;
        }
    }
    let of_doubtful: FxHashSet<&str> = doubtful.iter().map(|&i| text(i)).collect();
    let certain = beside.into_iter().filter(|&i| of_doubtful.contains(text(i)));
    let in_turn = certain.map(|i| (i, true)).chain(doubtful.iter().map(|&i| (i, false)));
    let around = |i: usize| [i.checked_sub(1).map(text), (i + 1 < page.blocks.len()).then(|| text(i + 1))];
    // the texts before and after the copies that stay
    let mut known: [FxHashSet<(&str, Option<&str>)>; 2] = Default::default();
    for (index, is_certain) in in_turn {
        let own = text(index);
        let is_known = |(known, beside): (&FxHashSet<_>, Option<&str>)| {
            beside == Some(own) || known.contains(&(own, beside))
        };
        if !is_certain && known.iter().zip(around(index)).any(is_known) {
            keep[index] = false;
            continue;
        }
        for (known, beside) in known.iter_mut().zip(around(index)) {
            known.insert((own, beside));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn kept(html: &str, labels: &[bool], scores: &[f32], depth: u32) -> Vec<usize> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        assert_eq!(blocks.len(), labels.len());
        let mut keep = labels.to_vec();
        apply(&Page::new(&doc, &blocks, scores), &mut keep, depth);
        (0..keep.len()).filter(|&i| keep[i]).collect()
    }

    /// Puts each text into a `<p>` in a separate `<div>`.
    fn apart(texts: &[&str]) -> String {
        texts.iter().map(|text| format!("<div><p>{text}</p></div>")).collect()
    }

    #[test]
    fn one_copy_stays() {
        let eight = "one two three four five six seven eight";
        let nine = format!("{eight} nine");
        let html = apart(&[eight, &nine, eight, eight, "one", "one"]);
        let scores = [0.5, 1.0, 0.9, 0.9, 0.5, 0.5];
        assert_eq!(kept(&html, &[true; 6], &scores, 2), [1, 2, 4, 5]);
        assert_eq!(kept(&html, &[true; 6], &scores, 1), [1, 2, 4]);
        assert_eq!(kept(&html, &[true, true, false, false, true, true], &scores, 2), [0, 1, 4, 5]);
        assert_eq!(kept(&html, &[true; 6], &scores, 9), [0, 1, 2, 3, 4, 5]);
        // equal length is not equal text
        let html = apart(&["one two", "two one", "one", "six", "one two"]);
        assert_eq!(kept(&html, &[true; 5], &[0.5; 5], 1), [0, 1, 2, 3]);
    }

    #[test]
    fn short_copies_with_other_neighbours_stay() {
        let post = |by: &str, text: &str| format!("<div><div>{by}</div><p>{text}</p></div>");
        let thread = [post("Ann", "Thank you"), post("Bob", "Thank you"), post("Eve", "Why so")].concat();
        assert_eq!(kept(&thread, &[true; 6], &[0.5; 6], 2), [0, 1, 2, 3, 4, 5]);
        // a post is repeated for phones, and the same text precedes both copies
        let twice = [post("Ann", "Thank you"), post("Ann", "Thank you"), post("Eve", "Why so")].concat();
        assert_eq!(kept(&twice, &[true; 6], &[0.5; 6], 2), [0, 1, 2, 4, 5]);
        // the whole thread repeated: each post stays once
        assert_eq!(
            kept(&format!("{thread}{thread}"), &[true; 12], &[0.5; 12], 2),
            [0, 1, 2, 3, 4, 5, 6, 8, 10]
        );
        // copies with other tags, adjacent copies and long copies are dropped
        let other = thread.replacen("<p>Thank you</p>", "<p><b>Thank</b> you</p>", 1);
        assert_eq!(kept(&other, &[true; 6], &[0.5; 6], 2), [0, 1, 2, 4, 5]);
        assert_eq!(kept(&apart(&["A b", "B c", "B c", "C d"]), &[true; 4], &[0.5; 4], 2), [0, 1, 3]);
        let quoted = thread.replace("Thank you", "one two three four five six seven eight");
        assert_eq!(kept(&quoted, &[true; 6], &[0.5; 6], 2), [0, 1, 2, 4, 5]);
    }

    #[test]
    fn quotations_in_posts_stay_if_they_count() {
        let doc = parse_str(&apart(&["one two three four five six seven eight"; 2]));
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let thread = threshr_page::threads::Parts { quotes: vec![1], ..Default::default() };
        for (quotes, expected) in [(true, [true, false]), (false, [true, true])] {
            let left_out = threshr_core::policy::LeftOut { quotes, ..Default::default() };
            // the post stays, even if the quotation has a greater score
            let page = Page { left_out, thread: Some(&thread), ..Page::new(&doc, &blocks, &[0.5, 0.9]) };
            let mut keep = [true; 2];
            apply(&page, &mut keep, 3);
            assert_eq!(keep, expected);
        }
    }

    #[test]
    fn copies_beside_each_other_stay() {
        let song = "<div><p>First verse<p>And the chorus<p>Second verse<p>And the chorus</div>";
        assert_eq!(kept(song, &[true; 4], &[0.5, 0.9, 0.5, 0.8], 1), [0, 1, 2, 3]);
        // a song repeated for phones: all lines of the copy with the better scores stay
        let twice = format!("{song}{song}");
        let scores = [0.5, 0.7, 0.5, 0.8, 0.6, 0.7, 0.6, 0.9];
        assert_eq!(kept(&twice, &[true; 8], &scores, 1), [4, 5, 6, 7]);
        // each entry of a carousel usually has a separate box
        let list = |open, close| {
            let entry = |text| format!("<li>{open}{text}{close}</li>");
            format!("<ul>{}{}{}</ul>", entry("An entry here"), entry("Another one"), entry("An entry here"))
        };
        assert_eq!(kept(&list("<p>", "</p>"), &[true; 3], &[0.5; 3], 2), [0, 1]);
        assert_eq!(kept(&list("", ""), &[true; 3], &[0.5; 3], 2), [0, 1, 2]);
        // values in a data table stay, but repeated boxes in a layout table are dropped
        let row = |first| format!("<tr><td>{first}<td><div>An entry of one two three four five words</div>");
        assert_eq!(
            kept(&format!("<table>{}{}</table>", row("A"), row("B")), &[true; 4], &[0.5; 4], 2),
            [0, 1, 2, 3]
        );
        let boxes =
            format!("<table><tr><td><table>{}</table><td><table>{}</table></table>", row("A"), row("B"));
        assert_eq!(kept(&boxes, &[true; 4], &[0.5; 4], 2), [0, 1, 2]);
        // lines of one element have the same parent
        let lines = "<div>And the chorus<br><br>A verse<br><br>And the chorus</div>";
        assert_eq!(kept(lines, &[true; 3], &[0.5; 3], 2), [0, 1, 2]);
    }
}
