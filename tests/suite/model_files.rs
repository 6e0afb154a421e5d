//! Model files: a saved model is loaded unchanged, and a modified file does no harm.

use crate::support::{output, repository, sample, threshr};
use sha2::{Digest, Sha256};
use threshr_core::progress::Quiet;
use threshr_core::{Budget, Result};
use threshr_extract::RawExtraction;
use threshr_extract::model::{Trained, file};
use threshr_extract::{Extractor, Input, Model, Options, Recipe};
use threshr_features::Families;
use threshr_sets::gold::{DataSet, ReadOptions};
use threshr_train::{Corpus, Needs, train};

fn sets() -> [DataSet; 1] {
    [DataSet::open(&sample(), &ReadOptions::default()).expect("opened")]
}

fn trained(classifier: &str) -> Model {
    let mut recipe = Recipe::default();
    recipe.features.set = "shallow+density+group".into();
    recipe.classifier.name = classifier.into();
    let features = recipe.feature_set(&Families::default()).expect("a set");
    let corpus = Corpus::read(&sets(), &recipe, Some(&features), Needs::default(), &Quiet).expect("read");
    train(corpus, &recipe, &threshr::registries().classifiers, &Quiet).expect("trained")
}

/// Trains a model with all optional content of model files: learned vocabularies, policies, augmentation.
fn trained_with_all() -> Model {
    let recipe = "features.set = 'all'\nfeatures.neighbours = [1]\npolicy.vary = true\n\
        classifier = { name = 'gbt', params = { rounds = 5 } }\n\
        augmentation = { without_attributes = 0.3, insert_comments = 0.5, insert_stories = 0.3 }\n\
        decision = { rule = 'expected-f1', filter = 'repeats' }\npolicy.sets = { sample = 'main+title' }";
    let recipe = Recipe::from_toml(recipe).expect("a recipe");
    let features = recipe.feature_set(&Families::default()).expect("a set");
    let corpus = Corpus::read_to_train(&sets(), &recipe, &features, None, &Quiet).expect("read");
    train(corpus, &recipe, &threshr::registries().classifiers, &Quiet).expect("trained")
}

fn from_bytes(bytes: &[u8]) -> Result<Model> {
    file::from_bytes(bytes, &threshr::registries().known()).and_then(Trained::into_model)
}

fn bytes(model: &Model) -> Vec<u8> {
    file::to_bytes(model).expect("written")
}

fn scores(model: Model) -> Vec<u32> {
    let html = std::fs::read(sample().join("pages/4565.html")).expect("read");
    let extractor = Extractor::new(Trained::Model(Box::new(model)), Options::default());
    let input = Input { bytes: &html, ..Input::default() };
    let extraction = extractor.extract(&input, &Budget::UNLIMITED).expect("extracted");
    extraction.labels().scores.iter().map(|s| s.to_bits()).collect()
}

/// Sets the correct checksum of a modified model file.
fn with_checksum(text: &str) -> Vec<u8> {
    const KEY: &str = "\"checksum\":\"";
    let start = text.find(KEY).expect("a checksum") + KEY.len();
    let zeros = [&text[..start], &"0".repeat(64), &text[start + 64..]].concat();
    let hash = threshr_core::hex(&Sha256::digest(&zeros));
    [&text[..start], &hash, &text[start + 64..]].concat().into_bytes()
}

#[test]
fn an_unknown_key_of_a_recipe_is_named() {
    let cascade = "cascade = { columns = 'shallow' }";
    let error = Recipe::from_toml(cascade).expect_err("an unknown key").to_string();
    assert!(error.contains("`cascade`"), "{error}");
    let text = String::from_utf8(bytes(&trained("tree"))).expect("UTF-8");
    assert!(from_bytes(&with_checksum(&text)).is_ok());
    let with_key = text.replacen("\"recipe\":{", "\"recipe\":{\"cascade\":{\"columns\":\"shallow\"},", 1);
    let error = from_bytes(&with_checksum(&with_key)).expect_err("an unknown key").to_string();
    assert!(error.contains("`cascade`"), "{error}");
}

#[test]
fn a_loaded_model_predicts_the_same_bits() {
    for name in ["tree", "svm-rff", "logistic", "all"] {
        let model = match name {
            "all" => trained_with_all(),
            name => trained(name),
        };
        let written = bytes(&model);
        let loaded = from_bytes(&written).expect("read");
        assert!(bytes(&loaded) == written, "{name}");
        assert_eq!(scores(model), scores(loaded), "{name}");
    }
}

/// Files of the shipped models.
const SHIPPED: [&str; 4] = ["default.bin", "cleaneval.json", "fast.bin", "tiny.json"];

/// A new feature family must not change the models that the shipped recipes train.
#[test]
fn shipped_recipes_give_the_columns_of_the_shipped_models() {
    for file in SHIPPED {
        let path = repository(&format!("models/{file}"));
        let recipe = std::fs::read_to_string(path.with_extension("toml")).expect("a recipe");
        let recipe = Recipe::from_toml(&recipe).expect("a recipe");
        let model = from_bytes(&std::fs::read(path).expect("a model")).expect("read");
        assert_eq!(
            recipe.feature_set(&Families::default()).expect("a set").names()[..],
            *model.columns(),
            "the recipe of models/{file}: remove new families from the feature set (`-NAME`)"
        );
    }
}

#[test]
fn what_is_kept_of_a_page_does_not_change_what_is_learned() {
    let lean = trained_with_all();
    let recipe = lean.recipe().clone();
    let features = recipe.feature_set(&Families::default()).expect("a set");
    let corpus = Corpus::read(&sets(), &recipe, Some(&features), Needs::default(), &Quiet).expect("read");
    let model = train(corpus, &recipe, &threshr::registries().classifiers, &Quiet).expect("trained");
    assert!(bytes(&model) == bytes(&lean));
}

#[test]
fn stored_files_load_and_predict_what_they_did() {
    for name in ["model", "system"] {
        let model = repository(&format!("tests/suite/models/{name}.json"));
        let blocks = output(
            threshr()
                .args(["predict", "--format", "blocks", "--model"])
                .arg(&model)
                .arg(sample().join("pages/4565.html")),
        );
        let expected = std::fs::read_to_string(model.with_extension("tsv")).expect("the stored prediction");
        assert_eq!(blocks, expected, "{name}");
    }
}

#[test]
fn shipped_models_are_written_as_this_version_writes_them() {
    for file in SHIPPED {
        let stored = std::fs::read(repository(&format!("models/{file}"))).expect("read");
        let written = bytes(&from_bytes(&stored).expect("loaded"));
        let is_binary = file.ends_with(".bin");
        let written = if is_binary { file::to_binary(&written).expect("written") } else { written };
        assert!(written == stored, "{file}");
    }
}

#[test]
fn damaged_and_hostile_files_are_errors() {
    let bytes = std::fs::read(repository("tests/suite/models/model.json")).expect("read");
    for cut in [0, 1, 100, bytes.len() / 2, bytes.len() - 3] {
        assert!(from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    let step = bytes.len() / 400 + 1;
    for at in (0..bytes.len() - 1).step_by(step) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(from_bytes(&changed).is_err(), "byte {at}");
    }
    let text = String::from_utf8(bytes).expect("UTF-8");
    let error = |from: &str, to: &str| {
        from_bytes(text.replace(from, to).as_bytes()).expect_err("an error").to_string()
    };
    assert!(error("\"format_version\":1", "\"format_version\":99").contains("version 99"));
    assert!(error("threshr-model", "other").contains("not a model file"));
    assert!(error("\"threshold\":0.5", "\"threshold\":0.6").contains("checksum"));
    assert!(from_bytes(b"[1,2]").is_err() && from_bytes(&[b'['; 100_000]).is_err());
}
