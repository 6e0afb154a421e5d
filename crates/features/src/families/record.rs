//! The posts of the thread of a page: which part of a post a block is in, and properties of the thread.

use crate::{Column, Family, Grid, PageContext, ratio};
use threshr_page::threads::{PartKind, Thread};

/// The family.
pub(crate) struct Record;

const SOURCE: &str = "this project";

/// Columns: name, unit, definition.
const COLUMNS: &[(&str, &str, &str)] = &[
    ("in_record", "flag", "1 for a block in a post of the thread; 0 without a thread"),
    ("in_body", "flag", "1 for a block in the text of a post"),
    (
        "in_panel",
        "flag",
        "1 for a block beside the text of a post: a panel about the author, a signature, buttons. Blocks with \
         only the author or the date are not beside the text",
    ),
    ("is_comment", "flag", "1 for a block in a readers' comment below an article, or in a review"),
    (
        "place",
        "ratio",
        "number of the post of the block / (number of posts - 1): 0 in the first post, 1 in the last; -1 \
         outside posts",
    ),
    (
        "confidence",
        "ratio",
        "confidence of the thread detection; 0 without a thread; the same for all blocks",
    ),
    (
        "num_records",
        "log posts",
        "ln(1 + n), n the number of posts of the thread; 0 without a thread; the same for all blocks",
    ),
    (
        "share",
        "ratio",
        "share of the page's words outside links in the texts of posts; 0 without a thread; the same for all \
         blocks",
    ),
];
const PLACE: usize = 4;

impl Family for Record {
    fn name(&self) -> &'static str {
        "record"
    }
    fn summary(&self) -> &'static str {
        "posts of a thread: parts of posts, and properties of the thread"
    }
    fn columns(&self) -> Vec<Column> {
        COLUMNS.iter().map(|&(name, unit, text)| Column::new(name, unit, text, SOURCE)).collect()
    }

    fn reads_words(&self, wanted: &[bool]) -> bool {
        wanted.contains(&true)
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        out.column(PLACE).fill(-1.0);
        if let Some(thread) = page.thread().thread() {
            fill(page, thread, out);
        }
    }
}

fn fill(page: &PageContext<'_>, thread: &Thread, out: &mut Grid<'_>) {
    let num = thread.posts.len();
    let mut text_words = 0;
    for slot in &thread.parts.slots {
        let is = |kind| f32::from(u8::from(slot.kind == kind));
        let flags = [1.0, is(PartKind::Text), is(PartKind::Beside), f32::from(u8::from(slot.is_comments))];
        for &(block, post) in &slot.blocks {
            out.set_all(0, block, &flags);
            out.set(PLACE, block, post as f32 / num.saturating_sub(1).max(1) as f32);
            if slot.kind == PartKind::Text {
                text_words += page.stats[block].num_text_words();
            }
        }
    }
    let share = ratio(text_words, page.total().text_words());
    let of_page = [thread.confidence as f32, (num as f32).ln_1p(), share];
    of_page.into_iter().zip(PLACE + 1..).for_each(|(value, column)| out.column(column).fill(value));
}

#[cfg(test)]
mod tests {
    use crate::testing::values;

    /// Four posts, each with a panel about the author, between a menu and a line at the end.
    fn page() -> String {
        let post = |i: usize| {
            format!(
                "<div class=post id=p{i}00><p><a class=username href=/user/{i}>Ann {i}</a> <time>{i} May 2024</time></p>\
                 <div class=rank>Member</div><div class=content>{}</div></div>",
                ["rain ", "snow ", "wind ", "hail "][i - 1].repeat(20)
            )
        };
        format!("<p>Boards{}<p>Contact of us", (1..5).map(post).collect::<String>())
    }

    #[test]
    fn blocks_have_the_parts_of_posts() {
        let of = |column: &str| values(&page(), &format!("record.{column}"));
        assert_eq!(of("in_record")[..7], [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(of("in_panel")[..5], [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(of("in_body")[..5], [0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!(of("place")[..5], [-1.0, 0.0, 0.0, 0.0, 1.0 / 3.0]);
        assert_eq!(of("place")[10..], [1.0, 1.0, 1.0, -1.0]);
        assert_eq!(of("is_comment"), [0.0; 14]);
    }

    #[test]
    fn properties_of_the_thread_are_the_same_for_all_blocks() {
        let of = |column: &str| values(&page(), &format!("record.{column}"));
        let share = 80.0 / (1.0 + 4.0 * (3.0 + 1.0 + 20.0) + 3.0);
        assert_eq!(of("num_records"), [4f32.ln_1p(); 14]);
        assert!(of("share").iter().all(|value| (value - share).abs() < 1e-6), "{:?}", of("share"));
        assert!(of("confidence")[0] > 0.5 && of("confidence")[0] <= 1.0);
    }

    #[test]
    fn comments_are_marked() {
        let html = page().replace("class=post", "class=comment");
        assert_eq!(values(&html, "record.is_comment")[..2], [0.0, 1.0]);
    }

    #[test]
    fn without_a_thread_all_values_are_constant() {
        let html = "<p>one two<p>On 3 May 2024<p>On 4 May 2024";
        for (column, ..) in super::COLUMNS {
            let expected = if *column == "place" { -1.0 } else { 0.0 };
            assert_eq!(values(html, &format!("record.{column}")), [expected; 3], "{column}");
        }
    }
}
