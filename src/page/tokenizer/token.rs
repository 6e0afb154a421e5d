//! What the tokenizer hands on, without copying what stands in the page as it is.

use std::collections::HashSet;

/// How a tag's content is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Tags, text and character references.
    Markup,
    /// Text with character references (`<title>`, `<textarea>`).
    Rcdata,
    /// Text (`<style>`, `<iframe>` …).
    Rawtext,
    /// Text whose comments may hold the end tag (`<script>`).
    Script,
    /// Text up to the end of the page.
    Plaintext,
}

/// Takes tokens.
pub(crate) trait Sink {
    /// Text that is not empty and holds no NUL.
    fn text(&mut self, text: &str);
    /// A NUL where the tree decides what becomes of it.
    fn nul(&mut self);
    /// A start tag; says how what follows is to be read.
    fn start_tag(&mut self, tag: &mut StartTag<'_>) -> Content;
    /// An end tag, by its name in lower case.
    fn end_tag(&mut self, name: &str);
    /// A comment, without its delimiters.
    fn comment(&mut self, text: &str);
    /// A document type declaration.
    fn doctype(&mut self, doctype: Doctype);
    /// The end of the page.
    fn end(&mut self);
    /// Whether the innermost open element is of SVG or MathML, where CDATA sections are.
    fn is_in_foreign_content(&self) -> bool;
}

/// A document type declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Doctype {
    pub name: Option<String>,
    pub public_id: Option<String>,
    pub system_id: Option<String>,
    pub force_quirks: bool,
}

/// A stretch of the page, or of [`StartTag::decoded`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slice {
    pub start: usize,
    pub end: usize,
    pub is_decoded: bool,
}

/// A start tag: name and attribute names in lower case, no attribute twice.
#[derive(Debug)]
pub(crate) struct StartTag<'s> {
    pub(super) source: &'s str,
    /// Names and values that do not stand in the page as they are meant.
    pub(super) decoded: String,
    pub(super) name: Slice,
    attributes: Vec<(Slice, Slice)>,
    /// Names in `attributes`, once there are many of them.
    names: HashSet<Box<str>>,
    /// Attributes read, those given twice included.
    num_read: usize,
    pub self_closing: bool,
}

/// Number of attributes up to which a name is sought one by one.
const FEW: usize = 16;

impl<'s> StartTag<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        StartTag {
            source,
            decoded: String::new(),
            name: Slice::default(),
            attributes: Vec::new(),
            names: HashSet::new(),
            num_read: 0,
            self_closing: false,
        }
    }

    pub(super) fn clear(&mut self) {
        self.decoded.clear();
        self.attributes.clear();
        if self.num_read > FEW {
            self.names.clear();
        }
        self.num_read = 0;
        self.self_closing = false;
    }

    pub(super) fn str(&self, slice: Slice) -> &str {
        let text = if slice.is_decoded { &self.decoded } else { self.source };
        &text[slice.start..slice.end]
    }

    pub(super) fn push_attribute(&mut self, name: Slice, value: Slice, most: usize) {
        self.num_read += 1;
        if self.num_read > most || self.has_attribute(name) {
            return;
        }
        if self.num_read > FEW {
            if self.names.is_empty() {
                self.names = self.attributes.iter().map(|a| self.str(a.0).into()).collect();
            }
            let name = self.str(name).into();
            self.names.insert(name);
        }
        self.attributes.push((name, value));
    }

    fn has_attribute(&self, name: Slice) -> bool {
        let name = self.str(name);
        if self.names.is_empty() {
            self.attributes.iter().any(|a| a.0.end - a.0.start == name.len() && self.str(a.0) == name)
        } else {
            self.names.contains(name)
        }
    }

    /// Whether more attributes were read than are kept.
    pub(super) fn is_cut(&self, most: usize) -> bool {
        self.num_read > most
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.str(self.name)
    }

    /// Names and values of the attributes, in the page's order.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.attributes.iter().map(|&(name, value)| (self.str(name), self.str(value)))
    }

    /// The value of the attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes().find(|a| a.0 == name).map(|a| a.1)
    }

    /// Leaves out attributes whose name and value `keep` says no to.
    pub fn retain_attributes(&mut self, keep: impl Fn(&str, &str) -> bool) {
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.retain(|&(name, value)| keep(self.str(name), self.str(value)));
        self.attributes = attributes;
    }

    /// Gives the attribute `name`, where the tag has it, another value.
    pub fn set_attribute(&mut self, name: &str, value: &str) {
        let start = self.decoded.len();
        self.decoded.push_str(value);
        let value = Slice { start, end: self.decoded.len(), is_decoded: true };
        let at = self.attributes.iter().position(|a| self.str(a.0) == name);
        if let Some(at) = at {
            self.attributes[at].1 = value;
        }
    }
}
