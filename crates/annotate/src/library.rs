//! All pages of a session. Background threads label the pages, so that the list can be sorted by the share of
//! doubtful text.

use crate::differences::differences;
use crate::page::{BlockKey, Page, only_page};
use crate::session::Labeller;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use threshr_core::Limits;
use threshr_core::{Error, Result, guard};
use threshr_crawl::LoadedPage;
use threshr_extract::RawExtraction;
use threshr_io::Source;
use threshr_io::names::id_in;

/// Maximum number of opened pages that are cached in memory.
const MAX_OPEN: usize = 12;

/// Maximum length of the text of a page that a search reads, in bytes.
const MAX_SEARCHED: usize = 1 << 16;

/// Summary of a page for the list of pages.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    pub(crate) url: Option<String>,
    pub(crate) site: Option<String>,
    pub(crate) title: String,
    pub(crate) num_blocks: usize,
    pub(crate) num_kept: usize,
    /// Share of the page that needs checking, from 0 to 1. See [`Side::doubt`](crate::page::Side::doubt).
    pub(crate) doubt: f32,
    /// Lower-case text, for searches.
    pub(crate) text: String,
    pub(crate) keys: Vec<BlockKey>,
    /// Number of blocks that the two models label differently; 0 with only one model.
    pub(crate) num_different: usize,
}

/// Summary of a page, or the reason why the page cannot be read.
pub(crate) type Read = Arc<Result<Summary, String>>;

/// State of a page in the list.
#[derive(Debug, Default)]
struct Slot {
    /// `None` until the page was read.
    summary: Option<Read>,
    /// Value of the change counter at the last change of the page.
    changed: u64,
}

/// Changes since the last update of the list.
#[derive(Debug)]
pub(crate) struct Changes {
    /// Current value of the change counter.
    pub(crate) count: u64,
    /// Number of pages that were read.
    pub(crate) num_read: usize,
    /// Index and summary of each changed page.
    pub(crate) pages: Vec<(usize, Option<Read>)>,
}

/// The pages of a session.
#[derive(Debug)]
pub(crate) struct Library {
    sources: Vec<Source>,
    ids: Vec<String>,
    pub(crate) labellers: Vec<Labeller>,
    pub(crate) limits: Limits,
    slots: Mutex<(u64, Vec<Slot>)>,
    opened: Mutex<VecDeque<(usize, Arc<Page>)>>,
    next: AtomicUsize,
    is_stopped: AtomicBool,
}

impl Library {
    /// Creates a library from inputs that contain one page each. The id of a page in `folder` is its path
    /// relative to the folder.
    pub(crate) fn new(
        sources: Vec<Source>,
        folder: Option<&Path>,
        labellers: Vec<Labeller>,
        limits: Limits,
    ) -> Result<Library> {
        if sources.is_empty() {
            return Err(Error::data("there are no pages").expected("HTML files or saved pages"));
        }
        const SINGLE: [&str; 2] = ["html", "mhtml"];
        if let Some(many) = sources.iter().find(|s| !SINGLE.contains(&s.reader.name)) {
            return Err(Error::data(format!("a file of the format {} has many pages", many.reader.name))
                .expected("HTML files or saved pages")
                .at_path(&many.path));
        }
        let id = |source: &Source| id_in(&source.path, folder.unwrap_or(Path::new("")));
        let ids = sources.iter().map(id).collect();
        let slots = sources.iter().map(|_| Slot::default()).collect();
        Ok(Library {
            sources,
            ids,
            labellers,
            limits,
            slots: Mutex::new((0, slots)),
            opened: Mutex::default(),
            next: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
        })
    }

    /// Returns the number of pages.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the id of a page.
    pub(crate) fn id(&self, index: usize) -> Option<&str> {
        self.ids.get(index).map(String::as_str)
    }

    /// Returns the ids of all pages.
    pub(crate) fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Returns the index of the page with this id.
    pub(crate) fn index_of(&self, id: &str) -> Option<usize> {
        self.ids.iter().position(|own| own == id)
    }

    /// Reads the bytes of a page.
    pub(crate) fn load(&self, index: usize) -> Result<LoadedPage> {
        let source = self.sources.get(index).ok_or_else(|| Error::data("there is no such page"))?;
        only_page(source)
            .and_then(|raw| LoadedPage::new(raw, self.limits.bytes, None))
            .map_err(|e| e.at_path(&source.path))
    }

    /// Returns a labelled page. Reads the page if it is not in the cache.
    pub(crate) fn open(&self, index: usize) -> Result<Arc<Page>> {
        let mut opened = lock(&self.opened);
        if let Some(at) = opened.iter().position(|(i, _)| *i == index)
            && let Some(found) = opened.remove(at)
        {
            let page = Arc::clone(&found.1);
            opened.push_back(found);
            return Ok(page);
        }
        drop(opened);
        let id = self.id(index).ok_or_else(|| Error::data("there is no such page"))?;
        let page = Arc::new(guard(id, || Page::open(self, index))?);
        if lock(&self.slots).1[index].summary.is_none() {
            self.set(index, Ok(summary(&page)));
        }
        let mut opened = lock(&self.opened);
        opened.push_back((index, Arc::clone(&page)));
        if opened.len() > MAX_OPEN {
            opened.pop_front();
        }
        Ok(page)
    }

    /// Returns the summary of a page, if the page was read.
    pub(crate) fn summary(&self, index: usize) -> Option<Read> {
        lock(&self.slots).1.get(index)?.summary.clone()
    }

    /// Records that a page changed, for example its labels.
    pub(crate) fn touch(&self, index: usize) {
        let mut slots = lock(&self.slots);
        slots.0 += 1;
        let count = slots.0;
        if let Some(slot) = slots.1.get_mut(index) {
            slot.changed = count;
        }
    }

    /// Returns the pages that changed after the change counter had the value `since`. If `since` is `None`,
    /// returns all pages.
    pub(crate) fn changes(&self, since: Option<u64>) -> Changes {
        let slots = lock(&self.slots);
        let is_new = |slot: &Slot| since.is_none_or(|since| slot.changed > since);
        let pages = slots.1.iter().enumerate().filter(|(_, slot)| is_new(slot));
        Changes {
            count: slots.0,
            num_read: slots.1.iter().filter(|slot| slot.summary.is_some()).count(),
            pages: pages.map(|(index, slot)| (index, slot.summary.clone())).collect(),
        }
    }

    /// Starts threads that read and label all pages.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(crate) fn read_all(self: &Arc<Self>, num_threads: usize) -> Result<()> {
        for number in 0..num_threads.max(1) {
            let library = Arc::clone(self);
            let thread = std::thread::Builder::new().name(format!("pages-{number}"));
            thread
                .spawn(move || library.work())
                .map_err(|e| Error::invalid_option("a thread cannot be started").because(e))?;
        }
        Ok(())
    }

    /// Stops the threads of [`Library::read_all`] after their current pages.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    fn work(&self) {
        while !self.is_stopped.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(id) = self.ids.get(index) else { return };
            if self.summary(index).is_none() {
                let page = guard(id, || Page::open(self, index));
                self.set(index, page.map(|page| summary(&page)).map_err(|e| e.with_causes()));
            }
        }
    }

    fn set(&self, index: usize, summary: Result<Summary, String>) {
        if let Some(slot) = lock(&self.slots).1.get_mut(index) {
            slot.summary = Some(Arc::new(summary));
        }
        self.touch(index);
    }
}

fn summary(page: &Page) -> Summary {
    let Some(side) = page.sides.first() else { unreachable!("a session has a model") };
    let labels = side.extraction.labels();
    let mut text = side.extraction.page_blocks().text.to_lowercase();
    let end = (0..=MAX_SEARCHED.min(text.len())).rev().find(|&i| text.is_char_boundary(i));
    text.truncate(end.unwrap_or_default());
    text.shrink_to_fit();
    let num_different = match &page.sides[..] {
        [a, b, ..] => differences(a, b)[0].iter().filter(|&&different| different).count(),
        _ => 0,
    };
    Summary {
        site: page.url.as_deref().and_then(threshr_core::site_of),
        url: page.url.clone(),
        title: page.title.clone(),
        num_blocks: side.num_blocks(),
        num_kept: labels.kept.iter().filter(|&&kept| kept).count(),
        doubt: side.doubt(),
        text,
        keys: side.keys(),
        num_different,
    }
}

/// Locks a mutex. Ignores poisoning, because the protected data is consistent even after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
