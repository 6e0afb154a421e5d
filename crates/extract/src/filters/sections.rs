//! Drops headings whose section is dropped.

use crate::filters::{Filter, Page, Settings};
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId, Tag};

/// Drops a heading (`<h1>` to `<h6>`) after the last kept text if its section has text on the page.
///
/// - A section ends at the next heading of the same or a higher level, and with the element that has the heading and
///   another one of such a level.
/// - Headings before the last kept text stay: of those whose section is dropped, 43 % are content in the annotated sets.
/// - A heading that names one of three or more like records stays: headings in boxes of their own, side by side. On
///   listings such headings are content without their texts.
pub(super) static FILTER: Filter = Filter {
    name: "sections",
    summary: "drops a heading after the last kept text whose section has text, unless it names one of three or more \
              like records",
    source: "threshr",
    max_depth: 0,
    default_depth: 0,
    default_share: None,
    reads_tree: true,
    is_for: |_| true,
    apply,
};

/// Fewest like records side by side.
const MIN_RECORDS: usize = 3;
/// Most elements around a heading that are looked at.
const MAX_AROUND: usize = 12;
/// Most headings inside an element that are looked at.
const MAX_INSIDE: usize = 64;
/// Most siblings of a record that are looked at.
const MAX_SIBLINGS: usize = 20;

/// A block that is a heading.
struct Heading {
    block: usize,
    node: NodeId,
    level: u16,
}

fn apply(page: &Page<'_>, keep: &mut [bool], _: Settings) {
    let (doc, blocks) = (page.doc, page.blocks);
    let headings = headings(doc, blocks);
    let is_heading = |i: usize| headings.binary_search_by_key(&i, |h| h.block).is_ok();
    // without kept text, all that is kept are headings
    let Some(last_text) = (0..keep.len()).rfind(|&i| keep[i] && !is_heading(i)) else { return };
    // from the last to the first, so that a heading of dropped subsections is dropped as well
    for (number, heading) in headings.iter().enumerate().rev() {
        if heading.block < last_text {
            break;
        }
        if !keep[heading.block] {
            continue;
        }
        let around = around(doc, blocks, heading, &headings);
        let next = headings[number + 1..].iter().find(|h| h.level <= heading.level).map(|h| h.block);
        let end = next.unwrap_or(keep.len()).min(around.end);
        let section = heading.block + 1..end.max(heading.block + 1);
        let has_text = section.clone().any(|i| !is_heading(i));
        if keep[heading.block] && has_text && !section.into_iter().any(|i| keep[i]) && !around.is_record {
            keep[heading.block] = false;
        }
    }
}

fn headings(doc: &Document, blocks: &Blocks) -> Vec<Heading> {
    let heading = |(index, block): (usize, &threshr_html::blocks::Block)| {
        let node = doc.ancestors_and_self(block.leaf).take(4).find(|&n| doc.tag(n).is_heading())?;
        Some(Heading { block: index, node, level: doc.tag(node).0 - Tag::H1.0 })
    };
    blocks.iter().enumerate().filter_map(heading).collect()
}

/// What is around a heading.
struct Around {
    /// The block after the element that has the heading and another one of the same or a higher level.
    end: usize,
    /// Whether the heading is in a box of its own beside like boxes.
    is_record: bool,
}

fn around(doc: &Document, blocks: &Blocks, heading: &Heading, headings: &[Heading]) -> Around {
    // the headings of the same or a higher level inside an element, without this one
    let has_other = |node: NodeId| {
        let extent = &blocks.extent(node).blocks;
        let from = headings.partition_point(|h| h.block < extent.start as usize);
        let inside = headings[from..].iter().take(MAX_INSIDE).take_while(|h| h.block < extent.end as usize);
        inside.into_iter().any(|h| h.level <= heading.level && h.node != heading.node)
    };
    let mut own = heading.node;
    let parents = doc.ancestors(heading.node).take(MAX_AROUND);
    for parent in parents {
        if has_other(parent) {
            let end = blocks.extent(parent).blocks.end as usize;
            return Around {
                end,
                is_record: own != heading.node
                    && num_alike(doc, blocks, own, heading, headings) >= MIN_RECORDS,
            };
        }
        own = parent;
    }
    Around { end: blocks.len(), is_record: false }
}

/// Number of siblings of a box, with itself, that have its tag and a heading of the same level.
fn num_alike(doc: &Document, blocks: &Blocks, own: NodeId, heading: &Heading, headings: &[Heading]) -> usize {
    let Some(parent) = doc.parent(own) else { return 0 };
    let siblings = doc.children(parent).take(MAX_SIBLINGS).filter(|&n| doc.tag(n) == doc.tag(own));
    let has_like = |node: &NodeId| {
        let extent = &blocks.extent(*node).blocks;
        let from = headings.partition_point(|h| h.block < extent.start as usize);
        let inside = headings[from..].iter().take(MAX_INSIDE).take_while(|h| h.block < extent.end as usize);
        inside.into_iter().any(|h| h.level == heading.level)
    };
    siblings.filter(has_like).count()
}

#[cfg(test)]
mod tests {
    use crate::filters::FilterChoice;
    use threshr_core::policy::LeftOut;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};

    fn kept(html: &str, keep: &[bool]) -> Vec<bool> {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, REGISTRY[0], Visibility::Visible);
        assert_eq!(blocks.len(), keep.len());
        let mut keep = keep.to_vec();
        let filter = FilterChoice::parse("sections").expect("a filter");
        filter.apply(&doc, &blocks, None, LeftOut::default(), &mut keep);
        keep
    }

    #[test]
    fn a_heading_goes_with_its_section() {
        let html = "<h1>A</h1><p>a<h2>B</h2><p>b<h2>C</h2><p>c";
        assert_eq!(
            kept(html, &[true, true, true, true, true, false]),
            [true, true, true, true, false, false]
        );
        assert_eq!(kept(html, &[true, true, true, false, true, true]), [true, true, true, false, true, true]);
        // a heading before kept text stays, and so does one without text
        assert_eq!(kept("<h1>A</h1><p>a<p>b", &[true, false, true]), [true, false, true]);
        let html = "<main><h1>A</h1><p>a<h2>B</h2></main><p>footer";
        assert_eq!(kept(html, &[true, true, true, false]), [true, true, true, false]);
        // subsections
        let html = "<h1>A</h1><p>a<h2>B</h2><h3>C</h3><p>c";
        assert_eq!(kept(html, &[true, true, true, true, false]), [true, true, false, false, false]);
    }

    #[test]
    fn headings_of_records_stay() {
        let records = "<li><h3>B</h3><p>b</li>".repeat(3);
        let html = format!("<h1>A</h1><p>a<ul>{records}</ul>");
        let keep = [true, true, true, false, true, false, true, false];
        assert_eq!(kept(&html, &keep), keep);
        let two = "<li><h3>B</h3><p>b</li>".repeat(2);
        let html = format!("<h1>A</h1><p>a<ul>{two}</ul>");
        assert_eq!(kept(&html, &keep[..6]), [true, true, false, false, false, false]);
    }
}
