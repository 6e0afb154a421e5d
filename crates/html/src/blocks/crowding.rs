//! Limits the number of blocks per page, so that memory use is at most proportional to the size of the page.
//!
//! The features of a block take a few kilobytes, but a block may consist of only four bytes of the page. Beyond the
//! limit, a block ends only when it is long, so that short blocks are merged. Line feeds separate the merged texts,
//! and no text is lost. Only malicious pages, and pages that consist of numbers in table cells, exceed the limit.
//! Annotated pages have at most 2,000 blocks plus one for each 90 bytes.

use crate::Document;

/// Maximum number of blocks per page, whatever its size.
pub(super) const MAX_BLOCKS: usize = 1 << 18;
/// Number of blocks that every page may have, whatever its size.
const FREE_BLOCKS: usize = 2_400;
/// Number of bytes of memory, by the estimates below, that tree and blocks may take per byte of the page.
const BYTES_PER_BYTE: usize = 40;
/// Estimated bytes per node, in the tree and in the data computed from it.
const NODE_BYTES: usize = 80;
/// Estimated bytes per block, with its features.
const BLOCK_BYTES: usize = 3_000;
/// Minimum number of bytes of text in a block that ends although the page has too many blocks.
pub(super) const LONG_BLOCK: usize = 1_000;

/// Returns the number of blocks beyond which only blocks of at least [`LONG_BLOCK`] bytes end. It is computed from
/// the memory that the page's size allows, minus that of the tree.
pub(super) fn most_short_blocks(doc: &Document) -> usize {
    let for_blocks = (BYTES_PER_BYTE * doc.num_bytes()).saturating_sub(NODE_BYTES * doc.num_nodes());
    (FREE_BLOCKS + for_blocks / BLOCK_BYTES).min(MAX_BLOCKS)
}

#[cfg(test)]
mod tests {
    use crate::blocks::{Blocks, REGISTRY};
    use crate::{Visibility, parse_str};

    #[test]
    fn blocks_are_joined_beyond_the_limit_and_all_text_stays() {
        let of = |html: &str| Blocks::new(&parse_str(html), REGISTRY[0], Visibility::Visible);
        let few = of(&"<p>rain".repeat(1_900));
        assert_eq!((few.len(), few.is_crowded), (1_900, false));
        let html: String = (0..50_000).map(|i| format!("<p>{i}")).collect();
        let many = of(&html);
        assert!(many.is_crowded && (2_400..9_000).contains(&many.len()), "{}", many.len());
        let lines = many.join(|_| true);
        assert!(lines.lines().eq((0..50_000).map(|i| i.to_string())));
    }
}
