//! A session: the pages, the models and the annotations that the application works on.

use crate::library::Library;
use crate::records::Records;
use std::path::PathBuf;
use std::sync::Arc;
use threshr_core::Limits;
use threshr_core::{Error, Result};
use threshr_extract::Extractor;
use threshr_io::Source;

/// A model with its options.
#[derive(Debug)]
pub struct Labeller {
    /// Name in the application.
    pub name: String,
    /// Labels the blocks. Must be configured to read pages with their source map.
    pub extractor: Extractor,
}

/// Purpose of the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// An annotator labels the pages of a folder.
    Annotate {
        /// The folder in which `annotations.jsonl` is written.
        folder: PathBuf,
        /// Name of the annotator.
        annotator: String,
    },
    /// Labels and their explanations are shown. Nothing is written.
    Inspect,
}

impl Mode {
    /// Returns the commands for the steps after annotation, or `None` for a read-only session.
    pub(crate) fn next_commands(&self) -> Option<String> {
        let Mode::Annotate { folder, .. } = self else { return None };
        let folder = folder.display().to_string();
        let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
        let folder = match folder.chars().all(is_plain) {
            true => folder,
            false => format!("'{}'", folder.replace('\'', r"'\''")),
        };
        Some(format!("threshr data check {folder}; threshr adapt --data {folder} --out my.json"))
    }
}

/// The pages, the models, and the labels of annotators.
#[derive(Debug)]
pub struct Session {
    pub(crate) mode: Mode,
    pub(crate) library: Arc<Library>,
    pub(crate) records: Records,
}

impl Session {
    /// Opens a session. `labellers` contains one model, or two models to compare. Reads the annotations in
    /// the folder, and locks the folder.
    ///
    /// # Errors
    /// If there are no pages or no labeller, an input contains several pages, or the annotations cannot be
    /// read.
    pub fn open(
        mode: Mode,
        sources: Vec<Source>,
        labellers: Vec<Labeller>,
        limits: Limits,
    ) -> Result<Session> {
        if labellers.is_empty() {
            return Err(Error::invalid_option("there is no model"));
        }
        let folder = match &mode {
            Mode::Annotate { folder, .. } => Some(folder.as_path()),
            Mode::Inspect => None,
        };
        let library = Library::new(sources, folder, labellers, limits)?;
        let records = Records::open(&mode, &library)?;
        Ok(Session { mode, library: Arc::new(library), records })
    }
}
