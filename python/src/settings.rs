//! The options of an extractor, read from Python keywords.

use crate::arguments;
use crate::errors::OrRaise;
use crate::model::Model;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::{Path, PathBuf};
use std::time::Duration;
use threshr::registries;
use threshr_core::policy::PolicyChoice;
use threshr_core::{Budget, Error, ErrorKind, Result};
use threshr_extract::baseline::SystemChoice;
use threshr_extract::decision::{self, DecisionOptions, Favor};
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::file;
use threshr_extract::{Labeller, Options};
use threshr_html::{ParseOptions, Selector, Visibility};
use threshr_output::formats::WriteOptions;

/// Limits of one page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    pub(crate) time: Option<Duration>,
    pub(crate) bytes: Option<usize>,
    pub(crate) memory: Option<u64>,
}

impl Limits {
    /// A budget that starts on this thread.
    pub(crate) fn budget(&self) -> Result<Budget> {
        Ok(Budget::start(self.time)?.with_memory(self.memory))
    }

    /// Checks the size of a page.
    pub(crate) fn check_size(&self, bytes: &[u8]) -> Result<()> {
        match self.bytes.filter(|&limit| bytes.len() > limit) {
            Some(limit) => {
                let message = format!("the page has {} bytes", bytes.len());
                Err(Error::new(ErrorKind::TooLarge, message).expected(format!("at most {limit}")))
            }
            None => Ok(()),
        }
    }
}

/// All options of an extractor.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) labeller: Labeller,
    pub(crate) options: Options,
    pub(crate) write: WriteOptions,
    pub(crate) limits: Limits,
}

/// Where a model is read from.
pub(crate) enum ModelSource {
    /// The model that is compiled in.
    Shipped,
    /// A model file.
    File(PathBuf),
    /// The content of a model file.
    Bytes(Vec<u8>),
}

impl ModelSource {
    /// Reads `None`, `"default"`, a path, bytes or a `Model`.
    pub(crate) fn of(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value.filter(|v| !v.is_none()) else { return Ok(ModelSource::Shipped) };
        if let Ok(model) = value.cast::<Model>() {
            return Ok(ModelSource::Bytes(model.get().bytes().to_vec()));
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(ModelSource::Bytes(bytes.as_bytes().to_vec()));
        }
        let path: PathBuf = value
            .extract()
            .map_err(|_| arguments::wrong_type("model", value, "a path, bytes, a Model or None"))?;
        let is_shipped = path.as_os_str() == "default" && !path.exists();
        Ok(if is_shipped { ModelSource::Shipped } else { ModelSource::File(path) })
    }

    /// Loads the model or trained system.
    pub(crate) fn load(&self) -> Result<Labeller> {
        let systems = registries().systems;
        Ok(match self {
            ModelSource::Shipped => Labeller::Model(Box::new(threshr::default_model()?)),
            ModelSource::File(path) => file::load(path, &systems)?.into(),
            ModelSource::Bytes(bytes) => file::from_bytes(bytes, &systems)?.into(),
        })
    }
}

/// The keywords of an extractor, with what they are if they are not given.
pub(crate) struct Keywords<'a, 'py> {
    given: &'a Bound<'py, PyDict>,
}

impl<'a, 'py> Keywords<'a, 'py> {
    pub(crate) fn new(given: &'a Bound<'py, PyDict>) -> Self {
        Keywords { given }
    }

    fn value(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.given.get_item(name)?.filter(|v| !v.is_none()))
    }

    fn text(&self, name: &str) -> PyResult<Option<String>> {
        arguments::text(name, self.value(name)?.as_ref())
    }

    fn flag(&self, name: &str, default: bool) -> PyResult<bool> {
        Ok(arguments::flag(name, self.value(name)?.as_ref())?.unwrap_or(default))
    }

    /// A positive number; `None` for no limit.
    fn limit(&self, name: &str) -> PyResult<Option<f64>> {
        let Some(number) = arguments::number(name, self.value(name)?.as_ref())? else { return Ok(None) };
        let checked =
            match number {
                n if n > 0.0 && n < 1e15 => Ok(Some(n)),
                n => Err(Error::recipe(format!("`{name}` is {n}"))
                    .expected("a positive number, or None for no limit")),
            };
        checked.or_raise(self.given.py())
    }

    fn limits(&self) -> PyResult<Limits> {
        let time = self.limit("timeout")?.filter(|seconds| *seconds < 1e9);
        Ok(Limits {
            time: time.map(Duration::from_secs_f64),
            bytes: self.limit("max_bytes")?.map(|n| n as usize),
            memory: self.limit("max_memory")?.map(|n| n as u64),
        })
    }

    fn decision(&self) -> PyResult<DecisionOptions> {
        let threshold = arguments::number("threshold", self.value("threshold")?.as_ref())?.map(|t| t as f32);
        let (rule, favor) = (self.text("decision")?, self.text("favor")?);
        let parsed = || -> Result<DecisionOptions> {
            if let Some(t) = threshold.filter(|t| !(0.0..=1.0).contains(t)) {
                return Err(Error::recipe(format!("`threshold` is {t}")).expected("a number from 0 to 1"));
            }
            Ok(DecisionOptions {
                threshold,
                rule: rule.as_deref().map(decision::by_name).transpose()?,
                favor: favor.as_deref().map(Favor::parse).transpose()?.unwrap_or_default(),
            })
        };
        parsed().or_raise(self.given.py())
    }

    fn system(&self) -> PyResult<Option<SystemChoice>> {
        let Some(name) = self.text("system")? else { return Ok(None) };
        let py = self.given.py();
        let mut choice = SystemChoice::parse(&name, &registries().systems).or_raise(py)?;
        if let Some(options) = self.value("system_options")? {
            let wrong =
                |found: &Bound<'_, PyAny>, expected| arguments::wrong_type("system_options", found, expected);
            let given = options.cast::<PyDict>().map_err(|_| wrong(&options, "a dict"))?;
            for (key, value) in given {
                let json =
                    py.import("json")?.call_method1("dumps", (&value,)).and_then(|j| j.extract::<String>());
                let json = json.map_err(|_| wrong(&value, "values of JSON"))?;
                let value = serde_json::from_str(&json).map_err(|_| wrong(&value, "values of JSON"))?;
                let key = arguments::text("a name in system_options", Some(&key))?;
                choice.set(&key.unwrap_or_default(), value).or_raise(py)?;
            }
        }
        if choice.system().needs_gold {
            let error = Error::recipe(format!("the system `{name}` needs gold annotations"));
            return Err(error).or_raise(py);
        }
        Ok(Some(choice))
    }

    fn labeller(&self) -> PyResult<Labeller> {
        let py = self.given.py();
        let model = self.value("model")?;
        match self.system()? {
            None => {
                let source = ModelSource::of(model.as_ref())?;
                py.detach(|| source.load()).or_raise(py)
            }
            Some(_) if model.is_some() => {
                Err(Error::recipe("both `model` and `system` are given").expected("one of them")).or_raise(py)
            }
            Some(choice) => {
                let method = choice.method().or_raise(py)?;
                Ok(Labeller::System(choice, method))
            }
        }
    }

    /// Rejects options that have no effect on a system.
    fn check_system(&self, labeller: &Labeller) -> PyResult<()> {
        if matches!(labeller, Labeller::Model(_)) {
            return Ok(());
        }
        for name in ["policy", "threshold", "decision", "favor"] {
            if self.value(name)?.is_some() {
                let error = Error::recipe(format!("a system has no scores, so `{name}` has no effect"));
                return Err(error.expected("a model, or no such option")).or_raise(self.given.py());
            }
        }
        Ok(())
    }

    fn options(&self, labeller: &Labeller) -> PyResult<Options> {
        let py = self.given.py();
        let strict_of_model = match labeller {
            Labeller::Model(model) => model.recipe().page.strict_visibility,
            Labeller::System(..) | Labeller::Trained(_) => false,
        };
        let charset = self.text("charset")?;
        if let Some(label) = charset.as_deref().filter(|l| !threshr_html::is_charset(l)) {
            return Err(unknown_charset(label)).or_raise(py);
        }
        let selector = |name: &str| -> PyResult<Option<Selector>> {
            self.text(name)?.as_deref().map(Selector::parse).transpose().or_raise(py)
        };
        Ok(Options {
            decision: self.decision()?,
            filter: self.text("filter")?.as_deref().map(FilterChoice::parse).transpose().or_raise(py)?,
            policy: self.text("policy")?.as_deref().map(PolicyChoice::parse).transpose().or_raise(py)?,
            visibility: self.visibility()?,
            parse: ParseOptions {
                charset,
                annotation: None,
                strict_visibility: strict_of_model || self.flag("strict_visibility", false)?,
                source_map: self.flag("source_map", false)?,
            },
            page_level: false,
            // type and quality are predicted when they are asked for
            keep_counts: true,
            select: selector("select")?,
            drop: selector("drop")?,
        })
    }

    fn visibility(&self) -> PyResult<Option<Visibility>> {
        let hidden = arguments::flag("keep_hidden", self.value("keep_hidden")?.as_ref())?;
        Ok(hidden.map(|keep| if keep { Visibility::WithHidden } else { Visibility::Visible }))
    }

    /// Reads all options and loads the model.
    pub(crate) fn settings(&self) -> PyResult<Settings> {
        let labeller = self.labeller()?;
        self.check_system(&labeller)?;
        Ok(Settings {
            options: self.options(&labeller)?,
            labeller,
            write: WriteOptions {
                links: self.flag("links", true)?,
                images: self.flag("images", true)?,
                tables: self.flag("tables", true)?,
                formulas: self.flag("formulas", true)?,
            },
            limits: self.limits()?,
        })
    }
}

/// The error for an unknown charset.
pub(crate) fn unknown_charset(label: &str) -> Error {
    Error::recipe(format!("unknown charset `{label}`")).expected("a label such as utf-8 or windows-1252")
}

/// An absolute path: a worker process may have another current folder.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
