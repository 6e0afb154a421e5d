//! The position of a block in the page.

use crate::{Column, Family, Grid, PageContext, ratio};
use threshr_html::Tag;
use threshr_page::article::headline::headline_definition;

/// The family.
pub(crate) struct Position;

const SOURCE: &str = "Kohlschütter et al., WSDM 2010; Victor (Marek et al. 2007)";
const COLUMNS: &[(&str, &str, &str)] = &[
    ("index", "blocks", "number of blocks before the block"),
    ("relative_index", "ratio", "blocks before the block / blocks of the page"),
    ("relative_chars", "ratio", "characters before the block / characters of the page"),
    ("from_end", "blocks", "number of blocks after the block"),
    (
        "after_title",
        "blocks",
        "position in blocks relative to the block that repeats <title>; negative before this block; 0 if no \
         block repeats <title>. The block is the first heading of 2 words or more with at least half of its \
         words in <title>, or a later such heading with more words of <title>. If there is no such heading, \
         it is the first block with at least 80 % of its words in <title> and at least half as many words as \
         <title> (4 words suffice)",
    ),
    (
        "after_h1",
        "blocks",
        "position in blocks relative to the first <h1>; negative before the <h1>; 0 without an <h1>",
    ),
    (
        "has_title",
        "flag",
        "1 if a block of the page repeats <title> (see after_title); the same for all blocks",
    ),
    ("is_headline", "flag", "1 for the headline. "),
    (
        "since_heading",
        "blocks",
        "distance in blocks to the nearest heading (h1 to h6) at or before the block; if there is none, \
         distance to the start of the page",
    ),
];

/// Indices of the columns that depend on the title.
const AFTER_TITLE: usize = 4;
const HAS_TITLE: usize = 6;
const IS_HEADLINE: usize = 7;

impl Family for Position {
    fn name(&self) -> &'static str {
        "position"
    }
    fn summary(&self) -> &'static str {
        "position of a block in the page, and relative to its title and headings"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |(index, &(name, unit, definition)): (usize, &(&'static str, _, &'static str))| {
            let rest = if index == IS_HEADLINE { headline_definition() } else { String::new() };
            Column::new(name, unit, format!("{definition}{rest}"), SOURCE)
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

/// Returns the block that repeats `<title>`: the best heading that contains at least half of the title's
/// words (see [`PageContext::most_of_title`]). If there is no such heading, returns the first block that has
/// nearly all of its words in `<title>` and is long enough.
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
    use crate::tests::values;

    #[test]
    fn the_headline_has_more_words_of_the_title_than_the_name_of_the_site() {
        let html = "<title>Red shoes for rain | The Daily Shoe</title><h1>The Daily Shoe</h1><p>Menu\
            <h1>Red shoes for rain</h1><p>Text.<h2>Red shoes</h2>";
        assert_eq!(values(html, "position.is_headline"), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(html, "position.after_title"), [-2.0, -1.0, 0.0, 1.0, 2.0]);
        assert_eq!(values("<p>x<p>y", "position.is_headline"), [0.0, 0.0]);
        // the name of the site also occurs below the text
        let html = "<title>Red shoes | The Daily Shoe</title><h1>Red shoes</h1><p>Text.<h2>Why become The Daily Shoe member</h2>";
        assert_eq!(values(html, "position.after_title"), [0.0, 1.0, 2.0]);
    }
}
