//! The content policy as columns: the same for every block of a page, and, for blocks of which the page itself tells what they are,
//! whether they count.

use super::told::KINDS;
use super::{Column, Family, Grid, PageContext};
use crate::policy::{PROPERTIES, Property};

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
        let column = |p: &Property| {
            Column::of(
                p.name,
                "flag",
                format!("1 where the policy counts as content: {}", p.definition),
                "threshr",
            )
        };
        let signs = KINDS.iter().map(|k| {
            let definition = format!(
                "1 for {} where the policy counts {}, -1 where it does not; 0 for other blocks",
                (k.definition)(),
                k.property
            );
            Column::of(k.column, "sign", definition, "threshr")
        });
        PROPERTIES.iter().map(column).chain(signs).collect()
    }
    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for (index, property) in PROPERTIES.iter().enumerate() {
            out.column(index).fill(f32::from(u8::from(page.policy.has(property))));
        }
        let first = PROPERTIES.len();
        if !out.wants(first..first + KINDS.len()) {
            return;
        }
        for (kind, column) in KINDS.iter().zip(first..) {
            for &(block, property) in page.told().iter().filter(|t| t.1.name == kind.property) {
                let sign = if page.policy.has(property) { 1.0 } else { -1.0 };
                out.set(column, block as usize, sign);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::values_by;

    const HTML: &str = "<title>Red shoes for rain | Shop</title><p>Menu<h1>Red shoes for rain</h1><p>By Ann Miller.\
        <figure><img><figcaption>A shoe</figcaption></figure>\
        <figure><img><figcaption><a href=x>Another story</a></figcaption></figure>";

    #[test]
    fn signs_say_which_blocks_count() {
        let signs = |policy, column| values_by(HTML, column, policy);
        assert_eq!(signs("article", "policy.headline"), [0.0, -1.0, 0.0, 0.0, 0.0]);
        assert_eq!(signs("article+title", "policy.headline"), [0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(signs("article+title", "policy.credit"), [0.0, 0.0, -1.0, 0.0, 0.0]);
        assert_eq!(signs("article+byline", "policy.credit"), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(signs("article+title", "policy.caption"), [0.0, 0.0, 0.0, -1.0, 0.0]);
        assert_eq!(signs("article+captions", "policy.caption"), [0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}
