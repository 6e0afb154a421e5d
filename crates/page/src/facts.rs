//! Facts about a page: its blocks, their counts, and indexes that are computed on first use.

use crate::article::article_metadata;
use crate::article::article_metadata::ArticleMetadata;
use crate::article::headline::TitleWords;
use crate::depths::Depths;
use crate::names::element_names::ElementNames;
use crate::names::keys::Keys;
use crate::names::name_kinds::{NameKinds, kinds_of_elements};
use crate::text::page_words::PageWords;
use crate::text::stats::BlockStats;
use crate::text::word_list::WordPlaces;
use crate::threads::Finding;
use std::sync::OnceLock;
use threshr_html::blocks::{Block, Blocks};
use threshr_html::{Document, NodeId, Tag};

/// A page with its blocks, and the facts that feature families, filters, metadata and output formats read.
///
/// Each fact is computed in one place. Indexes such as words, names and depths are computed on first use.
#[derive(Debug)]
pub struct PageFacts<'a> {
    /// The document.
    pub doc: &'a Document,
    /// The blocks of the page.
    pub blocks: &'a Blocks,
    /// Counts of each block.
    pub stats: Vec<BlockStats>,
    /// Prefix sums of the counts: entry `i` covers the blocks before `i`; the last entry covers all blocks.
    pub sums: Vec<Sums>,
    words: OnceLock<PageWords>,
    title: OnceLock<TitleWords>,
    headline: OnceLock<Option<usize>>,
    article_metadata: OnceLock<ArticleMetadata>,
    depths: OnceLock<Depths>,
    keys: OnceLock<Keys>,
    names: OnceLock<ElementNames<'a>>,
    kinds: OnceLock<Vec<NameKinds>>,
    holders: OnceLock<Vec<NodeId>>,
    thread: OnceLock<Finding>,
}

/// Counts over a range of blocks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sums {
    /// Number of blocks.
    pub blocks: u32,
    /// Number of words.
    pub words: u32,
    /// Number of words in links.
    pub link_words: u32,
    /// Number of characters.
    pub chars: u32,
    /// Number of sentences.
    pub sentences: u32,
    /// Number of blocks whose block-level element is `<p>`.
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
    /// Returns the number of words outside links.
    pub fn text_words(&self) -> u32 {
        self.words - self.link_words
    }
}

impl<'a> PageFacts<'a> {
    /// Indexes a page, including its words.
    pub fn new(doc: &'a Document, blocks: &'a Blocks) -> Self {
        let (words, stats) = PageWords::new(blocks);
        Self::of_stats(doc, blocks, stats, words.into())
    }

    /// Indexes a page without its words. The words are computed on first use.
    ///
    /// This is faster than [`PageFacts::new`] if nothing reads words, and slower otherwise.
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
        PageFacts {
            doc,
            blocks,
            stats,
            sums,
            words,
            title: OnceLock::new(),
            headline: OnceLock::new(),
            article_metadata: OnceLock::new(),
            depths: OnceLock::new(),
            keys: OnceLock::new(),
            names: OnceLock::new(),
            kinds: OnceLock::new(),
            holders: OnceLock::new(),
            thread: OnceLock::new(),
        }
    }

    /// Returns the words of each block.
    pub fn words(&self) -> &PageWords {
        self.words.get_or_init(|| PageWords::new(self.blocks).0)
    }
    /// Returns the counts of each block, and the words if they have been computed.
    pub fn into_stats_and_words(self) -> (Vec<BlockStats>, Option<PageWords>) {
        (self.stats, self.words.into_inner())
    }
    /// Returns the number of blocks.
    pub fn len(&self) -> usize {
        self.stats.len()
    }
    /// Whether the page has no blocks.
    pub fn is_empty(&self) -> bool {
        self.stats.is_empty()
    }
    /// Whether `wanted` is true for one of the four innermost elements around the start of a block.
    pub fn is_in(&self, index: usize, wanted: fn(Tag) -> bool) -> bool {
        self.blocks.is_in(self.doc, index, wanted)
    }
    /// Returns the index of the headline block; see the column `position.is_headline`.
    pub fn headline(&self) -> Option<usize> {
        *self.headline.get_or_init(|| self.find_headline())
    }
    /// Returns the headline, byline and caption blocks.
    pub fn article_metadata(&self) -> &ArticleMetadata {
        self.article_metadata.get_or_init(|| article_metadata::find(self))
    }
    /// Searches the page for a thread. The headline of the page does not count as a part of a post.
    pub fn thread(&self) -> &Finding {
        self.thread.get_or_init(|| {
            let found = Finding::new(self.doc, self.blocks, self.names(), None);
            match self.headline().filter(|_| !found.parts().slots.is_empty()) {
                Some(headline) => found.without_beside(headline),
                None => found,
            }
        })
    }
    /// Returns the result of [`thread`](Self::thread) by value.
    pub fn take_thread(&mut self) -> Finding {
        self.thread();
        self.thread.take().unwrap_or_default()
    }
    /// Returns the result of [`article_metadata`](Self::article_metadata) by value, if it has been computed.
    pub fn take_article_metadata(&mut self) -> Option<ArticleMetadata> {
        self.article_metadata.take()
    }
    /// Returns a block by its index.
    pub fn block(&self, index: usize) -> &Block {
        &self.blocks.blocks[index]
    }
    /// Returns the counts over the whole page.
    pub fn total(&self) -> Sums {
        self.sums.last().copied().unwrap_or_default()
    }
    /// Returns the counts over the blocks before `index`.
    pub fn before(&self, index: usize) -> Sums {
        self.sums[index]
    }
    /// Returns the counts over the blocks inside `node`.
    pub fn inside(&self, node: NodeId) -> Sums {
        let range = &self.blocks.extent(node).blocks;
        self.between(range.start as usize, range.end as usize)
    }
    /// Returns the counts over the blocks `from..to`; all are 0 if `to` is less than `from`.
    pub fn between(&self, from: usize, to: usize) -> Sums {
        self.sums[to.max(from)].minus(self.sums[from])
    }
    /// Returns the elements that contain a block, in document order.
    pub fn holders(&self) -> &[NodeId] {
        self.holders.get_or_init(|| {
            let mut holds = vec![false; self.doc.num_nodes()];
            for block in self.blocks.iter() {
                let new = self.doc.ancestors_and_self(block.leaf);
                new.take_while(|&n| !std::mem::replace(&mut holds[n as usize], true)).for_each(drop);
            }
            self.blocks.elements().iter().copied().filter(|&n| holds[n as usize]).collect()
        })
    }
    /// Returns the words of `<title>`.
    pub fn title(&self) -> &TitleWords {
        self.title.get_or_init(|| TitleWords::new(self))
    }
    /// Returns the depths of the elements.
    pub fn depths(&self) -> &Depths {
        self.depths.get_or_init(|| Depths::new(self.doc, self.blocks))
    }
    /// Returns the keys for comparing elements by tag, class and path.
    pub fn keys(&self) -> &Keys {
        self.keys.get_or_init(|| Keys::new(self.doc, self.blocks, self.names()))
    }
    /// Returns the kinds of elements, such as `comment` or `nav`, derived from their names.
    pub fn kinds(&self) -> &[NameKinds] {
        self.kinds.get_or_init(|| kinds_of_elements(self))
    }
    /// Returns the class, id and other names of elements.
    pub fn names(&self) -> &ElementNames<'a> {
        self.names.get_or_init(|| ElementNames::new(self.doc, self.blocks))
    }
}
