//! Tables as rows of cells in columns.

use rustc_hash::FxHashMap;
use threshr_html::{Document, NodeId, Tag};

/// Maximum number of columns. A table with more is not written as a table.
const MAX_COLUMNS: usize = 64;

/// The columns of the cells of a table.
#[derive(Default)]
pub(crate) struct Grid {
    /// For each row with cells: the cells with the columns in which they start.
    rows: FxHashMap<NodeId, Vec<(NodeId, usize)>>,
    /// Number of columns in which a cell starts.
    pub num_columns: usize,
}

impl Grid {
    /// The grid of a table; empty if the table has more than 64 columns.
    pub(super) fn of(doc: &Document, table: NodeId) -> Self {
        let mut rows = FxHashMap::default();
        // For each column, the number of further rows that a cell above spans.
        let mut spanned: Vec<usize> = Vec::new();
        let mut has_start = [false; MAX_COLUMNS];
        for row in rows_of(doc, table) {
            let (mut cells, mut column) = (Vec::new(), 0);
            for cell in doc.children(row).filter(|&n| matches!(doc.tag(n), Tag::TD | Tag::TH)) {
                while spanned.get(column).is_some_and(|&r| r > 0) {
                    column += 1;
                }
                let Some(starts) = has_start.get_mut(column) else { return Grid::default() };
                *starts = true;
                cells.push((cell, column));
                let span = |name| doc.attribute(cell, name).and_then(|s| s.trim().parse::<usize>().ok());
                let (wide, high) = (span("colspan").unwrap_or(1).max(1), span("rowspan").unwrap_or(1).max(1));
                let end = column.saturating_add(wide).min(MAX_COLUMNS);
                spanned.resize(spanned.len().max(end), 0);
                // The count includes this row, which is subtracted below.
                spanned[column..end].fill(high);
                column = end;
            }
            spanned.iter_mut().for_each(|r| *r = r.saturating_sub(1));
            if !cells.is_empty() {
                rows.insert(row, cells);
            }
        }
        // Columns that cells only span are removed.
        let index_of: Vec<usize> =
            has_start.iter().scan(0, |n, &b| Some(std::mem::replace(n, *n + usize::from(b)))).collect();
        rows.values_mut().flatten().for_each(|(_, column)| *column = index_of[*column]);
        Grid { rows, num_columns: has_start.iter().filter(|&&b| b).count() }
    }

    /// The cells of a row with their columns; empty if the table does not have this row.
    pub(super) fn row(&self, row: NodeId) -> &[(NodeId, usize)] {
        self.rows.get(&row).map_or(&[], Vec::as_slice)
    }
}

/// The rows of a table, without those of nested tables.
fn rows_of(doc: &Document, table: NodeId) -> impl Iterator<Item = NodeId> {
    let is_part = |n: &NodeId| matches!(doc.tag(*n), Tag::THEAD | Tag::TBODY | Tag::TFOOT | Tag::TR);
    doc.children(table).filter(is_part).flat_map(move |part| {
        let is_row = move |n: &NodeId| doc.tag(*n) == Tag::TR;
        // A row contains no rows.
        Some(part).filter(is_row).into_iter().chain(doc.children(part).filter(is_row))
    })
}
