//! Trees in the form of the html5lib tests, as far as a [`Document`] holds them.
//!
//! A [`Document`] leaves out four things by design. Expected trees are reduced accordingly:
//!
//! - Comments and doctypes are left out. Text around a comment is one text.
//! - Namespaces are left out: `<svg path>` is `<path>`, and `xlink href` is `href`.
//! - The content of `<template>` is its children, without the line `content`.
//! - Neighbouring text nodes count as one. Text moved before a table may be a node of its own.

use super::cases::ExpectedLine;
use crate::tree::{Document, Kind};

/// Lines of a tree with their depth: elements, their sorted attributes, and text.
#[derive(Default)]
struct Outline {
    lines: Vec<(usize, String)>,
    /// Attributes of the last element.
    attributes: Vec<(usize, String)>,
}

impl Outline {
    fn end_attributes(&mut self) {
        self.attributes.sort();
        self.lines.append(&mut self.attributes);
    }

    fn element(&mut self, depth: usize, name: &str) {
        self.end_attributes();
        self.lines.push((depth, format!("<{name}>")));
    }

    fn attribute(&mut self, depth: usize, name: &str, value: &str) {
        self.attributes.push((depth, format!("{name}=\"{value}\"")));
    }

    fn text(&mut self, depth: usize, text: &str) {
        self.end_attributes();
        match self.lines.last_mut() {
            Some((d, last)) if *d == depth && is_text(last) => {
                last.pop();
                last.push_str(text);
                last.push('"');
            }
            _ => self.lines.push((depth, format!("\"{text}\""))),
        }
    }

    fn finish(mut self) -> String {
        self.end_attributes();
        self.lines.iter().map(|(depth, line)| format!("| {}{line}\n", "  ".repeat(*depth))).collect()
    }
}

fn is_text(line: &str) -> bool {
    line.len() > 1 && line.starts_with('"') && line.ends_with('"')
}

/// The outline of a document.
pub(super) fn of_document(doc: &Document) -> String {
    let mut outline = Outline::default();
    for node in doc.descendants(doc.root()) {
        let depth = doc.ancestors(node).count() - 1;
        match doc.kind(node) {
            Kind::Document => {}
            Kind::Text => outline.text(depth, doc.text(node)),
            Kind::Element => {
                outline.element(depth, doc.name(node));
                for (name, value) in doc.attributes(node) {
                    outline.attribute(depth + 1, name, value);
                }
            }
        }
    }
    outline.finish()
}

/// The outline of an expected tree, reduced to what a document holds.
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
            // a comment or a doctype
        } else if let Some(name) = text.strip_prefix('<').and_then(|t| t.strip_suffix('>')) {
            outline.element(at, without_namespace(name, &["svg ", "math "]));
        } else if is_text(text) {
            outline.text(at, &text[1..text.len() - 1]);
        } else {
            let (name, value) = text.split_once("=\"").expect("an attribute");
            let value = value.strip_suffix('"').expect("a quote");
            outline.attribute(at, without_namespace(name, &["xlink ", "xml ", "xmlns "]), value);
        }
    }
    outline.finish()
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
