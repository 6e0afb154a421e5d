//! Model files: what is loaded is what was saved, and nothing that is loaded harms.

use crate::support::{output, repository, sample, threshr};
use sha2::{Digest, Sha256};
use threshr_core::policy::PolicyChoice;
use threshr_core::progress::Quiet;
use threshr_core::{Budget, Result};
use threshr_extract::decision::DecisionOptions;
use threshr_extract::flow::{self, Columns, PageOptions};
use threshr_extract::model::{Trained, file};
use threshr_extract::{Extractor, Input, Model, Options, Recipe};
use threshr_html::ParseOptions;
use threshr_io::gold::{DataSet, ReadOptions};
use threshr_io::sources;
use threshr_train::{Corpus, train};

fn sets() -> [DataSet; 1] {
    [DataSet::open(&sample(), &ReadOptions::default()).expect("opened")]
}

fn trained(classifier: &str) -> Model {
    let mut recipe = Recipe::default();
    recipe.features.set = "shallow+density+group".into();
    recipe.classifier.name = classifier.into();
    let features = recipe.feature_set().expect("a set");
    let corpus = Corpus::read(&sets(), &recipe, Some(&features), &Quiet).expect("read");
    train(corpus, &recipe, &threshr::registries().classifiers, &Quiet).expect("trained")
}

/// Everything that a model file can hold: learned vocabularies, policies, augmentation.
fn trained_with_all() -> Model {
    let recipe = "features.set = 'all'\nfeatures.neighbours = [1]\npolicy.vary = true\n\
        classifier = { name = 'gbt', params = { rounds = 5 } }\n\
        augmentation = { without_attributes = 0.3, insert_comments = 0.5, replace_content = 0.3 }\n\
        decision = { rule = 'expected-f1', filter = 'repeats' }\npolicy.sets = { sample = 'main+title' }";
    let recipe = Recipe::from_toml(recipe).expect("a recipe");
    let corpus = Corpus::read_to_train(&sets(), &recipe, None, &Quiet).expect("read");
    train(corpus, &recipe, &threshr::registries().classifiers, &Quiet).expect("trained")
}

/// A cascade with learned columns in its second stage.
fn cascade(margin: f64) -> Model {
    let recipe = format!(
        "features.set = 'all'\nfeatures.neighbours = [1]\nclassifier = {{ name = 'gbt', params = {{ rounds = 20 }} }}\n\
         cascade = {{ columns = 'shallow,density,container', margin = {margin}, params = {{ rounds = 20 }} }}"
    );
    let recipe = Recipe::from_toml(&recipe).expect("a recipe");
    let corpus = Corpus::read_to_train(&sets(), &recipe, None, &Quiet).expect("read");
    train(corpus, &recipe, &threshr::registries().classifiers, &Quiet).expect("trained")
}

fn from_bytes(bytes: &[u8]) -> Result<Model> {
    file::from_bytes(bytes, &threshr::registries().systems).and_then(Trained::into_model)
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

#[test]
fn a_cascade_decides_by_rows_of_two_stages_as_by_whole_rows() {
    let model = cascade(2.0);
    let decision = model.decision(&DecisionOptions::default(), None);
    let options = PageOptions {
        parse: ParseOptions::default(),
        segmentation: model.segmentation(),
        visibility: model.recipe().visibility(),
    };
    let (mut num_blocks, mut num_decided) = (0, 0);
    for path in sources(&[sample().join("pages")], None).expect("found").sources {
        let html = std::fs::read(&path.path).expect("read");
        let page = flow::prepare(&html, None, &options, &Budget::UNLIMITED).expect("a page");
        let policy = PolicyChoice::default();
        let features =
            flow::features(&model, &page, policy, &decision, None, Columns::Read, &Budget::UNLIMITED)
                .expect("features");
        let rows = features.rows(model.columns()).expect("rows");
        let (cascade, _) = model.stages().expect("stages");
        let first = rows.first.expect("a first stage");
        num_blocks += first.len();
        num_decided += first.iter().filter(|&&decision| cascade.is_decided(decision)).count();
        let context = model.used_features().page(&page.doc, &page.blocks).under(policy);
        let context = context.with_vocabularies(&model.fitted().vocabularies);
        let whole = model.used_features().extract(&context);
        let scores = |rows| model.fitted().scores(rows, None, &Budget::UNLIMITED).expect("scores");
        assert_eq!(scores(rows), scores(whole.values().into()), "{}", path.path.display());
    }
    assert!(num_decided > num_blocks / 10 && num_decided < num_blocks, "{num_decided} of {num_blocks}");
}

#[test]
fn a_cascade_needs_columns_of_the_recipe_and_a_margin() {
    for (cascade, fault) in [
        ("columns = 'lexical'", "lexical"),
        ("columns = 'nothing'", "nothing"),
        ("columns = 'shallow', margin = -1.0", "margin"),
        ("columns = 'shallow', margin = nan", "margin"),
    ] {
        let recipe = format!("features.set = 'shallow+density'\ncascade = {{ {cascade} }}");
        let error = Recipe::from_toml(&recipe).expect("a recipe").parts().expect_err("an error").to_string();
        assert!(error.contains(fault), "{cascade}: {error}");
    }
}

/// A changed model file with the checksum of its bytes.
fn with_checksum(text: &str) -> Vec<u8> {
    const KEY: &str = "\"checksum\":\"";
    let start = text.find(KEY).expect("a checksum") + KEY.len();
    let zeros = [&text[..start], &"0".repeat(64), &text[start + 64..]].concat();
    let hash = threshr_core::hex(&Sha256::digest(&zeros));
    [&text[..start], &hash, &text[start + 64..]].concat().into_bytes()
}

#[test]
fn a_cascade_that_is_not_that_of_the_recipe_is_an_error() {
    let text = String::from_utf8(bytes(&cascade(2.0))).expect("UTF-8");
    assert!(from_bytes(&with_checksum(&text)).is_ok());
    for (from, to) in [
        ("\"margin\":2.0,\"second\"", "\"margin\":0.0,\"second\""),
        ("\"margin\":2.0,\"name\"", "\"margin\":1.0,\"name\""),
        ("\"columns\":\"shallow,density,container\"", "\"columns\":\"density\""),
    ] {
        assert!(text.contains(from), "{from}");
        let error =
            from_bytes(&with_checksum(&text.replacen(from, to, 1))).expect_err("an error").to_string();
        assert!(error.contains("stages of the cascade"), "{from}: {error}");
    }
}

#[test]
fn a_first_stage_that_reads_neighbouring_blocks_is_an_error() {
    let recipe = "features.set = 'shallow+density'\ncascade = { columns = 'shallow', name = 'crf' }";
    let recipe = Recipe::from_toml(recipe).expect("a recipe");
    let corpus = Corpus::read_to_train(&sets(), &recipe, None, &Quiet).expect("read");
    let trained = train(corpus, &recipe, &threshr::registries().classifiers, &Quiet);
    let error = trained.map(drop).expect_err("an error").to_string();
    assert!(error.contains("crf"), "{error}");
}

#[test]
fn explanations_of_a_cascade_sum_to_its_decisions() {
    let html = std::fs::read(sample().join("pages/4565.html")).expect("read");
    let extractor = Extractor::new(Trained::Model(Box::new(cascade(1.0))), Options::default());
    let input = Input { bytes: &html, ..Input::default() };
    let (extraction, explained) = extractor.explain(&input, None, &Budget::UNLIMITED).expect("explained");
    let sigmoid = extractor.model().expect("a model").fitted().sigmoid;
    for (explanation, score) in explained.iter().zip(&extraction.labels().scores) {
        assert!((sigmoid.score(explanation.decision) - score).abs() < 1e-3, "block {}", explanation.block);
    }
}

#[test]
fn a_loaded_model_predicts_the_same_bits() {
    for name in ["tree", "svm-rff", "logistic", "cascade", "all"] {
        let model = match name {
            "all" => trained_with_all(),
            "cascade" => cascade(1.0),
            name => trained(name),
        };
        let written = bytes(&model);
        let loaded = from_bytes(&written).expect("read");
        assert!(bytes(&loaded) == written, "{name}");
        assert_eq!(scores(model), scores(loaded), "{name}");
    }
}

/// The files of the shipped models.
const SHIPPED: [&str; 3] = ["default.bin", "cleaneval.json", "tiny.json"];

/// A new feature family must not change what the shipped recipes train.
#[test]
fn shipped_recipes_give_the_columns_of_the_shipped_models() {
    for file in SHIPPED {
        let path = repository(&format!("models/{file}"));
        let recipe = std::fs::read_to_string(path.with_extension("toml")).expect("a recipe");
        let recipe = Recipe::from_toml(&recipe).expect("a recipe");
        let model = from_bytes(&std::fs::read(path).expect("a model")).expect("read");
        assert_eq!(
            recipe.feature_set().expect("a set").names()[..],
            *model.columns(),
            "the recipe of models/{file}: remove new families from the feature set (`-NAME`)"
        );
    }
}

#[test]
fn what_is_kept_of_a_page_does_not_change_what_is_learned() {
    let lean = trained_with_all();
    let recipe = lean.recipe().clone();
    let features = recipe.feature_set().expect("a set");
    let corpus = Corpus::read(&sets(), &recipe, Some(&features), &Quiet).expect("read");
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
