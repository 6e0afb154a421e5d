//! [`Blocks`](threshr_html::blocks::Blocks) → [`FeatureMatrix`]: one row a block, one named column a feature.
//!
//! A *family* is one file that fills a group of columns; [`REGISTRY`] lists them. A [`FeatureSet`] picks
//! families and columns by an expression and adds the same columns of neighbouring blocks.

mod block_table;
mod expression;
mod families;
mod feature_set;
pub mod learned;
mod matrix;
pub mod page_index;
mod presets;
#[cfg(test)]
mod testing;

pub use block_table::{BlockRow, BlockTable};
pub use families::attribute::{NEAR_COMMENT, in_comments};
pub use families::policy::{COMMENT_COLUMN, comment_sign};
pub use families::site_repeat::SiteCounts;
pub use feature_set::FeatureSet;
pub use learned::{Learned, Learner, Lesson, Limits, Terms, TermsBuilder, Vocabularies, Vocabulary, learn};
pub use matrix::FeatureMatrix;
pub use page_index::article_metadata::{
    ArticleMetadata, metadata_blocks, metadata_column, reads_article_metadata,
};
pub use page_index::context::{MOST_HEADING_WORDS, PageContext};
pub use page_index::language::language;
pub use page_index::page_words::{PageWords, Word};
pub use page_index::site_stats::{SiteStats, block_keys};
pub use page_index::stats::BlockStats;
pub use page_index::word_list::WordStats;
pub use presets::{NAMED_SETS, NamedSet};

use families::{
    attribute, bullet, cetr, container, density, document, duplicate, edge, group, hidden, lexical, metadata,
    pattern, policy, position, readability, repeat, shallow, site_repeat, split, thread, token, visual,
    window,
};
use std::borrow::Cow;
use std::ops::Range;

/// Every family; the order is that of the columns in a matrix.
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
    &hidden::Hidden,
    &readability::Readability,
];

/// A feature: a named number of every block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name inside the family.
    pub name: Cow<'static, str>,
    /// Its unit: `words`, `ratio`, `flag`, …
    pub unit: &'static str,
    /// What it is, with the value where there is nothing to measure.
    pub definition: Cow<'static, str>,
    /// Version of the definition, hashed into models: raise it when the values change, not when the wording does.
    pub version: u16,
    /// Where it is published.
    pub source: &'static str,
    /// Whether a feature set adds the column for neighbouring blocks too.
    pub neighbours: bool,
}

impl Column {
    /// A column without neighbours.
    pub(crate) fn of(
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

/// A group of features computed together.
pub trait Family: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;
    /// One line for help and tables.
    fn summary(&self) -> &'static str;
    /// The columns, in order.
    fn columns(&self) -> Vec<Column>;
    /// Whether the set `all` has its columns: not where they need more than the page itself.
    fn is_in_all(&self) -> bool {
        true
    }
    /// Writes the columns that `out` [wants](Grid::wants), or all, for every block of the page; values are finite.
    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>);
    /// Whether filling one of the columns that `wanted` names (one entry a column) reads the page's list of words.
    fn reads_words(&self, _wanted: &[bool]) -> bool {
        false
    }
    /// Whether it rests on the other pages of a page's site.
    fn needs_crawl(&self) -> bool {
        false
    }
    /// The learned side of a family that rests on a vocabulary; [`Family::fill`] of such a one leaves 0.
    fn learner(&self) -> Option<&dyn Learner> {
        None
    }
}

/// The columns of one family on one page, to be filled: column-major, all 0 at first.
#[derive(Debug)]
pub struct Grid<'a> {
    values: &'a mut [f32],
    num_blocks: usize,
    /// Which columns somebody looks at; without, all.
    wanted: Option<&'a [bool]>,
}

impl<'a> Grid<'a> {
    /// A grid over `values`, one stretch of `num_blocks` values a column.
    pub fn new(values: &'a mut [f32], num_blocks: usize) -> Self {
        Grid { values, num_blocks, wanted: None }
    }
    /// The same grid of which only some columns are looked at; `wanted` has one entry a column.
    pub(crate) fn wanting(self, wanted: &'a [bool]) -> Self {
        Grid { wanted: Some(wanted), ..self }
    }
    /// Whether one of these columns is looked at; the others may stay 0.
    pub fn wants(&self, columns: Range<usize>) -> bool {
        self.wanted.is_none_or(|wanted| wanted[columns].contains(&true))
    }
    /// The values of column `index` of the family, one for each block.
    pub fn column(&mut self, index: usize) -> &mut [f32] {
        &mut self.values[index * self.num_blocks..(index + 1) * self.num_blocks]
    }
    /// Sets one value.
    pub fn set(&mut self, column: usize, block: usize, value: f32) {
        self.values[column * self.num_blocks + block] = value;
    }
    /// Sets the values of one block in the columns from `first` on.
    pub(crate) fn set_all(&mut self, first: usize, block: usize, values: &[f32]) {
        for (i, &value) in values.iter().enumerate() {
            self.set(first + i, block, value);
        }
    }
}

/// A family whose columns are each a function of the page and a block.
pub(crate) struct PerBlock {
    pub name: &'static str,
    pub summary: &'static str,
    pub source: &'static str,
    pub neighbours: bool,
    /// Names of the columns that read the page's list of words.
    pub word_columns: &'static [&'static str],
    pub table: &'static [Entry],
}

/// One column of a [`PerBlock`] family.
pub(crate) struct Entry {
    pub name: &'static str,
    pub unit: &'static str,
    pub definition: &'static str,
    /// Writes the column; [`each!`] makes it of a function of a block.
    pub fill: fn(&PageContext<'_>, &mut [f32]),
}

/// A column by a function of the page and a block: one loop for each column, into which the function is compiled.
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

/// `a / b`, or 0 where `b` is 0.
pub(crate) fn ratio(a: u32, b: u32) -> f32 {
    if b == 0 { 0.0 } else { (f64::from(a) / f64::from(b)) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn names_are_unique_and_definitions_written() {
        for family in REGISTRY {
            let columns = family.columns();
            let mut names: Vec<_> = columns.iter().map(|c| c.name.clone()).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), columns.len(), "{}", family.name());
            for c in &columns {
                assert!(!c.definition.is_empty() && !c.unit.is_empty() && !c.source.is_empty(), "{}", c.name);
                assert!(
                    c.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                    "{}",
                    c.name
                );
            }
        }
    }

    proptest! {
        #[test]
        fn every_value_is_finite_on_any_page(html in "(<(p|div|li|td|table|a href=x|h1|br|b|/div|/a|/p|title|nav class=menu|div hidden|i hidden|b aria-hidden=true)>|[a-zA-Z .,|0-9é漢ไ\n]{0,12}){0,40}") {
            let doc = parse_str(&html);
            let set = FeatureSet::parse("all+visual", &[1, 2]).expect("the set exists");
            let vocabularies: Vocabularies = serde_json::from_str(
                r#"{"words": {"a": -1e30, "b": 3.0, "under a": 2.0}, "attribute_tokens": {"menu": -5.0}}"#,
            )
            .expect("JSON");
            for segmentation in block::REGISTRY {
                let blocks = Blocks::of(&doc, segmentation, Visibility::Weighed);
                let page = PageContext::new(&doc, &blocks).with_vocabularies(&vocabularies);
                let matrix = set.extract(&page);
                prop_assert_eq!(matrix.num_blocks(), blocks.len());
                for (name, column) in matrix.columns().iter().zip(matrix.values().columns()) {
                    prop_assert!(column.iter().all(|v| v.is_finite()), "{}", name);
                }
            }
        }
    }
}
