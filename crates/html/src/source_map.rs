//! Source map: the byte ranges of a document's elements and text nodes in the page.

use crate::tree::{NONE, NodeId};
use std::ops::Range;

/// The byte ranges of a document's elements and text nodes in the page. Offsets are bytes of the decoded page. For
/// a page in UTF-8, they equal the offsets in its file.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceMap {
    /// The range of each element, by node id, from the start of its start tag to the end of its end tag.
    /// [`NO_RANGE`] for other nodes and for elements that the parser adds.
    elements: Vec<(u32, u32)>,
    /// The chunks of the document's text, in order.
    chunks: Vec<Chunk>,
    /// The edits that turn the page into the input of the tokenizer, last edit first.
    edits: Vec<Edit>,
}

const NO_RANGE: (u32, u32) = (NONE, NONE);

/// The part of the document's text that comes from one token.
#[derive(Debug, Clone, Copy)]
struct Chunk {
    /// The start of the part in the document's text.
    text: u32,
    length: u32,
    /// The range of the part in the input of the tokenizer. A character reference and its text have different lengths.
    source: (u32, u32),
}

impl Chunk {
    fn is_verbatim(&self) -> bool {
        self.length == self.source.1 - self.source.0
    }
}

/// Removals and insertions of text before tokenization.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edit {
    /// Entries `(start, difference, least)` with ascending `start`. An offset `o >= start` after the edit, up to
    /// the next entry, corresponds to `max(o + difference, least)` before the edit.
    shifts: Vec<(usize, i64, usize)>,
}

impl Edit {
    /// Records a removal at `offset`. `length` is the total number of bytes removed up to there.
    pub(crate) fn left_out(&mut self, offset: usize, length: usize) {
        self.shifts.push((offset, length as i64, 0));
    }

    /// Records an insertion of `length` bytes at `offset`.
    pub(crate) fn added(&mut self, offset: usize, length: usize) {
        self.shifts.push((offset, -(length as i64), offset));
    }

    /// Maps an offset after the edit to the offset before it.
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

    /// Extends the range of an element to `end`, unless the parser added the element.
    pub(crate) fn end_element(&mut self, node: NodeId, end: u32) {
        if let Some(source) = self.elements.get_mut(node as usize).filter(|s| **s != NO_RANGE) {
            source.1 = source.1.max(end);
        }
    }

    /// Adds the range `text` of the document's text, which must follow all text added before.
    pub(crate) fn add_text(&mut self, text: Range<u32>, source: (u32, u32)) {
        self.chunks.push(Chunk { text: text.start, length: text.end - text.start, source });
    }

    pub(crate) fn add_edit(&mut self, edit: Edit) {
        if !edit.shifts.is_empty() {
            self.edits.push(edit);
        }
    }

    /// Shifts all ranges by `offset` bytes, because the page has that many bytes before the text.
    pub(crate) fn shift(&mut self, offset: usize) {
        let mut edit = Edit::default();
        if offset > 0 {
            edit.left_out(0, offset);
        }
        self.add_edit(edit);
    }

    /// Returns the page range of an element, or `None` if the parser added the element.
    pub(crate) fn of_element(&self, node: NodeId) -> Option<Range<usize>> {
        let &(start, end) = self.elements.get(node as usize).filter(|s| **s != NO_RANGE)?;
        self.in_page(start, end)
    }

    /// Maps the range `text` of the document's text to its range in the page, from its first to its last byte.
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
        // an edit may lie between the last byte and the end, so the end is computed from both
        let to = (original(last) + 1).min(original(end as usize));
        (start < end).then(|| original(start as usize)..to)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::random_pages::PageGenerator;
    use crate::tree::Kind;
    use crate::{Document, ParseOptions, Tag, parse};

    fn document(page: &[u8]) -> Document {
        parse(page, &ParseOptions { source_map: true, ..ParseOptions::default() })
    }

    /// Returns the source of each element with a tag.
    fn elements(page: &str, tag: Tag) -> Vec<&str> {
        let doc = document(page.as_bytes());
        let nodes = doc.descendants(0).filter(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == tag);
        nodes.map(|n| doc.source_of(n).map_or("none", |range| &page[range])).collect()
    }

    /// Returns the source of each text node.
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
        // the parser adds the second `<b>`, and the `<body>` below
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
        // text inside a table is moved before the table
        assert_eq!(texts("<table>a &lt; b<tr><td>c</table>d"), ["a &lt; b", "c", "d"]);
        assert_eq!(texts("<p>a<![CDATA[b]]><p>c"), ["a", "c"]);
    }

    #[test]
    fn edits_before_parsing_are_undone() {
        assert_eq!(elements("\u{feff}<title>t<body><p>a</p>", Tag::P), ["<p>a</p>"]);
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
            // pages with framesets are skipped: of the text in a frameset, the parser keeps only the white space
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
