//! html5ever's parser, with which tests and `bench` compare the parser of this crate.
//!
//! Its tree builder reads the tokens of its own tokenizer or of ours.

pub(crate) mod agreement;
mod attribute_limit;
mod gate;
mod sink;

pub use agreement::difference;

use crate::annotation::Annotation;
use crate::names::Name;
use crate::tokenizer::{Content, Doctype, Sink, StartTag, Tokenizer, normalized};
use crate::tree::Document;
use crate::{Build, MAX_ATTRIBUTES, ParseOptions, decode, parse_with};
use attribute_limit::limit_attributes;
use gate::Gate;
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{self as html5, Tag, TagKind, Token, TokenSink, TokenSinkResult, TokenizerOpts};
use html5ever::{Attribute, LocalName, QualName, ns};
use rustc_hash::FxHashMap;
use threshr_core::{Budget, Result};

/// Parses a page as [`crate::parse`] does, with html5ever's tokenizer and tree builder.
///
/// # Errors
/// If the time budget is exceeded.
pub fn parse(bytes: &[u8], options: &ParseOptions, budget: &Budget) -> Result<Document> {
    parse_by(bytes, options, budget, &build)
}

/// Parses a page as [`crate::parse`] does, with our tokenizer and html5ever's tree builder.
///
/// # Errors
/// If the time budget is exceeded.
pub fn parse_with_our_tokenizer(bytes: &[u8], options: &ParseOptions, budget: &Budget) -> Result<Document> {
    parse_by(bytes, options, budget, &build_conforming)
}

fn parse_by(bytes: &[u8], options: &ParseOptions, budget: &Budget, build: Build<'_>) -> Result<Document> {
    let decoded = decode(bytes, options.charset.as_deref());
    parse_with(&decoded.text, decoded.encoding, options, budget, build)
}

/// Bytes that html5ever's tokenizer reads between two checks of the time budget.
const SLICE: usize = 1 << 18;

/// Builds the tree with html5ever's tokenizer. With `scripting`, `<noscript>` contains text, not elements.
pub(crate) fn build(
    html: &str,
    annotation: Option<&Annotation>,
    scripting: bool,
    budget: &Budget,
) -> Result<Document> {
    let gate = Gate::new(html.len(), annotation, scripting);
    let html = limit_attributes(html, MAX_ATTRIBUTES);
    let tokenizer = html5::Tokenizer::new(gate, TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = &*html;
    while !rest.is_empty() {
        budget.check()?;
        let (now, later) = rest.split_at(floor_char_boundary(rest, SLICE));
        input.push_back(StrTendril::from_slice(now));
        rest = later;
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    }
    tokenizer.end();
    Ok(tokenizer.sink.finish())
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// Builds the tree with our own tokenizer. With `scripting`, `<noscript>` contains text, not elements.
pub(crate) fn build_conforming(
    html: &str,
    annotation: Option<&Annotation>,
    scripting: bool,
    budget: &Budget,
) -> Result<Document> {
    let sink = Tokens { gate: Gate::new(html.len(), annotation, scripting), names: FxHashMap::default() };
    Ok(Tokenizer::new(&normalized(html), MAX_ATTRIBUTES, sink).run(budget)?.gate.finish())
}

/// Our tokens as html5ever's.
struct Tokens {
    gate: Gate,
    names: FxHashMap<Box<str>, LocalName>,
}

impl Tokens {
    fn process(&self, token: Token) -> Content {
        match self.gate.process_token(token, 1) {
            TokenSinkResult::Plaintext => Content::Plaintext,
            TokenSinkResult::RawData(RawKind::Rcdata) => Content::Rcdata,
            TokenSinkResult::RawData(RawKind::Rawtext) => Content::Rawtext,
            TokenSinkResult::RawData(RawKind::ScriptData | RawKind::ScriptDataEscaped(_)) => Content::Script,
            _ => Content::Markup,
        }
    }

    fn tag(&mut self, kind: TagKind, name: &str, attrs: Vec<Attribute>, self_closing: bool) -> Content {
        let name = local_name(&mut self.names, name);
        self.process(Token::TagToken(Tag {
            kind,
            name,
            self_closing,
            attrs,
            had_duplicate_attributes: false,
        }))
    }
}

fn local_name(names: &mut FxHashMap<Box<str>, LocalName>, name: &str) -> LocalName {
    if let Some(found) = names.get(name) {
        return found.clone();
    }
    let new = LocalName::from(name);
    names.insert(name.into(), new.clone());
    new
}

impl Sink for Tokens {
    fn text(&mut self, text: &str) {
        self.process(Token::CharacterTokens(StrTendril::from_slice(text)));
    }
    fn nul(&mut self) {
        self.process(Token::NullCharacterToken);
    }
    fn start_tag(&mut self, tag: &mut StartTag<'_>) -> Content {
        let attribute = |(name, value): (Name<'_>, &str)| Attribute {
            name: QualName::new(None, ns!(), local_name(&mut self.names, name.text())),
            value: StrTendril::from_slice(value),
        };
        let attributes = tag.attributes().map(attribute).collect();
        self.tag(TagKind::StartTag, tag.name().text(), attributes, tag.self_closing)
    }
    fn end_tag(&mut self, name: Name<'_>) {
        self.tag(TagKind::EndTag, name.text(), Vec::new(), false);
    }
    fn comment(&mut self, text: &str) {
        self.process(Token::CommentToken(StrTendril::from_slice(text)));
    }
    fn doctype(&mut self, doctype: Doctype) {
        let text = |t: Option<String>| t.map(|t| StrTendril::from_slice(&t));
        self.process(Token::DoctypeToken(html5::Doctype {
            name: text(doctype.name),
            public_id: text(doctype.public_id),
            system_id: text(doctype.system_id),
            force_quirks: doctype.force_quirks,
        }));
    }
    fn end(&mut self) {
        self.process(Token::EOFToken);
        self.gate.end();
    }
    fn is_in_foreign_content(&self) -> bool {
        self.gate.adjusted_current_node_present_but_not_in_html_namespace()
    }
}
