//! Model files in JSON and in the binary format contain the same model.

use std::path::{Path, PathBuf};
use threshr_core::Budget;
use threshr_extract::RawExtraction;
use threshr_extract::model::Known;
use threshr_extract::model::{Trained, file};
use threshr_extract::{Extractor, Input, Labeller, Model, Options};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn bytes_of(path: &str) -> Vec<u8> {
    std::fs::read(repository(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn from_json(bytes: &[u8]) -> Model {
    file::from_bytes(bytes, &Known::default()).and_then(Trained::into_model).expect("a model")
}

/// The bits of the scores of the blocks of a page, and its text.
fn labelled(model: Model, html: &[u8]) -> (Vec<u32>, String) {
    let extractor = Extractor::new(Labeller::Model(Box::new(model)), Options::default());
    let input = Input { bytes: html, ..Input::default() };
    let extraction = extractor.extract(&input, &Budget::UNLIMITED).expect("extracted");
    (extraction.labels().scores.iter().map(|s| s.to_bits()).collect(), extraction.text())
}

/// The model file in JSON: for the compiled-in models, the content of their binary file.
fn json_of(name: &str) -> Vec<u8> {
    let binary = format!("models/{name}.bin");
    if !repository(&binary).exists() {
        return bytes_of(&format!("models/{name}.json"));
    }
    let model = file::from_binary(&bytes_of(&binary)).expect("a model");
    file::to_bytes(&model).expect("JSON")
}

#[test]
fn the_shipped_binary_form_is_intact() {
    let bytes = bytes_of("models/default.bin");
    let model = file::from_binary(&bytes).expect("a model");
    let json = file::to_bytes(&model).expect("JSON");
    // the checksum in the file covers all its values
    assert_eq!(from_json(&json).checksum(), model.checksum());
    assert!(file::to_binary(&json).is_ok_and(|again| again == bytes));
    let loaded = file::load(&repository("models/default.bin"), &Known::default());
    assert_eq!(loaded.and_then(Trained::into_model).expect("a model").checksum(), model.checksum());
}

#[test]
fn both_forms_give_the_same_model() {
    for name in ["default", "fast", "tiny", "cleaneval"] {
        let json = json_of(name);
        let read = || file::from_binary(&file::to_binary(&json).expect("a binary form")).expect("a model");
        let (readable, binary) = (from_json(&json), read());
        assert!(readable.checksum().is_some_and(|c| c.len() == 64), "{name}");
        assert_eq!(binary.checksum(), readable.checksum(), "{name}");
        assert_eq!(binary.recipe(), readable.recipe(), "{name}");
        let written = |model| file::to_bytes(model).expect("written");
        assert!(written(&binary) == written(&readable), "{name}");
        let html = bytes_of("datasets/sample/pages/4565.html");
        let expected = labelled(readable, &html);
        assert!(!expected.0.is_empty() && !expected.1.is_empty());
        assert_eq!(labelled(binary, &html), expected, "{name}");
    }
}

#[test]
fn a_damaged_binary_form_is_an_error_or_a_model() {
    let binary = file::to_binary(&bytes_of("models/tiny.json")).expect("a binary form");
    for end in (0..binary.len()).step_by(499) {
        assert!(file::from_binary(&binary[..end]).is_err(), "{end}");
    }
    for place in (0..binary.len()).step_by(61) {
        let mut damaged = binary.clone();
        damaged[place] ^= 0x55;
        // no panic; the checksum is verified for files, but not for the model in the program
        let _ = file::from_binary(&damaged);
        assert!(file::from_bytes(&damaged, &Known::default()).is_err(), "{place}");
    }
    let system = bytes_of("tests/suite/models/system.json");
    assert!(file::to_binary(&system).is_err());
}
