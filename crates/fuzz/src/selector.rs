//! CSS selectors.

use crate::Target;
use std::sync::Arc;
use threshr_core::Budget;
use threshr_html::{Kind, Labelling, ParseOptions, Selector, parse_within};
use threshr_sets::labelling::Annotation;

pub(crate) static TARGET: Target = Target {
    name: "selector",
    summary: "a line with a CSS selector and a page: the matches are elements in document order",
    body,
};

fn body(bytes: &[u8]) {
    let split = bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len());
    let (css, page) = (&bytes[..split], bytes.get(split + 1..).unwrap_or_default());
    let Ok(css) = std::str::from_utf8(css) else { return };
    let Ok(selector) = Selector::parse(css) else { return };
    assert_eq!(selector.css(), css);
    let parse = |labelling| {
        let options = ParseOptions { labelling, ..ParseOptions::default() };
        parse_within(page, &options, &Budget::UNLIMITED).expect("no limit")
    };
    let doc = parse(None);
    let matches = selector.matches(&doc);
    let mut places = vec![usize::MAX; doc.num_nodes()];
    for (place, node) in doc.descendants(doc.root()).enumerate() {
        places[node as usize] = place;
    }
    assert!(matches.iter().all(|&node| doc.kind(node) == Kind::Element), "a match is not an element");
    assert!(matches.is_sorted_by_key(|&node| places[node as usize]), "the matches are not in order");
    // Class names, ids and attributes in the selector are removed from the page, but the text is kept.
    let labelled = parse(Some(Arc::new(Annotation::selector(selector)) as Arc<dyn Labelling>));
    let length = labelled.source_text().len() as u32;
    for (range, _) in labelled.labels() {
        assert!(range.start <= range.end && range.end <= length, "a label is outside the text");
    }
}
