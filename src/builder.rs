//! Builds an extractor from options.

use crate::Extractor;
use std::path::Path;
use std::time::Duration;
use threshr_core::policy::{PolicyChoice, property};
use threshr_core::{Error, Limits, Result, Setting};
#[cfg(feature = "systems")]
use threshr_extract::baseline::{SystemChoice, Systems};
use threshr_extract::decision::{self, Favor};
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::{Known, file};
use threshr_extract::{Labeller, Model, Options};
#[cfg(feature = "selectors")]
use threshr_html::Selector;
use threshr_html::Visibility;
use threshr_output::formats::WriteOptions;

/// Builds an [`Extractor`]. An option that is not set has the default value of the model. If the model has
/// none, the option has no effect.
///
/// [`raw::OPTIONS`](crate::raw::OPTIONS) lists the options with their names on the command line.
#[derive(Debug)]
pub struct ExtractorBuilder {
    labeller: Option<Labeller>,
    pub(crate) known: Known,
    #[cfg(feature = "systems")]
    system: Option<SystemChoice>,
    pub(crate) options: Options,
    write: WriteOptions,
    limits: Limits,
    /// The options that are set but only have an effect on models.
    of_models: Vec<Setting>,
}

impl Default for ExtractorBuilder {
    fn default() -> Self {
        ExtractorBuilder {
            labeller: None,
            known: Known {
                #[cfg(feature = "systems")]
                systems: Systems::new(threshr_baselines::SYSTEMS),
                ..Known::default()
            },
            #[cfg(feature = "systems")]
            system: None,
            options: Options::default(),
            write: WriteOptions::default(),
            limits: Limits::default(),
            of_models: Vec::new(),
        }
    }
}

impl ExtractorBuilder {
    /// Uses a model file, or the file of a trained system, instead of the shipped model.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be read.
    /// [`ErrorKind::Model`](crate::ErrorKind::Model) if it is not a valid model. Model files of trained
    /// systems need the feature `systems`.
    pub fn model_file(self, path: impl AsRef<Path>) -> Result<Self> {
        let trained = file::load(path.as_ref(), &self.known).map_err(|e| e.with_setting(Setting::Model))?;
        Ok(ExtractorBuilder { labeller: Some(trained.into()), ..self })
    }

    /// Uses the content of a model file instead of the shipped model.
    ///
    /// # Errors
    /// Like [`model_file`](Self::model_file).
    pub fn model_bytes(self, bytes: &[u8]) -> Result<Self> {
        let trained = file::from_bytes(bytes, &self.known).map_err(|e| e.with_setting(Setting::Model))?;
        Ok(ExtractorBuilder { labeller: Some(trained.into()), ..self })
    }

    /// Uses this model instead of the shipped model.
    #[must_use]
    pub fn model(self, model: Model) -> Self {
        ExtractorBuilder { labeller: Some(Labeller::Model(Box::new(model))), ..self }
    }

    /// Uses a published system instead of a model: `NAME` or `NAME+FILTER`, such as `justext`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) for an unknown name, and for a system that needs
    /// training or gold annotations.
    #[cfg(feature = "systems")]
    pub fn system(self, name: &str) -> Result<Self> {
        let choice =
            SystemChoice::parse(name, &self.known.systems).map_err(|e| e.with_setting(Setting::System))?;
        if choice.system().needs_gold {
            let error = Error::invalid_option(format!("the system `{name}` needs gold annotations"));
            return Err(error.with_setting(Setting::System));
        }
        Ok(ExtractorBuilder { system: Some(choice), ..self })
    }

    /// Sets an option of the system that was selected by [`system`](Self::system).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) if no system is selected, the option
    /// is unknown, or the value has the wrong type.
    #[cfg(feature = "systems")]
    pub fn system_option(mut self, name: &str, value: serde_json::Value) -> Result<Self> {
        let of_option = |e: Error| e.with_setting(Setting::SystemOptions);
        let Some(choice) = &mut self.system else {
            let error = Error::invalid_option(format!("there is no system for the option `{name}`"));
            return Err(of_option(error.expected("a system, set before its options")));
        };
        choice.set(name, value).map_err(of_option)?;
        Ok(self)
    }

    /// Sets what counts as content: `main`, `article`, `full`, with overrides such as
    /// `main+captions-comments`; or `auto`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) for an unknown name.
    pub fn policy(mut self, policy: &str) -> Result<Self> {
        let choice = PolicyChoice::parse(policy).map_err(|e| e.with_setting(Setting::Policy))?;
        self.options.policy = Some(choice);
        Ok(self.of_model(Setting::Policy))
    }

    /// Sets the filter that is applied after the decision rule, such as `none` or `repeats+headings`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) for an unknown name.
    pub fn filter(mut self, filter: &str) -> Result<Self> {
        let choice = FilterChoice::parse(filter).map_err(|e| e.with_setting(Setting::Filter))?;
        self.options.filter = Some(choice);
        Ok(self)
    }

    /// Sets the minimum score of content for all pages, instead of a decision rule.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) if the threshold is outside
    /// `0.0..=1.0`.
    pub fn threshold(mut self, threshold: f32) -> Result<Self> {
        if !(0.0..=1.0).contains(&threshold) {
            let error = Error::invalid_option(format!("the threshold is {threshold}"));
            return Err(error.expected("a number from 0 to 1").with_setting(Setting::Threshold));
        }
        self.options.decision.threshold = Some(threshold);
        Ok(self.of_model(Setting::Threshold))
    }

    /// Sets the decision rule, which determines the minimum score of content for each page.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) for an unknown name.
    pub fn decision(mut self, rule: &str) -> Result<Self> {
        let rule = decision::by_name(rule).map_err(|e| e.with_setting(Setting::Decision))?;
        self.options.decision.rule = Some(rule);
        Ok(self.of_model(Setting::Decision))
    }

    /// Sets which kind of error has more weight. [`Favor::Precision`] keeps fewer blocks, [`Favor::Recall`]
    /// keeps more.
    #[must_use]
    pub fn favor(mut self, favor: Favor) -> Self {
        self.options.decision.favor = favor;
        self.of_model(Setting::Favor)
    }

    /// Keeps only blocks inside elements that match a CSS selector.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) for an invalid selector.
    #[cfg(feature = "selectors")]
    pub fn select(mut self, selector: &str) -> Result<Self> {
        let selector = Selector::parse(selector).map_err(|e| e.with_setting(Setting::Select))?;
        self.options.select = Some(selector);
        Ok(self)
    }

    /// Removes blocks inside elements that match a CSS selector.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) for an invalid selector.
    #[cfg(feature = "selectors")]
    pub fn drop(mut self, selector: &str) -> Result<Self> {
        let selector = Selector::parse(selector).map_err(|e| e.with_setting(Setting::Drop))?;
        self.options.drop = Some(selector);
        Ok(self)
    }

    /// Sets the charset of all pages. It takes precedence over the charset that a page declares and over
    /// [`Page::charset`](crate::Page::charset).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) for an unknown label.
    pub fn charset(mut self, label: &str) -> Result<Self> {
        threshr_html::check_charset(label)?;
        self.options.parse.charset = Some(label.to_owned());
        Ok(self)
    }

    /// Sets whether hidden text, cookie banners, and UI elements that tools insert are read.
    #[must_use]
    pub fn keep_hidden(mut self, keeps: bool) -> Self {
        self.options.visibility = Some(if keeps { Visibility::WithHidden } else { Visibility::Visible });
        self
    }

    /// Sets whether hidden text is removed even from pages where nearly all text is hidden. By default,
    /// such a page is read as if its scripts had run.
    #[must_use]
    pub fn strict_visibility(mut self, is_strict: bool) -> Self {
        self.options.parse.strict_visibility = is_strict;
        self
    }

    /// Sets whether units contain their source range in the page, [`Unit::source`](crate::Unit::source).
    #[must_use]
    pub fn source_map(mut self, has_places: bool) -> Self {
        self.options.parse.source_map = has_places;
        self
    }

    /// Sets whether Markdown and HTML begin with the title of the page. The default is true. If false, the headline is also
    /// no content, whatever the policy says.
    #[must_use]
    pub fn title(mut self, is_written: bool) -> Self {
        self.write.title = is_written;
        self
    }

    /// Sets whether Markdown and HTML contain the URLs of links, and notes as footnotes. The default is
    /// true.
    #[must_use]
    pub fn links(mut self, are_written: bool) -> Self {
        self.write.links = are_written;
        self
    }

    /// Sets whether Markdown and HTML contain images. The default is true.
    #[must_use]
    pub fn images(mut self, are_written: bool) -> Self {
        self.write.images = are_written;
        self
    }

    /// Sets whether Markdown contains tables. If false, each cell is a paragraph. The default is true.
    #[must_use]
    pub fn tables(mut self, are_written: bool) -> Self {
        self.write.tables = are_written;
        self
    }

    /// Sets whether Markdown and HTML contain formulas as markup. If false, formulas are TeX in the text. The
    /// default is true.
    #[must_use]
    pub fn formulas(mut self, are_written: bool) -> Self {
        self.write.formulas = are_written;
        self
    }

    /// Sets the maximum CPU time of a page, measured on the thread that extracts it.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limits.time = Some(limit);
        self
    }

    /// Sets the maximum size of a page, in bytes.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.limits.bytes = Some(bytes);
        self
    }

    /// Sets the maximum memory that the extraction of a page uses, in bytes.
    #[must_use]
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Builds the extractor.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](crate::ErrorKind::InvalidOption) if both a model and a system are set,
    /// or if an option has no effect on the system.
    pub fn build(mut self) -> Result<Extractor> {
        let labeller = self.labeller()?;
        if let (Labeller::System(..) | Labeller::Trained(_), Some(&setting)) =
            (&labeller, self.of_models.first())
        {
            let error =
                Error::invalid_option(format!("a system has no scores, so `{setting}` has no effect"));
            return Err(error.expected("a model, or no such option").with_setting(setting));
        }
        if let (Labeller::Model(model), false) = (&labeller, self.write.title) {
            let policy = self.options.policy.unwrap_or(model.recipe().policy.default);
            self.options.policy = Some(policy.with(property("title")?, false));
        }
        // Keeps the data from which `type_and_quality` predicts.
        self.options.keep_counts = true;
        let inner = threshr_extract::Extractor::new(labeller, self.options);
        Ok(Extractor::new(inner, self.write, self.limits))
    }

    fn labeller(&mut self) -> Result<Labeller> {
        #[cfg(feature = "systems")]
        if let Some(choice) = self.system.take() {
            if self.labeller.is_some() {
                let error = Error::invalid_option("both a model and a system are set");
                return Err(error.expected("one of them").with_setting(Setting::System));
            }
            return Labeller::system(choice);
        }
        match self.labeller.take() {
            Some(labeller) => Ok(labeller),
            #[cfg(feature = "shipped-model")]
            None => Ok(Labeller::Model(Box::new(crate::default_model()?))),
            #[cfg(not(feature = "shipped-model"))]
            None => Err(Error::invalid_option("there is no model")
                .expected("a model, or the feature `shipped-model`")
                .with_setting(Setting::Model)),
        }
    }

    /// Records that an option has an effect only on models.
    fn of_model(mut self, setting: Setting) -> Self {
        self.of_models.push(setting);
        self
    }
}
