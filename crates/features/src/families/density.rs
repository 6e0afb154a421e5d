//! Densities of links, text and tags in a block.

use crate::{Entry, PerBlock, each, ratio};

/// The family.
pub(crate) static FAMILY: PerBlock = PerBlock {
    name: "density",
    summary: "link, text and tag density (on pages without attributes every element `a` is a link)",
    source: "Kohlschütter et al., WSDM 2010; tag density after Weninger et al., WWW 2010",
    neighbours: true,
    word_columns: &["text_density"],
    table: &[
        Entry {
            name: "link_density",
            unit: "ratio",
            definition: "share of the words that are in <a href>; 0 without words",
            fill: each!(|p, i| ratio(p.stats[i].num_link_words, p.stats[i].num_words)),
        },
        Entry {
            name: "link_char_density",
            unit: "ratio",
            definition: "share of the characters that are in <a href>",
            fill: each!(|p, i| ratio(p.stats[i].num_link_chars, p.stats[i].num_chars)),
        },
        Entry {
            name: "num_links",
            unit: "links",
            definition: "number of links with text in the block",
            fill: each!(|p, i| p.stats[i].num_links as f32),
        },
        Entry {
            name: "text_density",
            unit: "words per line",
            definition: "words per line of the text wrapped at 80 columns, without the last line unless it \
                is the only one",
            fill: each!(|p, i| {
                let s = p.words().stats(i);
                ratio(s.num_full_line_words, s.num_lines.saturating_sub(1).max(1))
            }),
        },
        Entry {
            name: "tag_density",
            unit: "tags per word",
            definition: "(start tags in the block + tags between the previous block and this one) / (words + \
                1)",
            fill: each!(|p, i| {
                let b = p.block(i);
                ratio(b.num_tags + b.gap_tags, p.stats[i].num_words + 1)
            }),
        },
        Entry {
            name: "num_tags",
            unit: "tags",
            definition: "number of start tags inside the block",
            fill: each!(|p, i| p.block(i).num_tags as f32),
        },
        Entry {
            name: "gap_tags",
            unit: "tags",
            definition: "number of start and end tags between the previous block and this one",
            fill: each!(|p, i| p.block(i).gap_tags as f32),
        },
        Entry {
            name: "gap_br",
            unit: "tags",
            definition: "number of <br> between the previous block and this one",
            fill: each!(|p, i| p.block(i).gap_br as f32),
        },
    ],
};
