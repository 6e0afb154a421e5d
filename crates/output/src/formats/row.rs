//! A page as a row of output columns.

use crate::TypeAndQuality;
use crate::formats::{FailedPage, PageOutput, SCHEMA, comments_json, markdown, posts_json, units_json};
use crate::units;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use threshr_page::language::language;
use threshr_page::metadata::MainFields;

/// The text and metadata of a page. Fields are in the order of the JSON Lines output.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Row {
    /// Id of the page.
    pub id: String,
    /// URL of the page, if known.
    pub url: Option<String>,
    /// The date when the page was fetched, if known.
    pub date: Option<String>,
    /// The kept blocks, one per line; `None` for a page that cannot be read.
    pub text: Option<String>,
    /// The title of the page.
    pub title: Option<String>,
    /// The authors of the page, in order.
    pub authors: Vec<String>,
    /// The publication date in ISO 8601.
    pub date_published: Option<String>,
    /// The kept blocks as Markdown, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// Scores of the kept blocks, in order.
    pub scores: Vec<f32>,
    /// The metadata of the page as JSON, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
    /// The posts of the page as JSON, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posts: Option<serde_json::Value>,
    /// The comments of the page as JSON, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<serde_json::Value>,
    /// The version of the JSON format of units and posts, if the row contains any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<u32>,
    /// All units of the page as a JSON array, if requested.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "raw_json")]
    pub units: Option<String>,
    /// Language of the text: its ISO 639-1 code, or its ISO 639-3 code if there is no ISO 639-1 code. `None` if it
    /// cannot be detected.
    pub language: Option<String>,
    /// Type and quality of the page, if predicted.
    #[serde(flatten, serialize_with = "all_fields")]
    pub type_and_quality: Option<TypeAndQuality>,
    /// The name of the model or system that labelled the page.
    pub model: String,
    /// The reason why the page may be incomplete, such as a missing end of its file.
    pub defect: Option<String>,
    /// The error message, if the page cannot be read.
    pub error: Option<String>,
}

/// Serialises the fields of type and quality. Fields without a prediction are `null`, so that all rows have the same
/// fields.
fn all_fields<S: Serializer>(page: &Option<TypeAndQuality>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fields<'a> {
        page_type: Option<&'a str>,
        page_types: Option<BTreeMap<&'a str, f32>>,
        quality: Option<f32>,
        quality_low: Option<f32>,
        quality_high: Option<f32>,
    }
    let page_type = page.as_ref().and_then(TypeAndQuality::page_type);
    let types = page.iter().flat_map(|page| &page.page_types).map(|(name, p)| (name.as_str(), *p));
    let quality = page.as_ref().and_then(|page| page.quality);
    let fields = Fields {
        page_type,
        page_types: page_type.map(|_| types.collect()),
        quality: quality.map(|q| q.expected),
        quality_low: quality.map(|q| q.low),
        quality_high: quality.map(|q| q.high),
    };
    fields.serialize(serializer)
}

/// Serialises a string that contains JSON without quoting it.
fn raw_json<S: Serializer>(json: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    let raw: Option<&RawValue> = json.as_deref().and_then(|json| serde_json::from_str(json).ok());
    raw.serialize(serializer)
}

impl Row {
    /// Creates the row of a page.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget of the page is exceeded.
    pub fn new(page: &PageOutput<'_>) -> threshr_core::Result<Row> {
        let posts = if page.added.units || page.added.metadata { page.posts() } else { Vec::new() };
        let units = page.added.units.then(|| page.tree(&posts, true, true)).transpose()?;
        let units = units.map(|units| units_json(page, &posts, &units));
        page.budget.check()?;
        let tree = page.tree(&[], false, page.added.markdown)?;
        let text = units::text(&tree);
        page.budget.check()?;
        let metadata = page.added.metadata.then(|| page.metadata());
        let MainFields { title, authors, date_published } = match &metadata {
            Some(m) => MainFields {
                title: m.title.clone(),
                authors: m.authors.clone(),
                date_published: m.date_published.clone(),
            },
            None => page.main_fields(),
        };
        let title = title.map(|title| title.value);
        let in_markdown = |tree| markdown(&page.with_title(tree, || title.clone()), page.options);
        let markdown = page.added.markdown.then(|| in_markdown(tree));
        let comments = page.added.metadata.then(|| comments_json(page, &posts));
        let posts = page.added.metadata.then(|| posts_json(page, &posts)).transpose()?;
        page.budget.check()?;
        let schema = (units.is_some() || posts.is_some()).then_some(SCHEMA);
        Ok(Row {
            id: page.id.to_owned(),
            url: page.url.map(str::to_owned),
            date: page.date.map(str::to_owned),
            markdown,
            title,
            authors: authors.into_iter().map(|author| author.value).collect(),
            date_published: date_published.map(|date| date.value),
            metadata: metadata.map(|metadata| serde_json::json!(metadata)),
            posts,
            comments,
            schema,
            units,
            scores: page.scores.iter().zip(page.kept).filter(|s| *s.1).map(|s| *s.0).collect(),
            language: language(&text, page.doc.language()).map(String::from),
            type_and_quality: page.type_and_quality.cloned(),
            text: Some(text),
            model: page.model.to_owned(),
            defect: page.defect.map(str::to_owned),
            error: None,
        })
    }

    /// Returns the probabilities of the page types as a JSON object. Returns `None` if no types are predicted.
    pub fn page_types_json(&self) -> Option<String> {
        let types = &self.type_and_quality.as_ref().filter(|page| !page.page_types.is_empty())?.page_types;
        let types: BTreeMap<&str, f32> = types.iter().map(|t| (t.0.as_str(), t.1)).collect();
        serde_json::to_string(&types).ok()
    }

    /// Number of kept blocks.
    pub fn num_kept(&self) -> u32 {
        self.scores.len() as u32
    }

    /// Mean score of the kept blocks; `None` if no block is kept.
    pub fn mean_score(&self) -> Option<f32> {
        let sum: f64 = self.scores.iter().copied().map(f64::from).sum();
        (!self.scores.is_empty()).then(|| (sum / f64::from(self.num_kept())) as f32)
    }

    /// Creates the row of a page that cannot be read.
    pub fn failed(page: &FailedPage<'_>) -> Row {
        Row {
            id: page.id.to_owned(),
            url: page.url.map(str::to_owned),
            date: page.date.map(str::to_owned),
            model: page.model.to_owned(),
            error: Some(page.error.to_owned()),
            ..Row::default()
        }
    }
}
