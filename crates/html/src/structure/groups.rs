//! Groups of blocks that are kept or dropped as a whole: code blocks, data tables, terms with their definitions, display
//! formulas, and embedded posts.

use crate::blocks::Blocks;
use crate::structure::names::Roles;
use crate::structure::{code, embeds, formulas, tables};
use crate::{Document, NodeId, Tag};
use std::ops::Range;

/// Blocks that are kept or dropped as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What they are.
    pub kind: GroupKind,
    /// The blocks, by index.
    pub blocks: Range<usize>,
}

/// The kind of a [`Group`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// A code block.
    Code,
    /// A data table.
    Table,
    /// A display formula.
    Formula,
    /// A term with its definitions.
    Pair,
    /// An embedded post.
    Post,
}

/// The groups, in order. They do not overlap: of nested groups the outer one counts.
pub(crate) fn groups(doc: &Document, blocks: &Blocks) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut add = |kind, blocks: Range<u32>| {
        let blocks = blocks.start as usize..blocks.end as usize;
        let is_new = groups.last().is_none_or(|last| last.blocks.end <= blocks.start);
        if !blocks.is_empty() && is_new {
            groups.push(Group { kind, blocks });
        }
    };
    for &node in blocks.elements() {
        let tag = doc.tag(node);
        let kind = match tag {
            Tag::PRE | Tag::XMP | Tag::LISTING | Tag::CODE | Tag::TABLE if code::is_code_block(doc, node) => {
                Some(GroupKind::Code)
            }
            Tag::TABLE if tables::is_data_table(doc, node) => Some(GroupKind::Table),
            Tag::BLOCKQUOTE | Tag::FIGURE | Tag::DIV | Tag::P => {
                let roles = Roles::of(doc, node);
                if embeds::is_embedded_post(doc, node, roles) {
                    Some(GroupKind::Post)
                } else {
                    formulas::is_display(doc, node, roles).then_some(GroupKind::Formula)
                }
            }
            Tag::DL => {
                pairs(doc, blocks, node).into_iter().for_each(|pair| add(GroupKind::Pair, pair));
                None
            }
            _ => None,
        };
        if let Some(kind) = kind {
            add(kind, blocks.extent(node).blocks.clone());
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
    pairs.retain(|pair| (2..=MAX_PAIR).contains(&pair.len()));
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
            blocks.groups().iter().map(|g| (g.blocks.start, g.blocks.end)).collect::<Vec<_>>()
        };
        assert_eq!(groups("<p>a<pre><div>a</div><div>b</div></pre><p>c"), [(1, 3)]);
        assert_eq!(groups("<table><tr><th>a<th>b<tr><td>1<td>2</table><p>c"), [(0, 4)]);
        assert_eq!(groups("<dl><dt>a<dd>b<dt>c<dt>d<dd>e<dd>f</dl>"), [(0, 2), (2, 6)]);
        assert_eq!(groups("<dl><div><dt>a<dd>b</div><div><dt>c<dd>d</div></dl>"), [(0, 2), (2, 4)]);
        assert_eq!(groups("<blockquote class=twitter-tweet><p>a</p>b</blockquote>"), [(0, 2)]);
        assert_eq!(groups("<blockquote><p>a</p>b</blockquote><pre>c</pre>"), [(2, 3)]);
        assert_eq!(
            groups("<p>a<p><math display=block><mi>x</mi></math><p>b <math display=block><mi>x</mi></math>"),
            [(1, 2)]
        );
        let nested = "<table><tr><th>a<th>b<tr><td><pre>c<p>d</pre><td>2</table>";
        assert_eq!(groups(nested), [(0, 5)]);
    }
}
