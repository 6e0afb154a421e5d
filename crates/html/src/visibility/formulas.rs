//! Rule: only one representation of a MathML formula is read.
//!
//! If a formula has a TeX annotation, only the TeX is read, because MathML without its layout has a different
//! meaning. Wikipedia hides the MathML elements and shows images of the formulas. These hidden formulas are
//! also read.

use crate::tag::Tag;
use crate::tree::{Document, NONE, NodeId};
use crate::visibility::element::Element;
use crate::visibility::{EXCLUDED, HIDDEN, Walk};

/// State of the rule for one document. The elements must be visited in node order.
pub(crate) struct Formulas {
    /// The tags `<semantics>` and `<annotation>`, if the document has both.
    tags: Option<(Tag, Tag)>,
    /// The last `<semantics>` that was searched, and whether one of its representations is TeX.
    last: Option<(NodeId, bool)>,
}

/// Maximum number of children of `<semantics>` that are searched.
const MAX_FORMS: usize = 8;
/// Maximum length in bytes of an `encoding` value. Longer values are not searched.
const MAX_BYTES: usize = 64;

impl Formulas {
    pub(super) fn new(doc: &Document) -> Self {
        let tag = |name| doc.names.find(name).map(Tag);
        Formulas { tags: tag("semantics").zip(tag("annotation")), last: None }
    }

    /// Returns whether an element is a representation of a formula that is skipped because another
    /// representation is read.
    fn is_alternative(&mut self, doc: &Document, node: NodeId) -> bool {
        let Some((semantics, annotation)) = self.tags else { return false };
        let class = |n| doc.attribute(n, "class");
        // KaTeX adds a visual representation after the MathML, with letters positioned by CSS
        if class(node) == Some("katex-html") {
            let before = doc.nodes[node as usize].prev;
            return before != NONE && class(before) == Some("katex-mathml");
        }
        let Some(parent) = doc.parent(node).filter(|&p| doc.tag(p) == semantics) else { return false };
        let is_tex = |n: NodeId| {
            let names_tex =
                |encoding: &str| encoding.len() <= MAX_BYTES && encoding.to_ascii_lowercase().contains("tex");
            // an empty annotation is not a representation
            doc.tag(n) == annotation
                && doc.first_child(n).is_some()
                && doc.attribute(n, "encoding").is_some_and(names_tex)
        };
        if doc.tag(node) == annotation || doc.tag(node) == Tag::ANNOTATION_XML {
            return !is_tex(node);
        }
        if let Some((_, has_tex)) = self.last.filter(|last| last.0 == parent) {
            return has_tex;
        }
        let has_tex = doc.children(parent).take(MAX_FORMS).any(is_tex);
        self.last = Some((parent, has_tex));
        has_tex
    }

    /// Whether an element contains only a formula. Pages that show an image of the formula hide this element.
    fn is_wrapper(&self, doc: &Document, node: NodeId) -> bool {
        let is_alone = |n: &NodeId| doc.next_sibling(*n).is_none();
        self.tags.is_some() && doc.first_child(node).filter(is_alone).is_some_and(|n| doc.tag(n) == Tag::MATH)
    }
}

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    let (doc, node) = (walk.doc, element.node);
    if flags & EXCLUDED == 0 && walk.formulas.is_alternative(doc, node) {
        flags | EXCLUDED
    } else if flags == HIDDEN && walk.formulas.is_wrapper(doc, node) {
        0
    } else {
        flags
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    #[test]
    fn reads_one_form_of_each_formula() {
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
        assert_eq!(text(&format!("<p>a {} b", math("<annotation encoding=TeX></annotation>"))), "a E=m b");
        assert_eq!(text(&format!("<p>a and so on <b hidden>{} b</b>", math(tex))), "a and so on ");
        // KaTeX
        let html = format!(
            "<p>a <span class=katex><span class=katex-mathml>{}</span>\
             <span class=katex-html aria-hidden=true>E=mc2</span></span>",
            math(tex)
        );
        assert_eq!(text(&html), "a E=mc^2");
        assert_eq!(text(&format!("<p><span class=katex-html>E=mc2</span>{}", math(tex))), "E=mc2E=mc^2");
        // Wikipedia
        let html = format!("<p>a <span style='display: none;'>{}</span><img alt=x>", math(tex));
        assert_eq!(text(&html), "a E=mc^2");
    }
}
