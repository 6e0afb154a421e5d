//! Effects of policy properties on the kept blocks, and consistency between evaluation and prediction.

use crate::support::sample;
use threshr_core::Budget;
use threshr_core::policy::PolicyChoice;
use threshr_core::progress::Quiet;
use threshr_evaluate::{Outcome, score_with};
use threshr_extract::RawExtraction;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::model::Trained;
use threshr_extract::{Extraction, Extractor, Input, Model, Options};
use threshr_sets::gold::{DataSet, ReadOptions};
use threshr_train::{Corpus, Needs};

fn shipped() -> Model {
    threshr::default_model().expect("a model")
}

/// Extracts a page with the shipped model and a policy.
fn extract(html: &[u8], policy: &str) -> Extraction {
    let policy = Some(PolicyChoice::parse(policy).expect("a policy"));
    let extractor =
        Extractor::new(Trained::Model(Box::new(shipped())), Options { policy, ..Options::default() });
    extractor.extract(&Input { bytes: html, ..Input::default() }, &Budget::UNLIMITED).expect("extracted")
}

/// Returns a page with a headline, an author, a caption, and some text that is hard to classify.
fn story() -> String {
    let text = "A fox was seen in the old town, and all who saw it spoke of it. ".repeat(3);
    format!(
        "<title>Foxes in the town | News</title><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul>\
        <h1>Foxes in the town</h1><p class=byline>By Ann Miller<p>{text}\
        <figure><img src=f><figcaption>A fox on a roof</figcaption></figure><h2>More foxes</h2><p>{text}\
        <p>Do you know more of it?<p>Write to us<ul class=footer><li><a href=/c>Contact</a></ul>"
    )
}

#[test]
fn a_switch_moves_the_blocks_alone_that_are_its_own() {
    let html = story();
    let predict = |policy: &str| {
        let extraction = extract(html.as_bytes(), policy);
        let texts: Vec<String> = extraction.blocks().map(|b| b.text.to_owned()).collect();
        (texts, extraction.labels().clone())
    };
    let (headline, author, caption) = ("Foxes in the town", "By Ann Miller", "A fox on a roof");
    let cases: [(&str, &str, &[&str]); 7] = [
        ("main", "main+title", &[headline]),
        ("main", "main+byline", &[author]),
        ("article", "article+captions", &[caption]),
        ("main", "main+title+byline+captions", &[headline, author, caption]),
        ("full", "full-title-byline-captions", &[headline, author, caption]),
        ("main+comments", "main+comments+title+byline", &[headline, author]),
        ("main", "main-headings", &[]),
    ];
    for (before, after, own) in cases {
        let (before, after, name) = (predict(before), predict(after), after);
        let ((all_texts, before), (_, after)) = (before, after);
        let moved = (0..all_texts.len()).filter(|&i| before.scores[i] != after.scores[i]);
        let moved: Vec<usize> = moved.collect();
        let texts: Vec<&str> = moved.iter().map(|&i| &*all_texts[i]).collect();
        assert_eq!(texts, own, "{name}");
        // the decision rule does not change the label of any other block
        let mut changed = (0..before.kept.len()).filter(|&i| before.kept[i] != after.kept[i]);
        assert!(own.is_empty() || changed.all(|i| moved.contains(&i)), "{name}");
    }
    let kept = |policy: &str, text: &str| {
        let (texts, labels) = predict(policy);
        texts.iter().zip(&labels.kept).any(|(t, kept)| *kept && t == text)
    };
    assert!(kept("main+title", headline));
    assert!(!kept("main", caption) && kept("main+captions", caption));
    assert!(kept("main", "More foxes") && !kept("main-headings", "More foxes"));
}

#[test]
fn evaluation_labels_as_prediction_does() {
    let model = shipped();
    let mut set = DataSet::open(&sample(), &ReadOptions::default()).expect("opened");
    set.policy = None;
    for policy in ["main", "main+captions", "full-title", "article+title+byline-headings"] {
        let mut recipe = model.recipe().clone();
        recipe.policy.sets.clear();
        // the setting that `evaluate` uses
        recipe.policy.vary = false;
        recipe.policy.default = PolicyChoice::parse(policy).expect("a policy");
        let (sets, features) = (std::slice::from_ref(&set), Some(model.features()));
        let corpus = Corpus::read(sets, &recipe, features, Needs::default(), &Quiet).expect("read");
        let pages: Vec<usize> = (0..corpus.pages.len()).collect();
        let scored = score_with(&model, &corpus, &pages).expect("scored");
        for (index, scored) in scored.iter().enumerate() {
            let id = &corpus.pages[index].id;
            let html = std::fs::read(sample().join(format!("pages/{id}.html"))).expect("read");
            let extraction = extract(&html, policy);
            let labels = extraction.labels();
            assert_eq!(labels.scores, scored.scores, "{policy}, page {id}");
            let decided = scored.decide(&corpus, index, &DecisionOptions::default(), model.filter());
            let Outcome::Blocks { kept, .. } = decided else { panic!("labels") };
            assert_eq!(labels.kept, kept, "{policy}, page {id}");
        }
    }
}
