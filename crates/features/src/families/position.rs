//! Where a block stands in the page.

use crate::page_index::headline::headline_definition;
use crate::{Column, Family, Grid, PageContext, ratio};
use threshr_html::Tag;

/// The family.
pub(crate) struct Position;

const SOURCE: &str = "Kohlschütter et al., WSDM 2010; Victor (Marek et al. 2007)";
const COLUMNS: &[(&str, &str, &str)] = &[
    ("index", "blocks", "blocks before it"),
    ("relative_index", "ratio", "blocks before it / blocks of the page"),
    ("relative_chars", "ratio", "characters before it / characters of the page"),
    ("from_end", "blocks", "blocks after it"),
    (
        "after_title",
        "blocks",
        "blocks since the block that repeats <title>, of several headings the first, but where a later one has more of its words; negative before it; 0 where there is none",
    ),
    ("after_h1", "blocks", "blocks since the first <h1>; negative before it; 0 where there is none"),
    ("has_title", "flag", "1 where a block of the page repeats <title>"),
    ("is_headline", "flag", "1 for "),
    (
        "since_heading",
        "blocks",
        "blocks since the last heading (h1 to h6); since the start where there is none before",
    ),
];

/// Columns that rest on the title.
const AFTER_TITLE: usize = 4;
const HAS_TITLE: usize = 6;
const IS_HEADLINE: usize = 7;

impl Family for Position {
    fn name(&self) -> &'static str {
        "position"
    }
    fn summary(&self) -> &'static str {
        "where a block stands in the page, and how far from its title and headings"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |(index, &(name, unit, definition)): (usize, &(&'static str, _, &'static str))| {
            let rest = if index == IS_HEADLINE { headline_definition() } else { String::new() };
            Column::of(name, unit, format!("{definition}{rest}"), SOURCE)
        };
        COLUMNS.iter().enumerate().map(column).collect()
    }

    fn reads_words(&self, wanted: &[bool]) -> bool {
        [AFTER_TITLE, HAS_TITLE, IS_HEADLINE].iter().any(|&column| wanted[column])
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let n = page.len();
        let wants_title = out.wants(AFTER_TITLE..AFTER_TITLE + 1) || out.wants(HAS_TITLE..HAS_TITLE + 1);
        let title = if wants_title { title_block(page) } else { None };
        let headline = if out.wants(IS_HEADLINE..IS_HEADLINE + 1) { page.headline() } else { None };
        let h1 = (0..n).find(|&i| page.doc.tag(page.block(i).node) == Tag::H1);
        let since = |at: usize, from: Option<usize>| from.map_or(0.0, |f| at as f32 - f as f32);
        let mut last_heading = 0;
        for i in 0..n {
            if page.doc.tag(page.block(i).node).is_heading() {
                last_heading = i;
            }
            let values = [
                i as f32,
                ratio(i as u32, n as u32),
                ratio(page.before(i).chars, page.total().chars),
                (n - 1 - i) as f32,
                since(i, title),
                since(i, h1),
                f32::from(u8::from(title.is_some())),
                f32::from(u8::from(headline == Some(i))),
                (i - last_heading) as f32,
            ];
            for (column, value) in values.into_iter().enumerate() {
                out.set(column, i, value);
            }
        }
    }
}

/// Of headings at least half of whose words stand in `<title>` the one that [`PageContext::most_of_title`] chooses, else the first
/// block of two words or more nearly all of which do.
fn title_block(page: &PageContext<'_>) -> Option<usize> {
    let repeats = |i: usize, share: f32| page.title_overlap()[i] >= share && page.stats[i].num_words >= 2;
    let heading = |i: &usize| page.doc.tag(page.block(*i).node).is_heading();
    let blocks = 0..page.len();
    page.most_of_title(blocks.clone().filter(heading).filter(|&i| repeats(i, 0.5))).or_else(|| {
        let enough = |i: usize| page.stats[i].num_words * 2 >= page.num_title_words().min(8);
        blocks.clone().find(|&i| repeats(i, 0.8) && enough(i))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::values;

    #[test]
    fn the_headline_has_more_of_the_title_than_the_name_of_the_site() {
        let html = "<title>Red shoes for rain | The Daily Shoe</title><h1>The Daily Shoe</h1><p>Menu\
            <h1>Red shoes for rain</h1><p>Text.<h2>Red shoes</h2>";
        assert_eq!(values(html, "position.is_headline"), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(html, "position.after_title"), [-2.0, -1.0, 0.0, 1.0, 2.0]);
        assert_eq!(values("<p>x<p>y", "position.is_headline"), [0.0, 0.0]);
        // below the page stands the name of the site, too
        let html = "<title>Red shoes | The Daily Shoe</title><h1>Red shoes</h1><p>Text.<h2>Why become The Daily Shoe member</h2>";
        assert_eq!(values(html, "position.after_title"), [0.0, 1.0, 2.0]);
    }
}
