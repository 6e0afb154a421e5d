//! Boilerpipe's blocks: the text between tags, where `<a>` and inline formatting do not end a block.

use crate::classic::boilerpipe::words::Reading;
use crate::shared::events::{Event, events};
use rustc_hash::FxHashSet;
use std::ops::Range;
use threshr_html::{Document, NodeId, Tag};

/// Line width for the text density, in characters.
const LINE_LENGTH: i64 = 80;

/// The labels that filters assign to a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Labels {
    pub title: bool,
    pub heading: bool,
    pub list_item: bool,
    pub end_of_text: bool,
    pub might_be_content: bool,
    pub very_likely_content: bool,
}

impl Labels {
    fn join(&mut self, other: Self) {
        self.title |= other.title;
        self.heading |= other.heading;
        self.list_item |= other.list_item;
        self.end_of_text |= other.end_of_text;
        self.might_be_content |= other.might_be_content;
        self.very_likely_content |= other.very_likely_content;
    }
}

/// A block, or a sequence of fused blocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextBlock {
    /// Ranges of the block's text nodes in the document's source text.
    pub ranges: Vec<Range<u32>>,
    /// The text of the block. A fused block has only the text of its first block.
    pub text: String,
    pub num_words: u32,
    /// Number of words inside `<a>`.
    pub num_linked: u32,
    /// Number of words in full lines, and number of these lines. If there are several lines, the last one is not
    /// counted.
    pub num_words_in_lines: u32,
    pub num_lines: u32,
    /// Depth of the element where its text begins. Inline formatting elements are not counted.
    pub tag_level: u32,
    /// Indices of the first and last block that were fused into this block.
    pub first: usize,
    pub last: usize,
    pub is_content: bool,
    pub labels: Labels,
}

impl TextBlock {
    /// Number of words in links divided by number of words; 0 if there are no words.
    pub(super) fn link_density(&self) -> f64 {
        if self.num_words == 0 { 0.0 } else { f64::from(self.num_linked) / f64::from(self.num_words) }
    }
    /// Number of words per line; 0 if there are no words.
    pub(super) fn text_density(&self) -> f64 {
        f64::from(self.num_words_in_lines) / f64::from(self.num_lines.max(1))
    }
    /// Fuses the next block into this one.
    pub(super) fn merge(&mut self, next: TextBlock) {
        self.ranges.extend(next.ranges);
        self.num_words += next.num_words;
        self.num_linked += next.num_linked;
        self.num_words_in_lines += next.num_words_in_lines;
        self.num_lines += next.num_lines;
        self.tag_level = self.tag_level.min(next.tag_level);
        (self.first, self.last) = (self.first.min(next.first), self.last.max(next.last));
        self.is_content |= next.is_content;
        self.labels.join(next.labels);
    }
}

/// The effect of an element's tags on blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    /// The text of the element is ignored.
    Ignore,
    Anchor,
    Body,
    /// An inline element, which does not end a block.
    Inline {
        space: bool,
    },
    /// A block element, which ends a block.
    Block,
}

fn action(doc: &Document, node: NodeId) -> Action {
    match doc.tag(node) {
        Tag::STYLE | Tag::SCRIPT | Tag::OPTION | Tag::OBJECT | Tag::EMBED | Tag::LINK | Tag::NOSCRIPT => {
            Action::Ignore
        }
        Tag::A => Action::Anchor,
        Tag::BODY => Action::Body,
        Tag::STRIKE
        | Tag::U
        | Tag::B
        | Tag::I
        | Tag::EM
        | Tag::STRONG
        | Tag::SPAN
        | Tag::SUP
        | Tag::CODE
        | Tag::TT
        | Tag::SUB
        | Tag::VAR
        | Tag::FONT => Action::Inline { space: false },
        Tag::ABBR => Action::Inline { space: true },
        _ => match doc.name(node) {
            "applet" => Action::Ignore,
            "acronym" => Action::Inline { space: true },
            _ => Action::Block,
        },
    }
}

/// Splits a page into blocks. Hidden blocks are included, because the library does not read styles. Text of
/// `<textarea>`, `<iframe>` and of a `<title>` in the body is included, because the library has no rule for these
/// elements.
pub(crate) fn text_blocks(doc: &Document, reading: Reading) -> Vec<TextBlock> {
    let mut walk = Walk::new(doc, reading);
    for event in events(doc, doc.root(), |node| doc.tag(node) != Tag::TEMPLATE) {
        match event {
            Event::Start(node) => walk.start(node),
            Event::End(node) => walk.end(node),
            Event::Text(node) => walk.text(node),
            Event::Skipped(node) => {
                walk.start(node);
                walk.end(node);
            }
        }
    }
    walk.flush_block();
    walk.blocks
}

struct Walk<'a> {
    doc: &'a Document,
    reading: Reading,
    blocks: Vec<TextBlock>,
    /// Text of the current block, with white space collapsed.
    text: String,
    /// Byte ranges of this text that are inside `<a>`.
    linked: Vec<Range<usize>>,
    ranges: Vec<Range<u32>>,
    /// Depth of the block's first text.
    block_level: Option<u32>,
    level: u32,
    /// Whether the current block ends before the next text.
    flush: bool,
    num_body: u32,
    num_ignored: u32,
    num_anchors: u32,
    /// Whether the current text is inside an `<a>` that is not a link, in the block where this `<a>` begins.
    in_target: bool,
    /// Names of the `<a>` elements seen so far that are not links.
    targets: FxHashSet<&'a str>,
    num_headings: u32,
    num_list_items: u32,
}

impl<'a> Walk<'a> {
    fn new(doc: &'a Document, reading: Reading) -> Self {
        Walk {
            doc,
            reading,
            blocks: Vec::new(),
            text: String::new(),
            linked: Vec::new(),
            ranges: Vec::new(),
            block_level: None,
            level: 0,
            flush: false,
            num_body: 0,
            num_ignored: 0,
            num_anchors: 0,
            in_target: false,
            targets: FxHashSet::default(),
            num_headings: 0,
            num_list_items: 0,
        }
    }

    fn labels_of(&mut self, node: NodeId) -> Option<&mut u32> {
        match self.doc.tag(node) {
            Tag::H1 | Tag::H2 | Tag::H3 => Some(&mut self.num_headings),
            Tag::LI => Some(&mut self.num_list_items),
            _ => None,
        }
    }

    fn start(&mut self, node: NodeId) {
        let action = action(self.doc, node);
        if !matches!(action, Action::Inline { .. }) {
            self.level += 1;
        }
        match action {
            Action::Ignore => {
                self.num_ignored += 1;
                self.flush = true;
            }
            Action::Anchor => {
                if self.is_link(node) {
                    self.num_anchors += 1;
                } else {
                    self.in_target = self.begins_target(node);
                }
                self.space();
            }
            Action::Body => {
                self.flush_block();
                self.num_body += 1;
            }
            Action::Inline { space: true } => self.space(),
            Action::Inline { space: false } => {}
            Action::Block => {
                if let Some(count) = self.labels_of(node) {
                    *count += 1;
                }
                self.flush = true;
            }
        }
    }

    fn end(&mut self, node: NodeId) {
        let action = action(self.doc, node);
        match action {
            Action::Ignore => {
                self.num_ignored -= 1;
                self.flush = true;
            }
            Action::Anchor => {
                if self.is_link(node) {
                    self.num_anchors -= 1;
                } else {
                    self.in_target = false;
                }
                self.space();
            }
            Action::Body => {
                self.flush_block();
                self.num_body -= 1;
            }
            Action::Inline { space: true } => self.space(),
            Action::Inline { space: false } => {}
            Action::Block => self.flush = true,
        }
        if !matches!(action, Action::Inline { .. }) {
            self.level -= 1;
        }
        if self.flush {
            self.flush_block();
        }
        if action == Action::Block
            && let Some(count) = self.labels_of(node)
        {
            *count -= 1;
        }
    }

    fn space(&mut self) {
        if !self.text.ends_with(' ') && !self.text.is_empty() {
            self.text.push(' ');
        }
    }

    fn text(&mut self, node: NodeId) {
        if self.flush {
            self.flush_block();
            self.flush = false;
        }
        if self.num_ignored > 0 {
            return;
        }
        let source = self.doc.text(node);
        let reading = self.reading;
        let is_space = |c| reading.is_space(c);
        if source.chars().all(is_space) {
            return self.space();
        }
        if source.starts_with(is_space) {
            self.space();
        }
        let start = self.text.len();
        for (i, piece) in source.split(is_space).filter(|p| !p.is_empty()).enumerate() {
            if i > 0 {
                self.text.push(' ');
            }
            self.text.push_str(piece);
        }
        if self.num_anchors > 0 || self.in_target {
            self.linked.push(start..self.text.len());
        }
        if source.ends_with(is_space) {
            self.text.push(' ');
        }
        self.block_level.get_or_insert(self.level);
        self.ranges.push(self.doc.text_range(node));
    }

    /// Returns whether an `<a>` counts as a link. The port reads a tree, in which every `<a>` is closed, so every
    /// `<a>` counts.
    fn is_link(&self, node: NodeId) -> bool {
        self.reading == Reading::Python || self.doc.attribute(node, "href").is_some()
    }

    /// Returns whether an `<a>` that is not a link begins here. The library counts its text as linked, and
    /// its parser closes the `<a>` at the end of the surrounding block. The HTML standard instead reopens an
    /// unclosed `<a>` in all following blocks, so only the first `<a>` element with this name counts.
    fn begins_target(&mut self, node: NodeId) -> bool {
        if std::mem::take(&mut self.flush) {
            self.flush_block();
        }
        let name = self.doc.attribute(node, "name").or_else(|| self.doc.attribute(node, "id"));
        // an `<a>` without a name is nearly always closed correctly, so it counts every time
        name.is_none_or(|name| self.targets.insert(name))
    }

    fn flush_block(&mut self) {
        self.in_target = false;
        let text = std::mem::take(&mut self.text);
        let (linked, ranges) = (std::mem::take(&mut self.linked), std::mem::take(&mut self.ranges));
        let tag_level = self.block_level.take().unwrap_or(self.level);
        if self.num_body == 0 || ranges.is_empty() {
            return;
        }
        let mut block = TextBlock { ranges, tag_level, num_lines: 0, ..TextBlock::default() };
        let (mut line_length, mut num_words_in_line) = (-1i64, 0);
        let mut has_token = false;
        let mut linked = linked.into_iter().peekable();
        for token in self.reading.tokens(&text) {
            has_token = true;
            if !token.is_word {
                continue;
            }
            while linked.next_if(|r| r.end <= token.start).is_some() {}
            block.num_linked += u32::from(linked.peek().is_some_and(|r| r.start <= token.start));
            block.num_words += 1;
            num_words_in_line += 1;
            let num_chars = i64::from(token.num_chars);
            line_length += num_chars + 1;
            if line_length > LINE_LENGTH {
                block.num_lines += 1;
                (line_length, num_words_in_line) = (num_chars, 1);
            }
        }
        if !has_token {
            return;
        }
        block.num_words_in_lines = block.num_words - num_words_in_line;
        // if no line is full, the text counts as one line with all its words
        if block.num_words_in_lines == 0 {
            (block.num_lines, block.num_words_in_lines) = (1, block.num_words);
        }
        text.trim_matches(|c| self.reading.is_space(c)).clone_into(&mut block.text);
        block.labels.heading = self.num_headings > 0;
        block.labels.list_item = self.num_list_items > 0;
        (block.first, block.last) = (self.blocks.len(), self.blocks.len());
        self.blocks.push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::parse_str;

    fn blocks(html: &str) -> Vec<TextBlock> {
        text_blocks(&parse_str(html), Reading::Java)
    }

    #[test]
    fn blocks_end_at_all_but_links_and_inline_tags() {
        let found = blocks(
            "<title>t</title><p>a <b>b</b>c <a href=x>d e</a><img> f<p>g<br>h<script>s</script><li><h2>i",
        );
        let texts: Vec<_> = found.iter().map(|b| b.text.as_str()).collect();
        assert_eq!(texts, ["a bc d e", "f", "g", "h", "i"]);
        assert_eq!((found[0].num_words, found[0].num_linked, found[0].link_density()), (4, 2, 0.5));
        // the ancestors are html, body, p
        assert_eq!(found[0].tag_level, 3);
        assert!(found[4].labels.heading && found[4].labels.list_item && !found[3].labels.list_item);
    }

    #[test]
    fn what_the_library_has_no_rule_for_is_text() {
        let found =
            blocks("<title>t</title><p>a<textarea>b</textarea><svg><title>c</title></svg><title>d</title>");
        assert_eq!(found.iter().map(|b| b.text.as_str()).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert_eq!(blocks("<body><iframe><b>x</b></iframe>")[0].text, "<b>x</b>");
    }

    #[test]
    fn a_space_that_does_not_break_is_a_block_without_words() {
        let found = blocks("<p>a b<p>&nbsp;<p> \n<p>c&nbsp;d");
        let words: Vec<_> = found.iter().map(|b| (b.text.as_str(), b.num_words)).collect();
        assert_eq!(words, [("a b", 2), ("\u{a0}", 0), ("c\u{a0}d", 2)]);
    }

    #[test]
    fn a_target_that_is_never_closed_ends_with_its_block() {
        let found = blocks("<p><a name=x>a b<p>c d</p><h2><a id=y>e</a> f</h2><p><a href=z>g");
        let linked: Vec<_> = found.iter().map(|b| (b.text.as_str(), b.num_linked)).collect();
        assert_eq!(linked, [("a b", 2), ("c d", 0), ("e f", 1), ("g", 1)]);
        // not links, and closed correctly
        let closed = blocks("<li><a onclick=f()>a</a> b<li><a>c d</a><li><a>e</a>");
        assert_eq!(closed.iter().map(|b| b.num_linked).collect::<Vec<_>>(), [1, 2, 1]);
        // an `<a name>` that contains block elements instead of preceding them
        let around = blocks("<body><a name=x><h2>a</h2><p>b");
        assert_eq!(around.iter().map(|b| b.num_linked).collect::<Vec<_>>(), [0, 0]);
    }

    #[test]
    fn the_port_reads_spaces_signs_and_links_otherwise() {
        let html = "<p>a b<p>&nbsp;<p>&bull;<p>-<p><a name=x>c</a>&nbsp;d 3&frac12;";
        let of = |reading| -> Vec<_> {
            let found = text_blocks(&parse_str(html), reading);
            found.into_iter().map(|b| (b.text, b.num_words, b.num_linked)).collect()
        };
        let shown = |texts: &[(&str, u32, u32)]| -> Vec<_> {
            texts.iter().map(|&(text, words, linked)| (text.to_owned(), words, linked)).collect()
        };
        // in the port, a block needs a token: `-` is a token, a bullet is not
        assert_eq!(of(Reading::Python), shown(&[("a b", 2, 0), ("-", 0, 0), ("c d 3½", 3, 1)]));
        // in the Java library, the fraction is a separate word
        let java = [("a b", 2, 0), ("\u{a0}", 0, 0), ("•", 0, 0), ("-", 0, 0), ("c \u{a0}d 3½", 4, 1)];
        assert_eq!(of(Reading::Java), shown(&java));
        // the library's parser closes an unclosed `<a>` at the end of its block; in the tree, the `<a>` is
        // reopened in all following blocks
        let open = |reading| -> Vec<u32> {
            let found = text_blocks(&parse_str("<p><a name=x>a b<p>c d"), reading);
            found.iter().map(|b| b.num_linked).collect()
        };
        assert_eq!((open(Reading::Java), open(Reading::Python)), (vec![2, 0], vec![2, 2]));
    }

    #[test]
    fn text_density_leaves_the_last_line_out() {
        // Words of 9 letters and a space. The first word takes 9 columns and each further word 10, so 8 words fit
        // in 80 columns (9 + 7·10 = 79). 20 words are lines of 8, 8 and 4 words; the last line is not counted.
        let found = blocks(&format!("<p>{}", "abcdefghi ".repeat(20)));
        assert_eq!((found[0].num_lines, found[0].num_words_in_lines, found[0].num_words), (2, 16, 20));
        assert_eq!(found[0].text_density(), 8.0);
        assert_eq!(blocks("<p>one two three")[0].text_density(), 3.0);
        assert_eq!(blocks(&format!("<p>{}", "a".repeat(100)))[0].text_density(), 1.0);
    }
}
