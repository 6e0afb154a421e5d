//! Drops headings inside the content, under policies that exclude headings.

use crate::filters::{Filter, Page};
use threshr_html::Tag;
use threshr_html::text::words;
use threshr_page::PageFacts;
use threshr_page::article::headline::MAX_HEADING_WORDS;

/// Drops blocks of up to 40 words in `<h1>` to `<h6>` after the first kept block that is not a heading.
///
/// - The filter is active under policies that exclude headings
///   ([`LeftOut::headings`](threshr_core::policy::LeftOut::headings)).
/// - Headings before the first kept text are not dropped, because they are the headline, which has a separate
///   policy property.
/// - If the headline counts as content, it is kept in any position. If no headline is detected, or the
///   headline is not kept, the first kept heading is kept if only short blocks, such as a date, are kept
///   before it.
///
/// Few annotated data sets exclude headings, so a model cannot learn to do so. The markup of the page identifies
/// the headings.
pub(super) static FILTER: Filter = Filter {
    name: "headings",
    summary: "under policies without headings, drops h1 to h6 of up to 40 words after the first kept text, \
              except a headline that counts as content",
    source: "threshr",
    max_depth: 0,
    default_depth: 0,
    reads_tree: true,
    is_for: |left_out| left_out.headings,
    apply,
};

fn apply(page: &Page<'_>, keep: &mut [bool], _: u32) {
    // a long text in a heading element is an error of the page
    let has_few_words = |i: usize| words(page.blocks.text(i)).nth(MAX_HEADING_WORDS as usize).is_none();
    let is_heading = |i: usize| page.blocks.is_in(page.doc, i, Tag::is_heading) && has_few_words(i);
    let kept: Vec<(usize, bool)> = (0..keep.len()).filter(|&i| keep[i]).map(|i| (i, is_heading(i))).collect();
    let first_text = kept.iter().position(|k| !k.1).unwrap_or(kept.len());
    let is_long = |i: usize| words(page.blocks.text(i)).nth(MAX_SHORT_WORDS).is_some();
    let first_heading = kept.iter().position(|k| k.1);
    let is_above_text = |&place: &usize| !kept[..place].iter().any(|k| is_long(k.0));
    let headline = if page.left_out.title || !kept[first_text..].iter().any(|k| k.1) {
        None
    } else {
        let detected = PageFacts::without_words(page.doc, page.blocks).headline();
        detected
            .filter(|&i| keep[i])
            .or_else(|| first_heading.filter(is_above_text).map(|place| kept[place].0))
    };
    for &(i, is_heading) in &kept[first_text..] {
        keep[i] = !is_heading || Some(i) == headline;
    }
}

/// Maximum number of words of a block before the headline.
const MAX_SHORT_WORDS: usize = 20;

#[cfg(test)]
mod tests {
    use crate::filters::{FilterChoice, Page};
    use threshr_core::policy::LeftOut;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::parse_str;

    #[test]
    fn headings_inside_the_content_are_dropped() {
        let doc =
            parse_str("<h1>Rain</h1><p>It rained.<h2><b>More of it</b></h2><p>And rained.<h3>Links</h3>");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Default::default());
        let filter = FilterChoice::parse("headings").expect("a filter");
        let kept = |mut keep: [bool; 5], headings| {
            let scores = keep.map(|k| f32::from(u8::from(k)));
            let left_out = LeftOut { headings, ..LeftOut::ALL };
            filter.apply(&Page { left_out, ..Page::new(&doc, &blocks, &scores) }, &mut keep);
            keep
        };
        let all_but_last = [true, true, true, true, false];
        assert_eq!(kept(all_but_last, true), [true, true, false, true, false]);
        assert_eq!(kept(all_but_last, false), all_but_last);
        // a page that keeps only headings
        assert_eq!(kept([true, false, true, false, false], true), [true, false, true, false, false]);
        assert!(filter.reads_tree(LeftOut::ALL) && !filter.reads_tree(LeftOut::default()));
    }

    #[test]
    fn a_headline_that_counts_and_text_inside_headings_stay() {
        let filter = FilterChoice::parse("headings").expect("a filter");
        let kept = |html: &str, keep: &[bool], title| {
            let doc = parse_str(html);
            let blocks = Blocks::new(&doc, block::REGISTRY[0], Default::default());
            let mut keep = keep.to_vec();
            let scores: Vec<f32> = keep.iter().map(|&k| f32::from(u8::from(k))).collect();
            let left_out = LeftOut { title, ..LeftOut::ALL };
            filter.apply(&Page { left_out, ..Page::new(&doc, &blocks, &scores) }, &mut keep);
            keep
        };
        let words = |n| "word ".repeat(n);
        let html = format!("<p>3 May<h1>Rain</h1><p>It rained.<h2>More of it</h2><h2>{}</h2>", words(41));
        for title in [false, true] {
            assert_eq!(kept(&html, &[true; 5], title), [true, !title, true, false, true]);
        }
        // the headline is detected by the title, below a longer text
        let html = format!(
            "<title>Rain again</title><p>{}<h2>Rain again</h2><p>It rained.<h2>More of it</h2><p>And rained.",
            words(21)
        );
        for title in [false, true] {
            assert_eq!(kept(&html, &[true; 5], title), [true, !title, true, false, true]);
        }
        // the detected headline is not in a heading element; in the second case, it is not kept
        let html = "<title>Rain over the town | News</title><div>Rain over the town</div><p>3 May<h2>More of it</h2><p>And rained.";
        for is_kept in [true, false] {
            assert_eq!(kept(html, &[is_kept, true, true, true], false), [is_kept, true, !is_kept, true]);
        }
        // a heading after a long text is not the headline
        let html = format!("<div>Rain</div><p>{}<h2>More of it</h2><p>And rained.", words(21));
        assert_eq!(kept(&html, &[true; 4], false), [true, true, false, true]);
    }
}
