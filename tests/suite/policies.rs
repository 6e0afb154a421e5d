//! What a switch of a policy moves, and that evaluation and prediction agree on it.

use crate::support::{repository, sample};
use threshr::decision::DecisionOptions;
use threshr::experiment::{Outcome, score_with};
use threshr::gold::{DataSet, ReadOptions};
use threshr::model_file;
use threshr::page::{Document, parse, parse_str};
use threshr::pipeline::{Corpus, Needs, Pipeline, PredictOptions};
use threshr::policy::PolicyChoice;
use threshr::progress::Quiet;

fn shipped() -> Pipeline {
    let file = std::fs::read(repository("models/default.json")).expect("read");
    model_file::from_bytes(&file).expect("loaded")
}

fn options(policy: &str) -> PredictOptions {
    PredictOptions {
        policy: Some(PolicyChoice::parse(policy).expect("a policy")),
        ..PredictOptions::default()
    }
}

/// A page with a headline, an author and a caption, some of its text doubtful.
fn story() -> Document {
    let text = "A fox was seen in the old town, and all who saw it spoke of it. ".repeat(3);
    parse_str(&format!(
        "<title>Foxes in the town | News</title><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul>\
        <h1>Foxes in the town</h1><p class=byline>By Ann Miller<p>{text}\
        <figure><img src=f><figcaption>A fox on a roof</figcaption></figure><h2>More foxes</h2><p>{text}\
        <p>Do you know more of it?<p>Write to us<ul class=footer><li><a href=/c>Contact</a></ul>"
    ))
}

#[test]
fn a_switch_moves_the_blocks_alone_that_are_its_own() {
    let (model, doc) = (shipped(), story());
    let predict = |policy: &str| model.predict_with(&doc, &options(policy)).expect("predicted");
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
        let moved = (0..before.blocks.len()).filter(|&i| before.scores[i] != after.scores[i]);
        let moved: Vec<usize> = moved.collect();
        let texts: Vec<&str> = moved.iter().map(|&i| before.blocks.text(i)).collect();
        assert_eq!(texts, own, "{name}");
        // nor does the rule see the page otherwise
        let mut changed = (0..before.kept.len()).filter(|&i| before.kept[i] != after.kept[i]);
        assert!(own.is_empty() || changed.all(|i| moved.contains(&i)), "{name}");
    }
    let kept = |policy: &str, text: &str| {
        let prediction = predict(policy);
        (0..prediction.kept.len()).any(|i| prediction.kept[i] && prediction.blocks.text(i) == text)
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
    let dir = tempfile::tempdir().expect("a folder");
    for policy in ["main", "main+captions", "full-title", "article+title+byline-headings"] {
        let mut recipe = model.recipe().clone();
        recipe.policy.sets.clear();
        recipe.policy.declared.clear();
        // as `evaluate` has it
        recipe.policy.switch = false;
        recipe.policy.default = PolicyChoice::parse(policy).expect("a policy");
        let cache = dir.path().join("cache");
        // the second time from the cache
        for _ in 0..2 {
            let sets = std::slice::from_ref(&set);
            let corpus = Corpus::read_keeping(
                sets,
                &recipe,
                Some(model.features()),
                Needs::default(),
                Some(&cache),
                &Quiet,
            );
            let corpus = corpus.expect("read");
            let pages: Vec<usize> = (0..corpus.pages.len()).collect();
            let scored = score_with(&model, &corpus, &pages).expect("scored");
            for (index, scored) in scored.iter().enumerate() {
                let id = &corpus.pages[index].id;
                let html = std::fs::read(sample().join(format!("pages/{id}.html"))).expect("read");
                let prediction = model.predict_with(&parse(&html, &Default::default()), &options(policy));
                let prediction = prediction.expect("predicted");
                assert_eq!(prediction.scores, scored.scores, "{policy}, page {id}");
                let decided = scored.decide(&corpus, index, &DecisionOptions::default(), model.filter());
                let Outcome::Blocks { kept, .. } = decided else { panic!("labels") };
                assert_eq!(prediction.kept, kept, "{policy}, page {id}");
            }
        }
    }
}
