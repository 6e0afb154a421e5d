//! Published systems: page → kept blocks. The systems themselves are in `threshr-baselines`.
//!
//! - A [`System`] has a name, a source and options.
//! - A [`SystemChoice`] is a system with values of its options and a filter after it: `NAME+FILTER`.
//! - A [`Method`] is a system that is ready to run.
//! - A [`TrainedSystem`] stores the result of the training of a system, as JSON.
//! - A system that is a [`Recipe`] is trained into an ordinary model.

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

/// The known systems of a program.
#[derive(Debug, Clone, Default)]
pub struct Systems(Vec<&'static System>);

impl Systems {
    /// Creates a collection of systems.
    pub fn new(systems: &[&'static System]) -> Self {
        Systems(systems.to_vec())
    }

    /// All systems, in the order of help texts and tables.
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

/// A published method.
#[derive(Debug)]
pub struct System {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for help texts and tables.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Whether it reads the gold. Then it is an upper bound, not a method.
    pub needs_gold: bool,
    /// Whether it reads the HTML of the page, [`SystemInput::html`].
    pub needs_html: bool,
    /// Its options with the published defaults.
    pub options: &'static [SystemOption],
    /// How its method is built.
    pub how: How,
}

/// Builds a method from complete settings.
pub type Build = fn(settings: &Value) -> Result<Box<dyn Method>>;

/// How the method of a system is built. Settings are complete and checked: all options, with defaults for
/// missing ones.
pub enum How {
    /// Without training.
    Plain(Build),
    /// From the result of its training.
    Fitted {
        /// Trains on pages with [`SystemInput::gold`]. The same pages, settings and seed give the same data.
        train: fn(pages: &[SystemInput<'_>], settings: &Value, seed: u64) -> Result<Value>,
        /// Reads the result of `train`. It must check all indices and lengths, because files may be damaged.
        load: fn(settings: &Value, data: &Value) -> Result<Box<dyn Method>>,
        /// Builds the method without training, if possible.
        untrained: Option<Build>,
    },
    /// As a model with this recipe.
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
    /// Whether it can be trained.
    pub fn is_trainable(&self) -> bool {
        !matches!(self.how, How::Plain(_))
    }
    /// Whether it requires training.
    pub fn must_be_trained(&self) -> bool {
        matches!(self.how, How::Recipe(_) | How::Fitted { untrained: None, .. })
    }
}

/// A system that is ready to run.
pub trait Method: fmt::Debug + Send + Sync {
    /// Whether each block of the page is kept: one entry per block. The time must be linear in the size of
    /// any page.
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool>;
    /// Class of each block, if the method distinguishes headings, list items and paragraphs. `None`: elements
    /// decide.
    fn classes(&self, _page: &SystemInput<'_>) -> Option<Vec<ParagraphClass>> {
        None
    }
    /// Facts about the result of its training for users: (name, value).
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
