//! Columns that encode whether a policy property is content.

use threshr_core::policy::Property;
use threshr_features::{COMMENT_COLUMN, NEAR_COMMENT, comment_sign};
use threshr_page::article::article_metadata::metadata_column;

/// A feature row with modifiable policy columns.
pub(crate) trait Row {
    /// Returns the value of a column.
    fn get(&self, column: usize) -> f32;
    /// Sets a policy column.
    fn set(&mut self, column: usize, value: f32);
}

/// Columns that encode whether a property is content.
#[derive(Debug, Clone)]
pub(crate) struct PolicyColumns {
    /// Column that has the same value in all rows of a page.
    of_page: Option<usize>,
    /// Signed column, which differs from 0 only in the property's own blocks; see [`metadata_column`].
    sign: Option<usize>,
    /// For the properties `comments` and `posts`, four columns: the signed column for blocks in elements
    /// whose name suggests comments, the column that identifies these blocks, the column of `comments`, and
    /// the column of `posts`.
    comment: Option<[usize; 4]>,
}

impl PolicyColumns {
    /// Finds the columns of `property` among `columns`.
    pub(crate) fn new(columns: &[String], property: &Property) -> Self {
        let place = |name: &str| columns.iter().position(|c| c == name);
        let comment = || {
            let sign = place(COMMENT_COLUMN)?;
            // if the identifying column is missing, the signed column identifies the blocks: in these blocks,
            // it is 0 only if posts are content and comments are not
            let named = place(NEAR_COMMENT).unwrap_or(sign);
            Some([sign, named, place("policy.comments")?, place("policy.posts")?])
        };
        PolicyColumns {
            of_page: place(&format!("policy.{}", property.name)),
            sign: metadata_column(property).and_then(|name| place(&name)),
            comment: matches!(property.name, "comments" | "posts").then(comment).flatten(),
        }
    }

    /// Whether the property has no column.
    pub(crate) fn is_empty(&self) -> bool {
        self.of_page.is_none() && self.sign.is_none()
    }

    /// Sets the property's columns in a row. The signed column stays 0 in blocks that do not belong to the
    /// property.
    pub(crate) fn set(&self, row: &mut impl Row, counts: bool) {
        self.set_of_page(row, counts);
        if let Some([sign, _, comments, posts]) = self.comment.filter(|c| row.get(c[1]) != 0.0) {
            row.set(sign, comment_sign(row.get(comments) > 0.0, row.get(posts) > 0.0));
        }
        if let Some(sign) = self.sign.filter(|&sign| row.get(sign) != 0.0) {
            row.set(sign, if counts { 1.0 } else { -1.0 });
        }
    }

    /// Sets only the column that has the same value in all rows of a page.
    pub(crate) fn set_of_page(&self, row: &mut impl Row, counts: bool) {
        self.of_page.into_iter().for_each(|column| row.set(column, f32::from(u8::from(counts))));
    }
}

impl Row for &mut [f32] {
    fn get(&self, column: usize) -> f32 {
        self[column]
    }
    fn set(&mut self, column: usize, value: f32) {
        self[column] = value;
    }
}
