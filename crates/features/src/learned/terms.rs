//! Terms: lists of strings for each block of a page.

use crate::learned::TermTable;
use rustc_hash::FxHashMap;
use threshr_page::text::hashing::{chained, hash_of};

/// A list of terms. `parent` is the index of the list of the parent element, or [`NONE`].
#[derive(Debug, Clone, Copy)]
struct List {
    parent: u32,
    start: u32,
    end: u32,
}

/// Index that means "no list".
const NONE: u32 = u32::MAX;

/// The terms of a page. Every block has the same number of lists; the position of a list is its slot. A list
/// may have a parent list.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// The distinct terms, concatenated; `ends` has the end of each term.
    text: String,
    ends: Vec<u32>,
    lists: Vec<List>,
    ids: Vec<u32>,
    /// Index of the list of block b in slot s, at `b * num_slots + s`.
    of_block: Vec<u32>,
    num_slots: usize,
}

impl Terms {
    /// Returns the distinct terms, in the order of their ids.
    pub fn dictionary(&self) -> impl ExactSizeIterator<Item = &str> {
        let start = |i: usize| if i == 0 { 0 } else { self.ends[i - 1] as usize };
        self.ends.iter().enumerate().map(move |(i, &end)| &self.text[start(i)..end as usize])
    }
    /// Number of blocks.
    pub fn num_blocks(&self) -> usize {
        self.of_block.len() / self.num_slots.max(1)
    }
    /// Number of lists per block.
    pub fn num_slots(&self) -> usize {
        self.num_slots
    }
    /// Returns the list of a block in a slot, followed by its parent lists, nearest first.
    pub fn chain(&self, block: usize, slot: usize) -> impl Iterator<Item = &[u32]> {
        let mut at = self.of_block[block * self.num_slots + slot];
        std::iter::from_fn(move || {
            let list = self.lists.get(at as usize)?;
            at = list.parent;
            Some(&self.ids[list.start as usize..list.end as usize])
        })
    }
    /// Returns the list of a block in a slot.
    pub fn list(&self, block: usize, slot: usize) -> &[u32] {
        self.chain(block, slot).next().unwrap_or_default()
    }
}

/// Returns the hash of a term. It is combined from the hashes of its words, so it can be computed without the
/// text of the term.
pub(crate) fn term_hash(term: &str) -> u64 {
    let words = term.as_bytes().split(|&byte| byte == b' ');
    words.fold(0, |head, word| chained(head, hash_of(word, |chunk| chunk)))
}

/// Source of the ids of terms.
#[derive(Debug)]
enum Ids<'v> {
    /// The page's own dictionary, in the order of first occurrence.
    Own(FxHashMap<Box<str>, u32>),
    /// A vocabulary: an id is the bit pattern of the term's log-odds.
    OfVocabulary(&'v TermTable<f32>),
}

/// Collects the terms of a page.
#[derive(Debug)]
pub struct TermsBuilder<'v> {
    terms: Terms,
    ids: Ids<'v>,
    start: u32,
}

impl<'v> TermsBuilder<'v> {
    /// Creates a builder with a dictionary for the page. Each block has `num_slots` lists.
    pub fn new(num_slots: usize) -> Self {
        Self::with(num_slots, Ids::Own(FxHashMap::default()))
    }
    /// Creates a builder without a dictionary. The ids are log-odds of a vocabulary, see
    /// [`Odds::InIds`](crate::learned::Odds).
    pub fn of_vocabulary(num_slots: usize, table: &'v TermTable<f32>) -> Self {
        Self::with(num_slots, Ids::OfVocabulary(table))
    }
    fn with(num_slots: usize, ids: Ids<'v>) -> Self {
        TermsBuilder { terms: Terms { num_slots, ..Terms::default() }, ids, start: 0 }
    }
    /// Reserves memory.
    pub(crate) fn reserve(&mut self, num_terms: usize, num_lists: usize, num_blocks: usize) {
        self.terms.ids.reserve(num_terms);
        self.terms.lists.reserve(num_lists);
        self.terms.of_block.reserve(num_blocks * self.terms.num_slots);
    }
    /// Returns true if the text of terms is needed, false if only their hashes are needed.
    pub fn needs_text(&self) -> bool {
        matches!(self.ids, Ids::Own(_))
    }
    /// Adds a term to the open list.
    pub fn term(&mut self, term: &str) {
        self.term_of(term_hash(term), || term);
    }
    /// Adds the term with the `term_hash` `hash` to the open list. `text` is called only if the text is needed.
    pub fn term_of<S: AsRef<str>>(&mut self, hash: u64, text: impl FnOnce() -> S) {
        let id = match &mut self.ids {
            Ids::OfVocabulary(table) => table.get(hash).to_bits(),
            Ids::Own(ids) => {
                let text = text();
                let term = text.as_ref();
                match ids.get(term) {
                    Some(&id) => id,
                    None => {
                        let id = self.terms.ends.len() as u32;
                        ids.insert(term.into(), id);
                        self.terms.text.push_str(term);
                        self.terms.ends.push(self.terms.text.len() as u32);
                        id
                    }
                }
            }
        };
        self.terms.ids.push(id);
    }
    /// Adds a term with its `term_hash` to the open list. Skips the term if a vocabulary is used that does not
    /// contain it.
    pub fn term_if_known(&mut self, hash: u64, term: &str) {
        match &self.ids {
            Ids::OfVocabulary(table) => {
                let odds = table.get(hash);
                self.terms.ids.extend((!odds.is_nan()).then(|| odds.to_bits()));
            }
            Ids::Own(_) => self.term_of(hash, || term),
        }
    }
    /// Closes the open list, sets its parent list, and returns its index.
    pub fn end_list(&mut self, parent: Option<u32>) -> u32 {
        let end = self.terms.ids.len() as u32;
        self.terms.lists.push(List { parent: parent.unwrap_or(NONE), start: self.start, end });
        self.start = end;
        self.terms.lists.len() as u32 - 1
    }
    /// Adds a list with the terms of another list, sets its parent list, and returns its index.
    pub fn same_list(&mut self, other: u32, parent: Option<u32>) -> u32 {
        let List { start, end, .. } = self.terms.lists[other as usize];
        self.terms.lists.push(List { parent: parent.unwrap_or(NONE), start, end });
        self.terms.lists.len() as u32 - 1
    }
    /// Adds a block with one list per slot.
    pub fn block(&mut self, lists: &[Option<u32>]) {
        debug_assert_eq!(lists.len(), self.terms.num_slots);
        self.terms.of_block.extend(lists.iter().map(|l| l.unwrap_or(NONE)));
    }
    /// Returns the terms of the page.
    pub fn finish(mut self) -> Terms {
        if matches!(self.ids, Ids::Own(_)) {
            // terms with their own dictionary are kept in memory with the corpus
            self.terms.ids.shrink_to_fit();
            self.terms.lists.shrink_to_fit();
            self.terms.text.shrink_to_fit();
            self.terms.ends.shrink_to_fit();
            self.terms.of_block.shrink_to_fit();
        }
        self.terms
    }
}
