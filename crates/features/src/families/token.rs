//! Classes of characters and tokens in a block.

use crate::{Entry, PerBlock, each, ratio};

/// The family.
pub(crate) static FAMILY: PerBlock = PerBlock {
    name: "token",
    summary: "classes of characters and tokens",
    source: "Victor (Marek et al. 2007); words / punctuation as in WCC (Hofmann & Weerkamp 2007)",
    neighbours: false,
    word_columns: &[],
    table: &[
        Entry {
            name: "letter_ratio",
            unit: "ratio",
            definition: "letters / characters",
            fill: each!(|p, i| ratio(p.stats[i].num_letters, p.stats[i].num_chars)),
        },
        Entry {
            name: "space_ratio",
            unit: "ratio",
            definition: "white space / characters",
            fill: each!(|p, i| ratio(p.stats[i].num_spaces, p.stats[i].num_chars)),
        },
        Entry {
            name: "mark_ratio",
            unit: "ratio",
            definition: "punctuation (Unicode category P) / characters",
            fill: each!(|p, i| ratio(p.stats[i].num_punct - p.stats[i].num_symbols, p.stats[i].num_chars)),
        },
        Entry {
            name: "symbol_ratio",
            unit: "ratio",
            definition: "characters that are neither letters, digits, white space nor punctuation / \
                characters",
            fill: each!(|p, i| ratio(p.stats[i].num_symbols, p.stats[i].num_chars)),
        },
        Entry {
            name: "num_letters",
            unit: "characters",
            definition: "number of letters",
            fill: each!(|p, i| p.stats[i].num_letters as f32),
        },
        Entry {
            name: "num_digits",
            unit: "characters",
            definition: "number of digits",
            fill: each!(|p, i| p.stats[i].num_digits as f32),
        },
        Entry {
            name: "num_signs",
            unit: "characters",
            definition: "number of punctuation characters and symbols",
            fill: each!(|p, i| p.stats[i].num_punct as f32),
        },
        Entry {
            name: "num_alphabetic",
            unit: "words",
            definition: "number of words that consist of letters only",
            fill: each!(|p, i| p.stats[i].num_alphabetic as f32),
        },
        Entry {
            name: "alphabetic_ratio",
            unit: "ratio",
            definition: "words that consist of letters only / tokens; 0 without tokens",
            fill: each!(|p, i| ratio(p.stats[i].num_alphabetic, num_tokens(p, i))),
        },
        Entry {
            name: "num_numeric",
            unit: "words",
            definition: "number of words that consist of digits only",
            fill: each!(|p, i| p.stats[i].num_numeric as f32),
        },
        Entry {
            name: "numeric_ratio",
            unit: "ratio",
            definition: "words that consist of digits only / tokens; 0 without tokens",
            fill: each!(|p, i| ratio(p.stats[i].num_numeric, num_tokens(p, i))),
        },
        Entry {
            name: "num_mixed",
            unit: "words",
            definition: "number of words that contain both letters and digits",
            fill: each!(|p, i| num_mixed(p, i) as f32),
        },
        Entry {
            name: "mixed_ratio",
            unit: "ratio",
            definition: "words that contain both letters and digits / tokens; 0 without tokens",
            fill: each!(|p, i| ratio(num_mixed(p, i), num_tokens(p, i))),
        },
        Entry {
            name: "num_nonwords",
            unit: "stretches",
            definition: "number of nonwords: tokens (separated by white space) without a letter or a digit",
            fill: each!(|p, i| p.stats[i].num_nonwords as f32),
        },
        Entry {
            name: "nonword_ratio",
            unit: "ratio",
            definition: "nonwords / tokens (words and nonwords); 0 without tokens",
            fill: each!(|p, i| ratio(p.stats[i].num_nonwords, num_tokens(p, i))),
        },
        Entry {
            name: "mean_word_run",
            unit: "words",
            definition: "words / word runs. A word run is a sequence of words without punctuation or \
                symbols between them (apostrophes and hyphens are allowed); 0 without words",
            fill: each!(|p, i| ratio(p.stats[i].num_words, p.stats[i].num_word_runs)),
        },
        Entry {
            name: "words_per_sign",
            unit: "words",
            definition: "words / (punctuation characters and symbols + 1)",
            fill: each!(|p, i| ratio(p.stats[i].num_words, p.stats[i].num_punct + 1)),
        },
        Entry {
            name: "starts_lower",
            unit: "flag",
            definition: "1 if the first word begins with a lower-case letter, as in the continuation of a \
                sentence",
            fill: each!(|p, i| f32::from(u8::from(p.stats[i].starts_lower))),
        },
        Entry {
            name: "ends_comma",
            unit: "flag",
            definition: "1 if the last character is a comma (or a comma of another script), as in an \
                incomplete sentence",
            fill: each!(|p, i| f32::from(u8::from(p.blocks.text(i).ends_with([',', '，', '、', '،'])))),
        },
        Entry {
            name: "is_sentence",
            unit: "flag",
            definition: "1 if the first word does not begin with a lower-case letter, and the block ends \
                like a sentence",
            fill: each!(|p, i| {
                let s = &p.stats[i];
                f32::from(u8::from(s.ends_sentence && !s.starts_lower))
            }),
        },
    ],
};

fn num_tokens(page: &crate::PageContext<'_>, index: usize) -> u32 {
    page.stats[index].num_words + page.stats[index].num_nonwords
}

fn num_mixed(page: &crate::PageContext<'_>, index: usize) -> u32 {
    let s = &page.stats[index];
    s.num_words - s.num_alphabetic - s.num_numeric
}

#[cfg(test)]
mod tests {
    use crate::tests::values;

    #[test]
    fn shares_of_tokens_and_runs() {
        let html = "<p>He's won 12 of x2 — $5 | it<p>and so on,<p>Yes.";
        // words: He s won 12 of x2 5 it; other tokens: — |
        assert_eq!(values(html, "token.mixed_ratio"), [0.1, 0.0, 0.0]);
        assert_eq!(values(html, "token.nonword_ratio"), [0.2, 0.0, 0.0]);
        assert_eq!(values(html, "token.numeric_ratio"), [0.2, 0.0, 0.0]);
        assert_eq!(values(html, "token.mean_word_run"), [8.0 / 3.0, 3.0, 1.0]);
        assert_eq!(values(html, "token.words_per_sign"), [1.6, 1.5, 0.5]);
        assert_eq!(values(html, "token.starts_lower"), [0.0, 1.0, 0.0]);
        assert_eq!(values(html, "token.ends_comma"), [0.0, 1.0, 0.0]);
        assert_eq!(values(html, "token.is_sentence"), [0.0, 0.0, 1.0]);
        // each Han character is a letter and a word; the full stop is punctuation
        assert_eq!(values("<p>你好。", "token.mark_ratio"), [1.0 / 3.0]);
        assert_eq!(values("<p>你好。", "token.alphabetic_ratio"), [1.0]);
    }
}
