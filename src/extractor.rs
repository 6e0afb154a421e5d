//! The public interface: extraction of content in a few lines.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;
use threshr_core::policy::PolicyChoice;
use threshr_core::{Budget, Error, ErrorKind, Result};
use threshr_extract::baseline::Systems;
use threshr_extract::decision::Favor;
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::file;
use threshr_extract::{Extraction, Input, Labeller, Model, Options};

/// Extracts the content of a page with the shipped model and its defaults. The model is loaded once.
///
/// # Errors
/// [`ErrorKind::NotHtml`] if the bytes are not HTML.
pub fn extract(html: impl AsRef<[u8]>) -> Result<Extraction> {
    static DEFAULT: OnceLock<Extractor> = OnceLock::new();
    let extractor = match DEFAULT.get() {
        Some(extractor) => extractor,
        None => {
            let extractor = Extractor::builder().build()?;
            DEFAULT.get_or_init(|| extractor)
        }
    };
    extractor.extract(html)
}

/// The model that is compiled in: `models/default.bin`.
///
/// # Errors
/// Only if the file was damaged when the library was built.
pub fn default_model() -> Result<Model> {
    file::from_binary(include_bytes!("../models/default.bin")).map_err(|e| e.at_path("models/default.bin"))
}

/// Extracts the content of pages. Threads can share an extractor.
#[derive(Debug)]
pub struct Extractor {
    inner: threshr_extract::Extractor,
    time_limit: Option<Duration>,
    size_limit: Option<usize>,
}

impl Extractor {
    /// A builder with the shipped model and its defaults.
    pub fn builder() -> ExtractorBuilder {
        ExtractorBuilder::default()
    }

    /// Extracts the content of a page. The charset is taken from a byte-order mark, else from `<meta>`, else
    /// detected.
    ///
    /// # Errors
    /// [`ErrorKind::NotHtml`] if the bytes are not HTML; [`ErrorKind::TooLarge`] and [`ErrorKind::Timeout`]
    /// if the page reaches a limit.
    pub fn extract(&self, html: impl AsRef<[u8]>) -> Result<Extraction> {
        self.run(html.as_ref(), None, None)
    }

    /// Extracts the content of a page with a known address, against which its links and images are resolved.
    ///
    /// # Errors
    /// The errors of [`Extractor::extract`].
    ///
    /// # Examples
    /// ```
    /// # fn main() -> threshr::Result<()> {
    /// let extractor = threshr::Extractor::builder().build()?;
    /// let html = "<p>It rained all day in the north, <a href=/map>as the map shows</a>, and nobody in the town went out.";
    /// let extraction = extractor.extract_at(html, "https://example.org/news/rain.html")?;
    /// assert!(extraction.markdown().contains("[as the map shows](https://example.org/map)"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn extract_at(&self, html: impl AsRef<[u8]>, url: &str) -> Result<Extraction> {
        self.run(html.as_ref(), None, Some(url))
    }

    /// Extracts the content of a page with a known charset, for instance from an HTTP header.
    ///
    /// # Errors
    /// The errors of [`Extractor::extract`].
    pub fn extract_as(&self, html: impl AsRef<[u8]>, charset: Option<&str>) -> Result<Extraction> {
        self.run(html.as_ref(), charset, None)
    }

    fn run(&self, bytes: &[u8], charset: Option<&str>, url: Option<&str>) -> Result<Extraction> {
        if let Some(limit) = self.size_limit.filter(|&limit| bytes.len() > limit) {
            return Err(Error::new(ErrorKind::TooLarge, format!("the page has {} bytes", bytes.len()))
                .expected(format!("at most {limit}")));
        }
        let input = Input { bytes, charset, url, ..Input::default() };
        self.inner.extract(&input, &Budget::start(self.time_limit)?)
    }
}

/// Builds an [`Extractor`].
#[derive(Debug, Default)]
pub struct ExtractorBuilder {
    model: Option<Model>,
    options: Options,
    time_limit: Option<Duration>,
    size_limit: Option<usize>,
}

impl ExtractorBuilder {
    /// Uses a model file instead of the shipped model.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the file cannot be read; [`ErrorKind::Model`] if it is not a valid model.
    pub fn model_file(self, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let model = file::load(path, &Systems::default())?.into_model().map_err(|e| e.at_path(path))?;
        Ok(self.model(model))
    }

    /// Uses this model instead of the shipped model.
    #[must_use]
    pub fn model(self, model: Model) -> Self {
        ExtractorBuilder { model: Some(model), ..self }
    }

    /// Sets what counts as content: `main`, `article`, `full`, with overrides such as
    /// `main+captions-comments`; or `auto`.
    ///
    /// # Errors
    /// [`ErrorKind::Recipe`] for unknown names.
    pub fn policy(mut self, policy: &str) -> Result<Self> {
        self.options.policy = Some(PolicyChoice::parse(policy)?);
        Ok(self)
    }

    /// Sets the filter after the decision rule, such as `none` or `repeats+headings`.
    ///
    /// # Errors
    /// [`ErrorKind::Recipe`] for unknown names.
    pub fn filter(mut self, filter: &str) -> Result<Self> {
        self.options.filter = Some(FilterChoice::parse(filter)?);
        Ok(self)
    }

    /// Favors precision: keeps fewer blocks.
    #[must_use]
    pub fn favor_precision(mut self) -> Self {
        self.options.decision.favor = Favor::Precision;
        self
    }

    /// Favors recall: keeps more blocks.
    #[must_use]
    pub fn favor_recall(mut self) -> Self {
        self.options.decision.favor = Favor::Recall;
        self
    }

    /// Also predicts the type of each page and the quality of its text; see [`Extraction::page_level`].
    #[must_use]
    pub fn page_level(mut self) -> Self {
        self.options.page_level = true;
        self
    }

    /// Limits the CPU time of a page, measured on its thread.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        ExtractorBuilder { time_limit: Some(limit), ..self }
    }

    /// Limits the size of a page, in bytes.
    #[must_use]
    pub fn size_limit(self, bytes: usize) -> Self {
        ExtractorBuilder { size_limit: Some(bytes), ..self }
    }

    /// Builds the extractor.
    ///
    /// # Errors
    /// Only if the shipped model was damaged when the library was built.
    pub fn build(self) -> Result<Extractor> {
        let model = match self.model {
            Some(model) => model,
            None => default_model()?,
        };
        let labeller = Labeller::Model(Box::new(model));
        let inner = threshr_extract::Extractor::new(labeller, self.options);
        Ok(Extractor { inner, time_limit: self.time_limit, size_limit: self.size_limit })
    }
}
