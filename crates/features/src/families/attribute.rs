//! Words in class, id, role and itemprop of a block's elements.

use crate::{Column, Family, Grid, PageContext};
use threshr_html::NodeId;
use threshr_page::names::name_kinds::{KINDS, bits, elements_with_kind};
use threshr_page::word_lists::examples;

/// The family.
pub(crate) struct Attribute;

const SOURCE: &str =
    "Readability's word lists (Arc90 2009); attribute words as in dragnet (Peters & Lecocq 2013)";

/// Kinds of names that indicate content, and kinds that indicate boilerplate, as in Readability.
const POSITIVE: &[&str] = &["content"];
const NEGATIVE: &[&str] =
    &["comment", "nav", "footer", "side", "social", "ad", "related", "overlay", "search"];

impl Family for Attribute {
    fn name(&self) -> &'static str {
        "attribute"
    }
    fn summary(&self) -> &'static str {
        "words in class, id, role and itemprop of a block's element and its ancestors"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |name: String, unit, definition: String| Column::new(name, unit, definition, SOURCE);
        let nearest = |&(kind, words): &(&str, &str)| {
            column(
                format!("near_{kind}"),
                "ratio",
                format!(
                    "1 / (1 + n), where n is the number of levels from the block's innermost element up to \
                     the nearest element with a word of the kind {kind} in class, id, role or itemprop: {}; \
                     0 if there is no such element. All words: data/element_names.tsv",
                    examples(words)
                ),
            )
        };
        let mut columns: Vec<_> = KINDS.iter().map(nearest).collect();
        columns.push(column(
            "num_positive".into(),
            "elements",
            format!(
                "number of elements around the block with a word of the kind {} (see near_{})",
                POSITIVE.join(", "),
                POSITIVE[0]
            ),
        ));
        columns.push(column(
            "num_negative".into(),
            "elements",
            format!(
                "number of elements around the block with a word of one of the kinds {}",
                NEGATIVE.join(", ")
            ),
        ));
        columns
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let kinds = page.kinds();
        let (positive, negative) = (bits(POSITIVE), bits(NEGATIVE));
        let depths = page.depths();
        for index in 0..page.len() {
            let (mut seen, mut num_positive, mut num_negative) = (0u32, 0u32, 0u32);
            let leaf = page.block(index).leaf;
            for at in elements_with_kind(page, leaf) {
                let here = kinds[at as usize].own;
                num_positive += u32::from(here & positive != 0);
                num_negative += u32::from(here & negative != 0);
                let mut new = here & !seen;
                seen |= here;
                while new != 0 {
                    let level = depths.of(leaf) - depths.of(at);
                    out.set(new.trailing_zeros() as usize, index, 1.0 / (1.0 + level as f32));
                    new &= new - 1;
                }
            }
            out.set(KINDS.len(), index, num_positive as f32);
            out.set(KINDS.len() + 1, index, num_negative as f32);
        }
    }
}

/// Name of the column for blocks in elements whose class, id, role or itemprop suggests comments.
pub const NEAR_COMMENT: &str = "attribute.near_comment";

/// Returns for each block whether it is in an element whose name suggests comments, see [`NEAR_COMMENT`].
pub fn in_comments(page: &PageContext<'_>) -> Vec<bool> {
    let comment = bits(&["comment"]);
    let is_comment = |node: NodeId| page.kinds()[node as usize].own & comment != 0;
    (0..page.len()).map(|i| elements_with_kind(page, page.block(i).leaf).any(is_comment)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_readability_exist() {
        assert_eq!((KINDS.len(), bits(POSITIVE).count_ones()), (16, POSITIVE.len() as u32));
        assert_eq!(bits(NEGATIVE).count_ones(), NEGATIVE.len() as u32);
    }
}
