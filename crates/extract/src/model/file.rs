//! Model files: one JSON object with sorted keys, a version and a checksum, without code and time stamps.
//!
//! The same pages, recipe and seed give the same bytes. Any input gives a model or an error, never a panic.
//!
//! # How to change the format
//!
//! 1. Change `Contents`, and raise [`VERSION`]. `check_version` accepts this version alone until release 0.1; afterwards
//!    it accepts all versions since 0.1.
//! 2. Add a stored file and its prediction to `tests/suite/models/`, and its name to the test
//!    `stored_files_load_and_predict_what_they_did` in `tests/suite/model_files.rs`.
//! 3. Train the shipped models again (`models/README.md`), and bless `models/default.bin` and the golden files.

use crate::baseline::{SystemChoice, Systems, TrainedSystem};
use crate::correction::Corrections;
use crate::decision::{FAVORS, LearnedRules};
use crate::filters::FilterChoice;
use crate::model::{Fitted, Model, ParagraphClasses, Trained, TrainingSummary};
use crate::page_level::PageModels;
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::path::Path;
use threshr_core::{Error, Result};
use threshr_features::{Vocabularies, Vocabulary};
use threshr_models::calibration::Sigmoid;
use threshr_models::{self as models, FittedClassifier};

/// The value of `format`.
const FORMAT: &str = "threshr-model";
/// The version of the format. The tests contain a file of this version.
pub const VERSION: u32 = 1;

/// The classifier that predicts paragraph classes.
pub const PARAGRAPH_CLASSIFIER: &str = "tree";

/// Number of hexadecimal digits of a SHA-256.
const CHECKSUM_DIGITS: usize = 64;

#[derive(Serialize, Deserialize)]
struct Contents {
    calibration: Sigmoid,
    /// SHA-256 of the bytes of the file, with 64 zeros in place of this value.
    checksum: String,
    classifier: ClassifierData,
    columns: Vec<String>,
    /// The corrections of decision values, if there are any.
    #[serde(default, skip_serializing_if = "Corrections::is_empty")]
    corrections: Corrections,
    created_by: String,
    /// The tuned parameters of all decision rules.
    decisions: LearnedRules,
    definitions: String,
    format: String,
    format_version: u32,
    recipe: Recipe,
    /// The models of pages as a whole, if there are any.
    #[serde(default, skip_serializing_if = "PageModels::is_empty")]
    page_level: PageModels,
    /// The parameter of the rule of the recipe.
    threshold: f32,
    training: TrainingSummary,
    /// The classifiers of paragraph classes, if the gold has such classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paragraphs: Option<ParagraphData>,
    /// What learned features take from the training pages, by family.
    vocabularies: Vocabularies,
}

/// The data of the two classifiers of paragraph classes.
#[derive(Serialize, Deserialize)]
struct ParagraphData {
    heading: Value,
    list: Value,
}

#[derive(Serialize, Deserialize)]
struct ClassifierData {
    data: Value,
    name: String,
}

/// The file of a trained system.
#[derive(Serialize, Deserialize)]
struct SystemContents {
    checksum: String,
    created_by: String,
    format: String,
    format_version: u32,
    system: SystemData,
    training: TrainingSummary,
}

#[derive(Serialize, Deserialize)]
struct SystemData {
    /// The result of its training.
    data: Value,
    filter: String,
    name: String,
    /// All options with their values.
    settings: Value,
}

/// Writes a model as the bytes of a model file.
///
/// # Errors
/// If a number cannot be written as JSON.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>> {
    let fit = model.fitted();
    let contents = Contents {
        calibration: fit.sigmoid,
        checksum: "0".repeat(CHECKSUM_DIGITS),
        classifier: ClassifierData {
            data: fit.classifier.to_json(),
            name: model.recipe().classifier.name.clone(),
        },
        columns: model.columns().to_vec(),
        corrections: fit.corrections.clone(),
        created_by: concat!("threshr ", env!("CARGO_PKG_VERSION")).to_owned(),
        decisions: (*fit.learned).clone(),
        definitions: model.features().definitions_hash().to_owned(),
        format: FORMAT.to_owned(),
        format_version: VERSION,
        page_level: fit.page_level.clone(),
        recipe: model.recipe().clone(),
        threshold: fit.threshold,
        training: model.summary().clone(),
        paragraphs: fit
            .classes
            .as_ref()
            .map(|c| ParagraphData { heading: c.heading.to_json(), list: c.list.to_json() }),
        vocabularies: fit.vocabularies.clone(),
    };
    with_checksum(&contents)
}

/// Writes a trained system as the bytes of a model file.
///
/// # Errors
/// If a number cannot be written as JSON.
pub fn system_to_bytes(system: &TrainedSystem) -> Result<Vec<u8>> {
    let choice = system.choice();
    with_checksum(&SystemContents {
        checksum: "0".repeat(CHECKSUM_DIGITS),
        created_by: concat!("threshr ", env!("CARGO_PKG_VERSION")).to_owned(),
        format: FORMAT.to_owned(),
        format_version: VERSION,
        system: SystemData {
            data: system.data().clone(),
            filter: choice.filter().name(),
            name: choice.system().name.to_owned(),
            settings: choice.settings()?,
        },
        training: system.summary().clone(),
    })
}

/// The bytes of a file with its checksum.
fn with_checksum(contents: &impl Serialize) -> Result<Vec<u8>> {
    let failed = |e: serde_json::Error| Error::model("the model cannot be written").because(e);
    let value = sorted(serde_json::to_value(contents).map_err(failed)?);
    let mut bytes = serde_json::to_vec(&value).map_err(failed)?;
    bytes.push(b'\n');
    let place =
        checksum_range(&bytes).ok_or_else(|| Error::model("the checksum has no place in the file"))?;
    let checksum = checksum(&bytes, &place);
    bytes[place].copy_from_slice(checksum.as_bytes());
    Ok(bytes)
}

/// Reads a model file. `systems` are the known systems, for files of trained systems.
///
/// # Errors
/// [`ErrorKind::Model`](threshr_core::ErrorKind::Model) if it is not a model file, is damaged, has an unknown
/// version, or uses other column definitions than this version.
pub fn load(path: &Path, systems: &Systems) -> Result<Trained> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    from_bytes(&bytes, systems).map_err(|e| e.at_path(path))
}

/// Reads a recipe file, or the recipe inside a model file.
///
/// # Errors
/// If the file is neither.
pub fn load_recipe(path: &Path, systems: &Systems) -> Result<Recipe> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    if is_binary(&bytes) || bytes.trim_ascii_start().starts_with(b"{") {
        let model = from_bytes(&bytes, systems).and_then(Trained::into_model).map_err(|e| e.at_path(path))?;
        return Ok(model.recipe().clone());
    }
    let text = std::str::from_utf8(&bytes)
        .map_err(|e| Error::recipe("this is neither a recipe nor a model file").because(e).at_path(path))?;
    Recipe::from_toml(text).map_err(|e| e.at_path(path))
}

/// Reads the bytes of a model file, in either form.
///
/// # Errors
/// As [`load`].
pub fn from_bytes(bytes: &[u8], systems: &Systems) -> Result<Trained> {
    if is_binary(bytes) {
        return from_bytes(&json_of_binary(bytes)?, systems);
    }
    // the usual file; without a tree of values, which takes most of the time of reading
    if let Ok(contents) = serde_json::from_slice::<Contents>(bytes) {
        check_version(Some(&contents.format), Some(contents.format_version.into()))?;
        check_sum(bytes)?;
        return Ok(Trained::Model(Box::new(assemble(contents)?)));
    }
    let value: Value = serde_json::from_slice(bytes).map_err(|e| {
        Error::model(format!("this is not a model file: {e}"))
            .expected("the JSON of a trained model or system")
    })?;
    let field = |name| value.get(name);
    check_version(field("format").and_then(Value::as_str), field("format_version").and_then(Value::as_u64))?;
    check_sum(bytes)?;
    let failed = |e: serde_json::Error| Error::model(format!("the model cannot be read: {e}"));
    if field("system").is_none() {
        let contents: Contents = serde_json::from_value(value).map_err(failed)?;
        return Ok(Trained::Model(Box::new(assemble(contents)?)));
    }
    let contents: SystemContents = serde_json::from_value(value).map_err(failed)?;
    Ok(Trained::System(Box::new(assemble_system(contents, systems)?)))
}

/// The binary form of a model file: the same values as MessagePack, which [`from_binary`] reads without parsing text.
///
/// # Errors
/// Those of [`from_bytes`], and if it is the file of a trained system.
pub fn to_binary(bytes: &[u8]) -> Result<Vec<u8>> {
    from_bytes(bytes, &Systems::default())?.into_model()?;
    let value: Value =
        serde_json::from_slice(bytes).map_err(|e| Error::model(format!("this is not a model file: {e}")))?;
    rmp_serde::to_vec(&value)
        .map_err(|e| Error::model("the binary form of a model cannot be written").because(e))
}

/// Whether bytes begin as [`to_binary`] writes them: with a map of MessagePack, which no text begins with.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|byte| matches!(byte, 0x80..=0x8f | 0xde | 0xdf))
}

/// The model file in JSON whose binary form this is. Its checksum is that of the bytes returned.
fn json_of_binary(bytes: &[u8]) -> Result<Vec<u8>> {
    let value: Value = rmp_serde::from_slice(bytes)
        .map_err(|e| Error::model(format!("the binary form of a model cannot be read: {e}")))?;
    let mut json =
        serde_json::to_vec(&value).map_err(|e| Error::model("the model cannot be read").because(e))?;
    json.push(b'\n');
    Ok(json)
}

/// Reads a model in the form of [`to_binary`]. Its checksum is that of the model file in JSON. It is not compared,
/// because the program reads such bytes at each start.
///
/// # Errors
/// [`ErrorKind::Model`](threshr_core::ErrorKind::Model) if the bytes are damaged, or the model uses other column
/// definitions than this version.
pub fn from_binary(bytes: &[u8]) -> Result<Model> {
    let contents: Contents = rmp_serde::from_slice(bytes)
        .map_err(|e| Error::model(format!("the binary form of a model cannot be read: {e}")))?;
    check_version(Some(&contents.format), Some(contents.format_version.into()))?;
    assemble(contents)
}

fn check_sum(bytes: &[u8]) -> Result<()> {
    let place = checksum_range(bytes).ok_or_else(|| Error::model("the model file has no checksum"))?;
    if checksum(bytes, &place).as_bytes() != &bytes[place] {
        return Err(Error::model("wrong checksum: the file is damaged or was edited"));
    }
    Ok(())
}

fn assemble_system(contents: SystemContents, systems: &Systems) -> Result<TrainedSystem> {
    let SystemData { data, filter, name, settings } = contents.system;
    let text = if FilterChoice::parse(&filter)?.is_none() { name } else { format!("{name}+{filter}") };
    let mut choice = SystemChoice::parse(&text, systems)?;
    choice.set_all(&settings)?;
    TrainedSystem::assemble(choice, data, contents.training)
}

fn check_version(format: Option<&str>, version: Option<u64>) -> Result<()> {
    if format != Some(FORMAT) {
        return Err(Error::model("this is not a model file").expected(format!("`format` to be `{FORMAT}`")));
    }
    match version {
        Some(v) if v == u64::from(VERSION) => Ok(()),
        Some(v) => Err(Error::model(format!("the model file has version {v}"))
            .expected(format!("version {VERSION}; another release of threshr may read it"))),
        None => Err(Error::model("the model file has no `format_version`")),
    }
}

fn assemble(contents: Contents) -> Result<Model> {
    let Contents {
        calibration,
        classifier,
        columns,
        corrections,
        decisions,
        recipe,
        threshold,
        training,
        definitions,
        page_level,
        ..
    } = contents;
    let is_share = |number: f32| (0.0..=1.0).contains(&number);
    let are_shares = decisions.values().all(|l| FAVORS.into_iter().all(|f| is_share(l.parameter(f))));
    if !is_usable(&calibration) || !are_shares || !is_share(threshold) {
        return Err(Error::model("the threshold, a decision parameter or the calibration is out of range"));
    }
    if !contents.vocabularies.values().all(Vocabulary::is_sound) {
        return Err(Error::model("a vocabulary contains a number that is not finite"));
    }
    let classifier = load_classifier(&classifier, &recipe, columns.len())?;
    let tree = |data: &Value| models::load(PARAGRAPH_CLASSIFIER, data, columns.len());
    let both = |p: &ParagraphData| Ok(ParagraphClasses { heading: tree(&p.heading)?, list: tree(&p.list)? });
    let classes = contents.paragraphs.as_ref().map(both).transpose()?;
    page_level.check()?;
    corrections.check()?;
    let held_out = training.held_out.clone();
    let vocabularies = contents.vocabularies;
    let filter = FilterChoice::parse(&recipe.decision.filter)?;
    let fitted = Fitted {
        filter,
        vocabularies,
        classifier,
        corrections,
        sigmoid: calibration,
        threshold,
        learned: decisions.into(),
        held_out,
        classes,
        page_level,
    };
    Model::assemble(recipe, fitted, training, &columns, &definitions, contents.checksum)
}

fn is_usable(calibration: &Sigmoid) -> bool {
    calibration.a.is_finite() && calibration.a >= 0.0 && calibration.b.is_finite()
}

fn load_classifier(
    data: &ClassifierData,
    recipe: &Recipe,
    width: usize,
) -> Result<Box<dyn FittedClassifier>> {
    if data.name != recipe.classifier.name {
        return Err(Error::model(format!("the classifier is `{}`", data.name))
            .expected(format!("`{}`, as the recipe says", recipe.classifier.name)));
    }
    models::load(&data.name, &data.data, width)
}

/// The range of the digits of the checksum. Keys are sorted, so no earlier value can contain the same text.
fn checksum_range(bytes: &[u8]) -> Option<Range<usize>> {
    const KEY: &[u8] = b"\"checksum\":\"";
    let start = memchr::memmem::find(bytes, KEY)? + KEY.len();
    let place = start..start + CHECKSUM_DIGITS;
    bytes.get(place.clone())?.iter().all(u8::is_ascii_hexdigit).then_some(place)
}

fn checksum(bytes: &[u8], place: &Range<usize>) -> String {
    let mut hash = Sha256::new();
    hash.update(&bytes[..place.start]);
    hash.update([b'0'; CHECKSUM_DIGITS]);
    hash.update(&bytes[place.end..]);
    threshr_core::hex(&hash.finalize())
}

/// Sorts the keys of all objects. serde_json reads at most 128 levels, so recursion is safe.
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
