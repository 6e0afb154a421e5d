//! Labels → labels: what a look at the whole page takes back. A filter never adds a block.
//!
//! One file per filter, one line each in [`REGISTRY`]; any classifier's or system's labels go through any.

mod tree_group;

use crate::block::Blocks;
use crate::error::{Error, Result};
use crate::page::Document;
use crate::registry;

/// Every filter; the first is the default.
pub static REGISTRY: &[&Filter] = &[&NONE, &tree_group::FILTER];

/// Keeps everything.
static NONE: Filter = Filter {
    name: "none",
    summary: "takes nothing back",
    source: "threshr",
    max_depth: 0,
    apply: |_, _, _, _| {},
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
    /// Greatest depth it takes; 0 where it has none.
    pub max_depth: u32,
    /// Sets to false what is taken back; `keep` has one entry a block.
    pub apply: fn(&Document, &Blocks, keep: &mut [bool], depth: u32),
}

/// A filter with its depth.
#[derive(Debug, Clone, Copy)]
pub struct FilterChoice {
    filter: &'static Filter,
    depth: u32,
}

impl Default for FilterChoice {
    /// No filter.
    fn default() -> Self {
        Self { filter: REGISTRY[0], depth: 0 }
    }
}

/// Depth where none is said: grandparents.
const DEFAULT_DEPTH: u32 = 2;

impl FilterChoice {
    /// Reads `none`, `tree` or `tree:3`.
    ///
    /// # Errors
    /// For unknown names and depths that the filter does not have.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, depth) = text.split_once(':').map_or((text, None), |(n, d)| (n, Some(d)));
        let depth = match depth {
            None => None,
            Some(d) => Some(d.parse().map_err(|_| {
                Error::recipe(format!("`{d}` is no depth of a filter")).expected("a number such as 2")
            })?),
        };
        Self::new(name, depth)
    }

    /// The filter called `name` at a depth.
    ///
    /// # Errors
    /// As [`FilterChoice::parse`].
    pub fn new(name: &str, depth: Option<u32>) -> Result<Self> {
        let filter = registry::find(REGISTRY, "filter", name, |f| f.name)?;
        let depth = depth.unwrap_or(DEFAULT_DEPTH.min(filter.max_depth));
        let least = u32::from(filter.max_depth > 0);
        if depth < least || depth > filter.max_depth {
            return Err(Error::recipe(format!("the filter `{name}` has no depth {depth}")).expected(
                if least == 0 { "none".to_owned() } else { format!("1 to {}", filter.max_depth) },
            ));
        }
        Ok(Self { filter, depth })
    }

    /// Labels from scores: blocks whose score is at least `threshold` and that the filter lets pass.
    pub fn keep(&self, doc: &Document, blocks: &Blocks, scores: &[f32], threshold: f32) -> Vec<bool> {
        let mut keep: Vec<bool> = scores.iter().map(|&s| s >= threshold).collect();
        self.apply(doc, blocks, &mut keep);
        keep
    }

    /// Takes labels back.
    pub fn apply(&self, doc: &Document, blocks: &Blocks, keep: &mut [bool]) {
        (self.filter.apply)(doc, blocks, keep, self.depth);
    }

    /// What [`FilterChoice::parse`] reads back.
    pub fn name(&self) -> String {
        if self.filter.max_depth == 0 {
            self.filter.name.to_owned()
        } else {
            format!("{}:{}", self.filter.name, self.depth)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block;
    use crate::page::{Visibility, parse_str};
    use proptest::prelude::*;

    #[test]
    fn names_are_read() {
        let name = |t: &str| FilterChoice::parse(t).map(|f| f.name());
        assert_eq!(name("none").expect("a filter"), "none");
        assert_eq!(name("tree").expect("a filter"), "tree:2");
        assert_eq!(name("tree:5").expect("a filter"), "tree:5");
        for bad in ["tree:0", "tree:6", "none:1", "tree:x", "forest"] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_filter_ever_adds_a_block(
            html in "(<(p|div|ul|li|table|td|section|/div|/table|b|/ul)>|[a-z ]{1,8}){0,40}",
            labels in prop::collection::vec(any::<bool>(), 64),
            depth in 1u32..=5,
            fine: bool,
        ) {
            let doc = parse_str(&html);
            let segmentation = block::REGISTRY[usize::from(fine)];
            let blocks = Blocks::of(&doc, segmentation, Visibility::Visible);
            let before: Vec<bool> = labels.iter().copied().cycle().take(blocks.len()).collect();
            for filter in REGISTRY {
                let choice = FilterChoice { filter, depth: depth.min(filter.max_depth) };
                let mut keep = before.clone();
                choice.apply(&doc, &blocks, &mut keep);
                prop_assert!(keep.iter().zip(&before).all(|(after, before)| !after || *before));
                // and it keeps something where there was something
                prop_assert_eq!(keep.contains(&true), before.contains(&true));
                // and is done after one pass
                let mut again = keep.clone();
                choice.apply(&doc, &blocks, &mut again);
                prop_assert_eq!(again, keep);
            }
        }
    }
}
