//! The labels of annotators: the annotations of the folder, and revision numbers to detect concurrent
//! changes of a page.

use crate::library::{Library, lock};
use crate::page::{Page, Side};
use crate::session::Mode;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Mutex;
use threshr_core::{Error, Result};
use threshr_extract::RawExtraction;
use threshr_sets::annotations::{
    Agreement, BlockLabel, By, Label, Record, Renamed, State, Store, agreement, carry_over, hash, now,
    renamed, renamed_remark,
};

/// The labels of annotators.
#[derive(Debug)]
pub(crate) struct Records {
    /// `None` if the session is read-only.
    stored: Option<Mutex<Stored>>,
    annotator: String,
    /// Records of pages that were renamed.
    renamed: Vec<Renamed>,
}

#[derive(Debug)]
struct Stored {
    store: Store,
    /// Number of times that each page was saved in this run.
    revisions: FxHashMap<String, u64>,
}

/// The labels that one annotator assigned to the blocks of a page.
#[derive(Debug)]
pub(crate) struct Labels {
    pub(crate) state: State,
    /// Whether the page content changed after it was labelled.
    pub(crate) is_changed: bool,
    /// Label of each block, and whether a person or the model assigned it.
    pub(crate) blocks: Vec<(Label, By)>,
}

/// Labels of a page that the application sends to be saved.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    /// Revision of the page on which the change is based.
    pub(crate) base: u64,
    pub(crate) state: State,
    pub(crate) labels: Vec<Label>,
    pub(crate) by: Vec<By>,
}

/// Result of saving the labels of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Saved {
    /// The labels are on disk. Contains the new revision.
    Written(u64),
    /// Another window saved this page in the meantime. Contains the current revision.
    Outdated(u64),
}

impl Records {
    /// Opens the annotations of the folder. The labels of renamed pages of the library get the new names.
    pub(crate) fn open(mode: &Mode, library: &Library) -> Result<Records> {
        Ok(match mode {
            Mode::Inspect => Records { stored: None, annotator: String::new(), renamed: Vec::new() },
            Mode::Annotate { folder, annotator, .. } => {
                let mut store = Store::open(folder)?;
                let hash_of = |index| library.load(index).ok().map(|page| hash(&page.bytes));
                let renamed = renamed(store.records(), library.ids(), hash_of);
                store.rename(&renamed);
                let stored = Stored { store, revisions: FxHashMap::default() };
                Records { stored: Some(Mutex::new(stored)), annotator: annotator.clone(), renamed }
            }
        })
    }

    /// Returns messages for the user: that the last line of the file was truncated, and that pages were renamed.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let cut = self.stored.as_ref().and_then(|stored| lock(stored).store.cut().map(ToString::to_string));
        cut.into_iter().chain(renamed_remark(&self.renamed)).collect()
    }

    /// Returns the revision of a page.
    pub(crate) fn revision(&self, id: &str) -> u64 {
        let Some(stored) = &self.stored else { return 0 };
        lock(stored).revisions.get(id).copied().unwrap_or_default()
    }

    /// Returns the progress of the annotator on a page, or `None` if the annotator has not begun the page.
    pub(crate) fn state(&self, id: &str) -> Option<State> {
        Some(lock(self.stored.as_ref()?).store.get(id, &self.annotator)?.state)
    }

    /// Returns the labels that the annotator assigned to a page.
    pub(crate) fn labels(&self, id: &str, page: &Page, side: &Side) -> Option<Labels> {
        let record = lock(self.stored.as_ref()?).store.get(id, &self.annotator)?.clone();
        Some(of_blocks(&record, page, side))
    }

    /// Returns the labels of each other annotator who has completed this page. Returns nothing until the
    /// current annotator has completed it.
    pub(crate) fn others(&self, id: &str, page: &Page, side: &Side) -> Vec<(String, Labels)> {
        if self.state(id) != Some(State::Done) {
            return Vec::new();
        }
        let Some(stored) = &self.stored else { return Vec::new() };
        let is_other = |r: &&Record| r.id == id && r.annotator != self.annotator && r.state == State::Done;
        let records: Vec<Record> = lock(stored).store.records().filter(is_other).cloned().collect();
        let labels = |record: &Record| (record.annotator.clone(), of_blocks(record, page, side));
        records.iter().map(labels).collect()
    }

    /// Returns the ids of the pages that the annotator has completed.
    pub(crate) fn done(&self) -> Vec<String> {
        let Some(stored) = &self.stored else { return Vec::new() };
        let is_done = |r: &&Record| r.annotator == self.annotator && r.state == State::Done;
        lock(stored).store.records().filter(is_done).map(|r| r.id.clone()).collect()
    }

    /// Returns whether the annotator has done a page.
    pub(crate) fn has_done(&self) -> bool {
        let is_done = |r: &Record| r.annotator == self.annotator && r.state == State::Done;
        self.stored.as_ref().is_some_and(|stored| lock(stored).store.records().any(is_done))
    }

    /// Returns a message for the user about the saved labels. Returns `None` if the session is read-only.
    /// Waits until a change that is being saved is on disk.
    pub(crate) fn summary(&self) -> Option<String> {
        let stored = lock(self.stored.as_ref()?);
        let count = |state| {
            stored.store.records().filter(|r| r.annotator == self.annotator && r.state == state).count()
        };
        let done = count(State::Done);
        let pages = if done == 1 { "page" } else { "pages" };
        let others = [(count(State::Draft), "begun"), (count(State::Skipped), "skipped")];
        let others = others.iter().filter(|(num, _)| *num > 0).map(|(num, name)| format!(", {num} {name}"));
        let others: String = others.collect();
        Some(if done == 0 && others.is_empty() {
            "no page is labelled".to_owned()
        } else {
            format!("{done} {pages} done{others}, saved in {}", stored.store.path().display())
        })
    }

    /// Returns the agreement of the annotator with each other annotator.
    pub(crate) fn agreements(&self) -> Vec<(String, Agreement)> {
        let Some(stored) = &self.stored else { return Vec::new() };
        let stored = lock(stored);
        let mut others: Vec<&str> = stored.store.records().map(|r| r.annotator.as_str()).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|name| *name != self.annotator);
        let with = |other: &&str| {
            let found = agreement(stored.store.records(), &self.annotator, other);
            ((*other).to_owned(), found)
        };
        others.iter().map(with).collect()
    }

    /// Saves the labels of a page. When the function returns, the labels are on disk.
    ///
    /// # Errors
    /// If the session is read-only, the number of labels is wrong, or writing fails.
    pub(crate) fn save(
        &self,
        id: &str,
        page: &Page,
        side: &Side,
        change: &Change,
        model: &str,
    ) -> Result<Saved> {
        let stored = self.stored.as_ref().ok_or_else(|| Error::invalid_option("this view is read-only"))?;
        let num_blocks = side.num_blocks();
        if change.labels.len() != num_blocks || change.by.len() != num_blocks {
            return Err(Error::data(format!("there are {} labels", change.labels.len()))
                .expected(format!("one for each of the {num_blocks} blocks")));
        }
        let blocks = side.extraction.page_blocks();
        let label = |(index, (&label, &by)): (usize, (&Label, &By))| BlockLabel {
            source: side.source(index),
            text: blocks.text(index).to_owned(),
            label,
            by,
        };
        let record = Record {
            id: id.to_owned(),
            url: page.url.clone(),
            sha256: page.sha256.clone(),
            annotator: self.annotator.clone(),
            time: now(),
            state: change.state,
            model: Some(model.to_owned()),
            labels: change.labels.iter().zip(&change.by).enumerate().map(label).collect(),
        };
        let mut stored = lock(stored);
        let revision = stored.revisions.get(id).copied().unwrap_or_default();
        if change.base != revision {
            // If the response to a request was lost, the window sends the same labels again.
            if stored.store.get(id, &self.annotator).is_some_and(|own| is_equal(own, &record)) {
                return Ok(Saved::Written(revision));
            }
            return Ok(Saved::Outdated(revision));
        }
        stored.store.put(record)?;
        stored.revisions.insert(id.to_owned(), revision + 1);
        Ok(Saved::Written(revision + 1))
    }
}

/// Returns whether two records contain the same labels of the same page. Ignores times and models.
fn is_equal(a: &Record, b: &Record) -> bool {
    a.sha256 == b.sha256 && a.state == b.state && a.labels == b.labels
}

/// Source range and text of a block.
type Key<'t> = (Option<Range<usize>>, &'t str);

/// Returns the labels of a record for the blocks of a page. Blocks that are not in the record get the
/// initial label of the model.
fn of_blocks(record: &Record, page: &Page, side: &Side) -> Labels {
    let blocks = side.extraction.page_blocks();
    let keys: Vec<Key<'_>> = (0..side.num_blocks()).map(|i| (side.source(i), blocks.text(i))).collect();
    let by: FxHashMap<Key<'_>, By> =
        record.labels.iter().map(|l| ((l.source.clone(), l.text.as_str()), l.by)).collect();
    let carried = carry_over(record, &page.sha256, &keys);
    let firsts = side.first_labels();
    let label = |(index, carried): (usize, Option<Label>)| match carried {
        Some(label) => (label, by.get(&keys[index]).copied().unwrap_or(By::Person)),
        None => (firsts[index], By::Model),
    };
    Labels {
        state: record.state,
        is_changed: record.sha256 != page.sha256,
        blocks: carried.into_iter().enumerate().map(label).collect(),
    }
}
