//! Tests that labels do not change the tree of a page.

use crate::{Document, LabelledTag, Labelling, ParseOptions, TokenFilter, parse, parse_str, plain_html};
use std::borrow::Cow;
use std::sync::Arc;

/// A label format: `<mark n=CLASS>` labels its content, and the comment `0` begins text of class 0. Both are
/// removed.
#[derive(Debug)]
struct Marked;

#[derive(Default)]
struct Filter {
    class: Option<u8>,
}

impl Labelling for Marked {
    fn filter(&self) -> Box<dyn TokenFilter> {
        Box::new(Filter::default())
    }

    fn label(&self, document: &mut Document) {
        for node in 0..document.num_nodes() as u32 {
            document.rewrite_attributes(node, |name, value| match name {
                "data-label" => None,
                "id" => Some(Cow::Owned(value.replace("label-", ""))),
                _ => Some(Cow::Borrowed(value)),
            });
        }
    }
}

impl TokenFilter for Filter {
    fn start(&mut self, tag: &mut dyn LabelledTag) -> bool {
        if tag.name() != "mark" {
            return true;
        }
        self.class = tag.attribute("n").and_then(|n| n.parse().ok());
        false
    }
    fn end(&mut self, name: &str) -> bool {
        if name == "mark" {
            self.class = None;
        }
        name != "mark"
    }
    fn comment(&mut self, text: &str) -> bool {
        if text == "0" {
            self.class = Some(0);
        }
        text != "0"
    }
    fn class(&self) -> Option<u8> {
        self.class
    }
}

fn nodes(doc: &Document) -> Vec<(String, String, String)> {
    let node =
        |n| (doc.path(n), doc.text(n).to_owned(), format!("{:?}", doc.attributes(n).collect::<Vec<_>>()));
    doc.descendants(doc.root()).map(node).collect()
}

fn labelled(html: &str) -> (Document, Vec<(String, u8)>) {
    let options = ParseOptions { labelling: Some(Arc::new(Marked)), ..ParseOptions::default() };
    let doc = parse(html.as_bytes(), &options);
    let text = |(range, class): &(std::ops::Range<u32>, u8)| {
        (doc.source_text()[crate::tree::range(range.clone())].to_owned(), *class)
    };
    let labels = doc.labels().iter().map(text).collect();
    (doc, labels)
}

#[test]
fn labels_are_read_and_leave_no_trace() {
    let plain = "<table>out <tr><td id=b class=k>in</td></tr> more</table><p>end";
    let page = "<table><mark n=3>out </mark><tr><td data-label=x id=label-b class=k><mark n=1>in</mark></td></tr>\
                \x20<mark n=3>more</mark></table><!--0--><p>e<mark n=15>nd";
    let (doc, labels) = labelled(page);
    assert_eq!(nodes(&doc), nodes(&parse_str(plain)));
    let of_class = |class| {
        let texts = labels.iter().filter(|l| l.1 == class).map(|l| l.0.trim());
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("|")
    };
    // 15 is above the maximum class
    assert_eq!([of_class(0), of_class(1), of_class(3), of_class(15)], ["e", "in", "out|more", ""]);
}

#[test]
fn plain_html_has_no_labels() {
    let options = ParseOptions { labelling: Some(Arc::new(Marked)), ..ParseOptions::default() };
    let page = "<p  CLASS=a>x &amp; <mark n=1><b\nid='i'>y</b></mark><!--0--><!-- c --><script>'<mark>'</script>\n</p>";
    let expected = "<p  CLASS=a>x &amp; <b\nid='i'>y</b><!-- c --><script>'<mark>'</script>\n</p>";
    assert_eq!(plain_html(page.as_bytes(), &options), expected);
    assert_eq!(plain_html(page.as_bytes(), &ParseOptions::default()), page);
}
