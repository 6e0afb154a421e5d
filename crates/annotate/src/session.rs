//! What the application works on.

use crate::library::Library;
use crate::records::Records;
use std::path::PathBuf;
use std::sync::Arc;
use threshr_core::{Error, Result};
use threshr_crawl::Limits;
use threshr_extract::Extractor;
use threshr_io::Source;

/// A model with its options.
#[derive(Debug)]
pub struct Labeller {
    /// How it is called in the application.
    pub name: String,
    /// Labels the blocks. It reads pages with their source map.
    pub extractor: Extractor,
}

/// What the application is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// A person labels the pages of a folder.
    Annotate {
        /// The folder, in which `annotations.jsonl` is written.
        folder: PathBuf,
        /// Who labels.
        annotator: String,
    },
    /// Labels and their reasons are shown. Nothing is written.
    Inspect,
}

/// The pages, the models and the labels of people.
#[derive(Debug)]
pub struct Session {
    pub(crate) mode: Mode,
    pub(crate) library: Arc<Library>,
    pub(crate) records: Records,
}

impl Session {
    /// Opens a session: `labellers` are one model, or two that are compared. Reads the labels of people in the folder,
    /// and locks the folder.
    ///
    /// # Errors
    /// If there are no pages or no labeller, an input is not one page, or the labels in the folder cannot be read.
    pub fn open(
        mode: Mode,
        sources: Vec<Source>,
        labellers: Vec<Labeller>,
        limits: Limits,
    ) -> Result<Session> {
        if labellers.is_empty() {
            return Err(Error::recipe("there is no model"));
        }
        let folder = match &mode {
            Mode::Annotate { folder, .. } => Some(folder.as_path()),
            Mode::Inspect => None,
        };
        let library = Library::new(sources, folder, labellers, limits)?;
        let records = Records::open(&mode)?;
        Ok(Session { mode, library: Arc::new(library), records })
    }
}
