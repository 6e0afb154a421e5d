//! The interface of published systems, which map a page to its kept blocks. `threshr-baselines` implements them.
//!
//! - A [`System`] has a name, a source and options.
//! - A [`SystemChoice`] is a system with option values and an optional filter after it: `NAME+FILTER`.
//! - A [`Method`] is a system that is ready to run.
//! - A [`TrainedSystem`] stores the training result of a system as JSON.
//! - A system that is a [`Recipe`] is trained like an ordinary model.

mod choice;
mod input;
pub mod option;
mod trained;

pub use choice::SystemChoice;
pub use input::{SystemGold, SystemInput, project};
pub use option::SystemOption;
pub use trained::TrainedSystem;

use crate::recipe::Recipe;
use serde_json::Value;
use std::fmt;
use threshr_core::Result;
use threshr_core::registry;
use threshr_html::blocks::ParagraphClass;

/// The systems that a program offers.
#[derive(Debug, Clone, Default)]
pub struct Systems(Vec<&'static System>);

impl Systems {
    /// Creates a collection of systems.
    pub fn new(systems: &[&'static System]) -> Self {
        Systems(systems.to_vec())
    }

    /// Adds systems.
    #[must_use]
    pub fn with(mut self, more: &[&'static System]) -> Self {
        self.0.extend(more);
        self
    }

    /// Returns all systems, in the order of help texts and tables.
    pub fn all(&self) -> &[&'static System] {
        &self.0
    }

    /// Finds the system `name`.
    ///
    /// # Errors
    /// If no system has this name. The error lists all names.
    pub fn by_name(&self, name: &str) -> Result<&'static System> {
        registry::find(&self.0, "system", name, |entry| entry.name)
    }
}

/// A published extraction method.
#[derive(Debug)]
pub struct System {
    /// The name on the command line.
    pub name: &'static str,
    /// Description in one line, for help texts and tables.
    pub summary: &'static str,
    /// The publication.
    pub source: &'static str,
    /// Whether the system reads the gold standard. Such a system is an upper bound and not a method.
    pub needs_gold: bool,
    /// Whether the system reads the HTML of the page in [`SystemInput::html`].
    pub needs_html: bool,
    /// The options with the published defaults.
    pub options: &'static [SystemOption],
    /// How the method is built.
    pub how: How,
}

/// Builds a method from complete settings.
pub type Build = fn(settings: &Value) -> Result<Box<dyn Method>>;

/// How the method of a system is built. Settings are complete and validated: they contain all options, with
/// defaults for missing values.
pub enum How {
    /// The method needs no training.
    Plain(Build),
    /// The method is built from a training result.
    Fitted {
        /// Trains on pages with [`SystemInput::gold`]. The result is deterministic for given pages, settings and
        /// seed.
        train: fn(pages: &[SystemInput<'_>], settings: &Value, seed: u64) -> Result<Value>,
        /// Reads the result of `train`. It must validate all indices and lengths, because files may be corrupt.
        load: fn(settings: &Value, data: &Value) -> Result<Box<dyn Method>>,
        /// Builds the method without training, if possible.
        untrained: Option<Build>,
    },
    /// The system is a model that is trained with this recipe.
    Recipe(fn(settings: &Value) -> Result<Recipe>),
}

impl fmt::Debug for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            How::Plain(_) => "Plain",
            How::Fitted { .. } => "Fitted",
            How::Recipe(_) => "Recipe",
        })
    }
}

impl System {
    /// Creates a system without options that reads neither the gold standard nor the HTML. The caller must set
    /// name, summary and source.
    pub const fn new(how: How) -> Self {
        System { name: "", summary: "", source: "", needs_gold: false, needs_html: false, options: &[], how }
    }
    /// Whether the system can be trained.
    pub fn is_trainable(&self) -> bool {
        !matches!(self.how, How::Plain(_))
    }
    /// Whether the system requires training.
    pub fn must_be_trained(&self) -> bool {
        matches!(self.how, How::Recipe(_) | How::Fitted { untrained: None, .. })
    }
}

/// A system that is ready to run.
pub trait Method: fmt::Debug + Send + Sync {
    /// Returns whether each block of the page is kept, one entry per block. The run time must be linear in the
    /// size of the page, for any page.
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool>;
    /// Returns the class of each block if the method distinguishes headings, list items and paragraphs. If
    /// `None`, the HTML elements determine the classes.
    fn classes(&self, _page: &SystemInput<'_>) -> Option<Vec<ParagraphClass>> {
        None
    }
    /// Returns facts about the training result for users, as (name, value).
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
