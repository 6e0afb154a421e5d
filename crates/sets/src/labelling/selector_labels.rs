//! Labels that are given by a CSS selector.

use std::borrow::Cow;
use threshr_html::{Document, NodeId, Selector};

/// Labels the text of matched elements with class 1, and removes the names in the selector from the page.
pub(super) fn label(selector: &Selector, doc: &mut Document) {
    let mut labels = Vec::new();
    for element in selector.matches(doc) {
        labels
            .extend(doc.descendants(element).map(|n| (doc.text_range(n), 1)).filter(|(r, _)| !r.is_empty()));
    }
    labels.sort_by_key(|(r, _)| (r.start, r.end));
    labels.dedup();
    doc.set_labels(labels);
    let names = NamesInSelector::new(selector.css());
    for node in 0..doc.num_nodes() as NodeId {
        doc.rewrite_attributes(node, |name, value| names.without_label(name, value));
    }
}

/// Class names, ids and attributes that occur in a selector.
///
/// They contain the label, so no feature may read them.
struct NamesInSelector {
    classes: Vec<String>,
    attributes: Vec<String>,
    ids: Vec<String>,
}

impl NamesInSelector {
    /// Extracts the names of `.class`, `#id` and `[attribute` from a selector. Quoted values are skipped. A
    /// backslash escapes a character.
    fn new(css: &str) -> Self {
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

    /// Returns the value of an attribute without the names in the selector; `None` if nothing remains.
    fn without_label<'v>(&self, name: &str, value: &'v str) -> Option<Cow<'v, str>> {
        let is_named_id = name == "id" && self.ids.iter().any(|id| id == value.trim());
        if is_named_id || self.attributes.iter().any(|a| a.eq_ignore_ascii_case(name)) {
            return None;
        }
        if name != "class" || self.classes.is_empty() {
            return Some(Cow::Borrowed(value));
        }
        let left: Vec<&str> =
            value.split_whitespace().filter(|c| !self.classes.iter().any(|l| l == c)).collect();
        if left.len() == value.split_whitespace().count() {
            return Some(Cow::Borrowed(value));
        }
        (!left.is_empty()).then(|| Cow::Owned(left.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use crate::labelling::Annotation;
    use crate::labelling::tests::{assert_same_tree, labelled};
    use threshr_html::{Selector, parse_str};

    #[test]
    fn labels_by_selector_and_removes_its_names() {
        let css = Selector::parse("div.gold > p, [data-keep]").expect("a selector");
        let (labels, doc) = labelled(
            "<div class='a gold'><p>x</p></div><p data-keep=1 id=k>y</p><p>z</p>",
            Annotation::selector(css),
        );
        assert_eq!(labels, [("x".to_owned(), 1), ("y".to_owned(), 1)]);
        assert_same_tree(&doc, &parse_str("<div class='a'><p>x</p></div><p id=k>y</p><p>z</p>"));
        let css = Selector::parse(r##".md\:gold, #g, [title="a.b"]"##).expect("a selector");
        let html = "<p class='md:gold b'>x</p><p id=g>y</p><p id=h title='a.b'>z</p>";
        let (labels, doc) = labelled(html, Annotation::selector(css));
        assert_eq!(labels.len(), 3);
        assert_same_tree(&doc, &parse_str("<p class=b>x</p><p>y</p><p id=h>z</p>"));
    }
}
