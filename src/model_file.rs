//! Model files: one JSON object with sorted keys, versioned, checked, without code and without time stamps.
//!
//! The same pages, recipe and seed give the same bytes. Whatever is in a file that is read, the answer is a model
//! or an error.

use crate::atomic::AtomicFile;
use crate::classifier;
use crate::classifier::calibration::Sigmoid;
use crate::error::{Error, Result};
use crate::pipeline::{Fit, Pipeline, Recipe, TrainingSummary};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::Path;

/// What `format` says.
const FORMAT: &str = "threshr-model";
/// The version that is written. Every version since [`OLDEST_VERSION`] is read; each has a stored file in the tests.
pub const VERSION: u32 = 1;
/// The oldest version that is read.
pub const OLDEST_VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Contents {
    calibration: Sigmoid,
    classifier: ClassifierData,
    columns: Vec<String>,
    created_by: String,
    definitions: String,
    format: String,
    format_version: u32,
    recipe: Recipe,
    threshold: f32,
    training: TrainingSummary,
    /// What features learn from the training pages, by family: nothing yet.
    vocabularies: Map<String, Value>,
}

#[derive(Serialize, Deserialize)]
struct ClassifierData {
    data: Value,
    name: String,
}

/// The model as the bytes of its file.
///
/// # Errors
/// Where a number cannot be written.
pub fn to_bytes(pipeline: &Pipeline) -> Result<Vec<u8>> {
    let fit = pipeline.fit();
    let contents = Contents {
        calibration: fit.sigmoid.clone(),
        classifier: ClassifierData {
            data: fit.model.to_json(),
            name: pipeline.recipe().classifier.name.clone(),
        },
        columns: pipeline.columns().to_vec(),
        created_by: concat!("threshr ", env!("CARGO_PKG_VERSION")).to_owned(),
        definitions: pipeline.definitions_hash().to_owned(),
        format: FORMAT.to_owned(),
        format_version: VERSION,
        recipe: pipeline.recipe().clone(),
        threshold: fit.threshold,
        training: pipeline.summary().clone(),
        vocabularies: Map::new(),
    };
    let failed = |e: serde_json::Error| Error::model("the model cannot be written").because(e);
    let mut value = sorted(serde_json::to_value(&contents).map_err(failed)?);
    let checksum = checksum(&value).map_err(failed)?;
    if let Value::Object(map) = &mut value {
        map.insert("checksum".to_owned(), checksum.into());
    }
    let mut bytes = serde_json::to_vec(&sorted(value)).map_err(failed)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Writes a model file, whole or not at all.
///
/// # Errors
/// Where the file cannot be written.
pub fn save(pipeline: &Pipeline, path: &Path) -> Result<()> {
    let bytes = to_bytes(pipeline).map_err(|e| e.at_path(path))?;
    let mut file = AtomicFile::create(path)?;
    file.write_all(&bytes).map_err(|e| Error::io(path, e))?;
    file.finish()
}

/// Reads a model file.
///
/// # Errors
/// Where it is no model, damaged, of an unknown version, or was made with other columns than this version has.
pub fn load(path: &Path) -> Result<Pipeline> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    from_bytes(&bytes).map_err(|e| e.at_path(path))
}

/// The model that is compiled in: `models/default.json`.
///
/// # Errors
/// None, unless the library was built with a damaged file.
pub fn default_model() -> Result<Pipeline> {
    from_bytes(include_bytes!("../models/default.json")).map_err(|e| e.at_path("models/default.json"))
}

/// Reads the bytes of a model file.
///
/// # Errors
/// As [`load`].
pub fn from_bytes(bytes: &[u8]) -> Result<Pipeline> {
    let mut value: Value = serde_json::from_slice(bytes).map_err(|e| {
        Error::model(format!("this is no model file: {e}")).expected("the JSON that `threshr train` writes")
    })?;
    check_version(&value)?;
    let written = value.as_object_mut().and_then(|map| map.shift_remove("checksum"));
    let value = sorted(value);
    let found = checksum(&value).map_err(|e| Error::model("the checksum cannot be computed").because(e))?;
    if written.as_ref().and_then(Value::as_str) != Some(&found) {
        return Err(
            Error::model("the checksum is wrong: the file is damaged or was changed by hand").expected(found)
        );
    }
    let contents: Contents =
        serde_json::from_value(value).map_err(|e| Error::model(format!("the model cannot be read: {e}")))?;
    assemble(contents)
}

fn check_version(value: &Value) -> Result<()> {
    if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(Error::model("this is no model file").expected(format!("`format` to be `{FORMAT}`")));
    }
    match value.get("format_version").and_then(Value::as_u64) {
        Some(v) if (u64::from(OLDEST_VERSION)..=u64::from(VERSION)).contains(&v) => Ok(()),
        Some(v) => Err(Error::model(format!("the model file has version {v}"))
            .expected(format!("{OLDEST_VERSION} to {VERSION}; a newer threshr may read it"))),
        None => Err(Error::model("the model file has no `format_version`")),
    }
}

fn assemble(contents: Contents) -> Result<Pipeline> {
    let Contents { calibration, classifier, columns, recipe, threshold, training, definitions, .. } =
        contents;
    if !(0.0..=1.0).contains(&threshold)
        || !(calibration.a.is_finite() && calibration.a >= 0.0 && calibration.b.is_finite())
    {
        return Err(Error::model("threshold or calibration is no usable number"));
    }
    if classifier.name != recipe.classifier.name {
        return Err(Error::model(format!("the classifier is `{}`", classifier.name))
            .expected(format!("`{}`, as the recipe says", recipe.classifier.name)));
    }
    let model = (classifier::by_name(&classifier.name)?.load)(&classifier.data, columns.len())?;
    let fit = Fit { model, sigmoid: calibration, threshold, held_out: training.held_out.clone() };
    Pipeline::assemble(recipe, fit, training, &columns, &definitions)
}

fn checksum(value: &Value) -> serde_json::Result<String> {
    Ok(crate::hex(&Sha256::digest(serde_json::to_vec(value)?)))
}

/// The same value with the keys of every object sorted. serde_json reads at most 128 levels, so this may recurse.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().map(|(k, v)| (k, sorted(v))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}
