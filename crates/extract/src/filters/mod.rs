//! Filters: labels → labels. A filter drops kept blocks by rules that depend on the whole page. It never adds a
//! block.
//!
//! Each filter is one file and one entry in [`REGISTRY`]. Filters work with the labels of any classifier or
//! system.
//!
//! ```
//! use threshr_extract::filters::{FilterChoice, Page};
//! use threshr_html::blocks::{Blocks, REGISTRY};
//! use threshr_html::{Visibility, parse_str};
//!
//! let box_ = "<div><p>It rained on all days of this week.</p></div>";
//! let doc = parse_str(&box_.repeat(2));
//! let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
//! let mut kept = vec![true; blocks.len()];
//! FilterChoice::parse("repeats")?.apply(&Page::new(&doc, &blocks, &[1.0; 2]), &mut kept);
//! assert_eq!(kept, [true, false]);
//! # Ok::<(), threshr_core::Error>(())
//! ```
//!
//! # How to add a filter
//!
//! 1. Write `NAME.rs` with a `static FILTER: Filter`. It only drops blocks; a property test checks this.
//! 2. Add it to [`REGISTRY`], and to the table of `docs/guide/extract.md`.

mod comments;
mod controls;
mod extras;
mod headings;
mod repeats;
mod tree_group;

pub use controls::Controls;

use crate::decision::{groups, rows};
use std::cell::LazyCell;
use std::fmt;
use threshr_core::policy::{LeftOut, Property};
use threshr_core::registry;
use threshr_core::{Error, Result};
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use threshr_html::structure::notes::Notes;
use threshr_page::threads::Parts;

/// All filters; the first is the default.
pub static REGISTRY: &[&Filter] = &[
    &NONE,
    &tree_group::FILTER,
    &repeats::FILTER,
    &comments::FILTER,
    &headings::FILTER,
    &controls::FILTER,
    &extras::FILTER,
];

/// Drops nothing.
static NONE: Filter = Filter {
    name: "none",
    summary: "drops nothing",
    source: "threshr",
    max_depth: 0,
    default_depth: 0,
    reads_tree: false,
    is_for: |_| true,
    apply: |_, _, _| {},
};

/// A rule that drops kept blocks.
#[derive(Debug)]
pub struct Filter {
    /// The name on the command line.
    pub name: &'static str,
    /// Description in one line, for help texts and tables.
    pub summary: &'static str,
    /// The publication.
    pub source: &'static str,
    /// Maximum value of the filter's parameter, which is called depth. Its meaning depends on the filter: levels
    /// of the tree, or a number of words. 0 if the filter has no parameter.
    pub max_depth: u32,
    /// Default value of the depth.
    pub default_depth: u32,
    /// Whether the filter reads the document in addition to the blocks. Training then keeps the documents in
    /// memory.
    pub reads_tree: bool,
    /// Whether the filter is active under a policy with these exclusions.
    pub is_for: fn(LeftOut) -> bool,
    /// Sets the entries of dropped blocks to false. `keep` has one entry per block.
    pub apply: fn(&Page<'_>, keep: &mut [bool], depth: u32),
}

/// The input of a filter.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The page's document.
    pub doc: &'a Document,
    /// The blocks of the page.
    pub blocks: &'a Blocks,
    /// Calibrated score of each block, `0.0..=1.0`.
    pub scores: &'a [f32],
    /// The kinds of text that the policy of the page excludes from the content.
    pub left_out: LeftOut,
    /// The parts of posts that the blocks are in, if the page has a thread.
    pub thread: Option<&'a Parts>,
    /// The headline, byline and caption blocks, if the policy decides about them.
    pub article: &'a [(u32, &'static Property)],
    /// The controls of the page. If `None`, the filter `controls` finds them in the document.
    pub controls: Option<&'a Controls>,
    /// The footnotes of the page. If `None`, the rule for footnotes finds them in the document.
    pub notes: Option<&'a Notes>,
}

impl<'a> Page<'a> {
    /// Creates a page whose policy excludes nothing.
    pub fn new(doc: &'a Document, blocks: &'a Blocks, scores: &'a [f32]) -> Self {
        Page {
            doc,
            blocks,
            scores,
            left_out: LeftOut::default(),
            thread: None,
            article: &[],
            controls: None,
            notes: None,
        }
    }

    /// Returns the number of characters of a block, without white space.
    fn num_chars(&self, index: usize) -> usize {
        self.blocks.num_chars(index)
    }
}

/// A filter with its depth, which is from 1 to the maximum depth of the filter, or 0 if it has no depth.
#[derive(Debug, Clone, Copy)]
struct Step {
    filter: &'static Filter,
    depth: u32,
}

/// Maximum number of filters in a sequence.
const MAX_STEPS: usize = 4;

/// A sequence of filters with their depths; usually empty or with one filter.
#[derive(Clone, Copy, Default)]
pub struct FilterChoice {
    /// The filters. The array has one element more than a name may list, because [`FilterChoice::under`] can append a filter.
    steps: [Option<Step>; MAX_STEPS + 1],
}

impl fmt::Debug for FilterChoice {
    /// Writes the name of the choice. Function pointers would differ between runs of the program.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl FilterChoice {
    /// Parses a filter, `NAME:DEPTH`: `none`, `tree`, `tree:3` (or `tree3`). Several filters are written as
    /// `repeats+comments`.
    ///
    /// # Errors
    /// For an unknown name, an invalid depth, and more than four filters.
    pub fn parse(text: &str) -> Result<Self> {
        let mut choice = Self::default();
        let mut free = choice.steps.iter_mut().take(MAX_STEPS);
        for part in text.split('+') {
            let step = Step::parse(part)?;
            if step.filter.name == NONE.name {
                continue;
            }
            let place = free.next().ok_or_else(|| {
                Error::invalid_option(format!("`{text}` has too many filters"))
                    .expected(format!("at most {MAX_STEPS}"))
            })?;
            *place = Some(step);
        }
        Ok(choice)
    }

    /// Creates a choice of one filter with a depth.
    ///
    /// # Errors
    /// Returns the errors of [`FilterChoice::parse`].
    pub fn new(name: &str, depth: Option<u32>) -> Result<Self> {
        if name.contains('+') {
            return Err(Error::invalid_option(format!(
                "`{name}` lists several filters, but only one depth is given"
            ))
            .expected("NAME:DEPTH for each"));
        }
        Ok(Self::of(Step::new(name, depth)?))
    }

    fn of(step: Step) -> Self {
        let mut choice = Self::default();
        choice.steps[0] = Some(step).filter(|s| s.filter.name != NONE.name);
        choice
    }

    fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().flatten()
    }

    /// Sets the entries of dropped blocks to false.
    pub fn apply(&self, page: &Page<'_>, keep: &mut [bool]) {
        let lists = LazyCell::new(|| rows::outermost(page));
        for step in self.steps().filter(|step| (step.filter.is_for)(page.left_out)) {
            let before = keep.to_vec();
            (step.filter.apply)(page, keep, step.depth);
            if before != keep {
                let groups = page.blocks.groups().iter().map(|group| group.blocks.clone());
                groups::complete(page.blocks, groups.chain(lists.iter().cloned()), &before, keep);
            }
        }
    }

    /// Returns the filters to apply under a policy: the sequence, and at its end the filter `extras` if the
    /// policy excludes extras and the sequence does not contain it. `extras` is added because models do not
    /// learn this property.
    #[must_use]
    pub fn under(mut self, left_out: LeftOut) -> Self {
        if left_out.extras && !self.has(extras::FILTER.name) {
            let step = Step { filter: &extras::FILTER, depth: 0 };
            // the filters of a sequence precede the free places
            if let Some(free) = self.steps.iter_mut().find(|step| step.is_none()) {
                *free = Some(step);
            }
        }
        self
    }

    /// Returns the filters of the sequence as choices of one filter each, in the order in which they are
    /// applied.
    pub fn one_by_one(&self) -> impl Iterator<Item = Self> {
        self.steps().copied().map(Self::of)
    }

    /// Whether the sequence contains the filter that reads [`Controls`].
    pub fn reads_controls(&self) -> bool {
        self.has(controls::FILTER.name)
    }

    /// Whether the sequence contains a filter with this name.
    pub fn has(&self, name: &str) -> bool {
        self.steps().any(|step| step.filter.name == name)
    }

    /// Whether a filter drops the blocks of a property under all policies that exclude it. Models then need not
    /// learn this property.
    pub fn drops(&self, property: &Property) -> bool {
        property.name == "headings" && self.has("headings")
    }

    /// Whether the sequence is empty.
    pub fn is_none(&self) -> bool {
        self.steps().next().is_none()
    }

    /// Whether a filter that is active under a policy reads the document.
    pub fn reads_tree(&self, left_out: LeftOut) -> bool {
        self.steps().any(|step| step.filter.reads_tree && (step.filter.is_for)(left_out))
    }

    /// Returns the name, which [`FilterChoice::parse`] can parse.
    pub fn name(&self) -> String {
        let names: Vec<String> = self.steps().map(Step::name).collect();
        if names.is_empty() { NONE.name.to_owned() } else { names.join("+") }
    }
}

impl Step {
    fn parse(text: &str) -> Result<Self> {
        let mut parts = text.split(':');
        let first = parts.next().unwrap_or_default();
        let name = first.trim_end_matches(|c: char| c.is_ascii_digit());
        let depth = Some(&first[name.len()..]).filter(|d| !d.is_empty()).or_else(|| parts.next()).map(|d| {
            d.parse().map_err(|_| {
                Error::invalid_option(format!("`{d}` is not a valid depth of a filter"))
                    .expected("a number such as 2")
            })
        });
        let step = Self::new(name, depth.transpose()?)?;
        match parts.next() {
            None => Ok(step),
            Some(more) => Err(Error::invalid_option(format!("unexpected `{more}` in `{text}`"))
                .expected("NAME or NAME:DEPTH")),
        }
    }
    fn new(name: &str, depth: Option<u32>) -> Result<Self> {
        let filter = registry::find(REGISTRY, "filter", name, |f| f.name)?;
        let depth = depth.unwrap_or(filter.default_depth);
        let min_depth = u32::from(filter.max_depth > 0);
        if depth < min_depth || depth > filter.max_depth {
            return Err(Error::invalid_option(format!("the filter `{name}` has no depth {depth}")).expected(
                if min_depth == 0 { "no depth".to_owned() } else { format!("1 to {}", filter.max_depth) },
            ));
        }
        Ok(Self { filter, depth })
    }

    fn name(&self) -> String {
        match self.filter.max_depth {
            0 => self.filter.name.to_owned(),
            _ => format!("{}:{}", self.filter.name, self.depth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn names_are_read() {
        let name = |t: &str| FilterChoice::parse(t).map(|f| f.name());
        assert_eq!(name("none").expect("a filter"), "none");
        assert_eq!(name("tree").expect("a filter"), "tree:2");
        assert_eq!(name("tree:5").expect("a filter"), "tree:5");
        assert_eq!(name("tree5").expect("a filter"), "tree:5");
        assert_eq!(name("repeats+comments:50").expect("filters"), "repeats:6+comments:50");
        assert_eq!(name("none+tree2+none").expect("filters"), "tree:2");
        assert!(FilterChoice::new("repeats+tree", Some(3)).is_err());
        assert_eq!(
            format!("{:?}", FilterChoice::parse("tree+comments").expect("filters")),
            "tree:2+comments:100"
        );
        for bad in [
            "tree:0",
            "tree:6",
            "tree6",
            "tree2:2",
            "none1",
            "none:1",
            "tree:x",
            "forest",
            "tree:2:0.5",
            "repeats:1:0:0",
            "tree+",
            "tree+tree+tree+tree+tree",
        ] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_filter_ever_adds_a_block(
            html in "(<(p|div|ul|li|table|td|section|/div|/table|b|/ul)>|[a-z ]{1,8}|one two|a b){0,40}",
            labels in prop::collection::vec(any::<bool>(), 64),
            scores in prop::collection::vec(0f32..=1.0, 64),
            depth in 1u32..=5,
            (fine, scored) in any::<(bool, bool)>(),
        ) {
            let doc = parse_str(&html);
            let segmentation = block::REGISTRY[usize::from(fine)];
            let blocks = Blocks::new(&doc, segmentation, Visibility::Visible);
            let before: Vec<bool> = labels.iter().copied().cycle().take(blocks.len()).collect();
            let scores: Vec<f32> = match scored {
                true => scores.iter().copied().cycle().take(blocks.len()).collect(),
                false => before.iter().map(|&k| f32::from(u8::from(k))).collect(),
            };
            for filter in REGISTRY {
                let step = Step { filter, depth: depth.min(filter.max_depth) };
                let choice = FilterChoice { steps: [Some(step), None, None, None, None] };
                let apply = |keep: &[bool]| {
                    let mut keep = keep.to_vec();
                    choice.apply(&Page { left_out: LeftOut::ALL, ..Page::new(&doc, &blocks, &scores) }, &mut keep);
                    keep
                };
                let keep = apply(&before);
                prop_assert!(keep.iter().zip(&before).all(|(after, before)| !after || *before), "{}", filter.name);
                // at least one block stays if one was kept
                prop_assert_eq!(keep.contains(&true), before.contains(&true), "{}", filter.name);
                // a second pass changes nothing
                prop_assert_eq!(&apply(&keep), &keep, "{}", filter.name);
            }
        }
    }
}
