//! Tags between the previous block and this one.

use crate::{Entry, PerBlock, each};

/// Maximum value of a count. Larger counts are clamped.
const MOST: u32 = 3;

fn cut(count: u32) -> f32 {
    count.min(MOST) as f32
}

/// The family.
pub(crate) static FAMILY: PerBlock = PerBlock {
    name: "split",
    summary: "tags between the previous block and this one",
    source: "Victor (Marek et al. 2007); here counts above 3 are set to 3",
    neighbours: false,
    word_columns: &[],
    table: &[
        Entry {
            name: "p",
            unit: "tags",
            definition: "number of start and end tags of <p> between the previous block and this one, at \
                most 3",
            fill: each!(|p, i| cut(p.block(i).gap.p)),
        },
        Entry {
            name: "br",
            unit: "tags",
            definition: "number of <br> between the previous block and this one, including <br> at the end \
                of the previous block, at most 3",
            fill: each!(|p, i| cut(p.block(i).gap.br)),
        },
        Entry {
            name: "hr",
            unit: "tags",
            definition: "number of <hr> between the previous block and this one, at most 3",
            fill: each!(|p, i| cut(p.block(i).gap.hr)),
        },
        Entry {
            name: "inline",
            unit: "tags",
            definition: "number of start and end tags of inline elements other than <br> between the \
                previous block and this one, at most 3",
            fill: each!(|p, i| cut(p.block(i).gap.inline)),
        },
        Entry {
            name: "block",
            unit: "tags",
            definition: "number of start and end tags of block-level elements between the previous block and \
                this one, at most 3",
            fill: each!(|p, i| cut(p.block(i).gap.block)),
        },
        Entry {
            name: "num_block",
            unit: "tags",
            definition: "number of start and end tags of block-level elements between the previous block and \
                this one",
            fill: each!(|p, i| p.block(i).gap.block as f32),
        },
    ],
};

#[cfg(test)]
mod tests {
    use crate::tests::values;

    #[test]
    fn counts_are_cut() {
        let html = "<p>a</p><hr><div><div><p>b<br><br>c<div><span></span>d";
        assert_eq!(values(html, "split.p")[1..], [2.0, 0.0, 1.0]);
        assert_eq!(values(html, "split.hr")[1..], [1.0, 0.0, 0.0]);
        assert_eq!(values(html, "split.br")[1..], [0.0, 2.0, 0.0]);
        assert_eq!(values(html, "split.inline")[1..], [0.0, 0.0, 2.0]);
        assert_eq!(values(html, "split.block")[1..], [3.0, 0.0, 2.0]);
        assert_eq!(values(html, "split.num_block")[1], 5.0);
    }
}
