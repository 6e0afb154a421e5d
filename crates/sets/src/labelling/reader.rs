//! Removes labels from the token stream of a page.

use crate::labelling::attribute::Stack;
use crate::labelling::{Annotation, AnnotationKind};
use threshr_html::{LabelledTag, MAX_CLASS, TokenFilter};

/// Token filter that removes labels from a page and reports which text they label.
#[derive(Debug)]
pub(crate) struct Reader {
    kind: AnnotationKind,
    /// The open elements that have a label.
    open: Vec<Open>,
    /// All open elements, used if the labels are in an attribute.
    stack: Stack,
    inside_markers: bool,
}

#[derive(Debug)]
struct Open {
    name: Box<str>,
    class: u8,
    is_removed: bool,
    /// Number of open elements with the same name inside this element.
    nested: u32,
}

impl Reader {
    pub(crate) fn new(annotation: &Annotation) -> Self {
        let (open, stack) = (Vec::new(), Stack::default());
        Reader { kind: annotation.kind.clone(), open, stack, inside_markers: false }
    }
}

impl TokenFilter for Reader {
    fn comment(&mut self, text: &str) -> bool {
        let AnnotationKind::Markers { open, close } = &self.kind else { return true };
        let is = |marker: &str| {
            let rest = text.trim().strip_prefix(marker);
            rest.is_some_and(|r| r.is_empty() || r.trim_start().starts_with(':'))
        };
        let (opens, closes) = (is(open), is(close));
        if opens || closes {
            self.inside_markers = opens;
        }
        !(opens || closes)
    }

    fn start(&mut self, tag: &mut dyn LabelledTag) -> bool {
        if let AnnotationKind::Attribute(marks) = &self.kind {
            return self.stack.start(tag, marks);
        }
        let AnnotationKind::ClassName { prefix, wrapper, attributes } = &self.kind else { return true };
        let Some(class) = take_class(tag, prefix, *attributes) else {
            if let Some(top) = self.open.last_mut().filter(|t| *t.name == *tag.name()) {
                top.nested += 1;
            }
            return true;
        };
        let is_removed = *tag.name() == **wrapper && !tag.has_attributes();
        if !tag.is_self_closing() {
            self.open.push(Open { name: tag.name().into(), class, is_removed, nested: 0 });
        }
        !is_removed
    }

    fn end(&mut self, name: &str) -> bool {
        if let AnnotationKind::Attribute(_) = &self.kind {
            return self.stack.end(name);
        }
        let Some(top) = self.open.last_mut().filter(|t| *t.name == *name) else { return true };
        if top.nested > 0 {
            top.nested -= 1;
            return true;
        }
        let is_removed = top.is_removed;
        self.open.pop();
        !is_removed
    }

    fn class(&self) -> Option<u8> {
        match &self.kind {
            AnnotationKind::ClassName { .. } => self.open.last().map(|l| l.class),
            AnnotationKind::Attribute(_) => self.stack.class(),
            AnnotationKind::Markers { .. } => Some(u8::from(self.inside_markers)),
            AnnotationKind::Selector(_) => None,
        }
    }
}

/// Removes the label's class name and attributes from a tag. Returns the class number.
fn take_class(tag: &mut dyn LabelledTag, prefix: &str, attributes: Option<&str>) -> Option<u8> {
    let classes = tag.attribute("class")?;
    let number = |word: &str| word.strip_prefix(prefix)?.parse::<u8>().ok().filter(|&n| n <= MAX_CLASS);
    let class = classes.split_whitespace().find_map(number)?;
    let left: Vec<_> = classes.split_whitespace().filter(|w| number(w).is_none()).collect();
    let left = left.join(" ");
    tag.set_class(&left);
    tag.retain(&|name, value| {
        let is_empty_class = name == "class" && value.is_empty();
        !is_empty_class && !attributes.is_some_and(|p| name.starts_with(p))
    });
    Some(class)
}
