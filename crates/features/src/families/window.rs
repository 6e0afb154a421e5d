//! The neighbourhood of a block, and the size of a block relative to its page.

use crate::{Column, Family, Grid, PageContext, ratio};

/// The family.
pub(crate) struct Window;

const SOURCE: &str = "this project; cumulative share after Pal 2009, ratios to the largest block after \
    Kimatu (CleanEval 2007)";

/// Window radii: numbers of blocks before and after the block.
const RADII: &[usize] = &[2, 5, 10];
const PER_RADIUS: &[(&str, &str, &str)] = &[
    ("mean_words", "words", "mean number of words of the blocks at most {} away, this block included"),
    (
        "mean_text_words",
        "words",
        "mean number of words outside links of the blocks at most {} away, this block included",
    ),
    ("link_density", "ratio", "link density of the blocks at most {} away, this block included"),
    ("sentence_length", "words", "words / sentences of the blocks at most {} away, this block included"),
    (
        "ends_share",
        "ratio",
        "share of the blocks at most {} away (this block included) that end like a sentence",
    ),
    ("before", "words", "words outside links in the {} blocks before the block"),
    ("after", "words", "words outside links in the {} blocks after the block"),
];
const PAGE: &[(&str, &str, &str)] = &[
    ("text_before", "ratio", "share of the page's words outside links that are before the block"),
    ("text_share", "ratio", "share of the page's words outside links that are in the block"),
    ("of_max_words", "ratio", "words of the block / words of the longest block of the page"),
    (
        "of_max_text",
        "ratio",
        "words outside links of the block / greatest number of words outside links of a block on the page",
    ),
    ("of_mean_words", "ratio", "words of the block / mean number of words of the blocks of the page"),
    (
        "rank",
        "ratio",
        "share of the other blocks that have fewer words outside links; blocks with equally many count half; \
         0.5 if the page has only one block",
    ),
    ("of_link_density", "ratio", "link density of the block minus link density of the page"),
];

impl Family for Window {
    fn name(&self) -> &'static str {
        "window"
    }
    fn summary(&self) -> &'static str {
        "the text of the blocks around a block, and the size of the block relative to the page"
    }
    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for radius in RADII {
            columns.extend(PER_RADIUS.iter().map(|&(name, unit, definition)| {
                let definition = definition.replace("{}", &radius.to_string());
                Column::new(format!("w{radius}_{name}"), unit, definition, SOURCE)
            }));
        }
        columns.extend(PAGE.iter().map(|&(name, unit, text)| Column::new(name, unit, text, SOURCE)));
        columns
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let mut ends = Vec::with_capacity(page.len() + 1);
        ends.push(0u32);
        let mut num_ends = 0;
        for stats in &page.stats {
            num_ends += u32::from(stats.ends_sentence);
            ends.push(num_ends);
        }
        for (i, &radius) in RADII.iter().enumerate() {
            let first = i * PER_RADIUS.len();
            if out.wants(first..first + PER_RADIUS.len()) {
                fill_radius(page, radius, &ends, first, out);
            }
        }
        fill_page(page, RADII.len() * PER_RADIUS.len(), out);
    }
}

fn fill_radius(page: &PageContext<'_>, radius: usize, ends: &[u32], first: usize, out: &mut Grid<'_>) {
    for index in 0..page.len() {
        let (from, to) = (index.saturating_sub(radius), (index + radius + 1).min(page.len()));
        let around = page.between(from, to);
        let values = [
            ratio(around.words, around.blocks),
            ratio(around.text_words(), around.blocks),
            ratio(around.link_words, around.words),
            ratio(around.words, around.sentences),
            ratio(ends[to] - ends[from], around.blocks),
            page.between(from, index).text_words() as f32,
            page.between(index + 1, to).text_words() as f32,
        ];
        out.set_all(first, index, &values);
    }
}

fn fill_page(page: &PageContext<'_>, first: usize, out: &mut Grid<'_>) {
    let total = page.total();
    let max_words = page.stats.iter().map(|s| s.num_words).max().unwrap_or(0);
    let max_text = page.stats.iter().map(|s| s.num_text_words()).max().unwrap_or(0);
    let mean = f64::from(total.words) / f64::from(total.blocks.max(1));
    let page_links = ratio(total.link_words, total.words);
    for (index, s) in page.stats.iter().enumerate() {
        let text = s.num_text_words();
        let values = [
            ratio(page.before(index).text_words(), total.text_words()),
            ratio(text, total.text_words()),
            ratio(s.num_words, max_words),
            ratio(text, max_text),
            if mean > 0.0 { (f64::from(s.num_words) / mean) as f32 } else { 0.0 },
        ];
        out.set_all(first, index, &values);
        out.set(first + RANK + 1, index, ratio(s.num_link_words, s.num_words) - page_links);
    }
    if out.wants(first + RANK..first + RANK + 1) {
        fill_rank(page, out.column(first + RANK));
    }
}

/// Index of `rank` in [`PAGE`].
const RANK: usize = 5;

fn fill_rank(page: &PageContext<'_>, out: &mut [f32]) {
    let mut sorted: Vec<u32> = page.stats.iter().map(|s| s.num_text_words()).collect();
    sorted.sort_unstable();
    let others = sorted.len().saturating_sub(1) as f64;
    for (out, stats) in out.iter_mut().zip(&page.stats) {
        let text = stats.num_text_words();
        let fewer = sorted.partition_point(|&w| w < text);
        let as_many = sorted.partition_point(|&w| w <= text) - fewer - 1;
        let rank = if others > 0.0 { (fewer as f64 + as_many as f64 / 2.0) / others } else { 0.5 };
        *out = rank as f32;
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::values;

    #[test]
    fn windows_are_cut_at_the_ends_of_the_page() {
        let html = "<p>a.<p>a b c<p>a <a href=x>b</a><p>a<p>a b";
        assert_eq!(values(html, "window.w2_mean_words"), [2.0, 7.0 / 4.0, 9.0 / 5.0, 2.0, 5.0 / 3.0]);
        assert_eq!(values(html, "window.w2_link_density")[0], 1.0 / 6.0);
        assert_eq!(values(html, "window.w2_ends_share"), [1.0 / 3.0, 0.25, 0.2, 0.0, 0.0]);
        assert_eq!(values(html, "window.w2_before"), [0.0, 1.0, 4.0, 4.0, 2.0]);
        assert_eq!(values(html, "window.w10_after"), [7.0, 4.0, 3.0, 2.0, 0.0]);
    }

    #[test]
    fn sizes_are_relative_to_the_page() {
        let html = "<p>a.<p>a b c<p>a <a href=x>b</a><p>a b";
        assert_eq!(values(html, "window.text_before"), [0.0, 1.0 / 7.0, 4.0 / 7.0, 5.0 / 7.0]);
        assert_eq!(values(html, "window.of_max_words"), [1.0 / 3.0, 1.0, 2.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(values(html, "window.of_mean_words"), [0.5, 1.5, 1.0, 1.0]);
        // words outside links: 1, 3, 1, 2
        assert_eq!(values(html, "window.rank"), [0.5 / 3.0, 1.0, 0.5 / 3.0, 2.0 / 3.0]);
        assert_eq!(values("<p>alone", "window.rank"), [0.5]);
        assert_eq!(values(html, "window.of_link_density")[2], 0.375);
    }
}
