//! Published methods, and the two bounds: a page in, kept blocks out. One file each, one line in [`REGISTRY`].

mod keep_everything;
mod oracle;

use crate::block::Blocks;
use crate::error::Result;
use crate::page::Document;
use crate::registry;

/// Every system.
pub static REGISTRY: &[&System] = &[&keep_everything::SYSTEM, &oracle::SYSTEM];

/// A method without a trained model.
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
    /// Whether each block is kept.
    pub run: fn(&SystemInput<'_>) -> Vec<bool>,
}

/// What a system sees.
#[derive(Debug, Clone, Copy)]
pub struct SystemInput<'a> {
    /// The page's document.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// The right labels, for systems that need gold.
    pub gold: Option<&'a [bool]>,
}

/// The system called `name`, or an error that lists the names there are.
pub fn by_name(name: &str) -> Result<&'static System> {
    registry::find(REGISTRY, "system", name, |entry| entry.name)
}
