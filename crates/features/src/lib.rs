//! Computes features of the blocks of a web page: converts [`Blocks`](threshr_html::blocks::Blocks) to a
//! [`FeatureMatrix`] with one row per block and one named column per feature.
//!
//! ```
//! use threshr_features::FeatureSet;
//! use threshr_html::blocks::{self, Blocks};
//! use threshr_html::{Visibility, parse_str};
//!
//! let doc = parse_str("<p>Some words of text.<p><a href=/>Home</a>");
//! let blocks = Blocks::new(&doc, blocks::REGISTRY[0], Visibility::Visible);
//! let set = FeatureSet::parse("shallow.num_words + density.link_density", &[])?;
//! let matrix = set.extract(&set.page(&doc, &blocks));
//! assert_eq!(matrix.columns()[..], ["shallow.num_words", "density.link_density"]);
//! assert_eq!(matrix.values().row(0).to_vec(), [4.0, 0.0]);
//! assert_eq!(matrix.values().row(1).to_vec(), [1.0, 1.0]);
//! # Ok::<(), threshr_core::Error>(())
//! ```
//!
//! - A [`Family`] computes a group of columns. [`REGISTRY`] lists all families. Each family has its own file in
//!   `families/` or `learned/`. See [`Family`] for how to add a family.
//! - A [`FeatureSet`] is an ordered set of columns, selected by an expression such as `all,-group`. It can also
//!   contain the columns of neighbouring blocks.
//! - A [`PageContext`] is the input of families: the facts of the page, which the crate `page` computes, the
//!   policy, and data learned from other pages.
//! - [`learned`] families depend on a [`Vocabulary`] that is learned from training pages.
//! - Word lists are in `data/`, by language and with their sources.

mod context;
mod expression;
mod families;
mod feature_set;
pub mod learned;
mod matrix;
mod presets;
mod registry;
mod site_stats;

pub use context::PageContext;
pub use families::attribute::{NEAR_COMMENT, in_comments};
pub use families::policy::{COMMENT_COLUMN, comment_sign};
pub use families::site_repeat::SiteCounts;
pub use feature_set::FeatureSet;
pub use learned::{Learner, Limits, Terms, TermsBuilder, Vocabularies, Vocabulary};
pub use matrix::FeatureMatrix;
pub use presets::{NAMED_SETS, NamedSet};
pub use registry::Families;
pub use site_stats::{SiteStats, block_keys};

use families::{
    attribute, bullet, cetr, container, density, document, drawn, duplicate, edge, group, lexical, metadata,
    pattern, policy, position, readability, repeat, shallow, site_repeat, split, thread, token, visual,
    window,
};
use std::borrow::Cow;
use std::ops::Range;
pub(crate) use threshr_page::text::ratio;

/// All families, in the order of their columns in a matrix. Add new families at the end, so that the order of
/// existing columns does not change.
pub static REGISTRY: &[&dyn Family] = &[
    &shallow::FAMILY,
    &density::FAMILY,
    &container::Container,
    &position::Position,
    &duplicate::Duplicate,
    &group::Group,
    &document::FAMILY,
    &attribute::Attribute,
    &learned::attribute_tokens::AttributeTokens,
    &learned::words::Words,
    &policy::FAMILY,
    &metadata::Metadata,
    &repeat::Repeat,
    &window::Window,
    &edge::Edge,
    &lexical::Lexical,
    &token::FAMILY,
    &split::FAMILY,
    &bullet::FAMILY,
    &pattern::Pattern,
    &cetr::Cetr,
    &visual::Visual,
    &site_repeat::SiteRepeat,
    &thread::Thread,
    &learned::ngrams::Ngrams,
    &readability::Readability,
    &drawn::Drawn,
];

/// A feature, with one value per block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name within the family: lower-case ASCII letters, digits and `_`. The full name in models is
    /// `family.name`.
    pub name: Cow<'static, str>,
    /// Unit: `words`, `ratio`, `flag`, … It is part of the hash in model files.
    pub unit: &'static str,
    /// Definition of the value, including its value if there is nothing to measure. Its wording may change.
    pub definition: Cow<'static, str>,
    /// Version of the definition, starting with 1. It is part of the hash in model files. Increase it if and
    /// only if the values change.
    pub version: u16,
    /// Publication of the feature.
    pub source: &'static str,
    /// Whether `--neighbours` adds the column for neighbouring blocks.
    pub neighbours: bool,
}

impl Column {
    /// Creates a column with version 1 that is not added for neighbouring blocks.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        unit: &'static str,
        definition: impl Into<Cow<'static, str>>,
        source: &'static str,
    ) -> Self {
        Column {
            name: name.into(),
            unit,
            definition: definition.into(),
            version: 1,
            source,
            neighbours: false,
        }
    }
}

/// A group of features that are computed together.
///
/// To add a family:
/// 1. Write a file in `families/` with a type that implements this trait. If every column is a function of the
///    page and one block, use a `PerBlock` table of `Entry` values, as in `families/shallow.rs`. Otherwise,
///    follow `families/duplicate.rs`.
/// 2. Access the page through [`PageContext`]: `stats` has the counts of each block, `words()` its words, `doc`
///    and `blocks` the tree. Code that other crates can share belongs in the crate `page`.
/// 3. Write finite values with [`Grid::column`] and [`Grid::set`]. Values that are not written stay 0. Skip
///    expensive columns for which [`Grid::wants`] returns false.
/// 4. Return `true` in [`Family::reads_words`] if `fill` calls `words()` directly or indirectly. In a
///    `PerBlock`, list such columns in `word_columns`. A test computes each column alone to check this.
/// 5. Add the module to `families/mod.rs` and the family to the end of [`REGISTRY`]. Help, reference tables and
///    conformance tests are generated from the registry.
/// 6. Test the values of a small page in the same file, with `tests::values`.
///
/// A learned family also implements [`Learner`], and leaves [`Family::fill`] empty.
pub trait Family: Sync {
    /// Name in expressions, on the command line and in models: lower-case ASCII letters, digits and `_`.
    fn name(&self) -> &'static str;
    /// One-line summary for help and tables.
    fn summary(&self) -> &'static str;
    /// Returns the columns. Their order is fixed, because `fill` writes columns by index.
    fn columns(&self) -> Vec<Column>;
    /// Whether the set `all` contains the family. Return false if the family is slow, or needs more input than
    /// the page.
    fn is_in_all(&self) -> bool {
        true
    }
    /// Writes the columns for every block of the page. All values must be finite. Columns that `out` does not
    /// [want](Grid::wants) may be skipped.
    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>);
    /// Returns true if one of the wanted columns uses [`PageFacts::words`](threshr_page::PageFacts::words).
    /// `wanted` has one entry per column.
    ///
    /// If no family uses words, the page is analysed without them, which is faster.
    fn reads_words(&self, _wanted: &[bool]) -> bool {
        false
    }
    /// Whether the columns need counts over the other pages of the site.
    fn needs_crawl(&self) -> bool {
        false
    }
    /// Returns the learner, if the family depends on a vocabulary. [`Family::fill`] of such a family leaves all
    /// values 0.
    fn learner(&self) -> Option<&dyn Learner> {
        None
    }
}

/// The columns of one family for one page: a column-major matrix, initially 0. [`Family::fill`] writes the
/// values.
#[derive(Debug)]
pub struct Grid<'a> {
    values: &'a mut [f32],
    num_blocks: usize,
    /// Whether each column is used. If `None`, all columns are used.
    wanted: Option<&'a [bool]>,
}

impl<'a> Grid<'a> {
    /// Creates a grid over `values`, which has `num_blocks` consecutive values per column.
    pub fn new(values: &'a mut [f32], num_blocks: usize) -> Self {
        Grid { values, num_blocks, wanted: None }
    }
    /// Sets which columns are used. `wanted` has one entry per column.
    pub(crate) fn wanting(self, wanted: &'a [bool]) -> Self {
        Grid { wanted: Some(wanted), ..self }
    }
    /// Returns true if one of these columns is used. Columns that are not used may stay 0.
    pub fn wants(&self, columns: Range<usize>) -> bool {
        self.wanted.is_none_or(|wanted| wanted[columns].contains(&true))
    }
    /// Returns the values of a column, one per block.
    pub fn column(&mut self, index: usize) -> &mut [f32] {
        &mut self.values[index * self.num_blocks..(index + 1) * self.num_blocks]
    }
    /// Sets the value of one block in a column.
    pub fn set(&mut self, column: usize, block: usize, value: f32) {
        debug_assert!(block < self.num_blocks, "block {block} of {}", self.num_blocks);
        self.values[column * self.num_blocks + block] = value;
    }
    /// Sets the values of one block in consecutive columns, starting at the column `first`.
    pub(crate) fn set_all(&mut self, first: usize, block: usize, values: &[f32]) {
        for (i, &value) in values.iter().enumerate() {
            self.set(first + i, block, value);
        }
    }
}

/// A family in which every column is a function of the page and one block.
pub(crate) struct PerBlock {
    pub name: &'static str,
    pub summary: &'static str,
    pub source: &'static str,
    /// Whether `--neighbours` adds the family's columns for neighbouring blocks.
    pub neighbours: bool,
    /// Names of the columns that use [`PageFacts::words`](threshr_page::PageFacts::words) directly or
    /// indirectly.
    pub word_columns: &'static [&'static str],
    pub table: &'static [Entry],
}

/// One column of a [`PerBlock`] family.
pub(crate) struct Entry {
    pub name: &'static str,
    pub unit: &'static str,
    pub definition: &'static str,
    /// Writes the column. [`each!`] creates this function from an expression for a page and a block index.
    pub fill: fn(&PageContext<'_>, &mut [f32]),
}

/// Creates a function that computes a column from an expression for a page and a block index. Each column has
/// its own loop.
macro_rules! each {
    ($value:expr) => {
        |page, out| $crate::fill_each(page, out, $value)
    };
}
use each;

fn fill_each(page: &PageContext<'_>, out: &mut [f32], value: impl Fn(&PageContext<'_>, usize) -> f32) {
    out.iter_mut().enumerate().for_each(|(block, out)| *out = value(page, block));
}

impl Family for PerBlock {
    fn name(&self) -> &'static str {
        self.name
    }
    fn summary(&self) -> &'static str {
        self.summary
    }
    fn columns(&self) -> Vec<Column> {
        let column = |e: &Entry| Column {
            name: e.name.into(),
            unit: e.unit,
            definition: e.definition.into(),
            version: 1,
            source: self.source,
            neighbours: self.neighbours,
        };
        self.table.iter().map(column).collect()
    }
    fn reads_words(&self, wanted: &[bool]) -> bool {
        self.table
            .iter()
            .zip(wanted)
            .any(|(entry, wanted)| *wanted && self.word_columns.contains(&entry.name))
    }
    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for (i, entry) in self.table.iter().enumerate() {
            if out.wants(i..i + 1) {
                (entry.fill)(page, out.column(i));
            }
        }
    }
}

/// Returns `part / whole`, or 0 if `whole` is not positive.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests;
