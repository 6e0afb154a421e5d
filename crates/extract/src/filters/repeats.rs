//! What a page says in two places, such as in one box for telephones and in another for wide screens, is written once.

use crate::filters::{Filter, Page, Settings};
use rustc_hash::{FxHashMap, FxHashSet};
use threshr_html::text::words;

/// Of kept blocks with the same text of `depth` words or more, that with the greatest score stays, of equal ones the first, and
/// those in the same table or, where none is near, whose element has the same parent ([`Block::around`](threshr_html::blocks::Block::around)): what
/// a text says again, such as a refrain or a value of a table's column, stands beside it, and what a page's layout does, mostly elsewhere.
/// Copies of fewer than 8 words stay, too, where tags of the same kinds stand before them as before that one, and before and behind them other
/// text than around every copy that stays: a date, a short post, a label of records that are made alike.
/// Two copies of one heading for two widths, without boxes around them, both stay: on annotated pages more
/// siblings than not are in the gold again.
pub static FILTER: Filter = Filter {
    name: "repeats",
    summary: "of kept blocks with the same text keeps the one with the greatest score, copies beside it or in the same table, and short ones among other text (NAME:LEAST_WORDS)",
    source: "threshr; annotators keep one copy of what a page says in two places",
    max_depth: 100,
    default_depth: 6,
    default_share: None,
    looks_at_tree: false,
    is_for: |_| true,
    apply,
};

/// Words from which on a copy is one of the layout, whatever stands around it: threads quote posts.
const SHORT: usize = 8;

fn apply(page: &Page<'_>, keep: &mut [bool], settings: Settings) {
    let least = settings.depth as usize;
    let text = |index: usize| page.blocks.text(index);
    // most texts have a length of their own, so that they need not be read
    let mut kept: Vec<usize> = (0..keep.len()).filter(|&i| keep[i]).collect();
    let mut lengths: Vec<usize> = kept.iter().map(|&i| text(i).len()).collect();
    lengths.sort_unstable();
    let lengths: Vec<usize> = lengths.array_windows().filter(|[a, b]| a == b).map(|&[a, _]| a).collect();
    // a word has a byte at least
    kept.retain(|&i| text(i).len() >= least && lengths.binary_search(&text(i).len()).is_ok());
    let mut best: FxHashMap<&str, usize> = FxHashMap::default();
    for &index in &kept {
        let best = best.entry(text(index)).or_insert(index);
        if page.scores[index] > page.scores[*best] {
            *best = index;
        }
    }
    // in one element it is a refrain
    let place = |index: usize| page.blocks.get(index).map(|b| b.around);
    let is_beside = |index: usize| best.get(text(index)).is_none_or(|&best| place(index) == place(best));
    let (beside, elsewhere): (Vec<usize>, Vec<usize>) = kept.into_iter().partition(|&i| is_beside(i));
    let gap = |index: usize| page.blocks.get(index).map(|b| b.gap);
    let is_alike = |index: usize| best.get(text(index)).is_some_and(|&best| gap(index) == gap(best));
    let mut doubtful = Vec::new();
    for index in elsewhere {
        let num_words = words(text(index)).take(least.max(SHORT)).count();
        if num_words >= least && num_words < SHORT && is_alike(index) {
            doubtful.push(index);
        } else if num_words >= least {
            keep[index] = false;
        }
    }
    let of_doubtful: FxHashSet<&str> = doubtful.iter().map(|&i| text(i)).collect();
    let certain = beside.into_iter().filter(|&i| of_doubtful.contains(text(i)));
    let in_turn = certain.map(|i| (i, true)).chain(doubtful.iter().map(|&i| (i, false)));
    let around = |i: usize| [i.checked_sub(1).map(text), (i + 1 < page.blocks.len()).then(|| text(i + 1))];
    // what stands before the copies that stay, and behind them
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
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        assert_eq!(blocks.len(), labels.len());
        let mut keep = labels.to_vec();
        apply(&Page::new(&doc, &blocks, scores), &mut keep, Settings { depth, share: 0.0 });
        (0..keep.len()).filter(|&i| keep[i]).collect()
    }

    /// Each text in a `<p>` of a `<div>` of its own.
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
        // as long is not as good
        let html = apart(&["one two", "two one", "one", "six", "one two"]);
        assert_eq!(kept(&html, &[true; 5], &[0.5; 5], 1), [0, 1, 2, 3]);
    }

    #[test]
    fn short_copies_among_other_text_stay() {
        let post = |by: &str, text: &str| format!("<div><div>{by}</div><p>{text}</p></div>");
        let thread = [post("Ann", "Thank you"), post("Bob", "Thank you"), post("Eve", "Why so")].concat();
        assert_eq!(kept(&thread, &[true; 6], &[0.5; 6], 2), [0, 1, 2, 3, 4, 5]);
        // said again for telephones, with what stands before it
        let twice = [post("Ann", "Thank you"), post("Ann", "Thank you"), post("Eve", "Why so")].concat();
        assert_eq!(kept(&twice, &[true; 6], &[0.5; 6], 2), [0, 1, 2, 4, 5]);
        // the whole of it again: each post once
        assert_eq!(
            kept(&format!("{thread}{thread}"), &[true; 12], &[0.5; 12], 2),
            [0, 1, 2, 3, 4, 5, 6, 8, 10]
        );
        // made in another way, side by side, or long
        let other = thread.replacen("<p>Thank you</p>", "<p><b>Thank</b> you</p>", 1);
        assert_eq!(kept(&other, &[true; 6], &[0.5; 6], 2), [0, 1, 2, 4, 5]);
        assert_eq!(kept(&apart(&["A b", "B c", "B c", "C d"]), &[true; 4], &[0.5; 4], 2), [0, 1, 3]);
        let quoted = thread.replace("Thank you", "one two three four five six seven eight");
        assert_eq!(kept(&quoted, &[true; 6], &[0.5; 6], 2), [0, 1, 2, 4, 5]);
    }

    #[test]
    fn what_is_said_again_beside_it_stays() {
        let song = "<div><p>First verse<p>And the chorus<p>Second verse<p>And the chorus</div>";
        assert_eq!(kept(song, &[true; 4], &[0.5, 0.9, 0.5, 0.8], 1), [0, 1, 2, 3]);
        // again, for telephones: the whole of the better place stays, and nothing of the other
        let twice = format!("{song}{song}");
        let scores = [0.5, 0.7, 0.5, 0.8, 0.6, 0.7, 0.6, 0.9];
        assert_eq!(kept(&twice, &[true; 8], &scores, 1), [4, 5, 6, 7]);
        // entries of a list that turns round stand in boxes of their own, mostly
        let list = |open, close| {
            let entry = |text| format!("<li>{open}{text}{close}</li>");
            format!("<ul>{}{}{}</ul>", entry("An entry here"), entry("Another one"), entry("An entry here"))
        };
        assert_eq!(kept(&list("<p>", "</p>"), &[true; 3], &[0.5; 3], 2), [0, 1]);
        assert_eq!(kept(&list("", ""), &[true; 3], &[0.5; 3], 2), [0, 1, 2]);
        // values of a table, boxes of a page that is laid out by tables
        let row = |first| format!("<tr><td>{first}<td><div>An entry of one two three four five words</div>");
        assert_eq!(
            kept(&format!("<table>{}{}</table>", row("A"), row("B")), &[true; 4], &[0.5; 4], 2),
            [0, 1, 2, 3]
        );
        let boxes =
            format!("<table><tr><td><table>{}</table><td><table>{}</table></table>", row("A"), row("B"));
        assert_eq!(kept(&boxes, &[true; 4], &[0.5; 4], 2), [0, 1, 2]);
        // lines of one element, which have the same parent, too
        let lines = "<div>And the chorus<br><br>A verse<br><br>And the chorus</div>";
        assert_eq!(kept(lines, &[true; 3], &[0.5; 3], 2), [0, 1, 2]);
    }
}
