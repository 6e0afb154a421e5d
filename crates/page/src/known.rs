//! The findings of earlier stages on a page.

use crate::ArticleMetadata;
use crate::threads::Finding;
use threshr_html::structure::notes::Notes;

/// The findings of earlier stages on a page, so that it is not searched again.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The result of the search for a thread.
    pub thread: Option<&'a Finding>,
    /// The headline, byline and caption blocks.
    pub article: Option<&'a ArticleMetadata>,
    /// The footnotes.
    pub notes: Option<&'a Notes>,
}
