//! Reads the word lists in `data/` at compile time.
//!
//! A list is a text file with one entry per line. Empty lines and lines that begin with `#` are ignored. Tabs
//! separate the columns of an entry.

/// Returns the number of entries in a list.
pub const fn len(file: &str) -> usize {
    let (mut num, mut rest) = (0, file);
    while !rest.is_empty() {
        let (line, after) = split_once(rest, b'\n');
        num += is_entry(line) as usize;
        rest = after;
    }
    num
}

/// Returns one column of the `N` entries in a list, in file order. `N` must be the [`len`] of the file.
pub const fn column<const N: usize>(file: &'static str, column: usize) -> [&'static str; N] {
    let mut words = [""; N];
    let (mut num, mut rest) = (0, file);
    while !rest.is_empty() {
        let (line, after) = split_once(rest, b'\n');
        if is_entry(line) {
            words[num] = cell(line, column);
            num += 1;
        }
        rest = after;
    }
    assert!(num == N, "the array has one place for each entry");
    words
}

const fn is_entry(line: &str) -> bool {
    !line.is_empty() && line.as_bytes()[0] != b'#'
}

/// Returns one column of an entry, or an empty string if the entry has fewer columns.
const fn cell(line: &'static str, column: usize) -> &'static str {
    let (mut skipped, mut rest) = (0, line);
    while skipped < column {
        rest = split_once(rest, b'\t').1;
        skipped += 1;
    }
    split_once(rest, b'\t').0
}

/// Returns the text before and after the first `separator`, which must be ASCII.
const fn split_once(text: &str, separator: u8) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != separator {
        at += 1;
    }
    let (before, rest) = text.split_at(at);
    if rest.is_empty() { (before, rest) } else { (before, rest.split_at(1).1) }
}

/// Expands to an array with one column of a file in `data/`. The default is column 0.
macro_rules! word_list {
    ($file:literal) => {
        $crate::text::word_list::word_list!($file, 0)
    };
    ($file:literal, $column:literal) => {{
        const FILE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $file));
        const WORDS: [&str; $crate::text::word_list::len(FILE)] =
            $crate::text::word_list::column(FILE, $column);
        WORDS
    }};
}
pub(crate) use word_list;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_columns_and_skips_comments() {
        const FILE: &str = "# Source: none\nen\tcomment\n\nde\tKommentar\nxx";
        assert_eq!(len(FILE), 3);
        assert_eq!(column::<3>(FILE, 0), ["en", "de", "xx"]);
        assert_eq!(column::<3>(FILE, 1), ["comment", "Kommentar", ""]);
        assert_eq!(len(""), 0);
    }
}
