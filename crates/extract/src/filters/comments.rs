//! Readers' comments that the page announces, where they are not to count as content.

use crate::filters::{Filter, Page, Settings};
use threshr_html::text::comment_announcements::{MANY, ONE};
use threshr_html::text::prefix_filter::PrefixFilter;
use threshr_html::text::words;

/// Under a policy that leaves out comments, posts and entries ([`LeftOut::comments`](threshr_core::policy::LeftOut::comments)) drops what stands behind the first
/// announcement of comments before which `depth` words are kept, in blocks of five or more, unless three
/// or more others follow, each after 30 kept words. A model that has seen forums takes long comments for posts, whatever
/// the policy, as few annotated articles have any.
pub static FILTER: Filter = Filter {
    name: "comments",
    summary: "under policies without comments, posts and items drops what stands behind a line such as `5 comments` (NAME:WORDS_BEFORE)",
    source: "threshr",
    max_depth: 10_000,
    default_depth: 100,
    default_share: None,
    looks_at_tree: false,
    is_for: |left_out| left_out.comments,
    apply,
};

/// Words that stand beside that for comments: `All reader comments`. With others a line may be a heading of the text.
const BESIDE: &[&str] = &["all", "our", "reader", "readers", "user", "users", "visitor", "visitors", "your"];
/// Words of buttons, which stand above and inside articles too.
const BUTTONS: &[&str] =
    &["add", "hide", "leave", "load", "more", "post", "read", "see", "share", "show", "view", "write"];
/// Words of what stands beside the content of many pages, and says nothing of what follows: `Recent comments`.
const ELSEWHERE: &[&str] =
    &["recent", "latest", "neueste", "letzte", "derniers", "últimos", "ultimi", "ostatnie", "последние"];
/// Words for one comment or several that say other things as well.
const DOUBTFUL: &[&str] = &["yorumu", "دیدگاه"];
/// Whole lines, numbers and signs aside, where words are not cut at spaces, or without a word for comments.
const LINES: &[&str] = &[
    "评论",
    "評論",
    "网友评论",
    "網友評論",
    "读者评论",
    "用户评论",
    "全部评论",
    "热门评论",
    "文章评论",
    "留言",
    "网友留言",
    "讀者留言",
    "跟帖",
    "网友跟帖",
    "コメント",
    "コメント一覧",
    "댓글",
    "댓글목록",
    "댓글개",
    "ความคิดเห็น",
    "bình luận",
    "ý kiến bạn đọc",
    "تعليقات القراء",
    "نظرات کاربران",
    "diskuze",
    "have your say",
    "reader views",
    "add comment",
    "opinie",
    "comments are closed",
    "comments are now closed",
    "comments are closed for this story",
    "comments are now closed for this story",
];
/// Kept words between announcements by which each tells of what stands before it, as counters below the entries of a page do;
/// and how many more there may be behind one that is none.
const WORDS_BETWEEN: usize = 30;
const MOST_COUNTERS: usize = 2;
/// Fewest words of a block that is counted: cells of a calendar are no content that comments would follow.
const LEAST_WORDS: usize = 5;
/// Most words of an announcement, numbers included.
const MOST_WORDS: usize = 12;

fn apply(page: &Page<'_>, keep: &mut [bool], settings: Settings) {
    let (mut first, mut num_kept, mut num_counters) = (None, 0, 0);
    for (index, &is_kept) in keep.iter().enumerate() {
        let text = page.blocks.text(index);
        let least = if first.is_none() { settings.depth as usize } else { WORDS_BETWEEN };
        if num_kept >= least && announces(text) {
            num_counters += usize::from(first.is_some());
            first = first.or(Some(index));
            num_kept = 0;
        } else if is_kept && num_kept < least {
            let num_words = words(text).take(least.max(LEAST_WORDS)).count();
            num_kept += if num_words < LEAST_WORDS { 0 } else { num_words };
        }
    }
    if let Some(first) = first.filter(|_| num_counters <= MOST_COUNTERS) {
        keep[first..].fill(false);
    }
}

/// Whether a block says that comments follow, and nothing else.
fn announces(text: &str) -> bool {
    if words(text).nth(MOST_WORDS).is_some() || !may_announce(text) {
        return false;
    }
    let all = words(text).map(|(start, end)| text[start..end].to_lowercase());
    let (numbers, named): (Vec<String>, Vec<String>) = all.partition(|w| w.chars().all(char::is_numeric));
    if LINES.contains(&named.join(" ").as_str()) || LINES.contains(&named.concat().as_str()) {
        return true;
    }
    let is_comments = |w: &&String| {
        let w = w.as_str();
        !DOUBTFUL.contains(&w) && (MANY.contains(&w) || !numbers.is_empty() && ONE.contains(&w))
    };
    let is_in = |w: &&String, list: &[&str]| list.contains(&w.as_str());
    let (comments, beside): (Vec<&String>, Vec<&String>) = named.iter().partition(is_comments);
    comments.len() == 1
        && match &beside[..] {
            [] => true,
            [one] if !numbers.is_empty() => !is_in(one, BUTTONS) && !is_in(one, ELSEWHERE),
            several => several.len() <= 2 && several.iter().all(|w| is_in(w, BESIDE)),
        }
}

/// What announcements in ASCII have a word of.
static BEGINS: PrefixFilter = PrefixFilter::of(&[ONE, MANY, LINES]);

/// Whether a text may have a word for comments or be one of [`LINES`], which most are known not to by their first letters.
fn may_announce(text: &str) -> bool {
    !text.is_ascii()
        || words(text)
            .any(|(start, end)| matches!(text.as_bytes()[start..end], [a, b, ..] if BEGINS.has(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn no_list_is_passed_over() {
        for word in [ONE, MANY, LINES].concat() {
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
    fn what_stands_behind_is_dropped_where_it_is_not_asked_for() {
        let html = "<p>3 comments<p>one two three four five<p>six<p>3 comments<p>I say<p>You say";
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let kept = |depth| {
            let page = Page::new(&doc, &blocks, &[0.5; 6]);
            let mut keep = [false, true, true, false, true, true];
            apply(&page, &mut keep, Settings { depth, share: 0.0 });
            (0..6).filter(|&i| keep[i]).collect::<Vec<_>>()
        };
        assert_eq!(kept(5), [1, 2]);
        assert_eq!(kept(1), [1, 2]);
        // a block of one word does not count
        assert_eq!(kept(6), [1, 2, 4, 5]);
    }

    #[test]
    fn counters_below_entries_announce_nothing() {
        let entry = "<p>".to_owned() + &"word ".repeat(40) + "<p>3 comments";
        for (num_entries, num_kept) in [(1, 1), (2, 1), (3, 1), (4, 4)] {
            let doc = parse_str(&entry.repeat(num_entries));
            let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
            let mut keep: Vec<bool> = (0..blocks.len()).map(|i| i % 2 == 0).collect();
            let scores = vec![0.5; keep.len()];
            let page = Page::new(&doc, &blocks, &scores);
            apply(&page, &mut keep, Settings { depth: 30, share: 0.0 });
            assert_eq!(keep.iter().filter(|&&k| k).count(), num_kept, "{num_entries}");
        }
    }
}
