//! A session: the pages, the models and the annotations that the application works on.

use crate::library::Library;
use crate::records::Records;
use std::path::{Path, PathBuf};
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
        /// The model that proposes the labels, as given to `--model`; `None` for the default model.
        model: Option<PathBuf>,
    },
    /// Labels and their explanations are shown. Nothing is written.
    Inspect,
}

impl Mode {
    /// Returns the commands for the steps after annotation, or `None` for a read-only session.
    pub(crate) fn next_commands(&self) -> Option<String> {
        let Mode::Annotate { folder, model, .. } = self else { return None };
        let folder = in_shell(folder);
        let model = model.as_ref().map(|model| format!("--model {} ", in_shell(model))).unwrap_or_default();
        Some(format!("threshr data check {folder}; threshr adapt {model}--data {folder} --out my.json"))
    }
}

/// Returns a path as a word of a shell command.
fn in_shell(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    match path.chars().all(is_plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', r"'\''")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_commands_name_the_model() {
        let next = |model: Option<&str>| {
            let (folder, annotator) = ("my pages".into(), "ada".to_owned());
            Mode::Annotate { folder, annotator, model: model.map(PathBuf::from) }.next_commands()
        };
        let check = "threshr data check 'my pages'; threshr adapt";
        assert_eq!(next(None), Some(format!("{check} --data 'my pages' --out my.json")));
        let expected = format!("{check} --model models/m.json --data 'my pages' --out my.json");
        assert_eq!(next(Some("models/m.json")), Some(expected));
    }
}
