//! Metadata of a page: title, authors, dates and more, each with its source.
//!
//! Every source is one file that gives facts. [`of`] chooses among them: what the page shows decides over
//! what its head says, and a field that nothing names is empty.

mod authors;
mod compose;
mod date_order;
mod date_tokens;
mod dates;
mod element_names;
mod json;
mod json_ld;
mod meta_tags;
mod microdata;
mod open_graph;
mod posts;
mod text;
mod titles;
mod url;
mod visible;

pub use compose::of;
pub use posts::leads_away;
pub use posts::{Post, PostKind, posts};

use serde::{Deserialize, Serialize};

/// Where a value of [`Metadata`] is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// JSON-LD.
    JsonLd,
    /// Open Graph or a Twitter card.
    OpenGraph,
    /// Another `<meta>` element.
    Meta,
    /// Microdata, RDFa or a microformat.
    Microdata,
    /// The headline of the page.
    Headline,
    /// A byline near the headline.
    Byline,
    /// Another text or element that the page shows.
    Visible,
    /// The address of the page.
    Url,
    /// `<title>`, `<html lang>` or `<link>`.
    Html,
}

/// A value and its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sourced {
    /// The value.
    pub value: String,
    /// Where it is from.
    pub source: Source,
}

/// Metadata of a page. A field that nothing on the page names is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The title, without the name of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Sourced>,
    /// The authors, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Sourced>,
    /// When it appeared: ISO 8601, `2024-05-03` or `2024-05-03T10:20:30+02:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_published: Option<Sourced>,
    /// When it was last changed: ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_modified: Option<Sourced>,
    /// The name of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_name: Option<Sourced>,
    /// A summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Sourced>,
    /// The address of its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<Sourced>,
    /// The language that the page states, as a BCP 47 tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Sourced>,
    /// Its tags, keywords and sections.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Sourced>,
    /// The address or name of its licence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<Sourced>,
    /// The address that the page states as its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical_url: Option<Sourced>,
}

/// What one source says, as it says it.
#[derive(Debug, Clone, Default)]
struct Facts {
    title: Option<String>,
    authors: Vec<String>,
    published: Option<String>,
    modified: Option<String>,
    site_name: Option<String>,
    description: Option<String>,
    image: Option<String>,
    language: Option<String>,
    tags: Vec<String>,
    licence: Option<String>,
    canonical: Option<String>,
}

impl Facts {
    /// Takes what is missing from `other`.
    fn fill(&mut self, other: Facts) {
        let fill = |own: &mut Option<String>, other: Option<String>| {
            if own.is_none() {
                *own = other;
            }
        };
        fill(&mut self.title, other.title);
        fill(&mut self.published, other.published);
        fill(&mut self.modified, other.modified);
        fill(&mut self.site_name, other.site_name);
        fill(&mut self.description, other.description);
        fill(&mut self.image, other.image);
        fill(&mut self.language, other.language);
        fill(&mut self.licence, other.licence);
        fill(&mut self.canonical, other.canonical);
        if self.authors.is_empty() {
            self.authors = other.authors;
        }
        if self.tags.is_empty() {
            self.tags = other.tags;
        }
    }
}
