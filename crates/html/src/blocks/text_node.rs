//! Segmentation into the smallest blocks: the text between two tags.

use crate::blocks::Segmentation;

/// Blocks end at every tag.
pub(super) static SEGMENTATION: Segmentation = Segmentation {
    name: "text-node",
    summary: "blocks end at every tag",
    source: "Marek, Pecina & Spousta (Victor), WAC 2007; Boilerpipe's finest grain",
    breaks: |_| true,
};
