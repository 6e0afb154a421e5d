//! Reads the word lists of `data/` when the crate is compiled.
//!
//! A list is a text file with one entry a line. Empty lines and lines that begin with `#` are comments.
//! The columns of an entry are separated by tabs.

/// Number of entries of a list.
pub const fn len(file: &str) -> usize {
    let (mut num, mut rest) = (0, file);
    while !rest.is_empty() {
        let (line, after) = split_once(rest, b'\n');
        num += is_entry(line) as usize;
        rest = after;
    }
    num
}

/// One column of the `N` entries of a list, in file order. `N` is [`len`] of the file.
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

/// One column of an entry; empty if the entry has fewer columns.
const fn cell(line: &'static str, column: usize) -> &'static str {
    let (mut skipped, mut rest) = (0, line);
    while skipped < column {
        rest = split_once(rest, b'\t').1;
        skipped += 1;
    }
    split_once(rest, b'\t').0
}

/// The text before and after the first `separator`, which is ASCII.
const fn split_once(text: &str, separator: u8) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != separator {
        at += 1;
    }
    let (before, rest) = text.split_at(at);
    if rest.is_empty() { (before, rest) } else { (before, rest.split_at(1).1) }
}

/// A column of a file of `data/` as an array; column 0 by default.
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
