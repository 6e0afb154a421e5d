//! Tokens → the flat tree, by the rules of the HTML standard (§ 13.2.6) as html5ever implements them.
//!
//! Element names are numeric ids, and sets of elements are bits. Open elements are counted by name, so that most
//! tags need no search through the stack of open elements.

mod body;
mod foreign;
mod formatting;
mod head;
pub(crate) mod limits;
mod quirks;
mod sets;
mod stack;
mod table;
#[cfg(test)]
mod tests;
mod tracked;
pub(crate) mod tree_writer;
mod unclosed;

pub(crate) use tracked::build_with_sources;

use crate::composition::{self, Boundaries};
use crate::labelling::{Labelling, TokenFilter, marks};
use crate::names::Name;
use crate::tag::Tag;
use crate::tokenizer::{Content, Doctype, Sink, StartTag, Tokenizer, normalized, xml};
use crate::tree::{Document, NONE, NodeId};
use crate::tree_builder::limits::Limits;
use crate::tree_builder::tree_writer::Flat;
use crate::{MAX_ATTRIBUTES, Reading};
use formatting::Entry;
use stack::Open;
use std::cell::OnceCell;
use threshr_core::{Budget, Result};
use unclosed::Unclosed;

/// Builds the tree.
///
/// # Errors
/// If the time budget is exceeded.
pub(crate) fn build(
    html: &str,
    labelling: Option<&dyn Labelling>,
    reading: Reading,
    budget: &Budget,
) -> Result<Document> {
    Ok(tokenize(html, Tokens::new(html.len(), labelling, reading), budget)?.into_document())
}

/// Passes the tokens of a page to `sink`.
fn tokenize<S: Sink>(html: &str, sink: S, budget: &Budget) -> Result<S> {
    Tokenizer::new(&normalized(html), MAX_ATTRIBUTES, sink).run(budget)
}

/// Applies the label filter and the limits to tokens, and passes them to the builder.
struct Tokens {
    builder: Builder,
    limits: Limits,
    filter: Option<Box<dyn TokenFilter>>,
    reading: Reading,
    /// Whether an XML serialiser wrote the page. Computed when a tag first needs it.
    is_xml: OnceCell<bool>,
    unclosed: Unclosed,
    boundaries: Boundaries,
}

/// Returns the tag if it is a known one.
fn known(tag: Tag) -> Option<Tag> {
    (usize::from(tag.0) < Tag::NUM_KNOWN).then_some(tag)
}

impl Tokens {
    fn new(num_bytes: usize, labelling: Option<&dyn Labelling>, reading: Reading) -> Self {
        Tokens {
            builder: Builder::new(num_bytes, labelling.is_some(), reading.scripting),
            limits: Limits::new(num_bytes),
            filter: labelling.map(Labelling::filter),
            reading,
            is_xml: OnceCell::new(),
            unclosed: Unclosed::default(),
            boundaries: Boundaries::default(),
        }
    }

    fn into_document(mut self) -> Document {
        // removes the flag that marks open nodes
        self.builder.truncate(0);
        if self.reading.repairs {
            composition::compose(&mut self.builder.flat, &self.boundaries);
        }
        self.builder.flat.doc
    }

    /// Whether a self-closing raw-text element is empty.
    fn is_empty_raw_text(&mut self, tag: &StartTag<'_>) -> bool {
        let is_xml = || *self.is_xml.get_or_init(|| xml::is_serialised(tag.source));
        self.reading.xml && is_xml() || self.reading.repairs && self.unclosed.is_unclosed(tag)
    }

    /// Ensures that the texts before and after an ignored tag are not joined, because the element would
    /// separate them.
    fn separate(&mut self, ignored: Tag) {
        if self.reading.repairs && ignored.is_block_level() {
            self.builder.process(Token::Start(Start { tag: Tag::DIV, token: None }));
            self.builder.process(Token::End(Tag::DIV));
        }
    }

    /// Handles an end tag.
    fn close(&mut self, name: Tag) {
        let Self { builder, limits, .. } = self;
        if limits.admits_end(name, known(name), || builder.depth()) {
            self.close_formatting();
            self.builder.process(Token::End(name));
        } else {
            self.separate(name);
        }
    }

    fn close_formatting(&mut self) {
        for tag in self.limits.formatting_to_close(self.builder.flat.num_elements) {
            self.builder.process(Token::End(tag));
        }
    }
}

impl Sink for Tokens {
    fn text(&mut self, text: &str) {
        match &self.filter {
            Some(filter) => self.builder.text(&marks::write(text, filter.class())),
            None => self.builder.text(text),
        }
    }
    fn nul(&mut self) {
        self.builder.process(Token::Nul);
    }
    fn start_tag(&mut self, tag: &mut StartTag<'_>) -> Content {
        if self.filter.as_mut().is_some_and(|filter| !filter.start(tag)) {
            return Content::Markup;
        }
        let name = self.builder.flat.doc.names.tag(tag.name());
        // this must precede the count of this tag by the limits, because the tag is not open yet
        self.close_formatting();
        let start = Start { tag: name, token: Some(&*tag) };
        let Self { builder, limits, .. } = self;
        if !limits.admits_start(name, known(name), builder.depth(), || builder.opens(start)) {
            self.separate(name);
            return Content::Markup;
        }
        let content = self.builder.process(Token::Start(start));
        if content != Content::Markup && tag.self_closing && self.is_empty_raw_text(tag) {
            self.close(name);
            return Content::Markup;
        }
        content
    }
    fn end_tag(&mut self, name: Name<'_>) {
        if self.filter.as_mut().is_some_and(|filter| !filter.end(name.text())) {
            return;
        }
        let name = self.builder.flat.doc.names.tag(name);
        self.close(name);
    }
    fn comment(&mut self, text: &str) {
        if self.filter.as_mut().is_none_or(|filter| filter.comment(text)) {
            if self.reading.repairs {
                let parent = self.builder.current().id;
                self.boundaries.comment(text, parent, &mut self.builder.flat);
            }
            self.builder.process(Token::Comment);
        }
    }
    fn doctype(&mut self, doctype: Doctype) {
        self.builder.ignores_newline = false;
        if self.builder.mode == Mode::Initial {
            self.builder.is_quirky = quirks::is_quirky(&doctype);
            self.builder.mode = Mode::BeforeHtml;
        }
    }
    fn end(&mut self) {
        self.builder.process(Token::EndOfPage);
    }
    fn is_in_foreign_content(&self) -> bool {
        self.builder.current().is_in(sets::FOREIGN)
    }
}

/// A start tag with the id of its name. If `token` is `None`, the rules imply the tag.
#[derive(Clone, Copy)]
struct Start<'t> {
    tag: Tag,
    token: Option<&'t StartTag<'t>>,
}

impl<'t> Start<'t> {
    fn attributes(self) -> impl Iterator<Item = (Name<'t>, &'t str)> {
        self.token.into_iter().flat_map(|t| t.attributes())
    }
    fn attribute(self, name: &str) -> Option<&'t str> {
        self.token.and_then(|t| t.attribute(name))
    }
    fn is_hidden_input(self) -> bool {
        self.attribute("type").is_some_and(|t| t.eq_ignore_ascii_case("hidden"))
    }
}

#[derive(Clone, Copy)]
enum Token<'t> {
    Start(Start<'t>),
    End(Tag),
    Text(&'t str),
    Nul,
    Comment,
    EndOfPage,
}

/// The next step after a token is handled.
enum Step<'t> {
    Done,
    /// The content of the new element is raw text.
    Raw(Content),
    /// The token is handled again by another mode.
    Again(Mode),
    /// The rest of the text is handled next.
    Rest(&'t str),
}

/// The standard's insertion modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    Text,
    InTable,
    InTableText,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// Maximum number of nodes in a document. Node ids have 32 bits, and one tag creates a few hundred nodes at most.
const MAX_NODES: usize = u32::MAX as usize / 2;

struct Builder {
    flat: Flat,
    mode: Mode,
    /// The mode to return to after [`Mode::Text`] and [`Mode::InTableText`].
    next_mode: Mode,
    template_modes: Vec<Mode>,
    stack: Vec<Open>,
    /// Number of open HTML elements by known tag.
    counts: [u32; Tag::NUM_KNOWN],
    formatting: Vec<Entry>,
    head: NodeId,
    form: NodeId,
    /// Whether a `<frameset>` may replace the body, because the body shows nothing.
    frameset_ok: bool,
    /// Whether foster parenting is on: misplaced content in a table is moved before the table.
    fosters: bool,
    /// Whether the next character is skipped if it is a line end.
    ignores_newline: bool,
    is_quirky: bool,
    scripting: bool,
    /// Text in a table that is not inserted yet, because its position depends on the next tokens.
    table_text: String,
}

impl Builder {
    fn new(num_bytes: usize, marked: bool, scripting: bool) -> Self {
        Builder {
            flat: Flat::new(num_bytes, marked),
            mode: Mode::Initial,
            next_mode: Mode::InBody,
            template_modes: Vec::new(),
            stack: Vec::new(),
            counts: [0; Tag::NUM_KNOWN],
            formatting: Vec::new(),
            head: NONE,
            form: NONE,
            frameset_ok: true,
            fosters: false,
            ignores_newline: false,
            is_quirky: false,
            scripting,
            table_text: String::new(),
        }
    }

    /// Returns the greatest possible depth of the open elements after formatting elements are reconstructed.
    fn depth(&self) -> u32 {
        let is_closed = |entry: &&Entry| entry.id != NONE && !self.is_open(entry.id);
        let num_closed = self.formatting.iter().rev().take_while(is_closed).count();
        u32::from(self.current().depth) + u32::try_from(num_closed).unwrap_or(u32::MAX)
    }

    /// Whether a start tag opens an element that its content does not close.
    fn opens(&self, start: Start<'_>) -> bool {
        if self.is_foreign(&Token::Start(start)) {
            return start.token.is_none_or(|token| !token.self_closing);
        }
        let is_raw_text = start.tag.is_raw_text() && (self.scripting || start.tag != Tag::NOSCRIPT);
        !start.tag.is_void() && !is_raw_text
    }

    fn text(&mut self, text: &str) {
        let ignores = std::mem::take(&mut self.ignores_newline);
        let text = if ignores { text.strip_prefix('\n').unwrap_or(text) } else { text };
        if !text.is_empty() {
            self.run(Token::Text(text));
        }
    }

    fn process(&mut self, token: Token<'_>) -> Content {
        self.ignores_newline = false;
        self.run(token)
    }

    fn run(&mut self, mut token: Token<'_>) -> Content {
        if self.flat.doc.nodes.len() > MAX_NODES {
            return Content::Markup;
        }
        loop {
            let step =
                if self.is_foreign(&token) { self.foreign(&token) } else { self.step(self.mode, &token) };
            match step {
                Step::Done => return Content::Markup,
                Step::Raw(content) => return content,
                Step::Again(mode) => self.mode = mode,
                Step::Rest("") => return Content::Markup,
                Step::Rest(text) => token = Token::Text(text),
            }
        }
    }

    /// Handles a token in a mode.
    #[inline]
    fn step<'t>(&mut self, mode: Mode, token: &Token<'t>) -> Step<'t> {
        match mode {
            Mode::InBody => self.in_body(token),
            Mode::Text => self.in_text(token),
            Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead => self.before(mode, token),
            Mode::InHead => self.in_head(token),
            Mode::InHeadNoscript => self.in_head_noscript(token),
            Mode::AfterHead => self.after_head(token),
            Mode::InTable => self.in_table(token),
            Mode::InTableText => self.in_table_text(token),
            Mode::InCaption => self.in_caption(token),
            Mode::InColumnGroup => self.in_column_group(token),
            Mode::InTableBody => self.in_table_body(token),
            Mode::InRow => self.in_row(token),
            Mode::InCell => self.in_cell(token),
            Mode::InTemplate => self.in_template(token),
            Mode::AfterBody | Mode::AfterAfterBody => self.after_body(mode, token),
            Mode::InFrameset => self.in_frameset(token),
            Mode::AfterFrameset | Mode::AfterAfterFrameset => self.after_frameset(mode, token),
        }
    }

    /// Inserts and opens an element.
    fn insert(&mut self, start: Start<'_>) -> NodeId {
        let id = self.insert_void(start);
        self.push(Open::html(id, start.tag));
        id
    }

    /// Inserts an element without opening it.
    fn insert_void(&mut self, start: Start<'_>) -> NodeId {
        let id = self.create(start);
        self.insert_node(self.current(), id);
        id
    }

    /// Creates an element without a parent.
    fn create(&mut self, start: Start<'_>) -> NodeId {
        let attributes = match start.token {
            Some(tag) => self.flat.add_attributes(tag.attributes()),
            None => 0..0,
        };
        self.flat.create_element(start.tag, attributes)
    }

    /// Inserts and opens an element that the page implies.
    fn insert_implied(&mut self, tag: Tag) -> NodeId {
        self.insert(Start { tag, token: None })
    }

    /// Inserts and opens an element whose content is raw text.
    fn insert_raw(&mut self, start: Start<'_>, content: Content) -> Step<'static> {
        self.insert(start);
        self.next_mode = self.mode;
        self.mode = Mode::Text;
        Step::Raw(content)
    }

    fn in_text<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) => {
                self.insert_text(text);
                Step::Done
            }
            Token::EndOfPage => {
                self.pop();
                Step::Again(self.next_mode)
            }
            Token::End(_) => {
                self.pop();
                self.mode = self.next_mode;
                Step::Done
            }
            // the tokenizer does not emit these in raw text
            Token::Start(_) | Token::Nul | Token::Comment => Step::Done,
        }
    }

    /// Returns the insertion mode for the open elements ("reset the insertion mode").
    fn mode_of_stack(&self) -> Mode {
        for (i, open) in self.stack.iter().enumerate().rev() {
            return match open.tag {
                Tag::TD | Tag::TH if i > 0 => Mode::InCell,
                Tag::TR => Mode::InRow,
                Tag::TBODY | Tag::THEAD | Tag::TFOOT => Mode::InTableBody,
                Tag::CAPTION => Mode::InCaption,
                Tag::COLGROUP => Mode::InColumnGroup,
                Tag::TABLE => Mode::InTable,
                Tag::TEMPLATE => self.template_modes.last().copied().unwrap_or(Mode::InBody),
                Tag::HEAD if i > 0 => Mode::InHead,
                Tag::BODY => Mode::InBody,
                Tag::FRAMESET => Mode::InFrameset,
                Tag::HTML if self.head == NONE => Mode::BeforeHead,
                Tag::HTML => Mode::AfterHead,
                _ => continue,
            };
        }
        Mode::InBody
    }

    /// Inserts the leading white space of `text` and returns the rest. If `text` does not begin with white space,
    /// nothing is inserted, and the error is the text from the first white space on.
    fn insert_space<'t>(&mut self, text: &'t str) -> Result<&'t str, &'t str> {
        let (space, is_space, rest) = split_space(text);
        if !is_space {
            return Err(rest);
        }
        self.insert_text(space);
        Ok(rest)
    }
}

/// Splits `text` after its leading run of white space or of other characters. Returns the run, whether it is white
/// space, and the rest.
fn split_space(text: &str) -> (&str, bool, &str) {
    let is_space = |b: &u8| matches!(b, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ');
    let first = text.as_bytes().first().is_some_and(is_space);
    let length = text.bytes().position(|b| is_space(&b) != first).unwrap_or(text.len());
    let (run, rest) = text.split_at(length);
    (run, first, rest)
}

/// Whether the rules for `<head>` handle the element, wherever it is.
fn goes_in_head(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::BASE
            | Tag::BASEFONT
            | Tag::BGSOUND
            | Tag::LINK
            | Tag::META
            | Tag::NOFRAMES
            | Tag::SCRIPT
            | Tag::STYLE
            | Tag::TEMPLATE
            | Tag::TITLE
    )
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'\t' | b'\n' | b'\x0c' | b'\r' | b' '))
}
