//! The content policy as columns: the same for every block of a page, and, for blocks of which the page itself tells what they are,
//! whether they count.

use crate::families::attribute::in_comments;
use crate::page_index::article_metadata::KINDS;
use crate::{Column, Family, Grid, PageContext};
use threshr_core::policy::{PROPERTIES, Property, property};

/// The column whose sign says whether what is named as comments counts: such names are those of posts as well, so that they tell less
/// than a headline does.
pub const COMMENT_COLUMN: &str = "policy.comment";

/// What that column says of blocks that are so named.
pub fn comment_sign(has_comments: bool, has_posts: bool) -> f32 {
    match (has_comments, has_posts) {
        (true, _) => 1.0,
        // posts have such names too, and other columns tell them from comments; of a third value a model that has seen no forum takes
        // posts for comments
        (false, true) => 0.0,
        (false, false) => -1.0,
    }
}

fn flag(is_set: bool) -> f32 {
    f32::from(u8::from(is_set))
}

/// The family.
pub(crate) struct PolicyFamily;

/// The family.
pub(crate) static FAMILY: PolicyFamily = PolicyFamily;

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
        let comment = Column::of(
            COMMENT_COLUMN.trim_start_matches("policy."),
            "sign",
            "for blocks in something that is named as comments are (see attribute.near_comment): 1 where the policy counts comments, -1 where it counts neither these nor posts; 0 where it counts posts alone, which have such names too, and for other blocks",
            "threshr",
        );
        PROPERTIES.iter().map(column).chain(signs).chain([comment]).collect()
    }
    fn reads_words(&self, wanted: &[bool]) -> bool {
        wanted[PROPERTIES.len()..PROPERTIES.len() + KINDS.len()].contains(&true)
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for (index, property) in PROPERTIES.iter().enumerate() {
            let counts = page.policy.has(property);
            let is_confined = page.confined.iter().any(|p| p.name == property.name);
            out.column(index).fill(flag(counts != is_confined));
            if is_confined {
                let own = page.article_metadata().iter().filter(|t| t.1.name == property.name);
                own.for_each(|(block, _)| out.set(index, *block as usize, flag(counts)));
            }
        }
        let first = PROPERTIES.len();
        let comment = first + KINDS.len();
        if out.wants(comment..comment + 1) {
            let has = |name| property(name).is_ok_and(|p| page.policy.has(p));
            let sign = comment_sign(has("comments"), has("posts"));
            let blocks = in_comments(page).into_iter().enumerate().filter(|b| b.1);
            blocks.for_each(|(block, _)| out.set(comment, block, sign));
        }
        if !out.wants(first..comment) {
            return;
        }
        for (kind, column) in KINDS.iter().zip(first..) {
            for &(block, property) in page.article_metadata().iter().filter(|t| t.1.name == kind.property) {
                let sign = if page.policy.has(property) { 1.0 } else { -1.0 };
                out.set(column, block as usize, sign);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::values_by;

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

    #[test]
    fn names_of_comments_are_those_of_posts_too() {
        let html = "<p>Text<ul class=comment-list><li><p>Thanks</ul>";
        for (policy, sign) in
            [("article", -1.0), ("main", 0.0), ("main+comments", 1.0), ("article+comments", 1.0)]
        {
            assert_eq!(values_by(html, "policy.comment", policy), [0.0, sign], "{policy}");
        }
    }
}
