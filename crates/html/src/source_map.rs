//! Where the elements and texts of a document are in the page.

use crate::tree::{NONE, NodeId};
use std::ops::Range;

/// Where the elements and texts of a document are in the page. Offsets are bytes of the decoded page, which for a page in
/// UTF-8 are those of its file.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceMap {
    /// By node, from the begin of an element's start tag to the end of its end tag. [`NO_RANGE`] for other nodes and
    /// for elements that the parser adds.
    elements: Vec<(u32, u32)>,
    /// The text of the document, in order.
    chunks: Vec<Chunk>,
    /// Differences between the text that the tokenizer reads and the page, each on the result of the one before.
    edits: Vec<Edit>,
}

const NO_RANGE: (u32, u32) = (NONE, NONE);

/// Text of the document that one token gives.
#[derive(Debug, Clone, Copy)]
struct Chunk {
    /// Its begin in the text of the document.
    text: u32,
    length: u32,
    /// Its range in the page. A character reference has another length than its text.
    source: (u32, u32),
}

impl Chunk {
    fn is_verbatim(&self) -> bool {
        self.length == self.source.1 - self.source.0
    }
}

/// Text that is left out or added.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edit {
    /// Offsets after the edit, ascending, each with the difference from there on to the offset before the edit, and the
    /// least such offset.
    shifts: Vec<(usize, i64, usize)>,
}

impl Edit {
    /// At `offset`, text is left out, so that the total is `length` bytes.
    pub(crate) fn left_out(&mut self, offset: usize, length: usize) {
        self.shifts.push((offset, length as i64, 0));
    }

    /// At `offset`, text of `length` bytes is added.
    pub(crate) fn added(&mut self, offset: usize, length: usize) {
        self.shifts.push((offset, -(length as i64), offset));
    }

    /// The offset before the edit.
    fn before(&self, offset: usize) -> usize {
        let next = self.shifts.partition_point(|shift| shift.0 <= offset);
        let Some(&(_, difference, least)) = next.checked_sub(1).and_then(|i| self.shifts.get(i)) else {
            return offset;
        };
        usize::try_from(offset as i64 + difference).unwrap_or(0).max(least)
    }
}

impl SourceMap {
    pub(crate) fn set_element(&mut self, node: NodeId, source: (u32, u32)) {
        let index = node as usize;
        if self.elements.len() <= index {
            self.elements.resize(index + 1, NO_RANGE);
        }
        self.elements[index] = source;
    }

    /// Sets the end of an element that the page has.
    pub(crate) fn end_element(&mut self, node: NodeId, end: u32) {
        if let Some(source) = self.elements.get_mut(node as usize).filter(|s| **s != NO_RANGE) {
            source.1 = source.1.max(end);
        }
    }

    /// Adds the text at `text` of the document, which follows all text so far.
    pub(crate) fn add_text(&mut self, text: Range<u32>, source: (u32, u32)) {
        self.chunks.push(Chunk { text: text.start, length: text.end - text.start, source });
    }

    pub(crate) fn add_edit(&mut self, edit: Edit) {
        if !edit.shifts.is_empty() {
            self.edits.push(edit);
        }
    }

    /// The page begins `offset` bytes earlier than the text so far.
    pub(crate) fn shift(&mut self, offset: usize) {
        let mut edit = Edit::default();
        if offset > 0 {
            edit.left_out(0, offset);
        }
        self.add_edit(edit);
    }

    /// The range of an element; `None` if the parser has added it.
    pub(crate) fn of_element(&self, node: NodeId) -> Option<Range<usize>> {
        let &(start, end) = self.elements.get(node as usize).filter(|s| **s != NO_RANGE)?;
        self.in_page(start, end)
    }

    /// The range of the text at `text` of the document, from its first to its last byte.
    pub(crate) fn of_text(&self, text: &Range<u32>) -> Option<Range<usize>> {
        if text.is_empty() {
            return None;
        }
        let at = |offset: u32| {
            let next = self.chunks.partition_point(|chunk| chunk.text <= offset);
            let chunk = self.chunks.get(next.checked_sub(1)?)?;
            (offset < chunk.text + chunk.length).then_some(chunk)
        };
        let (first, last) = (at(text.start)?, at(text.end - 1)?);
        let start = first.source.0 + if first.is_verbatim() { text.start - first.text } else { 0 };
        let end = if last.is_verbatim() { last.source.0 + text.end - last.text } else { last.source.1 };
        self.in_page(start, end)
    }

    fn in_page(&self, start: u32, end: u32) -> Option<Range<usize>> {
        let original = |offset| self.edits.iter().fold(offset, |offset, edit: &Edit| edit.before(offset));
        let last = (end as usize).checked_sub(1)?;
        // between the last byte and the end, text may be left out or added
        let to = (original(last) + 1).min(original(end as usize));
        (start < end).then(|| original(start as usize)..to)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::random_pages::PageGenerator;
    use crate::tree::Kind;
    use crate::{Document, ParseOptions, Tag, parse};

    fn document(page: &[u8]) -> Document {
        parse(page, &ParseOptions { source_map: true, ..ParseOptions::default() })
    }

    /// The parts of the page that are the elements with a tag.
    fn elements(page: &str, tag: Tag) -> Vec<&str> {
        let doc = document(page.as_bytes());
        let nodes = doc.descendants(0).filter(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == tag);
        nodes.map(|n| doc.source_of(n).map_or("none", |range| &page[range])).collect()
    }

    /// The parts of the page that are its texts.
    fn texts(page: &str) -> Vec<String> {
        let doc = document(page.as_bytes());
        let nodes = doc.descendants(0).filter(|&n| doc.kind(n) == Kind::Text);
        nodes.filter_map(|n| doc.source_of(n)).map(|range| page[range].to_owned()).collect()
    }

    #[test]
    fn elements_begin_and_end_with_their_tags() {
        assert_eq!(elements("<div><p>a <b>b</b><p>c</P >d</div>", Tag::P), ["<p>a <b>b</b>", "<p>c</P >"]);
        assert_eq!(elements("<ul><li>a<li>b<br></ul>", Tag::LI), ["<li>a", "<li>b<br>"]);
        assert_eq!(elements("x<img src=a>y", Tag::IMG), ["<img src=a>"]);
        assert_eq!(elements("<div>a<div>b</div>", Tag::DIV), ["<div>a<div>b</div>", "<div>b</div>"]);
        // the second one is added by the parser, and so is the body
        assert_eq!(elements("<p><b>a<p>b</b>", Tag::B), ["<b>a", "none"]);
        assert_eq!(elements("a", Tag::BODY), ["none"]);
        assert_eq!(elements("<table><td>a</table>", Tag::TR), ["none"]);
        assert_eq!(elements("<svg><title>a</title></svg>", Tag::TITLE), ["<title>a</title>"]);
        assert_eq!(elements("<pre>\na</pre>", Tag::PRE), ["<pre>\na</pre>"]);
    }

    #[test]
    fn texts_are_where_the_page_has_them() {
        assert_eq!(texts("<p>a &amp; b<b>é&eacute;</b>"), ["a &amp; b", "é&eacute;"]);
        assert_eq!(texts("<pre>\nx\r\ny</pre>"), ["x\r\ny"]);
        // Text in a table is moved before it.
        assert_eq!(texts("<table>a &lt; b<tr><td>c</table>d"), ["a &lt; b", "c", "d"]);
        assert_eq!(texts("<p>a<![CDATA[b]]><p>c"), ["a", "c"]);
    }

    #[test]
    fn edits_before_parsing_are_undone() {
        assert_eq!(elements("\u{feff}<title>t<body><p>a</p>", Tag::P), ["<p>a</p>"]);
        assert_eq!(
            elements("<text id=\"a\" title=\"b\" encoding=\"c\">\r\n<p>a</p></text>", Tag::P),
            ["<p>a</p>"]
        );
        assert_eq!(elements("é\r\n\r\n<p>a\r\n</p>\r\n<p>b</p>", Tag::P), ["<p>a\r\n</p>", "<p>b</p>"]);
        let frames = "<head></head><frameset><noframes><p>a</p></noframes></frameset>";
        assert_eq!(elements(frames, Tag::P), ["<p>a</p>"]);
    }

    #[test]
    fn random_pages_have_their_nodes_where_the_map_says() {
        let mut generator = PageGenerator::new(11);
        let mut num_texts = 0;
        for _ in 0..1_500 {
            let page = generator.page();
            let (doc, plain) = (document(page.as_bytes()), parse(page.as_bytes(), &ParseOptions::default()));
            assert_eq!(doc.source_text(), plain.source_text());
            assert_eq!(doc.num_nodes(), plain.num_nodes());
            // of text outside frames, single spaces are kept
            let nodes = doc.descendants(0).filter(|_| !page.contains("<frameset"));
            for node in nodes {
                let Some(range) = doc.source_of(node) else {
                    assert!(doc.kind(node) == Kind::Element, "text without a place in {page:?}");
                    continue;
                };
                let source = &page[range];
                if doc.kind(node) == Kind::Element {
                    assert!(source.starts_with('<'), "{source:?} in {page:?}");
                    continue;
                }
                num_texts += 1;
                let text = doc.text(node);
                let is_read = |c: char| matches!(c, '&' | '\0' | '\r');
                assert!(
                    source.starts_with(is_read) || text.chars().next() == source.chars().next(),
                    "{text:?} is {source:?} in {page:?}"
                );
                let is_read = |c: char| matches!(c, ';' | '\0' | '\r') || c.is_ascii_alphanumeric();
                assert!(
                    source.ends_with(is_read) || text.chars().last() == source.chars().last(),
                    "{text:?} is {source:?} in {page:?}"
                );
            }
        }
        assert!(num_texts > 5_000, "{num_texts}");
    }

    #[test]
    fn without_the_option_nothing_is_known() {
        let doc = parse(b"<p>a", &ParseOptions::default());
        assert!(doc.descendants(0).all(|n| doc.source_of(n).is_none()));
    }
}
