//! The content policy as columns. A property column has the same value for every block of a page, unless the
//! property is confined. A signed column differs from 0 only in blocks of article metadata or comments. Its
//! sign states whether such a block is content.

use crate::families::attribute::in_comments;
use crate::{Column, Family, Grid, PageContext};
use threshr_core::policy::{PROPERTIES, Property, property};
use threshr_page::article::article_metadata::KINDS;

/// Name of the column for blocks in elements whose name suggests comments. Forum posts often have such names
/// too, so this column is less reliable than the columns of article metadata.
pub const COMMENT_COLUMN: &str = "policy.comment";

/// Returns the value of [`COMMENT_COLUMN`] for a block in an element whose name suggests comments.
pub fn comment_sign(has_comments: bool, has_posts: bool) -> f32 {
    match (has_comments, has_posts) {
        (true, _) => 1.0,
        // The block may be a post. Other columns distinguish posts from comments. With a separate value here,
        // a model that is trained without forums would confuse posts with comments.
        (false, true) => 0.0,
        (false, false) => -1.0,
    }
}

/// Returns the properties that have a column.
fn learned() -> impl Iterator<Item = &'static Property> {
    PROPERTIES.iter().filter(|p| p.is_learned)
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
        "the kinds of text that count as content: comments, title, captions, …"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |p: &Property| {
            Column::new(
                p.name,
                "flag",
                format!(
                    "1 if the policy counts {} as content: {}; the same for all blocks",
                    p.name, p.definition
                ),
                "threshr",
            )
        };
        let signs = KINDS.iter().map(|k| {
            let definition = format!(
                "for a detected {}: 1 if the policy counts {} as content, -1 if it does not; 0 for other \
                 blocks. {}",
                k.label,
                k.property,
                (k.definition)()
            );
            Column::new(k.column, "sign", definition, "threshr")
        });
        let comment = Column::new(
            COMMENT_COLUMN.trim_start_matches("policy."),
            "sign",
            "for a block in an element whose name suggests comments (see attribute.near_comment): 1 if the \
             policy counts comments as content, -1 if it counts neither comments nor posts, 0 if it counts \
             only posts (elements of posts often have such names too); 0 for all other blocks",
            "threshr",
        );
        learned().map(column).chain(signs).chain([comment]).collect()
    }
    fn reads_words(&self, wanted: &[bool]) -> bool {
        wanted[learned().count()..][..KINDS.len()].contains(&true)
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for (index, property) in learned().enumerate() {
            let counts = page.policy.has(property);
            let is_confined = page.confined.iter().any(|p| p.name == property.name);
            out.column(index).fill(flag(counts != is_confined));
            if is_confined {
                let own = page.article_metadata().iter().filter(|t| t.1.name == property.name);
                own.for_each(|(block, _)| out.set(index, *block as usize, flag(counts)));
            }
        }
        let first = learned().count();
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
    use crate::tests::values_by;

    const HTML: &str = "<title>Red shoes for rain | Shop</title><p>Menu<h1>Red shoes for rain</h1><p>By Ann Miller.\
        <figure><img><figcaption>A shoe</figcaption></figure>\
        <figure><img><figcaption><a href=x>Another story</a></figcaption></figure>";

    #[test]
    fn signs_mark_article_metadata() {
        let signs = |policy, column| values_by(HTML, column, policy);
        assert_eq!(signs("article", "policy.headline"), [0.0, -1.0, 0.0, 0.0, 0.0]);
        assert_eq!(signs("article+title", "policy.headline"), [0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(signs("article+title", "policy.byline_block"), [0.0, 0.0, -1.0, 0.0, 0.0]);
        assert_eq!(signs("article+byline", "policy.byline_block"), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(signs("article+title", "policy.caption"), [0.0, 0.0, 0.0, -1.0, 0.0]);
        assert_eq!(signs("article+captions", "policy.caption"), [0.0, 0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn comments_and_posts_have_the_same_names() {
        let html = "<p>Text<ul class=comment-list><li><p>Thanks</ul>";
        for (policy, sign) in
            [("article", -1.0), ("main", 0.0), ("main+comments", 1.0), ("article+comments", 1.0)]
        {
            assert_eq!(values_by(html, "policy.comment", policy), [0.0, sign], "{policy}");
        }
    }
}
