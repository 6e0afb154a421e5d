//! Recogniser of data tables, as opposed to layout tables.

use crate::structure::code::is_code_block;
use crate::structure::names::{self, Role};
use crate::{Document, Kind, NodeId, Tag};

/// Maximum number of columns of a data table.
pub const MAX_COLUMNS: usize = 64;
/// Maximum number of cells that are read to tell a data table from a layout table.
const MAX_CELLS: usize = 400;
/// Maximum number of letters per cell in a data table without header cells.
const MAX_CELL: usize = 300;
/// Maximum number of letters per cell in a data table with header cells.
const MAX_CELL_BELOW_HEAD: usize = 2500;

/// Maximum number of nodes of a nested table that are searched for a header cell.
const MAX_NESTED: usize = 400;

/// A cell of a table with its position in the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridCell {
    /// The element of the cell.
    pub node: NodeId,
    /// Index of the row, counted from 0.
    pub row: usize,
    /// Index of the first column, counted from 0.
    pub column: usize,
    /// Number of rows that the cell spans, at least 1.
    pub row_span: usize,
    /// Number of columns that the cell spans, at least 1.
    pub column_span: usize,
}

/// The grid of a table. Columns in which no cell begins are left out.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// The cells in document order.
    pub cells: Vec<GridCell>,
    /// Number of rows that contain cells.
    pub num_rows: usize,
    /// Number of columns in which cells begin.
    pub num_columns: usize,
}

impl Grid {
    /// The grid of a table; empty if the table has more than [`MAX_COLUMNS`] columns.
    pub fn new(doc: &Document, table: NodeId) -> Self {
        let mut cells: Vec<GridCell> = Vec::new();
        // For each column, the number of following rows that a cell above spans.
        let mut spanned: Vec<usize> = Vec::new();
        let mut has_start = [false; MAX_COLUMNS];
        // For each row, the number of previous rows that contain cells. A cell may span rows without cells.
        let mut rows_before = vec![0];
        for row in rows_of(doc, table) {
            let num_rows = rows_before[rows_before.len() - 1];
            let (mut column, first) = (0, cells.len());
            for node in doc.children(row).filter(|&n| is_cell(doc, n)) {
                while spanned.get(column).is_some_and(|&r| r > 0) {
                    column += 1;
                }
                let Some(starts) = has_start.get_mut(column) else { return Grid::default() };
                *starts = true;
                let span = |name| doc.attribute(node, name).and_then(|s| s.trim().parse::<usize>().ok());
                let (wide, high) = (span("colspan").unwrap_or(1).max(1), span("rowspan").unwrap_or(1).max(1));
                let end = column.saturating_add(wide).min(MAX_COLUMNS);
                cells.push(GridCell {
                    node,
                    row: rows_before.len() - 1,
                    column,
                    row_span: high,
                    column_span: end - column,
                });
                spanned.resize(spanned.len().max(end), 0);
                // The count includes this row; the loop below subtracts 1 for it.
                spanned[column..end].fill(high);
                column = end;
            }
            spanned.iter_mut().for_each(|r| *r = r.saturating_sub(1));
            rows_before.push(num_rows + usize::from(cells.len() > first));
        }
        let index_of: Vec<usize> =
            has_start.iter().scan(0, |n, &b| Some(std::mem::replace(n, *n + usize::from(b)))).collect();
        let num_columns = has_start.iter().filter(|&&b| b).count();
        let num_rows = rows_before[rows_before.len() - 1];
        for cell in &mut cells {
            let end = cell.column + cell.column_span;
            cell.column_span = index_of.get(end).copied().unwrap_or(num_columns) - index_of[cell.column];
            cell.column = index_of[cell.column];
            let below = cell.row.saturating_add(cell.row_span);
            let end = rows_before.get(below).copied().unwrap_or(num_rows);
            cell.row = rows_before[cell.row];
            cell.row_span = end - cell.row;
        }
        Grid { cells, num_rows, num_columns }
    }
}

/// The rows of a table, without the rows of nested tables.
pub fn rows_of(doc: &Document, table: NodeId) -> impl Iterator<Item = NodeId> {
    let is_part = |n: &NodeId| {
        matches!(doc.tag(*n), Tag::THEAD | Tag::TBODY | Tag::TFOOT | Tag::TR)
            || has_role(doc, *n, &["rowgroup", "row"])
    };
    doc.children(table).filter(is_part).flat_map(move |part| {
        let is_row = move |n: &NodeId| doc.tag(*n) == Tag::TR || has_role(doc, *n, &["row"]);
        // A `<tr>` has no `<tr>` children, so no row is listed twice.
        Some(part).filter(is_row).into_iter().chain(doc.children(part).filter(is_row))
    })
}

/// Whether a node is a cell of a table.
pub(super) fn is_cell(doc: &Document, node: NodeId) -> bool {
    doc.kind(node) == Kind::Element
        && (matches!(doc.tag(node), Tag::TD | Tag::TH)
            || has_role(doc, node, &["cell", "gridcell", "columnheader", "rowheader"]))
}

/// Whether a cell is a header cell of a row or a column.
pub fn is_head_cell(doc: &Document, cell: NodeId) -> bool {
    doc.tag(cell) == Tag::TH || has_role(doc, cell, &["columnheader", "rowheader"])
}

/// Whether an element is a table, by its tag or its ARIA role.
pub fn is_table(doc: &Document, node: NodeId) -> bool {
    doc.tag(node) == Tag::TABLE || doc.tag(node) == Tag::DIV && has_role(doc, node, &["table", "grid"])
}

/// Whether a generic element has one of the given ARIA roles.
fn has_role(doc: &Document, node: NodeId, roles: &[&str]) -> bool {
    let is_other =
        |tag| matches!(tag, Tag::DIV | Tag::SPAN | Tag::SECTION | Tag::P | Tag::A | Tag::UL | Tag::LI);
    doc.kind(node) == Kind::Element
        && is_other(doc.tag(node))
        && doc.attribute(node, "role").is_some_and(|role| roles.contains(&role.trim()))
}

/// Whether a table contains data in rows and columns. Other tables lay out a page, a form or a mail.
///
/// A data table has at least two rows and two columns, few empty cells, and cells with text. With header cells, a
/// caption or a `<thead>`, cells may be longer.
pub fn is_data_table(doc: &Document, table: NodeId) -> bool {
    // many layout tables have one row; this test is cheap
    if !is_table(doc, table)
        || names::has_role(doc, table, Role::Equations)
        || rows_of(doc, table).nth(1).is_none()
        || is_code_block(doc, table)
    {
        return false;
    }
    let role = doc.attribute(table, "role").unwrap_or_default();
    if role.eq_ignore_ascii_case("presentation") || role.eq_ignore_ascii_case("none") {
        return false;
    }
    let grid = Grid::new(doc, table);
    if grid.num_rows < 2 || grid.num_columns < 2 {
        return false;
    }
    let is_head = |c: &GridCell| is_head_cell(doc, c.node);
    let has_head = grid.cells.iter().any(is_head)
        || doc.children(table).any(|n| matches!(doc.tag(n), Tag::THEAD | Tag::CAPTION));
    let max_letters = if has_head { MAX_CELL_BELOW_HEAD } else { MAX_CELL };
    let (mut num_filled, mut num_rows, mut num_full_rows) = (0, 0, 0);
    let cells = &grid.cells[..grid.cells.len().min(MAX_CELLS)];
    for row in cells.chunk_by(|a, b| a.row == b.row) {
        let mut num_filled_here = 0;
        for cell in row {
            let Some(num_letters) = letters_of_cell(doc, cell.node, max_letters, has_head) else {
                return false;
            };
            num_filled_here += usize::from(num_letters > 0);
        }
        num_filled += num_filled_here;
        num_rows += 1;
        num_full_rows += usize::from(num_filled_here >= 2);
    }
    // Layout tables use empty cells for spacing.
    let is_filled = |part: usize, all: usize| 10 * part >= 7 * all;
    num_filled >= 3 && (has_head || is_filled(num_filled, cells.len()) && is_filled(num_full_rows, num_rows))
}

/// Returns the number of letters in a cell, or `None` if the cell is too long or contains elements that do
/// not occur in data cells, such as forms.
fn letters_of_cell(doc: &Document, cell: NodeId, max_letters: usize, has_head: bool) -> Option<usize> {
    let (mut num_letters, mut num_paragraphs) = (0, 0);
    for node in doc.descendants(cell) {
        match doc.kind(node) {
            Kind::Text if doc.is_visible(node) => {
                num_letters += doc.text(node).chars().filter(|&c| c.is_alphanumeric() || is_sign(c)).count();
            }
            Kind::Element => match doc.tag(node) {
                Tag::H1 | Tag::H2 | Tag::ARTICLE | Tag::NAV | Tag::MAIN | Tag::FORM | Tag::TEXTAREA => {
                    return None;
                }
                Tag::TABLE if !has_head || is_data_table_shape(doc, node) => return None,
                Tag::P | Tag::BLOCKQUOTE => num_paragraphs += 1,
                _ => {}
            },
            _ => {}
        }
        if num_letters > max_letters || num_paragraphs > 8 {
            return None;
        }
    }
    Some(num_letters)
}

/// Whether a symbol counts as the content of a cell, such as a check mark or a star.
fn is_sign(c: char) -> bool {
    matches!(c, '–' | '—' | '-' | '−' | '×' | '+' | '±' | '√' | '○' | '◯' | '●' | '◎' | '△' | '☆' | '★' | '✓'..='✘' | '☐'..='☒' | '✅' | '❌' | '❎' | '⭐')
}

/// Whether a nested table has header cells or more than eight rows.
fn is_data_table_shape(doc: &Document, table: NodeId) -> bool {
    let mut inside = doc.descendants(table).take(MAX_NESTED);
    let has_head = inside.any(|n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::TH);
    has_head || rows_of(doc, table).nth(8).is_some()
}

/// Horizontal alignment of the text of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Alignment {
    /// The page does not set an alignment.
    #[default]
    None,
    /// Left-aligned.
    Left,
    /// Centred.
    Center,
    /// Right-aligned.
    Right,
}

/// The alignment of a cell, from `align` or the inline style.
pub fn alignment(doc: &Document, cell: NodeId) -> Alignment {
    let style = crate::style::property(doc, cell, "text-align");
    let value = style.or_else(|| doc.attribute(cell, "align").map(str::to_ascii_lowercase));
    match value.as_deref().map(str::trim) {
        Some("left") => Alignment::Left,
        Some("center") => Alignment::Center,
        Some("right") => Alignment::Right,
        _ => Alignment::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    fn first_table(html: &str) -> (Document, NodeId) {
        let doc = parse_str(html);
        let table = doc.elements_with(|tag| tag == Tag::TABLE).next().expect("a table");
        (doc, table)
    }

    #[test]
    fn data_tables_are_told_from_layout_tables() {
        let is_data = |html: &str| {
            let (doc, table) = first_table(html);
            is_data_table(&doc, table)
        };
        let long = "Many words stand here. ".repeat(30);
        assert!(is_data("<table><tr><th>a<th>b<tr><td>1<td>2</table>"));
        assert!(is_data("<table><tr><td>a<td>b<tr><td>1<td>2</table>"));
        assert!(is_data(&format!("<table><tr><th>a<th>b<tr><td>1<td>{long}</table>")));
        assert!(!is_data(&format!("<table><tr><td>a<td>b<tr><td>1<td>{long}</table>")));
        assert!(!is_data("<table role=presentation><tr><td>a<td>b<tr><td>1<td>2</table>"));
        assert!(!is_data("<table><tr><td>a<td>b</table>") && !is_data("<table><tr><td>a<tr><td>b</table>"));
        assert!(!is_data("<table><tr><td><h2>x</h2><td>b<tr><td>1<td>2</table>"));
        assert!(!is_data("<table><tr><td>a<td><table><tr><td>b</table><tr><td>c<td>d</table>"));
        assert!(is_data("<table><tr><th>a<th>b<tr><td>1<td><table><tr><td>b</table></table>"));
        assert!(!is_data("<table><tr><td>a<td><td><td><tr><td><td>b<td><td></table>"));
        // symbols are content; dashes that separate are not content
        assert!(is_data("<table><tr><td>a<td>✓<tr><td>b<td>–<tr><td>c<td>★★</table>"));
        assert!(!is_data("<table><tr><td>a<td>|<tr><td>b<td>»<tr><td>c<td>•</table>"));
        // a list of links, each with a row of details below
        let links = "<tr><td>1.<td><td>title<tr><td colspan=2><td>3 points".repeat(3);
        assert!(!is_data(&format!("<table>{links}</table>")));
    }

    #[test]
    fn roles_make_tables() {
        let of = |html: &str| {
            let doc = parse_str(html);
            let table = doc.elements_with(|tag| tag == Tag::DIV).next().expect("a table");
            (is_data_table(&doc, table), Grid::new(&doc, table).cells.len())
        };
        let row = "<div role=row><span role=cell>a</span><span role=cell>b</span></div>";
        assert_eq!(of(&format!("<div role=table>{row}<div role=rowgroup>{row}</div></div>")), (true, 4));
        assert_eq!(of(&format!("<div>{row}{row}</div>")), (false, 4));
        assert_eq!(of(&format!("<div role=table>{row}</div>")), (false, 2));
    }

    #[test]
    fn cells_have_places() {
        let (doc, table) = first_table("<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d</table>");
        let grid = Grid::new(&doc, table);
        let places: Vec<_> =
            grid.cells.iter().map(|c| (c.row, c.column, c.row_span, c.column_span)).collect();
        assert_eq!(places, [(0, 0, 2, 1), (0, 1, 1, 2), (1, 1, 1, 1), (1, 2, 1, 1)]);
        assert_eq!((grid.num_rows, grid.num_columns), (2, 3));
        // columns in which no cell begins are left out, and spans end with the table
        let (doc, table) = first_table("<table><tr><td colspan=2 rowspan=9999999>a<td colspan=99>b</table>");
        let grid = Grid::new(&doc, table);
        assert_eq!((grid.num_columns, grid.cells[0].row_span), (2, 1));
        let (doc, table) = first_table(&format!("<table><tr>{}", "<td>a".repeat(65)));
        assert!(Grid::new(&doc, table).cells.is_empty());
    }
}
