//! Detects the headline of a page, and measures how much of `<title>` each block repeats.

use crate::PageFacts;
use crate::text::hashing::word_hash;
use crate::text::word::Word;
use rustc_hash::FxHashSet;
use threshr_html::text;
use threshr_html::{Document, NodeId, Tag};

/// Maximum number of words of a headline or heading.
pub const MAX_HEADING_WORDS: u32 = 40;
/// Minimum share of a headline's words that occur in `<title>`.
const HEADLINE_OVERLAP: f32 = 0.7;
/// Minimum numbers of words and characters of a headline that is not in a heading.
const MIN_PART_WORDS: usize = 3;
const MIN_PART_CHARS: u32 = 8;
/// Maximum number of words of `<title>` that are split into segments.
const MAX_IN_PARTS: usize = 100;
/// Maximum number of words of a block that is compared with `<title>`.
const MAX_OVERLAP_WORDS: usize = 60;

/// Describes how the headline is detected.
pub fn headline_definition() -> String {
    let dividers: String = DIVIDERS.iter().collect();
    format!(
        "A block that is only a link to the home page of the site is not a headline. Candidates have 2 to \
         {MAX_HEADING_WORDS} words, and a share of at least {HEADLINE_OVERLAP} of them occurs in <title>. They are in <h1>, in another heading, or equal <title> or whole parts of it, and are taken \
         in this order. Those outside <h1> have at most half of the page's words outside links before them. \
         The first candidate wins, unless a later one has more different words of <title> and no smaller \
         share of its own words in <title>. Without a candidate the first <h1> of 2 to {MAX_HEADING_WORDS} \
         words is the headline, if at most half of the page's words outside links precede it. Else \
         candidates outside <h1> count wherever they are, if they have more than half of the different words \
         of <title>. Else an <h1> of one word counts that is the first part of <title>, if at most half of \
         the page's words outside links precede it. Parts of <title> (its first {MAX_IN_PARTS} words) are \
         divided by {dividers}_ or by hyphens with white space on both sides. A block that equals parts has \
         at least {MIN_PART_WORDS} words and {MIN_PART_CHARS} characters, and at most half of its words \
         in links. A block is in a heading if one of the four innermost elements around its start is a \
         heading."
    )
}

/// The words of `<title>`, and the share of each block's words that occur in `<title>`.
#[derive(Debug)]
pub struct TitleWords {
    /// Share of each block's words that occur in `<title>`.
    overlap: Vec<f32>,
    /// Hashes of the distinct words of `<title>`.
    words: FxHashSet<u64>,
    /// Hashes of the first [`MAX_IN_PARTS`] words of `<title>`, in order.
    in_order: Vec<u64>,
    /// Word offsets of the segments of `<title>`, followed by the number of words; ascending and distinct.
    parts: Vec<usize>,
}

impl TitleWords {
    /// Reads the first `<title>`.
    pub fn new(page: &PageFacts<'_>) -> Self {
        let title = page.doc.title();
        let words: FxHashSet<u64> =
            text::words(&title).map(|(start, end)| word_hash(&title[start..end])).collect();
        let overlap = (0..page.len()).map(|i| overlap(page.words().block(i), &words)).collect();
        let (in_order, parts) = parts(&title);
        TitleWords { overlap, words, in_order, parts }
    }
}

impl PageFacts<'_> {
    /// Returns the share of each block's words that occur in `<title>`.
    pub fn title_overlap(&self) -> &[f32] {
        &self.title().overlap
    }

    /// Returns the number of distinct words of `<title>`.
    pub fn num_title_words(&self) -> u32 {
        self.title().words.len() as u32
    }

    /// Returns the best headline candidate: the first candidate, or a later candidate that has more distinct
    /// words of `<title>` and at least the same share of words that occur in `<title>`.
    ///
    /// The reason is that a title often contains the site name, which may also be above the headline or below
    /// the text.
    pub fn most_of_title(&self, blocks: impl Iterator<Item = usize>) -> Option<usize> {
        let overlap = self.title_overlap();
        let with_found = blocks.map(|i| (i, self.num_in_title(i)));
        with_found
            .reduce(|a, b| if overlap[b.0] >= overlap[a.0] && b.1 > a.1 { b } else { a })
            .map(|best| best.0)
    }

    /// Finds the headline, see [`headline_definition`].
    pub fn find_headline(&self) -> Option<usize> {
        let is_short = |i: &usize| (2..=MAX_HEADING_WORDS).contains(&self.stats[*i].num_words);
        let short: Vec<usize> = (0..self.len()).filter(is_short).collect();
        // most blocks are not candidates, and the check of links is slower
        let is_own = |i: &usize| !self.leads_home(*i);
        let repeats = |i: &usize| self.title_overlap()[*i] >= HEADLINE_OVERLAP;
        let (h1, heading) =
            (|i: &usize| self.is_in(*i, |t| t == Tag::H1), |i: &usize| self.is_in(*i, Tag::is_heading));
        let titles = || short.iter().copied().filter(repeats).filter(is_own);
        let is_below_text = |i: &usize| 2 * self.before(*i).text_words() > self.total().text_words();
        let is_most_of_title = |i: &usize| 2 * self.num_in_title(*i) > self.title().words.len();
        // an `<h1>` may contain the site name, so candidates outside `<h1>` compete with it
        let others = |wanted: &dyn Fn(&usize) -> bool| {
            let found: Vec<usize> = titles().filter(|i| wanted(i)).collect();
            let parts = found.iter().copied().filter(|&i| self.is_part_of_title(i));
            found.iter().copied().filter(heading).chain(parts).collect::<Vec<_>>()
        };
        self.most_of_title(titles().filter(h1).chain(others(&|i| !is_below_text(i))))
            .or_else(|| short.iter().copied().find(|i| h1(i) && is_own(i)).filter(|i| !is_below_text(i)))
            .or_else(|| self.most_of_title(others(&is_most_of_title).into_iter()))
            .or_else(|| {
                (0..self.len())
                    .find(|&i| h1(&i) && self.begins_title(i) && !is_below_text(&i) && !self.leads_home(i))
            })
    }

    /// Whether a block is only a link to the home page, as is typical of a site name.
    fn leads_home(&self, index: usize) -> bool {
        let spans = self.blocks.spans(index);
        let mut links = spans.iter().map(|span| span.link);
        let Some(link) = links.next().flatten() else { return false };
        links.all(|other| other == Some(link)) && is_home(self.doc, link)
    }

    /// Whether a block is a single word that equals the first segment of `<title>`. On most pages, the last
    /// segment is the site name.
    fn begins_title(&self, index: usize) -> bool {
        let (TitleWords { in_order, parts, .. }, words) = (self.title(), self.words().block(index));
        words.len() == 1 && parts.get(1) == Some(&1) && in_order.first() == Some(&words[0].hash)
    }

    /// Whether the words of a block equal one or more consecutive segments of `<title>`.
    fn is_part_of_title(&self, index: usize) -> bool {
        let (TitleWords { in_order, parts, .. }, words) = (self.title(), self.words().block(index));
        words.len() >= MIN_PART_WORDS
            && self.stats[index].num_chars >= MIN_PART_CHARS
            && !self.stats[index].is_mostly_link()
            && parts.iter().any(|&from| {
                let to = from + words.len();
                parts.binary_search(&to).is_ok()
                    && in_order[from..to].iter().eq(words.iter().map(|w| &w.hash))
            })
    }

    /// Returns the number of distinct words of a block that occur in `<title>`.
    fn num_in_title(&self, index: usize) -> usize {
        let hashes = self.words().block(index).iter().map(|w| w.hash);
        hashes.filter(|hash| self.title().words.contains(hash)).collect::<FxHashSet<u64>>().len()
    }
}

/// Whether a link leads to the home page of a site: its `rel` contains `home`, or the path of its URL is `/` or
/// a file such as `index.html`.
fn is_home(doc: &Document, link: NodeId) -> bool {
    let mut relations = doc.attribute(link, "rel").unwrap_or_default().split_ascii_whitespace();
    if relations.any(|r| r.eq_ignore_ascii_case("home")) {
        return true;
    }
    let Some(address) = doc.attribute(link, "href") else { return false };
    let address = address.trim();
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let path = match address.split_once("//") {
        Some((scheme, rest)) if scheme.is_empty() || scheme.ends_with(':') => {
            rest.find('/').map_or("/", |start| &rest[start..])
        }
        _ => address,
    };
    let file = path.trim_start_matches(['.', '/']);
    let is_index = file.split_once('.').is_some_and(|(name, _)| name.eq_ignore_ascii_case("index"));
    path.starts_with(['/', '.']) && (file.is_empty() || is_index)
}

/// Characters that separate the segments of a title.
const DIVIDERS: [char; 16] =
    ['|', '–', '—', '«', '»', '‹', '›', '<', '>', '·', '•', ':', '/', '~', '\u{ff5c}', '\u{ff1a}'];

/// Returns the hashes of the first words of a title, and the word offsets of its segments followed by the number
/// of words.
fn parts(title: &str) -> (Vec<u64>, Vec<usize>) {
    let (mut hashes, mut parts, mut last) = (Vec::new(), vec![0], 0);
    for (start, end) in text::words(title).take(MAX_IN_PARTS) {
        let word = &title[start..end];
        // between characters of scripts without spaces, `_` is a word for the tokenizer
        let is_divider = word.bytes().all(|b| b == b'_');
        if is_divider || divides(&title[last..start]) {
            parts.push(hashes.len());
        }
        if !is_divider {
            hashes.push(word_hash(word));
        }
        last = end;
    }
    parts.push(hashes.len());
    parts.dedup();
    (hashes, parts)
}

/// Whether the text between two words of a title is a separator: one of [`DIVIDERS`], or hyphens with white
/// space on both sides.
fn divides(between: &str) -> bool {
    let mut pieces = between.split(char::is_whitespace);
    // the first and the last piece are adjacent to a word, so their hyphens are part of a word
    let _ = (pieces.next(), pieces.next_back());
    between.contains(DIVIDERS) || pieces.any(|p| !p.is_empty() && p.bytes().all(|b| b == b'-'))
}

/// Returns the share of words that occur in `title`; 0 if there are no words or more than [`MAX_OVERLAP_WORDS`].
fn overlap(words: &[Word], title: &FxHashSet<u64>) -> f32 {
    if title.is_empty() || words.is_empty() || words.len() > MAX_OVERLAP_WORDS {
        return 0.0;
    }
    let hits = words.iter().filter(|w| title.contains(&w.hash)).count();
    hits as f32 / words.len() as f32
}
