//! Filters: labels → labels. A filter drops kept blocks by rules about the whole page. It never adds a block.
//!
//! Each filter is one file and one line in [`REGISTRY`]. Filters work with the labels of any classifier or
//! system.
//!
//! ```
//! use threshr_core::policy::LeftOut;
//! use threshr_extract::filters::FilterChoice;
//! use threshr_html::blocks::{Blocks, REGISTRY};
//! use threshr_html::{Visibility, parse_str};
//!
//! let box_ = "<div><p>It rained on all days of this week.</p></div>";
//! let doc = parse_str(&box_.repeat(2));
//! let blocks = Blocks::of(&doc, REGISTRY[0], Visibility::Visible);
//! let mut kept = vec![true; blocks.len()];
//! FilterChoice::parse("repeats")?.apply(&doc, &blocks, None, LeftOut::default(), &mut kept);
//! assert_eq!(kept, [true, false]);
//! # Ok::<(), threshr_core::Error>(())
//! ```
//!
//! # How to add a filter
//!
//! 1. Write `NAME.rs` with a `static FILTER: Filter`. It only drops blocks; a property test checks this.
//! 2. Add it to [`REGISTRY`], and to the table of `docs/guide/extract.md`.

mod comments;
mod extras;
mod headings;
mod largest_run;
mod repeats;
mod sections;
mod smooth;
mod tree_confident;
mod tree_group;

use crate::decision::groups;
use std::fmt;
use threshr_core::policy::{LeftOut, Property};
use threshr_core::registry;
use threshr_core::{Error, Result};
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// All filters; the first is the default.
pub static REGISTRY: &[&Filter] = &[
    &NONE,
    &tree_group::FILTER,
    &tree_confident::FILTER,
    &smooth::FILTER,
    &largest_run::FILTER,
    &repeats::FILTER,
    &comments::FILTER,
    &headings::FILTER,
    &sections::FILTER,
    &extras::FILTER,
];

/// Drops nothing.
static NONE: Filter = Filter {
    name: "none",
    summary: "drops nothing",
    source: "threshr",
    max_depth: 0,
    default_depth: 0,
    default_share: None,
    reads_tree: false,
    is_for: |_| true,
    apply: |_, _, _| {},
};

/// A filter: a rule that drops kept blocks.
#[derive(Debug)]
pub struct Filter {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for help texts and tables.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Maximum depth: how far the filter goes, up the tree or along the blocks. 0 if it has no depth.
    pub max_depth: u32,
    /// Default depth.
    pub default_depth: u32,
    /// Default share; `None` if it has no share.
    pub default_share: Option<f32>,
    /// Whether it reads the document, not only the blocks. Training then keeps the documents in memory.
    pub reads_tree: bool,
    /// Whether it is active under a policy.
    pub is_for: fn(LeftOut) -> bool,
    /// Sets the entries of dropped blocks to false; `keep` has one entry per block.
    pub apply: fn(&Page<'_>, keep: &mut [bool], Settings),
}

/// What a filter reads.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The page's document.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Calibrated score of each block, `0.0..=1.0`.
    pub scores: &'a [f32],
    /// What the policy of the page leaves out.
    pub left_out: LeftOut,
}

impl<'a> Page<'a> {
    /// A page whose policy leaves out nothing.
    pub fn new(doc: &'a Document, blocks: &'a Blocks, scores: &'a [f32]) -> Self {
        Page { doc, blocks, scores, left_out: LeftOut::default() }
    }

    /// Number of characters of a block, without white space.
    fn num_chars(&self, index: usize) -> usize {
        self.blocks.num_chars(index)
    }

    /// Score × characters of a block.
    fn mass(&self, index: usize) -> f64 {
        f64::from(self.scores[index]) * self.num_chars(index) as f64
    }
}

/// The parameters of a filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Depth, from 1 to the maximum depth of the filter; 0 if it has none.
    pub depth: u32,
    /// Share, `0.0..=1.0`; 0 if it has none.
    pub share: f32,
}

/// A filter with its parameters.
#[derive(Debug, Clone, Copy)]
struct Step {
    filter: &'static Filter,
    settings: Settings,
}

/// Maximum number of filters in a sequence.
const MAX_STEPS: usize = 4;

/// A sequence of filters with their parameters; mostly one, or none.
#[derive(Clone, Copy, Default)]
pub struct FilterChoice {
    /// One more than a sequence may name: [`FilterChoice::under`] adds a filter.
    steps: [Option<Step>; MAX_STEPS + 1],
}

impl fmt::Debug for FilterChoice {
    /// Writes the name. It is the same in every run of the program, unlike addresses of functions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl FilterChoice {
    /// Parses a filter, `NAME:DEPTH:SHARE`: `none`, `tree`, `tree:3` (or `tree3`), `tree-confident:2:0.25`.
    /// Parses several as `repeats+comments`.
    ///
    /// # Errors
    /// For an unknown name, an invalid parameter, and more than four filters.
    pub fn parse(text: &str) -> Result<Self> {
        let mut choice = Self::default();
        let mut free = choice.steps.iter_mut().take(MAX_STEPS);
        for part in text.split('+') {
            let step = Step::parse(part)?;
            if step.filter.name == NONE.name {
                continue;
            }
            let place = free.next().ok_or_else(|| {
                Error::recipe(format!("`{text}` has too many filters"))
                    .expected(format!("at most {MAX_STEPS}"))
            })?;
            *place = Some(step);
        }
        Ok(choice)
    }

    /// The filter `name` with a depth.
    ///
    /// # Errors
    /// As [`FilterChoice::parse`].
    pub fn new(name: &str, depth: Option<u32>) -> Result<Self> {
        if name.contains('+') {
            return Err(Error::recipe(format!("`{name}` has several filters, but there is only one depth"))
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

    /// Sets the entries of dropped blocks to false. `scores` has one score per block; `None`: kept blocks
    /// have score 1, the others 0.
    pub fn apply(
        &self,
        doc: &Document,
        blocks: &Blocks,
        scores: Option<&[f32]>,
        left_out: LeftOut,
        keep: &mut [bool],
    ) {
        let certain: Vec<f32>;
        let scores = match scores {
            Some(scores) => scores,
            None => {
                certain = keep.iter().map(|&k| f32::from(u8::from(k))).collect();
                &certain
            }
        };
        let page = Page { doc, blocks, scores, left_out };
        for step in self.steps().filter(|step| (step.filter.is_for)(left_out)) {
            let before = (!blocks.groups().is_empty()).then(|| keep.to_vec());
            (step.filter.apply)(&page, keep, step.settings);
            if let Some(before) = before {
                groups::complete(blocks, &before, keep);
            }
        }
    }

    /// The filters of a page of a model: the sequence, and last the filter `extras` if the policy leaves out
    /// extras and the sequence does not name it. No model learns extras, so no recipe has to name the filter.
    #[must_use]
    pub fn under(mut self, left_out: LeftOut) -> Self {
        if left_out.extras && !self.has(extras::FILTER.name) {
            let settings = Settings { depth: 0, share: 0.0 };
            let step = Step { filter: &extras::FILTER, settings };
            // the steps of a sequence stand before the free places
            if let Some(free) = self.steps.iter_mut().find(|step| step.is_none()) {
                *free = Some(step);
            }
        }
        self
    }

    /// The single filters, in the order in which they are applied.
    pub fn one_by_one(&self) -> impl Iterator<Item = Self> {
        self.steps().copied().map(Self::of)
    }

    /// Whether the sequence has a filter of this name.
    pub fn has(&self, name: &str) -> bool {
        self.steps().any(|step| step.filter.name == name)
    }

    /// Whether a filter drops the blocks of a property under all policies that leave it out. Models then need
    /// not learn it.
    pub fn drops(&self, property: &Property) -> bool {
        property.name == "headings" && self.has("headings")
    }

    /// Whether the sequence is empty.
    pub fn is_none(&self) -> bool {
        self.steps().next().is_none()
    }

    /// Whether a filter reads the document under a policy, not only the blocks.
    pub fn reads_tree(&self, left_out: LeftOut) -> bool {
        self.steps().any(|step| step.filter.reads_tree && (step.filter.is_for)(left_out))
    }

    /// The name, as [`FilterChoice::parse`] reads it.
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
                Error::recipe(format!("`{d}` is not a valid depth of a filter"))
                    .expected("a number such as 2")
            })
        });
        let mut step = Self::new(name, depth.transpose()?)?;
        if let Some(share) = parts.next() {
            step.settings.share = step.share(share)?;
        }
        match parts.next() {
            None => Ok(step),
            Some(more) => Err(Error::recipe(format!("unexpected `{more}` in `{text}`"))
                .expected("NAME, NAME:DEPTH or NAME:DEPTH:SHARE")),
        }
    }

    fn new(name: &str, depth: Option<u32>) -> Result<Self> {
        let filter = registry::find(REGISTRY, "filter", name, |f| f.name)?;
        let depth = depth.unwrap_or(filter.default_depth);
        let min_depth = u32::from(filter.max_depth > 0);
        if depth < min_depth || depth > filter.max_depth {
            return Err(Error::recipe(format!("the filter `{name}` has no depth {depth}")).expected(
                if min_depth == 0 { "no depth".to_owned() } else { format!("1 to {}", filter.max_depth) },
            ));
        }
        Ok(Self { filter, settings: Settings { depth, share: filter.default_share.unwrap_or(0.0) } })
    }

    fn share(&self, text: &str) -> Result<f32> {
        let name = self.filter.name;
        let share = text.parse().ok().filter(|s| (0.0..=1.0).contains(s));
        match (self.filter.default_share, share) {
            (None, _) => Err(Error::recipe(format!("the filter `{name}` has no share")).expected("no share")),
            (_, None) => {
                Err(Error::recipe(format!("`{text}` is not a valid share")).expected("a number from 0 to 1"))
            }
            (_, Some(share)) => Ok(share),
        }
    }

    fn name(&self) -> String {
        let Settings { depth, share } = self.settings;
        match (self.filter.max_depth, self.filter.default_share) {
            (0, None) => self.filter.name.to_owned(),
            (_, None) => format!("{}:{depth}", self.filter.name),
            (_, Some(_)) => format!("{}:{depth}:{share}", self.filter.name),
        }
    }
}

/// Selects groups by their masses: all with at least `share` of the greatest mass, and the first of greatest
/// mass.
fn with_share_of_best(masses: &[f64], share: f32) -> Vec<bool> {
    // of equal masses the first
    let best = (0..masses.len()).rev().max_by(|&a, &b| masses[a].total_cmp(&masses[b]));
    let max_mass = best.map_or(0.0, |b| masses[b]);
    let is_selected = |i: usize| {
        Some(i) == best || masses[i] > 0.0 && masses[i] >= f64::from(share) * max_mass && share < 1.0
    };
    (0..masses.len()).map(is_selected).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn a_share_without_depth_is_in_the_name() {
        static SHARE_ONLY: Filter =
            Filter { name: "share-only", max_depth: 0, default_share: Some(0.5), ..NONE };
        let step = Step { filter: &SHARE_ONLY, settings: Settings { depth: 0, share: 0.25 } };
        assert_eq!(step.name(), "share-only:0:0.25");
    }

    #[test]
    fn names_are_read() {
        let name = |t: &str| FilterChoice::parse(t).map(|f| f.name());
        assert_eq!(name("none").expect("a filter"), "none");
        assert_eq!(name("tree").expect("a filter"), "tree:2");
        assert_eq!(name("tree:5").expect("a filter"), "tree:5");
        assert_eq!(name("tree5").expect("a filter"), "tree:5");
        assert_eq!(name("tree-confident:3:0.75").expect("a filter"), "tree-confident:3:0.75");
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
            "smooth:1:2",
            "smooth:1:0:0",
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
            (depth, share) in (1u32..=5, 0f32..=1.0),
            (fine, scored) in any::<(bool, bool)>(),
        ) {
            let doc = parse_str(&html);
            let segmentation = block::REGISTRY[usize::from(fine)];
            let blocks = Blocks::of(&doc, segmentation, Visibility::Visible);
            let before: Vec<bool> = labels.iter().copied().cycle().take(blocks.len()).collect();
            let scores: Vec<f32> = match scored {
                true => scores.iter().copied().cycle().take(blocks.len()).collect(),
                false => before.iter().map(|&k| f32::from(u8::from(k))).collect(),
            };
            for filter in REGISTRY {
                let settings = Settings { depth: depth.min(filter.max_depth), share };
                let choice = FilterChoice { steps: [Some(Step { filter, settings }), None, None, None, None] };
                let apply = |scores: Option<&[f32]>, keep: &[bool]| {
                    let mut keep = keep.to_vec();
                    choice.apply(&doc, &blocks, scores, LeftOut::ALL, &mut keep);
                    keep
                };
                let keep = apply(Some(&scores), &before);
                prop_assert!(keep.iter().zip(&before).all(|(after, before)| !after || *before), "{}", filter.name);
                // it keeps at least one block if one was kept
                prop_assert_eq!(keep.contains(&true), before.contains(&true), "{}", filter.name);
                // a second pass changes nothing
                prop_assert_eq!(&apply(Some(&scores), &keep), &keep, "{}", filter.name);
                // labels without scores equal scores of 0 and 1
                prop_assert!(scored || apply(None, &before) == keep, "{}", filter.name);
            }
        }
    }

    #[test]
    fn groups_are_selected_by_their_share() {
        assert_eq!(with_share_of_best(&[1.0, 4.0, 2.0, 4.0], 0.5), [false, true, true, true]);
        assert_eq!(with_share_of_best(&[1.0, 4.0, 2.0, 4.0], 1.0), [false, true, false, false]);
        assert_eq!(with_share_of_best(&[0.0, 0.0], 0.0), [true, false]);
        assert!(with_share_of_best(&[], 0.5).is_empty());
    }
}
