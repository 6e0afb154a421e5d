//! The filters of Boilerpipe's extractors.

use crate::classic::boilerpipe::text_block::TextBlock;
use std::sync::LazyLock;

/// The phrases of a list of `data/boilerpipe_ends.tsv`.
fn phrases(list: &str) -> Vec<&'static str> {
    const FILE: &str = include_str!("../../../data/boilerpipe_ends.tsv");
    let fields = FILE.lines().filter_map(|line| line.split_once('\t'));
    let of_list = fields.filter(|(name, _)| *name == list);
    of_list.filter_map(|(_, rest)| rest.split_once('\t')).map(|(_, phrase)| phrase).collect()
}

/// Prefixes of a text that ends the article.
static ENDS_BEGIN: LazyLock<Vec<&str>> = LazyLock::new(|| phrases("begin"));
/// Substrings of a text that ends the article.
static ENDS_CONTAIN: LazyLock<Vec<&str>> = LazyLock::new(|| phrases("contain"));
/// Texts after a leading number that end the article.
static ENDS_AFTER_NUMBER: LazyLock<Vec<&str>> = LazyLock::new(|| phrases("after_number"));
/// Whole texts that end the article.
const END: &str = "thanks for your comments - this feedback is now closed";

/// A text with at least this many words does not end the article.
const MAX_END_WORDS: u32 = 15;
/// A text with fewer characters does not end the article.
const MIN_END_CHARS: usize = 8;

/// Minimum text density of full text.
const FULL_TEXT_DENSITY: f64 = 9.0;

/// Marks blocks that end the article; with `links`, a link `Comment`, too.
pub(crate) fn mark_ends(blocks: &mut [TextBlock], links: bool) {
    for block in blocks.iter_mut().filter(|b| b.num_words < MAX_END_WORDS) {
        let is_link = links && block.link_density() == 1.0 && block.text == "Comment";
        block.labels.end_of_text |= is_link || is_end(&block.text);
    }
}

fn is_end(text: &str) -> bool {
    if text.chars().count() < MIN_END_CHARS {
        return false;
    }
    let text = text.to_lowercase();
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_number = after_number.len() < text.len();
    text == END
        || ENDS_BEGIN.iter().any(|s| text.starts_with(s))
        || ENDS_CONTAIN.iter().any(|s| text.contains(s))
        || has_number && ENDS_AFTER_NUMBER.iter().any(|s| after_number.starts_with(s))
}

/// Drops all blocks from the first end mark after `min_words` words of full text.
pub(crate) fn ignore_after_end(blocks: &mut [TextBlock], min_words: u32) {
    let (mut num_words, mut ended) = (0, false);
    for block in blocks {
        if block.is_content && block.text_density() >= FULL_TEXT_DENSITY {
            num_words += block.num_words;
        }
        ended |= block.labels.end_of_text && num_words >= min_words;
        block.is_content &= !ended;
    }
}

/// Drops headings without content after them.
pub(crate) fn drop_trailing_headings(blocks: &mut [TextBlock]) {
    for block in blocks.iter_mut().rev().filter(|b| b.is_content) {
        if !block.labels.heading {
            break;
        }
        block.is_content = false;
    }
}

/// The neighbours to fuse.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fuse {
    /// Content with any block close before it, which becomes content.
    Near,
    /// Content with content close before it.
    Content,
    /// Content with content of the same tag level close before it.
    ContentOfLevel,
}

/// Fuses content with the block before it if at most `max_distance` blocks are between them.
pub(crate) fn fuse(blocks: Vec<TextBlock>, max_distance: usize, how: Fuse) -> Vec<TextBlock> {
    let mut out: Vec<TextBlock> = Vec::with_capacity(blocks.len());
    for block in blocks {
        if let Some(prev) = out.last_mut() {
            let near = block.is_content && block.first - prev.last - 1 <= max_distance;
            let fits = match how {
                Fuse::Near => true,
                Fuse::Content => prev.is_content,
                Fuse::ContentOfLevel => prev.is_content && prev.tag_level == block.tag_level,
            };
            if near && fits {
                prev.merge(block);
                continue;
            }
        }
        out.push(block);
    }
    out
}

/// Fuses adjacent blocks with the same text density.
pub(crate) fn fuse_same_density(blocks: Vec<TextBlock>) -> Vec<TextBlock> {
    let mut out: Vec<TextBlock> = Vec::with_capacity(blocks.len());
    for block in blocks {
        match out.last_mut() {
            Some(prev) if prev.text_density() == block.text_density() => prev.merge(block),
            _ => out.push(block),
        }
    }
    out
}

/// Keeps only the block with most words; with `expand`, also close blocks on its tag level with enough words.
pub(crate) fn keep_largest(blocks: &mut [TextBlock], expand: Option<u32>) {
    if blocks.len() < 2 {
        return;
    }
    // Of equal blocks the first.
    let is_larger = |&a: &usize, &b: &usize| blocks[a].num_words.cmp(&blocks[b].num_words);
    let largest = (0..blocks.len()).rev().filter(|&i| blocks[i].is_content).max_by(is_larger);
    for (i, block) in blocks.iter_mut().enumerate() {
        block.is_content = Some(i) == largest;
        let labels = &mut block.labels;
        let label =
            if block.is_content { &mut labels.very_likely_content } else { &mut labels.might_be_content };
        *label = true;
    }
    let (Some(largest), Some(min_words)) = (largest, expand) else { return };
    let level = blocks[largest].tag_level;
    let (before, after) = blocks.split_at_mut(largest);
    let expand = |block: &mut TextBlock| {
        block.is_content |= block.tag_level == level && block.num_words >= min_words;
    };
    before.iter_mut().rev().take_while(|b| b.tag_level >= level).for_each(expand);
    after.iter_mut().take_while(|b| b.tag_level >= level).for_each(expand);
}

/// Keeps the blocks between the title and the first content.
pub(crate) fn expand_title(blocks: &mut [TextBlock]) {
    let start = blocks.iter().position(|b| b.is_content);
    // The last title before the content.
    let title = blocks.iter().take(start.map_or(blocks.len(), |s| s + 1)).rposition(|b| b.labels.title);
    let (Some(start), Some(title)) = (start, title) else { return };
    for block in blocks.iter_mut().take(start).skip(title).filter(|b| b.labels.might_be_content) {
        block.is_content = true;
    }
}

/// Keeps long blocks on the tag level of blocks that are very likely content.
pub(crate) fn keep_large_of_level(blocks: &mut [TextBlock], min_words: u32) {
    let surest = blocks.iter().find(|b| b.is_content && b.labels.very_likely_content);
    let Some(level) = surest.map(|b| b.tag_level) else { return };
    for block in blocks.iter_mut() {
        block.is_content |= block.num_words >= min_words && block.tag_level == level;
    }
}

/// Keeps list items without links that follow a block that is very likely content, on a deeper level.
pub(crate) fn keep_list_at_end(blocks: &mut [TextBlock]) {
    let mut level = u32::MAX;
    for block in blocks {
        if block.is_content && block.labels.very_likely_content {
            level = block.tag_level;
        } else if block.tag_level > level
            && block.labels.might_be_content
            && block.labels.list_item
            && block.num_linked == 0
        {
            block.is_content = true;
        } else {
            level = u32::MAX;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_phrases_is_read() {
        assert_eq!([&ENDS_BEGIN, &ENDS_CONTAIN, &ENDS_AFTER_NUMBER].map(|list| list.len()), [4, 7, 2]);
        assert_eq!((ENDS_BEGIN[1], ENDS_AFTER_NUMBER[0]), ("© reuters", " comments"));
    }
}
