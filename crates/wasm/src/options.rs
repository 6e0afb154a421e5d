//! The options of a page, as JavaScript gives them.

use serde::{Deserialize, Serialize};
use threshr::{Error, ExtractorBuilder, Favor, Page, Result};

/// The options of a page. The names are those of the builder.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct PageOptions {
    /// The address of the page.
    #[serde(skip_serializing)]
    pub url: Option<String>,
    /// The charset of the page from outside, such as from an HTTP header.
    #[serde(skip_serializing)]
    pub charset: Option<String>,
    /// The parts of the result besides the text. All, if `None`.
    #[serde(skip_serializing)]
    pub parts: Option<Vec<Part>>,
    policy: Option<String>,
    filter: Option<String>,
    threshold: Option<f32>,
    decision: Option<String>,
    favor: Option<String>,
    keep_hidden: Option<bool>,
    strict_visibility: Option<bool>,
    source_map: Option<bool>,
    title: Option<bool>,
    links: Option<bool>,
    images: Option<bool>,
    tables: Option<bool>,
    formulas: Option<bool>,
    max_bytes: Option<u64>,
    max_memory: Option<u64>,
}

/// A part of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Part {
    Markdown,
    Html,
    Units,
    /// Metadata, posts and comments.
    Metadata,
    Blocks,
    /// Page type and quality.
    Quality,
}

/// A method of the builder that turns an option on or off.
type Switch = fn(ExtractorBuilder, bool) -> ExtractorBuilder;

impl PageOptions {
    /// Reads options from a JSON object.
    ///
    /// # Errors
    /// If an option is unknown or has another type.
    pub(crate) fn parse(json: &str) -> Result<Self> {
        serde_json::from_str(json)
            .map_err(|e| Error::invalid_option(format!("the options are not valid: {e}")))
    }

    /// Returns a page with its address and charset.
    pub(crate) fn page<'a>(&'a self, bytes: &'a [u8]) -> Page<'a> {
        let mut page = Page::new(bytes);
        if let Some(url) = &self.url {
            page = page.url(url);
        }
        if let Some(charset) = &self.charset {
            page = page.charset(charset);
        }
        page
    }

    /// Whether a part is wanted.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.parts.as_ref().is_none_or(|parts| parts.contains(&part))
    }

    /// Returns a string that is the same for pages with the same extractor.
    pub(crate) fn key(&self) -> Result<String> {
        serde_json::to_string(self)
            .map_err(|e| Error::invalid_option(format!("the options are not valid: {e}")))
    }

    /// Sets the options of a builder.
    ///
    /// # Errors
    /// If a value is not valid.
    pub(crate) fn apply(&self, mut builder: ExtractorBuilder) -> Result<ExtractorBuilder> {
        if let Some(policy) = &self.policy {
            builder = builder.policy(policy)?;
        }
        if let Some(filter) = &self.filter {
            builder = builder.filter(filter)?;
        }
        if let Some(threshold) = self.threshold {
            builder = builder.threshold(threshold)?;
        }
        if let Some(decision) = &self.decision {
            builder = builder.decision(decision)?;
        }
        if let Some(favor) = &self.favor {
            builder = builder.favor(Favor::parse(favor)?);
        }
        let switches: [(Option<bool>, Switch); 8] = [
            (self.keep_hidden, ExtractorBuilder::keep_hidden),
            (self.strict_visibility, ExtractorBuilder::strict_visibility),
            (self.source_map, ExtractorBuilder::source_map),
            (self.title, ExtractorBuilder::title),
            (self.links, ExtractorBuilder::links),
            (self.images, ExtractorBuilder::images),
            (self.tables, ExtractorBuilder::tables),
            (self.formulas, ExtractorBuilder::formulas),
        ];
        builder = switches.into_iter().fold(builder, |builder, (value, set)| match value {
            Some(value) => set(builder, value),
            None => builder,
        });
        if let Some(bytes) = self.max_bytes {
            builder = builder.max_bytes(bytes);
        }
        if let Some(bytes) = self.max_memory {
            builder = builder.max_memory(bytes);
        }
        Ok(builder)
    }
}
