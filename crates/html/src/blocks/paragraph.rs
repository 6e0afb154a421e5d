//! Segmentation into blocks as a reader sees them: paragraphs, headings, list items, table cells.

use crate::blocks::{Break, Segmentation};

/// Blocks end at block-level tags and at double `<br>`; inline tags and links stay inside.
pub(super) static SEGMENTATION: Segmentation = Segmentation {
    name: "paragraph",
    summary: "blocks end at block-level tags and at double <br>; inline tags and links stay inside",
    source: "Kohlschütter et al., WSDM 2010; double <br> as in Readability",
    breaks: |at| matches!(at, Break::BlockTag | Break::DoubleBr),
};
