//! Plain text.

use super::{Entry, Format, Layout, no_row, with_line_end};

/// One block a line (a `<br>` is a line end too); an empty line between pages.
pub static FORMAT: Format = Format {
    name: "text",
    summary: "plain text, one block a line, an empty line between pages",
    endings: &["txt"],
    head: "",
    between: "\n",
    layout: Layout::Stream,
    page: |page| Entry::Text(with_line_end(page.text())),
    failed: no_row,
};
