//! Tests of the families, and values of one column for their own tests.

use super::*;
use crate::registry::is_name;
use proptest::prelude::*;
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

#[test]
fn families_have_unique_names() {
    let mut names: Vec<_> = REGISTRY.iter().map(|f| f.name()).collect();
    for name in &names {
        assert!(is_name(name), "`{name}` is not a name of lower-case letters, digits and `_`");
    }
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    assert!(twice.is_none(), "two families have the same name: {twice:?}");
}

#[test]
fn columns_have_unique_names_and_definitions() {
    for family in REGISTRY {
        let columns = family.columns();
        let mut names: Vec<_> = columns.iter().map(|c| c.name.clone()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), columns.len(), "{}", family.name());
        for c in &columns {
            assert!(!c.definition.is_empty() && !c.unit.is_empty() && !c.source.is_empty(), "{}", c.name);
            assert!(is_name(&c.name), "{}.{}", family.name(), c.name);
        }
    }
}

proptest! {
    #[test]
    fn every_value_is_finite_on_any_page(html in "(<(p|div|li|td|table|a href=x|h1|br|b|/div|/a|/p|title|nav class=menu|div hidden|i hidden|b aria-hidden=true)>|[a-zA-Z .,|0-9é漢ไ\n]{0,12}){0,40}") {
        let doc = parse_str(&html);
        let families: Vec<_> = REGISTRY.iter().map(|f| f.name()).collect();
        let set = FeatureSet::parse(&families.join("+"), &[1, 2]).expect("the set exists");
        let vocabulary: Vocabulary =
            serde_json::from_str(r#"{"a": -1e30, "b": 3.0, "under a": 2.0, "menu": -5.0}"#).expect("JSON");
        let learned = REGISTRY.iter().filter(|f| f.learner().is_some());
        let vocabularies: Vocabularies =
            learned.map(|f| (f.name().to_owned(), vocabulary.clone())).collect();
        for segmentation in block::REGISTRY {
            let blocks = Blocks::new(&doc, segmentation, Visibility::WithHidden);
            let page = PageContext::new(&doc, &blocks).with_vocabularies(&vocabularies);
            let matrix = set.extract(&page);
            prop_assert_eq!(matrix.num_blocks(), blocks.len());
            for (name, column) in matrix.columns().iter().zip(matrix.values().columns()) {
                prop_assert!(column.iter().all(|v| v.is_finite()), "{}", name);
            }
        }
    }
}
