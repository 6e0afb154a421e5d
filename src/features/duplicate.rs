//! Whether a block's text stands in the page more than once.

use super::{Column, Family, Grid, PageContext};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// The family.
pub(super) struct Duplicate;

const SOURCE: &str = "Victor (Marek et al. 2007); Web2Text (Vogels et al. 2018)";

impl Family for Duplicate {
    fn name(&self) -> &'static str {
        "duplicate"
    }
    fn summary(&self) -> &'static str {
        "whether a block's text stands in the page more than once"
    }
    fn columns(&self) -> Vec<Column> {
        let column =
            |name: &'static str, unit, definition: &'static str| Column::of(name, unit, definition, SOURCE);
        vec![
            column(
                "num_same",
                "blocks",
                "blocks of the page with the same text, digits and case aside, itself included",
            ),
            column("is_first", "flag", "1 where no block before it has the same text"),
        ]
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        // texts are told apart by their hashes: of 2⁶⁴ values none is shared by chance
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        let keys: Vec<u64> = (0..page.len()).map(|i| key(page.blocks.text(i))).collect();
        for (i, key) in keys.iter().enumerate() {
            let count = counts.entry(*key).or_default();
            *count += 1;
            out.set(1, i, f32::from(u8::from(*count == 1)));
        }
        for (i, key) in keys.iter().enumerate() {
            out.set(0, i, counts[key] as f32);
        }
    }
}

/// Hash of a text with lower case and every digit as 0, so that dates and counters do not set blocks apart.
fn key(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_usize(text.len());
    if text.is_ascii() {
        let mut chunk = [0; 8];
        for bytes in text.as_bytes().chunks(8) {
            chunk[..bytes.len()].copy_from_slice(bytes);
            chunk[bytes.len()..].fill(0);
            chunk
                .iter_mut()
                .for_each(|b| *b = if b.is_ascii_digit() { b'0' } else { b.to_ascii_lowercase() });
            hasher.write_u64(u64::from_le_bytes(chunk));
        }
    } else {
        let folded = text.chars().map(|c| if c.is_numeric() { '0' } else { c.to_ascii_lowercase() });
        folded.for_each(|c| hasher.write_u32(c as u32));
    }
    hasher.finish()
}
