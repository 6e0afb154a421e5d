//! Whether the text of a block occurs more than once on the page.

use crate::{Column, Family, Grid, PageContext};
use rustc_hash::FxHashMap;
use threshr_page::text::hashing::folded_hash;

/// The family.
pub(crate) struct Duplicate;

const SOURCE: &str = "Victor (Marek et al. 2007); Web2Text (Vogels et al. 2018)";

impl Family for Duplicate {
    fn name(&self) -> &'static str {
        "duplicate"
    }
    fn summary(&self) -> &'static str {
        "whether the text of a block occurs more than once on the page"
    }
    fn columns(&self) -> Vec<Column> {
        let column =
            |name: &'static str, unit, definition: &'static str| Column::new(name, unit, definition, SOURCE);
        vec![
            column(
                "num_same",
                "blocks",
                "number of blocks of the page with the same text, this one included; case and the values of \
                 digits are ignored",
            ),
            column("is_first", "flag", "1 if no earlier block has the same text"),
        ]
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        // texts are compared by 64-bit hashes; collisions are very improbable
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
