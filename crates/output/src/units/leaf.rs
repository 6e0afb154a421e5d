//! The open line of text: spans of one block, with the atoms between them.

use crate::units::atoms::follows_space;
use crate::units::context::Context;
use crate::units::inline::{AtomKind, Inlines, Link, Style};
use std::ops::Range;
use std::rc::Rc;
use threshr_html::NodeId;

/// A line of text that the builder is writing.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    pub(super) inlines: Inlines,
    /// Index of the block that contains the text of the line; `None` while the line has only atoms.
    pub(super) block: Option<usize>,
    /// The first node of the line, and the index of the first block after that node.
    pub(super) node: NodeId,
    pub(super) next: usize,
    /// Indices in the block of the first and the last span.
    first_span: Option<usize>,
    last_span: Option<usize>,
    /// Whether the last written item is an atom or text without a span.
    after_atom: bool,
    /// Number of images at the end of the line that follow white space. They are moved after the leading
    /// white space of the next span, so that the text does not depend on images.
    num_floating: usize,
    /// The code element that contains the last span.
    code: Option<NodeId>,
    /// Text to write before the next span, such as an opening quotation mark.
    pending: String,
}

/// Consecutive spans of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spans {
    pub(super) block: usize,
    /// Indices in the block of the first and the last span.
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Leaf {
    pub(super) fn new(node: NodeId, next: usize) -> Self {
        Leaf {
            inlines: Inlines::default(),
            block: None,
            node,
            next,
            first_span: None,
            last_span: None,
            after_atom: false,
            num_floating: 0,
            code: None,
            pending: String::new(),
        }
    }

    /// Appends a span with its style.
    pub(super) fn push_span(
        &mut self,
        context: &Context<'_>,
        (block, number): (usize, usize),
        style: Style,
        link: Option<&Rc<Link>>,
        code: Option<NodeId>,
    ) {
        let is_in_code = code.is_some() && code == self.code;
        self.begin_span(context, (block, number), link.filter(|_| self.is_in_link(link)), is_in_code);
        self.code = code;
        let span = &context.blocks.spans(block)[number];
        let text = context.blocks.slice(&span.text);
        let pending = std::mem::take(&mut self.pending);
        self.inlines.push(&pending, style, link);
        if !text.is_ascii() && text.contains(is_invisible) {
            self.inlines.push(&text.replace(is_invisible, ""), style, link);
        } else {
            self.inlines.push(text, style, link);
        }
    }

    /// Returns the range of indices of the spans in their block.
    pub(super) fn spans(&self) -> Option<Range<usize>> {
        Some(self.first_span?..self.last_span? + 1)
    }

    /// Whether the last run has this link.
    fn is_in_link(&self, link: Option<&Rc<Link>>) -> bool {
        self.inlines.runs.last().is_some_and(|run| run.link.as_ref() == link)
    }

    /// Begins a span by writing the white space before it. The white space is inside a link or code element
    /// only if the text on both sides is.
    pub(super) fn begin_span(
        &mut self,
        context: &Context<'_>,
        (block, number): (usize, usize),
        link: Option<&Rc<Link>>,
        is_in_code: bool,
    ) {
        let separator = self.separator(context, (block, number));
        let style = match self.inlines.runs.last() {
            Some(run) if link.is_some() || is_in_code => run.style,
            _ => Style::default(),
        };
        if !self.inlines.is_empty() && !self.inlines.text.ends_with(char::is_whitespace) {
            self.inlines.push(separator, style, link);
        }
        self.place_images();
        self.first_span = self.first_span.or(Some(number));
        (self.block, self.last_span, self.after_atom) = (Some(block), Some(number), false);
    }

    fn separator<'c>(&self, context: &Context<'c>, (block, number): (usize, usize)) -> &'c str {
        let spans = context.blocks.spans(block);
        let start = spans[number].text.start;
        let has_space = || {
            let node = spans[number].node;
            context.doc.text(node).starts_with(char::is_whitespace)
                || follows_space(context.doc, node, |_| false)
        };
        match self.last_span {
            // The white space is in the text after the atom, or there is no white space.
            _ if self.after_atom && has_space() => " ",
            _ if self.after_atom => "",
            Some(last) if last + 1 == number => context.blocks.slice(&(spans[last].text.end..start)),
            // The spans between the two are not written.
            Some(last) => {
                let gap = context.blocks.slice(&(spans[last].text.end..start));
                if gap.starts_with(char::is_whitespace) || gap.ends_with(char::is_whitespace) {
                    " "
                } else {
                    ""
                }
            }
            None => "",
        }
    }

    /// Appends an atom without a span. `has_space` is whether white space precedes it.
    pub(super) fn push_atom(
        &mut self,
        plain: &str,
        kind: AtomKind,
        link: Option<&Rc<Link>>,
        has_space: bool,
    ) {
        if plain.is_empty() {
            // Images do not change the text.
            self.inlines.push_atom(plain, kind, link);
            self.num_floating += usize::from(has_space || self.num_floating > 0);
            return;
        }
        self.space(has_space);
        self.place_images();
        self.inlines.push_atom(plain, kind, link);
        self.after_atom = true;
    }

    /// Moves the images that follow white space to the end of the text.
    fn place_images(&mut self) {
        let end = self.inlines.text.len();
        let first = self.inlines.atoms.len() - std::mem::take(&mut self.num_floating);
        self.inlines.atoms[first..].iter_mut().for_each(|atom| atom.text = end..end);
    }

    /// Completes the line: places the last images and removes trailing white space.
    pub(super) fn finish(&mut self) {
        if self.num_floating > 0 {
            self.space(true);
            self.place_images();
        }
        self.inlines.trim_end();
    }

    /// Appends text without a span.
    pub(super) fn push_text(&mut self, text: &str, has_space: bool) {
        self.space(has_space);
        self.place_images();
        self.inlines.push(text, Style::default(), None);
        self.after_atom = true;
    }

    fn space(&mut self, has_space: bool) {
        if has_space && !self.inlines.text.is_empty() && !self.inlines.text.ends_with(char::is_whitespace) {
            self.inlines.push(" ", Style::default(), None);
        }
    }

    /// Appends an atom that replaces some spans.
    pub(super) fn push_atom_of_spans(
        &mut self,
        context: &Context<'_>,
        spans: Spans,
        plain: &str,
        kind: AtomKind,
    ) {
        self.begin_span(context, (spans.block, spans.first), None, false);
        let pending = std::mem::take(&mut self.pending);
        self.inlines.push(&pending, Style::default(), None);
        self.inlines.push_atom(plain, kind, None);
        self.last_span = Some(spans.last);
    }

    /// Appends text that replaces some spans.
    pub(super) fn push_text_of_spans(
        &mut self,
        context: &Context<'_>,
        spans: Spans,
        text: &str,
        style: Style,
        link: Option<&Rc<Link>>,
    ) {
        self.begin_span(context, (spans.block, spans.first), link.filter(|_| self.is_in_link(link)), false);
        let pending = std::mem::take(&mut self.pending);
        self.inlines.push(&pending, style, link);
        self.inlines.push(text, style, link);
        self.last_span = Some(spans.last);
    }

    /// Whether the line has neither atoms nor visible characters.
    pub(super) fn shows_nothing(&self) -> bool {
        let shows = |c: char| !c.is_whitespace() && !is_mark(c);
        self.inlines.atoms.is_empty() && !self.inlines.text.contains(shows)
    }

    /// Sets text to write before the next span.
    pub(super) fn push_pending(&mut self, text: &str) {
        self.pending.push_str(text);
    }

    /// Writes text after the last span, such as a closing quotation mark. If no span followed the pending
    /// opening text, neither is written.
    pub(super) fn push_after(&mut self, text: &str, style: Style, link: Option<&Rc<Link>>) {
        if self.pending.is_empty() {
            self.place_images();
            self.inlines.push(text, style, link);
        } else {
            self.pending.clear();
        }
    }

    /// Marks the line as a continuation of a block whose first spans are in another line.
    pub(super) fn continue_after(&mut self, block: usize) {
        self.block = Some(block);
    }
}

/// Whether a character is invisible or only controls joining or direction.
fn is_mark(c: char) -> bool {
    is_invisible(c) || matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
}

/// Whether a character is invisible inside words: a soft hyphen or a zero-width space. Joiners are not included,
/// because they change the shape of letters in some scripts.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}
