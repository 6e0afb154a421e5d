//! Boilerpipe's extractors: shallow features of text blocks and chains of rules and filters.
//!
//! The blocks of the library (`text_block.rs`) pass through classifiers (`rules.rs`) and filters
//! (`filters.rs`). A block of threshr is kept if half of it lies in content. Words, lines and tag levels are
//! counted as in the library, on a balanced tree like that of its parser.
//!
//! The option `release` selects the chain of the article extractor: that of the last release, 1.2, which
//! BoilerPy3 uses, or the longer one of the later source, which most other ports use. The option `reading`
//! selects the definitions of space, word, link and title: those of the Java library, or those of BoilerPy3
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

const MAX_LINK_DENSITY: SystemOption = SystemOption {
    name: "max_link_density",
    default: "0.333333",
    help: "maximum link density of content (words in links divided by words)",
};
const MAX_LINK_DENSITY_BEFORE: SystemOption = SystemOption {
    name: "max_link_density_before",
    default: "0.555556",
    help: "link density of the previous block above which the stricter rule applies",
};

const READING: SystemOption = SystemOption {
    name: "reading",
    default: "\"java\"",
    help: "definitions of space, word, link and title: `java` as in the library, where a no-break space is not white space; `python` as in BoilerPy3 on a parsed tree, where it is, every `<a>` is a link and titles match case-insensitively",
};
const READING_ALONE: &[SystemOption] = &[READING];

macro_rules! options {
    ($($name:literal $default:literal $help:literal)*) => {
        &[READING, MAX_LINK_DENSITY, MAX_LINK_DENSITY_BEFORE, $(SystemOption { name: $name, default: $default, help: $help }),*]
    };
}

const NUM_WORDS: &[SystemOption] = options! {
    "num_words" "16" "a block with more words is content"
    "num_words_after" "15" "a block before a block with more words is content"
    "num_words_before" "4" "a block after a block with more words is content"
    "num_words_after_links" "40" "after a block of links: a block with more words is content"
    "next_num_words_after_links" "17" "after a block of links: a block before a block with more words is content"
};
const LARGEST: &[SystemOption] = options! {
    "num_words" "16" "a block with more words is content"
    "num_words_after" "15" "a block before a block with more words is content"
    "num_words_before" "4" "a block after a block with more words is content"
    "num_words_after_links" "40" "after a block of links: a block with more words is content"
    "next_num_words_after_links" "17" "after a block of links: a block before a block with more words is content"
    "max_distance" "1" "maximum number of boilerplate blocks between two blocks that are fused"
};
const ARTICLE: &[SystemOption] = options! {
    "num_words" "16" "a block with more words is content"
    "num_words_after" "15" "a block before a block with more words is content"
    "num_words_before" "4" "a block after a block with more words is content"
    "num_words_after_links" "40" "after a block of links: a block with more words is content"
    "next_num_words_after_links" "17" "after a block of links: a block before a block with more words is content"
    "max_distance" "1" "maximum number of boilerplate blocks between two blocks that are fused"
    "min_words_before_end" "60" "words of full text after which a block such as \"comments\" ends the article"
    "min_words_same_level" "150" "minimum words of other kept blocks on the tag level of the largest block"
    "min_words_large_block" "100" "minimum words of any further kept block on that level"
    "release" "\"later\"" "chain of filters: `1.2.0` of the last release, without the steps for headings, tag levels and lists; `later` of the later source"
};
const DENSITY: &[SystemOption] = options! {
    "density" "9" "text density (words for each line of 80 columns) above which a block is content, except the last block"
    "density_after" "10" "below it, a block before a block with a higher density is content"
    "density_before" "4" "below it, a block after a block with a higher density is content"
    "density_after_links" "11" "after a block of links: a block before a block with a higher density is content"
};
const DEFAULT: &[SystemOption] = options! {
    "density" "9" "text density (words for each line of 80 columns) above which a block is content, except the last block"
    "density_after" "10" "below it, a block before a block with a higher density is content"
    "density_before" "4" "below it, a block after a block with a higher density is content"
    "density_after_links" "11" "after a block of links: a block before a block with a higher density is content"
    "max_distance" "1" "maximum number of boilerplate blocks between two blocks that are fused"
};

macro_rules! system {
    ($ident:ident $name:literal $summary:literal $options:expr, $build:expr) => {
        #[doc = concat!("Boilerpipe: ", $summary, ".")]
        pub(crate) static $ident: System = System {
            name: $name,
            summary: concat!("Boilerpipe: ", $summary),
            source: SOURCE,
            needs_gold: false,
            needs_html: false,
            options: $options,
            how: How::Plain($build),
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
system!(CANOLA "boilerpipe-canola" "rule trained on the Canola set" READING_ALONE, |s| build(s, Chain::Canola));
system!(KEEP_EVERYTHING "boilerpipe-keep-everything" "keeps all text that the library extracts" READING_ALONE, |s| {
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

/// An extractor and its definitions of space, word, link and title.
#[derive(Debug)]
struct Extractor {
    reading: Reading,
    chain: Chain,
}

/// An extractor and its limits.
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

/// The source of the chain of the article extractor.
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
                // No block is content yet, so the second fusion has no effect. It is part of the published
                // chain.
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
