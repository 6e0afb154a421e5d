//! The paragraph classes of the CleanEval annotation format.

/// The class of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParagraphClass {
    /// `<p>`: running text.
    Paragraph,
    /// `<h>`: a heading.
    Heading,
    /// `<l>`: a list item.
    List,
}

impl ParagraphClass {
    /// Returns the tag of this class in the CleanEval format.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Paragraph => "<p>",
            Self::Heading => "<h>",
            Self::List => "<l>",
        }
    }
}
