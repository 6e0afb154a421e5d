//! Every block with what was thought of it.

use super::{Format, no_row};

/// Tab-separated: page, block, label, score, path of tags, text.
pub static FORMAT: Format = Format {
    name: "blocks",
    summary: "every block with label, score and path, tab-separated",
    begin: |out| writeln!(out, "page\tblock\tlabel\tscore\tpath\ttext"),
    page: |out, page, _| {
        for (index, block) in page.blocks.iter().enumerate() {
            let label = if page.kept[index] { "content" } else { "boilerplate" };
            let text = page.blocks.text(index).replace(['\n', '\t'], " ");
            let path = page.doc.path(block.node);
            writeln!(out, "{}\t{index}\t{label}\t{:.4}\t{path}\t{text}", page.id, page.scores[index])?;
        }
        Ok(())
    },
    failed: no_row,
};
