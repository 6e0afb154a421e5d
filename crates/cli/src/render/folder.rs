//! The folder of drawn pages: pages, geometry, `gold.jsonl`, `policy.toml`, settings, journal and report.

use super::inputs::Page;
use crate::write_file;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use threshr_browser::Settings;
use threshr_core::policy::Policy;
use threshr_core::{Error, Result};
use threshr_html::geometry_path;
use threshr_io::atomic;
use threshr_io::gold::{Content, Gold, GoldPage, list_line};

/// The settings of a folder. It is written first and marks the folder.
const SETTINGS: &str = "render.toml";

/// What each drawn page was drawn from, one line a page. It grows while pages are drawn.
const JOURNAL: &str = "render.jsonl";

/// What happened to each page of the last run.
const REPORT: &str = "render.csv";

/// The gold of annotated sets.
const GOLD: &str = "gold.jsonl";

/// The folder of drawn pages.
pub(super) struct Folder {
    path: PathBuf,
    /// Whether pages are drawn again.
    is_fresh: bool,
    /// The pages that are there, by file.
    drawn: Mutex<BTreeMap<String, Entry>>,
    journal: Mutex<File>,
    /// Held until the run ends.
    _lock: Option<File>,
}

/// A line of the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    /// The file of the page, as `pages/NAME.html`.
    file: String,
    /// What it was drawn from: the hash of the page, or its address.
    source: String,
    /// What `gold.jsonl` says of it, if it has gold.
    gold: Option<Value>,
}

/// What happened to a page.
pub(super) enum State {
    Drawn { is_incomplete: bool, num_lost: usize, num_elements: usize, size: [f64; 2] },
    Skipped,
    Failed(String),
}

/// A page in the report.
pub(super) struct Row {
    pub id: String,
    pub file: String,
    /// Its address, after redirections.
    pub url: Option<String>,
    pub state: State,
}

impl Folder {
    /// Whether a folder has drawn pages.
    pub(super) fn is_at(path: &Path) -> bool {
        path.join(SETTINGS).is_file()
    }

    /// Opens or creates a folder for pages of annotated sets of this policy, if any. With `is_fresh` its pages are drawn again.
    ///
    /// # Errors
    /// If its pages were drawn with other settings or have another policy and `is_fresh` is not set, or another run uses it.
    pub(super) fn open(
        path: &Path,
        settings: &Settings,
        policy: Option<Policy>,
        is_fresh: bool,
    ) -> Result<Self> {
        let pages = path.join("pages");
        std::fs::create_dir_all(&pages).map_err(|e| Error::io(&pages, e))?;
        let lock = atomic::lock_folder(path)?;
        [path, &pages].into_iter().for_each(atomic::remove_leftovers);
        let Settings { width, height, network, .. } = settings;
        let wait = settings.wait.as_millis();
        let mut text = format!("width = {width}\nheight = {height}\nwait = {wait}\nnetwork = {network}\n");
        let policy = policy.map(|policy| format!("policy = \"{}\"\n", policy.name()));
        text.push_str(policy.as_deref().unwrap_or_default());
        let file = path.join(SETTINGS);
        let journal = path.join(JOURNAL);
        let mut drawn = entries(&journal)?;
        if file.is_file() {
            let before = std::fs::read_to_string(&file).map_err(|e| Error::io(&file, e))?;
            if before != text && !is_fresh {
                return Err(Error::recipe(
                    "the pages in the folder were drawn with other options or have another policy",
                )
                .expected(
                    "the same --width, --height, --wait, --network and policy, another folder, or --force",
                )
                .at_path(&file));
            }
            if before != text {
                // before the settings: a run that is stopped here must not leave pages under settings that are not theirs
                let pages = std::mem::take(&mut drawn).into_keys().map(|file| path.join(file));
                let others = [GOLD, "policy.toml", REPORT, JOURNAL].map(|name| path.join(name));
                pages
                    .flat_map(|page| [geometry_path(&page), page])
                    .chain(others)
                    .try_for_each(|p| remove(&p))?;
            }
        }
        write_file(&file, text.as_bytes())?;
        if let Some(policy) = policy {
            write_file(&path.join("policy.toml"), policy.as_bytes())?;
        }
        let open = OpenOptions::new().create(true).append(true).open(&journal);
        let mut file = open.map_err(|e| Error::io(&journal, e))?;
        // a line that was cut ends here
        writeln!(file).map_err(|e| Error::io(&journal, e))?;
        let (drawn, journal) = (Mutex::new(drawn), Mutex::new(file));
        Ok(Folder { path: path.to_path_buf(), is_fresh, drawn, journal, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a page is there and stays. Its geometry is written last.
    ///
    /// # Errors
    /// If its file was drawn from another page.
    pub(super) fn has(&self, page: &Page, source: &str) -> Result<bool> {
        if self.is_fresh {
            return Ok(false);
        }
        let path = self.path.join(&page.file);
        if !path.is_file() || !geometry_path(&path).is_file() {
            self.entries().remove(&page.file);
            return Ok(false);
        }
        match self.entries().get(&page.file) {
            Some(entry) if entry.source == source => Ok(true),
            Some(_) => {
                Err(Error::data("the file was drawn from another page, or from another state of the page")
                    .expected("another folder, or --force to draw the page again")
                    .at_path(path))
            }
            // a run was stopped before it wrote the line
            None => Ok(false),
        }
    }

    /// Writes a page and its geometry.
    pub(super) fn write(&self, page: &Page, source: String, html: &str, geometry: &[u8]) -> Result<()> {
        let path = self.path.join(&page.file);
        // without its geometry a page is not there
        remove(&geometry_path(&path))?;
        write_file(&path, html.as_bytes())?;
        write_file(&geometry_path(&path), geometry)?;
        let gold = gold_line(&page.list_line(), &page.file);
        let entry = Entry { file: page.file.clone(), source, gold };
        let line =
            serde_json::to_string(&entry).map_err(|e| Error::data("cannot write the journal").because(e))?;
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(journal, "{line}").map_err(|e| Error::io(self.path.join(JOURNAL), e))?;
        self.entries().insert(entry.file.clone(), entry);
        Ok(())
    }

    /// Removes what an earlier run drew of a page that is drawn again and fails. Without `is_fresh` the file is of another page,
    /// and stays.
    pub(super) fn remove(&self, page: &Page) -> Result<()> {
        if self.is_fresh && self.entries().remove(&page.file).is_some() {
            let path = self.path.join(&page.file);
            [geometry_path(&path), path].iter().try_for_each(|p| remove(p))?;
        }
        Ok(())
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Entry>> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the gold of the pages that are there, and the report: the pages of this run, then those of earlier runs.
    pub(super) fn finish(&self, rows: &[Row]) -> Result<()> {
        let mut drawn = std::mem::take(&mut *self.entries());
        let mut all: Vec<Entry> = rows.iter().filter_map(|row| drawn.remove(&row.file)).collect();
        all.extend(drawn.into_values());
        let lines = all.iter().filter_map(|entry| entry.gold.as_ref()).map(|gold| format!("{gold}\n"));
        let list: String = lines.collect();
        if !list.is_empty() {
            write_file(&self.path.join(GOLD), list.as_bytes())?;
        }
        let mut table = csv::Writer::from_writer(Vec::new());
        let failed = |e: csv::Error| Error::data("cannot write the report").because(e);
        table
            .write_record(["page", "file", "url", "state", "width", "height", "elements", "lost", "error"])
            .map_err(failed)?;
        for row in rows {
            let mut fields = ["", "", "", "", ""].map(str::to_owned);
            let state = match &row.state {
                State::Drawn { is_incomplete, num_lost, num_elements, size } => {
                    let [width, height] = size.map(|v| v.to_string());
                    fields = [width, height, num_elements.to_string(), num_lost.to_string(), String::new()];
                    if *is_incomplete { "still loading" } else { "drawn" }
                }
                State::Skipped => "skipped",
                State::Failed(why) => {
                    fields[4].clone_from(why);
                    "failed"
                }
            };
            let url = row.url.as_deref().unwrap_or_default();
            let first = [row.id.as_str(), &row.file, url, state];
            table.write_record(first.into_iter().chain(fields.iter().map(String::as_str))).map_err(failed)?;
        }
        let table =
            table.into_inner().map_err(|e| Error::data("cannot write the report").because(e.into_error()))?;
        write_file(&self.path.join(REPORT), &table)
    }
}

/// The pages of a journal whose lines are whole; the last line of a page counts.
fn entries(journal: &Path) -> Result<BTreeMap<String, Entry>> {
    if !journal.is_file() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(journal).map_err(|e| Error::io(journal, e))?;
    let entries = text.lines().filter_map(|line| serde_json::from_str::<Entry>(line).ok());
    // no line leads out of the folder
    let is_page = |entry: &Entry| {
        entry
            .file
            .strip_prefix("pages/")
            .is_some_and(|name| !name.contains(['/', '\\']) && name.ends_with(".html"))
    };
    Ok(entries.filter(is_page).map(|entry| (entry.file.clone(), entry)).collect())
}

/// What `gold.jsonl` says of a page with gold. The drawn page is in UTF-8 with a byte-order mark.
fn gold_line(page: &GoldPage, file: &str) -> Option<Value> {
    let (gold, markup) = match &page.gold {
        Some(Gold::Text { text, markup }) => (Some(text.as_str()), markup.as_deref()),
        _ => (None, None),
    };
    let snippets = &page.snippets;
    let has_gold = gold.is_some() || [&snippets.with, &snippets.without].iter().any(|list| !list.is_empty());
    has_gold.then(|| list_line(page, file, Content { html: &[], charset: None, gold, markup }))
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path, e)),
        _ => Ok(()),
    }
}
