//! Removes labels from the stream of tokens.

use crate::annotation::attribute::Stack;
use crate::annotation::{Annotation, AnnotationKind, marks};
use crate::tokenizer::StartTag;

/// A start tag of our tokenizer or of html5ever's.
pub(crate) trait Labelled {
    fn name(&self) -> &str;
    fn is_self_closing(&self) -> bool;
    fn attribute(&self, name: &str) -> Option<&str>;
    fn class(&self) -> Option<&str> {
        self.attribute("class")
    }
    fn set_class(&mut self, value: &str);
    fn has_attributes(&self) -> bool;
    fn retain(&mut self, keep: impl Fn(&str, &str) -> bool);
}

impl Labelled for StartTag<'_> {
    fn name(&self) -> &str {
        self.name().text()
    }
    fn is_self_closing(&self) -> bool {
        self.self_closing
    }
    fn attribute(&self, name: &str) -> Option<&str> {
        StartTag::attribute(self, name)
    }
    fn set_class(&mut self, value: &str) {
        self.set_attribute("class", value);
    }
    fn has_attributes(&self) -> bool {
        self.attributes().len() > 0
    }
    fn retain(&mut self, keep: impl Fn(&str, &str) -> bool) {
        self.retain_attributes(keep);
    }
}

/// Removes labels from the stream of tokens and marks the labelled text.
#[derive(Debug)]
pub(crate) struct Reader {
    kind: AnnotationKind,
    /// The open labelled elements.
    open: Vec<Open>,
    /// All open elements, if labels are in an attribute.
    stack: Stack,
    inside_markers: bool,
}

#[derive(Debug)]
struct Open {
    name: Box<str>,
    class: u8,
    is_removed: bool,
    /// Number of open elements of the same name inside it.
    nested: u32,
}

impl Reader {
    pub(crate) fn new(annotation: &Annotation) -> Self {
        let (open, stack) = (Vec::new(), Stack::default());
        Reader { kind: annotation.kind.clone(), open, stack, inside_markers: false }
    }

    /// Whether a comment stays. Markers are removed.
    pub(crate) fn comment(&mut self, text: &str) -> bool {
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

    /// Removes the label from a start tag. False if the whole tag is to be removed.
    pub(crate) fn start(&mut self, tag: &mut impl Labelled) -> bool {
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

    /// Whether an end tag stays.
    pub(crate) fn end(&mut self, name: &str) -> bool {
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

    /// Text with a mark of its class.
    pub(crate) fn mark(&self, text: &str) -> String {
        let class = match &self.kind {
            AnnotationKind::ClassName { .. } => self.open.last().map(|l| l.class),
            AnnotationKind::Attribute(_) => self.stack.class(),
            AnnotationKind::Markers { .. } => Some(u8::from(self.inside_markers)),
            #[cfg(feature = "selectors")]
            AnnotationKind::Selector(_) => None,
        };
        marks::write(text, class)
    }
}

/// Removes the label's class name and attributes from a tag. Returns its number.
fn take_class(tag: &mut impl Labelled, prefix: &str, attributes: Option<&str>) -> Option<u8> {
    let classes = tag.class()?;
    let number =
        |word: &str| word.strip_prefix(prefix)?.parse::<u8>().ok().filter(|&n| n <= marks::MAX_CLASS);
    let class = classes.split_whitespace().find_map(number)?;
    let left: Vec<_> = classes.split_whitespace().filter(|w| number(w).is_none()).collect();
    let left = left.join(" ");
    tag.set_class(&left);
    tag.retain(|name, value| {
        let is_empty_class = name == "class" && value.is_empty();
        !is_empty_class && !attributes.is_some_and(|p| name.starts_with(p))
    });
    Some(class)
}
