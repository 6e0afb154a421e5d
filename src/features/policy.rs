//! The content policy as columns: the same for every block of a page.

use super::{Column, Family, Grid, PageContext};
use crate::policy::PROPERTIES;

/// The family.
pub(super) struct PolicyFamily;

/// The family.
pub(super) static FAMILY: PolicyFamily = PolicyFamily;

impl Family for PolicyFamily {
    fn name(&self) -> &'static str {
        "policy"
    }
    fn summary(&self) -> &'static str {
        "what is to count as content: comments, title, captions, …"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |p: &crate::policy::Property| {
            Column::of(
                p.name,
                "flag",
                format!("1 where the policy counts as content: {}", p.definition),
                "threshr",
            )
        };
        PROPERTIES.iter().map(column).collect()
    }
    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for (index, property) in PROPERTIES.iter().enumerate() {
            out.column(index).fill(f32::from(u8::from(page.policy.has(property))));
        }
    }
}
