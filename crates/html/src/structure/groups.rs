//! Groups of blocks that are kept or dropped as a whole: code blocks, data tables, terms with their definitions, and
//! embedded posts.

use crate::blocks::Blocks;
use crate::structure::{code, embeds, tables};
use crate::{Document, NodeId, Tag};
use std::ops::Range;

/// The groups of at least two blocks, in order. They do not overlap: of nested groups the outer one counts.
pub(crate) fn groups(doc: &Document, blocks: &Blocks) -> Vec<Range<u32>> {
    let mut groups: Vec<Range<u32>> = Vec::new();
    let mut add = |group: Range<u32>| {
        let is_new = groups.last().is_none_or(|last| last.end <= group.start);
        if group.len() >= 2 && is_new {
            groups.push(group);
        }
    };
    for &node in blocks.elements() {
        let is_group = match doc.tag(node) {
            Tag::PRE | Tag::XMP | Tag::LISTING | Tag::CODE => code::is_code_block(doc, node),
            Tag::TABLE => code::is_code_block(doc, node) || tables::is_data_table(doc, node),
            Tag::BLOCKQUOTE | Tag::FIGURE | Tag::DIV => {
                blocks.extent(node).blocks.len() >= 2 && embeds::is_embedded_post(doc, node)
            }
            Tag::DL => {
                pairs(doc, blocks, node).into_iter().for_each(&mut add);
                false
            }
            _ => false,
        };
        if is_group {
            add(blocks.extent(node).blocks.clone());
        }
    }
    groups
}

/// Most blocks of a term with its definitions. Longer definitions are sections.
const MAX_PAIR: usize = 12;

/// The terms of a list of definitions, each with its definitions.
fn pairs(doc: &Document, blocks: &Blocks, list: NodeId) -> Vec<Range<u32>> {
    let mut pairs: Vec<Range<u32>> = Vec::new();
    // `<div>` may wrap a pair.
    let parts = doc.children(list).flat_map(|n| {
        let inner = doc.children(n).filter(move |_| doc.tag(n) == Tag::DIV);
        std::iter::once(n).chain(inner)
    });
    let mut last_is_term = false;
    for part in parts.filter(|&n| matches!(doc.tag(n), Tag::DT | Tag::DD)) {
        let extent = blocks.extent(part).blocks.clone();
        let is_term = doc.tag(part) == Tag::DT;
        match pairs.last_mut() {
            Some(pair) if !is_term || last_is_term => pair.end = pair.end.max(extent.end),
            _ if is_term => pairs.push(extent),
            _ => {}
        }
        last_is_term = is_term;
    }
    pairs.retain(|pair| pair.len() <= MAX_PAIR);
    pairs
}

#[cfg(test)]
mod tests {
    use crate::blocks::{Blocks, REGISTRY};
    use crate::{Visibility, parse_str};

    #[test]
    fn code_tables_pairs_and_posts_are_groups() {
        let groups = |html: &str| {
            let blocks = Blocks::of(&parse_str(html), REGISTRY[0], Visibility::Visible);
            blocks.groups().to_vec()
        };
        assert_eq!(groups("<p>a<pre><div>a</div><div>b</div></pre><p>c"), [1..3]);
        assert_eq!(groups("<table><tr><th>a<th>b<tr><td>1<td>2</table><p>c"), [0..4]);
        assert_eq!(groups("<dl><dt>a<dd>b<dt>c<dt>d<dd>e<dd>f</dl>"), [0..2, 2..6]);
        assert_eq!(groups("<dl><div><dt>a<dd>b</div><div><dt>c<dd>d</div></dl>"), [0..2, 2..4]);
        assert_eq!(groups("<blockquote class=twitter-tweet><p>a</p>b</blockquote>"), [0..2]);
        assert_eq!(groups("<blockquote><p>a</p>b</blockquote><pre>c</pre>"), []);
        let nested = "<table><tr><th>a<th>b<tr><td><pre>c<p>d</pre><td>2</table>";
        assert_eq!(groups(nested), [0..5]);
    }
}
