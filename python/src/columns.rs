//! The columns that a batch can write. Each is one line in [`COLUMNS`].

use arrow_array::builder::{LargeStringBuilder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Float32Array, UInt32Array};
use arrow_schema::{DataType, Field, FieldRef};
use std::sync::Arc;
use threshr_core::registry;
use threshr_core::{Error, Result};
use threshr_output::formats::{Added, PageOutput, Row};

/// Output values of a page.
#[derive(Debug, Default)]
pub(crate) struct Written {
    row: Row,
    html: Option<String>,
    /// The error, if the page cannot be extracted.
    error: Option<String>,
}

impl Written {
    /// Computes the output values of a page.
    ///
    /// # Errors
    /// If the budget of the page is exhausted.
    pub(crate) fn new(page: &PageOutput<'_>, columns: &[&'static Column]) -> Result<Self> {
        let has = |name: &str| columns.iter().any(|c| c.name == name);
        let html = has("html").then(|| page.html()).transpose()?;
        Ok(Written { row: Row::new(page)?, html, error: None })
    }

    /// Creates the output of a page that cannot be extracted.
    pub(crate) fn failed(error: &Error) -> Self {
        Written { error: Some(error.with_causes()), ..Written::default() }
    }
}

/// Value of a page in a column.
enum Value<'a> {
    Text(Option<&'a str>),
    Texts(&'a [String]),
    Json(Option<String>),
    Float(Option<f32>),
    Count(Option<u32>),
}

/// An output column.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    kind: Kind,
    value: for<'a> fn(&'a Written) -> Value<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Texts,
    Float,
    Count,
}

macro_rules! column {
    ($name:literal, $kind:ident, $value:expr) => {
        Column { name: $name, kind: Kind::$kind, value: $value }
    };
}

/// All output columns, in the order in which error messages list them.
static COLUMNS: &[&Column] = &[
    &column!("text", Text, |w| Value::Text(w.row.text.as_deref())),
    &column!("markdown", Text, |w| Value::Text(w.row.markdown.as_deref())),
    &column!("html", Text, |w| Value::Text(w.html.as_deref())),
    &column!("metadata", Text, |w| Value::Json(w.row.metadata.as_ref().map(ToString::to_string))),
    &column!("posts", Text, |w| Value::Json(w.row.posts.as_ref().map(ToString::to_string))),
    &column!("comments", Text, |w| Value::Json(w.row.comments.as_ref().map(ToString::to_string))),
    &column!("units", Text, |w| Value::Text(w.row.units.as_deref())),
    &column!("title", Text, |w| Value::Text(w.row.title.as_deref())),
    &column!("authors", Texts, |w| Value::Texts(&w.row.authors)),
    &column!("date_published", Text, |w| Value::Text(w.row.date_published.as_deref())),
    &column!("language", Text, |w| Value::Text(w.row.language.as_deref())),
    &column!("page_type", Text, |w| Value::Text(w.row.type_and_quality.as_ref().and_then(|p| p.page_type()))),
    &column!("page_types", Text, |w| Value::Json(w.row.page_types_json())),
    &column!("quality", Float, |w| Value::Float(quality(w).map(|q| q.expected))),
    &column!("quality_low", Float, |w| Value::Float(quality(w).map(|q| q.low))),
    &column!("quality_high", Float, |w| Value::Float(quality(w).map(|q| q.high))),
    &column!("num_kept", Count, |w| Value::Count(Some(w.row.num_kept()))),
    &column!("mean_score", Float, |w| Value::Float(w.row.mean_score())),
    &column!("defect", Text, |w| Value::Text(w.row.defect.as_deref())),
    &column!("error", Text, |w| Value::Text(w.error.as_deref())),
];

/// The default columns: those of the Parquet output of the program, except the name of the model.
pub(crate) const DEFAULT: [&str; 13] = [
    "text",
    "title",
    "authors",
    "date_published",
    "num_kept",
    "mean_score",
    "language",
    "page_type",
    "page_types",
    "quality",
    "quality_low",
    "quality_high",
    "defect",
];

fn quality(written: &Written) -> Option<threshr::Quality> {
    written.row.type_and_quality.as_ref().and_then(|page| page.quality)
}

/// Returns the columns with these names, followed by `error`.
///
/// # Errors
/// If a name is unknown.
pub(crate) fn by_names(names: Option<Vec<String>>) -> Result<Vec<&'static Column>> {
    let names = names.unwrap_or_else(|| DEFAULT.map(str::to_owned).to_vec());
    let mut found: Vec<&'static Column> = Vec::new();
    for name in names.iter().map(String::as_str).chain(["error"]) {
        let column = registry::find(COLUMNS, "column", name, |column: &Column| column.name)?;
        if !found.iter().any(|c| c.name == column.name) {
            found.push(column);
        }
    }
    Ok(found)
}

/// Returns which content the columns need in addition to the text.
pub(crate) fn added(columns: &[&'static Column]) -> Added {
    let has = |name: &str| columns.iter().any(|c| c.name == name);
    let metadata = has("metadata") || has("posts") || has("comments");
    Added { markdown: has("markdown"), units: has("units"), metadata }
}

/// Returns whether the columns need the type or the quality of the page.
pub(crate) fn need_type_and_quality(columns: &[&'static Column]) -> bool {
    columns
        .iter()
        .any(|c| ["page_type", "page_types", "quality", "quality_low", "quality_high"].contains(&c.name))
}

impl Column {
    /// Returns the Arrow field of the column.
    pub(crate) fn field(&self) -> FieldRef {
        let data_type = match self.kind {
            Kind::Text => DataType::LargeUtf8,
            Kind::Texts => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
            Kind::Float => DataType::Float32,
            Kind::Count => DataType::UInt32,
        };
        Arc::new(Field::new(self.name, data_type, true))
    }

    /// Returns the values of the column. For a failed page, all columns except `error` are null.
    pub(crate) fn array(&self, pages: &[Written]) -> ArrayRef {
        let is_error = self.name == "error";
        let cells = pages.iter().map(|page| (page.error.is_none() || is_error).then(|| (self.value)(page)));
        match self.kind {
            Kind::Text => {
                let mut builder = LargeStringBuilder::new();
                for cell in cells {
                    match cell {
                        Some(Value::Text(Some(text))) => builder.append_value(text),
                        Some(Value::Json(Some(text))) => builder.append_value(text),
                        _ => builder.append_null(),
                    }
                }
                Arc::new(builder.finish())
            }
            Kind::Texts => {
                let mut builder = ListBuilder::new(StringBuilder::new());
                for cell in cells {
                    match cell {
                        Some(Value::Texts(texts)) => builder.append_value(texts.iter().map(Some)),
                        _ => builder.append_null(),
                    }
                }
                Arc::new(builder.finish())
            }
            Kind::Float => {
                let number = |cell| if let Some(Value::Float(number)) = cell { number } else { None };
                Arc::new(cells.map(number).collect::<Float32Array>())
            }
            Kind::Count => {
                let number = |cell| if let Some(Value::Count(number)) = cell { number } else { None };
                Arc::new(cells.map(number).collect::<UInt32Array>())
            }
        }
    }
}
