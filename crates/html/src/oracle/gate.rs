//! A filter between html5ever's tokenizer and its tree builder.
//!
//! It applies the [`Limits`], removes an annotation's tags and markers, and marks the text that they label.

use crate::annotation::{Annotation, Labelled, Reader};
use crate::oracle::sink::{FlatSink, Handle};
use crate::tag::Tag;
use crate::tree::{Document, NodeId};
use crate::tree_builder::limits::Limits;
use html5ever::interface::{Tracer, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag as TagToken, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, local_name};
use std::cell::RefCell;

pub(crate) struct Gate {
    builder: TreeBuilder<Handle, FlatSink>,
    state: RefCell<State>,
}

struct State {
    limits: Limits<LocalName>,
    annotation: Option<Reader>,
}

impl Gate {
    /// For a page of `num_bytes`.
    pub(super) fn new(num_bytes: usize, annotation: Option<&Annotation>, scripting: bool) -> Self {
        let sink = FlatSink::new(num_bytes, annotation.is_some());
        let state = State { annotation: annotation.map(Reader::new), limits: Limits::new(num_bytes) };
        let options = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
        Gate { builder: TreeBuilder::new(sink, options), state: RefCell::new(state) }
    }

    pub(super) fn finish(self) -> Document {
        self.builder.sink.finish()
    }

    /// Whether the tree builder gets the tag.
    fn admits(&self, tag: &TagToken, limits: &mut Limits<LocalName>) -> bool {
        let known = Tag::known(&tag.name);
        let count = || self.count_open();
        match tag.kind {
            TagKind::StartTag => limits.admits_start(&tag.name, known, tag.self_closing, count),
            TagKind::EndTag => limits.admits_end(&tag.name, known, count),
        }
    }

    /// Number of nodes that the tree builder holds: the open elements and a few more.
    fn count_open(&self) -> u32 {
        let open = Open::default();
        self.builder.trace_handles(&open);
        let mut ids = open.0.into_inner();
        ids.sort_unstable();
        ids.dedup();
        u32::try_from(ids.len()).unwrap_or(u32::MAX)
    }

    fn close_formatting(&self, limits: &mut Limits<LocalName>, line: u64) {
        for name in limits.formatting_to_close(self.builder.sink.num_elements()).into_iter().flatten() {
            let end = TagToken {
                kind: TagKind::EndTag,
                name,
                self_closing: false,
                attrs: Vec::new(),
                had_duplicate_attributes: false,
            };
            let _ = self.builder.process_token(Token::TagToken(end), line);
        }
    }
}

/// Collects the nodes that the tree builder holds.
#[derive(Default)]
struct Open(RefCell<Vec<NodeId>>);

impl Tracer for Open {
    type Handle = Handle;
    fn trace_handle(&self, node: &Handle) {
        self.0.borrow_mut().push(node.id);
    }
}

impl TokenSink for Gate {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        let state = &mut *self.state.borrow_mut();
        let token = match &mut state.annotation {
            Some(reader) => match unlabelled(reader, token) {
                Some(token) => token,
                None => return TokenSinkResult::Continue,
            },
            None => token,
        };
        if let Token::TagToken(tag) = &token {
            // a start tag is counted after, since it is not open yet
            if tag.kind == TagKind::StartTag {
                self.close_formatting(&mut state.limits, line);
            }
            if !self.admits(tag, &mut state.limits) {
                return TokenSinkResult::Continue;
            }
            if tag.kind == TagKind::EndTag {
                self.close_formatting(&mut state.limits, line);
            }
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Labelled for TagToken {
    fn name(&self) -> &str {
        &self.name
    }
    fn is_self_closing(&self) -> bool {
        self.self_closing
    }
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attrs.iter().find(|a| &*a.name.local == name).map(|a| &*a.value)
    }
    fn set_class(&mut self, value: &str) {
        for attribute in self.attrs.iter_mut().filter(|a| a.name.local == local_name!("class")) {
            attribute.value = StrTendril::from_slice(value);
        }
    }
    fn has_attributes(&self) -> bool {
        !self.attrs.is_empty()
    }
    fn retain(&mut self, keep: impl Fn(&str, &str) -> bool) {
        self.attrs.retain(|a| keep(&a.name.local, &a.value));
    }
}

/// A token without its label; `None` if nothing is left.
fn unlabelled(reader: &mut Reader, token: Token) -> Option<Token> {
    let is_kept = match token {
        Token::CharacterTokens(text) => {
            return Some(Token::CharacterTokens(reader.mark(&text).as_str().into()));
        }
        Token::TagToken(mut tag) => {
            let is_kept = match tag.kind {
                TagKind::StartTag => reader.start(&mut tag),
                TagKind::EndTag => reader.end(&tag.name),
            };
            return is_kept.then_some(Token::TagToken(tag));
        }
        Token::CommentToken(ref text) => reader.comment(text),
        _ => true,
    };
    is_kept.then_some(token)
}
