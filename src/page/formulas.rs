//! Formulas in MathML, which say in one way what they say in another beside it.
//!
//! Where one has its TeX as well, that alone is read: signs one after the other, without what puts them above and below a line, say
//! something else. Wikipedia hides the elements and shows pictures of them.

use super::tag::Tag;
use super::tree::{Document, NONE, NodeId};

/// The tags of a document's formulas; few documents have them.
pub(super) struct Formulas {
    /// `<semantics>` and `<annotation>`.
    tags: Option<(Tag, Tag)>,
}

/// Children of `<semantics>` that are looked at.
const MOST_FORMS: usize = 8;

impl Formulas {
    pub fn of(doc: &Document) -> Self {
        let tag = |name| doc.names.find(name).map(Tag);
        Formulas { tags: tag("semantics").zip(tag("annotation")) }
    }

    /// Whether an element is a form of a formula that another form stands beside.
    pub fn is_said_elsewhere(&self, doc: &Document, node: NodeId) -> bool {
        let Some((semantics, annotation)) = self.tags else { return false };
        // KaTeX has each as a picture made of letters behind it
        if doc.attribute(node, "class") == Some("katex-html") {
            return doc.nodes[node as usize].prev != NONE;
        }
        let Some(parent) = doc.parent(node).filter(|&p| doc.tag(p) == semantics) else { return false };
        let is_tex = |n: NodeId| {
            let encoding = doc.attribute(n, "encoding").unwrap_or("");
            doc.tag(n) == annotation && encoding.to_ascii_lowercase().contains("tex")
        };
        if doc.tag(node) == annotation || doc.tag(node) == Tag::ANNOTATION_XML {
            return !is_tex(node);
        }
        let forms = std::iter::successors(doc.first_child(parent), |&n| doc.next_sibling(n));
        forms.take(MOST_FORMS).any(is_tex)
    }

    /// Whether an element holds a formula, which is hidden where a picture of it is shown.
    pub fn is_held(&self, doc: &Document, node: NodeId) -> bool {
        self.tags.is_some() && doc.first_child(node).is_some_and(|n| doc.tag(n) == Tag::MATH)
    }
}

#[cfg(test)]
mod tests {
    use crate::page::{Kind, parse_str};

    fn text(html: &str) -> String {
        let doc = parse_str(html);
        let shown = |&n: &u32| doc.kind(n) == Kind::Text && doc.is_visible(n);
        doc.descendants(0).filter(shown).map(|n| doc.text(n)).collect()
    }

    #[test]
    fn formulas_are_read_once() {
        let math = |annotations: &str| {
            format!(
                "<math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow>{annotations}</semantics></math>"
            )
        };
        let tex = "<annotation encoding=\"application/x-tex\">E=mc^2</annotation>";
        assert_eq!(text(&format!("<p>a {} b", math(tex))), "a E=mc^2 b");
        assert_eq!(
            text(&format!("<p>a {} b", math("<annotation encoding=StarMath>E = m</annotation>"))),
            "a E=m b"
        );
        assert_eq!(text(&format!("<p>a {} b", math(""))), "a E=m b");
        // KaTeX
        let html = format!(
            "<p>a <span class=katex><span class=katex-mathml>{}</span><span class=katex-html aria-hidden=true>E=mc2</span></span>",
            math(tex)
        );
        assert_eq!(text(&html), "a E=mc^2");
        assert_eq!(text(&format!("<p><span class=katex-html>E=mc2</span>{}", math(tex))), "E=mc2E=mc^2");
        // Wikipedia
        let html = format!("<p>a <span style='display: none;'>{}</span><img alt=x>", math(tex));
        assert_eq!(text(&html), "a E=mc^2");
    }
}
