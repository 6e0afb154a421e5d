//! Headline, bylines, captions and stamps of an article.

pub mod article_metadata;
pub mod bylines;
pub mod captions;
pub mod headline;
pub mod stamps;
