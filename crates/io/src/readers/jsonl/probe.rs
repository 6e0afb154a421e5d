//! Detection of user-chosen fields that do not occur in a file.

use crate::raw_page::Item;
use crate::readers::Fields;
use crate::readers::jsonl::row::Row;
use crate::records::ENOUGH;
use std::collections::VecDeque;

/// Maximum size of the buffered pages, in bytes.
const MOST_BYTES: usize = 1 << 25;

/// Pages of the first lines, which are buffered until every chosen field was seen.
#[derive(Debug)]
pub(super) struct Probe {
    /// The chosen fields that were not seen yet, each with its index in [`Row::seen`].
    unseen: Vec<(usize, String)>,
    waiting: VecDeque<Item>,
    num_bytes: usize,
    /// Number of lines with a JSON object.
    num_read: usize,
    first_line: u64,
    /// The field names of the first non-empty object.
    names: Vec<String>,
}

impl Probe {
    /// Creates a probe for the fields that a file must have: the HTML field, and other fields whose name is
    /// not the default.
    pub(super) fn new(fields: &Fields) -> Probe {
        let all = std::iter::once((fields.html.as_str(), true)).chain(fields.others());
        let chosen = all.enumerate().filter(|(_, (_, must_be_there))| *must_be_there);
        Probe {
            unseen: chosen.map(|(i, (name, _))| (i, name.to_owned())).collect(),
            waiting: VecDeque::new(),
            num_bytes: 0,
            num_read: 0,
            first_line: 1,
            names: Vec::new(),
        }
    }

    /// Records the fields of a line.
    pub(super) fn see(&mut self, row: &Row, line: u64) {
        if self.is_complete() {
            return;
        }
        if self.num_read == 0 {
            self.first_line = line;
        }
        self.num_read += 1;
        if self.names.is_empty() {
            self.names.clone_from(&row.names);
        }
        self.unseen.retain(|(i, _)| !row.seen[*i]);
    }

    /// Returns whether every chosen field was seen.
    pub(super) fn is_complete(&self) -> bool {
        self.unseen.is_empty()
    }

    /// Returns whether no page is buffered.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn wait(&mut self, item: Item) {
        if let Item::Page(page) = &item {
            self.num_bytes += page.size();
        }
        self.waiting.push_back(item);
    }

    /// Returns the buffered pages.
    pub(super) fn take(&mut self) -> VecDeque<Item> {
        self.num_bytes = 0;
        std::mem::take(&mut self.waiting)
    }

    /// Returns the buffered pages if they exceed [`MOST_BYTES`].
    pub(super) fn overflow(&mut self) -> VecDeque<Item> {
        if self.num_bytes > MOST_BYTES { self.take() } else { VecDeque::new() }
    }

    /// Returns whether enough lines were read to report a field as missing.
    pub(super) fn is_enough(&self) -> bool {
        self.num_read >= ENOUGH || self.waiting.len() >= ENOUGH
    }

    pub(super) fn num_read(&self) -> usize {
        self.num_read
    }

    pub(super) fn first_line(&self) -> u64 {
        self.first_line
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the first missing field, and whether it is the HTML field.
    pub(super) fn missing(&self) -> (&str, bool) {
        self.unseen.first().map_or(("", false), |(i, name)| (name, *i == 0))
    }
}
