//! Reads the word lists in `data/`: tab-separated rows of a list's name, its languages and its words.
//!
//! The files are compiled into the library. Callers parse a list once, in a `LazyLock` or at compile time.

use rustc_hash::FxHashMap;

/// Rows of a data file. Empty lines and lines that begin with `#` are skipped; missing fields are empty.
pub fn rows<const N: usize>(file: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let mut fields = line.split('\t');
        std::array::from_fn(|_| fields.next().unwrap_or_default())
    })
}

/// The words of one list, in the order of the file.
pub fn list(file: &'static str, name: &str) -> Vec<&'static str> {
    rows::<3>(file).filter(|row| row[0] == name).flat_map(|row| row[2].split(' ')).collect()
}

/// The lists of a file, in order: the name of each and its words, with spaces between.
pub fn lists(file: &'static str) -> Vec<(&'static str, &'static str)> {
    rows::<3>(file).map(|[name, _, words]| (name, words)).collect()
}

/// The lists that hold each word, a bit each, by their order.
pub fn lists_by_word(lists: &[(&str, &'static str)]) -> FxHashMap<&'static str, u32> {
    let mut by_word = FxHashMap::default();
    for (i, (_, words)) in lists.iter().enumerate() {
        words.split(' ').for_each(|word| *by_word.entry(word).or_default() |= 1 << i);
    }
    by_word
}

/// The first words of a list, for the definition of a column: `nav, navigation, navbar, …`.
pub fn examples(words: &str) -> String {
    const NUM_EXAMPLES: usize = 3;
    let mut examples: Vec<&str> = words.split(' ').take(NUM_EXAMPLES + 1).collect();
    if examples.len() > NUM_EXAMPLES {
        examples[NUM_EXAMPLES] = "…";
    }
    examples.join(", ")
}

/// The words of all lists of a file, in order, read at compile time.
///
/// # Panics
/// Where the file does not have exactly `N` words; the crate does not compile then.
pub const fn const_words<const N: usize>(file: &'static str) -> [&'static str; N] {
    let bytes = file.as_bytes();
    let (mut words, mut num_words) = ([""; N], 0);
    // fields of the line before `at`, and where the current field or word begins
    let (mut num_tabs, mut start, mut at) = (0, 0, 0);
    while at < bytes.len() {
        if num_tabs == 0 && at == start && bytes[at] == b'#' {
            while bytes[at] != b'\n' {
                at += 1;
            }
        }
        if matches!(bytes[at], b'\t' | b' ' | b'\n') {
            if num_tabs == 2 {
                words[num_words] = match std::str::from_utf8(bytes.split_at(at).0.split_at(start).1) {
                    Ok(word) => word,
                    Err(_) => panic!("the file is UTF-8"),
                };
                num_words += 1;
            }
            num_tabs = match bytes[at] {
                b'\t' => num_tabs + 1,
                b'\n' => 0,
                _ => num_tabs,
            };
            start = at + 1;
        }
        at += 1;
    }
    assert!(num_words == N);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# words\nfirst\ten\ta bc\nsecond\tde,fr\td\nfirst\tit\te\n";

    #[test]
    fn lists_keep_their_order() {
        assert_eq!(list(FILE, "first"), ["a", "bc", "e"]);
        assert_eq!(lists(FILE), [("first", "a bc"), ("second", "d"), ("first", "e")]);
        assert_eq!(const_words::<4>(FILE), ["a", "bc", "d", "e"]);
        assert_eq!([examples("a b"), examples("a b c d")], ["a, b", "a, b, c, …"]);
    }

    #[test]
    fn rows_of_data_files_are_complete() {
        for file in [
            include_str!("../data/article_metadata_names.tsv"),
            include_str!("../data/bylines.tsv"),
            include_str!("../data/class_states.tsv"),
            include_str!("../data/currencies.tsv"),
            include_str!("../data/date_words.tsv"),
            include_str!("../data/element_names.tsv"),
            include_str!("../data/months.tsv"),
            include_str!("../data/relative_dates_unspaced.tsv"),
            include_str!("../data/top_level_domains.tsv"),
        ] {
            for row in rows::<4>(file) {
                assert!(row[..3].iter().all(|field| !field.is_empty()) && row[3].is_empty(), "{row:?}");
                assert!(row[2].split(' ').all(|word| !word.is_empty()), "{row:?}");
            }
        }
    }
}
