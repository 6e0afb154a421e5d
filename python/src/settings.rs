//! Conversion of Python keywords to the options of an extractor.

use crate::arguments;
use crate::errors::OrRaise;
use crate::model::Model;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::{Path, PathBuf};
use std::time::Duration;
use threshr::{Extractor, ExtractorBuilder, Favor, SHIPPED};
use threshr_core::{Error, Result};
use threshr_sets::gold::CleanevalWrapper;

/// Builder method for a string option.
type SetText = fn(ExtractorBuilder, &str) -> Result<ExtractorBuilder>;
/// Builder method for a boolean option.
type SetFlag = fn(ExtractorBuilder, bool) -> ExtractorBuilder;

/// Source of a model.
pub(crate) enum ModelSource {
    /// A model that is compiled in, by its name.
    Shipped(&'static str),
    /// A model file.
    File(PathBuf),
    /// Content of a model file.
    Bytes(Vec<u8>),
}

impl ModelSource {
    /// Converts `None`, the name of a shipped model, a path, bytes or a `Model`.
    pub(crate) fn new(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value.filter(|v| !v.is_none()) else { return Ok(ModelSource::Shipped(SHIPPED[0])) };
        if let Ok(model) = value.cast::<Model>() {
            return Ok(ModelSource::Bytes(model.get().bytes().to_vec()));
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(ModelSource::Bytes(bytes.as_bytes().to_vec()));
        }
        let path: PathBuf = value
            .extract()
            .map_err(|_| arguments::wrong_type("model", value, "a path, bytes, a Model or None"))?;
        Ok(threshr::shipped_name(&path).map_or(ModelSource::File(path), ModelSource::Shipped))
    }

    /// Sets the model or trained system of a builder.
    fn add_to(&self, builder: ExtractorBuilder) -> Result<ExtractorBuilder> {
        match self {
            ModelSource::Shipped(name) => Ok(builder.model(threshr::shipped_model(name)?)),
            ModelSource::File(path) => {
                builder.model_file(path).map_err(|e| threshr::with_shipped_names(e, path))
            }
            ModelSource::Bytes(bytes) => builder.model_bytes(bytes),
        }
    }
}

/// The keywords of an extractor. Missing keywords have default values.
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

    /// Returns a positive number. Returns `None` if there is no limit.
    fn limit(&self, name: &str) -> PyResult<Option<f64>> {
        let Some(number) = arguments::number(name, self.value(name)?.as_ref())? else { return Ok(None) };
        let checked = match number {
            n if n > 0.0 && n < 1e15 => Ok(Some(n)),
            n => Err(Error::invalid_option(format!("`{name}` is {n}"))
                .expected("a positive number, or None for no limit")),
        };
        checked.or_raise(self.given.py())
    }

    /// Converts all keywords and loads the model.
    pub(crate) fn extractor(&self) -> PyResult<Extractor> {
        let py = self.given.py();
        let model = self.value("model")?;
        let mut builder = match &model {
            None => Extractor::builder(),
            Some(model) => {
                let source = ModelSource::new(Some(model))?;
                py.detach(|| source.add_to(Extractor::builder())).or_raise(py)?
            }
        };
        if let Some(name) = self.text("system")? {
            builder = self.system_options(builder.system(&name).or_raise(py)?)?;
        }
        let texts: [(&str, SetText); 6] = [
            ("policy", ExtractorBuilder::policy),
            ("filter", ExtractorBuilder::filter),
            ("decision", ExtractorBuilder::decision),
            ("select", ExtractorBuilder::select),
            ("drop", ExtractorBuilder::drop),
            ("charset", ExtractorBuilder::charset),
        ];
        for (name, set) in texts {
            if let Some(value) = self.text(name)? {
                builder = set(builder, &value).or_raise(py)?;
            }
        }
        let flags: [(&str, SetFlag); 8] = [
            ("keep_hidden", ExtractorBuilder::keep_hidden),
            ("strict_visibility", ExtractorBuilder::strict_visibility),
            ("source_map", ExtractorBuilder::source_map),
            ("title", ExtractorBuilder::title),
            ("links", ExtractorBuilder::links),
            ("images", ExtractorBuilder::images),
            ("tables", ExtractorBuilder::tables),
            ("formulas", ExtractorBuilder::formulas),
        ];
        for (name, set) in flags {
            if let Some(value) = arguments::flag(name, self.value(name)?.as_ref())? {
                builder = set(builder, value);
            }
        }
        if let Some(favor) = self.text("favor")? {
            builder = builder.favor(Favor::parse(&favor).or_raise(py)?);
        }
        if let Some(threshold) = arguments::number("threshold", self.value("threshold")?.as_ref())? {
            builder = builder.threshold(threshold as f32).or_raise(py)?;
        }
        if let Some(seconds) = self.limit("timeout")?.filter(|seconds| *seconds < 1e9) {
            builder = builder.timeout(Duration::from_secs_f64(seconds));
        }
        if let Some(bytes) = self.limit("max_bytes")? {
            builder = builder.max_bytes(bytes as u64);
        }
        if let Some(bytes) = self.limit("max_memory")? {
            builder = builder.max_memory(bytes as u64);
        }
        py.detach(|| builder.with_unwrap(&CleanevalWrapper).build()).or_raise(py)
    }

    /// Sets the options of the system.
    fn system_options(&self, mut builder: ExtractorBuilder) -> PyResult<ExtractorBuilder> {
        let Some(options) = self.value("system_options")? else { return Ok(builder) };
        let py = self.given.py();
        let wrong =
            |found: &Bound<'_, PyAny>, expected| arguments::wrong_type("system_options", found, expected);
        let given = options.cast::<PyDict>().map_err(|_| wrong(&options, "a dict"))?;
        for (key, value) in given {
            let json =
                py.import("json")?.call_method1("dumps", (&value,)).and_then(|j| j.extract::<String>());
            let json = json.map_err(|_| wrong(&value, "values of JSON"))?;
            let value = serde_json::from_str(&json).map_err(|_| wrong(&value, "values of JSON"))?;
            let key = arguments::text("a name in system_options", Some(&key))?.unwrap_or_default();
            builder = builder.system_option(&key, value).or_raise(py)?;
        }
        Ok(builder)
    }
}

/// Returns an absolute path, because a worker process may have another working folder.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
