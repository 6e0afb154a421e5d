//! Tests of the published markers, protocol and error rate on small pages.

use crate::classic::density_lm::*;
use serde_json::json;
use std::sync::Arc;
use threshr_extract::baseline::{SystemChoice, SystemGold};
use threshr_html::blocks as block;
use threshr_html::{Document, ParseOptions, Visibility, parse, plain_html};
use threshr_sets::labelling::Annotation;
use threshr_train::Alignment;

/// A page with a menu, marked content and a footer.
fn page(menu: &str, story: &str) -> String {
    format!(
        "<html>\n<head>\n<title>A page</title>\n</head>\n<body>\n<ul class=menu><li>{menu}</li></ul>\n\
         <!-- content -->\n<p>{story}</p>\n<!-- /content -->\n<div class=footer>{menu}</div>\n</body>\n</html>\n"
    )
}

const MENU: &str = "Home Products Services Contact Sitemap Imprint Login Register Search Help";
const STORY: &str =
    "The river rose in the night, and the people of the village went up to the old mill on the hill.";

struct Read {
    doc: Document,
    blocks: Blocks,
    html: String,
    labels: Vec<bool>,
    text: String,
}

impl Read {
    fn new(html: &str, annotation: Annotation) -> Self {
        let content = annotation.content.clone();
        let options = ParseOptions { labelling: Some(Arc::new(annotation)), ..ParseOptions::default() };
        let doc = parse(html.as_bytes(), &options);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let (alignment, text) = Alignment::of_labels(&doc, &blocks, &content);
        let html = plain_html(html.as_bytes(), &options);
        Read { labels: alignment.labels(0.5), doc, blocks, html, text }
    }

    fn input(&self) -> SystemInput<'_> {
        let gold = SystemGold { labels: &self.labels, classes: &[], text: &self.text };
        SystemInput { html: Some(&self.html), gold: Some(gold), ..SystemInput::new(&self.doc, &self.blocks) }
    }
}

fn markers() -> Annotation {
    Annotation::markers("<!-- content -->", "<!-- /content -->")
}

fn choice(options: &Value) -> SystemChoice {
    let mut choice = SystemChoice::parse("density-lm", &crate::systems()).expect("it exists");
    choice.set_all(options).expect("its options");
    choice
}

#[test]
fn markers_of_the_page_label_its_lines() {
    let read = Read::new(&page(MENU, STORY), markers());
    assert!(!read.html.contains("content"), "the label must not stay in the page: {}", read.html);
    let settings = Settings::read(&choice(&json!({})).settings().expect("complete")).expect("read");
    let found: Vec<_> = labelled(&settings, &read.input()).into_iter().map(|(c, k)| (c.text, k)).collect();
    // the markup of the menu line is ul class=menu, li, /li, /ul = 13 + 2 + 3 + 3 characters, and its text has 73,
    // so the line is dense enough
    assert_eq!(found, [(MENU.to_owned(), false), (STORY.to_owned(), true), (MENU.to_owned(), false)]);
    // Google's comments label the same text as content
    let google = page(MENU, STORY)
        .replace("<!-- content -->", "<!--googleon: index-->")
        .replace("<!-- /content -->", "<!--googleoff: index-->")
        .replace("<body>", "<body><!--googleoff: index-->");
    let read = Read::new(&google, Annotation::markers_off("googleoff", "googleon"));
    let again: Vec<_> = labelled(&settings, &read.input()).into_iter().map(|(c, k)| (c.text, k)).collect();
    assert_eq!(found, again);
}

#[test]
fn the_last_tenth_of_the_pages_gives_the_error_rate() {
    let stories = ["in the night", "before dawn", "at noon", "after the rain"];
    let mut pages: Vec<Read> = (0..9)
        .map(|i| Read::new(&page(MENU, &STORY.replace("in the night", stories[i % 4])), markers()))
        .collect();
    // the last page has a menu as its content, so the model misclassifies one line of three
    pages.push(Read::new(&page(MENU, MENU), markers()));
    let inputs: Vec<_> = pages.iter().map(Read::input).collect();
    for unit in ["line", "block"] {
        let choice = choice(&json!({"unit": unit, "held_out": 0.1}));
        let learned = choice.train(&inputs, 1).expect("trained");
        let held_out: HeldOut = serde_json::from_value(learned["held_out"].clone()).expect("counts");
        let expected = HeldOut { num_pages: 1, num_chunks: 3, num_errors: 1, error_rate: 1.0 / 3.0 };
        assert_eq!(held_out, expected, "{unit}");
        let method = choice.load(&learned).expect("loaded");
        let rate = method.facts().into_iter().find(|f| f.0 == "error rate").expect("a rate").1;
        assert_eq!(rate, "33.3 %, 1 of 3 chunks of the last 1 pages");
        let new = Read::new(
            &page(MENU, "The people of the hill went up to the mill before the river rose at dawn."),
            markers(),
        );
        assert_eq!(method.keep(&new.input()), [false, true, false], "{unit}");
    }
}

#[test]
fn impossible_options_and_pages_are_errors() {
    let read = Read::new(&page(MENU, STORY), markers());
    for bad in [json!({"order": 0}), json!({"order": 13}), json!({"held_out": 1.0}), json!({"unit": "page"})]
    {
        assert!(choice(&bad).train(&[read.input()], 1).is_err(), "{bad}");
    }
    let short = Read::new(&page("Menu", STORY), markers());
    let error = choice(&json!({})).train(&[short.input()], 1).expect_err("one class").to_string();
    assert!(error.contains("0 of boilerplate"), "{error}");
}
