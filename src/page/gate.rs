//! Between tokenizer and tree builder: what the tree builder must not see.
//!
//! The gate caps the depth, stops formatting elements from being opened anew without end, and takes an
//! annotation's tags and markers out while it marks the text they label.

use super::MAX_DEPTH;
use super::annotation::{Annotation, Reader};
use super::sink::{FlatSink, Handle};
use super::tag::Tag;
use super::tree::{Document, NodeId};
use html5ever::LocalName;
use html5ever::interface::{Tracer, TreeSink};
use html5ever::tokenizer::{Tag as TagToken, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

pub(crate) struct Gate {
    builder: TreeBuilder<Handle, FlatSink>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    /// Start tags ignored for depth, whose end tags must be ignored too.
    ignored: FxHashMap<LocalName, u32>,
    /// Formatting elements that are open as far as the tags tell.
    formatting: Vec<LocalName>,
    /// No fewer than the elements that are open.
    most_open: u32,
    /// The stack of open elements is full, and nothing has been closed since.
    full: bool,
    /// Elements that the page's own tags account for.
    num_start_tags: u64,
    annotation: Option<Reader>,
}

/// Elements the tree builder may create per start tag before open formatting elements are closed: real pages
/// stay far below, pages made to be slow create hundreds.
const ELEMENTS_PER_TAG: u64 = 4;

impl Gate {
    pub fn new(annotation: Option<&Annotation>, scripting: bool) -> Self {
        let sink = FlatSink::new(annotation.is_some());
        let state = State { annotation: annotation.map(Reader::new), ..State::default() };
        let options = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
        Gate { builder: TreeBuilder::new(sink, options), state: RefCell::new(state) }
    }

    pub fn finish(self) -> Document {
        self.builder.sink.finish()
    }

    /// Whether a tag goes on to the tree builder.
    fn admits(&self, tag: &TagToken, state: &mut State) -> bool {
        let known = Tag::known(&tag.name);
        match tag.kind {
            TagKind::StartTag => {
                let opens = known.is_none_or(|t| !t.is_void() && !t.is_raw_text()) && !tag.self_closing;
                if opens && self.is_full(state) {
                    *state.ignored.entry(tag.name.clone()).or_default() += 1;
                    return false;
                }
                state.most_open += u32::from(opens);
                state.num_start_tags += 1;
                if known.is_some_and(Tag::is_formatting) && state.formatting.len() < 4 * MAX_DEPTH as usize {
                    state.formatting.push(tag.name.clone());
                }
            }
            TagKind::EndTag => {
                if state.ignored.get(&tag.name).is_some_and(|&n| n > 0) && self.is_still_deep(state) {
                    state.ignored.entry(tag.name.clone()).and_modify(|n| *n -= 1);
                    return false;
                }
                state.full = false;
                if known.is_some_and(Tag::is_formatting)
                    && let Some(at) = state.formatting.iter().rposition(|n| *n == tag.name)
                {
                    state.formatting.remove(at);
                }
            }
        }
        true
    }

    /// Whether another element would lie too deep.
    ///
    /// The tree builder does not tell when it closes elements, so they are counted, but only when as many tags
    /// have opened one since the last count as fit.
    fn is_full(&self, state: &mut State) -> bool {
        if state.most_open >= MAX_DEPTH && !state.full {
            state.most_open = self.count_open();
            state.full = state.most_open >= MAX_DEPTH;
        }
        state.full
    }

    /// Whether the page is still about where start tags were ignored, so that an end tag may belong to one.
    fn is_still_deep(&self, state: &mut State) -> bool {
        if !state.full {
            state.most_open = self.count_open();
            if state.most_open < MAX_DEPTH / 2 {
                state.ignored.clear();
                return false;
            }
        }
        true
    }

    fn count_open(&self) -> u32 {
        let open = Open::default();
        self.builder.trace_handles(&open);
        let mut ids = open.0.into_inner();
        ids.sort_unstable();
        ids.dedup();
        u32::try_from(ids.len()).unwrap_or(u32::MAX)
    }

    /// Closes all open formatting elements when the tree builder has opened them anew too often.
    fn close_formatting(&self, state: &mut State, line: u64) {
        if self.builder.sink.num_elements() <= ELEMENTS_PER_TAG * state.num_start_tags + 10_000 {
            return;
        }
        for name in std::mem::take(&mut state.formatting).into_iter().rev() {
            let end = TagToken {
                kind: TagKind::EndTag,
                name,
                self_closing: false,
                attrs: Vec::new(),
                had_duplicate_attributes: false,
            };
            let _ = self.builder.process_token(Token::TagToken(end), line);
        }
        // the next time after as many elements again
        state.num_start_tags = self.builder.sink.num_elements() / ELEMENTS_PER_TAG;
    }
}

/// Collects the nodes that the tree builder holds: the open elements and a few more.
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
            Some(reader) => match reader.read(token) {
                Some(token) => token,
                None => return TokenSinkResult::Continue,
            },
            None => token,
        };
        if let Token::TagToken(tag) = &token {
            if !self.admits(tag, state) {
                return TokenSinkResult::Continue;
            }
            self.close_formatting(state, line);
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
