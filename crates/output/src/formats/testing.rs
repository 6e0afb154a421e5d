//! Writes pages in a format, for tests.

use crate::formats::{Added, Entry, FORMATS, PageOutput, WriteOptions};
use threshr_core::Budget;
use threshr_html::blocks::{Blocks, REGISTRY};
use threshr_html::{Visibility, parse_str};

/// Writes a page with all blocks kept, in the format `name`, without its title.
pub(crate) fn written(name: &str, html: &str) -> String {
    written_with(name, html, WriteOptions::default())
}

/// As [`written`], with other options.
pub(crate) fn written_with(name: &str, html: &str, options: WriteOptions) -> String {
    write(
        html,
        |_| true,
        WriteOptions { title: false, ..options },
        |page| {
            let format = FORMATS.iter().find(|f| f.name == name).expect("a format");
            match (format.page)(page).expect("no limit") {
                Entry::Text(text) | Entry::File { text, .. } => text,
                Entry::Row(row) => format!("{row:?}"),
            }
        },
    )
}

/// Writes a page as Markdown with its title. `is_kept` gets the text of each block.
pub(crate) fn markdown_of(html: &str, is_kept: impl Fn(&str) -> bool) -> String {
    write(html, is_kept, WriteOptions::default(), |page| page.markdown().expect("no limit"))
}

fn write(
    html: &str,
    is_kept: impl Fn(&str) -> bool,
    options: WriteOptions,
    form: impl Fn(&PageOutput<'_>) -> String,
) -> String {
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
    let kept: Vec<bool> = (0..blocks.len()).map(|i| is_kept(blocks.text(i))).collect();
    let scores = vec![1.0; blocks.len()];
    let page = PageOutput {
        id: "1",
        url: None,
        date: None,
        doc: &doc,
        blocks: &blocks,
        scores: &scores,
        kept: &kept,
        known: threshr_page::Known::default(),
        classes: None,
        model: "m",
        defect: None,
        added: Added::default(),
        type_and_quality: None,
        options,
        budget: Budget::UNLIMITED,
    };
    form(&page)
}
