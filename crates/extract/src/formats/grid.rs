//! Tables as rows of cells in columns.

use rustc_hash::FxHashMap;
use threshr_html::{Document, NodeId, Tag};

/// Most columns of a table; one with more is there for something else.
const MOST_COLUMNS: usize = 64;

/// Where the cells of a table's rows stand.
#[derive(Default)]
pub(crate) struct Grid {
    /// Of each row with cells, these with the columns in which they begin.
    rows: FxHashMap<NodeId, Vec<(NodeId, usize)>>,
    /// Columns in which some cell begins.
    pub num_columns: usize,
}

impl Grid {
    /// That of a table; without rows where it has more than 64 columns.
    pub fn of(doc: &Document, table: NodeId) -> Self {
        let mut rows = FxHashMap::default();
        // rows that the cell above still reaches down to, by column
        let mut reach: Vec<usize> = Vec::new();
        let mut begins = [false; MOST_COLUMNS];
        for row in rows_of(doc, table) {
            let (mut cells, mut column) = (Vec::new(), 0);
            for cell in doc.children(row).filter(|&n| matches!(doc.tag(n), Tag::TD | Tag::TH)) {
                while reach.get(column).is_some_and(|&r| r > 0) {
                    column += 1;
                }
                let Some(begins) = begins.get_mut(column) else { return Grid::default() };
                *begins = true;
                cells.push((cell, column));
                let span = |name| doc.attribute(cell, name).and_then(|s| s.trim().parse::<usize>().ok());
                let (wide, high) = (span("colspan").unwrap_or(1).max(1), span("rowspan").unwrap_or(1).max(1));
                let end = column.saturating_add(wide).min(MOST_COLUMNS);
                reach.resize(reach.len().max(end), 0);
                // this row is taken off below
                reach[column..end].fill(high);
                column = end;
            }
            reach.iter_mut().for_each(|r| *r = r.saturating_sub(1));
            if !cells.is_empty() {
                rows.insert(row, cells);
            }
        }
        // columns that cells but reach over are none
        let place: Vec<usize> =
            begins.iter().scan(0, |n, &b| Some(std::mem::replace(n, *n + usize::from(b)))).collect();
        rows.values_mut().flatten().for_each(|(_, column)| *column = place[*column]);
        Grid { rows, num_columns: begins.iter().filter(|&&b| b).count() }
    }

    /// The cells of a row with their columns; empty for what is no row of it.
    pub fn row(&self, row: NodeId) -> &[(NodeId, usize)] {
        self.rows.get(&row).map_or(&[], Vec::as_slice)
    }
}

/// The rows of a table, not those of tables inside it.
fn rows_of(doc: &Document, table: NodeId) -> impl Iterator<Item = NodeId> {
    let is_part = |n: &NodeId| matches!(doc.tag(*n), Tag::THEAD | Tag::TBODY | Tag::TFOOT | Tag::TR);
    doc.children(table).filter(is_part).flat_map(move |part| {
        let is_row = move |n: &NodeId| doc.tag(*n) == Tag::TR;
        // a row holds none
        Some(part).filter(is_row).into_iter().chain(doc.children(part).filter(is_row))
    })
}
