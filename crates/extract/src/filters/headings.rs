//! Headings inside the content, where they are not to count.

use crate::filters::{Filter, Page, Settings};
use threshr_features::{MOST_HEADING_WORDS, PageContext};
use threshr_html::Tag;
use threshr_html::text::words;

/// Under a policy that leaves headings out ([`LeftOut::headings`](threshr_core::policy::LeftOut::headings)) drops blocks of up to 40 words in h1 to h6
/// behind the first kept block that is none: what stands before it is the headline, of which the policy says something by itself. Where the
/// headline counts, it stays wherever it stands; where the page does not tell it, or it is not kept, the first kept heading stays if but short blocks are kept
/// before it, such as a date. A page tells its headings, and few annotated sets leave them out, from which a model could learn it.
pub static FILTER: Filter = Filter {
    name: "headings",
    summary: "under policies without headings drops h1 to h6 of up to 40 words behind the first kept text, names of items too, but a headline that counts",
    source: "threshr",
    max_depth: 0,
    default_depth: 0,
    default_share: None,
    looks_at_tree: true,
    is_for: |left_out| left_out.headings,
    apply,
};

fn apply(page: &Page<'_>, keep: &mut [bool], _: Settings) {
    // text that stands in a heading by a fault of the page is none
    let has_few_words = |i: usize| words(page.blocks.text(i)).nth(MOST_HEADING_WORDS as usize).is_none();
    let is_heading = |i: usize| page.blocks.is_in(page.doc, i, Tag::is_heading) && has_few_words(i);
    let kept: Vec<(usize, bool)> = (0..keep.len()).filter(|&i| keep[i]).map(|i| (i, is_heading(i))).collect();
    let first_text = kept.iter().position(|k| !k.1).unwrap_or(kept.len());
    let is_long = |i: usize| words(page.blocks.text(i)).nth(MOST_SHORT_WORDS).is_some();
    let first_heading = kept.iter().position(|k| k.1);
    let is_above_text = |&place: &usize| !kept[..place].iter().any(|k| is_long(k.0));
    let headline = if page.left_out.title || !kept[first_text..].iter().any(|k| k.1) {
        None
    } else {
        let told = PageContext::without_words(page.doc, page.blocks).headline();
        told.filter(|&i| keep[i]).or_else(|| first_heading.filter(is_above_text).map(|place| kept[place].0))
    };
    for &(i, is_heading) in &kept[first_text..] {
        keep[i] = !is_heading || Some(i) == headline;
    }
}

/// Most words of what may stand above the headline.
const MOST_SHORT_WORDS: usize = 20;

#[cfg(test)]
mod tests {
    use crate::filters::FilterChoice;
    use threshr_core::policy::LeftOut;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::parse_str;

    #[test]
    fn headings_inside_the_content_are_dropped_where_they_do_not_count() {
        let doc =
            parse_str("<h1>Rain</h1><p>It rained.<h2><b>More of it</b></h2><p>And rained.<h3>Links</h3>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Default::default());
        let filter = FilterChoice::parse("headings").expect("a filter");
        let kept = |mut keep: [bool; 5], headings| {
            filter.apply(&doc, &blocks, None, LeftOut { headings, ..LeftOut::ALL }, &mut keep);
            keep
        };
        let all_but_last = [true, true, true, true, false];
        assert_eq!(kept(all_but_last, true), [true, true, false, true, false]);
        assert_eq!(kept(all_but_last, false), all_but_last);
        // a page of headings alone
        assert_eq!(kept([true, false, true, false, false], true), [true, false, true, false, false]);
        assert!(filter.looks_at_tree(LeftOut::ALL) && !filter.looks_at_tree(LeftOut::default()));
    }

    #[test]
    fn a_headline_that_counts_and_text_inside_headings_stay() {
        let filter = FilterChoice::parse("headings").expect("a filter");
        let kept = |html: &str, keep: &[bool], title| {
            let doc = parse_str(html);
            let blocks = Blocks::of(&doc, block::REGISTRY[0], Default::default());
            let mut keep = keep.to_vec();
            filter.apply(&doc, &blocks, None, LeftOut { title, ..LeftOut::ALL }, &mut keep);
            keep
        };
        let words = |n| "word ".repeat(n);
        let html = format!("<p>3 May<h1>Rain</h1><p>It rained.<h2>More of it</h2><h2>{}</h2>", words(41));
        for title in [false, true] {
            assert_eq!(kept(&html, &[true; 5], title), [true, !title, true, false, true]);
        }
        // the page tells its headline, which stands below more text
        let html = format!(
            "<title>Rain again</title><p>{}<h2>Rain again</h2><p>It rained.<h2>More of it</h2><p>And rained.",
            words(21)
        );
        for title in [false, true] {
            assert_eq!(kept(&html, &[true; 5], title), [true, !title, true, false, true]);
        }
        // the told headline stands in no heading; or in one that is not kept
        let html = "<title>Rain over the town | News</title><div>Rain over the town</div><p>3 May<h2>More of it</h2><p>And rained.";
        for told in [true, false] {
            assert_eq!(kept(html, &[told, true, true, true], false), [told, true, !told, true]);
        }
        // below the text stands no headline, which may be in no heading
        let html = format!("<div>Rain</div><p>{}<h2>More of it</h2><p>And rained.", words(21));
        assert_eq!(kept(&html, &[true; 4], false), [true, true, false, true]);
    }
}
