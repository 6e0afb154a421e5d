//! The folder of drawn pages: pages, geometry, `gold.jsonl`, `policy.toml`, settings and report.

use super::inputs::Page;
use crate::cli::write_file;
use std::fs::File;
use std::path::{Path, PathBuf};
use threshr_browser::Settings;
use threshr_core::policy::Policy;
use threshr_core::{Error, Result};
use threshr_html::geometry_path;
use threshr_io::atomic;
use threshr_io::gold::{Content, Gold, GoldPage, list_line};

/// The settings of a folder. It is written first and marks the folder.
const SETTINGS: &str = "render.toml";

/// What happened to each page of the last run.
const REPORT: &str = "render.csv";

/// The folder of drawn pages.
pub(super) struct Folder {
    path: PathBuf,
    /// Whether pages are drawn again.
    is_fresh: bool,
    /// Held until the run ends.
    _lock: Option<File>,
}

/// What happened to a page.
pub(super) enum State {
    Drawn { is_incomplete: bool, num_lost: usize, num_elements: usize, size: [f64; 2] },
    Skipped,
    Failed(String),
}

/// A page in the report and in `gold.jsonl`.
pub(super) struct Row {
    pub page: GoldPage,
    pub id: String,
    pub file: String,
    pub state: State,
}

impl Folder {
    /// Whether a folder has drawn pages.
    pub(super) fn is_at(path: &Path) -> bool {
        path.join(SETTINGS).is_file()
    }

    /// Opens or creates a folder. With `is_fresh` its pages are drawn again.
    ///
    /// # Errors
    /// If its pages were drawn with other settings and `is_fresh` is not set, or another run uses it.
    pub(super) fn open(path: &Path, settings: &Settings, is_fresh: bool) -> Result<Self> {
        let pages = path.join("pages");
        std::fs::create_dir_all(&pages).map_err(|e| Error::io(&pages, e))?;
        let lock = atomic::lock_folder(path)?;
        [path, &pages].into_iter().for_each(atomic::remove_leftovers);
        let Settings { width, height, network, .. } = settings;
        let wait = settings.wait.as_millis();
        let text = format!("width = {width}\nheight = {height}\nwait = {wait}\nnetwork = {network}\n");
        let file = path.join(SETTINGS);
        let before = if file.is_file() {
            Some(std::fs::read_to_string(&file).map_err(|e| Error::io(&file, e))?)
        } else {
            None
        };
        if before.is_some_and(|before| before != text) && !is_fresh {
            return Err(Error::recipe("the pages in the folder were drawn with other options")
                .expected("the same --width, --height, --wait and --network, another folder, or --force")
                .at_path(&file));
        }
        write_file(&file, text.as_bytes())?;
        Ok(Folder { path: path.to_path_buf(), is_fresh, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the policy of the annotated set.
    pub(super) fn write_policy(&self, policy: Option<Policy>) -> Result<()> {
        match policy {
            Some(policy) => write_file(
                &self.path.join("policy.toml"),
                format!("policy = \"{}\"\n", policy.name()).as_bytes(),
            ),
            None => Ok(()),
        }
    }

    /// Whether a page is there and stays. Its geometry is written last.
    pub(super) fn has(&self, page: &Page) -> Result<bool> {
        let path = self.path.join(&page.file);
        if !self.is_fresh {
            return Ok(path.is_file() && geometry_path(&path).is_file());
        }
        // a page that fails is not there any more
        for old in [geometry_path(&path), path] {
            if old.is_file() {
                std::fs::remove_file(&old).map_err(|e| Error::io(&old, e))?;
            }
        }
        Ok(false)
    }

    /// Writes a page and its geometry.
    pub(super) fn write(&self, page: &Page, html: &str, geometry: &[u8]) -> Result<()> {
        let path = self.path.join(&page.file);
        write_file(&path, html.as_bytes())?;
        write_file(&geometry_path(&path), geometry)
    }

    /// Writes the list of the pages that are there, and the report.
    pub(super) fn finish(&self, rows: &[Row]) -> Result<()> {
        let mut list = String::new();
        for row in rows.iter().filter(|row| !matches!(row.state, State::Failed(_))) {
            let (gold, markup) = match &row.page.gold {
                Some(Gold::Text { text, markup }) => (Some(text.as_str()), markup.as_deref()),
                _ => (None, None),
            };
            // the pages are in UTF-8 with a byte-order mark
            let content = Content { html: &[], charset: None, gold, markup };
            list.push_str(&format!("{}\n", list_line(&row.page, &row.file, content)));
        }
        write_file(&self.path.join("gold.jsonl"), list.as_bytes())?;
        let mut table = csv::Writer::from_writer(Vec::new());
        let failed = |e: csv::Error| Error::data("cannot write the report").because(e);
        table
            .write_record(["page", "file", "state", "width", "height", "elements", "lost", "error"])
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
            let first = [row.id.as_str(), &row.file, state];
            table.write_record(first.into_iter().chain(fields.iter().map(String::as_str))).map_err(failed)?;
        }
        let table =
            table.into_inner().map_err(|e| Error::data("cannot write the report").because(e.into_error()))?;
        write_file(&self.path.join(REPORT), &table)
    }
}
