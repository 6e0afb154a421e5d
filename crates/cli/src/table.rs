//! Tables as plain text, Markdown and CSV.

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use threshr_core::{Error, Result};
use threshr_evaluate::metrics::Summary;
use threshr_evaluate::report;

/// CSV fields of a metric summary over all pages.
pub(super) const SUMMARY_HEAD: [&str; 11] = [
    "column",
    "pages",
    "mean",
    "ci_low",
    "ci_high",
    "median",
    "q1",
    "q3",
    "pooled",
    "pooled_ci_low",
    "pooled_ci_high",
];

/// Returns the cells for [`SUMMARY_HEAD`].
pub(super) fn summary_cells(s: &Summary) -> [String; SUMMARY_HEAD.len()] {
    let number = |v: f64| v.to_string();
    let maybe = |v: Option<f64>| v.map_or_else(String::new, number);
    [
        s.column.to_owned(),
        s.num_pages.to_string(),
        number(s.mean),
        number(s.ci_low),
        number(s.ci_high),
        number(s.median),
        number(s.q1),
        number(s.q3),
        maybe(s.pooled),
        maybe(s.pooled_ci.map(|ci| ci[0])),
        maybe(s.pooled_ci.map(|ci| ci[1])),
    ]
}

/// Appends the source in brackets to a description. One column instead of two keeps lines short.
pub(super) fn with_source(what: &str, source: &str) -> String {
    if source.is_empty() { what.to_owned() } else { format!("{what} [{source}]") }
}

/// Formats rows and their head as plain text. All columns after the first `text_columns` are right-aligned.
pub(super) fn plain(head: &[&str], rows: &[Vec<String>], text_columns: usize) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(head.iter().copied());
    for row in rows {
        table.add_row(row.iter().map(String::as_str));
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if i >= text_columns {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<String> = table.lines().map(|l| l.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

/// Formats a report table as plain text.
pub(super) fn plain_of(table: &report::Table) -> String {
    let head: Vec<&str> = table.head.iter().map(String::as_str).collect();
    plain(&head, &table.rows, table.num_text)
}

/// Formats a Markdown table.
pub(super) fn markdown(head: &[impl AsRef<str>], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|cell| cell.as_ref().to_owned()).collect();
    let rule = vec!["---".to_owned(); head.len()];
    let line = |cells: &Vec<String>| format!("| {} |\n", cells.join(" | "));
    let escaped = rows.iter().map(|row| row.iter().map(|cell| cell.replace('|', "\\|")).collect());
    [head, rule].into_iter().chain(escaped).map(|cells| line(&cells)).collect()
}

/// Formats rows as CSV.
pub(super) fn csv<T: Serialize>(
    head: &[impl AsRef<[u8]>],
    rows: impl IntoIterator<Item = T>,
) -> Result<String> {
    let failed = |e: csv::Error| Error::data("cannot write the table as CSV").because(e);
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(head).map_err(failed)?;
    rows.into_iter().try_for_each(|row| writer.serialize(row)).map_err(failed)?;
    let bytes = writer
        .into_inner()
        .map_err(|e| Error::data("cannot write the table as CSV").because(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
