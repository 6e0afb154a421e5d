//! The paragraph classes of CleanEval.

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
    /// Its tag in CleanEval's format.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Paragraph => "<p>",
            Self::Heading => "<h>",
            Self::List => "<l>",
        }
    }
}
