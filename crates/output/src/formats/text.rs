//! Plain text.

use crate::formats::{Entry, Format, Layout, no_row, with_line_end};

/// The blocks, each on its own line. A block with `<br>` or inside `<pre>` may have several lines. An empty line
/// separates pages.
pub(super) static FORMAT: Format = Format {
    name: "text",
    summary: "plain text: one line per block (or several, if it contains line breaks), code with \
              indentation, an empty line between pages",
    extensions: &["txt"],
    head: "",
    between: "\n",
    frame: ("", ""),
    layout: Layout::Stream,
    page: |page| Ok(Entry::Text(with_line_end(page.text()?))),
    failed: no_row,
};
