//! Limits the blocks of a page, so that memory is bounded by a multiple of its bytes.
//!
//! The features of a block take some kilobytes, and a block may take four bytes of the page. Beyond the limit, blocks are
//! joined until they are long. Line ends separate their parts, and all text stays. Only hostile pages have so many blocks,
//! and pages of little but numbers in cells. Annotated pages have at most 2,000 blocks and one more for each 90 bytes.

use crate::Document;

/// Most blocks of a page, however large it is.
pub(super) const MAX_BLOCKS: usize = 1 << 18;
/// Blocks of a page, however small it is.
const FREE_BLOCKS: usize = 2_400;
/// Bytes of memory that a page may take for one of its bytes.
const BYTES_PER_BYTE: usize = 40;
/// Bytes that a node takes in the tree and in what is computed from it.
const NODE_BYTES: usize = 80;
/// Bytes that a block takes with its features.
const BLOCK_BYTES: usize = 3_000;
/// Bytes of text from which on a block ends if the page has too many blocks.
pub(super) const LONG_BLOCK: usize = 1_000;

/// Number of blocks beyond which only blocks of [`LONG_BLOCK`] bytes end: what the memory of a page allows beside its
/// tree.
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
        let of = |html: &str| Blocks::of(&parse_str(html), REGISTRY[0], Visibility::Visible);
        let few = of(&"<p>rain".repeat(1_900));
        assert_eq!((few.len(), few.is_crowded), (1_900, false));
        let html: String = (0..50_000).map(|i| format!("<p>{i}")).collect();
        let many = of(&html);
        assert!(many.is_crowded && (2_400..9_000).contains(&many.len()), "{}", many.len());
        let lines = many.join(|_| true);
        assert!(lines.lines().eq((0..50_000).map(|i| i.to_string())));
    }
}
