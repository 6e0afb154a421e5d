//! Labels that stand in the page itself: read, stored apart, and gone before the tree is built.

pub(crate) mod marks;
mod reader;

#[cfg(any(test, feature = "oracle"))]
pub(crate) use reader::Labelled;
pub(crate) use reader::Reader;

#[cfg(feature = "selectors")]
use crate::selector::Selector;
use crate::tree::{Attribute, Document, NodeId};

/// How labels are written in a page, and which of them are content.
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
    /// A class name `PREFIX` + number on an element; elements that only carry the label are taken out.
    ///
    /// L3S-GN1: prefix `x-nc-sel`, wrapper `span`. KrdWrd: prefix `krdwrd-tag-`, wrapper `kw`.
    ClassName {
        /// What stands before the number.
        prefix: &'static str,
        /// Name of the elements that were put in for the label alone.
        wrapper: &'static str,
        /// Prefix of attributes that belong to the label too.
        attributes: Option<&'static str>,
    },
    /// Comments that open and close a labelled stretch. Text between them has class 1, other text class 0.
    Markers {
        /// Text of the opening comment, without `<!--` and `-->`; a `:` and more may follow it.
        open: String,
        /// Text of the closing comment.
        close: String,
    },
    /// Elements that a CSS selector matches, class 1; other text is class 0. Class names, ids and attributes that
    /// the selector names are taken out; tags stay, so a gold of `article` can be learned from the tag.
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
    /// Comments around the content: `open`, `close` with or without `<!--` and `-->`.
    pub fn markers(open: &str, close: &str) -> Self {
        let kind = AnnotationKind::Markers { open: comment_text(open), close: comment_text(close) };
        Self { kind, content: vec![1] }
    }
    /// Comments around what is no content, like `<!--googleoff: index-->` … `<!--googleon: index-->`.
    pub fn markers_off(open: &str, close: &str) -> Self {
        Self { content: vec![0], ..Self::markers(open, close) }
    }
    /// The text of the elements that `selector` matches.
    #[cfg(feature = "selectors")]
    pub fn selector(selector: Selector) -> Self {
        Self { kind: AnnotationKind::Selector(selector), content: vec![1] }
    }

    /// What tells this annotation from others: form, names, classes.
    pub fn id(&self) -> String {
        let kind = match &self.kind {
            AnnotationKind::ClassName { prefix, .. } => (*prefix).to_owned(),
            AnnotationKind::Markers { open, close } => format!("{open}\n{close}"),
            #[cfg(feature = "selectors")]
            AnnotationKind::Selector(selector) => selector.css().to_owned(),
        };
        format!("{kind}\n{:?}", self.content)
    }

    /// Labels what a selector matches, and takes out what the selector names.
    #[cfg(feature = "selectors")]
    pub(crate) fn label_by_selector(&self, doc: &mut Document) {
        let AnnotationKind::Selector(selector) = &self.kind else { return };
        let mut labels = Vec::new();
        for element in selector.matches(doc) {
            labels.extend(
                doc.descendants(element).map(|n| (doc.text_range(n), 1)).filter(|(r, _)| !r.is_empty()),
            );
        }
        labels.sort_by_key(|(r, _)| (r.start, r.end));
        labels.dedup();
        doc.labels = labels;
        let names = NamesInSelector::of(selector.css());
        for node in 0..doc.num_nodes() as NodeId {
            names.take_out(doc, node);
        }
    }
}

fn comment_text(marker: &str) -> String {
    let marker = marker.trim();
    let marker = marker.strip_prefix("<!--").unwrap_or(marker);
    marker.strip_suffix("-->").unwrap_or(marker).trim().to_owned()
}

/// Class names, ids and attributes that a selector tests: they are the label, so no feature may see them.
struct NamesInSelector {
    classes: Vec<String>,
    attributes: Vec<String>,
    ids: Vec<String>,
}

impl NamesInSelector {
    /// Reads `.class`, `#id` and `[attribute` off a selector; quoted values name nothing, `\\` escapes a sign.
    fn of(css: &str) -> Self {
        let mut names = Self { classes: Vec::new(), attributes: Vec::new(), ids: Vec::new() };
        let mut rest = css.chars().peekable();
        while let Some(c) = rest.next() {
            let list = match c {
                '"' | '\'' => {
                    rest.by_ref().find(|&end| end == c);
                    continue;
                }
                '.' => &mut names.classes,
                '#' => &mut names.ids,
                '[' => &mut names.attributes,
                _ => continue,
            };
            let mut name = String::new();
            while let Some(&c) = rest.peek() {
                let plain = c.is_alphanumeric() || c == '-' || c == '_';
                if !plain && c != '\\' && !(name.is_empty() && c == ' ') {
                    break;
                }
                rest.next();
                match c {
                    '\\' => name.extend(rest.next()),
                    ' ' => {}
                    c => name.push(c),
                }
            }
            list.push(name);
        }
        names
    }

    fn take_out(&self, doc: &mut Document, node: NodeId) {
        let attributes = doc.raw_attributes(node).to_vec();
        if attributes.is_empty() {
            return;
        }
        let kept: Vec<Attribute> = attributes.iter().filter_map(|&a| self.without_label(doc, a)).collect();
        if kept == attributes {
            return;
        }
        // elements opened anew share their attributes, so these stay where they are
        let start = u32::try_from(doc.attributes.len()).unwrap_or(u32::MAX);
        doc.attributes.extend(kept);
        let end = u32::try_from(doc.attributes.len()).unwrap_or(start);
        (doc.nodes[node as usize].a, doc.nodes[node as usize].b) = (start.min(end), end);
    }

    /// The attribute without the label in it, or nothing where it was only that.
    fn without_label(&self, doc: &mut Document, attribute: Attribute) -> Option<Attribute> {
        let name = doc.names.name(attribute.name);
        let value = &doc.values[crate::tree::range(attribute.start..attribute.end)];
        let is_named_id = name == "id" && self.ids.iter().any(|id| id == value.trim());
        if is_named_id || self.attributes.iter().any(|a| a.eq_ignore_ascii_case(name)) {
            return None;
        }
        if name != "class" || self.classes.is_empty() {
            return Some(attribute);
        }
        let left: Vec<&str> =
            value.split_whitespace().filter(|c| !self.classes.iter().any(|l| l == c)).collect();
        if left.len() == value.split_whitespace().count() {
            return Some(attribute);
        }
        let left = left.join(" ");
        let start = u32::try_from(doc.values.len()).ok()?;
        doc.values.push_str(&left);
        (!left.is_empty()).then_some(Attribute { start, end: start + left.len() as u32, ..attribute })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse, parse_str};

    fn labelled(html: &str, annotation: Annotation) -> (Vec<(String, u8)>, Document) {
        let doc =
            parse(html.as_bytes(), &ParseOptions { annotation: Some(annotation), ..ParseOptions::default() });
        let labels = doc
            .labels()
            .iter()
            .map(|(r, c)| (doc.source_text()[crate::tree::range(r.clone())].to_owned(), *c));
        (labels.collect(), doc)
    }

    fn same_tree(a: &Document, b: &Document) {
        let list = |d: &Document| -> Vec<_> {
            let nodes = d.descendants(0).map(|n| {
                (d.path(n), d.text(n).to_owned(), format!("{:?}", d.attributes(n).collect::<Vec<_>>()))
            });
            nodes.collect()
        };
        assert_eq!(list(a), list(b));
    }

    #[test]
    fn class_names_are_read_and_gone() {
        let (labels, doc) = labelled(
            "<div class='x x-nc-sel0'><span class=x-nc-sel2 x-text-density=3>a <b>b</b></span><span>c</span></div><span class='x-nc-sel4'>d</span>e",
            Annotation::l3s(),
        );
        let expected = [("a ", 2), ("b", 2), ("c", 0), ("d", 4)];
        assert_eq!(labels, expected.map(|(t, c)| (t.to_owned(), c)));
        same_tree(&doc, &parse_str("<div class=x>a <b>b</b><span>c</span></div>de"));
    }

    #[test]
    fn labels_survive_the_tree_builder_moving_text() {
        let plain = "<table>out <tr><td>in</td></tr> more</table>";
        let marked = "<table><kw class='krdwrd-tag-3'>out </kw><tr><td><kw class=krdwrd-tag-1>in</kw></td></tr> <kw class=krdwrd-tag-3>more</kw></table>";
        let (labels, doc) = labelled(marked, Annotation::krdwrd());
        same_tree(&doc, &parse_str(plain));
        let good: String = labels.iter().filter(|l| l.1 == 3).map(|l| l.0.as_str()).collect();
        assert_eq!(good.split_whitespace().collect::<Vec<_>>(), ["out", "more"]);
    }

    #[test]
    fn markers_label_what_stands_between() {
        let page = "<p>a</p><!-- content --><p>b</p><!-- other --><p>c</p><!-- /content --><p>d</p>";
        let (labels, doc) = labelled(page, Annotation::markers("<!-- content -->", "<!-- /content -->"));
        let content: Vec<_> = labels.iter().filter(|l| l.1 == 1).map(|l| l.0.as_str()).collect();
        assert_eq!(content, ["b", "c"]);
        same_tree(&doc, &parse_str("<p>a</p><p>b</p><p>c</p><p>d</p>"));
        let google = "<p>a<!--googleoff: index-->b<!--googleon: index-->c";
        let (labels, _) = labelled(google, Annotation::markers_off("googleoff", "googleon"));
        let content: String = labels.iter().filter(|l| l.1 == 0).map(|l| l.0.as_str()).collect();
        assert_eq!(content, "ac");
    }

    #[test]
    fn a_selector_labels_and_its_names_are_gone() {
        let css = Selector::parse("div.gold > p, [data-keep]").expect("a selector");
        let (labels, doc) = labelled(
            "<div class='a gold'><p>x</p></div><p data-keep=1 id=k>y</p><p>z</p>",
            Annotation::selector(css),
        );
        assert_eq!(labels, [("x".to_owned(), 1), ("y".to_owned(), 1)]);
        same_tree(&doc, &parse_str("<div class='a'><p>x</p></div><p id=k>y</p><p>z</p>"));
        let css = Selector::parse(r##".md\:gold, #g, [title="a.b"]"##).expect("a selector");
        let html = "<p class='md:gold b'>x</p><p id=g>y</p><p id=h title='a.b'>z</p>";
        let (labels, doc) = labelled(html, Annotation::selector(css));
        assert_eq!(labels.len(), 3);
        same_tree(&doc, &parse_str("<p class=b>x</p><p>y</p><p id=h>z</p>"));
    }
}
