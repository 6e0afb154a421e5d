//! Finds chosen fields that no line of a file has.

use crate::raw_page::Item;
use crate::readers::Fields;
use crate::readers::jsonl::row::Row;
use crate::records::ENOUGH;
use std::collections::VecDeque;

/// Number of bytes of pages that wait.
const MOST_BYTES: usize = 1 << 25;

/// The pages of the first lines. They wait until every chosen field is seen.
#[derive(Debug)]
pub(super) struct Probe {
    /// The chosen fields that are not seen yet, with their place in [`Row::seen`].
    unseen: Vec<(usize, String)>,
    waiting: VecDeque<Item>,
    num_bytes: usize,
    /// Number of lines that are objects.
    num_read: usize,
    first_line: u64,
    /// The names of the fields of the first object that has any.
    names: Vec<String>,
}

impl Probe {
    /// The fields that a file must have: that of the HTML, and those that have not the usual names.
    pub(super) fn of(fields: &Fields) -> Probe {
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

    /// Notes the fields of a line.
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

    /// Whether every chosen field is seen.
    pub(super) fn is_complete(&self) -> bool {
        self.unseen.is_empty()
    }

    /// Whether no page waits.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn wait(&mut self, item: Item) {
        if let Item::Page(page) = &item {
            self.num_bytes += page.size();
        }
        self.waiting.push_back(item);
    }

    /// The pages that wait.
    pub(super) fn take(&mut self) -> VecDeque<Item> {
        self.num_bytes = 0;
        std::mem::take(&mut self.waiting)
    }

    /// The pages that wait, if they need too much memory.
    pub(super) fn overflow(&mut self) -> VecDeque<Item> {
        if self.num_bytes > MOST_BYTES { self.take() } else { VecDeque::new() }
    }

    /// Whether enough lines are read to know that a field is missing.
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

    /// The first field that is missing, and whether it is that of the HTML.
    pub(super) fn missing(&self) -> (&str, bool) {
        self.unseen.first().map_or(("", false), |(i, name)| (name, *i == 0))
    }
}
