//! The author of a thread, which is the author of its first post.

use super::authors::{self, Form};
use super::dates::{self, DateStyle};
use super::page::Page;
use super::posts::{Post, PostKind};
use crate::text::stats::BlockStats;
use crate::text::word_list::WordPlaces;
use crate::threads;
use threshr_html::{Document, Tag};

/// Maximum number of words outside links between the headline and the first post. If there are more words,
/// the posts are comments.
const MAX_WORDS_BEFORE: u32 = 70;
/// Maximum number of words of a name. Longer texts at the position of a name are titles.
const MAX_NAME_WORDS: usize = 4;

/// Returns who wrote the first post of a thread. `None` if the page has no thread; `Some(None)` if it does not say who
/// began it, or if it is a later page of the thread.
pub(super) fn find(page: &Page<'_>) -> Option<Option<String>> {
    let posts = threads::thread_posts(page.doc, page.blocks, page.url, page.known.thread)?;
    let is_first = |post: &&Post| matches!(post.kind, PostKind::Post | PostKind::Question);
    let first = posts.first().filter(|_| threads::is_thread(&posts)).filter(is_first)?;
    if before_words(page, first) > MAX_WORDS_BEFORE {
        return None;
    }
    let name = first.author.as_deref().filter(|_| !has_page_before(page.doc));
    Some(name.and_then(|name| authors::names(name, Form::One).into_iter().find(|name| is_poster(name))))
}

/// Number of words outside links between the headline and a post.
fn before_words(page: &Page<'_>, post: &Post) -> u32 {
    let headline = page.headline().map_or(0, |headline| headline + 1);
    let start = page.blocks.extent(post.node).blocks.start as usize;
    let mut scratch = WordPlaces::default();
    let stats = (headline..start).map(|block| BlockStats::without_words(page.blocks, block, &mut scratch));
    stats.map(|stats| stats.num_words - stats.num_link_words).sum()
}

/// Returns whether a text at the position of a name is a name, and not a date, a title, or several items.
fn is_poster(text: &str) -> bool {
    let style = DateStyle::default();
    text.split(' ').count() <= MAX_NAME_WORDS
        && !text.contains(['·', '•', '|'])
        && dates::find(text, style).is_none()
        && !dates::has_month_and_day(text, style)
        && !is_time(text)
}

/// Whether a text is a time of day, such as `19h46`.
fn is_time(text: &str) -> bool {
    let mut parts = text.split([':', 'h', '.']);
    let mut has_two_digits =
        || parts.next().is_some_and(|part| part.len() <= 2 && part.parse::<u8>().is_ok_and(|n| n < 60));
    has_two_digits() && has_two_digits()
}

/// Returns whether the page states that it continues another page.
fn has_page_before(doc: &Document) -> bool {
    let has = |rel: &str| rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("prev"));
    doc.elements_with(|tag| tag == Tag::LINK).any(|n| doc.attribute(n, "rel").is_some_and(has))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Known;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};

    const TEXTS: [&str; 3] = [
        "My rear wheel makes a ticking noise once per turn, but only when I pedal uphill.",
        "Look at the lockring first. Mine came loose after one season and made such a noise.",
        "That was it. After I tightened it the hill behind our house is silent again.",
    ];

    fn poster(head: &str, names: [&str; 3], before: &str) -> Option<Option<String>> {
        let post = |(name, text): (&str, &str)| {
            format!(
                "<div class=post><a class=username href=/members/x>{name}</a> <time datetime=2024-05-03>3. 5. 2024</time>\
                 <div class=post-body>{text}</div></div>"
            )
        };
        let posts: String = names.into_iter().zip(TEXTS).map(post).collect();
        let doc =
            parse_str(&format!("{head}<title>Ticking noise</title><h1>Ticking noise</h1>{before}{posts}"));
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        find(&Page::new(&doc, &blocks, None, Known::default()))
    }

    #[test]
    fn who_began_a_thread_is_found() {
        for names in
            [["marten", "Torque", "Paula"], ["Łukasz K.", "Bo", "Łukasz K."], ["山田", "佐藤", "鈴木"]]
        {
            assert_eq!(poster("", names, ""), Some(Some(names[0].to_owned())));
        }
    }

    #[test]
    fn later_pages_and_comments_do_not_tell() {
        let names = ["marten", "Torque", "Paula"];
        assert_eq!(poster("<link rel=prev href=/t/3>", names, ""), Some(None));
        let article = "<p>It rained all day in the north of the country, and rivers rose.</p>".repeat(9);
        assert_eq!(poster("", names, &article), None);
        assert_eq!(poster("", ["Gast", "Torque", "Paula"], ""), Some(None));
        for text in
            ["19h46", "3 May 2024", "Apr 13, 2017 at 12:52", "4 min · Ann", "Why the hill behind is silent"]
        {
            assert!(!is_poster(text), "{text}");
        }
    }
}
