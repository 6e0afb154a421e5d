//! What tags stand between a block and the one before it.

use crate::{Entry, PerBlock, each};

/// Counts beyond this are all alike.
const MOST: u32 = 3;

fn bucket(count: u32) -> f32 {
    count.min(MOST) as f32
}

/// The family.
pub(crate) static FAMILY: PerBlock = PerBlock {
    name: "split",
    summary: "what tags stand between a block and the one before it",
    source: "Victor (Marek et al. 2007); counts are cut at 3 here",
    neighbours: false,
    word_columns: &[],
    table: &[
        Entry {
            name: "p",
            unit: "tags",
            definition: "start and end tags of <p> since the previous block, at most 3",
            fill: each!(|p, i| bucket(p.block(i).gap.p)),
        },
        Entry {
            name: "br",
            unit: "tags",
            definition: "<br> since the previous block, those that end it included, at most 3",
            fill: each!(|p, i| bucket(p.block(i).gap.br)),
        },
        Entry {
            name: "hr",
            unit: "tags",
            definition: "<hr> since the previous block, at most 3",
            fill: each!(|p, i| bucket(p.block(i).gap.hr)),
        },
        Entry {
            name: "inline",
            unit: "tags",
            definition: "start and end tags of inline elements since the previous block, <br> aside, at most 3",
            fill: each!(|p, i| bucket(p.block(i).gap.inline)),
        },
        Entry {
            name: "block",
            unit: "tags",
            definition: "start and end tags of block-level elements since the previous block, at most 3",
            fill: each!(|p, i| bucket(p.block(i).gap.block)),
        },
        Entry {
            name: "num_block",
            unit: "tags",
            definition: "start and end tags of block-level elements since the previous block",
            fill: each!(|p, i| p.block(i).gap.block as f32),
        },
    ],
};

#[cfg(test)]
mod tests {
    use crate::testing::values;

    #[test]
    fn counts_are_bucketed() {
        let html = "<p>a</p><hr><div><div><p>b<br><br>c<div><span></span>d";
        assert_eq!(values(html, "split.p")[1..], [2.0, 0.0, 1.0]);
        assert_eq!(values(html, "split.hr")[1..], [1.0, 0.0, 0.0]);
        assert_eq!(values(html, "split.br")[1..], [0.0, 2.0, 0.0]);
        assert_eq!(values(html, "split.inline")[1..], [0.0, 0.0, 2.0]);
        assert_eq!(values(html, "split.block")[1..], [3.0, 0.0, 2.0]);
        assert_eq!(values(html, "split.num_block")[1], 5.0);
    }
}
