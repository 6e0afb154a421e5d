//! Labels inside pages, in the notations of different annotation tools.

mod attribute;
mod reader;
mod selector_labels;

pub use attribute::Marks;

use reader::Reader;
use threshr_html::{Document, Labelling, Selector, TokenFilter};

/// The notation of the labels in a page, and the classes that count as content.
#[derive(Debug, Clone)]
pub struct Annotation {
    /// The notation of the labels.
    pub kind: AnnotationKind,
    /// Classes (0..=14) that count as content.
    pub content: Vec<u8>,
}

/// A notation of labels.
#[derive(Debug, Clone)]
pub enum AnnotationKind {
    /// Class names that consist of a prefix and a class number. Elements without other attributes are
    /// removed.
    ///
    /// L3S-GN1: prefix `x-nc-sel`, wrapper `span`. KrdWrd: prefix `krdwrd-tag-`, wrapper `kw`.
    ClassName {
        /// Prefix of the class name, before the class number.
        prefix: &'static str,
        /// Name of the elements that are removed if the label is their only attribute.
        wrapper: &'static str,
        /// Prefix of other attributes that the tool adds.
        attributes: Option<&'static str>,
    },
    /// Comments before and after labelled text. Text between them has class 1, other text class 0.
    Markers {
        /// Text of the opening comment without `<!--` and `-->`. In the page, `:` and more text may follow it.
        open: String,
        /// Text of the closing comment.
        close: String,
    },
    /// An attribute whose value is the class of the text inside the element.
    Attribute(Marks),
    /// Elements that a CSS selector matches have class 1, other text class 0.
    ///
    /// Class names, ids and attributes in the selector are removed from the page. Tags are kept.
    Selector(Selector),
}

impl Annotation {
    /// L3S-GN1's `<span class="x-nc-selN">`. The classes 1 (headline), 2 (full text) and 3 (supplemental) are
    /// content.
    pub fn l3s() -> Self {
        let kind = AnnotationKind::ClassName { prefix: "x-nc-sel", wrapper: "span", attributes: Some("x-") };
        Self { kind, content: vec![1, 2, 3] }
    }
    /// KrdWrd's `<kw class="krdwrd-tag-N">`. The class 3 (good) is content.
    pub fn krdwrd() -> Self {
        Self {
            kind: AnnotationKind::ClassName { prefix: "krdwrd-tag-", wrapper: "kw", attributes: None },
            content: vec![3],
        }
    }
    /// Comments around the content. `open` and `close` may include `<!--` and `-->`.
    pub fn markers(open: &str, close: &str) -> Self {
        let kind = AnnotationKind::Markers { open: comment_text(open), close: comment_text(close) };
        Self { kind, content: vec![1] }
    }
    /// Comments around boilerplate, such as `<!--googleoff: index-->` … `<!--googleon: index-->`.
    pub fn markers_off(open: &str, close: &str) -> Self {
        Self { content: vec![0], ..Self::markers(open, close) }
    }
    /// BoilerNet's `<span __boilernet_label="1">`.
    pub fn boilernet() -> Self {
        Self { kind: AnnotationKind::Attribute(attribute::BOILERNET), content: vec![1] }
    }
    /// WebMainBench's `cc-select="true"`.
    pub fn webmainbench() -> Self {
        Self { kind: AnnotationKind::Attribute(attribute::WEBMAINBENCH), content: vec![1] }
    }
    /// Labels the text of the elements that match `selector` as content.
    pub fn selector(selector: Selector) -> Self {
        Self { kind: AnnotationKind::Selector(selector), content: vec![1] }
    }

    /// Returns a string that identifies the annotation by its notation, names and classes.
    pub fn id(&self) -> String {
        let kind = match &self.kind {
            AnnotationKind::ClassName { prefix, .. } => (*prefix).to_owned(),
            AnnotationKind::Markers { open, close } => format!("{open}\n{close}"),
            AnnotationKind::Attribute(marks) => marks.label.to_owned(),
            AnnotationKind::Selector(selector) => selector.css().to_owned(),
        };
        format!("{kind}\n{:?}", self.content)
    }
}

impl Labelling for Annotation {
    fn filter(&self) -> Box<dyn TokenFilter> {
        Box::new(Reader::new(self))
    }

    fn label(&self, document: &mut Document) {
        if let AnnotationKind::Selector(selector) = &self.kind {
            selector_labels::label(selector, document);
        }
    }
}

fn comment_text(marker: &str) -> String {
    let marker = marker.trim();
    let marker = marker.strip_prefix("<!--").unwrap_or(marker);
    marker.strip_suffix("-->").unwrap_or(marker).trim().to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::Arc;
    use threshr_html::{ParseOptions, parse, parse_str, plain_html};

    pub(crate) fn options(annotation: Annotation) -> ParseOptions {
        ParseOptions { labelling: Some(Arc::new(annotation)), ..ParseOptions::default() }
    }

    pub(crate) fn labelled(html: &str, annotation: Annotation) -> (Vec<(String, u8)>, Document) {
        let doc = parse(html.as_bytes(), &options(annotation));
        let labels = doc
            .labels()
            .iter()
            .map(|(r, c)| (doc.source_text()[r.start as usize..r.end as usize].to_owned(), *c));
        (labels.collect(), doc)
    }

    pub(crate) fn assert_same_tree(a: &Document, b: &Document) {
        let list = |d: &Document| -> Vec<_> {
            let nodes = d.descendants(d.root()).map(|n| {
                (d.path(n), d.text(n).to_owned(), format!("{:?}", d.attributes(n).collect::<Vec<_>>()))
            });
            nodes.collect()
        };
        assert_eq!(list(a), list(b));
    }

    #[test]
    fn reads_and_removes_class_names() {
        let (labels, doc) = labelled(
            "<div class='x x-nc-sel0'><span class=x-nc-sel2 x-text-density=3>a <b>b</b></span>\
             <span>c</span></div><span class='x-nc-sel4'>d</span>e",
            Annotation::l3s(),
        );
        let expected = [("a ", 2), ("b", 2), ("c", 0), ("d", 4)];
        assert_eq!(labels, expected.map(|(t, c)| (t.to_owned(), c)));
        assert_same_tree(&doc, &parse_str("<div class=x>a <b>b</b><span>c</span></div>de"));
    }

    #[test]
    fn labels_follow_text_that_the_tree_builder_moves() {
        let plain = "<table>out <tr><td>in</td></tr> more</table>";
        let marked = "<table><kw class='krdwrd-tag-3'>out </kw><tr>\
                      <td><kw class=krdwrd-tag-1>in</kw></td></tr>\
                     \x20<kw class=krdwrd-tag-3>more</kw></table>";
        let (labels, doc) = labelled(marked, Annotation::krdwrd());
        assert_same_tree(&doc, &parse_str(plain));
        let good: String = labels.iter().filter(|l| l.1 == 3).map(|l| l.0.as_str()).collect();
        assert_eq!(good.split_whitespace().collect::<Vec<_>>(), ["out", "more"]);
    }

    #[test]
    fn markers_label_the_text_between_them() {
        let page = "<p>a</p><!-- content --><p>b</p><!-- other --><p>c</p><!-- /content --><p>d</p>";
        let (labels, doc) = labelled(page, Annotation::markers("<!-- content -->", "<!-- /content -->"));
        let content: Vec<_> = labels.iter().filter(|l| l.1 == 1).map(|l| l.0.as_str()).collect();
        assert_eq!(content, ["b", "c"]);
        assert_same_tree(&doc, &parse_str("<p>a</p><p>b</p><p>c</p><p>d</p>"));
        let google = "<p>a<!--googleoff: index-->b<!--googleon: index-->c";
        let (labels, _) = labelled(google, Annotation::markers_off("googleoff", "googleon"));
        let content: String = labels.iter().filter(|l| l.1 == 0).map(|l| l.0.as_str()).collect();
        assert_eq!(content, "ac");
    }
    #[test]
    fn plain_html_has_no_labels() {
        let plain = |html: &str, annotation| plain_html(html.as_bytes(), &options(annotation));
        let page = "<p  CLASS=a>x &amp; <b\nid='i'>y</b><!-- c --><script>'<kw>'</script>\n</p>";
        assert_eq!(plain(page, Annotation::krdwrd()), page);
        let marked = page.replace("x &amp;", "<kw class='krdwrd-tag-3'>x &amp;</kw>");
        assert_eq!(plain(&marked, Annotation::krdwrd()), page);
        let marked = page.replace("<!-- c -->", "<!-- content --><!-- c --><!-- /content -->");
        assert_eq!(plain(&marked, Annotation::markers("content", "/content")), page);
        let l3s = "<div class='x-nc-sel2 k'><span class=x-nc-sel1>t</span></div>";
        assert_eq!(plain(l3s, Annotation::l3s()), "<div class=\"k\">t</div>");
    }
}
