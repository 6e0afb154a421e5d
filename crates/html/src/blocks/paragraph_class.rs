//! What kind of paragraph a block is, in CleanEval's terms.

/// The class of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParagraphClass {
    /// `<p>`: running text.
    Paragraph,
    /// `<h>`: a heading.
    Heading,
    /// `<l>`: an entry of a list.
    List,
}

impl ParagraphClass {
    /// The tag that stands for it.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Paragraph => "<p>",
            Self::Heading => "<h>",
            Self::List => "<l>",
        }
    }
}
