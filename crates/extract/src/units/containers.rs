//! Elements that contain units: headings, lists, quotations, boxes, tables.

use crate::units::Kind;
use crate::units::builder::{Builder, Open};
use rustc_hash::FxHashMap;
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
        let in_callout = || self.open.iter().any(|open| open.unit.kind == Kind::Callout);
        if roles.has(Role::CalloutTitle) && in_callout() {
            return Some(Kind::CalloutTitle);
        }
        (roles.has(Role::Callout) && !in_callout()).then_some(Kind::Callout)
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
        let kind = Kind::Table { head_rows, rows: grid.num_rows, columns: grid.num_columns, alignment };
        let cell = |GridCell { node, row, column, row_span, column_span }| {
            let head = doc.tag(node) == Tag::TH;
            (node, Kind::Cell { row, column, row_span, column_span, head })
        };
        Some((kind, grid.cells.into_iter().map(cell).collect()))
    }
}
