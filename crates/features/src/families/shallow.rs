//! Counts and ratios over the text of a block, without its context.

use crate::{Entry, PerBlock, each, ratio};

/// The family.
pub(crate) static FAMILY: PerBlock = PerBlock {
    name: "shallow",
    summary: "counts and ratios of the text of a block, without its context",
    source: "Kohlschütter et al., WSDM 2010",
    neighbours: true,
    word_columns: &["date_ratio"],
    table: &[
        Entry {
            name: "num_chars",
            unit: "characters",
            definition: "number of characters",
            fill: each!(|p, i| p.stats[i].num_chars as f32),
        },
        Entry {
            name: "num_words",
            unit: "words",
            definition: "number of words: runs of letters and digits, or single letters in scripts without \
                spaces",
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
            definition: "number of sentences: number of sentence ends, plus 1 if text follows the last \
                sentence end",
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
            definition: "share of the words that begin with an upper-case letter; 0 without words",
            fill: each!(|p, i| ratio(p.stats[i].num_capitals, p.stats[i].num_words)),
        },
        Entry {
            name: "all_caps_ratio",
            unit: "ratio",
            definition: "share of the words of two letters or more without a lower-case letter; 0 without \
                words",
            fill: each!(|p, i| ratio(p.stats[i].num_all_caps, p.stats[i].num_words)),
        },
        Entry {
            name: "num_stops",
            unit: "signs",
            definition: "number of full stops, including those of other scripts",
            fill: each!(|p, i| p.stats[i].num_stops as f32),
        },
        Entry {
            name: "num_nav_signs",
            unit: "signs",
            definition: "number of characters that separate navigation entries: | » › → · • > and similar \
                characters",
            fill: each!(|p, i| p.stats[i].num_nav as f32),
        },
        Entry {
            name: "date_ratio",
            unit: "ratio",
            definition: "share of the words that are part of a date or time: years from 1900 to 2099 and \
                the English words of data/date_words.tsv; 0 without words",
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
            definition: "number of commas, including those of other scripts",
            fill: each!(|p, i| p.stats[i].num_commas as f32),
        },
        Entry {
            name: "num_questions",
            unit: "signs",
            definition: "number of question and exclamation marks",
            fill: each!(|p, i| p.stats[i].num_questions as f32),
        },
        Entry {
            name: "ends_sentence",
            unit: "flag",
            definition: "1 if the last character ends a sentence; closing quotation marks and brackets are \
                ignored",
            fill: each!(|p, i| f32::from(u8::from(p.stats[i].ends_sentence))),
        },
        Entry {
            name: "starts_upper",
            unit: "flag",
            definition: "1 if the first word begins with an upper-case letter",
            fill: each!(|p, i| f32::from(u8::from(p.stats[i].starts_upper))),
        },
        Entry {
            name: "has_copyright",
            unit: "flag",
            definition: "1 if the block has a copyright sign",
            fill: each!(|p, i| f32::from(u8::from(p.stats[i].has_copyright))),
        },
    ],
};
