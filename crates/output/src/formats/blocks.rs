//! All blocks with their labels and scores.

use crate::formats::{Entry, Format, Layout, no_row};
use std::fmt::Write;

/// Tab-separated columns: page, block, label, score, path of element names, text.
pub(super) static FORMAT: Format = Format {
    name: "blocks",
    summary: "every block with label, score and path, tab-separated",
    extensions: &["tsv"],
    head: "page\tblock\tlabel\tscore\tpath\ttext\n",
    between: "",
    frame: ("", ""),
    layout: Layout::Stream,
    page: |page| {
        let mut out = String::new();
        for (index, block) in page.blocks.iter().enumerate() {
            let label = if page.kept[index] { "content" } else { "boilerplate" };
            let text = page.blocks.text(index).replace(['\n', '\t'], " ");
            let path = page.doc.path(block.node);
            let id = page.id.replace(|c: char| c.is_control(), " ");
            // writing to a string cannot fail
            let _ = writeln!(out, "{id}\t{index}\t{label}\t{:.4}\t{path}\t{text}", page.scores[index]);
        }
        Ok(Entry::Text(out))
    },
    failed: no_row,
};
