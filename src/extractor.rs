//! The public face: pages → content in a few lines.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;
use threshr_core::policy::PolicyChoice;
use threshr_core::{Budget, Error, ErrorKind, Result};
use threshr_extract::baseline::Systems;
use threshr_extract::decision::Favor;
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::{Trained, file};
use threshr_extract::{Extraction, Input, Labeller, Model, Options};

/// Extracts the content of a page with the shipped model and its defaults. The model is loaded once.
///
/// # Errors
/// Where the bytes are of another kind than HTML.
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

/// The model that is compiled in: `models/default.json`.
///
/// # Errors
/// None, unless the library was built with a damaged file.
pub fn default_model() -> Result<Model> {
    let trained = file::from_bytes(include_bytes!("../models/default.json"), &Systems::default());
    trained.and_then(Trained::into_model).map_err(|e| e.at_path("models/default.json"))
}

/// Extracts the content of pages. Threads may share one.
#[derive(Debug)]
pub struct Extractor {
    inner: threshr_extract::Extractor,
    time_limit: Option<Duration>,
    size_limit: Option<usize>,
}

impl Extractor {
    /// An extractor to be built; without a call of its methods it is the shipped model with its defaults.
    pub fn builder() -> ExtractorBuilder {
        ExtractorBuilder::default()
    }

    /// Extracts the content of a page. The charset is that of a byte-order mark, else of `<meta>`, else detected.
    ///
    /// # Errors
    /// [`ErrorKind::NotHtml`] where the bytes are of another kind, [`ErrorKind::TooLarge`] and [`ErrorKind::Timeout`]
    /// where a limit is reached.
    pub fn extract(&self, html: impl AsRef<[u8]>) -> Result<Extraction> {
        self.extract_as(html, None)
    }

    /// Extracts the content of a page whose charset is known from outside, from an HTTP header say.
    ///
    /// # Errors
    /// As [`Extractor::extract`].
    pub fn extract_as(&self, html: impl AsRef<[u8]>, charset: Option<&str>) -> Result<Extraction> {
        let bytes = html.as_ref();
        if let Some(limit) = self.size_limit.filter(|&limit| bytes.len() > limit) {
            return Err(Error::new(ErrorKind::TooLarge, format!("the page has {} bytes", bytes.len()))
                .expected(format!("at most {limit}")));
        }
        let input = Input { bytes, charset, ..Input::default() };
        self.inner.extract(&input, &Budget::start(self.time_limit))
    }
}

/// Options of an [`Extractor`].
#[derive(Debug, Default)]
pub struct ExtractorBuilder {
    model: Option<Model>,
    options: Options,
    time_limit: Option<Duration>,
    size_limit: Option<usize>,
}

impl ExtractorBuilder {
    /// Takes the model of a file instead of the shipped one.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] where it cannot be read, [`ErrorKind::Model`] where it is no model or is damaged.
    pub fn model_file(self, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let model = file::load(path, &Systems::default())?.into_model().map_err(|e| e.at_path(path))?;
        Ok(self.model(model))
    }

    /// Takes a model instead of the shipped one.
    #[must_use]
    pub fn model(self, model: Model) -> Self {
        ExtractorBuilder { model: Some(model), ..self }
    }

    /// What counts as content: `main`, `article`, `full`, with switches such as `main+captions-comments`; or `auto`.
    ///
    /// # Errors
    /// [`ErrorKind::Recipe`] for other names.
    pub fn policy(mut self, policy: &str) -> Result<Self> {
        self.options.policy = Some(PolicyChoice::parse(policy)?);
        Ok(self)
    }

    /// The filter after the decision rule, such as `none` or `repeats+headings`.
    ///
    /// # Errors
    /// [`ErrorKind::Recipe`] for other names.
    pub fn filter(mut self, filter: &str) -> Result<Self> {
        self.options.filter = Some(FilterChoice::parse(filter)?);
        Ok(self)
    }

    /// Keeps fewer blocks that are more likely content.
    #[must_use]
    pub fn favor_precision(mut self) -> Self {
        self.options.decision.favor = Favor::Precision;
        self
    }

    /// Keeps more blocks, of which more are boilerplate.
    #[must_use]
    pub fn favor_recall(mut self) -> Self {
        self.options.decision.favor = Favor::Recall;
        self
    }

    /// Gives up on a page after so much CPU time of its thread.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        ExtractorBuilder { time_limit: Some(limit), ..self }
    }

    /// Refuses pages of more bytes.
    #[must_use]
    pub fn size_limit(self, bytes: usize) -> Self {
        ExtractorBuilder { size_limit: Some(bytes), ..self }
    }

    /// The extractor.
    ///
    /// # Errors
    /// None, unless the library was built with a damaged model.
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
