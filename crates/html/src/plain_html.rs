//! A page's HTML as text without labels, for methods that process lines instead of the tree.

use crate::labelling::{Labelling, TokenFilter};
use crate::names::Name;
use crate::tokenizer::{Content, Doctype, Sink, StartTag, Tokenizer, normalized};
use crate::{ParseOptions, decode, trim};
use threshr_core::Budget;

/// Returns the decoded HTML of a page, without its wrapper and without label markup.
///
/// If a tag has a label and other attributes, the tag is serialised again without the label. This may change
/// its quotes and spaces. Labels that are located in the tree have no markup in the HTML and do not change
/// it.
pub fn plain_html(bytes: &[u8], options: &ParseOptions) -> String {
    let decoded = decode(bytes, options.charset.as_deref());
    let (_, html) = options.unwrapped(&decoded.text);
    match &options.labelling {
        Some(labelling) => without_labels(html, labelling.as_ref()),
        None => html.to_owned(),
    }
}

/// Copies the page tag by tag. The filter removes labels from tags and comments.
fn without_labels(html: &str, labelling: &dyn Labelling) -> String {
    let mut filter = labelling.filter();
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    for markup in trim::markup(html) {
        let end = (markup.end + 1).min(html.len());
        let source = &html[markup.start..end];
        let Some((before, after)) = rewritten(source, filter.as_mut()) else { continue };
        if after != before {
            out.push_str(&html[copied..markup.start]);
            out.push_str(&after);
            copied = end;
        }
    }
    out.push_str(&html[copied..]);
    out
}

/// A sink that serialises one tag or comment twice: with and without its label.
#[derive(Default)]
struct Rewriter<'f> {
    filter: Option<&'f mut dyn TokenFilter>,
    /// The markup with and without its label; `None` until a token is read.
    texts: Option<(String, String)>,
}

/// Returns one tag or comment, serialised with and without its label.
fn rewritten(source: &str, filter: &mut dyn TokenFilter) -> Option<(String, String)> {
    let sink = Rewriter { filter: Some(filter), texts: None };
    let read = Tokenizer::new(&normalized(source), usize::MAX, sink).run(&Budget::UNLIMITED);
    read.ok()?.texts
}

impl Rewriter<'_> {
    fn put(&mut self, before: String, after: String) {
        self.texts.get_or_insert((before, after));
        self.filter = None;
    }
}

impl Sink for Rewriter<'_> {
    fn text(&mut self, _: &str) {}
    fn nul(&mut self) {}
    fn start_tag(&mut self, tag: &mut StartTag<'_>) -> Content {
        if let Some(filter) = self.filter.take() {
            let before = written(tag);
            let is_kept = filter.start(tag);
            let after = if is_kept { written(tag) } else { String::new() };
            self.put(before, after);
        }
        Content::Markup
    }
    fn end_tag(&mut self, name: Name<'_>) {
        if let Some(filter) = self.filter.take() {
            let before = format!("</{}>", name.text());
            let after = if filter.end(name.text()) { before.clone() } else { String::new() };
            self.put(before, after);
        }
    }
    fn comment(&mut self, text: &str) {
        if let Some(filter) = self.filter.take() {
            let before = format!("<!--{text}-->");
            let after = if filter.comment(text) { before.clone() } else { String::new() };
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
