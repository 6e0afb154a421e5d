//! Body text extraction (BTE): keeps the contiguous range of the page with many words and few tags.

use crate::shared::events::{Event, events};
use std::ops::Range;
use threshr_extract::baseline::{How, Method, System, SystemInput};
use threshr_html::text;
use threshr_html::{Kind, NodeId, Tag};

/// Keeps the contiguous range of the page that maximises the number of tokens minus the number of tags.
///
/// From `<body>` on, the page is read as alternating runs of tokens (+1 each) and of start and end tags (−1 each).
/// Scripts, comments and hidden elements are skipped. Tokens are separated by white space. In scripts that are
/// written without spaces, each word is a token, so a Chinese character counts as one. The best range begins and
/// ends with a run of tokens (observed by Baroni), so it is found in time linear in the number of runs. Ties are
/// broken by the number of tokens and tags, then by the first position. A block is kept if half of it is in the
/// range.
pub(crate) static SYSTEM: System = System {
    name: "bte",
    summary: "body text extraction: keeps the contiguous part with the largest number of words minus number of tags",
    source: "Finn, Kushmerick & Smyth 2001; Baroni, Corpora list 2005",
    ..System::new(How::Plain(|_| Ok(Box::new(Bte))))
};

#[derive(Debug)]
struct Bte;

impl Method for Bte {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let (runs, texts) = runs(page);
        let best = best_stretch(&runs);
        let kept: Vec<Range<u32>> =
            texts.iter().filter(|t| best.contains(&t.0)).map(|t| page.doc.text_range(t.1)).collect();
        page.keep_ranges(&kept)
    }
}

/// Returns the lengths of the runs (positive for tokens, negative for tags), and the text nodes with the indices of
/// their runs.
fn runs(page: &SystemInput<'_>) -> (Vec<i64>, Vec<(usize, NodeId)>) {
    let doc = page.doc;
    let body = doc.descendants(doc.root()).find(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::BODY);
    let Some(body) = body else { return (Vec::new(), Vec::new()) };
    let mut runs: Vec<i64> = Vec::new();
    let mut texts = Vec::new();
    let add = |runs: &mut Vec<i64>, step: i64| match runs.last_mut() {
        Some(last) if last.signum() == step.signum() => *last += step,
        _ => runs.push(step),
    };
    for event in events(doc, body, |node| page.is_shown(node)) {
        match event {
            Event::Text(node) => {
                let tokens = num_tokens(doc.text(node));
                if tokens > 0 {
                    add(&mut runs, tokens);
                    texts.push((runs.len() - 1, node));
                }
            }
            Event::Start(_) => add(&mut runs, -1),
            Event::End(node) if !doc.tag(node).is_void() => add(&mut runs, -1),
            Event::End(_) | Event::Skipped(_) => {}
        }
    }
    (runs, texts)
}

fn num_tokens(text: &str) -> i64 {
    let of_piece = |piece: &str| {
        if piece.chars().any(text::is_nospace) { text::words(piece).count().max(1) } else { 1 }
    };
    text.split_whitespace().map(of_piece).sum::<usize>() as i64
}

/// Returns the range of runs with the largest sum. Ties are broken by length, then by the first position.
fn best_stretch(runs: &[i64]) -> Range<usize> {
    // a range is compared by its sum, then by its length; both are additive, so Kadane's algorithm works on the
    // pair
    let (mut best, mut best_worth) = (0..0, (0, 0));
    let (mut start, mut worth) = (0, (0, 0));
    for (i, &run) in runs.iter().enumerate() {
        if worth <= (0, 0) {
            (start, worth) = (i, (0, 0));
        }
        worth = (worth.0 + run, worth.1 + run.abs());
        if run > 0 && worth > best_worth {
            (best, best_worth) = (start..i + 1, worth);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn kept(html: &str) -> Vec<String> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let kept = Bte.keep(&SystemInput::new(&doc, &blocks));
        (0..blocks.len()).filter(|&i| kept[i]).map(|i| blocks.text(i).to_owned()).collect()
    }

    #[test]
    fn baronis_stretch() {
        // XXTAG XXTAG TOKEN×3 XXTAG XXTAG TOKEN×5 XXTAG TOKEN×2 XXTAG TOKEN XXTAG XXTAG XXTAG TOKEN×2, from the
        // first token: +3 −2 +5 −1 +2 −1 +1 −3 +2. Sums of ranges that start at the first run: 3, 6, 7, 7, 6. The
        // ranges that end at +2 and at +1 both have the sum 7; the longer one is taken.
        assert_eq!(best_stretch(&[3, -2, 5, -1, 2, -1, 1, -3, 2]), 0..7);
    }

    #[test]
    fn a_page_by_hand() {
        // <ul> <li> <a> Home </a> </li> <li> <a> News </a> </li> </ul> <p>: −3 +1 −4 +1 −4
        // 6 words </p> <p> 3 words <b> 1 word </b> 1 word: +6 −2 +3 −1 +1 −1 +1
        // </p> <div> <a> Contact </a> </div>: −3 +1 −2
        let page = "<ul><li><a>Home</a></li><li><a>News</a></li></ul><p>one two three four five six</p>\
            <p>one two three <b>four</b> five</p><div><a>Contact</a></div>";
        // the best range is +6 −2 +3 −1 +1 −1 +1, with the sum 7
        assert_eq!(kept(page), ["one two three four five six", "one two three four five"]);
    }

    #[test]
    fn chinese_characters_are_tokens() {
        assert_eq!(num_tokens("我们今天 去"), 5);
        assert_eq!(num_tokens("two words, © "), 3);
        assert_eq!(
            kept("<div><p>首页</p></div><div><div><div><p>我们今天去看电影</p>"),
            ["我们今天去看电影"]
        );
    }

    proptest! {
        #[test]
        fn as_by_trying_every_stretch(tokens in prop::collection::vec((1i64..6, 1i64..6), 0..12)) {
            let runs: Vec<i64> = tokens.iter().flat_map(|&(t, g)| [t, -g]).collect();
            let worth = |r: &Range<usize>| -> (i64, i64) {
                (runs[r.clone()].iter().sum(), runs[r.clone()].iter().map(|v| v.abs()).sum())
            };
            let mut all: Vec<Range<usize>> = Vec::new();
            for start in (0..runs.len()).step_by(2) {
                all.extend((start..runs.len()).step_by(2).map(|end| start..end + 1));
            }
            // the list is reversed, because `max_by_key` returns the last of equal elements
            let best = all.into_iter().rev().max_by_key(worth).unwrap_or(0..0);
            prop_assert_eq!(best_stretch(&runs), best);
        }
    }
}
