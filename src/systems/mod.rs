//! Published methods, and the two bounds: a page in, kept blocks out. One file each, one line in [`REGISTRY`].
//!
//! A [`System`] says what a method is called, where it is published and which options it has; [`SystemChoice`] is a
//! system with its options set and a filter after it, `NAME+FILTER`. What runs is a [`Method`]. Systems that learn give
//! what they learned as JSON, which a [`TrainedSystem`] keeps, or they are no more than a [`Recipe`] and are trained as one.

mod boilerpipe;
mod bte;
mod choice;
#[cfg(test)]
mod conformance;
mod density_lm;
mod events;
mod fiasco;
mod fitted;
mod genieknows;
mod html_cleaner;
mod input;
mod justext;
mod keep_everything;
mod kimatu;
mod mss;
mod ngrams;
mod option;
mod oracle;
mod patterns;
mod stop_list;
mod stream;
mod stupidos;
mod text_distribution;
mod threshold;
mod trained;
mod victor;
mod vocabulary;
mod wcc_baseline;
mod wcc_genetic;
mod wcc_heuristic;
mod wcc_lm;
mod wcc_tree;

pub use choice::SystemChoice;
pub use input::{SystemGold, SystemInput, project};
pub use option::SystemOption;
pub use trained::{Trained, TrainedSystem};
pub(crate) use trained::{gold_of, seen, train_on};

use crate::block::ParagraphClass;
use crate::error::Result;
use crate::pipeline::Recipe;
use crate::registry;
use serde_json::Value;
use std::fmt;

/// Every system; the order is that of help texts and tables.
pub static REGISTRY: &[&System] = &[
    &keep_everything::SYSTEM,
    &bte::SYSTEM,
    &boilerpipe::ARTICLE_EXTRACTOR,
    &boilerpipe::DEFAULT_EXTRACTOR,
    &boilerpipe::LARGEST_EXTRACTOR,
    &boilerpipe::NUM_WORDS_RULES,
    &boilerpipe::DENSITY_RULES,
    &boilerpipe::CANOLA,
    &boilerpipe::KEEP_EVERYTHING,
    &justext::SYSTEM,
    &text_distribution::SYSTEM,
    &genieknows::SYSTEM,
    &html_cleaner::SYSTEM,
    &kimatu::SYSTEM,
    &wcc_baseline::SYSTEM,
    &wcc_heuristic::SYSTEM,
    &density_lm::SYSTEM,
    &fiasco::SYSTEM,
    &stupidos::SYSTEM,
    &wcc_tree::SYSTEM,
    &wcc_lm::SYSTEM,
    &wcc_genetic::SYSTEM,
    &victor::SYSTEM,
    &mss::SYSTEM,
    &oracle::SYSTEM,
];

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

/// The system called `name`, or an error that lists the names there are.
pub fn by_name(name: &str) -> Result<&'static System> {
    registry::find(REGISTRY, "system", name, |entry| entry.name)
}
