//! What a published system is: a page in, kept blocks out. The systems themselves are in `threshr-baselines`.
//!
//! A [`System`] says what a method is called, where it is published and which options it has. A [`SystemChoice`] is a
//! system with its options set and a filter after it, `NAME+FILTER`. What runs is a [`Method`]. A system that learns gives
//! what it learned as JSON, which a [`TrainedSystem`] keeps; a system that is a [`Recipe`] is trained into an ordinary
//! model.

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

/// The systems that a program knows.
#[derive(Debug, Clone, Default)]
pub struct Systems(Vec<&'static System>);

impl Systems {
    /// These systems.
    pub fn new(systems: &[&'static System]) -> Self {
        Systems(systems.to_vec())
    }

    /// All of them; the order is that of help texts and tables.
    pub fn all(&self) -> &[&'static System] {
        &self.0
    }

    /// The system called `name`.
    ///
    /// # Errors
    /// Lists the names there are.
    pub fn by_name(&self, name: &str) -> Result<&'static System> {
        registry::find(&self.0, "system", name, |entry| entry.name)
    }
}

/// A published method.
#[derive(Debug)]
pub struct System {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for help and tables.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Whether it must be given the gold, so that it is a bound and no method.
    pub needs_gold: bool,
    /// Whether it looks at the page's HTML beside the tree: [`SystemInput::html`].
    pub needs_html: bool,
    /// Its options with the published defaults.
    pub options: &'static [SystemOption],
    /// How it comes to run.
    pub how: How,
}

/// Makes a method of complete settings.
pub type Build = fn(settings: &Value) -> Result<Box<dyn Method>>;

/// How a system comes to run. Settings are always complete and checked: every option, with its default where none
/// was given.
pub enum How {
    /// As it is.
    Plain(Build),
    /// After training.
    Fitted {
        /// Learns from pages with [`SystemInput::gold`]; the same pages, settings and seed give the same data.
        train: fn(pages: &[SystemInput<'_>], settings: &Value, seed: u64) -> Result<Value>,
        /// Reads what `train` gave; every index and length is checked, whatever the data are.
        load: fn(settings: &Value, data: &Value) -> Result<Box<dyn Method>>,
        /// How it runs without training, where it can.
        untrained: Option<Build>,
    },
    /// As a model of this recipe, trained like any other.
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
    /// Whether it cannot run without training.
    pub fn must_be_trained(&self) -> bool {
        matches!(self.how, How::Recipe(_) | How::Fitted { untrained: None, .. })
    }
}

/// A system ready to run.
pub trait Method: fmt::Debug + Send + Sync {
    /// Whether each block of the page is kept: one entry a block. Time linear in the page, whatever the page.
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool>;
    /// Class of each block, where the method tells headings and list items from paragraphs; else its element decides.
    fn classes(&self, _page: &SystemInput<'_>) -> Option<Vec<ParagraphClass>> {
        None
    }
    /// What it learned, worth showing to a person: (name, value).
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
