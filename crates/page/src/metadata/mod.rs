//! Metadata of a page: title, authors, dates and more, each with its source.
//!
//! Each source is read in its own file and yields facts. [`of`] combines them. Visible content generally takes
//! priority over the head of the page. A field that no source states is empty. A source is read when a field needs it,
//! because most pages state title, authors and date in places that are read fast.

pub(crate) mod authors;
mod bylines;
mod compose;
mod date_labels;
pub(crate) mod date_order;
mod date_tokens;
pub(crate) mod dates;
pub(crate) mod element_names;
mod first_poster;
mod json;
mod json_ld;
mod meta_tags;
mod microdata;
mod name_parts;
mod open_graph;
mod page;
mod posts;
mod teasers;
pub(crate) mod text;
mod titles;
mod url;
mod visible;

pub use compose::{main_fields, of, title};
pub use dates::{Day, days};
pub use posts::leads_away;
pub use posts::{Post, PostKind, posts};
pub use text::key;

use serde::{Deserialize, Serialize};

/// The source of a value in [`Metadata`].
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
    /// Another visible text or element.
    Visible,
    /// The URL of the page.
    Url,
    /// `<title>`, `<html lang>` or `<link>`.
    Html,
}

/// A value and its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sourced {
    /// The value.
    pub value: String,
    /// The source of the value.
    pub source: Source,
}

/// Metadata of a page. A field that no source states is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The title, without the site name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Sourced>,
    /// The authors, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Sourced>,
    /// Publication date in ISO 8601: `2024-05-03` or `2024-05-03T10:20:30+02:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_published: Option<Sourced>,
    /// Modification date in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_modified: Option<Sourced>,
    /// The name of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_name: Option<Sourced>,
    /// A summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Sourced>,
    /// The URL of the main image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<Sourced>,
    /// The language that the page states, as a BCP 47 tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Sourced>,
    /// The tags, keywords and sections.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Sourced>,
    /// The URL or the name of the licence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<Sourced>,
    /// The canonical URL that the page states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical_url: Option<Sourced>,
}

/// The title, the authors and the date of a page. The fields are those of [`Metadata`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MainFields {
    /// The title.
    pub title: Option<Sourced>,
    /// The authors, in order.
    pub authors: Vec<Sourced>,
    /// The publication date.
    pub date_published: Option<Sourced>,
}

/// Facts from one source, as written there.
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
    /// Fills missing fields from `other`.
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
