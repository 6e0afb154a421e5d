//! Plain text.

use crate::formats::{Entry, Format, Layout, no_row, with_line_end};

/// Block after block, each on a line of its own or, with `<br>` or in `<pre>`, on several; an empty line between pages.
pub static FORMAT: Format = Format {
    name: "text",
    summary: "plain text, a line a block (more where it has line breaks of its own, code with indentation), an empty line between pages",
    endings: &["txt"],
    head: "",
    between: "\n",
    layout: Layout::Stream,
    page: |page| Ok(Entry::Text(with_line_end(page.text()?))),
    failed: no_row,
};
