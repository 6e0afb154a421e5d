//! Labels that annotated data sets store inside their pages.
//!
//! A [`Labelling`] reads and removes the labels before the tree is built, so that the tree is the same as that of
//! the page without labels. The label formats of the data sets are implemented in another crate.

mod document;
pub(crate) mod marks;
mod tag;
#[cfg(test)]
mod tests;

pub use marks::MAX_CLASS;
pub use tag::LabelledTag;

use crate::tree::Document;
use std::fmt::Debug;

/// A format of labels inside pages.
///
/// A label assigns a class, from 0 to [`MAX_CLASS`], to text. [`Document::labels`] contains the labels that were
/// read.
pub trait Labelling: Debug + Send + Sync {
    /// Returns a filter for the tokens of one page, from its start.
    fn filter(&self) -> Box<dyn TokenFilter>;

    /// Labels a page after its tree is built. This is for formats whose labels are located in the tree.
    fn label(&self, _document: &mut Document) {}
}

/// Removes labels from the tokens of a page, in page order.
pub trait TokenFilter {
    /// Removes the label from a start tag. Returns false if the whole tag is to be removed.
    fn start(&mut self, tag: &mut dyn LabelledTag) -> bool;

    /// Returns whether to keep the end tag of an element with this name, in lower case.
    fn end(&mut self, name: &str) -> bool;

    /// Returns whether to keep a comment. `text` does not include `<!--` and `-->`.
    fn comment(&mut self, text: &str) -> bool;

    /// Returns the class of the text that comes next, or `None` if the text has no label. Classes above
    /// [`MAX_CLASS`] mean "no label".
    fn class(&self) -> Option<u8>;
}
