//! Labels that are part of a page's HTML.
//!
//! They are read and removed before the tree is built, so that the tree equals that of the page without them.

mod attribute;
pub(crate) mod marks;
mod reader;
#[cfg(feature = "selectors")]
mod selector_labels;

#[cfg(any(test, feature = "oracle"))]
pub(crate) use reader::Labelled;
pub(crate) use reader::Reader;

pub use attribute::Marks;

#[cfg(feature = "selectors")]
use crate::selector::Selector;

/// How a page marks its labels, and which labels are content.
#[derive(Debug, Clone)]
pub struct Annotation {
    /// The form of the labels.
    pub kind: AnnotationKind,
    /// Classes (0..=14) that count as content.
    pub content: Vec<u8>,
}

/// A form of labels.
#[derive(Debug, Clone)]
pub enum AnnotationKind {
    /// A class name `PREFIX` + number on an element. Elements that only carry the label are removed.
    ///
    /// L3S-GN1: prefix `x-nc-sel`, wrapper `span`. KrdWrd: prefix `krdwrd-tag-`, wrapper `kw`.
    ClassName {
        /// Text before the number.
        prefix: &'static str,
        /// Name of the elements that only carry a label.
        wrapper: &'static str,
        /// Prefix of further attributes of a label.
        attributes: Option<&'static str>,
    },
    /// Comments before and after labelled text. Text between them has class 1, other text class 0.
    Markers {
        /// Text of the opening comment without `<!--` and `-->`. In the page, `:` and more text may follow.
        open: String,
        /// Text of the closing comment.
        close: String,
    },
    /// The value of an attribute is the class of what is inside the element.
    Attribute(Marks),
    /// Elements that a CSS selector matches have class 1, other text class 0.
    ///
    /// Class names, ids and attributes in the selector are removed from the page. Tags stay.
    #[cfg(feature = "selectors")]
    Selector(Selector),
}

impl Annotation {
    /// L3S-GN1's `<span class="x-nc-selN">`; content is 1 headline, 2 full text, 3 supplemental.
    pub fn l3s() -> Self {
        let kind = AnnotationKind::ClassName { prefix: "x-nc-sel", wrapper: "span", attributes: Some("x-") };
        Self { kind, content: vec![1, 2, 3] }
    }
    /// KrdWrd's `<kw class="krdwrd-tag-N">`; content is 3 good.
    pub fn krdwrd() -> Self {
        Self {
            kind: AnnotationKind::ClassName { prefix: "krdwrd-tag-", wrapper: "kw", attributes: None },
            content: vec![3],
        }
    }
    /// Comments around the content. `open` and `close` are given with or without `<!--` and `-->`.
    pub fn markers(open: &str, close: &str) -> Self {
        let kind = AnnotationKind::Markers { open: comment_text(open), close: comment_text(close) };
        Self { kind, content: vec![1] }
    }
    /// Comments around boilerplate, like `<!--googleoff: index-->` … `<!--googleon: index-->`.
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
    /// The text of the elements that `selector` matches.
    #[cfg(feature = "selectors")]
    pub fn selector(selector: Selector) -> Self {
        Self { kind: AnnotationKind::Selector(selector), content: vec![1] }
    }

    /// A text that differs between annotations: form, names, classes.
    pub fn id(&self) -> String {
        let kind = match &self.kind {
            AnnotationKind::ClassName { prefix, .. } => (*prefix).to_owned(),
            AnnotationKind::Markers { open, close } => format!("{open}\n{close}"),
            AnnotationKind::Attribute(marks) => marks.label.to_owned(),
            #[cfg(feature = "selectors")]
            AnnotationKind::Selector(selector) => selector.css().to_owned(),
        };
        format!("{kind}\n{:?}", self.content)
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
    use crate::{Document, ParseOptions, parse, parse_str};

    pub(crate) fn labelled(html: &str, annotation: Annotation) -> (Vec<(String, u8)>, Document) {
        let doc =
            parse(html.as_bytes(), &ParseOptions { annotation: Some(annotation), ..ParseOptions::default() });
        let labels = doc
            .labels()
            .iter()
            .map(|(r, c)| (doc.source_text()[crate::tree::range(r.clone())].to_owned(), *c));
        (labels.collect(), doc)
    }

    pub(crate) fn assert_same_tree(a: &Document, b: &Document) {
        let list = |d: &Document| -> Vec<_> {
            let nodes = d.descendants(0).map(|n| {
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
}
