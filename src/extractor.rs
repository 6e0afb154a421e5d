//! The extractor: a model with its options.

use crate::{ExtractorBuilder, Page, TypeAndQuality};
use std::sync::{Arc, OnceLock};
use threshr_core::{Error, Limits, Result, Setting, guard};
use threshr_extract::model::{Known, file};
use threshr_extract::{Extraction, Input, Model};
use threshr_html::check_charset;
use threshr_output::formats::WriteOptions;

/// Extracts the content of a page with the shipped model and its defaults. The model is loaded once.
///
/// # Errors
/// [`ErrorKind::NotHtml`](crate::ErrorKind::NotHtml) if the bytes are not HTML.
pub fn extract<'a>(page: impl Into<Page<'a>>) -> Result<Extraction> {
    static DEFAULT: OnceLock<Extractor> = OnceLock::new();
    let extractor = match DEFAULT.get() {
        Some(extractor) => extractor,
        None => {
            let extractor = Extractor::builder().build()?;
            DEFAULT.get_or_init(|| extractor)
        }
    };
    extractor.extract(page)
}

/// Returns the model that is compiled in: `models/default.bin`.
///
/// # Errors
/// Only if the file was corrupt when the library was built.
pub fn default_model() -> Result<Model> {
    file::from_binary(include_bytes!("../models/default.bin")).map_err(|e| e.at_path("models/default.bin"))
}

/// Names of the models that are compiled in; the first one is [`default_model`].
pub const SHIPPED: [&str; 2] = ["default", "tiny"];

/// Returns the shipped model with this name.
///
/// # Errors
/// If the name is not one of [`SHIPPED`].
pub fn shipped_model(name: &str) -> Result<Model> {
    let tiny = || file::from_bytes(include_bytes!("../models/tiny.json"), &Known::default())?.into_model();
    match name {
        "default" => default_model(),
        "tiny" => tiny().map_err(|e| e.at_path("models/tiny.json")),
        other => Err(Error::invalid_option(format!("no shipped model has the name `{other}`"))
            .expected(SHIPPED.join(", "))
            .with_setting(Setting::Model)),
    }
}

/// Extracts the content of pages. An extractor can be shared between threads. Clones share the model.
#[derive(Debug, Clone)]
pub struct Extractor {
    pub(crate) inner: Arc<threshr_extract::Extractor>,
    pub(crate) write: WriteOptions,
    pub(crate) limits: Limits,
}

impl Extractor {
    /// Returns a builder with the shipped model and its defaults.
    pub fn builder() -> ExtractorBuilder {
        ExtractorBuilder::default()
    }

    pub(crate) fn new(inner: threshr_extract::Extractor, write: WriteOptions, limits: Limits) -> Self {
        Extractor { inner: Arc::new(inner), write, limits }
    }

    /// Extracts the content of a page. The page is given as bytes, a string, or a [`Page`] with its URL and
    /// charset.
    ///
    /// # Errors
    /// [`ErrorKind::NotHtml`](crate::ErrorKind::NotHtml) if the bytes are not HTML.
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge) and [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) if the
    /// page reaches a limit. [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) if its charset is unknown.
    pub fn extract<'a>(&self, page: impl Into<Page<'a>>) -> Result<Extraction> {
        let Page { bytes, url, charset } = page.into();
        charset.map_or(Ok(()), check_charset)?;
        self.limits.check_size(bytes)?;
        let budget = self.limits.budget()?;
        let input = Input { bytes, charset, url, ..Input::default() };
        let extraction = guard(url.unwrap_or_default(), || self.inner.extract(&input, &budget))?;
        Ok(extraction.with_write_options(self.write))
    }

    /// Predicts the type of a page that was extracted by this extractor, and the quality of its text. The
    /// prediction is repeated at each call. Returns `None` if the model predicts neither.
    pub fn type_and_quality(&self, extraction: &Extraction) -> Option<TypeAndQuality> {
        self.inner.type_and_quality_of(extraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_models_have_names() {
        for name in SHIPPED {
            assert!(!shipped_model(name).expect(name).columns().is_empty(), "{name}");
        }
        let error = shipped_model("huge").expect_err("no model").to_string();
        assert!(error.contains("default, tiny"), "{error}");
    }
}
