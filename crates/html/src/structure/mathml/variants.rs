//! Letter variants in formulas, such as bold and script (`mathvariant` in MathML).

use crate::{Document, NodeId};

/// A letter variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    Bold,
    BoldItalic,
    DoubleStruck,
    Script,
    Fraktur,
    SansSerif,
    Monospace,
}

impl Variant {
    /// The variant that the attribute `mathvariant` of an element selects; `None` for italic and unknown values.
    pub(super) fn new(doc: &Document, node: NodeId) -> Option<Self> {
        Some(match doc.attribute(node, "mathvariant")?.trim() {
            "bold" => Variant::Bold,
            "bold-italic" => Variant::BoldItalic,
            "double-struck" => Variant::DoubleStruck,
            "script" | "bold-script" => Variant::Script,
            "fraktur" | "bold-fraktur" => Variant::Fraktur,
            "sans-serif" | "bold-sans-serif" => Variant::SansSerif,
            "monospace" => Variant::Monospace,
            _ => return None,
        })
    }

    /// The TeX command of the variant, such as `\mathbf`.
    pub(super) fn command(self) -> &'static str {
        match self {
            Variant::Bold => "\\mathbf",
            Variant::BoldItalic => "\\boldsymbol",
            Variant::DoubleStruck => "\\mathbb",
            Variant::Script => "\\mathcal",
            Variant::Fraktur => "\\mathfrak",
            Variant::SansSerif => "\\mathsf",
            Variant::Monospace => "\\mathtt",
        }
    }
}
