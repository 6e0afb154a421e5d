//! CSS selectors.

use crate::Target;
use threshr_core::Budget;
use threshr_html::{Annotation, Kind, ParseOptions, Selector, parse_within};

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
    let parse = |annotation| {
        let options = ParseOptions { annotation, ..ParseOptions::default() };
        parse_within(page, &options, &Budget::UNLIMITED).expect("no limit")
    };
    let doc = parse(None);
    let matches = selector.matches(&doc);
    let mut places = vec![usize::MAX; doc.num_nodes()];
    for (place, node) in doc.descendants(doc.root()).enumerate() {
        places[node as usize] = place;
    }
    assert!(matches.iter().all(|&node| doc.kind(node) == Kind::Element), "a match is no element");
    assert!(matches.is_sorted_by_key(|&node| places[node as usize]), "the matches are not in order");
    // Names in the selector leave the page, its texts do not.
    let labelled = parse(Some(Annotation::selector(selector)));
    let length = labelled.source_text().len() as u32;
    for (range, _) in labelled.labels() {
        assert!(range.start <= range.end && range.end <= length, "a label is outside of the text");
    }
}
