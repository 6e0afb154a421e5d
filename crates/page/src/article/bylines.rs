//! Detects bylines: blocks near the headline with the author or the date.

use crate::PageFacts;
use crate::article::captions::{Pictured, is_caption};
use crate::article::stamps;
use crate::names::metadata_names::{NAMES_FILE, has_word};
use crate::word_lists::list;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;
use threshr_html::{NodeId, Tag};

/// Number of blocks that are searched before and after the headline.
const NUM_BEFORE: usize = 2;
const NUM_AFTER: usize = 8;
/// A block is short if it has at most this number of words, or at most this number of characters. The second number
/// is for scripts without spaces, where each character counts as a word.
const MAX_WORDS: u32 = 20;
const MAX_CHARS: u32 = 60;
/// Maximum number of words of a lead or caption between headline and byline.
const MAX_LEAD_WORDS: u32 = 60;
/// Maximum number of words of a byline after a lead. Longer blocks there may be sentences of the text.
const MAX_WORDS_AFTER_LEAD: u32 = 8;
/// Maximum number of words of a block with a date before the headline. Longer blocks show, for example, the date
/// of an edition.
const MAX_STAMP_WORDS_BEFORE: u32 = 10;
/// Maximum number of words of a name in a separate block, and of a block such as `By` before it.
const MAX_NAME_WORDS: u32 = 6;
const MAX_BY_WORDS: u32 = 2;

const FILE: &str = include_str!("../../data/bylines.tsv");

/// Words that indicate a byline.
struct BylineWords {
    /// Words at the start of a byline.
    starts: Vec<&'static str>,
    /// Prefixes of the first word.
    start_prefixes: Vec<&'static str>,
    /// Suffixes of any word.
    suffixes: Vec<&'static str>,
    /// Words that may precede `by`, such as `story`.
    before_by: Vec<&'static str>,
    /// Words in the names of elements that contain an author or a date.
    names: FxHashSet<&'static str>,
}

static WORDS: LazyLock<BylineWords> = LazyLock::new(|| BylineWords {
    starts: list(FILE, "starts"),
    start_prefixes: list(FILE, "start_prefixes"),
    suffixes: list(FILE, "suffixes"),
    before_by: list(FILE, "before_by"),
    names: list(NAMES_FILE, "byline").into_iter().collect(),
});

/// Describes how bylines are detected.
pub fn byline_definition() -> String {
    format!(
        "The {NUM_BEFORE} blocks before the headline and the {NUM_AFTER} blocks after it are searched. The \
         search ends on either side at a block of more than {MAX_WORDS} words and {MAX_CHARS} characters. \
         After the headline one lead of at most {MAX_LEAD_WORDS} words is passed; bylines after it have at \
         most {MAX_WORDS_AFTER_LEAD} words or {MAX_CHARS} characters. Bylines before the headline are not \
         mostly links. They are also not in a <nav> or in a <header> outside <article> and <main> that lacks \
         the headline. A block is a byline if it is a stamp (see thread.is_stamp), before the headline of at \
         most {MAX_STAMP_WORDS_BEFORE} words. It is one if one of its two innermost elements is <time>, has \
         author in rel, or has a byline word in class, id or itemprop (list byline in \
         data/article_metadata_names.tsv). The other rules hold after the headline and use the lists in \
         data/bylines.tsv. The block has two words or more and the first is one of the list starts or begins \
         with one of start_prefixes. Or it has at most {MAX_WORDS_AFTER_LEAD} words, and one ends with one \
         of suffixes or the second is \"by\" after one of before_by. Or it is a block of at most \
         {MAX_BY_WORDS} words outside links that all start a byline, or a name of at most {MAX_NAME_WORDS} \
         words right after such a block. Captions are not bylines."
    )
}

/// Returns the blocks that are bylines.
pub fn bylines(page: &PageFacts<'_>, pictured: &Pictured) -> Vec<usize> {
    let Some(headline) = page.headline() else { return Vec::new() };
    let is_stamp = |i: usize| {
        (i > headline || page.stats[i].num_words <= MAX_STAMP_WORDS_BEFORE) && stamps::is_stamp(page, i)
    };
    // names of sites and places also begin with words such as `by`, so this test applies only after the headline
    let is_by = |i: usize| {
        let is_name = |i: usize| i > headline + 1 && is_name_after_by(page, i);
        i > headline && (has_by(page, i) || is_name(i) || i + 1 < page.len() && is_name(i + 1))
    };
    let is_byline = |&i: &usize| is_stamp(i) || is_named_byline(page, i) || is_by(i);
    let mut found: Vec<usize> = candidates_before(page, headline)
        .chain(candidates_after(page, headline))
        .filter(is_byline)
        .filter(|&i| !is_caption(page, i, pictured))
        .collect();
    found.sort_unstable();
    found
}

fn is_of_size(page: &PageFacts<'_>, i: usize, most_words: u32) -> bool {
    let stats = &page.stats[i];
    stats.num_words <= most_words || stats.num_chars <= MAX_CHARS
}

fn candidates_before(page: &PageFacts<'_>, headline: usize) -> impl Iterator<Item = usize> {
    let short = (0..headline).rev().take(NUM_BEFORE).take_while(|&i| is_of_size(page, i, MAX_WORDS));
    short.filter(move |&i| !page.stats[i].is_mostly_link() && !is_of_site(page, i, headline))
}

/// Returns the short blocks after the headline. After the first lead, the maximum number of words is lower.
fn candidates_after(page: &PageFacts<'_>, headline: usize) -> impl Iterator<Item = usize> {
    let after = (headline + 1..page.len()).take(NUM_AFTER);
    let fitting = after.scan(MAX_WORDS, |most, i| {
        let is_short = is_of_size(page, i, MAX_WORDS);
        if !is_short && (*most < MAX_WORDS || !is_of_size(page, i, MAX_LEAD_WORDS)) {
            return None;
        }
        let fits = is_of_size(page, i, *most);
        if !is_short {
            *most = MAX_WORDS_AFTER_LEAD;
        }
        Some(fits.then_some(i))
    });
    fitting.flatten()
}

/// Returns whether a block is in the navigation or in the header of the site, and the headline is not in the
/// same element.
fn is_of_site(page: &PageFacts<'_>, i: usize, headline: usize) -> bool {
    let doc = page.doc;
    let mut around = doc.ancestors_and_self(page.block(i).leaf);
    // the nearest of these elements determines the result, because an article may contain a header
    let decides = |&n: &NodeId| matches!(doc.tag(n), Tag::NAV | Tag::HEADER | Tag::ARTICLE | Tag::MAIN);
    let Some(nearest) = around.find(decides) else { return false };
    let is_of_site = match doc.tag(nearest) {
        Tag::NAV => true,
        Tag::HEADER => !around.any(|n| matches!(doc.tag(n), Tag::ARTICLE | Tag::MAIN)),
        _ => false,
    };
    is_of_site && !doc.ancestors_and_self(page.block(headline).leaf).any(|n| n == nearest)
}

/// Whether a word indicates the start of a byline.
fn starts_byline(word: &str) -> bool {
    WORDS.starts.contains(&word) || WORDS.start_prefixes.iter().any(|prefix| word.starts_with(prefix))
}

/// Returns the runs of letters in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}

/// Whether a block of two or more words is a byline according to its words.
fn has_by(page: &PageFacts<'_>, i: usize) -> bool {
    let num_words = page.stats[i].num_words;
    if num_words < 2 {
        return false;
    }
    let words: Vec<String> = words(page.blocks.text(i)).collect();
    let Some(first) = words.first() else { return false };
    let is_by_second =
        || WORDS.before_by.contains(&first.as_str()) && words.get(1).is_some_and(|second| second == "by");
    let has_suffix = |word: &String| WORDS.suffixes.iter().any(|suffix| word.ends_with(suffix));
    starts_byline(first)
        || num_words <= MAX_WORDS_AFTER_LEAD && (is_by_second() || words.iter().any(has_suffix))
}

/// Whether a short block follows a block such as `Written by`, whose words all start a byline.
fn is_name_after_by(page: &PageFacts<'_>, i: usize) -> bool {
    let (name, by) = (&page.stats[i], &page.stats[i - 1]);
    let mut by_words = words(page.blocks.text(i - 1)).peekable();
    (1..=MAX_NAME_WORDS).contains(&name.num_words)
        && (1..=MAX_BY_WORDS).contains(&by.num_words)
        && !by.is_mostly_link()
        && by_words.peek().is_some()
        && by_words.all(|word| starts_byline(&word))
}

/// Whether one of the two innermost elements of a block is `<time>` or has a byline name.
fn is_named_byline(page: &PageFacts<'_>, i: usize) -> bool {
    let doc = page.doc;
    // compare whole words: links to other articles have values such as `rel=published-1262`
    let has_author = |n| {
        let mut kinds = doc.attribute(n, "rel").unwrap_or_default().split_ascii_whitespace();
        kinds.any(|kind| kind.eq_ignore_ascii_case("author"))
    };
    let mut innermost = doc.ancestors_and_self(page.block(i).leaf).take(2);
    innermost.any(|n| {
        doc.tag(n) == Tag::TIME
            || has_author(n)
            || ["class", "id", "itemprop"].iter().any(|name| has_word(page, n, name, &WORDS.names))
    })
}
