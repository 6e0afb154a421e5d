//! Builds the tree and records the byte ranges of its elements and text nodes in the page.

use crate::Reading;
use crate::labelling::Labelling;
use crate::source_map::{Edit, SourceMap};
use crate::tokenizer::{Content, Doctype, Sink, StartTag};
use crate::tree::{Document, Kind, NodeId};
use crate::tree_builder::Tokens;
use crate::{names::Name, tag::Tag};
use memchr::memchr_iter;
use std::ops::Range;
use threshr_core::{Budget, Result};

/// Builds the tree like [`build`](super::build), with the source map of its elements and text nodes.
///
/// # Errors
/// If the time budget is exceeded.
pub(crate) fn build_with_sources(
    html: &str,
    labelling: Option<&dyn Labelling>,
    reading: Reading,
    budget: &Budget,
) -> Result<Document> {
    let tracked = Tracked {
        tokens: Tokens::new(html.len(), labelling, reading),
        map: SourceMap::default(),
        token: 0..0,
        open: Vec::new(),
        pending: Vec::new(),
    };
    let mut tracked = super::tokenize(html, tracked, budget)?;
    tracked.map.add_edit(line_ends(html));
    let mut document = tracked.tokens.into_document();
    document.source_map = Some(Box::new(tracked.map));
    Ok(document)
}

/// Returns the edit that [`normalized`](crate::tokenizer::normalized) makes: `\r\n` becomes `\n`.
fn line_ends(html: &str) -> Edit {
    let mut edit = Edit::default();
    let pairs = memchr_iter(b'\r', html.as_bytes()).filter(|&at| html.as_bytes().get(at + 1) == Some(&b'\n'));
    for (num_before, at) in pairs.enumerate() {
        edit.left_out(at - num_before, num_before + 1);
    }
    edit
}

/// Passes tokens to the builder and records the source ranges of the nodes that it creates.
struct Tracked {
    tokens: Tokens,
    map: SourceMap,
    /// The range of the current token.
    token: Range<usize>,
    /// The open elements after the last token.
    open: Vec<NodeId>,
    /// Text that the builder has not inserted yet, as in tables. Each entry contains the length of the text
    /// and its range in the page.
    pending: Vec<(u32, (u32, u32))>,
}

/// The size of the document before a token.
#[derive(Clone, Copy)]
struct Size {
    nodes: usize,
    text: usize,
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Tracked {
    fn document(&self) -> &Document {
        &self.tokens.builder.flat.doc
    }

    fn size(&self) -> Size {
        Size { nodes: self.document().nodes.len(), text: self.document().text.len() }
    }

    fn source(&self) -> (u32, u32) {
        (offset(self.token.start), offset(self.token.end))
    }

    /// Records the text that was added since `before`. Text that had been delayed comes first.
    fn flush(&mut self, before: Size) {
        if !self.tokens.builder.table_text.is_empty() {
            return;
        }
        let end = offset(self.document().text.len());
        let mut at = offset(before.text);
        for (length, source) in std::mem::take(&mut self.pending) {
            let next = at.saturating_add(length).min(end);
            if at < next {
                self.map.add_text(at..next, source);
            }
            at = next;
        }
        if at < end {
            self.map.add_text(at..end, self.source());
        }
    }

    /// Records the ends of the elements that were closed. `end_tag` is the tag of the end tag that was read, if
    /// any.
    fn closed(&mut self, end_tag: Option<Tag>) {
        let builder = &self.tokens.builder;
        let same = self.open.iter().zip(&builder.stack).take_while(|(id, open)| **id == open.id).count();
        for &id in &self.open[same..] {
            if !builder.is_open(id) {
                let ends_here = end_tag == Some(builder.flat.node(id).tag);
                let end = if ends_here { self.token.end } else { self.token.start };
                self.map.end_element(id, offset(end));
            }
        }
        self.open.truncate(same);
        self.open.extend(builder.stack[same..].iter().map(|open| open.id));
    }
}

impl Sink for Tracked {
    fn at(&mut self, source: Range<usize>) {
        self.token = source;
    }

    fn text(&mut self, text: &str) {
        let before = self.size();
        self.tokens.text(text);
        let (start, end) = (offset(before.text), offset(self.document().text.len()));
        let (from, to) = self.source();
        let length = offset(text.len());
        if start == end {
            // the text was dropped or held back
            if !self.tokens.builder.table_text.is_empty() {
                self.pending.push((length, (from, to)));
            }
        } else if length == to - from && text.ends_with(&self.document().text[before.text..]) {
            // the builder may drop the start of the text, such as a line end
            self.map.add_text(start..end, (to - (end - start), to));
        } else {
            self.map.add_text(start..end, (from, to));
        }
        self.closed(None);
    }

    fn nul(&mut self) {
        let before = self.size();
        self.tokens.nul();
        self.flush(before);
        self.closed(None);
    }

    fn start_tag(&mut self, tag: &mut StartTag<'_>) -> Content {
        let before = self.size();
        let content = self.tokens.start_tag(tag);
        self.flush(before);
        // the builder adds the tag's element last, after the elements that the tag implies
        let doc = self.document();
        let last = doc.nodes.len() - 1;
        if last >= before.nodes && doc.nodes[last].kind == Kind::Element {
            let source = self.source();
            self.map.set_element(offset(last), source);
        }
        self.closed(None);
        content
    }

    fn end_tag(&mut self, name: Name<'_>) {
        let before = self.size();
        let tag = self.tokens.builder.flat.doc.names.tag(name);
        self.tokens.end_tag(name);
        self.flush(before);
        self.closed(Some(tag));
    }

    fn comment(&mut self, text: &str) {
        let before = self.size();
        self.tokens.comment(text);
        self.flush(before);
    }

    fn doctype(&mut self, doctype: Doctype) {
        self.tokens.doctype(doctype);
    }

    fn end(&mut self) {
        let before = self.size();
        self.tokens.end();
        self.flush(before);
        self.tokens.builder.truncate(0);
        self.closed(None);
    }

    fn is_in_foreign_content(&self) -> bool {
        self.tokens.is_in_foreign_content()
    }
}
