//! Whether a block's text stands in the page more than once.

use crate::page_index::hashing::folded_hash;
use crate::{Column, Family, Grid, PageContext};
use rustc_hash::FxHashMap;

/// The family.
pub(crate) struct Duplicate;

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
        let keys: Vec<u64> = (0..page.len()).map(|i| folded_hash(page.blocks.text(i))).collect();
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
