//! Labels → labels: what a look at the whole page takes back. A filter never adds a block.
//!
//! One file per filter, one line each in [`REGISTRY`]; any classifier's or system's labels go through any.

mod comments;
mod headings;
mod largest_run;
mod repeats;
mod smooth;
mod tree_confident;
mod tree_group;

use std::fmt;
use threshr_core::policy::{LeftOut, Property};
use threshr_core::registry;
use threshr_core::{Error, Result};
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// Every filter; the first is the default.
pub static REGISTRY: &[&Filter] = &[
    &NONE,
    &tree_group::FILTER,
    &tree_confident::FILTER,
    &smooth::FILTER,
    &largest_run::FILTER,
    &repeats::FILTER,
    &comments::FILTER,
    &headings::FILTER,
];

/// Keeps everything.
static NONE: Filter = Filter {
    name: "none",
    summary: "takes nothing back",
    source: "threshr",
    max_depth: 0,
    default_depth: 0,
    default_share: None,
    looks_at_tree: false,
    is_for: |_| true,
    apply: |_, _, _| {},
};

/// A rule that takes labels back.
#[derive(Debug)]
pub struct Filter {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for help and tables.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Greatest depth it takes (how far it looks: up the tree, or along the blocks); 0 where it has none.
    pub max_depth: u32,
    /// Depth where none is said.
    pub default_depth: u32,
    /// Share where none is said; `None` where it has none.
    pub default_share: Option<f32>,
    /// Whether it looks at the document, and not at its blocks alone: training keeps documents where it does.
    pub looks_at_tree: bool,
    /// Whether it does anything under a policy.
    pub is_for: fn(LeftOut) -> bool,
    /// Sets to false what is taken back; `keep` has one entry a block.
    pub apply: fn(&Page<'_>, keep: &mut [bool], Settings),
}

/// What a filter looks at.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The page's document.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Calibrated score of each block, `0.0..=1.0`.
    pub scores: &'a [f32],
    /// What its policy leaves out.
    pub left_out: LeftOut,
}

impl<'a> Page<'a> {
    /// A page of which nobody has said what is to count as content.
    pub fn new(doc: &'a Document, blocks: &'a Blocks, scores: &'a [f32]) -> Self {
        Page { doc, blocks, scores, left_out: LeftOut::default() }
    }

    /// Characters of a block, white space aside.
    fn num_chars(&self, index: usize) -> usize {
        self.blocks.text(index).chars().filter(|c| !c.is_whitespace()).count()
    }

    /// Score times characters of a block.
    fn mass(&self, index: usize) -> f64 {
        f64::from(self.scores[index]) * self.num_chars(index) as f64
    }
}

/// The numbers of a filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How far it looks, 1 to the filter's greatest depth; 0 where it has none.
    pub depth: u32,
    /// A share, `0.0..=1.0`; 0 where it has none.
    pub share: f32,
}

/// A filter with its numbers.
#[derive(Debug, Clone, Copy)]
struct Step {
    filter: &'static Filter,
    settings: Settings,
}

/// Most filters one after the other.
const MOST_STEPS: usize = 4;

/// Filters with their numbers, one after the other; mostly one, or none.
#[derive(Clone, Copy, Default)]
pub struct FilterChoice {
    steps: [Option<Step>; MOST_STEPS],
}

impl fmt::Debug for FilterChoice {
    /// The name: the same in every run of the program, which addresses of functions are not.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl FilterChoice {
    /// Reads `none`, `tree`, `tree:3` (`tree3` for short) or `tree-confident:2:0.25`: a name, its depth, its share; or several,
    /// one after the other, as `repeats+comments`.
    ///
    /// # Errors
    /// For unknown names, numbers that the filter does not have, and more than four filters.
    pub fn parse(text: &str) -> Result<Self> {
        let mut choice = Self::default();
        let mut free = choice.steps.iter_mut();
        for part in text.split('+') {
            let step = Step::parse(part)?;
            if step.filter.name == NONE.name {
                continue;
            }
            let place = free.next().ok_or_else(|| {
                Error::recipe(format!("`{text}` are too many filters"))
                    .expected(format!("{MOST_STEPS} at most"))
            })?;
            *place = Some(step);
        }
        Ok(choice)
    }

    /// The filter called `name` at a depth.
    ///
    /// # Errors
    /// As [`FilterChoice::parse`].
    pub fn new(name: &str, depth: Option<u32>) -> Result<Self> {
        if name.contains('+') {
            return Err(Error::recipe(format!(
                "`{name}` are several filters, for which one depth is not clear"
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

    /// Takes labels back. `scores` are one a block; without them what is kept scores 1 and the rest 0.
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
        self.steps()
            .filter(|step| (step.filter.is_for)(left_out))
            .for_each(|step| (step.filter.apply)(&page, keep, step.settings));
    }

    /// Its filters, each as a choice of its own, in the order in which they are applied.
    pub fn one_by_one(&self) -> impl Iterator<Item = Self> {
        self.steps().copied().map(Self::of)
    }

    /// Whether a filter of this name is among its.
    pub fn has(&self, name: &str) -> bool {
        self.steps().any(|step| step.filter.name == name)
    }

    /// Whether one of them drops the blocks of a property wherever a policy leaves it out, so that no model needs to know of it.
    pub fn drops(&self, property: &Property) -> bool {
        property.name == "headings" && self.has("headings")
    }

    /// Whether it takes nothing back.
    pub fn is_none(&self) -> bool {
        self.steps().next().is_none()
    }

    /// Whether it looks at the tree under a policy, and not at the blocks' texts alone.
    pub fn looks_at_tree(&self, left_out: LeftOut) -> bool {
        self.steps().any(|step| step.filter.looks_at_tree && (step.filter.is_for)(left_out))
    }

    /// What [`FilterChoice::parse`] reads back.
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
                Error::recipe(format!("`{d}` is no depth of a filter")).expected("a number such as 2")
            })
        });
        let mut step = Self::new(name, depth.transpose()?)?;
        if let Some(share) = parts.next() {
            step.settings.share = step.share(share)?;
        }
        match parts.next() {
            None => Ok(step),
            Some(more) => Err(Error::recipe(format!("`{more}` in `{text}` is too much"))
                .expected("NAME, NAME:DEPTH or NAME:DEPTH:SHARE")),
        }
    }

    fn new(name: &str, depth: Option<u32>) -> Result<Self> {
        let filter = registry::find(REGISTRY, "filter", name, |f| f.name)?;
        let depth = depth.unwrap_or(filter.default_depth);
        let least = u32::from(filter.max_depth > 0);
        if depth < least || depth > filter.max_depth {
            return Err(Error::recipe(format!("the filter `{name}` has no depth {depth}")).expected(
                if least == 0 { "none".to_owned() } else { format!("1 to {}", filter.max_depth) },
            ));
        }
        Ok(Self { filter, settings: Settings { depth, share: filter.default_share.unwrap_or(0.0) } })
    }

    fn share(&self, text: &str) -> Result<f32> {
        let name = self.filter.name;
        let share = text.parse().ok().filter(|s| (0.0..=1.0).contains(s));
        match (self.filter.default_share, share) {
            (None, _) => Err(Error::recipe(format!("the filter `{name}` has no share")).expected("none")),
            (_, None) => Err(Error::recipe(format!("`{text}` is no share")).expected("a number from 0 to 1")),
            (_, Some(share)) => Ok(share),
        }
    }

    fn name(&self) -> String {
        let Settings { depth, share } = self.settings;
        match (self.filter.max_depth, self.filter.default_share) {
            (0, _) => self.filter.name.to_owned(),
            (_, None) => format!("{}:{depth}", self.filter.name),
            (_, Some(_)) => format!("{}:{depth}:{share}", self.filter.name),
        }
    }
}

/// Of groups with a mass each, those to keep: all whose mass is at least `share` of the greatest, and the first of the
/// greatest.
fn near_the_best(masses: &[f64], share: f32) -> Vec<bool> {
    // of equal ones the first
    let best = (0..masses.len()).rev().max_by(|&a, &b| masses[a].total_cmp(&masses[b]));
    let most = best.map_or(0.0, |b| masses[b]);
    let near =
        |i: usize| Some(i) == best || masses[i] > 0.0 && masses[i] >= f64::from(share) * most && share < 1.0;
    (0..masses.len()).map(near).collect()
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
                let choice = FilterChoice { steps: [Some(Step { filter, settings }), None, None, None] };
                let apply = |scores: Option<&[f32]>, keep: &[bool]| {
                    let mut keep = keep.to_vec();
                    choice.apply(&doc, &blocks, scores, LeftOut::ALL, &mut keep);
                    keep
                };
                let keep = apply(Some(&scores), &before);
                prop_assert!(keep.iter().zip(&before).all(|(after, before)| !after || *before), "{}", filter.name);
                // and it keeps something where there was something
                prop_assert_eq!(keep.contains(&true), before.contains(&true), "{}", filter.name);
                // and is done after one pass
                prop_assert_eq!(&apply(Some(&scores), &keep), &keep, "{}", filter.name);
                // labels without scores are sure
                prop_assert!(scored || apply(None, &before) == keep, "{}", filter.name);
            }
        }
    }

    #[test]
    fn what_is_near_the_best_stays() {
        assert_eq!(near_the_best(&[1.0, 4.0, 2.0, 4.0], 0.5), [false, true, true, true]);
        assert_eq!(near_the_best(&[1.0, 4.0, 2.0, 4.0], 1.0), [false, true, false, false]);
        assert_eq!(near_the_best(&[0.0, 0.0], 0.0), [true, false]);
        assert!(near_the_best(&[], 0.5).is_empty());
    }
}
