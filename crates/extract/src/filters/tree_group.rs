//! The tree filter: keeps the blocks below the ancestor with the most kept text.

use crate::filters::{Filter, Page};
use rustc_hash::FxHashMap;
use threshr_html::{Document, Kind, NodeId, Tag};

/// Grandparent groups, after Viveros-Jiménez et al. (2018).
///
/// 1. A block belongs to its closest ancestor that is a *paragraph* ([`PARAGRAPHS`]). If there is none, it belongs
///    to the root element.
/// 2. Paragraphs with the same n-th ancestor form a group. `depth` is n, from 1 to 5: 1 is the parent, 2 the
///    grandparent. If the tree has fewer levels, the root element is the ancestor.
/// 3. The group whose kept blocks have the most characters stays (in a tie, the first one). The other groups are
///    dropped.
pub(super) static FILTER: Filter = Filter {
    name: "tree",
    summary: "groups the kept blocks by an ancestor and keeps the group with the most text (depth 1: by the \
              parent, 2: by the grandparent, up to 5)",
    source: "Viveros-Jiménez et al., Computación y Sistemas 22(2), 2018",
    max_depth: 5,
    default_depth: 2,
    reads_tree: true,
    is_for: |_| true,
    apply,
};

/// Elements that can be a paragraph: those in the paper, and the root element for text outside `<body>`.
const PARAGRAPHS: [Tag; 16] = [
    Tag::DIV,
    Tag::TABLE,
    Tag::UL,
    Tag::OL,
    Tag::P,
    Tag::SECTION,
    Tag::ARTICLE,
    Tag::H1,
    Tag::H2,
    Tag::H3,
    Tag::H4,
    Tag::H5,
    Tag::H6,
    Tag::HEADER,
    Tag::BODY,
    Tag::HTML,
];

fn apply(page: &Page<'_>, keep: &mut [bool], depth: u32) {
    let groups: Vec<NodeId> = page.blocks.iter().map(|b| group(page.doc, b.node, depth)).collect();
    let mut chars: FxHashMap<NodeId, (usize, usize)> = FxHashMap::default();
    for (index, &group) in groups.iter().enumerate().filter(|&(i, _)| keep[i]) {
        let entry = chars.entry(group).or_insert((0, index));
        entry.0 += page.num_chars(index);
    }
    // most characters; in a tie, the earliest group
    let best = chars.iter().max_by_key(|(_, (chars, first))| (*chars, std::cmp::Reverse(*first)));
    let Some(best) = best.map(|(&group, _)| group) else { return };
    keep.iter_mut().zip(groups).for_each(|(keep, group)| *keep &= group == best);
}

/// Returns the n-th ancestor of the paragraph of `node`; `depth` is n.
fn group(doc: &Document, node: NodeId, depth: u32) -> NodeId {
    let mut elements = doc.ancestors_and_self(node).filter(|&n| doc.kind(n) == Kind::Element).peekable();
    let mut top = 0;
    while let Some(&at) = elements.peek() {
        top = at;
        if PARAGRAPHS.contains(&doc.tag(at)) {
            break;
        }
        elements.next();
    }
    for at in elements.skip(1).take(depth as usize) {
        top = at;
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn kept(html: &str, depth: u32) -> Vec<String> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let mut keep = vec![true; blocks.len()];
        let scores = vec![1.0; blocks.len()];
        let page = Page::new(&doc, &blocks, &scores);
        apply(&page, &mut keep, depth);
        (0..blocks.len()).filter(|&i| keep[i]).map(|i| blocks.text(i).to_owned()).collect()
    }

    /// body > div#1 > (div#2 > (p aaaa, p bb), div#3 > p cc, p dd), div#4 > div#5 > p eeeeeee
    const PAGE: &str =
        "<div><div><p>aaaa<p>bb</div><div><p>cc</div><p>dd</div><div><div><p>eeeeeee</div></div>";

    #[test]
    fn groups_by_the_nth_ancestor() {
        // parents: div#2 has 6 characters, div#3 has 2, div#1 has 2, div#5 has 7
        assert_eq!(kept(PAGE, 1), ["eeeeeee"]);
        // grandparents: div#1 has aaaa, bb, cc (8 characters); body has dd (2); div#4 has eeeeeee (7)
        assert_eq!(kept(PAGE, 2), ["aaaa", "bb", "cc"]);
        // third ancestors: body has aaaa, bb, cc, eeeeeee; html has dd
        assert_eq!(kept(PAGE, 3), ["aaaa", "bb", "cc", "eeeeeee"]);
        // fifth ancestors: the tree has fewer levels, so all blocks belong to the root element
        assert_eq!(kept(PAGE, 5).len(), 5);
    }

    #[test]
    fn a_list_item_belongs_to_its_list_and_a_cell_to_its_table() {
        // ul and table are the paragraphs; their parents are div#1 (6 characters) and div#2 (5)
        let html = "<div><ul><li>aaa<li>bbb</ul></div><div><table><tr><td>ccccc</table></div>";
        assert_eq!(kept(html, 1), ["aaa", "bbb"]);
    }

    #[test]
    fn of_equal_groups_the_first_stays() {
        assert_eq!(kept("<div><p>ab</div><div><p>cd</div>", 1), ["ab"]);
    }
}
