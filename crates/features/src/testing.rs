//! Values of one column for a small page, for tests of families.

use crate::{FeatureSet, PageContext};
use threshr_core::policy::Policy;
use threshr_html::blocks as block;
use threshr_html::blocks::Blocks;
use threshr_html::{Visibility, parse_str};

/// Returns the values of a column, one per block.
pub(crate) fn values(html: &str, column: &str) -> Vec<f32> {
    values_under(html, column, Visibility::Visible)
}

/// Returns the values of a column for the blocks under a visibility setting.
pub(crate) fn values_under(html: &str, column: &str, visibility: Visibility) -> Vec<f32> {
    values_of(html, column, visibility, Policy::default())
}

/// Returns the values of a column under a policy.
pub(crate) fn values_by(html: &str, column: &str, policy: &str) -> Vec<f32> {
    values_of(html, column, Visibility::Visible, Policy::parse(policy).expect("a policy"))
}

fn values_of(html: &str, column: &str, visibility: Visibility, policy: Policy) -> Vec<f32> {
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, block::REGISTRY[0], visibility);
    let set = FeatureSet::parse(column, &[]).expect("a column");
    set.extract(&PageContext::new(&doc, &blocks).under(policy)).values().iter().copied().collect()
}
