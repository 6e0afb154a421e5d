//! Tables: pipe tables, or HTML if the content does not fit in a pipe table.

use crate::formats::html;
use crate::formats::markdown::Writer;
use crate::formats::markdown::escape::{Context, tex_without_tags};
use crate::formats::markdown::inline::{delimiters_of_code, inline};
use crate::units::{Kind, Unit};
use std::fmt::Write;
use threshr_html::structure::tables::Alignment;

impl Writer<'_> {
    /// Returns a data table with its caption.
    pub(super) fn table(self, table: &Unit, depth: usize) -> String {
        let Kind::Table { rows, columns, alignment, .. } = &table.kind else { return String::new() };
        let captions = table.children.iter().filter(|c| c.kept && c.kind == Kind::Caption);
        let mut out: Vec<String> = captions.map(|caption| self.unit(caption, depth)).collect();
        if !self.options.tables {
            out.extend(self.rows_as_text(table));
            return out.join("\n\n");
        }
        let mut grid = vec![vec![String::new(); *columns]; *rows];
        for cell in table.children.iter().filter(|c| c.kept) {
            let Kind::Cell { row, column, .. } = cell.kind else { continue };
            match self.cell(cell) {
                Some(text) => {
                    if let Some(place) = grid.get_mut(row).and_then(|row| row.get_mut(column)) {
                        *place = text;
                    }
                }
                None => return self.as_html(table, out),
            }
        }
        // Rows without kept cells are omitted.
        grid.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
        let mut lines: Vec<String> = grid.iter().map(|row| line(row)).collect();
        if lines.is_empty() {
            return out.join("\n\n");
        }
        let mark = |alignment: &Alignment| match alignment {
            Alignment::None => " --- |",
            Alignment::Left => " :--- |",
            Alignment::Center => " :---: |",
            Alignment::Right => " ---: |",
        };
        lines.insert(1, format!("|{}", alignment.iter().map(mark).collect::<String>()));
        out.push(lines.join("\n"));
        out.join("\n\n")
    }

    /// Returns the rows of a table as plain text, one entry per row.
    fn rows_as_text(self, table: &Unit) -> Vec<String> {
        let of_row = |cells: Vec<&Unit>| {
            let kept = cells.into_iter().filter(|cell| cell.kept);
            kept.map(|cell| self.units(&cell.children, 0)).collect::<Vec<_>>().join("\n\n")
        };
        table.rows().into_iter().map(of_row).filter(|row| !row.is_empty()).collect()
    }

    fn as_html(self, table: &Unit, mut out: Vec<String>) -> String {
        out.clear();
        // An empty line would end the HTML block.
        let html = html::unit(table, self.options);
        out.push(html.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n"));
        out.join("\n\n")
    }

    /// Returns the content of a cell on one line; `None` if it does not fit on one line.
    fn cell(self, cell: &Unit) -> Option<String> {
        let mut lines = Vec::new();
        self.cell_lines(&cell.children, &mut lines)?;
        Some(join(&lines))
    }

    fn cell_lines(self, units: &[Unit], lines: &mut Vec<String>) -> Option<()> {
        for unit in units.iter().filter(|unit| unit.kept) {
            if !unit.inlines.is_empty() {
                lines.push(match &unit.kind {
                    Kind::Code { .. } if unit.inlines.text.contains('\n') => return None,
                    Kind::Code { .. } => code(&unit.inlines.text),
                    Kind::Math if self.options.formulas => {
                        let tex = tex_without_tags(&unit.inlines.text);
                        format!("${}$", tex.replace('\n', " ").replace('|', "\\|"))
                    }
                    _ => inline(&unit.inlines, Context::Cell, self.options),
                });
            }
            match unit.kind {
                Kind::Table { .. } => lines.extend(self.nested_rows(unit)?),
                Kind::List { ordered } if items(unit).nth(1).is_some() => {
                    let has_list =
                        |item: &Unit| item.children.iter().any(|c| matches!(c.kind, Kind::List { .. }));
                    if ordered || items(unit).any(has_list) {
                        lines.push(self.list_in_cell(unit, ordered)?);
                    } else {
                        for item in unit.children.iter().filter(|child| child.kept) {
                            let mut own = Vec::new();
                            self.cell_lines(std::slice::from_ref(item), &mut own)?;
                            lines.push(format!("- {}", join(&own)));
                        }
                    }
                }
                _ => self.cell_lines(&unit.children, lines)?,
            }
        }
        Some(())
    }

    /// Returns a list inside a cell as HTML, because Markdown lists cannot be written on one line.
    fn list_in_cell(self, list: &Unit, ordered: bool) -> Option<String> {
        let name = if ordered { "ol" } else { "ul" };
        let first = items(list).find_map(|item| match item.kind {
            Kind::Item { number, .. } => number,
            _ => None,
        });
        let start =
            first.filter(|&n| ordered && n != 1).map(|n| format!(" start=\"{n}\"")).unwrap_or_default();
        let mut out = format!("<{name}{start}>");
        for item in list.children.iter().filter(|child| child.kept) {
            let mut lines = Vec::new();
            for child in &item.children {
                match child.kind {
                    Kind::List { ordered } if child.kept => lines.push(self.list_in_cell(child, ordered)?),
                    _ => self.cell_lines(std::slice::from_ref(child), &mut lines)?,
                }
            }
            let _ = write!(out, "<li>{}</li>", join(&lines));
        }
        let _ = write!(out, "</{name}>");
        Some(out)
    }

    /// Returns the rows of a nested table, one line each.
    fn nested_rows(self, table: &Unit) -> Option<Vec<String>> {
        let mut out = Vec::new();
        for row in table.rows() {
            let mut cells = Vec::new();
            for cell in row {
                self.cell_lines(&cell.children, &mut cells)?;
            }
            if !cells.is_empty() {
                out.push(cells.join(" "));
            }
        }
        Some(out)
    }
}

/// Returns the kept items of a list.
fn items(list: &Unit) -> impl Iterator<Item = &Unit> {
    list.children.iter().filter(|child| child.kept && matches!(child.kind, Kind::Item { .. }))
}

/// Joins lines with `<br>`, except next to a list, which is a block already.
fn join(lines: &[String]) -> String {
    let mut out = String::new();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let has_list = |line: &str| line.starts_with("<ul>") || line.starts_with("<ol");
        let is_after_list = out.ends_with("</ul>") || out.ends_with("</ol>");
        if !out.is_empty() && !is_after_list && !has_list(line) {
            out.push_str("<br>");
        }
        out.push_str(line);
    }
    out
}

/// Returns a line of code for a cell. Vertical bars are escaped, because they separate cells even in code.
fn code(text: &str) -> String {
    let [open, close] = delimiters_of_code(text);
    format!("{open}{}{close}", text.replace('|', "\\|"))
}
