//! Expected trees, as far as a [`Document`](crate::Document) holds them.
//!
//! By design, a document differs from the expected trees in four ways. The expected trees are reduced accordingly:
//!
//! - Comments and doctypes are removed. The text before and after a comment becomes one text node.
//! - Namespaces are removed: `<svg path>` becomes `<path>`, and `xlink href` becomes `href`.
//! - The content of `<template>` becomes its children, without the line `content`.
//! - Adjacent text nodes are merged. In a document, text moved before a table may be a separate node.

use super::cases::ExpectedLine;
use crate::oracle::Outline;

/// Returns the outline of an expected tree, reduced to what a document contains.
pub(super) fn of_expected(tree: &[ExpectedLine]) -> String {
    let mut outline = Outline::default();
    // depths of the open lines `content`
    let mut contents: Vec<usize> = Vec::new();
    for ExpectedLine { depth, text } in tree {
        contents.retain(|content| content < depth);
        let at = depth - contents.len();
        if text == "content" {
            contents.push(*depth);
        } else if text.starts_with("<!") {
            // comments and doctypes are skipped
        } else if let Some(name) = text.strip_prefix('<').and_then(|t| t.strip_suffix('>')) {
            outline.add_element(at, without_namespace(name, &["svg ", "math "]));
        } else if let Some(text) = text.strip_prefix('"') {
            outline.add_text(at, text.strip_suffix('"').expect("a quote"));
        } else {
            let (name, value) = text.split_once("=\"").expect("an attribute");
            let value = value.strip_suffix('"').expect("a quote");
            outline.add_attribute(at, without_namespace(name, &["xlink ", "xml ", "xmlns "]), value);
        }
    }
    outline.text()
}

fn without_namespace<'a>(name: &'a str, namespaces: &[&str]) -> &'a str {
    namespaces.iter().find_map(|namespace| name.strip_prefix(namespace)).unwrap_or(name)
}

#[test]
fn expected_trees_are_reduced() {
    let file = "#data\n#errors\n#document\n| <!DOCTYPE html>\n| <svg svg>\n|   xml lang=\"b\"\n|   a=\"c\"\n\
        |   <!-- d -->\n|   \"e\n\"\n|   <!-- f -->\n|   \"g\"\n| <template>\n|   content\n|     <template>\n\
        |       content\n|         \"h\"\n|     \"i\"\n| \"j\"\n";
    let reduced = "| <svg>\n|   a=\"c\"\n|   lang=\"b\"\n|   \"e\ng\"\n| <template>\n|   <template>\n\
        |     \"h\"\n|   \"i\"\n| \"j\"\n";
    assert_eq!(of_expected(&super::cases::read(file)[0].tree), reduced);
}
