//! How often the text of a block occurs on the other pages of the site.

use crate::{Column, Family, Grid, PageContext};

/// Counts over the other pages of a page's site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteCounts {
    /// Number of other pages of the site.
    pub num_pages: u32,
    /// For each block, the number of other pages that contain its text; length n_blocks.
    pub num_with: Vec<u32>,
}

/// The family. It is not in the set `all`, because its columns are 0 if there are no counts for the site. A
/// model that uses them is suitable only for crawls.
pub(crate) struct SiteRepeat;

const SOURCE: &str =
    "this project; templates by repetition over a site as in Bar-Yossef and Rajagopalan, WWW 2002";

impl Family for SiteRepeat {
    fn name(&self) -> &'static str {
        "site_repeat"
    }
    fn summary(&self) -> &'static str {
        "how often the text of a block occurs on other pages of the site (needs a crawl, not in `all`)"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |name: &'static str, unit, definition: &'static str| Column {
            neighbours: true,
            ..Column::new(name, unit, definition, SOURCE)
        };
        vec![
            column(
                "share",
                "ratio",
                "share of the other pages of the site that contain a block with the same text; case and the \
                 values of numbers are ignored; 0 if no other page is known",
            ),
            column(
                "pages",
                "log pages",
                "ln(1 + n), where n is the number of other pages of the site that contain a block with the \
                 same text; 0 if no other page is known",
            ),
            Column::new(
                "known",
                "log pages",
                "ln(1 + n), where n is the number of known other pages of the site; the same for all blocks",
                SOURCE,
            ),
        ]
    }
    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        if let Some(counts) = &page.site {
            fill(counts, out);
        }
    }
    fn is_in_all(&self) -> bool {
        false
    }
    fn needs_crawl(&self) -> bool {
        true
    }
}

/// Computes the columns from counts.
pub(crate) fn fill(counts: &SiteCounts, out: &mut Grid<'_>) {
    let log = |n: u32| (1.0 + f64::from(n)).ln() as f32;
    for (block, &with) in counts.num_with.iter().enumerate() {
        // counts are estimates and may exceed the number of pages
        let with = with.min(counts.num_pages);
        out.set(0, block, crate::ratio(with, counts.num_pages));
        out.set(1, block, log(with));
        out.set(2, block, log(counts.num_pages));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_other_pages() {
        let of = |num_pages, num_with: &[u32]| {
            let mut values = vec![0.0; 3 * num_with.len()];
            fill(
                &SiteCounts { num_pages, num_with: num_with.to_vec() },
                &mut Grid::new(&mut values, num_with.len()),
            );
            values
        };
        let ln = |x: f64| x.ln() as f32;
        assert_eq!(of(4, &[1, 9]), [0.25, 1.0, ln(2.0), ln(5.0), ln(5.0), ln(5.0)]);
        assert_eq!(of(0, &[0, 3]), [0.0; 6]);
    }
}
