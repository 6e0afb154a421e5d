//! The filters of Boilerpipe's extractors.

use crate::classic::boilerpipe::text_block::TextBlock;
use std::sync::LazyLock;

/// Returns the phrases of one list of `data/boilerpipe_ends.tsv`.
fn phrases(list: &str) -> Vec<&'static str> {
    const FILE: &str = include_str!("../../../data/boilerpipe_ends.tsv");
    let fields = FILE.lines().filter_map(|line| line.split_once('\t'));
    let of_list = fields.filter(|(name, _)| *name == list);
    of_list.filter_map(|(_, rest)| rest.split_once('\t')).map(|(_, phrase)| phrase).collect()
}

/// A block that starts with one of these phrases ends the article.
static ENDS_BEGIN: LazyLock<Vec<&str>> = LazyLock::new(|| phrases("begin"));
/// A block that contains one of these phrases ends the article.
static ENDS_CONTAIN: LazyLock<Vec<&str>> = LazyLock::new(|| phrases("contain"));
/// A block that starts with a number and one of these phrases ends the article.
static ENDS_AFTER_NUMBER: LazyLock<Vec<&str>> = LazyLock::new(|| phrases("after_number"));
/// A block with exactly this text ends the article.
const END: &str = "thanks for your comments - this feedback is now closed";

/// A block with at least this many words does not end the article.
const MAX_END_WORDS: u32 = 15;
/// A block with fewer characters does not end the article.
const MIN_END_CHARS: usize = 8;

/// Minimum text density of full text.
const FULL_TEXT_DENSITY: f64 = 9.0;

/// Labels blocks that end the article. If `links` is true, a link with the text `Comment` also ends it.
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

/// Drops all blocks from the first article end that has at least `min_words` words of full text before it.
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

/// Drops headings after the last content that is not a heading.
pub(crate) fn drop_trailing_headings(blocks: &mut [TextBlock]) {
    for block in blocks.iter_mut().rev().filter(|b| b.is_content) {
        if !block.labels.heading {
            break;
        }
        block.is_content = false;
    }
}

/// Condition on the two blocks to fuse. In all variants, the second block is content.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fuse {
    /// The first block may have any label; the fused block is content.
    Near,
    /// The first block is content.
    Content,
    /// The first block is content and has the same tag level.
    ContentOfLevel,
}

/// Fuses a content block with the block before it if at most `max_distance` blocks are between them and the
/// condition `how` is met.
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

/// Fuses adjacent blocks that have equal text densities.
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

/// Keeps only the content block with most words. If `expand` is set, it also keeps nearby blocks of the same tag
/// level that have at least this many words.
pub(crate) fn keep_largest(blocks: &mut [TextBlock], expand: Option<u32>) {
    if blocks.len() < 2 {
        return;
    }
    // among blocks with equally many words, the first is kept
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

/// Keeps the blocks from the title to the first content block that were labelled as possible content.
pub(crate) fn expand_title(blocks: &mut [TextBlock]) {
    let start = blocks.iter().position(|b| b.is_content);
    // the last title up to the first content block
    let title = blocks.iter().take(start.map_or(blocks.len(), |s| s + 1)).rposition(|b| b.labels.title);
    let (Some(start), Some(title)) = (start, title) else { return };
    for block in blocks.iter_mut().take(start).skip(title).filter(|b| b.labels.might_be_content) {
        block.is_content = true;
    }
}

/// Keeps blocks with at least `min_words` words on the tag level of the first block that is very likely content.
pub(crate) fn keep_large_of_level(blocks: &mut [TextBlock], min_words: u32) {
    let surest = blocks.iter().find(|b| b.is_content && b.labels.very_likely_content);
    let Some(level) = surest.map(|b| b.tag_level) else { return };
    for block in blocks.iter_mut() {
        block.is_content |= block.num_words >= min_words && block.tag_level == level;
    }
}

/// Keeps list items without links that directly follow a block that is very likely content and have a deeper tag
/// level.
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
