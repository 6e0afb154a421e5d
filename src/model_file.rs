//! Model files: one JSON object with sorted keys, versioned, checked, without code and without time stamps.
//!
//! The same pages, recipe and seed give the same bytes. Whatever is in a file that is read, the answer is a model
//! or an error.

use crate::atomic::AtomicFile;
use crate::classifier::calibration::Sigmoid;
use crate::classifier::{self, Model};
use crate::decision::{FAVORS, LearnedRules};
use crate::error::{Error, Result};
use crate::features::{Vocabularies, Vocabulary};
use crate::filter::FilterChoice;
use crate::pipeline::{
    ClassModels, ClassifierRecipe, Fit, PARAGRAPH_CLASSIFIER, Pipeline, Recipe, SecondPass, TrainingSummary,
};
use crate::rescore;
use crate::systems::{SystemChoice, Trained, TrainedSystem};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// What `format` says.
const FORMAT: &str = "threshr-model";
/// The version that models are written in. Every version since [`OLDEST_VERSION`] is read; each has a stored file in
/// the tests.
pub const VERSION: u32 = 2;
/// The version that trained systems are written in, which came with them.
pub const SYSTEM_VERSION: u32 = 3;
/// The oldest version that is read.
pub const OLDEST_VERSION: u32 = 1;

/// Hexadecimal digits of a SHA-256.
const CHECKSUM_DIGITS: usize = 64;

#[derive(Serialize, Deserialize)]
struct Contents {
    calibration: Sigmoid,
    /// SHA-256 of the file's bytes with 64 zeros in place of this.
    checksum: String,
    classifier: ClassifierData,
    columns: Vec<String>,
    created_by: String,
    /// The numbers of every decision rule; not in files of before there were several.
    #[serde(default, skip_serializing_if = "LearnedRules::is_empty")]
    decisions: LearnedRules,
    definitions: String,
    format: String,
    format_version: u32,
    recipe: Recipe,
    /// The number of the recipe's rule.
    threshold: f32,
    training: TrainingSummary,
    /// What tells classes of paragraphs apart, where the gold had them; since version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paragraphs: Option<ParagraphData>,
    /// The second pass, where there is one; since version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    second: Option<SecondData>,
    /// What features learned from the training pages, by family; empty in version 1.
    vocabularies: Vocabularies,
}

/// Data of trees.
#[derive(Serialize, Deserialize)]
struct ParagraphData {
    heading: Value,
    list: Value,
}

#[derive(Serialize, Deserialize)]
struct SecondData {
    calibration: Sigmoid,
    classifier: ClassifierData,
    columns: Vec<String>,
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
    /// What it learned.
    data: Value,
    filter: String,
    name: String,
    /// All its options.
    settings: Value,
}

/// The model as the bytes of its file.
///
/// # Errors
/// Where a number cannot be written.
pub fn to_bytes(pipeline: &Pipeline) -> Result<Vec<u8>> {
    let fit = pipeline.fit();
    let contents = Contents {
        calibration: fit.sigmoid,
        checksum: "0".repeat(CHECKSUM_DIGITS),
        classifier: ClassifierData {
            data: fit.model.to_json(),
            name: pipeline.recipe().classifier.name.clone(),
        },
        columns: pipeline.columns().to_vec(),
        created_by: concat!("threshr ", env!("CARGO_PKG_VERSION")).to_owned(),
        decisions: (*fit.learned).clone(),
        definitions: pipeline.definitions_hash().to_owned(),
        format: FORMAT.to_owned(),
        format_version: VERSION,
        recipe: pipeline.recipe().clone(),
        threshold: fit.threshold,
        training: pipeline.summary().clone(),
        paragraphs: fit
            .classes
            .as_ref()
            .map(|c| ParagraphData { heading: c.heading.to_json(), list: c.list.to_json() }),
        second: second_data(pipeline),
        vocabularies: fit.vocabularies.clone(),
    };
    signed(&contents)
}

/// A trained system as the bytes of its file.
///
/// # Errors
/// Where a number cannot be written.
pub fn system_to_bytes(system: &TrainedSystem) -> Result<Vec<u8>> {
    let choice = system.choice();
    signed(&SystemContents {
        checksum: "0".repeat(CHECKSUM_DIGITS),
        created_by: concat!("threshr ", env!("CARGO_PKG_VERSION")).to_owned(),
        format: FORMAT.to_owned(),
        format_version: SYSTEM_VERSION,
        system: SystemData {
            data: system.data().clone(),
            filter: choice.filter().name(),
            name: choice.system().name.to_owned(),
            settings: choice.settings()?,
        },
        training: system.summary().clone(),
    })
}

/// The bytes of a file, with its checksum in place.
fn signed(contents: &impl Serialize) -> Result<Vec<u8>> {
    let failed = |e: serde_json::Error| Error::model("the model cannot be written").because(e);
    let value = sorted(serde_json::to_value(contents).map_err(failed)?);
    let mut bytes = serde_json::to_vec(&value).map_err(failed)?;
    bytes.push(b'\n');
    let place =
        checksum_place(&bytes).ok_or_else(|| Error::model("the checksum has no place in the file"))?;
    let checksum = checksum(&bytes, &place);
    bytes[place].copy_from_slice(checksum.as_bytes());
    Ok(bytes)
}

fn second_data(pipeline: &Pipeline) -> Option<SecondData> {
    let (second, recipe) = (pipeline.fit().second.as_ref()?, pipeline.recipe().rescore.as_ref()?);
    let columns = rescore::COLUMNS.iter().map(|c| (*c).to_owned()).collect();
    let classifier = ClassifierData { data: second.model.to_json(), name: recipe.name.clone() };
    Some(SecondData { calibration: second.sigmoid, classifier, columns })
}

/// Writes a model file, whole or not at all.
///
/// # Errors
/// Where the file cannot be written.
pub fn save(pipeline: &Pipeline, path: &Path) -> Result<()> {
    write(&to_bytes(pipeline).map_err(|e| e.at_path(path))?, path)
}

/// Writes the file of a trained system, whole or not at all.
///
/// # Errors
/// Where the file cannot be written.
pub fn save_system(system: &TrainedSystem, path: &Path) -> Result<()> {
    write(&system_to_bytes(system).map_err(|e| e.at_path(path))?, path)
}

fn write(bytes: &[u8], path: &Path) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|e| Error::io(path, e))?;
    file.finish()
}

/// Reads a model file.
///
/// # Errors
/// Where it is no model, damaged, of an unknown version, or was made with other columns than this version has; where it
/// holds a trained system.
pub fn load(path: &Path) -> Result<Pipeline> {
    load_trained(path)?.into_model().map_err(|e| e.at_path(path))
}

/// Reads a file that holds a model or a trained system.
///
/// # Errors
/// As [`load`].
pub fn load_trained(path: &Path) -> Result<Trained> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    trained_from_bytes(&bytes).map_err(|e| e.at_path(path))
}

/// Reads a recipe file, or the recipe inside a model file.
///
/// # Errors
/// Where the file is neither.
pub fn load_recipe(path: &Path) -> Result<Recipe> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
    if text.trim_start().starts_with('{') {
        return Ok(load(path)?.recipe().clone());
    }
    Recipe::from_toml(&text).map_err(|e| e.at_path(path))
}

/// The model that is compiled in: `models/default.json`.
///
/// # Errors
/// None, unless the library was built with a damaged file.
pub fn default_model() -> Result<Pipeline> {
    from_bytes(include_bytes!("../models/default.json")).map_err(|e| e.at_path("models/default.json"))
}

/// Reads the bytes of a file that holds a model.
///
/// # Errors
/// As [`load`].
pub fn from_bytes(bytes: &[u8]) -> Result<Pipeline> {
    trained_from_bytes(bytes)?.into_model()
}

/// Reads the bytes of a file that holds a model or a trained system.
///
/// # Errors
/// As [`load`].
pub fn trained_from_bytes(bytes: &[u8]) -> Result<Trained> {
    let value: Value = serde_json::from_slice(bytes).map_err(|e| {
        Error::model(format!("this is no model file: {e}")).expected("the JSON that `threshr train` writes")
    })?;
    check_version(&value)?;
    let place = checksum_place(bytes).ok_or_else(|| Error::model("the model file has no checksum"))?;
    if checksum(bytes, &place).as_bytes() != &bytes[place] {
        return Err(Error::model("the checksum is wrong: the file is damaged or was changed by hand"));
    }
    let failed = |e: serde_json::Error| Error::model(format!("the model cannot be read: {e}"));
    if value.get("system").is_some() {
        let contents: SystemContents = serde_json::from_value(value).map_err(failed)?;
        return Ok(Trained::System(Box::new(assemble_system(contents)?)));
    }
    let contents: Contents = serde_json::from_value(value).map_err(failed)?;
    let checksum = contents.checksum.clone();
    let mut pipeline = assemble(contents)?;
    pipeline.checksum = Some(checksum);
    Ok(Trained::Model(Box::new(pipeline)))
}

fn assemble_system(contents: SystemContents) -> Result<TrainedSystem> {
    let SystemData { data, filter, name, settings } = contents.system;
    let text = if FilterChoice::parse(&filter)?.is_none() { name } else { format!("{name}+{filter}") };
    let mut choice = SystemChoice::parse(&text)?;
    choice.set_all(&settings)?;
    TrainedSystem::assemble(choice, data, contents.training)
}

fn check_version(value: &Value) -> Result<()> {
    if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(Error::model("this is no model file").expected(format!("`format` to be `{FORMAT}`")));
    }
    match value.get("format_version").and_then(Value::as_u64) {
        Some(v) if (u64::from(OLDEST_VERSION)..=u64::from(SYSTEM_VERSION)).contains(&v) => Ok(()),
        Some(v) => Err(Error::model(format!("the model file has version {v}"))
            .expected(format!("{OLDEST_VERSION} to {SYSTEM_VERSION}; a newer threshr may read it"))),
        None => Err(Error::model("the model file has no `format_version`")),
    }
}

fn assemble(contents: Contents) -> Result<Pipeline> {
    let Contents {
        calibration,
        classifier,
        columns,
        decisions,
        recipe,
        threshold,
        training,
        definitions,
        ..
    } = contents;
    let is_share = |number: f32| (0.0..=1.0).contains(&number);
    let decided = decisions.values().all(|l| FAVORS.into_iter().all(|f| is_share(l.number(f))));
    if !usable(&calibration) || !decided || !is_share(threshold) {
        return Err(Error::model("threshold or calibration is no usable number"));
    }
    let second = second_pass(contents.second, recipe.rescore.as_ref(), columns.len())?;
    if !contents.vocabularies.values().all(Vocabulary::is_sound) {
        return Err(Error::model("a vocabulary holds what is no finite number"));
    }
    let model = load_classifier(&classifier, &recipe.classifier, columns.len())?;
    let tree = |data: &Value| (PARAGRAPH_CLASSIFIER.load)(data, columns.len());
    let both = |p: &ParagraphData| Ok(ClassModels { heading: tree(&p.heading)?, list: tree(&p.list)? });
    let classes = contents.paragraphs.as_ref().map(both).transpose()?;
    let held_out = training.held_out.clone();
    let vocabularies = contents.vocabularies;
    let filter = FilterChoice::parse(&recipe.decision.filter)?;
    let fit = Fit {
        filter,
        vocabularies,
        model,
        sigmoid: calibration,
        second,
        threshold,
        learned: decisions.into(),
        held_out,
        classes,
    };
    Pipeline::assemble(recipe, fit, training, &columns, &definitions)
}

fn usable(calibration: &Sigmoid) -> bool {
    calibration.a.is_finite() && calibration.a >= 0.0 && calibration.b.is_finite()
}

fn load_classifier(data: &ClassifierData, recipe: &ClassifierRecipe, width: usize) -> Result<Box<dyn Model>> {
    if data.name != recipe.name {
        return Err(Error::model(format!("the classifier is `{}`", data.name))
            .expected(format!("`{}`, as the recipe says", recipe.name)));
    }
    (classifier::by_name(&data.name)?.load)(&data.data, width)
}

fn second_pass(
    data: Option<SecondData>,
    recipe: Option<&ClassifierRecipe>,
    num_columns: usize,
) -> Result<Option<SecondPass>> {
    let (data, recipe) = match (data, recipe) {
        (None, None) => return Ok(None),
        (Some(data), Some(recipe)) => (data, recipe),
        _ => return Err(Error::model("the recipe and the model differ in whether there is a second pass")),
    };
    if data.columns != rescore::COLUMNS {
        return Err(Error::model("the second pass has other columns than this version"));
    }
    if !usable(&data.calibration) {
        return Err(Error::model("the calibration of the second pass is no usable number"));
    }
    let model = load_classifier(&data.classifier, recipe, num_columns + data.columns.len())?;
    Ok(Some(SecondPass { model, sigmoid: data.calibration }))
}

/// Where the digits of the checksum stand. Keys are sorted, so nothing before it can hold the same text.
fn checksum_place(bytes: &[u8]) -> Option<Range<usize>> {
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
    crate::hex(&hash.finalize())
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
