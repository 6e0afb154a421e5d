//! The extractor: a model with its options.

use crate::{ExtractorBuilder, Page, TypeAndQuality};
use std::sync::Arc;
use threshr_core::{Budget, Limits, Result, guard};
use threshr_extract::{Explanation, Extraction, Input};
use threshr_html::check_charset;
use threshr_output::formats::WriteOptions;

/// Extracts the content of pages. An extractor can be shared between threads. Clones share the model.
#[derive(Debug, Clone)]
pub struct Extractor {
    pub(crate) inner: Arc<threshr_extract::Extractor>,
    pub(crate) write: WriteOptions,
    pub(crate) limits: Limits,
}

impl Extractor {
    /// Returns a builder with the shipped model and its defaults. Without the feature `shipped-model`, a model must
    /// be set.
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
        let extraction = self.run(page.into(), |input, budget| self.inner.extract(input, budget))?;
        Ok(extraction.with_write_options(self.write))
    }

    /// Explains the scores of the given blocks of a page by the contributions of columns; `None` means all blocks.
    ///
    /// # Errors
    /// As [`Extractor::extract`]. [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) also if a block does not
    /// exist, or a published system labels the blocks.
    pub fn explain<'a>(
        &self,
        page: impl Into<Page<'a>>,
        blocks: Option<&[usize]>,
    ) -> Result<Vec<Explanation>> {
        self.run(page.into(), |input, budget| self.inner.explain(input, blocks, budget))
            .map(|(_, found)| found)
    }

    /// Runs a task on a page within the limits.
    fn run<T>(&self, page: Page<'_>, task: impl FnOnce(&Input<'_>, &Budget) -> Result<T>) -> Result<T> {
        let Page { bytes, url, charset } = page;
        charset.map_or(Ok(()), check_charset)?;
        self.limits.check_size(bytes)?;
        let budget = self.limits.budget()?;
        let input = Input { bytes, charset, url, ..Input::default() };
        guard(url.unwrap_or_default(), || task(&input, &budget))
    }

    /// Predicts the type of a page that was extracted by this extractor, and the quality of its text. Each
    /// call computes the prediction again. Returns `None` if the model predicts neither.
    pub fn type_and_quality(&self, extraction: &Extraction) -> Option<TypeAndQuality> {
        self.inner.type_and_quality_of(extraction)
    }
}
