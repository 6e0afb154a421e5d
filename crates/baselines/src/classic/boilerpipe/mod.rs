//! Boilerpipe's extractors: shallow features of text blocks and chains of rules and filters.
//!
//! The library's text blocks (`text_block.rs`) pass through classifiers (`rules.rs`) and filters (`filters.rs`). A
//! threshr block is kept if half of it is in content blocks of the library. Words, lines and tag levels are
//! counted as in the library, on a tree with matching start and end tags like that of its parser.
//!
//! The option `release` selects the filter chain of the article extractor: the chain of the last release (1.2),
//! which BoilerPy3 uses, or the longer chain of the later source code, which most other ports use. The option
//! `reading` selects how spaces, words, links and titles are recognised: as in the Java library, or as in BoilerPy3
//! on a parsed tree.

mod filters;
mod rules;
mod text_block;
mod title;
mod words;

use filters::Fuse;
use rules::{Density, NumWords};
use serde::Deserialize;
use serde_json::Value;
use std::ops::Range;
use text_block::TextBlock;
use threshr_core::Result;
use threshr_extract::baseline::{How, Method, System, SystemInput, SystemOption, option};
use words::Reading;

const SOURCE: &str = "Kohlschütter, Fankhauser & Nejdl, WSDM 2010; Boilerpipe 1.2 and its later source";

macro_rules! options {
    ($($name:literal $default:literal $help:literal)*) => {
        &[
            READING,
            SystemOption::new(
                "max_link_density",
                "0.333333",
                "maximum link density of content (words in links divided by words)",
            ),
            SystemOption::new(
                "max_link_density_before",
                "0.555556",
                "link density of the previous block above which the stricter rule applies",
            ),
            $(SystemOption::new($name, $default, $help)),*
        ]
    };
}

const READING: SystemOption = SystemOption::new(
    "reading",
    "\"java\"",
    "definitions of space, word, link and title: `java` as in the library, where a no-break space is not white space; `python` as in BoilerPy3 on a parsed tree, where a no-break space is white space, every `<a>` is a link, and titles are compared without case",
);
/// The options of the longest chains. Shorter chains use a prefix of this list.
const ARTICLE: &[SystemOption] = options! {
    "num_words" "16" "a block with more words is content"
    "num_words_after" "15" "a block before a block with more words is content"
    "num_words_before" "4" "a block after a block with more words is content"
    "num_words_after_links" "40" "after a block of links: a block with more words is content"
    "next_num_words_after_links" "17" "after a block of links: a block before a block with more words is content"
    "max_distance" "1" "maximum number of boilerplate blocks between two blocks that are fused"
    "min_words_before_end" "60" "words of full text after which a block such as \"comments\" ends the article"
    "min_words_same_level" "150" "minimum words of other kept blocks that have the tag level of the largest block"
    "min_words_large_block" "100" "minimum words of further kept blocks on this tag level"
    "release" "\"later\"" "chain of filters: `1.2.0` of the last release, without the steps for headings, tag levels and lists; `later` of the later source"
};
const LARGEST: &[SystemOption] = ARTICLE.split_at(9).0;
const NUM_WORDS: &[SystemOption] = ARTICLE.split_at(8).0;
const DEFAULT: &[SystemOption] = options! {
    "density" "9" "text density (words for each line of 80 columns) above which a block is content, except the last block"
    "density_after" "10" "below this density, a block before a block with a higher density is content"
    "density_before" "4" "below this density, a block after a block with a higher density is content"
    "density_after_links" "11" "after a block of links: a block before a block with a higher density is content"
    "max_distance" "1" "maximum number of boilerplate blocks between two blocks that are fused"
};
const DENSITY: &[SystemOption] = DEFAULT.split_at(7).0;

macro_rules! system {
    ($ident:ident $name:literal $summary:literal $options:expr, $build:expr) => {
        #[doc = concat!("Boilerpipe: ", $summary, ".")]
        pub(crate) static $ident: System = System {
            name: $name,
            summary: concat!("Boilerpipe: ", $summary),
            source: SOURCE,
            options: $options,
            ..System::new(How::Plain($build))
        };
    };
}

system!(ARTICLE_EXTRACTOR "boilerpipe-article" "chain of filters for news articles" ARTICLE, |s| {
    build(s, Chain::Article(option::read(s)?, option::read(s)?))
});
system!(DEFAULT_EXTRACTOR "boilerpipe-default" "classifies fused blocks by text density" DEFAULT, |s| {
    build(s, Chain::Default(option::read(s)?, option::read(s)?))
});
system!(LARGEST_EXTRACTOR "boilerpipe-largest" "keeps the largest fused block" LARGEST, |s| {
    build(s, Chain::Largest(option::read(s)?, option::read(s)?))
});
system!(NUM_WORDS_RULES "boilerpipe-numwords" "classifies blocks by the words of the block and its neighbours" NUM_WORDS, |s| {
    build(s, Chain::NumWords(option::read(s)?))
});
system!(DENSITY_RULES "boilerpipe-density" "classifies blocks by the text density of the block and its neighbours" DENSITY, |s| {
    build(s, Chain::Density(option::read(s)?))
});
system!(CANOLA "boilerpipe-canola" "rule trained on the Canola set" &[READING], |s| build(s, Chain::Canola));
system!(KEEP_EVERYTHING "boilerpipe-keep-everything" "keeps all text that the library extracts" &[READING], |s| {
    build(s, Chain::Everything)
});

fn build(settings: &Value, chain: Chain) -> Result<Box<dyn Method>> {
    let Read { reading } = option::read(settings)?;
    Ok(Box::new(Extractor { reading, chain }))
}

#[derive(Debug, Deserialize)]
struct Read {
    reading: Reading,
}

/// An extractor: its filter chain, and how it recognises spaces, words, links and titles.
#[derive(Debug)]
struct Extractor {
    reading: Reading,
    chain: Chain,
}

/// A filter chain with its thresholds.
#[derive(Debug)]
enum Chain {
    Article(NumWords, Article),
    Default(Density, Distance),
    Largest(NumWords, Distance),
    NumWords(NumWords),
    Density(Density),
    Canola,
    Everything,
}

#[derive(Debug, Deserialize)]
struct Distance {
    max_distance: usize,
}

#[derive(Debug, Deserialize)]
struct Article {
    max_distance: usize,
    min_words_before_end: u32,
    min_words_same_level: u32,
    min_words_large_block: u32,
    release: Release,
}

/// The version whose article chain is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Release {
    #[serde(rename = "1.2.0")]
    Last,
    #[serde(rename = "later")]
    Later,
}

impl Method for Extractor {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let blocks = text_block::text_blocks(page.doc, self.reading);
        let blocks = self.chain.run(blocks, &page.doc.title(), self.reading);
        let kept: Vec<Range<u32>> =
            blocks.into_iter().filter(|b| b.is_content).flat_map(|b| b.ranges).collect();
        page.keep_ranges(&kept)
    }
}

impl Chain {
    fn run(&self, mut blocks: Vec<TextBlock>, title: &str, reading: Reading) -> Vec<TextBlock> {
        match self {
            Chain::Everything => blocks.iter_mut().for_each(|b| b.is_content = true),
            Chain::Canola => rules::canola(&mut blocks),
            Chain::Density(rules) => rules.apply(&mut blocks),
            Chain::NumWords(rules) => rules.apply(&mut blocks),
            Chain::Default(rules, Distance { max_distance }) => {
                // no block is content yet, so the second fusion has no effect; it is kept because it is part
                // of the published chain
                blocks = filters::fuse(filters::fuse_same_density(blocks), *max_distance, Fuse::Near);
                rules.apply(&mut blocks);
            }
            Chain::Largest(rules, Distance { max_distance }) => {
                rules.apply(&mut blocks);
                blocks = filters::fuse(blocks, *max_distance, Fuse::Near);
                filters::keep_largest(&mut blocks, None);
            }
            Chain::Article(rules, numbers) => return article(blocks, title, reading, rules, numbers),
        }
        blocks
    }
}

fn article(
    mut blocks: Vec<TextBlock>,
    title: &str,
    reading: Reading,
    rules: &NumWords,
    numbers: &Article,
) -> Vec<TextBlock> {
    let is_later = numbers.release == Release::Later;
    filters::mark_ends(&mut blocks, is_later);
    match (numbers.release, reading) {
        (Release::Later, _) => title::mark(&mut blocks, title),
        (Release::Last, Reading::Java) => title::mark_same(&mut blocks, title),
        (Release::Last, Reading::Python) => title::mark_any_case(&mut blocks, title),
    }
    rules.apply(&mut blocks);
    filters::ignore_after_end(&mut blocks, numbers.min_words_before_end);
    if is_later {
        filters::drop_trailing_headings(&mut blocks);
    }
    blocks = filters::fuse(blocks, numbers.max_distance, Fuse::Near);
    blocks.retain(|b| b.is_content || is_later && b.labels.title);
    if is_later {
        blocks = filters::fuse(blocks, numbers.max_distance, Fuse::ContentOfLevel);
        filters::keep_largest(&mut blocks, Some(numbers.min_words_same_level));
        filters::expand_title(&mut blocks);
        filters::keep_large_of_level(&mut blocks, numbers.min_words_large_block);
        filters::keep_list_at_end(&mut blocks);
    } else {
        blocks = filters::fuse(blocks, numbers.max_distance, Fuse::Content);
        filters::keep_largest(&mut blocks, None);
        filters::expand_title(&mut blocks);
    }
    blocks
}

#[cfg(test)]
mod tests;
