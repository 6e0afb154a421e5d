//! Reads the word lists in `data/`. Each row has three tab-separated fields: list name, languages, words.
//!
//! The files are compiled into the library. Callers parse a list once, in a `LazyLock` or at compile time.

use rustc_hash::FxHashMap;

/// Returns the rows of a data file. Empty lines and lines that begin with `#` are skipped. Missing fields are
/// empty.
pub fn rows<const N: usize>(file: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let mut fields = line.split('\t');
        std::array::from_fn(|_| fields.next().unwrap_or_default())
    })
}

/// Returns the words of a list, in file order.
pub fn list(file: &'static str, name: &str) -> Vec<&'static str> {
    rows::<3>(file).filter(|row| row[0] == name).flat_map(|row| row[2].split(' ')).collect()
}

/// Returns the lists of a file, in file order: the name and the space-separated words of each.
pub fn lists(file: &'static str) -> Vec<(&'static str, &'static str)> {
    rows::<3>(file).map(|[name, _, words]| (name, words)).collect()
}

/// Maps each word to a bit mask of the lists that contain it. Bit `i` is the `i`-th list.
pub fn lists_by_word(lists: &[(&str, &'static str)]) -> FxHashMap<&'static str, u32> {
    let mut by_word = FxHashMap::default();
    for (i, (_, words)) in lists.iter().enumerate() {
        words.split(' ').for_each(|word| *by_word.entry(word).or_default() |= 1 << i);
    }
    by_word
}

/// Bit sets by word. A bitmap over first letter, last letter and length rejects most other words.
pub(crate) struct WordBits {
    bitmap: [u64; 256],
    by_word: FxHashMap<&'static str, u32>,
}

impl WordBits {
    /// No word may be empty.
    pub(crate) fn new(by_word: FxHashMap<&'static str, u32>) -> Self {
        let mut bitmap = [0; 256];
        for place in by_word.keys().filter_map(|word| Self::place(word)) {
            bitmap[place / 64] |= 1 << (place % 64);
        }
        WordBits { bitmap, by_word }
    }

    /// Returns the bitmap index for the first letter, last letter and length of a word; `None` for an empty
    /// word.
    fn place(word: &str) -> Option<usize> {
        let (first, last) = (word.as_bytes().first()?, word.as_bytes().last()?);
        Some(usize::from(first & 31) << 9 | usize::from(last & 31) << 4 | (word.len() & 15))
    }

    /// Returns the bit set of a word, which must be in lower case; 0 if it is unknown.
    pub(crate) fn get(&self, word: &str) -> u32 {
        match Self::place(word) {
            Some(place) if self.bitmap[place / 64] >> (place % 64) & 1 == 1 => {
                self.by_word.get(word).copied().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

/// Returns the first words of a list, for the definition of a column: `nav, navigation, navbar, …`.
pub fn examples(words: &str) -> String {
    const NUM_EXAMPLES: usize = 3;
    let mut examples: Vec<&str> = words.split(' ').take(NUM_EXAMPLES + 1).collect();
    if examples.len() > NUM_EXAMPLES {
        examples[NUM_EXAMPLES] = "…";
    }
    examples.join(", ")
}

/// Returns the words of all lists of a file, in file order, at compile time.
///
/// # Panics
/// If the file does not have exactly `N` words. This is a compile error.
pub const fn const_words<const N: usize>(file: &'static str) -> [&'static str; N] {
    let bytes = file.as_bytes();
    let (mut words, mut num_words) = ([""; N], 0);
    // number of tabs before `at` in its line, and start of the current field or word
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
