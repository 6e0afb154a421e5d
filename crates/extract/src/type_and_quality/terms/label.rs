//! Terms from short elements: buttons, links, headings, labels.

use super::{TermCounter, normalise_into};
use threshr_html::text;
use threshr_html::{Document, Kind, NodeId};

/// Maximum number of bytes of a button, link, heading or label whose text becomes terms.
pub(super) const MAX_LABEL: usize = 30;
/// Maximum number of descendants of a button, link, heading or label that are read.
const MAX_NODES: usize = 32;

/// The text of a short element, in reused buffers.
#[derive(Default)]
pub(super) struct Label {
    text: String,
    /// The normalised text, in lower case.
    lower: String,
    /// The words of the text, joined with `_`.
    whole: String,
}

impl Label {
    /// Reads the text of an element. Returns whether it is nonempty and has at most `most` bytes.
    pub(super) fn read(&mut self, doc: &Document, node: NodeId, most: usize) -> bool {
        self.text.clear();
        for (i, inner) in doc.descendants(node).enumerate() {
            if i >= MAX_NODES {
                return false;
            }
            if doc.kind(inner) == Kind::Text {
                let content = doc.text(inner);
                let trimmed = content.trim();
                // separate the words of adjacent text nodes
                if !trimmed.is_empty() && !self.text.is_empty() {
                    self.text.push(' ');
                }
                if self.text.len() + trimmed.len() > most {
                    return false;
                }
                self.text.push_str(trimmed);
            }
        }
        !self.text.is_empty()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Counts the whole text as a term of `channel`, and its words as terms of `of_words`.
    pub(super) fn add(&mut self, channel: usize, of_words: Option<usize>, counter: &mut impl TermCounter) {
        normalise_into(&mut self.lower, &self.text);
        self.whole.clear();
        for (start, end) in text::words(&self.lower) {
            let word = &self.lower[start..end];
            if !self.whole.is_empty() {
                self.whole.push('_');
            }
            self.whole.push_str(word);
            if let Some(of_words) = of_words {
                counter.add(of_words, word);
            }
        }
        counter.add(channel, &self.whole);
    }
}
