//! Readers' comments that the page announces, where they are not to count as content.

use super::{Filter, Page, Settings};
use crate::text::comments::{MANY, ONE, PHRASES};
use crate::text::words;

/// Under a policy that leaves out comments and posts ([`Page::leaves_out_comments`]) drops what stands behind the first
/// announcement of comments before which `depth` words are kept, in blocks of five or more. A model that has seen forums takes long comments for posts,
/// whatever the policy, as few annotated articles have any.
pub static FILTER: Filter = Filter {
    name: "comments",
    summary: "under policies without comments and items drops what stands behind a line such as `5 comments` (NAME:WORDS_BEFORE)",
    source: "threshr",
    max_depth: 10_000,
    default_depth: 100,
    default_share: None,
    looks_at_tree: false,
    apply,
};

/// Most words of an announcement, numbers aside: `Reader comments (5)`.
const MOST_WORDS: usize = 2;
/// The same where words are not cut at spaces.
const MOST_WORDS_PHRASE: usize = 6;
/// Words of what stands beside the content of many pages, and says nothing of what follows: `Recent comments`.
const ELSEWHERE: &[&str] = &[
    "recent",
    "latest",
    "neueste",
    "letzte",
    "derniers",
    "últimos",
    "ultimi",
    "ostatnie",
    "最新",
    "最近",
    "последние",
];
/// Fewest words of a block that is counted: cells of a calendar are no content that comments would follow.
const LEAST_WORDS: usize = 5;
/// Announcements without any of the words.
const LINES: &[&str] = &["have your say", "reader views"];

fn apply(page: &Page<'_>, keep: &mut [bool], settings: Settings) {
    if !page.leaves_out_comments {
        return;
    }
    let (mut num_kept, least) = (0, settings.depth as usize);
    for index in 0..keep.len() {
        let text = page.blocks.text(index);
        if num_kept >= least && announces(text) {
            keep[index..].fill(false);
            return;
        }
        if keep[index] && num_kept < least {
            let num_words = words(text).take(least.max(LEAST_WORDS)).count();
            num_kept += if num_words < LEAST_WORDS { 0 } else { num_words };
        }
    }
}

/// Whether a block says that comments follow, and nothing else.
fn announces(text: &str) -> bool {
    let all = words(text).take(2 * MOST_WORDS_PHRASE).map(|(start, end)| &text[start..end]);
    let (numbers, named): (Vec<&str>, Vec<&str>) = all.partition(|w| w.chars().all(char::is_numeric));
    if named.is_empty() || named.len() > MOST_WORDS_PHRASE {
        return false;
    }
    let lower = text.to_lowercase();
    if ELSEWHERE.iter().any(|w| lower.contains(w)) {
        return false;
    }
    if PHRASES.iter().any(|p| text.contains(p)) {
        return true;
    }
    let named: Vec<String> = named.iter().map(|w| w.to_lowercase()).collect();
    let is_in = |list: &[&str]| named.iter().any(|w| list.contains(&w.as_str()));
    let counts = named.len() <= MOST_WORDS && (is_in(MANY) || !numbers.is_empty() && is_in(ONE));
    counts || LINES.contains(&named.join(" ").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{self, Blocks};
    use crate::page::{Visibility, parse_str};

    #[test]
    fn lines_that_announce_comments() {
        for text in [
            "Comments",
            "COMMENTS (12)",
            "1 comment",
            "Reader comments",
            "Kommentare [3]",
            "Комментарии: 7",
            "网友评论",
            "Bình luận (2)",
            "Have your say!",
        ] {
            assert!(announces(text), "{text}");
        }
        for text in [
            "",
            "12",
            "Comment",
            "NP Comment",
            "Comments on the new law",
            "To which she replies",
            "Our responses",
            "网友感叹又冷又饿，而且没有水",
            "Recent comments",
            "最新评论",
        ] {
            assert!(!announces(text), "{text}");
        }
    }

    #[test]
    fn what_stands_behind_is_dropped_where_it_is_not_asked_for() {
        let html = "<p>3 comments<p>one two three four five<p>six<p>3 comments<p>I say<p>You say";
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let kept = |leaves_out_comments, depth| {
            let page = Page { doc: &doc, blocks: &blocks, scores: &[0.5; 6], leaves_out_comments };
            let mut keep = [false, true, true, false, true, true];
            apply(&page, &mut keep, Settings { depth, share: 0.0 });
            (0..6).filter(|&i| keep[i]).collect::<Vec<_>>()
        };
        assert_eq!(kept(true, 5), [1, 2]);
        assert_eq!(kept(true, 1), [1, 2]);
        // a block of one word does not count
        assert_eq!(kept(true, 6), [1, 2, 4, 5]);
        assert_eq!(kept(false, 5), [1, 2, 4, 5]);
    }
}
