//! Units made from elements: headings, lists, quotations, admonitions, tables. Other units are inside them.

use crate::units::Kind;
use crate::units::builder::{Builder, Open};
use crate::units::lists;
use crate::units::provenance::{cover, include};
use rustc_hash::FxHashMap;
use threshr_html::structure::callouts::{callout_type, is_callout, is_title};
use threshr_html::structure::names::{Role, Roles};
use threshr_html::structure::tables::{self, Alignment, Grid, GridCell};
use threshr_html::{Document, Kind as NodeKind, NodeId, Tag};

impl Builder<'_> {
    /// Returns the kind of the container unit for an element; for tables, see [`Builder::table`].
    pub(super) fn container_of(&mut self, node: NodeId, tag: Tag, roles: Roles) -> Option<Kind> {
        let doc = self.context.doc;
        if let Some(label) = self.context.notes.definition(node) {
            return Some(Kind::FootnoteDefinition { label: label.to_owned() });
        }
        let cell = |open: &Open| open.cells.get(&node).cloned();
        if let Some(cell) = self.open.iter().rev().filter(|open| !open.cells.is_empty()).find_map(cell) {
            return Some(cell);
        }
        Some(match tag {
            tag if tag.is_heading() && matches!(self.innermost(), Kind::CalloutTitle) => return None,
            tag if tag.is_heading() && self.is_callout_title(node, roles) => Kind::CalloutTitle,
            tag if tag.is_heading() => Kind::Heading { level: (tag.0 - Tag::H1.0 + 1) as u8 },
            Tag::BLOCKQUOTE | Tag::DETAILS | Tag::FIGURE
                if is_callout(doc, node, roles) && !self.is_in_callout() && has_type(doc, node, tag) =>
            {
                Kind::Callout { callout_type: callout_type(doc, node) }
            }
            Tag::SUMMARY if self.begins_callout() => Kind::CalloutTitle,
            // The posts of a thread are not list items.
            Tag::UL | Tag::OL if roles.has(Role::Posts) => return None,
            Tag::LI if doc.parent(node).is_some_and(|n| Roles::new(doc, n).has(Role::Posts)) => return None,
            Tag::UL | Tag::MENU | Tag::DIR => Kind::List { ordered: false },
            Tag::OL => Kind::List { ordered: !lists::begins_with_bullet(doc, node) },
            Tag::LI => Kind::Item { number: self.numbers.of(doc, node), checked: None },
            // phpBB: a title and code
            Tag::DL if roles.has(Role::CodeBox) => return None,
            Tag::DD if doc.parent(node).is_some_and(|n| Roles::new(doc, n).has(Role::CodeBox)) => {
                return None;
            }
            Tag::DL => Kind::Definitions,
            Tag::DT => Kind::Term,
            Tag::DD => Kind::Definition,
            // This `<blockquote>` is the text of a post, or is part of a quotation that has already begun.
            Tag::BLOCKQUOTE if roles.has(Role::PostText) || self.is_in_quote_of_post(node) => return None,
            Tag::BLOCKQUOTE => {
                Kind::Quote { cite: doc.attribute(node, "cite").and_then(|cite| self.context.address(cite)) }
            }
            Tag::DETAILS => Kind::Details,
            Tag::SUMMARY => Kind::Summary,
            Tag::FIGURE => Kind::Figure,
            Tag::FIGCAPTION | Tag::CAPTION => Kind::Caption,
            Tag::DIV | Tag::ASIDE | Tag::SECTION | Tag::P => return self.box_of(node, roles),
            _ => return None,
        })
    }

    /// Returns the kind of a generic element that is a heading, an admonition, the title of an admonition or
    /// a quotation.
    pub(super) fn box_of(&self, node: NodeId, roles: Roles) -> Option<Kind> {
        let doc = self.context.doc;
        if self.is_callout_title(node, roles) {
            return Some(Kind::CalloutTitle);
        }
        if doc.attribute(node, "role") == Some("heading") {
            let level = doc.attribute(node, "aria-level").and_then(|level| level.trim().parse().ok());
            return Some(Kind::Heading { level: level.unwrap_or(2u8).clamp(1, 6) });
        }
        if is_callout(doc, node, roles) && !self.is_in_callout() {
            return Some(Kind::Callout { callout_type: callout_type(doc, node) });
        }
        roles.has(Role::Quote).then_some(Kind::Quote { cite: None })
    }

    pub(super) fn is_in_callout(&self) -> bool {
        self.open.iter().any(|open| matches!(open.unit.kind, Kind::Callout { .. }))
    }

    /// Whether the innermost unit is an admonition without content.
    fn begins_callout(&self) -> bool {
        let last = self.open.last().filter(|_| self.leaf.is_none());
        last.is_some_and(|open| {
            matches!(open.unit.kind, Kind::Callout { .. }) && open.unit.children.is_empty()
        })
    }

    /// Whether an element is the title of the admonition that is open.
    fn is_callout_title(&self, node: NodeId, roles: Roles) -> bool {
        roles.has(Role::CalloutTitle) && self.is_in_callout()
            || self.begins_callout() && is_title(self.context.doc, node, roles)
    }

    /// Whether an element is inside an element that already began a quotation of another post.
    fn is_in_quote_of_post(&self, node: NodeId) -> bool {
        let doc = self.context.doc;
        let is_quote = |n: NodeId| doc.tag(n) != Tag::BLOCKQUOTE && Roles::new(doc, n).has(Role::Quote);
        doc.ancestors(node).take(2).any(is_quote)
    }

    /// Joins the cells in a row of a nested layout table to one line.
    pub(super) fn join_row(&mut self, first: usize) {
        let Some(open) = self.open.last_mut() else { return };
        let row = &mut open.unit.children;
        if row.len() < first + 2 || row[first..].iter().any(|unit| unit.kind != Kind::Paragraph) {
            return;
        }
        let mut cells = row.split_off(first).into_iter();
        let Some(mut line) = cells.next() else { return };
        for cell in cells {
            include(&mut line, &cell);
            line.source = match (line.source.take(), &cell.source) {
                (Some(own), Some(other)) => Some(cover(&own, other)),
                (own, _) => own,
            };
            line.inlines.append(cell.inlines, " ");
        }
        row.push(line);
    }

    /// Returns the kind of a data table and the kinds of its cells; `None` for a layout table.
    pub(super) fn table(&self, node: NodeId) -> Option<(Kind, FxHashMap<NodeId, Kind>)> {
        let doc = self.context.doc;
        if !tables::is_data_table(doc, node) {
            return None;
        }
        let grid = Grid::new(doc, node);
        let is_head = |cell: &GridCell| {
            tables::is_head_cell(doc, cell.node)
                || doc.ancestors(cell.node).take(2).any(|n| doc.tag(n) == Tag::THEAD)
        };
        let rows = grid.cells.chunk_by(|a, b| a.row == b.row);
        let head_rows = rows.take_while(|row| row.iter().all(is_head)).count();
        let mut alignment = vec![Alignment::None; grid.num_columns];
        for cell in grid.cells.iter().filter(|c| c.column_span == 1) {
            if let Some(own) = alignment.get_mut(cell.column).filter(|own| **own == Alignment::None) {
                *own = tables::alignment(doc, cell.node);
            }
        }
        // columns in which all cells below the header rows are header cells
        let mut is_head_column = vec![true; grid.num_columns];
        for cell in grid.cells.iter().filter(|c| c.row >= head_rows && !tables::is_head_cell(doc, c.node)) {
            let end = (cell.column + cell.column_span).min(grid.num_columns);
            is_head_column[cell.column.min(end)..end].fill(false);
        }
        let has_body = head_rows < grid.num_rows;
        let head_columns = is_head_column.iter().take_while(|&&is_head| has_body && is_head).count();
        let (rows, columns) = (grid.num_rows, grid.num_columns);
        let kind = Kind::Table { head_rows, head_columns, rows, columns, alignment };
        let cell = |GridCell { node, row, column, row_span, column_span }| {
            let head = tables::is_head_cell(doc, node);
            (node, Kind::Cell { row, column, row_span, column_span, head })
        };
        Some((kind, grid.cells.into_iter().map(cell).collect()))
    }
}

/// Whether an element is the first one of a quotation.
pub(super) fn begins_quote(doc: &Document, node: NodeId) -> bool {
    let is_first =
        doc.previous_siblings(node).all(|n| doc.text(n).trim().is_empty() && doc.kind(n) == NodeKind::Text);
    is_first && doc.ancestors(node).take(2).any(|n| doc.tag(n) == Tag::BLOCKQUOTE)
}

/// Whether an element states the type of an admonition. Only `<details>` without a type is no admonition.
fn has_type(doc: &Document, node: NodeId, tag: Tag) -> bool {
    tag != Tag::DETAILS || !callout_type(doc, node).is_empty()
}

#[cfg(test)]
mod tests {
    use crate::units::{Kind, MediaKind, Source, tree, walk};
    use threshr_core::Budget;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};

    /// Returns the kinds of all units of a page with all blocks kept.
    fn kinds(html: &str) -> Vec<Kind> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let (kept, scores) = (vec![true; blocks.len()], vec![1.0; blocks.len()]);
        let url = Some("https://a.example/");
        let source = Source {
            doc: &doc,
            blocks: &blocks,
            kept: &kept,
            scores: &scores,
            url,
            has_addresses: true,
            posts: &[],
            notes: None,
        };
        let units = tree(&source, true, &Budget::UNLIMITED).expect("no limit");
        let mut kinds = Vec::new();
        walk(&units, &mut |unit| kinds.push(unit.kind.clone()));
        kinds
    }

    #[test]
    fn boxes_of_advice_have_a_type() {
        let kinds = kinds("<div class='admonition tip'><p class=admonition-title>A</p><p>b</div>");
        assert_eq!(kinds, [Kind::Callout { callout_type: "tip" }, Kind::CalloutTitle, Kind::Paragraph]);
    }

    #[test]
    fn titles_of_boxes_are_found() {
        let tip = [Kind::Callout { callout_type: "tip" }, Kind::CalloutTitle, Kind::Paragraph];
        for html in [
            "<div class=TIP><p>Tip</p><p>b</div>",
            "<div class='theme-admonition theme-admonition-tip'><div class=admonitionHeading_Gvgb>a</div><p>b</div>",
            "<div class='alert alert-tip'><h4 class=alert-heading>Tip</h4><p>b</div>",
            "<div class='admonition tip'><div class=admonition-heading><h5>tip</h5></div><p>b</div>",
            "<details class=tip><summary>a</summary><p>b</details>",
            "<blockquote class='gdoc-hint tip'><div class=gdoc-hint__title>Tip</div><p>b</blockquote>",
            "<div class='admonitionblock tip'><table><tr><td><div class=title>Tip</div><td>b</table></div>",
        ] {
            assert_eq!(kinds(html), tip, "{html}");
        }
        assert_eq!(kinds("<div class=TIP><p>a</p><p>Tip</div>")[1..], [Kind::Paragraph, Kind::Paragraph]);
    }

    #[test]
    fn threads_are_no_lists() {
        assert_eq!(kinds("<ol class=comment-list><li>a<li>b</ol>"), [Kind::Paragraph, Kind::Paragraph]);
        assert_eq!(kinds("<ol class=comment-list><li><ul><li>a</ul></ol>")[0], Kind::List { ordered: false });
    }

    #[test]
    fn posts_are_no_quotations_and_their_quotations_are() {
        let quote = Kind::Quote { cite: None };
        assert_eq!(kinds("<blockquote class=messageText>a</blockquote>"), [Kind::Paragraph]);
        assert_eq!(kinds("<div class=bbcode_quote>a</div>"), [quote.clone(), Kind::Paragraph]);
        assert_eq!(
            kinds("<div class=bbCodeQuote><blockquote>a</blockquote></div>"),
            [quote, Kind::Paragraph]
        );
    }

    #[test]
    fn header_cells_of_rows_are_head_columns() {
        let of = |html: &str| match kinds(html).into_iter().next() {
            Some(Kind::Table { head_rows, head_columns, .. }) => (head_rows, head_columns),
            other => panic!("{other:?}"),
        };
        assert_eq!(of("<table><tr><th>x<th>a<th>b<tr><th>1<td>2<td>3<tr><th>4<td>5<td>6</table>"), (1, 1));
        assert_eq!(of("<table><tr><th>1<td>2<td>3<tr><th>4<td>5<td>6</table>"), (0, 1));
        assert_eq!(of("<table><tr><th>x<th>a<tr><td>1<td>2</table>"), (1, 0));
    }

    #[test]
    fn lists_may_begin_below_zero() {
        let numbers = kinds("<ol start=-1><li>a<li>b<li>c</ol>").into_iter().filter_map(|kind| match kind {
            Kind::Item { number, .. } => number,
            _ => None,
        });
        assert_eq!(numbers.collect::<Vec<_>>(), [-1, 0, 1]);
    }

    #[test]
    fn media_say_what_they_are() {
        let html = "<p>a<video src=a></video><p>b<audio src=b></audio><p>c<iframe src=c></iframe>\
            <p>d<embed src=d type=video/mp4><p>e";
        let media = kinds(html).into_iter().filter_map(|kind| match kind {
            Kind::Media { media_kind, .. } => Some(media_kind),
            _ => None,
        });
        assert_eq!(
            media.collect::<Vec<_>>(),
            [MediaKind::Video, MediaKind::Audio, MediaKind::Frame, MediaKind::Video]
        );
    }
}
