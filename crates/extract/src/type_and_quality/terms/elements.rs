//! Terms from the elements of a page: names, metadata, input fields, labels.

use super::label::{Label, MAX_LABEL};
use super::names::NameTerms;
use super::{MAX_LENGTH, TermCounter, at, normalise_into};
use serde_json::Value;
use threshr_html::text;
use threshr_html::{Document, NodeId, Tag, known_number};
use threshr_page::json_ld;

/// Counts the terms of elements.
pub(super) struct Collector<'a, C> {
    doc: &'a Document,
    counter: &'a mut C,
    names: NameTerms<'a>,
    label: Label,
    /// Buffer for a normalised value.
    value: String,
}

impl<'a, C: TermCounter> Collector<'a, C> {
    pub(super) fn new(doc: &'a Document, counter: &'a mut C) -> Self {
        Collector { doc, counter, names: NameTerms::default(), label: Label::default(), value: String::new() }
    }

    pub(super) fn elements(mut self) {
        let doc = self.doc;
        let mut budget = json_ld::Budget::default();
        let mut has_headline = false;
        for node in doc.elements_with(|_| true) {
            let tag = doc.tag(node);
            self.names(node, tag == Tag::BODY);
            match tag {
                Tag::META => self.meta(node),
                Tag::SCRIPT => {
                    if let Some(value) = json_ld::value(doc, node, &mut budget) {
                        self.json_ld(&value);
                    }
                }
                Tag::INPUT => {
                    self.value(at::INPUT_TYPE, doc.attribute(node, "type").unwrap_or("text"));
                }
                Tag::H1 if !has_headline => {
                    has_headline = true;
                    if self.label.read(doc, node, 4 * MAX_LABEL) {
                        self.counter.add_words(at::HEADLINE_WORD, self.label.text());
                    }
                }
                Tag::A | Tag::BUTTON => self.label(node, at::BUTTON, Some(at::BUTTON_WORD)),
                Tag::H2 | Tag::H3 => self.label(node, at::HEADING, Some(at::HEADING_WORD)),
                Tag::LABEL => self.label(node, at::LABEL, None),
                _ => {}
            }
        }
        self.names.finish(self.counter);
    }

    /// Counts an attribute value as one term, in lower case and with `_` in place of white space.
    fn value(&mut self, channel: usize, value: &str) {
        let value = value.trim();
        if value.len() > MAX_LENGTH {
            return;
        }
        normalise_into(&mut self.value, value);
        if self.value.contains(char::is_whitespace) {
            self.value = self.value.replace(char::is_whitespace, "_");
        }
        self.counter.add(channel, &self.value);
    }

    /// Counts the types and keys of JSON-LD.
    fn json_ld(&mut self, value: &Value) {
        json_ld::walk(value, |key, value| match value {
            Value::Object(map) => map.keys().for_each(|key| self.value(at::LD_KEY, key)),
            Value::String(name) if key == Some("@type") => self.value(at::LD_TYPE, name),
            _ => {}
        });
    }

    /// Counts the terms in class, id, role and microdata of an element.
    fn names(&mut self, node: NodeId, is_body: bool) {
        const CLASS: u16 = known_number("class");
        const ID: u16 = known_number("id");
        const ROLE: u16 = known_number("role");
        const ITEMPROP: u16 = known_number("itemprop");
        const ITEMTYPE: u16 = known_number("itemtype");
        let doc = self.doc;
        // values of class and id, in the order of the attributes
        let (mut first, mut second) = ("", "");
        let is_read = |name| matches!(name, CLASS | ID | ROLE | ITEMPROP | ITEMTYPE);
        for (name, value) in doc.attributes_with(node, is_read) {
            match name {
                CLASS | ID if first.is_empty() => first = value,
                CLASS | ID => second = value,
                ROLE => self.value(at::ROLE, value),
                ITEMPROP => self.value(at::ITEMPROP, value),
                ITEMTYPE => {
                    let value = value.trim_end_matches('/');
                    self.value(at::ITEMTYPE, value.rsplit_once('/').map_or(value, |(_, name)| name));
                }
                _ => {}
            }
        }
        if !first.is_empty() {
            match is_body {
                true => self.names.body([first, second], self.counter),
                false => self.names.add([first, second], self.counter),
            }
        }
    }

    fn meta(&mut self, node: NodeId) {
        let doc = self.doc;
        let name = doc.attribute(node, "property").or_else(|| doc.attribute(node, "name"));
        let (Some(name), content) = (name, doc.attribute(node, "content").unwrap_or("")) else { return };
        self.value(at::META_NAME, name);
        if name.eq_ignore_ascii_case("og:type") {
            self.value(at::OG_TYPE, content);
        } else if name.eq_ignore_ascii_case("generator") {
            let end = text::words(content).nth(1).map_or(content.len(), |word| word.1);
            self.counter.add_words(at::GENERATOR, &content[..end]);
        }
    }

    /// Counts the text of a short element as one term of `channel`, and its words as terms of `of_words`.
    fn label(&mut self, node: NodeId, channel: usize, of_words: Option<usize>) {
        if self.label.read(self.doc, node, MAX_LABEL) {
            self.label.add(channel, of_words, self.counter);
        }
    }
}
