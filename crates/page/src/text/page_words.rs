//! The words of a page's blocks with their hashes, shared by all feature families.

use crate::BlockStats;
use crate::text::word::Word;
use crate::text::word_list::WordStats;
use threshr_html::blocks::Blocks;

/// The words of all blocks of a page.
#[derive(Debug, Clone)]
pub struct PageWords {
    words: Vec<Word>,
    /// Index of the first word of each block, followed by the number of words.
    starts: Vec<u32>,
    stats: Vec<WordStats>,
}

impl PageWords {
    /// Lists the words of a page, and counts the text of its blocks in the same pass.
    pub fn new(blocks: &Blocks) -> (Self, Vec<BlockStats>) {
        let words = Vec::with_capacity(blocks.text.len() / 5);
        let (starts, stats) = (Vec::with_capacity(blocks.len() + 1), Vec::with_capacity(blocks.len()));
        let mut found = PageWords { words, starts, stats };
        found.starts.push(0);
        let stats = (0..blocks.len()).map(|index| {
            let (stats, word_stats) = BlockStats::new(blocks, index, &mut found.words);
            found.starts.push(found.words.len() as u32);
            found.stats.push(word_stats);
            stats
        });
        let stats = stats.collect();
        (found, stats)
    }

    /// Returns the words of a block, in order.
    pub fn block(&self, index: usize) -> &[Word] {
        &self.words[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Returns the counts over the words of a block.
    pub fn stats(&self, index: usize) -> &WordStats {
        &self.stats[index]
    }

    /// Returns the number of blocks.
    pub fn num_blocks(&self) -> usize {
        self.stats.len()
    }

    /// Returns the number of words on the page.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether the page has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn words_of_each_block_with_hashes() {
        let doc = parse_str("<p>One two<p>...<p>ÖNE öne O\u{308}ne ONE");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let (words, _) = PageWords::new(&blocks);
        assert_eq!((words.len(), words.block(0).len(), words.block(1).len()), (6, 2, 0));
        assert_eq!(words.num_blocks(), 3);
        let last = words.block(2);
        assert_eq!(last[0].of(blocks.text(2)), "ÖNE");
        assert!(last[0].hash == last[1].hash && last[1].hash == last[2].hash);
        assert!(last[3].hash != last[0].hash && last[3].hash == words.block(0)[0].hash);
    }
}
