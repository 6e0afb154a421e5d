//! Labels in an attribute, such as `cc-select="true"` or `__boilernet_label="1"`.

use threshr_html::{LabelledTag, MAX_CLASS, Tag};

/// Maximum number of open elements that are searched for a match.
const MAX_SEARCH: usize = 1_000;

/// The elements, attributes and class names that an annotation tool adds to pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// The attribute that contains the label: `true`, or a class number.
    pub label: &'static str,
    /// Elements that the tool adds around text. They are removed, whether or not they have a label.
    pub wrappers: &'static [&'static str],
    /// An element that is removed if the label is its only attribute.
    pub bare_wrapper: Option<&'static str>,
    /// Other attributes that the tool adds.
    pub attributes: &'static [&'static str],
    /// Class names that the tool adds.
    pub classes: &'static [&'static str],
}

/// BoilerNet: spans around text nodes.
pub(crate) static BOILERNET: Marks = Marks {
    label: "__boilernet_label",
    wrappers: &[],
    bare_wrapper: Some("span"),
    attributes: &["__boilernet_is_content"],
    classes: &[],
};

/// WebMainBench: the attribute of selected elements, and the other markup that its annotation tool adds.
pub(crate) static WEBMAINBENCH: Marks = Marks {
    label: "cc-select",
    wrappers: &["marked-text", "marked-tail", "marked-inline", "cc-alg-uc-text"],
    bare_wrapper: None,
    attributes: &["data-anno-uid", "marked-text", "marked-tail", "cc-extrastyle"],
    classes: &["mark-selected", "cc-extrastyle"],
};

/// Stack of open elements with their labels. An element without a label inherits that of its parent.
#[derive(Debug, Default)]
pub(crate) struct Stack(Vec<Open>);

#[derive(Debug)]
struct Open {
    name: Box<str>,
    class: Option<u8>,
    is_removed: bool,
}

impl Stack {
    /// Returns the class of text at the current position.
    pub(crate) fn class(&self) -> Option<u8> {
        self.0.last().and_then(|open| open.class)
    }

    /// Removes the annotations from a start tag. Returns false if the whole tag must be removed.
    pub(crate) fn start(&mut self, tag: &mut dyn LabelledTag, marks: &Marks) -> bool {
        let value = tag.attribute(marks.label).map(str::to_owned);
        let is_own = |name: &str| name == marks.label || marks.attributes.contains(&name);
        tag.retain(&|name, _| !is_own(name));
        remove_classes(tag, marks.classes);
        let is_bare = value.is_some() && marks.bare_wrapper == Some(tag.name()) && !tag.has_attributes();
        let is_removed = is_bare || marks.wrappers.contains(&tag.name());
        // only void elements, and self-closing elements of SVG and MathML, have no end tag
        let is_closed = Tag::known(tag.name()).map_or(tag.is_self_closing(), Tag::is_void);
        if is_closed {
            return !is_removed;
        }
        self.close_implied(tag.name());
        let class = value.as_deref().and_then(class_of).or(self.class());
        self.0.push(Open { name: tag.name().into(), class, is_removed });
        !is_removed
    }

    /// Returns whether an end tag is kept. The end tag also closes the open elements inside its element.
    pub(crate) fn end(&mut self, name: &str) -> bool {
        let Some(at) = self.find(|open| *open.name == *name, |_| false) else { return true };
        let is_removed = self.0[at].is_removed;
        self.0.truncate(at);
        !is_removed
    }

    /// Closes the element whose end tag HTML allows to omit before the tag `next`.
    fn close_implied(&mut self, next: &str) {
        let (closed, container): (&[&str], &[&str]) = match next {
            "li" => (&["li"], &["ul", "ol", "menu"]),
            "dt" | "dd" => (&["dt", "dd"], &["dl"]),
            "tr" => (&["tr"], &["table"]),
            "td" | "th" => (&["td", "th"], &["tr", "table"]),
            "option" => (&["option"], &["select", "datalist"]),
            _ if is_block(next) => (&["p"], &["div", "td", "th", "button", "li", "section", "article"]),
            _ => return,
        };
        let found = self.find(|open| closed.contains(&&*open.name), |open| container.contains(&&*open.name));
        found.into_iter().for_each(|at| self.0.truncate(at));
    }

    /// Returns the innermost open element for which `wanted` is true. Returns `None` if an element for which
    /// `stops` is true is inside it.
    fn find(&self, wanted: impl Fn(&Open) -> bool, stops: impl Fn(&Open) -> bool) -> Option<usize> {
        let inner = (0..self.0.len()).rev().take(MAX_SEARCH);
        inner.take_while(|&at| !stops(&self.0[at])).find(|&at| wanted(&self.0[at]))
    }
}

/// Returns whether the start tag of an element closes an open paragraph.
fn is_block(name: &str) -> bool {
    const BLOCKS: [&str; 27] = [
        "address",
        "article",
        "aside",
        "blockquote",
        "details",
        "div",
        "dl",
        "fieldset",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "ul",
    ];
    BLOCKS.contains(&name)
}

/// Parses the class of a label; `None` if the value is not a class.
fn class_of(value: &str) -> Option<u8> {
    match value.trim() {
        "true" => Some(1),
        number => number.parse().ok().filter(|&n| n <= MAX_CLASS),
    }
}

fn remove_classes(tag: &mut dyn LabelledTag, names: &[&str]) {
    let Some(classes) =
        tag.attribute("class").filter(|c| c.split_whitespace().any(|word| names.contains(&word)))
    else {
        return;
    };
    let left: Vec<&str> = classes.split_whitespace().filter(|word| !names.contains(word)).collect();
    let left = left.join(" ");
    tag.set_class(&left);
    tag.retain(&|name, value| name != "class" || !value.is_empty());
}

#[cfg(test)]
mod tests {
    use crate::labelling::Annotation;
    use crate::labelling::tests::{assert_same_tree, labelled, options};
    use threshr_html::{parse_str, plain_html};

    fn content(html: &str, annotation: Annotation) -> String {
        let (labels, _) = labelled(html, annotation);
        let texts = labels.iter().filter(|l| l.1 == 1).map(|l| l.0.trim()).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn labels_of_elements_hold_for_what_is_inside() {
        let page = "<p cc-select=true class='mark-selected a'>a <b>b</b> <img cc-select=true> c</p>d\
                    <marked-text cc-select='true' data-anno-uid=x>e</marked-text>\
                    <marked-tail>f</marked-tail><br cc-select=true>g<p cc-select=false>h";
        assert_eq!(content(page, Annotation::webmainbench()), "a|b|c|e");
        let (_, doc) = labelled(page, Annotation::webmainbench());
        let plain = "<p class=a>a <b>b</b> <img> c</p>def<br>g<p>h";
        assert_same_tree(&doc, &parse_str(plain));
        let text = plain_html(page.as_bytes(), &options(Annotation::webmainbench()));
        assert_same_tree(&parse_str(&text), &doc);
        assert!(!text.contains("cc-select") && !text.contains("marked"), "{text}");
    }

    #[test]
    fn elements_without_end_tags_end() {
        let of = |html: &str| content(html, Annotation::webmainbench());
        assert_eq!(of("<p cc-select=true>a<p>b"), "a");
        assert_eq!(of("<p cc-select=true>a<div>b</div>"), "a");
        assert_eq!(of("<ul><li cc-select=true>a<ul><li>b</ul>c<li>d</ul>e"), "a|b|c");
        assert_eq!(of("<table><tr><td cc-select=true>a<td>b<tr><td>c</table>"), "a");
        assert_eq!(of("<div><p cc-select=true>a</div>b"), "a");
        assert_eq!(of("</b><p cc-select=true>a</i>b</p>c"), "a|b");
    }

    #[test]
    fn bare_spans_of_boilernet_are_removed() {
        let page = "<p><span __boilernet_label=\"1\">a</span><span class=x __boilernet_label=1>b\
                    <span __boilernet_label=0>c</span></span></p><p><span __boilernet_label=0>d</span>e";
        assert_eq!(content(page, Annotation::boilernet()), "a|b");
        let (_, doc) = labelled(page, Annotation::boilernet());
        assert_same_tree(&doc, &parse_str("<p>a<span class=x>bc</span></p><p>de"));
    }
}
