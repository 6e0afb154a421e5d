//! Plain text.

use super::{Format, no_head, no_row};

/// One block a line (a `<br>` is a line end too); an empty line between pages.
pub static FORMAT: Format = Format {
    name: "text",
    summary: "plain text, one block a line, an empty line between pages",
    begin: no_head,
    page: |out, page, index| {
        let text = page.blocks.join(|i| page.kept[i]);
        let gap = if index == 0 { "" } else { "\n" };
        let end = if text.is_empty() { "" } else { "\n" };
        write!(out, "{gap}{text}{end}")
    },
    failed: no_row,
};
