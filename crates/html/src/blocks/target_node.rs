//! FIASCO's target nodes.

use crate::blocks::{Break, Segmentation};

/// A target node is an element whose text is all in its child text nodes.
///
/// Text beside target nodes in elements of mixed content is in blocks of its own. `<br>` counts as `<p>`.
pub(super) static SEGMENTATION: Segmentation = Segmentation {
    name: "target-node",
    summary: "blocks end at block-level tags, at <br>, and at tags of inline elements whose text is all in \
              child text nodes",
    source: "FIASCO (Bauer et al., CleanEval 2007)",
    breaks: |at| !matches!(at, Break::InlineTag),
};
