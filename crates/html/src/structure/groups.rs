//! Groups of blocks that are kept or dropped together: code blocks, data tables, terms with their
//! definitions, display formulas, embedded posts, and titles of admonitions.

use crate::blocks::{Blocks, Span};
use crate::structure::names::{Role, Roles, has_role};
use crate::structure::{callouts, code, embeds, formulas, tables};
use crate::{Document, NodeId, Tag};
use std::ops::Range;

/// Blocks that are kept or dropped together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The kind of structure.
    pub kind: GroupKind,
    /// The range of block indices.
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
    /// A term of a definition list with its definitions.
    Pair,
    /// An embedded post.
    Post,
    /// The title of an admonition.
    Title,
}

/// The groups of a page in document order. Groups do not overlap: no group is formed inside another group.
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
            Tag::PRE | Tag::XMP | Tag::LISTING | Tag::CODE | Tag::TABLE | Tag::DIV | Tag::OL
                if code::is_code_block(doc, node) =>
            {
                Some(GroupKind::Code)
            }
            Tag::TABLE if has_role(doc, node, Role::Equations) => Some(GroupKind::Formula),
            Tag::TABLE | Tag::DIV if tables::is_data_table(doc, node) => Some(GroupKind::Table),
            Tag::BLOCKQUOTE | Tag::FIGURE | Tag::DIV | Tag::P => {
                let roles = Roles::new(doc, node);
                if callouts::is_callout(doc, node, roles) {
                    add(GroupKind::Title, callouts::title_blocks(doc, blocks, node));
                    None
                } else if embeds::is_embedded_post(doc, node, roles) {
                    Some(GroupKind::Post)
                } else {
                    formulas::is_display(doc, node, roles).then_some(GroupKind::Formula)
                }
            }
            Tag::ASIDE | Tag::SECTION if callouts::is_callout(doc, node, Roles::new(doc, node)) => {
                add(GroupKind::Title, callouts::title_blocks(doc, blocks, node));
                None
            }
            Tag::DL => {
                pairs(doc, blocks, node).into_iter().for_each(|pair| add(GroupKind::Pair, pair));
                None
            }
            _ => None,
        };
        if let Some(kind) = kind {
            let mut extent = blocks.extent(node).blocks.clone();
            // An inline element may contain the whole text of a block.
            if extent.is_empty() && has_all_of(doc, blocks, extent.start as usize, node) {
                extent.end += 1;
            }
            add(kind, extent);
        }
    }
    add_formulas(doc, blocks, &mut groups);
    groups
}

/// Whether an element contains all text of a block.
fn has_all_of(doc: &Document, blocks: &Blocks, index: usize, node: NodeId) -> bool {
    let spans = blocks.spans(index);
    let is_inside = |span: &Span| doc.ancestors(span.node).take(MAX_LEVELS).any(|n| n == node);
    spans.first().is_some_and(is_inside) && spans.last().is_some_and(is_inside)
}

/// Maximum number of elements between a text node and the inline element that contains its block.
const MAX_LEVELS: usize = 8;

/// Adds groups for the blocks that are display formulas, unless a group of another kind contains them. Consecutive
/// formulas and their equation numbers form one group.
fn add_formulas(doc: &Document, blocks: &Blocks, groups: &mut Vec<Group>) {
    let mut finder = formulas::Blocks::new(doc);
    let mut found: Vec<Range<usize>> = Vec::new();
    for index in 0..blocks.len() {
        let spans = blocks.spans(index);
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { continue };
        let (text, nodes) = (blocks.text(index), (first.node, last.node));
        let mut is_formula = finder.is_formula(text, nodes.0, nodes.1);
        if !is_formula && let Some(inner) = formulas::without_number(text) {
            // the number of a formula may be in the same block
            let of_inner =
                |span: &&Span| inner.contains(&(span.text.start as usize - first.text.start as usize));
            let mut own = spans.iter().filter(of_inner).map(|span| span.node);
            is_formula = own.next().is_some_and(|first| {
                finder.is_formula(&text[inner.clone()], first, own.next_back().unwrap_or(first))
            });
        }
        if is_formula {
            match found.last_mut() {
                Some(before) if before.end == index => before.end += 1,
                _ => {
                    let has_number = index > 0 && formulas::is_number(blocks.text(index - 1));
                    found.push(index - usize::from(has_number)..index + 1);
                }
            }
        } else if formulas::is_number(blocks.text(index))
            && let Some(before) = found.last_mut().filter(|before| before.end == index)
        {
            before.end += 1;
        }
    }
    if found.is_empty() {
        return;
    }
    let formulas = found.into_iter().map(|blocks| Group { kind: GroupKind::Formula, blocks });
    let (mut own, mut all) = (formulas.peekable(), Vec::with_capacity(groups.len()));
    for group in std::mem::take(groups) {
        let mut is_covered = false;
        while let Some(formula) = own.next_if(|own| own.blocks.start < group.blocks.end) {
            if formula.blocks.end <= group.blocks.start {
                all.push(formula);
            } else if group.kind == GroupKind::Formula && !is_covered {
                let blocks =
                    group.blocks.start.min(formula.blocks.start)..group.blocks.end.max(formula.blocks.end);
                is_covered = true;
                all.push(Group { blocks, ..formula });
            }
        }
        let starts = all.last().map_or(0, |last: &Group| last.blocks.end);
        if !is_covered && group.blocks.start >= starts {
            all.push(group);
        }
    }
    all.extend(own);
    *groups = all;
}

/// Maximum number of blocks of a term with its definitions. Longer definitions are treated as sections.
const MAX_PAIR: usize = 12;

/// For each term of a definition list, the range of the blocks of the term and its definitions.
fn pairs(doc: &Document, blocks: &Blocks, list: NodeId) -> Vec<Range<u32>> {
    let mut pairs: Vec<Range<u32>> = Vec::new();
    // A `<div>` may wrap a term and its definitions.
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
            let blocks = Blocks::new(&parse_str(html), REGISTRY[0], Visibility::Visible);
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
        assert_eq!(groups("<article><p>a</p><code>b\nc</code><p>d"), [(1, 2)]);
        assert_eq!(groups("<div class=callout><div class=callout-title>a</div><p>b<p>c</div>"), [(0, 1)]);
        assert_eq!(groups("<div class=callout><p>b<p>c</div>"), []);
        let math = "<math display=block><mi>x</mi></math>";
        assert_eq!(groups(&format!("<article>{math}<p>a")), [(0, 1)]);
        assert_eq!(groups(&format!("<ul><li>{math}<li>b {math}</ul><dl><dd>{math}</dl>")), [(0, 1), (2, 3)]);
        assert_eq!(groups(&format!("<table><tr><td>{math}<td>(2.1)</table><p>a")), [(0, 2)]);
        assert_eq!(groups(&format!("<p>{math}<p>{math}<pre>a</pre>{math}")), [(0, 2), (2, 3), (3, 4)]);
        assert_eq!(groups(&format!("<p>a<p>(1)<p>{math}<p>a")), [(1, 3)]);
        assert_eq!(groups(&format!("<p>a<div>{math}<span>(1)</span></div><p>a")), [(1, 2)]);
        assert_eq!(groups("<p>a<div><span>(1)</span>\\[ a \\]</div><p>a (1)"), [(1, 2)]);
        assert_eq!(groups("<table class=eqn><tr><td>\\(a\\)<td>\\(= b\\)</table><p>a"), [(0, 2)]);
        assert_eq!(groups("<p>\\[ a \\]<p>\\[ a \\] b<p>\\begin{gather}c\\end{gather}"), [(0, 1), (2, 3)]);
        assert_eq!(groups(&format!("<p>a<p>(3)<table><tr><th>a<th>b<tr><td>{math}<td>2</table>")), [(2, 6)]);
        let nested = "<table><tr><th>a<th>b<tr><td><pre>c<p>d</pre><td>2</table>";
        assert_eq!(groups(nested), [(0, 5)]);
    }
}
