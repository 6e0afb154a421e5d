//! Posts of threads with author, date and link, for sets whose gold has posts.

use crate::metrics::token::overlap;
use crate::metrics::{Case, Column, Metric, f_measure, prf, ratio_or};
use threshr_html::text::Interner;
use threshr_page::address::without_host;
use threshr_page::metadata::{Day, days};
use threshr_train::{FoundPost, PagePosts};

/// Precision and recall of posts, and recall of their authors, dates and links. Pooled values are computed
/// from the summed counts of all pages.
pub static POSTS: Metric = Metric {
    name: "posts",
    summary: "posts of threads with author, date and link, for sets whose gold has posts; the policy has no influence",
    source: "threshr; posts are compared by their text, as in other work on forums",
    columns: &[
        column("po_p", "share of found posts that match a post of the gold"),
        column("po_r", "share of posts of the gold that a found post matches"),
        column("po_f1", "harmonic mean of po_p and po_r"),
        column("po_author", "posts matched with the right author / posts of the gold with an author"),
        column(
            "po_date",
            "posts matched with the right day / posts of the gold with a date that contains the day",
        ),
        column("po_link", "posts matched with the right address / posts of the gold with an address"),
    ],
    num_counts: 9,
    score,
    pool: Some(pool),
};

const fn column(name: &'static str, definition: &'static str) -> Column {
    Column { name, unit: "ratio", definition, pooled: true }
}

/// Minimum token F1 of two texts that match.
const MIN_F1: f64 = 0.8;
/// Minimum number of digits of a post number in a URL.
const MIN_DIGITS: usize = 3;

/// Counts: matched posts, found posts, posts of the gold; right and all authors, dates, links.
fn score(case: &Case, counts: &mut [f64], values: &mut [f64]) {
    let Some(posts) = case.posts else { return };
    let matches = matches(posts);
    let has_text = |text: &str| text.chars().any(char::is_alphanumeric);
    let found = posts.found.iter().filter(|post| has_text(&post.text)).count();
    let gold = posts.gold.iter().filter(|post| has_text(&post.text)).count();
    counts[0] = matches.len() as f64;
    (counts[1], counts[2]) = (found as f64, gold as f64);
    let mut of_gold = vec![None; posts.gold.len()];
    matches.iter().for_each(|&(gold, found)| of_gold[gold] = Some(&posts.found[found]));
    for (gold, found) in posts.gold.iter().zip(of_gold).filter(|(gold, _)| has_text(&gold.text)) {
        if let Some(author) = &gold.author {
            counts[4] += 1.0;
            counts[3] += count(found.is_some_and(|found| is_author(found, author, posts)));
        }
        if let Some(date) = &gold.date {
            let wanted = days(date, case.lang);
            let is_right = found.and_then(|post| post.date.as_deref()).is_some_and(|shown| {
                letters(shown) == letters(date) || is_same_day(&days(shown, case.lang), &wanted)
            });
            counts[6] += count(!wanted.is_empty());
            counts[5] += count(is_right && !wanted.is_empty());
        }
        if let Some(link) = &gold.link {
            counts[8] += 1.0;
            counts[7] +=
                count(found.and_then(|post| post.url.as_deref()).is_some_and(|url| is_same_place(url, link)));
        }
    }
    pool(counts, values);
}

fn count(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn pool(counts: &[f64], values: &mut [f64]) {
    let [matched, found, gold, ..] = *counts else { return };
    if gold == 0.0 {
        return;
    }
    values[..3].copy_from_slice(&prf(matched, found, gold));
    for (value, pair) in values[3..].iter_mut().zip(counts[3..].chunks_exact(2)) {
        *value = ratio_or(pair[0], pair[1], f64::NAN);
    }
}

/// Matches posts of the gold with found posts, the most similar pairs first. Each post is in at most one pair. The
/// texts of a pair have nearly the same words, or the longer text contains the shorter one, which has at least half
/// of the length of the longer one.
fn matches(posts: &PagePosts) -> Vec<(usize, usize)> {
    let mut interner = Interner::new();
    let mut texts = |texts: &mut dyn Iterator<Item = &str>| -> Vec<(Vec<u32>, String)> {
        texts.map(|text| (interner.encode(text), letters(text))).collect()
    };
    let gold = texts(&mut posts.gold.iter().map(|post| post.text.as_str()));
    let found = texts(&mut posts.found.iter().map(|post| post.text.as_str()));
    let mut pairs: Vec<(bool, f64, usize, usize, usize)> = Vec::new();
    for (g, (gold_tokens, gold_letters)) in gold.iter().enumerate() {
        for (f, (found_tokens, found_letters)) in found.iter().enumerate() {
            if gold_letters.is_empty() || found_letters.is_empty() {
                continue;
            }
            let hits = overlap(gold_tokens, found_tokens, interner.len()) as f64;
            let (p, r) = (hits / found_tokens.len() as f64, hits / gold_tokens.len() as f64);
            let f1 = f_measure(p, r);
            let (short, long) = match gold_letters.len() <= found_letters.len() {
                true => (gold_letters, found_letters),
                false => (found_letters, gold_letters),
            };
            let is_alike = f1 >= MIN_F1;
            if is_alike || 2 * short.len() >= long.len() && long.contains(short) {
                pairs.push((is_alike, f1, g.abs_diff(f), g, f));
            }
        }
    }
    // among equally similar pairs, those with the closest positions come first
    pairs.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then((a.2, a.3, a.4).cmp(&(b.2, b.3, b.4))));
    let (mut has_gold, mut has_found) = (vec![false; gold.len()], vec![false; found.len()]);
    let mut chosen = Vec::new();
    for (_, _, _, g, f) in pairs {
        if !has_gold[g] && !has_found[f] {
            (has_gold[g], has_found[f]) = (true, true);
            chosen.push((g, f));
        }
    }
    chosen
}

/// Returns the letters and digits of a text in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a found post has the author of the gold. The gold contains a name, or the URL of the page
/// of a member. If it is a URL, the text of any link to this URL is a name of the author.
fn is_author(found: &FoundPost, author: &str, posts: &PagePosts) -> bool {
    let Some(name) = found.author.as_deref().filter(|name| !name.trim().is_empty()) else { return false };
    let is_same = |other: &str| letters(other) == letters(name);
    is_same(author)
        || found.author_url.as_deref().is_some_and(|url| path(url) == path(author))
        || posts.names.get(author).is_some_and(|names| names.iter().any(|other| is_same(other)))
}

/// Returns whether two dates may be on the same day. A date without a year matches every year.
fn is_same_day(a: &[Day], b: &[Day]) -> bool {
    let is_same = |a: &Day, b: &Day| {
        (a.month, a.day) == (b.month, b.day) && (a.year.is_none() || b.year.is_none() || a.year == b.year)
    };
    a.iter().any(|a| b.iter().any(|b| is_same(a, b)))
}

/// Returns the path of a URL, without slashes at both ends.
fn path(url: &str) -> &str {
    without_host(url.trim()).trim_start_matches("./").trim_matches('/')
}

/// Returns whether two URLs refer to the same post: they are equal, have the same fragment, or have the same
/// last number of three digits or more.
fn is_same_place(a: &str, b: &str) -> bool {
    let place = |url: &str| url.split_once('#').map(|(_, place)| place.to_owned()).filter(|p| !p.is_empty());
    let number = |url: &str| {
        let mut numbers = url.split(|c: char| !c.is_ascii_digit());
        numbers.rfind(|n| n.len() >= MIN_DIGITS).map(str::to_owned)
    };
    let is_same = |of: &dyn Fn(&str) -> Option<String>| of(a).is_some_and(|a| of(b) == Some(a));
    path(a) == path(b) || is_same(&place) || is_same(&number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{score_page, summarise};
    use threshr_sets::gold::GoldPost;

    fn gold(text: &str, author: &str, date: &str, link: &str) -> GoldPost {
        let value = |value: &str| Some(value.to_owned()).filter(|value| !value.is_empty());
        GoldPost { text: text.to_owned(), author: value(author), date: value(date), link: value(link) }
    }

    fn found(text: &str, author: &str, date: &str, url: &str) -> FoundPost {
        let GoldPost { text, author, date, link } = gold(text, author, date, url);
        FoundPost { text, author, author_url: None, date, url: link }
    }

    fn scored(posts: &PagePosts) -> crate::metrics::PageScores {
        score_page(&[&POSTS], &Case { posts: Some(posts), lang: Some("en"), ..Case::default() })
    }

    #[test]
    fn posts_and_what_is_said_of_them_are_counted() {
        let posts = PagePosts {
            gold: vec![
                gold("It ticks when I pedal uphill", "/user/7", "3 May 2024", "/t/1#p100"),
                gold("Look at the lockring first", "Torque", "May 4", "/t/1#p101"),
                gold("Thanks", "", "3 days ago", ""),
                gold("That was it", "Paula", "2024-05-06", ""),
            ],
            found: vec![
                found(
                    "It ticks when I pedal uphill!",
                    "marten",
                    "2024-05-03T10:00:00",
                    "https://a.org/t/1#p100",
                ),
                found("Look at the lockring first. Mine came loose", "Torque", "2024-05-05", "/post/101"),
                found("Share this", "", "", ""),
            ],
            names: [("/user/7".to_owned(), vec!["Marten".to_owned()])].into(),
        };
        let got = scored(&posts);
        assert_eq!(got.counts, [2.0, 3.0, 4.0, 2.0, 3.0, 1.0, 3.0, 2.0, 2.0]);
        assert_eq!(got.values[..2], [2.0 / 3.0, 0.5]);
        let pooled: Vec<_> = summarise(&[&POSTS], &[got], 0).iter().map(|s| s.pooled).collect();
        assert_eq!(pooled[3..], [Some(2.0 / 3.0), Some(1.0 / 3.0), Some(1.0)]);
    }

    #[test]
    fn a_post_matches_one_other() {
        let posts = PagePosts {
            gold: vec![gold("Thank you", "", "", ""), gold("Thank you", "", "", "")],
            found: vec![found("Thank you", "", "", "")],
            ..PagePosts::default()
        };
        assert_eq!(scored(&posts).counts[..3], [1.0, 1.0, 2.0]);
        assert!(scored(&PagePosts::default()).values.iter().all(|value| value.is_nan()));
    }
}
