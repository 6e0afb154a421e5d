//! The models that are compiled in.

use crate::{Extractor, Page};
use std::path::Path;
use std::sync::OnceLock;
use threshr_core::{Error, Result, Setting};
use threshr_extract::model::{Known, file};
use threshr_extract::{Extraction, Model};

/// Extracts the content of a page with the shipped model and its defaults. The first call loads the model.
/// Needs the feature `shipped-model`, which is on by default.
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

/// Returns the model that is compiled in: `models/default.bin`. Needs the feature `shipped-model`.
///
/// # Errors
/// Only if the file was corrupt when the library was built.
pub fn default_model() -> Result<Model> {
    shipped_model(SHIPPED[0])
}

/// Names of the models that are compiled in; the first one is [`default_model`].
pub const SHIPPED: [&str; 3] = ["default", "fast", "tiny"];

/// Returns the shipped model with this name. Needs the feature `shipped-model`.
///
/// # Errors
/// If the name is not one of [`SHIPPED`].
pub fn shipped_model(name: &str) -> Result<Model> {
    let tiny = || file::from_bytes(include_bytes!("../models/tiny.json"), &Known::default())?.into_model();
    match name {
        "default" => file::from_binary(include_bytes!("../models/default.bin")),
        "fast" => file::from_binary(include_bytes!("../models/fast.bin")),
        "tiny" => tiny(),
        other => Err(Error::invalid_option(format!("no shipped model has the name `{other}`"))
            .expected(SHIPPED.join(", "))
            .with_setting(Setting::Model)),
    }
}

/// Returns the name of the shipped model that a path names, unless a file with this name exists. Needs the feature
/// `shipped-model`.
pub fn shipped_name(path: &Path) -> Option<&'static str> {
    SHIPPED.into_iter().find(|name| path.as_os_str() == *name && !path.exists())
}

/// Adds the names of the shipped models to the error for a model file that does not exist. Needs the feature
/// `shipped-model`.
pub fn with_shipped_names(error: Error, path: &Path) -> Error {
    if path.exists() {
        return error;
    }
    error.expected(format!("a model file, or the name of a shipped model: {}", SHIPPED.join(", ")))
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
        assert!(error.contains("default, fast, tiny"), "{error}");
    }
}
