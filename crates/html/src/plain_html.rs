//! A page's HTML as text without its annotation, for methods that read lines instead of the tree.

use crate::annotation::{Annotation, Reader};
use crate::names::Name;
use crate::tokenizer::{Content, Doctype, Sink, StartTag, Tokenizer, normalized};
use crate::{ParseOptions, decode, trim};
use threshr_core::Budget;

/// The decoded HTML of a page, without the markup of its annotation.
///
/// A tag that carries a label and other attributes is written again without the label. This may change its
/// quotes and spaces. An annotation by a selector is not in the HTML, so the HTML stays as it is.
pub fn plain_html(bytes: &[u8], options: &ParseOptions) -> String {
    let decoded = decode(bytes, options.charset.as_deref());
    let (_, html) = trim::cleaneval_wrapper(&decoded.text);
    match &options.annotation {
        Some(annotation) => without_labels(html, annotation),
        None => html.to_owned(),
    }
}

/// Copies the page tag by tag. The annotation's reader removes labels from tags and comments.
fn without_labels(html: &str, annotation: &Annotation) -> String {
    let mut reader = Reader::new(annotation);
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    for markup in trim::markup(html) {
        let end = (markup.end + 1).min(html.len());
        let source = &html[markup.start..end];
        let Some((before, after)) = rewritten(source, &mut reader) else { continue };
        if after != before {
            out.push_str(&html[copied..markup.start]);
            out.push_str(&after);
            copied = end;
        }
    }
    out.push_str(&html[copied..]);
    out
}

/// Collects one tag or comment, as it is and without its label.
#[derive(Default)]
struct Rewriter<'r> {
    reader: Option<&'r mut Reader>,
    /// The markup with and without labels; `None` until a token is read.
    texts: Option<(String, String)>,
}

/// One tag or comment, written with and without labels.
fn rewritten(source: &str, reader: &mut Reader) -> Option<(String, String)> {
    let sink = Rewriter { reader: Some(reader), texts: None };
    let read = Tokenizer::new(&normalized(source), usize::MAX, sink).run(&Budget::UNLIMITED);
    read.ok()?.texts
}

impl Rewriter<'_> {
    fn put(&mut self, before: String, after: String) {
        self.texts.get_or_insert((before, after));
        self.reader = None;
    }
}

impl Sink for Rewriter<'_> {
    fn text(&mut self, _: &str) {}
    fn nul(&mut self) {}
    fn start_tag(&mut self, tag: &mut StartTag<'_>) -> Content {
        if let Some(reader) = self.reader.take() {
            let before = written(tag);
            let is_kept = reader.start(tag);
            let after = if is_kept { written(tag) } else { String::new() };
            self.put(before, after);
        }
        Content::Markup
    }
    fn end_tag(&mut self, name: Name<'_>) {
        if let Some(reader) = self.reader.take() {
            let before = format!("</{}>", name.text());
            let after = if reader.end(name.text()) { before.clone() } else { String::new() };
            self.put(before, after);
        }
    }
    fn comment(&mut self, text: &str) {
        if let Some(reader) = self.reader.take() {
            let before = format!("<!--{text}-->");
            let after = if reader.comment(text) { before.clone() } else { String::new() };
            self.put(before, after);
        }
    }
    fn doctype(&mut self, _: Doctype) {}
    fn end(&mut self) {}
    fn is_in_foreign_content(&self) -> bool {
        false
    }
}

fn written(tag: &StartTag<'_>) -> String {
    let mut out = format!("<{}", tag.name().text());
    for (name, value) in tag.attributes() {
        let value = value.replace('&', "&amp;").replace('"', "&quot;");
        out.push_str(&format!(" {}=\"{value}\"", name.text()));
    }
    out.push_str(if tag.self_closing { "/>" } else { ">" });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(html: &str, annotation: Option<Annotation>) -> String {
        plain_html(html.as_bytes(), &ParseOptions { annotation, ..ParseOptions::default() })
    }

    #[test]
    fn removes_labels_and_nothing_else() {
        let page = "<p  CLASS=a>x &amp; <b\nid='i'>y</b><!-- c --><script>'<kw>'</script>\n</p>";
        assert_eq!(plain(page, None), page);
        assert_eq!(plain(page, Some(Annotation::krdwrd())), page);
        let marked = page.replace("x &amp;", "<kw class='krdwrd-tag-3'>x &amp;</kw>");
        assert_eq!(plain(&marked, Some(Annotation::krdwrd())), page);
        let marked = page.replace("<!-- c -->", "<!-- content --><!-- c --><!-- /content -->");
        assert_eq!(plain(&marked, Some(Annotation::markers("content", "/content"))), page);
        let l3s = "<div class='x-nc-sel2 k'><span class=x-nc-sel1>t</span></div>";
        assert_eq!(plain(l3s, Some(Annotation::l3s())), "<div class=\"k\">t</div>");
    }
}
