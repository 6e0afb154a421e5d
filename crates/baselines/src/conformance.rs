//! Tests that run every system on difficult pages and check its options and its saved data.

use crate::SYSTEMS;
use serde_json::{Value, json};
use threshr_core::{Error, Result};
use threshr_extract::baseline::*;
use threshr_extract::recipe::Recipe;
use threshr_features::Families;
use threshr_html::blocks as block;
use threshr_html::blocks::Blocks;
use threshr_html::{ParseOptions, Visibility, parse_str, plain_html};

/// Pages that could cause panics or long running times.
fn difficult_pages() -> Vec<(&'static str, String)> {
    let words = |n: usize| "some words of a sentence that goes on. ".repeat(n);
    vec![
        ("empty", String::new()),
        ("no body", "<title>t</title>".into()),
        ("one word", "word".into()),
        ("signs", "<p>| | |<p>–<p>…".into()),
        ("only links", "<ul>".to_owned() + &"<li><a href=/x>link text</a>".repeat(300)),
        ("nested", "<div>".repeat(20_000) + "end" + &"</div>".repeat(20_000)),
        ("cjk", "<h1>北京</h1>".to_owned() + &"<p>我们今天去看电影，然后吃饭。</p>".repeat(40)),
        ("giant", format!("<p>{}", words(20_000))),
        ("flat", "<p>word <b>bold</b> <a href=/>link</a>".repeat(3_000)),
        ("table", "<table><tr><td>a<td>b".to_owned() + &"<tr><td>cell<td>other cell".repeat(500)),
        ("breaks", "a<br>".repeat(2_000)),
        ("hidden", format!("<body hidden><p>{}", words(30))),
        ("letters", "aaaaaaaaaa".repeat(5_000)),
        (
            "article",
            format!(
                "<title>Story | Site</title><ul><li><a href=/>Home</a></ul><h1>Story</h1><p>{}</p><p>{}</p><div>Copyright</div>",
                words(5),
                words(8)
            ),
        ),
    ]
}

struct Page {
    doc: Document,
    blocks: Blocks,
    html: String,
    labels: Vec<bool>,
    text: String,
}

use threshr_html::Document;

impl Page {
    fn new(html: &str) -> Self {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let labels: Vec<bool> = (0..blocks.len()).map(|i| blocks.text(i).len() > 60).collect();
        let text = blocks.join(|i| labels[i]);
        let html = plain_html(html.as_bytes(), &ParseOptions::default());
        Page { doc, blocks, html, labels, text }
    }
    fn input(&self) -> SystemInput<'_> {
        SystemInput { html: Some(&self.html), ..SystemInput::new(&self.doc, &self.blocks) }
    }
    fn with_gold(&self) -> SystemInput<'_> {
        let gold = SystemGold { labels: &self.labels, classes: &[], text: &self.text };
        SystemInput { gold: Some(gold), ..self.input() }
    }
}

/// Returns the methods of a system: untrained if possible, and trained on small pages.
fn methods(system: &'static System) -> Vec<Box<dyn Method>> {
    let choice = SystemChoice::parse(system.name, &crate::systems()).expect("it exists");
    let mut methods = Vec::new();
    if !system.must_be_trained() {
        methods.push(choice.method().expect("ready"));
    }
    if let How::Fitted { .. } = system.how {
        methods.push(choice.load(&train(&choice)).expect("loaded"));
    }
    methods
}

fn train(choice: &SystemChoice) -> Value {
    let pages: Vec<Page> = difficult_pages()
        .into_iter()
        .filter(|p| ["article", "cjk", "flat"].contains(&p.0))
        .map(|p| Page::new(&p.1))
        .collect();
    let inputs: Vec<_> = pages.iter().map(Page::with_gold).collect();
    let data = choice.train(&inputs, 7).expect("trained");
    assert_eq!(data.to_string(), choice.train(&inputs, 7).expect("trained").to_string(), "{}", choice.name());
    data
}

#[test]
fn difficult_pages_give_a_label_to_every_block() {
    let pages: Vec<(&str, Page)> =
        difficult_pages().into_iter().map(|(n, html)| (n, Page::new(&html))).collect();
    for system in SYSTEMS {
        for method in methods(system) {
            for (name, page) in &pages {
                let started = std::time::Instant::now();
                let kept = method.keep(&page.input());
                assert_eq!(kept.len(), page.blocks.len(), "{} on {name}", system.name);
                assert_eq!(kept, method.keep(&page.input()), "{} on {name}", system.name);
                if let Some(classes) = method.classes(&page.input()) {
                    assert_eq!(classes.len(), page.blocks.len(), "{} on {name}", system.name);
                }
                // an algorithm with quadratic time would take minutes
                assert!(started.elapsed().as_secs() < 10, "{} on {name}", system.name);
            }
        }
    }
}

#[test]
fn systems_do_not_read_labels() {
    let page = Page::new(&difficult_pages().pop().expect("pages").1);
    for system in SYSTEMS.iter().filter(|s| !s.needs_gold) {
        for method in methods(system) {
            assert_eq!(method.keep(&page.input()), method.keep(&page.with_gold()), "{}", system.name);
        }
    }
}

#[test]
fn options_are_documented_and_checked() {
    for system in SYSTEMS {
        assert!(!system.summary.is_empty() && !system.source.is_empty(), "{}", system.name);
        for option in system.options {
            let parsed: std::result::Result<Value, _> = serde_json::from_str(option.default);
            assert!(parsed.is_ok() && !option.help.is_empty(), "{}.{}", system.name, option.name);
            // an option with its default value gives the default settings
            let given = json!({option.name: option.value()});
            assert_eq!(
                system.settings(&given).expect("fits"),
                system.settings(&Value::Null).expect("defaults")
            );
        }
        let error = system.settings(&json!({"no_such_option": 1})).expect_err("unknown").to_string();
        assert!(error.contains("no_such_option") && error.contains(system.name), "{error}");
        if let How::Recipe(recipe) = system.how {
            let recipe: Result<Recipe> = recipe(&system.settings(&Value::Null).expect("defaults"));
            let usable = recipe.and_then(|r| r.parts().and_then(|_| r.feature_set(&Families::default())));
            usable.expect("a recipe that can be used");
        }
    }
}

#[test]
fn names_are_unique_and_read_back() {
    let mut names: Vec<&str> = SYSTEMS.iter().map(|s| s.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SYSTEMS.len());
    let choice = SystemChoice::parse("keep-everything+tree3", &crate::systems()).expect("a system");
    assert_eq!((choice.system().name, choice.filter().name().as_str()), ("keep-everything", "tree:3"));
    for bad in ["keep", "keep-everything+", "keep-everything+tree9", "+tree"] {
        assert!(SystemChoice::parse(bad, &crate::systems()).is_err(), "{bad}");
    }
    let given = |params: &str| {
        SystemChoice::list(&["victor".into()], &[params.to_owned()], &crate::systems()).expect("an option")[0]
            .given()
    };
    assert_eq!(given("victor.features=74.5"), json!({"features": "74.5"}));
    assert_eq!(given("victor.c=2"), json!({"c": 2}));
    let error = |params: &[&str]| -> Error {
        let params: Vec<String> = params.iter().map(|p| (*p).to_owned()).collect();
        SystemChoice::list(&["keep-everything".into()], &params, &crate::systems()).expect_err("an error")
    };
    for bad in ["x", "keep-everything.x=1", "oracle.x=1", "keep-everything=1"] {
        assert!(!error(&[bad]).to_string().is_empty(), "{bad}");
    }
}

#[test]
fn damaged_data_are_errors() {
    for system in SYSTEMS.iter().filter(|s| matches!(s.how, How::Fitted { .. })) {
        let choice = SystemChoice::parse(system.name, &crate::systems()).expect("it exists");
        let data = train(&choice);
        choice.load(&data).expect("what was trained");
        for wrong in [Value::Null, json!({}), json!([1, 2]), json!("x")] {
            assert!(choice.load(&wrong).is_err(), "{} with {wrong}", system.name);
        }
        // a field of the wrong type gives an error, or a method that still runs
        let page = Page::new("<p>some text of a page");
        for (key, _) in data.as_object().into_iter().flatten() {
            for wrong in [Value::Null, json!("x"), json!([]), json!(-1), json!({})] {
                let mut damaged = data.clone();
                damaged[key.as_str()] = wrong;
                if let Ok(method) = choice.load(&damaged) {
                    assert_eq!(method.keep(&page.input()).len(), 1, "{}.{key}", system.name);
                }
            }
        }
    }
}
