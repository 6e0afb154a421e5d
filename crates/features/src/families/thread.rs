//! Series of dated posts, as in comments below an article, forums and news lists. A stamp is a block with the
//! date or time of a post.

use crate::{Column, Family, Grid, PageContext, ratio};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;
use threshr_html::text::comment_announcements::{MANY, ONE, PHRASES, REPLIES};
use threshr_page::article::stamps::is_stamp;
use threshr_page::text::hashing::word_hash;

/// The family.
pub(crate) struct Thread;

const SOURCE: &str = "this project";

/// Minimum number of stamps in a series.
const MIN_SERIES: u32 = 3;
/// Maximum number of words of a mark, which is a block that announces comments.
const MAX_MARK_WORDS: u32 = 8;
/// Maximum distance in blocks; larger distances are clamped.
const FAR: usize = 60;
/// Number of blocks before and after a block in which stamps are counted.
const RADIUS: usize = 10;

/// Columns: name, unit, definition.
const COLUMNS: &[(&str, &str, &str)] = &[
    (
        "is_stamp",
        "flag",
        "1 if the block is a stamp: a block of at most 25 words that contains at least 3 digits and a date \
         or a time of day, or a block of at most 12 words that contains a relative date such as 3 hours ago",
    ),
    ("num_stamps", "blocks", "number of stamps of the page"),
    ("stamps_near", "blocks", "number of stamps at most 10 blocks away, this block included"),
    (
        "since_stamp",
        "blocks",
        "distance in blocks to the nearest stamp before the block, at most 60; 0 if the block is a stamp; 60 \
         if there is no stamp before the block",
    ),
    (
        "until_stamp",
        "blocks",
        "distance in blocks to the nearest stamp after the block, at most 60; 0 if the block is a stamp; 60 \
         if there is no stamp after the block",
    ),
    (
        "series_num",
        "blocks",
        "number of stamps in the main series of the page; 0 without a series. A series consists of 3 or more \
         stamps with the same tag path; the main series is the series that spans the most words outside \
         links",
    ),
    (
        "series_share",
        "ratio",
        "share of the page's words outside links between the first and the last stamp of the main series",
    ),
    (
        "series_before",
        "ratio",
        "share of the page's words outside links before the first stamp of the main series",
    ),
    (
        "series_words",
        "words",
        "words outside links between the first and the last stamp of the main series / (series_num - 1)",
    ),
    ("series_link_density", "ratio", "link density between the first and the last stamp of the main series"),
    (
        "series_place",
        "ratio",
        "position in the main series, from 0 at the first stamp to 1 at the last stamp. Before the first \
         stamp: -(distance to the first stamp / blocks of the page). After the last stamp: 1 + distance to \
         the last stamp / blocks of the page. -1 without a series",
    ),
    (
        "is_mark",
        "flag",
        "1 if the block is a mark: a block of at most 8 words that announces comments (in 60 languages), \
         such as 3 comments",
    ),
    (
        "since_mark",
        "blocks",
        "distance in blocks to the nearest mark before the block, at most 1000; 0 if the block is a mark; \
         1000 if there is no mark before the block",
    ),
    (
        "words_since_mark",
        "ratio",
        "share of the page's words outside links that are between the nearest mark before the block and the \
         block; 0 without a mark before the block",
    ),
    (
        "words_before_mark",
        "ratio",
        "share of the page's words outside links that are before the nearest mark before the block; 0 \
         without a mark before the block",
    ),
    ("num_marks", "blocks", "number of marks of the page"),
];

impl Family for Thread {
    fn name(&self) -> &'static str {
        "thread"
    }
    fn summary(&self) -> &'static str {
        "series of dated posts, and blocks that announce comments"
    }
    fn columns(&self) -> Vec<Column> {
        COLUMNS.iter().map(|&(name, unit, text)| Column::new(name, unit, text, SOURCE)).collect()
    }

    fn reads_words(&self, _wanted: &[bool]) -> bool {
        true
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let stamps: Vec<usize> = (0..page.len()).filter(|&i| is_stamp(page, i)).collect();
        fill_stamps(page, &stamps, out);
        fill_series(page, &stamps, out);
        fill_marks(page, out);
    }
}

fn fill_stamps(page: &PageContext<'_>, stamps: &[usize], out: &mut Grid<'_>) {
    out.column(1).fill(stamps.len() as f32);
    if stamps.is_empty() {
        [3, 4].into_iter().for_each(|column| out.column(column).fill(FAR as f32));
        return;
    }
    // indices into `stamps`: the first stamp at or after the block, and the range of the stamps within the
    // radius
    let (mut next, mut from, mut to) = (0, 0, 0);
    for index in 0..page.len() {
        let advance = |at: &mut usize, is_passed: &dyn Fn(usize) -> bool| {
            while stamps.get(*at).is_some_and(|&s| is_passed(s)) {
                *at += 1;
            }
        };
        advance(&mut next, &|s| s < index);
        advance(&mut from, &|s| s + RADIUS < index);
        advance(&mut to, &|s| s <= index + RADIUS);
        let until = stamps.get(next).map_or(FAR, |&s| (s - index).min(FAR));
        let is_stamp = until == 0;
        let last = if is_stamp { Some(index) } else { next.checked_sub(1).map(|i| stamps[i]) };
        let since = last.map_or(FAR, |s| (index - s).min(FAR));
        out.set(0, index, f32::from(u8::from(is_stamp)));
        out.set_all(2, index, &[(to - from) as f32, since as f32, until as f32]);
    }
}

/// A series of stamps with the same path of tags.
#[derive(Clone, Copy)]
struct Series {
    num: u32,
    first: usize,
    last: usize,
}

fn fill_series(page: &PageContext<'_>, stamps: &[usize], out: &mut Grid<'_>) {
    const FIRST: usize = 5;
    const PLACE: usize = 10;
    let mut all: FxHashMap<u64, Series> = FxHashMap::default();
    for &index in stamps {
        let path = page.keys().paths(page.blocks, page.block(index).leaf).tags;
        let series = all.entry(path).or_insert(Series { num: 0, first: index, last: index });
        series.num += 1;
        series.last = index;
    }
    let words_of = |s: &Series| page.between(s.first, s.last).text_words();
    let long = all.into_values().filter(|s| s.num >= MIN_SERIES);
    let greatest = long.max_by_key(|s| (words_of(s), s.num, usize::MAX - s.first, s.last));
    let Some(series) = greatest else {
        out.column(PLACE).fill(-1.0);
        return;
    };
    let inside = page.between(series.first, series.last);
    let total = page.total().text_words();
    let of_page = [
        series.num as f32,
        ratio(inside.text_words(), total),
        ratio(page.before(series.first).text_words(), total),
        ratio(inside.text_words(), series.num - 1),
        ratio(inside.link_words, inside.words),
    ];
    of_page.into_iter().enumerate().for_each(|(i, value)| out.column(FIRST + i).fill(value));
    let (first, last, blocks) = (series.first as f32, series.last as f32, page.len() as f32);
    for (index, place) in out.column(PLACE).iter_mut().enumerate() {
        let at = index as f32;
        *place = if at < first {
            (at - first) / blocks
        } else if at > last {
            1.0 + (at - last) / blocks
        } else {
            (at - first) / (last - first)
        };
    }
}

/// Value of `since_mark` if there is no mark before the block. Larger values are clamped to it.
const NO_MARK: usize = 1000;

fn fill_marks(page: &PageContext<'_>, out: &mut Grid<'_>) {
    const FIRST: usize = 11;
    let marks: Vec<usize> = (0..page.len()).filter(|&i| is_mark(page, i)).collect();
    out.column(FIRST + 4).fill(marks.len() as f32);
    let first = marks.first().copied().unwrap_or(page.len());
    out.column(FIRST + 1)[..first].fill(NO_MARK as f32);
    let total = page.total().text_words();
    let ends = marks.iter().skip(1).copied().chain([page.len()]);
    for (&mark, end) in marks.iter().zip(ends) {
        out.set(FIRST, mark, 1.0);
        let before = ratio(page.before(mark).text_words(), total);
        for index in mark..end {
            let since = (index - mark).min(NO_MARK) as f32;
            let words = ratio(page.between(mark, index).text_words(), total);
            out.set_all(FIRST + 1, index, &[since, words, before]);
        }
    }
}

/// Returns true if a block is a mark, see the column `is_mark`.
fn is_mark(page: &PageContext<'_>, index: usize) -> bool {
    let s = &page.stats[index];
    if s.num_words > MAX_MARK_WORDS {
        return false;
    }
    let comment_words = &*COMMENT_WORDS;
    if page.words().block(index).iter().any(|w| comment_words.has(w.hash)) {
        return true;
    }
    let text = page.blocks.text(index);
    // every phrase contains a character with at least three bytes, so other texts are rejected quickly
    text.bytes().any(|b| b >= 0xE0) && PHRASES.iter().any(|p| text.contains(p))
}

/// A set of word hashes, with a bit filter that rejects most other words before the lookup.
struct WordFilter {
    bits: [u64; 64],
    hashes: FxHashSet<u64>,
}

impl WordFilter {
    fn new<'w>(words: impl Iterator<Item = &'w &'w str>) -> Self {
        let mut filter = WordFilter { bits: [0; 64], hashes: words.map(|w| word_hash(w)).collect() };
        filter.hashes.iter().for_each(|&hash| filter.bits[Self::word(hash)] |= 1 << (hash % 64));
        filter
    }
    fn word(hash: u64) -> usize {
        (hash >> 58) as usize
    }
    fn has(&self, hash: u64) -> bool {
        self.bits[Self::word(hash)] >> (hash % 64) & 1 == 1 && self.hashes.contains(&hash)
    }
}

static COMMENT_WORDS: LazyLock<WordFilter> =
    LazyLock::new(|| WordFilter::new(ONE.iter().chain(MANY).chain(REPLIES)));

#[cfg(test)]
mod tests {
    use crate::tests::values;

    fn page() -> String {
        let comment = |i: usize| format!("<li><b>Ann {i}, 12:3{i}</b><p>{}</li>", "word ".repeat(10));
        let list: String = (0..4).map(comment).collect();
        format!("<p>On 3.5.2024<p>{}<h3>4 comments</h3><ul>{list}</ul><p>end", "text ".repeat(60))
    }

    #[test]
    fn stamps_and_their_distances() {
        let is_stamp = values(&page(), "thread.is_stamp");
        assert_eq!(is_stamp, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(&page(), "thread.num_stamps")[0], 5.0);
        assert_eq!(values(&page(), "thread.since_stamp")[..4], [0.0, 1.0, 2.0, 0.0]);
        assert_eq!(values(&page(), "thread.until_stamp")[..4], [0.0, 2.0, 1.0, 0.0]);
        assert_eq!(values(&page(), "thread.until_stamp")[10..], [60.0, 60.0]);
        let many = format!("<p>12:30{}<p>x", "<p>y".repeat(12));
        let near = values(&many, "thread.stamps_near");
        assert_eq!((near[0], near[10], near[11]), (1.0, 1.0, 0.0));
    }

    #[test]
    fn the_main_series_is_found() {
        let of = |column: &str| values(&page(), &format!("thread.series_{column}"));
        assert_eq!(of("num")[0], 4.0);
        // words from the first to the last of the four stamps: three stamps of four words and three comments
        // of ten words
        let (words, total) = (3.0 * 14.0, 4.0 + 60.0 + 2.0 + 4.0 * 14.0 + 1.0);
        assert!((of("share")[0] - words / total).abs() < 1e-6);
        assert!((of("before")[0] - 66.0 / total).abs() < 1e-6);
        assert_eq!(of("words")[0], 14.0);
        assert_eq!(of("place")[2..5], [-1.0 / 12.0, 0.0, 1.0 / 6.0]);
        assert_eq!(values("<p>12:30<p>x", "thread.series_place"), [-1.0, -1.0]);
    }

    #[test]
    fn marks_are_short_blocks_with_a_word_for_comments() {
        let html = "<p>one two<p>Kommentare (3)<p>three<p>four<p>a long line on what comments are for and why<p>3条评论";
        assert_eq!(values(html, "thread.is_mark"), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(values(html, "thread.since_mark"), [1000.0, 0.0, 1.0, 2.0, 3.0, 0.0]);
        assert_eq!(values(html, "thread.num_marks")[0], 2.0);
    }
}
