//! Model files: one JSON object with sorted keys, a version and a checksum. It contains no code and no time stamps.
//!
//! The same pages, recipe and seed give the same bytes. Reading any input returns a model or an error and never
//! panics.
//!
//! # How to change the format
//!
//! 1. Change `Contents`, and increase [`VERSION`]. Until release 0.1, `check_version` accepts only this
//!    version. After release 0.1, it must accept all versions since 0.1.
//! 2. Add a stored file and its prediction to `tests/suite/models/`, and its name to the test
//!    `stored_files_load_and_predict_what_they_did` in `tests/suite/model_files.rs`.
//! 3. Train the shipped models again (`models/README.md`), and bless `models/default.bin` and the golden files.

use crate::baseline::{SystemChoice, Systems, TrainedSystem};
use crate::correction::Corrections;
use crate::decision::{FAVORS, LearnedRules};
use crate::filters::FilterChoice;
use crate::model::{Fitted, Known, Model, ParagraphClasses, Trained, TrainingSummary};
use crate::recipe::Recipe;
use crate::type_and_quality::PageModels;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::path::Path;
use threshr_core::{Error, Result};
use threshr_features::{Vocabularies, Vocabulary};
use threshr_models::calibration::Sigmoid;
use threshr_models::registry::Kinds;
use threshr_models::{self as models, FittedClassifier};

/// Value of the key `format`.
const FORMAT: &str = "threshr-model";
/// Version of the file format. The tests contain a file of this version.
pub const VERSION: u32 = 1;

/// Kind of the classifiers that predict paragraph classes.
pub const PARAGRAPH_CLASSIFIER: &str = "tree";

/// Number of hexadecimal digits of a SHA-256 hash.
const CHECKSUM_DIGITS: usize = 64;

#[derive(Serialize, Deserialize)]
struct Contents {
    calibration: Sigmoid,
    /// SHA-256 of the file, computed with 64 zeros in place of this value.
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
    /// The models of page type and quality, if there are any.
    #[serde(default, skip_serializing_if = "PageModels::is_empty")]
    #[serde(rename = "page_level")]
    type_and_quality: PageModels,
    /// The tuned parameter of the recipe's decision rule.
    threshold: f32,
    training: TrainingSummary,
    /// The classifiers of paragraph classes, if the gold standard has such classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paragraphs: Option<ParagraphData>,
    /// The vocabularies that learned features take from the training pages, by family. Read by [`Stored`].
    #[serde(skip_deserializing)]
    vocabularies: Vocabularies,
}

/// A model file as it is read. The vocabularies have thousands of terms and are read directly. The other
/// parts are first read as a tree of values, so that the code for their many structures is compiled for one
/// format only.
#[derive(Deserialize)]
struct Stored {
    vocabularies: Option<Vocabularies>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Stored {
    fn check_version(&self) -> Result<()> {
        let format = self.rest.get("format").and_then(Value::as_str);
        if format != Some(FORMAT) {
            return Err(
                Error::model("this is not a model file").expected(format!("`format` to be `{FORMAT}`"))
            );
        }
        match self.rest.get("format_version").and_then(Value::as_u64) {
            Some(v) if v == u64::from(VERSION) => Ok(()),
            Some(v) => Err(Error::model(format!("the model file has version {v}"))
                .expected(format!("version {VERSION}; another release of threshr may be able to read it"))),
            None => Err(Error::model("the model file has no `format_version`")),
        }
    }

    fn model(self, known: &Known) -> Result<Model> {
        let vocabularies =
            self.vocabularies.ok_or_else(|| Error::model("the model file has no `vocabularies`"))?;
        let contents: Contents = read(self.rest)?;
        assemble(Contents { vocabularies, ..contents }, known)
    }
}

/// The data of the two classifiers for paragraph classes.
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
    /// The result of the training.
    data: Value,
    filter: String,
    name: String,
    /// All options with their values.
    settings: Value,
}

/// Serializes a model as a model file.
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
        type_and_quality: fit.type_and_quality.clone(),
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

/// Serializes a trained system as a model file.
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

/// Serializes the contents and fills in the checksum.
fn with_checksum(contents: &impl Serialize) -> Result<Vec<u8>> {
    let failed = |e: serde_json::Error| Error::model("the model cannot be written").because(e);
    let mut value = serde_json::to_value(contents).map_err(failed)?;
    value.sort_all_objects();
    let mut bytes = serde_json::to_vec(&value).map_err(failed)?;
    bytes.push(b'\n');
    let place =
        checksum_range(&bytes).ok_or_else(|| Error::model("the file has no field for the checksum"))?;
    let checksum = checksum(&bytes, &place);
    bytes[place].copy_from_slice(checksum.as_bytes());
    Ok(bytes)
}

/// Reads a model file. The families, classifiers and systems that it refers to must be in `known`.
///
/// # Errors
/// [`ErrorKind::Model`](threshr_core::ErrorKind::Model) if it is not a model file, is corrupt, has an unknown
/// version, or was trained with other column definitions than those of this version.
pub fn load(path: &Path, known: &Known) -> Result<Trained> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    from_bytes(&bytes, known).map_err(|e| e.at_path(path))
}

/// Reads a recipe file, or the recipe inside a model file.
///
/// # Errors
/// If the file is neither.
pub fn load_recipe(path: &Path, known: &Known) -> Result<Recipe> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    if is_binary(&bytes) || bytes.trim_ascii_start().starts_with(b"{") {
        let model = from_bytes(&bytes, known).and_then(Trained::into_model).map_err(|e| e.at_path(path))?;
        return Ok(model.recipe().clone());
    }
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        Error::invalid_option("this is neither a recipe nor a model file").because(e).at_path(path)
    })?;
    Recipe::from_toml(text).map_err(|e| e.at_path(path))
}

/// Reads a model file in JSON or in the binary format from its bytes.
///
/// # Errors
/// Returns the errors of [`load`].
pub fn from_bytes(bytes: &[u8], known: &Known) -> Result<Trained> {
    if is_binary(bytes) {
        return from_bytes(&json_of_binary(bytes)?, known);
    }
    let stored: Stored = serde_json::from_slice(bytes).map_err(|e| {
        Error::model(format!("this is not a model file: {e}"))
            .expected("the JSON of a trained model or system")
    })?;
    stored.check_version()?;
    check_sum(bytes)?;
    if !stored.rest.contains_key("system") {
        return Ok(Trained::Model(Box::new(stored.model(known)?)));
    }
    Ok(Trained::System(Box::new(assemble_system(read(stored.rest)?, &known.systems)?)))
}

/// Converts a model file to the binary format: the same values as MessagePack, which [`from_binary`] reads
/// without parsing text.
///
/// # Errors
/// Returns the errors of [`from_bytes`], and an error if the file contains a trained system.
pub fn to_binary(bytes: &[u8]) -> Result<Vec<u8>> {
    from_bytes(bytes, &Known::default())?.into_model()?;
    let value: Value =
        serde_json::from_slice(bytes).map_err(|e| Error::model(format!("this is not a model file: {e}")))?;
    rmp_serde::to_vec(&value)
        .map_err(|e| Error::model("the model cannot be written in the binary format").because(e))
}

/// Returns whether the bytes are in the binary format of [`to_binary`], which begins with a MessagePack map.
/// No text begins with these bytes.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|byte| matches!(byte, 0x80..=0x8f | 0xde | 0xdf))
}

/// Converts the binary format back to the JSON model file, for which the stored checksum is valid.
fn json_of_binary(bytes: &[u8]) -> Result<Vec<u8>> {
    let value: Value = rmp_serde::from_slice(bytes)
        .map_err(|e| Error::model(format!("the binary model file cannot be read: {e}")))?;
    let mut json =
        serde_json::to_vec(&value).map_err(|e| Error::model("the model cannot be read").because(e))?;
    json.push(b'\n');
    Ok(json)
}

/// Reads a model in the binary format of [`to_binary`]. The stored checksum is that of the JSON file. It is
/// not verified, to save time, because the program reads a binary model at each start.
///
/// # Errors
/// [`ErrorKind::Model`](threshr_core::ErrorKind::Model) if the bytes are corrupt, or the model uses other column
/// definitions than this version.
pub fn from_binary(bytes: &[u8]) -> Result<Model> {
    let stored: Stored = rmp_serde::from_slice(bytes)
        .map_err(|e| Error::model(format!("the binary model file cannot be read: {e}")))?;
    stored.check_version()?;
    stored.model(&Known::default())
}

fn read<T: DeserializeOwned>(values: Map<String, Value>) -> Result<T> {
    serde_json::from_value(Value::Object(values))
        .map_err(|e| Error::model(format!("the model cannot be read: {e}")))
}

fn check_sum(bytes: &[u8]) -> Result<()> {
    let place = checksum_range(bytes).ok_or_else(|| Error::model("the model file has no checksum"))?;
    if checksum(bytes, &place).as_bytes() != &bytes[place] {
        return Err(Error::model("the checksum is wrong: the model file is truncated or was changed")
            .expected("a model file as `threshr` wrote it"));
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

fn assemble(contents: Contents, known: &Known) -> Result<Model> {
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
        type_and_quality,
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
    let classifier = load_classifier(&classifier, &recipe, &known.kinds, columns.len())?;
    let tree = |data: &Value| models::load(PARAGRAPH_CLASSIFIER, data, columns.len());
    let both = |p: &ParagraphData| Ok(ParagraphClasses { heading: tree(&p.heading)?, list: tree(&p.list)? });
    let classes = contents.paragraphs.as_ref().map(both).transpose()?;
    type_and_quality.check()?;
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
        type_and_quality,
    };
    let features = known.families.with_columns(&columns)?;
    Model::assemble(recipe, fitted, training, features, &definitions, contents.checksum)
}

fn is_usable(calibration: &Sigmoid) -> bool {
    calibration.a.is_finite() && calibration.a >= 0.0 && calibration.b.is_finite()
}

fn load_classifier(
    data: &ClassifierData,
    recipe: &Recipe,
    kinds: &Kinds,
    width: usize,
) -> Result<Box<dyn FittedClassifier>> {
    if data.name != recipe.classifier.name {
        return Err(Error::model(format!("the classifier is `{}`", data.name))
            .expected(format!("`{}`, as the recipe says", recipe.classifier.name)));
    }
    kinds.load(&data.name, &data.data, width)
}

/// Returns the byte range of the checksum digits. Keys are sorted, so no earlier value can contain the same
/// text.
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
