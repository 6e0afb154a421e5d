//! The terms of a training page.

use super::{CHANNELS, KeptTerms, TermCounter, at, collect, path_of};
use rustc_hash::FxHashMap;
use std::ops::Range;
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// The terms of a page with their numbers of occurrences, for training.
#[derive(Debug, Clone, Default)]
pub struct PageTerms {
    text: String,
    /// For each term: its end in `text`, its channel, and its number of occurrences, at most 255.
    terms: Vec<(u32, u8, u8)>,
    /// Text and path of each block.
    blocks: Vec<(Box<str>, Box<str>)>,
}

impl PageTerms {
    /// Counts the terms of a page, except for those from kept blocks.
    pub fn new(doc: &Document, blocks: &Blocks, url: Option<&str>) -> Self {
        let mut found = PageTerms::default();
        let mut all = AllTerms::default();
        collect(doc, url, &mut all);
        let mut path = String::new();
        for (index, block) in blocks.iter().enumerate() {
            all.add_words(at::WORD, blocks.text(index));
            path_of(doc, block.node, &mut path);
            found.blocks.push((blocks.text(index).into(), path.as_str().into()));
        }
        found.extend(all);
        found.text.shrink_to_fit();
        found
    }

    /// Returns the terms together with those from the kept blocks. The texts of the blocks are not copied.
    #[must_use]
    pub fn with_kept(&self, kept: &[bool]) -> Self {
        let mut found = PageTerms { text: self.text.clone(), terms: self.terms.clone(), blocks: Vec::new() };
        let (mut terms, mut all) = (KeptTerms::default(), AllTerms::default());
        for ((text, path), _) in self.blocks.iter().zip(kept).filter(|block| *block.1) {
            let channels = terms.block(path, &mut all);
            channels.into_iter().flatten().for_each(|channel| all.add_words(channel, text));
        }
        found.extend(all);
        found
    }

    /// Adds terms, sorted by channel and term.
    fn extend(&mut self, all: AllTerms) {
        for (channel, numbers) in all.numbers.into_iter().enumerate() {
            let mut sorted: Vec<(Box<str>, u32)> = numbers.into_iter().collect();
            sorted.sort_unstable();
            for (term, number) in sorted {
                let count = all.counts.get(number as usize).copied().unwrap_or_default();
                self.text.push_str(&term);
                self.terms.push((
                    self.text.len() as u32,
                    u8::try_from(channel).unwrap_or(u8::MAX),
                    u8::try_from(count).unwrap_or(u8::MAX),
                ));
            }
        }
    }

    /// Returns channel, term and number of occurrences (at most 255) of each term.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &str, u32)> {
        let mut start = 0;
        self.terms.iter().map(move |&(end, channel, count)| {
            let range: Range<usize> = std::mem::replace(&mut start, end as usize)..end as usize;
            (usize::from(channel), &self.text[range], u32::from(count))
        })
    }
}

/// Counts all terms, whether in a vocabulary or not.
struct AllTerms {
    /// Number of each term, by channel.
    numbers: Vec<FxHashMap<Box<str>, u32>>,
    /// Occurrences of each term, by number.
    counts: Vec<u32>,
}

impl Default for AllTerms {
    fn default() -> Self {
        AllTerms { numbers: vec![FxHashMap::default(); CHANNELS.len()], counts: Vec::new() }
    }
}

impl TermCounter for AllTerms {
    fn number(&mut self, channel: usize, term: &str) -> Option<u32> {
        let numbers = self.numbers.get_mut(channel)?;
        if let Some(number) = numbers.get(term) {
            return Some(*number);
        }
        let number = self.counts.len() as u32;
        numbers.insert(term.into(), number);
        self.counts.push(0);
        Some(number)
    }

    fn count(&mut self, number: u32, times: u32) {
        if let Some(count) = self.counts.get_mut(number as usize) {
            *count += times;
        }
    }
}
