//! Tables as rows of cells, all of one length.

use crate::page::{Document, NodeId, Tag};
use rustc_hash::FxHashMap;

/// Most columns of a table; one with more is there for something else.
const MOST_COLUMNS: usize = 64;

/// A table's rows: which cell begins in each column; none where one of the row before or beside reaches, or none is.
pub(super) struct Grid {
    pub table: NodeId,
    rows: FxHashMap<NodeId, Vec<Option<NodeId>>>,
}

impl Grid {
    /// That of a table; without rows where it has more than 64 columns.
    pub fn of(doc: &Document, table: NodeId) -> Self {
        let mut rows: Vec<(NodeId, Vec<Option<NodeId>>)> = Vec::new();
        // rows that the cell above still reaches down to, by column
        let mut reach: Vec<usize> = Vec::new();
        for row in rows_of(doc, table) {
            let mut cells: Vec<Option<NodeId>> = Vec::new();
            for cell in children(doc, row).filter(|&n| matches!(doc.tag(n), Tag::TD | Tag::TH)) {
                while reach.get(cells.len()).is_some_and(|&r| r > 0) {
                    cells.push(None);
                }
                let span = |name| doc.attribute(cell, name).and_then(|s| s.trim().parse::<usize>().ok());
                let (wide, high) = (span("colspan").unwrap_or(1).max(1), span("rowspan").unwrap_or(1).max(1));
                if cells.len().saturating_add(wide) > MOST_COLUMNS {
                    return Grid { table, rows: FxHashMap::default() };
                }
                let from = cells.len();
                cells.push(Some(cell));
                cells.resize(from + wide, None);
                reach.resize(reach.len().max(cells.len()), 0);
                // this row is taken off below
                reach[from..].iter_mut().take(wide).for_each(|r| *r = high);
            }
            reach.iter_mut().for_each(|r| *r = r.saturating_sub(1));
            rows.push((row, cells));
        }
        let num_columns = rows.iter().map(|r| r.1.len()).max().unwrap_or(0);
        rows.iter_mut().for_each(|r| r.1.resize(num_columns, None));
        Grid { table, rows: rows.into_iter().collect() }
    }

    /// The cells of a row, one a column; empty for what is no row of it.
    pub fn row(&self, row: NodeId) -> &[Option<NodeId>] {
        self.rows.get(&row).map_or(&[], Vec::as_slice)
    }
}

/// The rows of a table, not those of tables inside it.
fn rows_of(doc: &Document, table: NodeId) -> impl Iterator<Item = NodeId> {
    let is_part = |n: &NodeId| matches!(doc.tag(*n), Tag::THEAD | Tag::TBODY | Tag::TFOOT | Tag::TR);
    let parts = children(doc, table).filter(is_part);
    parts.flat_map(move |part| {
        let (itself, inside) = match doc.tag(part) {
            Tag::TR => (Some(part), None),
            _ => (None, Some(children(doc, part).filter(|&n| doc.tag(n) == Tag::TR))),
        };
        itself.into_iter().chain(inside.into_iter().flatten())
    })
}

fn children(doc: &Document, node: NodeId) -> impl Iterator<Item = NodeId> {
    std::iter::successors(doc.first_child(node), |&n| doc.next_sibling(n))
}
