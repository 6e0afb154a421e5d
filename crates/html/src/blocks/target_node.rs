//! Segmentation by the target nodes of FIASCO.

use crate::blocks::{Break, Segmentation};

/// Blocks end at block-level tags, at `<br>` and at the tags of target nodes: elements whose text is all in their
/// child text nodes.
///
/// In an element with mixed content, the text between target nodes forms separate blocks.
pub(super) static SEGMENTATION: Segmentation = Segmentation {
    name: "target-node",
    summary: "blocks end at block-level tags, at <br>, and at tags of inline elements whose text is all in \
              child text nodes",
    source: "FIASCO (Bauer et al., WAC 2007)",
    breaks: |at| !matches!(at, Break::InlineTag),
};
