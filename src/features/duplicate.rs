//! Whether a block's text stands in the page more than once.

use super::{Column, Family, Grid, PageContext};
use rustc_hash::FxHashMap;

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
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        let keys: Vec<String> = (0..page.len()).map(|i| key(page.blocks.text(i))).collect();
        for (i, key) in keys.iter().enumerate() {
            let count = counts.entry(key.clone()).or_default();
            *count += 1;
            out.set(1, i, f32::from(u8::from(*count == 1)));
        }
        for (i, key) in keys.iter().enumerate() {
            out.set(0, i, counts[key] as f32);
        }
    }
}

/// Text with lower case and every digit as 0, so that dates and counters do not set blocks apart.
fn key(text: &str) -> String {
    text.chars().map(|c| if c.is_numeric() { '0' } else { c.to_ascii_lowercase() }).collect()
}
