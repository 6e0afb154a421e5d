//! Elements that contain units: headings, lists, quotations, boxes, tables.

use crate::units::Kind;
use crate::units::builder::{Builder, Open};
use rustc_hash::FxHashMap;
use threshr_html::structure::callouts::callout_type;
use threshr_html::structure::names::{Role, Roles};
use threshr_html::structure::tables::{self, Alignment, Grid, GridCell};
use threshr_html::{NodeId, Tag};

impl Builder<'_> {
    /// The kind of the container that an element is; tables have [`Builder::table`].
    pub(super) fn container_of(&mut self, node: NodeId, tag: Tag, roles: Roles) -> Option<Kind> {
        let doc = self.context.doc;
        if let Some(label) = self.context.notes.definition(node) {
            return Some(Kind::FootnoteDefinition { label: label.to_owned() });
        }
        Some(match tag {
            tag if tag.is_heading() => Kind::Heading { level: (tag.0 - Tag::H1.0 + 1) as u8 },
            Tag::UL | Tag::MENU | Tag::DIR => Kind::List { ordered: false },
            Tag::OL => Kind::List { ordered: true },
            Tag::LI => Kind::Item { number: self.numbers.of(doc, node), checked: None },
            Tag::DL => Kind::Definitions,
            Tag::DT => Kind::Term,
            Tag::DD => Kind::Definition,
            Tag::BLOCKQUOTE => {
                Kind::Quote { cite: doc.attribute(node, "cite").and_then(|cite| self.context.address(cite)) }
            }
            Tag::DETAILS => Kind::Details,
            Tag::SUMMARY => Kind::Summary,
            Tag::FIGURE => Kind::Figure,
            Tag::FIGCAPTION | Tag::CAPTION => Kind::Caption,
            Tag::TD | Tag::TH => {
                let cell = |open: &Open| open.cells.get(&node).cloned();
                return self.open.iter().rev().find_map(cell);
            }
            Tag::DIV | Tag::ASIDE | Tag::SECTION | Tag::P => return self.box_of(node, roles),
            _ => return None,
        })
    }

    /// The kind of a box: a heading by its role, advice, or its title.
    pub(super) fn box_of(&self, node: NodeId, roles: Roles) -> Option<Kind> {
        let doc = self.context.doc;
        if doc.attribute(node, "role") == Some("heading") {
            let level = doc.attribute(node, "aria-level").and_then(|level| level.trim().parse().ok());
            return Some(Kind::Heading { level: level.unwrap_or(2u8).clamp(1, 6) });
        }
        if roles == Roles::default() {
            return None;
        }
        let in_callout = || self.open.iter().any(|open| matches!(open.unit.kind, Kind::Callout { .. }));
        if roles.has(Role::CalloutTitle) && in_callout() {
            return Some(Kind::CalloutTitle);
        }
        let is_callout = roles.has(Role::Callout) && !in_callout();
        is_callout.then(|| Kind::Callout { callout_type: callout_type(doc, node) })
    }

    /// The kind of a data table, and the kinds of its cells; `None` for a layout table.
    pub(super) fn table(&self, node: NodeId) -> Option<(Kind, FxHashMap<NodeId, Kind>)> {
        let doc = self.context.doc;
        if !tables::is_data_table(doc, node) {
            return None;
        }
        let grid = Grid::of(doc, node);
        let is_head = |cell: &GridCell| {
            doc.tag(cell.node) == Tag::TH
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
        // columns of whose cells below the head each is a header
        let mut is_head_column = vec![true; grid.num_columns];
        for cell in grid.cells.iter().filter(|c| c.row >= head_rows && doc.tag(c.node) != Tag::TH) {
            let end = (cell.column + cell.column_span).min(grid.num_columns);
            is_head_column[cell.column.min(end)..end].fill(false);
        }
        let has_body = head_rows < grid.num_rows;
        let head_columns = is_head_column.iter().take_while(|&&is_head| has_body && is_head).count();
        let (rows, columns) = (grid.num_rows, grid.num_columns);
        let kind = Kind::Table { head_rows, head_columns, rows, columns, alignment };
        let cell = |GridCell { node, row, column, row_span, column_span }| {
            let head = doc.tag(node) == Tag::TH;
            (node, Kind::Cell { row, column, row_span, column_span, head })
        };
        Some((kind, grid.cells.into_iter().map(cell).collect()))
    }
}

#[cfg(test)]
mod tests {
    use crate::units::{Kind, MediaKind, Source, tree, walk};
    use threshr_core::Budget;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};

    /// The kinds of all units of a page, with all blocks kept.
    fn kinds(html: &str) -> Vec<Kind> {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, REGISTRY[0], Visibility::Visible);
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
