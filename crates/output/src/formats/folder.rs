//! A folder with one text file per page.

use crate::formats::{Entry, Format, Layout, no_row, with_line_end};

/// A file `ID.txt` for each page, with one block per line.
pub(super) static FORMAT: Format = Format {
    name: "folder",
    summary: "a folder with one plain-text file per page, named by its id",
    extensions: &[],
    head: "",
    between: "",
    frame: ("", ""),
    layout: Layout::Folder,
    page: |page| Ok(Entry::File { id: page.id.to_owned(), text: with_line_end(page.text()?) }),
    failed: no_row,
};
