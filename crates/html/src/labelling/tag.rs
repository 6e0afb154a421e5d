//! Start tags in the view of a [`TokenFilter`](crate::TokenFilter).

use crate::tokenizer::StartTag;

/// A start tag that may carry a label. Names are in lower case.
pub trait LabelledTag {
    /// The name of the element.
    fn name(&self) -> &str;
    /// Whether the tag ends in `/>`.
    fn is_self_closing(&self) -> bool;
    /// The value of an attribute.
    fn attribute(&self, name: &str) -> Option<&str>;
    /// Sets the value of the attribute `class`, if the tag has it.
    fn set_class(&mut self, value: &str);
    /// Whether the tag has any attribute.
    fn has_attributes(&self) -> bool;
    /// Keeps the attributes for whose name and value `keep` holds.
    fn retain(&mut self, keep: &dyn Fn(&str, &str) -> bool);
}

impl LabelledTag for StartTag<'_> {
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
    fn retain(&mut self, keep: &dyn Fn(&str, &str) -> bool) {
        self.retain_attributes(keep);
    }
}
