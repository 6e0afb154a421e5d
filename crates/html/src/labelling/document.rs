//! Methods by which a labelling changes a document.

use crate::tree::{Attribute, Document, NodeId, range};
use std::borrow::Cow;
use std::ops::Range;

impl Document {
    /// Replaces the labels. Each label is a range of [`Document::source_text`] with its class; they are in text
    /// order.
    pub fn set_labels(&mut self, labels: Vec<(Range<u32>, u8)>) {
        self.labels = labels;
    }

    /// Replaces the attributes of a node. `rewrite` gets the name and the value of each attribute, and returns its
    /// new value; `None` removes the attribute.
    pub fn rewrite_attributes(
        &mut self,
        node: NodeId,
        rewrite: impl for<'v> Fn(&str, &'v str) -> Option<Cow<'v, str>>,
    ) {
        let attributes = self.raw_attributes(node).to_vec();
        let kept: Vec<Attribute> =
            attributes.iter().filter_map(|&attribute| self.rewritten(attribute, &rewrite)).collect();
        if kept == attributes {
            return;
        }
        // copies of an element share its attributes, so the original attributes are kept
        let start = u32::try_from(self.attributes.len()).unwrap_or(u32::MAX);
        self.attributes.extend(kept);
        let end = u32::try_from(self.attributes.len()).unwrap_or(start);
        (self.nodes[node as usize].a, self.nodes[node as usize].b) = (start.min(end), end);
    }

    fn rewritten(
        &mut self,
        attribute: Attribute,
        rewrite: impl for<'v> Fn(&str, &'v str) -> Option<Cow<'v, str>>,
    ) -> Option<Attribute> {
        let value = &self.values[range(attribute.start..attribute.end)];
        let new = rewrite(self.names.name(attribute.name), value)?;
        if new == value {
            return Some(attribute);
        }
        let new = new.into_owned();
        let start = u32::try_from(self.values.len()).ok()?;
        self.values.push_str(&new);
        let end = u32::try_from(self.values.len()).ok()?;
        Some(Attribute { start, end, ..attribute })
    }
}
