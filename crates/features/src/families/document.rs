//! Size and composition of the page.

use crate::{Entry, PerBlock, each, ratio};
use threshr_html::Tag;

/// The family.
pub(crate) static FAMILY: PerBlock = PerBlock {
    name: "document",
    summary: "size and composition of the page (the same for all blocks), and share of the block's words that occur in <title>",
    source: "Victor (Marek et al. 2007); title overlap as in Boilerpipe's title match",
    neighbours: false,
    word_columns: &["title_overlap"],
    table: &[
        Entry {
            name: "num_blocks",
            unit: "blocks",
            definition: "number of blocks of the page",
            fill: each!(|p, _| p.total().blocks as f32),
        },
        Entry {
            name: "num_words",
            unit: "words",
            definition: "number of words of the page",
            fill: each!(|p, _| p.total().words as f32),
        },
        Entry {
            name: "num_sentences",
            unit: "sentences",
            definition: "number of sentences of the page",
            fill: each!(|p, _| p.total().sentences as f32),
        },
        Entry {
            name: "link_density",
            unit: "ratio",
            definition: "share of the page's words that are in links",
            fill: each!(|p, _| ratio(p.total().link_words, p.total().words)),
        },
        Entry {
            name: "mean_block_length",
            unit: "words",
            definition: "words of the page / blocks of the page",
            fill: each!(|p, _| ratio(p.total().words, p.total().blocks)),
        },
        Entry {
            name: "p_share",
            unit: "ratio",
            definition: "share of the page's blocks whose block-level element is <p>",
            fill: each!(|p, _| ratio(p.total().paragraphs, p.total().blocks)),
        },
        Entry {
            name: "is_table_page",
            unit: "flag",
            definition: "1 if the first block of the page is inside a table",
            fill: |p, out| {
                let first = p.blocks.blocks.first();
                let in_table = first
                    .is_some_and(|b| p.doc.ancestors_and_self(b.node).any(|n| p.doc.tag(n) == Tag::TABLE));
                out.fill(f32::from(u8::from(in_table)));
            },
        },
        Entry {
            name: "title_overlap",
            unit: "ratio",
            definition: "share of the block's words that occur in <title>; 0 for blocks of more than 60 \
                words, and on pages without a title",
            fill: each!(|p, i| p.title_overlap()[i]),
        },
    ],
};
