//! The content of the application of `threshr inspect`, as JSON.

use crate::options::PageOptions;
use serde_json::json;
use threshr::raw::RawExtraction;
use threshr::{Extraction, Extractor, Result};
use threshr_core::policy::{NAMED, PROPERTIES};
use threshr_view::{View, frame};

/// Returns the page with its labels, units and metadata, and as HTML for a frame.
///
/// # Errors
/// If the page is too large to be shown.
pub(crate) fn json(
    extractor: &Extractor,
    extraction: &Extraction,
    page: &[u8],
    options: &PageOptions,
) -> Result<String> {
    let view = View::new(extraction);
    let doc = extraction.document();
    let mut shown = view.labels(extractor.type_and_quality(extraction).as_ref());
    if let (Some(shown), serde_json::Value::Object(details)) = (shown.as_object_mut(), view.details()?) {
        shown.extend(details);
    }
    shown["title"] = json!(extraction.title());
    shown["url"] = json!(options.url.clone().or_else(|| doc.url()));
    shown["frame"] = json!(frame(doc, extraction.page_blocks(), page)?);
    Ok(shown.to_string())
}

/// Returns the named policies and the properties of which a policy consists.
pub(crate) fn policies() -> String {
    let named = NAMED.iter().map(
        |policy| json!({ "name": policy.name, "summary": policy.summary, "properties": policy.properties }),
    );
    let properties = PROPERTIES.iter().map(|p| json!({ "name": p.name, "definition": p.definition }));
    json!({ "named": named.collect::<Vec<_>>(), "properties": properties.collect::<Vec<_>>() }).to_string()
}
