//! Blocks as FIASCO's target nodes.

use crate::blocks::{Break, Segmentation};

/// Target nodes: elements all whose text is in text nodes right below them. What stands beside them in elements of
/// mixed content, and would belong to none, makes blocks of its own, and so does what `<br>`, read as `<p>`, parts.
pub static SEGMENTATION: Segmentation = Segmentation {
    name: "target-node",
    summary: "blocks end at block-level tags, at <br>, and at tags of inline elements with text of their own and none in elements below",
    source: "FIASCO (Bauer et al., CleanEval 2007)",
    breaks: |at| !matches!(at, Break::InlineTag),
};
