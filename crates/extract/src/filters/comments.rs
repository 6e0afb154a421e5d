//! Drops readers' comments after the line that announces them, under policies that exclude comments.

use crate::filters::{Filter, Page};
use std::cell::LazyCell;
use std::sync::LazyLock;
use threshr_html::text::comment_announcements::{MANY, ONE};
use threshr_html::text::prefix_filter::PrefixFilter;
use threshr_html::text::words;
use threshr_page::PageFacts;
use threshr_page::metadata::{PostKind, posts};
use threshr_page::word_lists;

/// Drops all blocks from the first line that announces comments, such as `5 comments`.
///
/// - The filter is active under policies that exclude comments, posts and entries
///   ([`LeftOut::comments`](threshr_core::policy::LeftOut::comments)).
/// - At least `depth` kept words must precede the line. Only blocks of five or more words count. 20 words are
///   enough if comments with an author or a date, in elements named as comments, are detected after the line.
/// - A line before the headline is ignored, because it is the name of a section.
/// - If three or more such lines follow, each after 30 kept words, the lines are comment counters below the entries
///   of a list. The filter then drops nothing.
///
/// The model alone is not sufficient: it mistakes long comments for forum posts, because few annotated articles
/// have comments.
pub(super) static FILTER: Filter = Filter {
    name: "comments",
    summary: "under policies without comments, posts and items, drops all blocks from a line such as `5 \
              comments` (NAME:WORDS_BEFORE)",
    source: "threshr",
    max_depth: 10_000,
    default_depth: 100,
    reads_tree: true,
    is_for: |left_out| left_out.comments,
    apply,
};

/// Word lists of the filter. Each data file states its content and source.
struct WordLists {
    qualifiers: Vec<&'static str>,
    buttons: Vec<&'static str>,
    sidebars: Vec<&'static str>,
    ambiguous: Vec<&'static str>,
    lines: Vec<&'static str>,
    /// First two letters of the words and lines that can announce comments in ASCII text.
    prefixes: PrefixFilter,
}

static LISTS: LazyLock<WordLists> = LazyLock::new(|| {
    let lines = words_of(include_str!("../../data/comments/lines.tsv"));
    WordLists {
        qualifiers: words_of(include_str!("../../data/comments/qualifiers.tsv")),
        buttons: words_of(include_str!("../../data/comments/buttons.tsv")),
        sidebars: words_of(include_str!("../../data/comments/sidebars.tsv")),
        ambiguous: words_of(include_str!("../../data/comments/ambiguous.tsv")),
        prefixes: PrefixFilter::new(&[ONE, MANY, &lines]),
        lines,
    }
});

/// Returns the second column of a word list.
fn words_of(file: &'static str) -> Vec<&'static str> {
    word_lists::rows(file).map(|[_language, word]| word).collect()
}

/// Minimum number of kept words before each announcement after the first. These announcements may be comment
/// counters below the entries of a list.
const MIN_WORDS_BETWEEN: usize = 30;
/// Maximum number of announcements after the first. If there are more, they are comment counters of a list.
const MAX_COUNTERS: usize = 2;
/// Minimum number of kept words before an announcement that is followed by detected comments.
const MIN_WORDS_BEFORE_FOUND: usize = 20;
/// Minimum number of words of a block that counts towards the words before the comments. Calendar cells have
/// fewer words.
const MIN_WORDS: usize = 5;
/// Maximum number of words of an announcement, numbers included.
const MAX_WORDS: usize = 12;

fn apply(page: &Page<'_>, keep: &mut [bool], depth: u32) {
    let (mut first, mut num_kept, mut num_counters) = (None, 0, 0);
    let depth = depth as usize;
    // The headline and the last detected comment are evaluated lazily, because most pages announce no
    // comments and need neither of them.
    let headline = LazyCell::new(|| PageFacts::without_words(page.doc, page.blocks).headline());
    let last_comment = LazyCell::new(|| last_comment(page));
    for (index, &is_kept) in keep.iter().enumerate() {
        let text = page.blocks.text(index);
        let (min_words, enough) = match first {
            None => (depth, depth.min(MIN_WORDS_BEFORE_FOUND)),
            Some(_) => (MIN_WORDS_BETWEEN, MIN_WORDS_BETWEEN),
        };
        let is_below_text = || num_kept >= min_words || last_comment.is_some_and(|last| last > index);
        let is_above_headline = || headline.is_some_and(|headline| headline > index);
        if num_kept >= enough && announces(text) && is_below_text() && !is_above_headline() {
            num_counters += usize::from(first.is_some());
            first = first.or(Some(index));
            num_kept = 0;
        } else if is_kept && num_kept < min_words {
            let num_words = words(text).take(min_words.max(MIN_WORDS)).count();
            num_kept += if num_words < MIN_WORDS { 0 } else { num_words };
        }
    }
    if let Some(first) = first.filter(|_| num_counters <= MAX_COUNTERS) {
        keep[first..].fill(false);
    }
}

/// Returns the last block of the comments that are detected by the names of their elements.
fn last_comment(page: &Page<'_>) -> Option<usize> {
    let posts = posts(page.doc, page.blocks);
    posts.iter().filter(|post| post.kind == PostKind::Comment).flat_map(|post| &post.blocks).copied().max()
}

/// Whether a text consists only of an announcement of comments.
fn announces(text: &str) -> bool {
    if words(text).nth(MAX_WORDS).is_some() || !may_announce(text) {
        return false;
    }
    let all = words(text).map(|(start, end)| text[start..end].to_lowercase());
    let (numbers, named): (Vec<String>, Vec<String>) = all.partition(|w| w.chars().all(char::is_numeric));
    let lists = &*LISTS;
    if lists.lines.contains(&named.join(" ").as_str()) || lists.lines.contains(&named.concat().as_str()) {
        return true;
    }
    let is_comments = |w: &&String| {
        let w = w.as_str();
        !lists.ambiguous.contains(&w) && (MANY.contains(&w) || !numbers.is_empty() && ONE.contains(&w))
    };
    let is_in = |w: &&String, list: &[&str]| list.contains(&w.as_str());
    let (comments, others): (Vec<&String>, Vec<&String>) = named.iter().partition(is_comments);
    comments.len() == 1
        && match &others[..] {
            [] => true,
            [one] if !numbers.is_empty() => !is_in(one, &lists.buttons) && !is_in(one, &lists.sidebars),
            several => several.len() <= 2 && several.iter().all(|w| is_in(w, &lists.qualifiers)),
        }
}

/// Whether a text may be an announcement. The test reads the first letters of its words and rules out most texts.
fn may_announce(text: &str) -> bool {
    !text.is_ascii()
        || words(text)
            .any(|(start, end)| matches!(text.as_bytes()[start..end], [a, b, ..] if LISTS.prefixes.has(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn the_prefix_filter_lets_all_announcements_pass() {
        for word in [ONE, MANY, &LISTS.lines].concat() {
            assert!(may_announce(word) && may_announce(&word.to_uppercase()), "{word}");
        }
        assert!(!may_announce("Weather and news"));
    }

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
            "评论（12）",
            "Bình luận (2)",
            "Şərhlər (4)",
            "კომენტარები",
            "3 opmerkings",
            "ಟಿಪ್ಪಣಿಗಳು",
            "వ్యాఖ్యలు",
            "코멘트 12",
            "All reader comments",
            "5 user comments",
            "Have your say!",
            "Opinie (7)",
            "Add comment",
            "Comments are now closed for this story",
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
            "图片来源：网友",
            "전문가 의견은 엇갈린다",
            "回應政府",
            "编辑留言",
            "Closing comments",
            "View comments",
            "Share 5 Comments",
            "Add a comment",
            "12 recent comments",
            "Comments 1 2 3 4 5 6 7 8 9 10 11 12 and more of it",
            "Recent comments",
            "最新评论",
        ] {
            assert!(!announces(text), "{text}");
        }
    }

    #[test]
    fn blocks_from_the_announcement_are_dropped() {
        let html = "<p>3 comments<p>one two three four five<p>six<p>3 comments<p>I say<p>You say";
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let kept = |depth| {
            let page = Page::new(&doc, &blocks, &[0.5; 6]);
            let mut keep = [false, true, true, false, true, true];
            apply(&page, &mut keep, depth);
            (0..6).filter(|&i| keep[i]).collect::<Vec<_>>()
        };
        assert_eq!(kept(5), [1, 2]);
        assert_eq!(kept(1), [1, 2]);
        // a block of one word does not count
        assert_eq!(kept(6), [1, 2, 4, 5]);
    }

    #[test]
    fn sections_above_the_headline_and_short_articles() {
        let kept = |html: &str| {
            let doc = parse_str(html);
            let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
            let scores = vec![0.5; blocks.len()];
            let mut keep = vec![true; blocks.len()];
            apply(&Page::new(&doc, &blocks, &scores), &mut keep, 100);
            keep.iter().filter(|&&k| k).count()
        };
        let text = |n| "word ".repeat(n);
        // a section whose name is "Comments"
        let page = format!(
            "<title>Rain over the town</title><p>{}<p>Comments<h1>Rain over the town</h1><p>{}<p>The end.",
            text(100),
            text(50)
        );
        assert_eq!(kept(&page), 5);
        // a short article with comments
        let comment = "<div class=comment><b class=author>Ann Miller</b><time>3 May 2024</time><p>It rained here.</div>";
        let page = format!("<h1>Rain</h1><p>{}<h2>2 comments</h2>{}", text(30), comment.repeat(2));
        assert_eq!(kept(&page), 2);
        // no comments are detected after the announcement
        let page = format!("<h1>Rain</h1><p>{}<h2>2 comments</h2><p>It rained here.", text(30));
        assert_eq!(kept(&page), 4);
    }

    #[test]
    fn counters_below_entries_announce_nothing() {
        let entry = "<p>".to_owned() + &"word ".repeat(40) + "<p>3 comments";
        for (num_entries, num_kept) in [(1, 1), (2, 1), (3, 1), (4, 4)] {
            let doc = parse_str(&entry.repeat(num_entries));
            let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
            let mut keep: Vec<bool> = (0..blocks.len()).map(|i| i % 2 == 0).collect();
            let scores = vec![0.5; keep.len()];
            let page = Page::new(&doc, &blocks, &scores);
            apply(&page, &mut keep, 30);
            assert_eq!(keep.iter().filter(|&&k| k).count(), num_kept, "{num_entries}");
        }
    }
}
