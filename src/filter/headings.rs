//! Headings inside the content, where they are not to count.

use super::{Filter, Page, Settings};
use crate::page::{NodeId, Tag};

/// Under a policy that leaves headings out ([`LeftOut::headings`](crate::policy::LeftOut::headings)) drops blocks in h1 to h6 behind the first
/// kept block that is none: what stands before it is the headline, of which the policy says something by itself. A page tells its
/// headings, and few annotated sets leave them out, from which a model could learn it.
pub static FILTER: Filter = Filter {
    name: "headings",
    summary: "under policies without headings drops h1 to h6 inside the content",
    source: "threshr",
    max_depth: 0,
    default_depth: 0,
    default_share: None,
    looks_at_tree: true,
    is_for: |left_out| left_out.headings,
    apply,
};

/// How many elements around the begin of a block are looked at.
const LEVELS: usize = 4;

fn apply(page: &Page<'_>, keep: &mut [bool], _: Settings) {
    let around = |leaf: NodeId| page.doc.ancestors_and_self(leaf).take(LEVELS);
    let is_heading = |i: usize| around(page.blocks.blocks[i].leaf).any(|n| Tag::is_heading(page.doc.tag(n)));
    let Some(first) = (0..keep.len()).find(|&i| keep[i] && !is_heading(i)) else { return };
    for (i, keep) in keep.iter_mut().enumerate().skip(first) {
        *keep &= !is_heading(i);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{self, Blocks};
    use crate::filter::FilterChoice;
    use crate::page::parse_str;
    use crate::policy::LeftOut;

    #[test]
    fn headings_inside_the_content_are_dropped_where_they_do_not_count() {
        let doc =
            parse_str("<h1>Rain</h1><p>It rained.<h2><b>More of it</b></h2><p>And rained.<h3>Links</h3>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Default::default());
        let filter = FilterChoice::parse("headings").expect("a filter");
        let kept = |mut keep: [bool; 5], headings| {
            filter.apply(&doc, &blocks, None, LeftOut { headings, comments: false }, &mut keep);
            keep
        };
        let all_but_last = [true, true, true, true, false];
        assert_eq!(kept(all_but_last, true), [true, true, false, true, false]);
        assert_eq!(kept(all_but_last, false), all_but_last);
        // a page of headings alone
        assert_eq!(kept([true, false, true, false, false], true), [true, false, true, false, false]);
        assert!(filter.looks_at_tree(LeftOut::ALL) && !filter.looks_at_tree(LeftOut::default()));
    }
}
