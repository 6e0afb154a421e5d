//! What several families need of a page, computed once.

use crate::families::attribute::{Kinds, kinds_of_elements};
use crate::families::site_repeat::SiteCounts;
use crate::learned::Vocabularies;
use crate::page_index::article_metadata;
use crate::page_index::article_metadata::ArticleMetadata;
use crate::page_index::depths::Depths;
use crate::page_index::hashing::word_hash;
use crate::page_index::keys::Keys;
use crate::page_index::names::ElementNames;
use crate::page_index::page_words::{PageWords, Word};
use crate::page_index::stats::BlockStats;
use crate::page_index::word_list::WordPlaces;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;
use threshr_core::policy::{Policy, PolicyChoice, Property};
use threshr_html::blocks::{Block, Blocks};
use threshr_html::text;
use threshr_html::{Document, NodeId, Tag};

/// Most words of a headline, and of a heading.
pub const MOST_HEADING_WORDS: u32 = 40;
/// Least share of a headline's words that stand in `<title>`.
const HEADLINE_OVERLAP: f32 = 0.7;
/// Fewest words and characters of a headline that is none by its element.
const LEAST_PART_WORDS: usize = 3;
const LEAST_PART_CHARS: u32 = 8;
/// Words of `<title>` that are looked at for its parts.
const MOST_IN_PARTS: usize = 100;

/// What is taken for the headline.
pub(crate) fn headline_definition() -> String {
    let dividers: String = DIVIDERS.iter().collect();
    format!(
        "the headline: of blocks of 2 to {MOST_HEADING_WORDS} words at least {HEADLINE_OVERLAP} of whose words stand in <title> the first in <h1>, in another heading, or, of {LEAST_PART_WORDS} words and {LEAST_PART_CHARS} characters or more and half of its words outside links at least, one that is all of <title> or whole parts of it (of its first {MOST_IN_PARTS} words, divided by {dividers}_ or by hyphens with white space around), in this order, but where a later one has more of the different words of <title> and no smaller share of its own, of those outside <h1> only such as have no more than half of the page's words outside links above; else the first <h1> of 2 to {MOST_HEADING_WORDS} words of which the same holds; else, wherever they stand, of those outside <h1> that have more than half of the different words of <title> the one so chosen; else the first <h1> of one word that is the first part of <title> and has no more than half of the page's words outside links above; a block stands in a heading where one of the innermost four elements around its begin is one"
    )
}

/// A page's document, its blocks, and the counts that features are made of.
#[derive(Debug)]
pub struct PageContext<'a> {
    /// The document.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// What is to count as content.
    pub policy: Policy,
    /// Properties whose switch only their own blocks see: to all others the policy columns show the opposite.
    pub confined: Vec<&'static Property>,
    /// What learned families rest on; without, their columns are 0.
    pub vocabularies: Option<&'a Vocabularies>,
    /// What is known of other pages of its site; without, columns that need a crawl are 0.
    pub site: Option<SiteCounts>,
    /// Whether the text that JSON-LD gives of it is not looked at.
    pub(crate) is_without_body: bool,
    /// Counts of each block.
    pub stats: Vec<BlockStats>,
    /// Sums of the counts over all blocks before each, and over all at the end.
    pub(crate) sums: Vec<Sums>,
    words: OnceLock<PageWords>,
    title: OnceLock<TitleWords>,
    headline: OnceLock<Option<usize>>,
    told: OnceLock<ArticleMetadata>,
    depths: OnceLock<Depths>,
    keys: OnceLock<Keys>,
    names: OnceLock<ElementNames<'a>>,
    kinds: OnceLock<Vec<Kinds>>,
    holders: OnceLock<Vec<NodeId>>,
}

/// What `<title>` says of the blocks.
#[derive(Debug)]
struct TitleWords {
    /// Share of each block's words that occur in it.
    overlap: Vec<f32>,
    /// Hashes of its different words.
    words: FxHashSet<u64>,
    /// Hashes of its first [`MOST_IN_PARTS`] words in order.
    in_order: Vec<u64>,
    /// How many of them stand before each part, which signs divide, and all at the end; in order, none twice.
    parts: Vec<usize>,
}

/// Counts over a stretch of blocks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    pub blocks: u32,
    pub words: u32,
    pub link_words: u32,
    pub chars: u32,
    pub sentences: u32,
    /// Blocks inside `<p>`.
    pub paragraphs: u32,
}

impl Sums {
    fn plus(self, s: &BlockStats, is_paragraph: bool) -> Self {
        Sums {
            blocks: self.blocks + 1,
            words: self.words + s.num_words,
            link_words: self.link_words + s.num_link_words,
            chars: self.chars + s.num_chars,
            sentences: self.sentences + s.num_sentences,
            paragraphs: self.paragraphs + u32::from(is_paragraph),
        }
    }
    fn minus(self, other: Self) -> Self {
        Sums {
            blocks: self.blocks - other.blocks,
            words: self.words - other.words,
            link_words: self.link_words - other.link_words,
            chars: self.chars - other.chars,
            sentences: self.sentences - other.sentences,
            paragraphs: self.paragraphs - other.paragraphs,
        }
    }
    /// Words outside links.
    pub fn text_words(&self) -> u32 {
        self.words - self.link_words
    }
}

impl<'a> PageContext<'a> {
    /// Counts over the blocks of a page, and its words.
    pub fn new(doc: &'a Document, blocks: &'a Blocks) -> Self {
        let (words, stats) = PageWords::of(blocks);
        Self::of_stats(doc, blocks, stats, words.into())
    }

    /// The same page, whose words are looked for where a family first asks: faster where none does, slower where one does.
    pub fn without_words(doc: &'a Document, blocks: &'a Blocks) -> Self {
        let mut scratch = WordPlaces::default();
        let stats =
            (0..blocks.len()).map(|index| BlockStats::without_words(blocks, index, &mut scratch)).collect();
        Self::of_stats(doc, blocks, stats, OnceLock::new())
    }

    fn of_stats(
        doc: &'a Document,
        blocks: &'a Blocks,
        stats: Vec<BlockStats>,
        words: OnceLock<PageWords>,
    ) -> Self {
        let mut sums = Vec::with_capacity(blocks.len() + 1);
        sums.push(Sums::default());
        let mut total = Sums::default();
        for (block, s) in blocks.iter().zip(&stats) {
            total = total.plus(s, doc.tag(block.node) == Tag::P);
            sums.push(total);
        }
        PageContext {
            doc,
            blocks,
            policy: Policy::default(),
            confined: Vec::new(),
            vocabularies: None,
            site: None,
            is_without_body: false,
            stats,
            sums,
            words,
            title: OnceLock::new(),
            headline: OnceLock::new(),
            told: OnceLock::new(),
            depths: OnceLock::new(),
            keys: OnceLock::new(),
            names: OnceLock::new(),
            kinds: OnceLock::new(),
            holders: OnceLock::new(),
        }
    }

    /// The same page under a policy.
    pub fn under(self, policy: impl Into<PolicyChoice>) -> Self {
        PageContext { policy: policy.into().of_page(|| self.is_running_text()), ..self }
    }

    /// The same page with switches that only the blocks of their own property see.
    pub fn confining(self, confined: Vec<&'static Property>) -> Self {
        PageContext { confined, ..self }
    }

    /// The same page with vocabularies for learned families.
    pub fn with_vocabularies(self, vocabularies: &'a Vocabularies) -> Self {
        PageContext { vocabularies: Some(vocabularies), ..self }
    }

    /// The same page with what is known of other pages of its site.
    pub fn on_site(self, site: Option<SiteCounts>) -> Self {
        PageContext { site, ..self }
    }

    /// The same page as if JSON-LD did not give its text.
    pub fn without_body(self) -> Self {
        PageContext { is_without_body: true, ..self }
    }

    /// The words of each block.
    pub fn words(&self) -> &PageWords {
        self.words.get_or_init(|| PageWords::of(self.blocks).0)
    }
    /// Whether the words are there, since it was made with them or a family has asked.
    pub(crate) fn has_words(&self) -> bool {
        self.words.get().is_some()
    }
    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.stats.len()
    }
    /// Whether the page has no block.
    pub fn is_empty(&self) -> bool {
        self.stats.is_empty()
    }
    /// Whether an element such as `wanted` is among the four innermost around the begin of a block.
    pub fn is_in(&self, index: usize, wanted: fn(Tag) -> bool) -> bool {
        self.blocks.is_in(self.doc, index, wanted)
    }
    /// The block that is the page's headline, as the column `position.is_headline` defines it.
    pub fn headline(&self) -> Option<usize> {
        *self.headline.get_or_init(|| self.find_headline())
    }
    /// Blocks of which the page itself tells what they are.
    pub fn article_metadata(&self) -> &ArticleMetadata {
        self.told.get_or_init(|| article_metadata::find(self))
    }
    fn find_headline(&self) -> Option<usize> {
        let short: Vec<usize> = (0..self.len())
            .filter(|&i| (2..=MOST_HEADING_WORDS).contains(&self.stats[i].num_words))
            .collect();
        let repeats = |i: &usize| self.title_overlap()[*i] >= HEADLINE_OVERLAP;
        let (h1, heading) =
            (|i: &usize| self.is_in(*i, |t| t == Tag::H1), |i: &usize| self.is_in(*i, Tag::is_heading));
        let titles = || short.iter().copied().filter(repeats);
        let is_below_all = |i: &usize| 2 * self.before(*i).text_words() > self.total().text_words();
        let is_most_of_title = |i: &usize| 2 * self.num_in_title(*i) > self.title().words.len();
        // the name of the site is an `<h1>` at times
        let others = |wanted: &dyn Fn(&usize) -> bool| {
            let found: Vec<usize> = titles().filter(|i| wanted(i)).collect();
            let parts = found.iter().copied().filter(|&i| self.is_part_of_title(i));
            found.iter().copied().filter(heading).chain(parts).collect::<Vec<_>>()
        };
        self.most_of_title(titles().filter(h1).chain(others(&|i| !is_below_all(i))))
            .or_else(|| short.iter().copied().find(h1).filter(|i| !is_below_all(i)))
            .or_else(|| self.most_of_title(others(&is_most_of_title).into_iter()))
            .or_else(|| (0..self.len()).find(|&i| h1(&i) && self.begins_title(i) && !is_below_all(&i)))
    }
    /// Whether a block is one word, the first part of `<title>` or all of it; the last is the site's name on most pages.
    fn begins_title(&self, index: usize) -> bool {
        let (TitleWords { in_order, parts, .. }, words) = (self.title(), self.words().block(index));
        words.len() == 1 && parts.get(1) == Some(&1) && in_order.first() == Some(&words[0].hash)
    }
    /// Whether a block's words are those of `<title>`, all of them or those from the begin of a part to the end of one.
    fn is_part_of_title(&self, index: usize) -> bool {
        let (TitleWords { in_order, parts, .. }, words) = (self.title(), self.words().block(index));
        words.len() >= LEAST_PART_WORDS
            && self.stats[index].num_chars >= LEAST_PART_CHARS
            && !self.stats[index].is_mostly_link()
            && parts.iter().any(|&from| {
                let to = from + words.len();
                parts.binary_search(&to).is_ok()
                    && in_order[from..to].iter().eq(words.iter().map(|w| &w.hash))
            })
    }
    /// The first of some blocks, or a later one that has more of the words of `<title>`, where these are no smaller share of its own: the
    /// site's name stands in titles too, as it does above the headline and below the page.
    pub(crate) fn most_of_title(&self, blocks: impl Iterator<Item = usize>) -> Option<usize> {
        let overlap = self.title_overlap();
        let with_found = blocks.map(|i| (i, self.num_in_title(i)));
        with_found
            .reduce(|a, b| if overlap[b.0] >= overlap[a.0] && b.1 > a.1 { b } else { a })
            .map(|best| best.0)
    }
    /// Different words of a block that stand in `<title>`.
    fn num_in_title(&self, index: usize) -> usize {
        let hashes = self.words().block(index).iter().map(|w| w.hash);
        hashes.filter(|hash| self.title().words.contains(hash)).collect::<FxHashSet<u64>>().len()
    }
    pub(crate) fn block(&self, index: usize) -> &Block {
        &self.blocks.blocks[index]
    }
    /// Counts over the whole page.
    pub(crate) fn total(&self) -> Sums {
        self.sums.last().copied().unwrap_or_default()
    }
    /// Counts over the blocks before `index`.
    pub(crate) fn before(&self, index: usize) -> Sums {
        self.sums[index]
    }
    /// Counts over the blocks inside `node`.
    pub(crate) fn inside(&self, node: NodeId) -> Sums {
        let range = &self.blocks.extent(node).blocks;
        self.between(range.start as usize, range.end as usize)
    }
    /// Counts over the blocks `from..to`; none where `to` is before `from`.
    pub(crate) fn between(&self, from: usize, to: usize) -> Sums {
        self.sums[to.max(from)].minus(self.sums[from])
    }
    /// Elements that a block stands in, in document order; the others say nothing of any block.
    pub(crate) fn holders(&self) -> &[NodeId] {
        self.holders.get_or_init(|| {
            let mut holds = vec![false; self.doc.num_nodes()];
            for block in self.blocks.iter() {
                let new = self.doc.ancestors_and_self(block.leaf);
                new.take_while(|&n| !std::mem::replace(&mut holds[n as usize], true)).for_each(drop);
            }
            self.blocks.elements().iter().copied().filter(|&n| holds[n as usize]).collect()
        })
    }
    /// Share of each block's words that occur in `<title>`; computed where a family first asks.
    pub(crate) fn title_overlap(&self) -> &[f32] {
        &self.title().overlap
    }
    /// Number of different words of `<title>`.
    pub(crate) fn num_title_words(&self) -> u32 {
        self.title().words.len() as u32
    }
    fn title(&self) -> &TitleWords {
        self.title.get_or_init(|| {
            let title = self.doc.title();
            let words: FxHashSet<u64> =
                text::words(&title).map(|(start, end)| word_hash(&title[start..end])).collect();
            let overlap = (0..self.len()).map(|i| overlap(self.words().block(i), &words)).collect();
            let (in_order, parts) = parts(&title);
            TitleWords { overlap, words, in_order, parts }
        })
    }
    /// How deep elements lie; computed where a family first asks.
    pub(crate) fn depths(&self) -> &Depths {
        self.depths.get_or_init(|| Depths::new(self.doc, self.blocks))
    }
    /// What makes elements alike; computed where a family first asks.
    pub(crate) fn keys(&self) -> &Keys {
        self.keys.get_or_init(|| Keys::of(self.doc, self.blocks, self.names()))
    }
    /// The kinds that elements' names belong to; computed where a family first asks.
    pub(crate) fn kinds(&self) -> &[Kinds] {
        self.kinds.get_or_init(|| kinds_of_elements(self))
    }
    /// What authors call elements; computed where a family first asks.
    pub(crate) fn names(&self) -> &ElementNames<'a> {
        self.names.get_or_init(|| ElementNames::of(self.doc, self.blocks))
    }
}

/// Signs that divide a title, whatever stands around them.
const DIVIDERS: [char; 16] =
    ['|', '–', '—', '«', '»', '‹', '›', '<', '>', '·', '•', ':', '/', '~', '\u{ff5c}', '\u{ff1a}'];

/// Hashes of the first words of a title, and how many stand before each of its parts and at the end.
fn parts(title: &str) -> (Vec<u64>, Vec<usize>) {
    let (mut hashes, mut parts, mut last) = (Vec::new(), vec![0], 0);
    for (start, end) in text::words(title).take(MOST_IN_PARTS) {
        let word = &title[start..end];
        // between characters that are words of their own it is one, too
        let is_sign = word.bytes().all(|b| b == b'_');
        if is_sign || is_divided(&title[last..start]) {
            parts.push(hashes.len());
        }
        if !is_sign {
            hashes.push(word_hash(word));
        }
        last = end;
    }
    parts.push(hashes.len());
    parts.dedup();
    (hashes, parts)
}

/// Whether what stands between two words of a title divides it in parts: one of [`DIVIDERS`], or hyphens with white space on both sides.
fn is_divided(between: &str) -> bool {
    let mut pieces = between.split(char::is_whitespace);
    // what touches a word
    let _ = (pieces.next(), pieces.next_back());
    between.contains(DIVIDERS) || pieces.any(|p| !p.is_empty() && p.bytes().all(|b| b == b'-'))
}

/// Share of the words that are in `title`; 0 without words. Long blocks are no titles: 0 beyond 60 words.
fn overlap(words: &[Word], title: &FxHashSet<u64>) -> f32 {
    const MOST_WORDS: usize = 60;
    if title.is_empty() || words.is_empty() || words.len() > MOST_WORDS {
        return 0.0;
    }
    let hits = words.iter().filter(|w| title.contains(&w.hash)).count();
    hits as f32 / words.len() as f32
}
