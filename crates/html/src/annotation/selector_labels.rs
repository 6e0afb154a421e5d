//! Labels by a CSS selector.

use crate::annotation::{Annotation, AnnotationKind};
use crate::tree::{Attribute, Document, NodeId};

impl Annotation {
    /// Labels the text of the matched elements, and removes the names that the selector tests.
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
            names.remove(doc, node);
        }
    }
}

/// Class names, ids and attributes that a selector tests.
///
/// They are the label, so no feature may read them.
struct NamesInSelector {
    classes: Vec<String>,
    attributes: Vec<String>,
    ids: Vec<String>,
}

impl NamesInSelector {
    /// Reads `.class`, `#id` and `[attribute` from a selector. Quoted values are skipped; `\\` escapes a
    /// character.
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

    /// Removes the names from the attributes of a node.
    fn remove(&self, doc: &mut Document, node: NodeId) {
        let attributes = doc.raw_attributes(node).to_vec();
        if attributes.is_empty() {
            return;
        }
        let kept: Vec<Attribute> = attributes.iter().filter_map(|&a| self.without_label(doc, a)).collect();
        if kept == attributes {
            return;
        }
        // elements that the tree builder copies share their attributes, so the originals stay in place
        let start = u32::try_from(doc.attributes.len()).unwrap_or(u32::MAX);
        doc.attributes.extend(kept);
        let end = u32::try_from(doc.attributes.len()).unwrap_or(start);
        (doc.nodes[node as usize].a, doc.nodes[node as usize].b) = (start.min(end), end);
    }

    /// The attribute without the label; `None` if nothing is left.
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
    use crate::annotation::Annotation;
    use crate::annotation::tests::{assert_same_tree, labelled};
    use crate::{Selector, parse_str};

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
