//! Counts and shares over the text of a block alone.

use crate::{Entry, PerBlock, each, ratio};

/// The family.
pub(crate) static FAMILY: PerBlock = PerBlock {
    name: "shallow",
    summary: "counts and shares over the text of a block alone",
    source: "Kohlschütter et al., WSDM 2010",
    neighbours: true,
    word_columns: &["date_ratio"],
    table: &[
        Entry {
            name: "num_chars",
            unit: "characters",
            definition: "length of the text",
            fill: each!(|p, i| p.stats[i].num_chars as f32),
        },
        Entry {
            name: "num_words",
            unit: "words",
            definition: "words (runs of letters and digits; one letter each in scripts without spaces)",
            fill: each!(|p, i| p.stats[i].num_words as f32),
        },
        Entry {
            name: "mean_word_length",
            unit: "characters",
            definition: "characters in words / words; 0 without words",
            fill: each!(|p, i| ratio(p.stats[i].num_word_chars, p.stats[i].num_words)),
        },
        Entry {
            name: "num_sentences",
            unit: "sentences",
            definition: "ends of sentences, and one more where text follows the last",
            fill: each!(|p, i| p.stats[i].num_sentences as f32),
        },
        Entry {
            name: "mean_sentence_length",
            unit: "words",
            definition: "words / sentences; 0 without sentences",
            fill: each!(|p, i| ratio(p.stats[i].num_words, p.stats[i].num_sentences)),
        },
        Entry {
            name: "capital_ratio",
            unit: "ratio",
            definition: "share of the words that begin upper-case; 0 without words",
            fill: each!(|p, i| ratio(p.stats[i].num_capitals, p.stats[i].num_words)),
        },
        Entry {
            name: "all_caps_ratio",
            unit: "ratio",
            definition: "share of the words that have two letters or more, none lower-case; 0 without words",
            fill: each!(|p, i| ratio(p.stats[i].num_all_caps, p.stats[i].num_words)),
        },
        Entry {
            name: "num_stops",
            unit: "signs",
            definition: "full stops and their counterparts in other scripts",
            fill: each!(|p, i| p.stats[i].num_stops as f32),
        },
        Entry {
            name: "num_nav_signs",
            unit: "signs",
            definition: "signs between entries of navigation: | » › → · • < > and the like",
            fill: each!(|p, i| p.stats[i].num_nav as f32),
        },
        Entry {
            name: "date_ratio",
            unit: "ratio",
            definition: "share of the words that are years from 1900 to 2099, months, weekdays, am or pm; 0 without words",
            fill: each!(|p, i| ratio(p.words().stats(i).num_dates, p.stats[i].num_words)),
        },
        Entry {
            name: "digit_ratio",
            unit: "ratio",
            definition: "digits / characters",
            fill: each!(|p, i| ratio(p.stats[i].num_digits, p.stats[i].num_chars)),
        },
        Entry {
            name: "punct_ratio",
            unit: "ratio",
            definition: "share of the characters that are neither in words nor white space",
            fill: each!(|p, i| ratio(p.stats[i].num_punct, p.stats[i].num_chars)),
        },
        Entry {
            name: "num_commas",
            unit: "signs",
            definition: "commas and their counterparts in other scripts",
            fill: each!(|p, i| p.stats[i].num_commas as f32),
        },
        Entry {
            name: "num_questions",
            unit: "signs",
            definition: "question and exclamation marks",
            fill: each!(|p, i| p.stats[i].num_questions as f32),
        },
        Entry {
            name: "ends_sentence",
            unit: "flag",
            definition: "1 where the last sign, quotes and brackets aside, ends a sentence",
            fill: each!(|p, i| f32::from(u8::from(p.stats[i].ends_sentence))),
        },
        Entry {
            name: "starts_upper",
            unit: "flag",
            definition: "1 where the first word begins upper-case",
            fill: each!(|p, i| f32::from(u8::from(p.stats[i].starts_upper))),
        },
        Entry {
            name: "has_copyright",
            unit: "flag",
            definition: "1 where a copyright sign occurs",
            fill: each!(|p, i| f32::from(u8::from(p.stats[i].has_copyright))),
        },
    ],
};
