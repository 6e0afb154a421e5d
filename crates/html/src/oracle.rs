//! Test oracle: html5ever's trees, with which tests compare our trees.

use crate::tokenizer::xml;
use crate::tree::{Document, Kind};
use crate::{MAX_ATTRIBUTES, MAX_DEPTH, Reading, tree_builder};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use threshr_core::Budget;

/// Maximum number of elements in an html5ever tree that is compared. On larger pages, our limits may change our
/// tree.
const MAX_ELEMENTS: usize = 10_000;

/// Compares our tree of a page with html5ever's tree. Returns both trees as text if they differ. Returns `None` if
/// the trees are equal, if a known error of html5ever may explain the difference, or if the page may reach our
/// limits.
///
/// If `scripting` is true, `<noscript>` contains text, not elements. If `xml` is true, self-closing raw-text
/// elements such as `<script/>` are empty on pages written by an XML serialiser. The page must not contain U+FEFF,
/// which html5ever drops after scripts and `<meta charset>`.
pub fn difference(html: &str, scripting: bool, xml: bool) -> Option<String> {
    let [ours, theirs] = trees(html, scripting, xml)?;
    (ours != theirs && !keeps_line_end(html)).then(|| format!("{html:?}\n{ours}--- html5ever\n{theirs}"))
}

/// Returns our tree and html5ever's tree of a page as text, one line per node. Line ends at the start of `<pre>`,
/// `<listing>` and `<textarea>` are removed. Returns `None` for pages that may reach our limits. The arguments are
/// those of [`difference`].
pub fn trees(html: &str, scripting: bool, xml: bool) -> Option<[String; 2]> {
    let ours =
        tree_builder::build(html, None, Reading { scripting, xml, repairs: false }, &Budget::UNLIMITED)
            .unwrap_or_else(|e| unreachable!("without a limit: {e}"));
    let theirs = of_html5ever(html, scripting, xml && xml::is_serialised(html))?;
    Some([of_document(&ours), theirs].map(|outline| outline.without_line_ends().text()))
}

/// Returns the outline of html5ever's tree, or `None` for pages that may reach our limits.
///
/// If `closes_raw_text` is true, self-closing raw-text elements such as `<script/>` are empty.
pub(crate) fn of_html5ever(html: &str, scripting: bool, closes_raw_text: bool) -> Option<Outline> {
    let options = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
    let sink = Tokens { builder: TreeBuilder::new(RcDom::default(), options), closes_raw_text };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(html.into());
    // the tokenizer pauses after each script, so that a caller could run it
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let dom = &tokenizer.sink.builder.sink;
    let (mut outline, mut num_elements) = (Outline::default(), 0);
    // stack of nodes to visit
    let mut open: Vec<(usize, Handle)> = vec![(0, dom.document.clone())];
    while let Some((depth, node)) = open.pop() {
        let mut inside: Vec<Handle> = Vec::new();
        match &node.data {
            NodeData::Text { contents } => outline.add_text(depth, &contents.borrow()),
            NodeData::Element { name, attrs, template_contents, .. } => {
                num_elements += 1;
                let attrs = attrs.borrow();
                let is_large = attrs.len() > MAX_ATTRIBUTES || depth > MAX_DEPTH as usize / 2;
                if is_large || num_elements > MAX_ELEMENTS {
                    return None;
                }
                outline.add_element(depth, &name.local);
                for attribute in attrs.iter() {
                    outline.add_attribute(depth + 1, &attribute.name.local, &attribute.value);
                }
                // the contents of a template are treated as its children
                let contents = template_contents.borrow();
                inside.extend(contents.iter().flat_map(|contents| contents.children.borrow().clone()));
            }
            _ => {}
        }
        inside.extend(node.children.borrow().iter().cloned());
        let below = if matches!(node.data, NodeData::Document) { 0 } else { depth + 1 };
        open.extend(inside.into_iter().rev().map(|child| (below, child)));
    }
    Some(outline)
}

/// Passes html5ever's tokens to its tree builder, and adds end tags after self-closing raw-text elements.
struct Tokens {
    builder: TreeBuilder<Handle, RcDom>,
    closes_raw_text: bool,
}

impl TokenSink for Tokens {
    type Handle = Handle;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<Handle> {
        let end = match &token {
            Token::TagToken(tag)
                if self.closes_raw_text && tag.self_closing && tag.kind == TagKind::StartTag =>
            {
                Some(Tag { kind: TagKind::EndTag, self_closing: false, attrs: Vec::new(), ..tag.clone() })
            }
            _ => None,
        };
        let result = self.builder.process_token(token, line_number);
        match (end, &result) {
            (Some(end), TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext) => {
                // the result is ignored: after the end tag of a script, html5ever asks the caller to run the script
                let _ = self.builder.process_token(Token::TagToken(end), line_number);
                TokenSinkResult::Continue
            }
            _ => result,
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Returns the outline of a document.
pub(crate) fn of_document(doc: &Document) -> Outline {
    let mut outline = Outline::default();
    for node in doc.descendants(doc.root()) {
        let depth = doc.ancestors(node).count() - 1;
        match doc.kind(node) {
            Kind::Document => {}
            Kind::Text => outline.add_text(depth, doc.text(node)),
            Kind::Element => {
                outline.add_element(depth, doc.name(node));
                for (name, value) in doc.attributes(node) {
                    outline.add_attribute(depth + 1, name, value);
                }
            }
        }
    }
    outline
}

/// A tree as lines with their depth: elements, their sorted attributes, and text. Adjacent text nodes form one
/// line.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    lines: Vec<(usize, Line)>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Line {
    Element(String),
    Attribute(String),
    Text(String),
}

impl Outline {
    pub(crate) fn add_element(&mut self, depth: usize, name: &str) {
        self.lines.push((depth, Line::Element(name.to_owned())));
    }

    /// Adds an attribute of the last element.
    pub(crate) fn add_attribute(&mut self, depth: usize, name: &str, value: &str) {
        let line = Line::Attribute(format!("{name}=\"{value}\""));
        let is_before = |other: &(usize, Line)| !matches!(other.1, Line::Attribute(_)) || other.1 <= line;
        let place = self.lines.iter().rposition(is_before).map_or(0, |last| last + 1);
        self.lines.insert(place, (depth, line));
    }

    pub(crate) fn add_text(&mut self, depth: usize, text: &str) {
        match self.lines.last_mut() {
            Some((d, Line::Text(last))) if *d == depth => last.push_str(text),
            _ => self.lines.push((depth, Line::Text(text.to_owned()))),
        }
    }

    /// Removes the line ends at the start of text in `<pre>`, `<listing>` and `<textarea>`. html5ever keeps such a
    /// line end if its tokenizer reports an error before it.
    fn without_line_ends(mut self) -> Self {
        let mut is_preformatted: Vec<bool> = Vec::new();
        for (depth, line) in &mut self.lines {
            match line {
                Line::Element(name) => {
                    is_preformatted.truncate(*depth);
                    is_preformatted.push(matches!(name.as_str(), "pre" | "listing" | "textarea"));
                }
                Line::Text(text) if is_preformatted.get(depth.wrapping_sub(1)) == Some(&true) => {
                    *text = text.trim_start_matches('\n').to_owned();
                }
                _ => {}
            }
        }
        self.lines.retain(|(_, line)| *line != Line::Text(String::new()));
        self
    }

    /// Returns the outline in the format of the html5lib tests.
    pub(crate) fn text(&self) -> String {
        let line = |(depth, line): &(usize, Line)| {
            let indent = "  ".repeat(*depth);
            match line {
                Line::Element(name) => format!("| {indent}<{name}>\n"),
                Line::Attribute(attribute) => format!("| {indent}{attribute}\n"),
                Line::Text(text) => format!("| {indent}\"{text}\"\n"),
            }
        };
        self.lines.iter().map(line).collect()
    }
}

/// Returns whether html5ever may keep a line end at the start of `<pre>`, `<listing>` or `<textarea>`. It fails to
/// drop the line end if `</>`, a tokenizer error, precedes it.
fn keeps_line_end(html: &str) -> bool {
    html.match_indices("</>").any(|(at, error)| {
        let before = html[..at].trim_end_matches(error);
        let tag = before.rfind('<').map_or("", |start| &before[start + 1..]);
        let name = tag.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        ["pre", "listing", "textarea"].iter().any(|known| name.eq_ignore_ascii_case(known))
            && html[at + error.len()..].starts_with(['\n', '\r'])
    })
}
