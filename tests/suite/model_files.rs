//! Model files: what is loaded is what was saved, and nothing that is loaded harms.

use crate::support::{output, repository, sample, threshr};
use threshr::gold::{DataSet, ReadOptions};
use threshr::model_file;
use threshr::page::{ParseOptions, parse};
use threshr::pipeline::{Corpus, Pipeline, Recipe};
use threshr::progress::Quiet;

fn trained(classifier: &str) -> Pipeline {
    let mut recipe = Recipe::default();
    recipe.features.set = "shallow+density+group".into();
    recipe.classifier.name = classifier.into();
    let sets = [DataSet::open(&sample(), &ReadOptions::default()).expect("opened")];
    let features = recipe.feature_set().expect("a set");
    let corpus = Corpus::read(&sets, &recipe, Some(&features), &Quiet).expect("read");
    Pipeline::train(corpus, &recipe, &Quiet).expect("trained")
}

/// Everything that a model file can hold: learned vocabularies, a second pass, policies.
fn trained_with_all() -> Pipeline {
    let recipe = "features.set = 'all'\nfeatures.neighbours = [1]\npolicy.switch = true\n\
        classifier = { name = 'gbt', params = { rounds = 5 } }\nrescore = { name = 'tree', params = {} }\n\
        decision = { rule = 'expected-f1', filter = 'repeats' }\npolicy.sets = { sample = 'main+title' }";
    let recipe = Recipe::from_toml(recipe).expect("a recipe");
    let sets = [DataSet::open(&sample(), &ReadOptions::default()).expect("opened")];
    let corpus = Corpus::read_to_train(&sets, &recipe, None, &Quiet).expect("read");
    Pipeline::train(corpus, &recipe, &Quiet).expect("trained")
}

fn scores(model: &Pipeline) -> Vec<u32> {
    let html = std::fs::read(sample().join("pages/4565.html")).expect("read");
    let prediction = model.predict(&parse(&html, &ParseOptions::default())).expect("predicted");
    prediction.scores.iter().map(|s| s.to_bits()).collect()
}

#[test]
fn a_loaded_model_predicts_the_same_bits() {
    for name in ["tree", "svm-rff", "logistic", "all"] {
        let model = if name == "all" { trained_with_all() } else { trained(name) };
        let bytes = model_file::to_bytes(&model).expect("written");
        let loaded = model_file::from_bytes(&bytes).expect("read");
        assert_eq!(scores(&model), scores(&loaded), "{name}");
        assert!(model_file::to_bytes(&loaded).expect("written") == bytes, "{name}");
    }
}

#[test]
fn what_is_kept_of_a_page_does_not_change_what_is_learned() {
    let recipe = trained_with_all().recipe().clone();
    let sets = [DataSet::open(&sample(), &ReadOptions::default()).expect("opened")];
    let features = recipe.feature_set().expect("a set");
    let corpus = Corpus::read(&sets, &recipe, Some(&features), &Quiet).expect("read");
    let model = Pipeline::train(corpus, &recipe, &Quiet).expect("trained");
    let bytes = |m: &Pipeline| model_file::to_bytes(m).expect("written");
    assert!(bytes(&model) == bytes(&trained_with_all()));
}

#[test]
fn stored_files_of_every_version_load_and_predict_what_they_did() {
    for version in model_file::OLDEST_VERSION..=model_file::SYSTEM_VERSION {
        let model = repository(&format!("tests/suite/models/v{version}.json"));
        let blocks = output(
            threshr()
                .args(["predict", "--format", "blocks", "--model"])
                .arg(&model)
                .arg(sample().join("pages/4565.html")),
        );
        let expected = std::fs::read_to_string(model.with_extension("tsv")).expect("the stored prediction");
        assert_eq!(blocks, expected, "version {version}");
    }
}

#[test]
fn damaged_and_hostile_files_are_errors() {
    let bytes = std::fs::read(repository("tests/suite/models/v1.json")).expect("read");
    for cut in [0, 1, 100, bytes.len() / 2, bytes.len() - 3] {
        assert!(model_file::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    let step = bytes.len() / 400 + 1;
    for at in (0..bytes.len() - 1).step_by(step) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(model_file::from_bytes(&changed).is_err(), "byte {at}");
    }
    let text = String::from_utf8(bytes).expect("UTF-8");
    let error = |from: &str, to: &str| {
        model_file::from_bytes(text.replace(from, to).as_bytes()).expect_err("an error").to_string()
    };
    assert!(error("\"format_version\":1", "\"format_version\":99").contains("version 99"));
    assert!(error("threshr-model", "other").contains("no model file"));
    assert!(error("\"threshold\":", "\"threshold\":1").contains("checksum"));
    assert!(model_file::from_bytes(b"[1,2]").is_err() && model_file::from_bytes(&[b'['; 100_000]).is_err());
}
