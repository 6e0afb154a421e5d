//! The facts of a page: its blocks, their counts, and indexes that are computed once on first use.

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
use std::sync::OnceLock;
use threshr_html::blocks::{Block, Blocks};
use threshr_html::{Document, NodeId, Tag};

/// A page, its blocks, and what feature families, filters, metadata and formats read of them.
///
/// Each fact is found in one place. Indexes such as words, names and depths are computed on first use.
#[derive(Debug)]
pub struct PageFacts<'a> {
    /// The document.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Counts of each block.
    pub stats: Vec<BlockStats>,
    /// Sums of the counts over the blocks before each block, and over all blocks at the end.
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
    /// Blocks whose block-level element is `<p>`.
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

impl<'a> PageFacts<'a> {
    /// Indexes a page, its words included.
    pub fn new(doc: &'a Document, blocks: &'a Blocks) -> Self {
        let (words, stats) = PageWords::of(blocks);
        Self::of_stats(doc, blocks, stats, words.into())
    }

    /// Indexes a page without its words, which are found on first use.
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
        }
    }

    /// The words of each block.
    pub fn words(&self) -> &PageWords {
        self.words.get_or_init(|| PageWords::of(self.blocks).0)
    }
    /// The counts of each block, and the words if they are found already.
    pub fn into_stats_and_words(self) -> (Vec<BlockStats>, Option<PageWords>) {
        (self.stats, self.words.into_inner())
    }
    /// Whether the words are found already.
    pub fn has_words(&self) -> bool {
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
    /// Whether one of the four innermost elements around the start of a block is `wanted`.
    pub fn is_in(&self, index: usize, wanted: fn(Tag) -> bool) -> bool {
        self.blocks.is_in(self.doc, index, wanted)
    }
    /// The headline of the page, see the column `position.is_headline`.
    pub fn headline(&self) -> Option<usize> {
        *self.headline.get_or_init(|| self.find_headline())
    }
    /// Headline, byline and captions of the page.
    pub fn article_metadata(&self) -> &ArticleMetadata {
        self.article_metadata.get_or_init(|| article_metadata::find(self))
    }
    /// A block.
    pub fn block(&self, index: usize) -> &Block {
        &self.blocks.blocks[index]
    }
    /// Counts over the whole page.
    pub fn total(&self) -> Sums {
        self.sums.last().copied().unwrap_or_default()
    }
    /// Counts over the blocks before `index`.
    pub fn before(&self, index: usize) -> Sums {
        self.sums[index]
    }
    /// Counts over the blocks inside `node`.
    pub fn inside(&self, node: NodeId) -> Sums {
        let range = &self.blocks.extent(node).blocks;
        self.between(range.start as usize, range.end as usize)
    }
    /// Counts over the blocks `from..to`; 0 if `to` is less than `from`.
    pub fn between(&self, from: usize, to: usize) -> Sums {
        self.sums[to.max(from)].minus(self.sums[from])
    }
    /// Elements that hold a block, in document order.
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
    /// The words of `<title>`.
    pub fn title(&self) -> &TitleWords {
        self.title.get_or_init(|| TitleWords::of(self))
    }
    /// The depth of elements.
    pub fn depths(&self) -> &Depths {
        self.depths.get_or_init(|| Depths::new(self.doc, self.blocks))
    }
    /// Keys by which elements are alike.
    pub fn keys(&self) -> &Keys {
        self.keys.get_or_init(|| Keys::of(self.doc, self.blocks, self.names()))
    }
    /// The kinds that the names of elements belong to.
    pub fn kinds(&self) -> &[NameKinds] {
        self.kinds.get_or_init(|| kinds_of_elements(self))
    }
    /// Class, id and further names of elements.
    pub fn names(&self) -> &ElementNames<'a> {
        self.names.get_or_init(|| ElementNames::of(self.doc, self.blocks))
    }
}
