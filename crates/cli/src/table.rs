//! Tables as plain text, Markdown and CSV.

use comfy_table::{CellAlignment, Table, presets};
use threshr_core::{Error, Result};
use threshr_evaluate::metrics::Summary;

/// Draws a table from its head, its rows and the number of text columns.
pub(super) type Draw = fn(&[&str], &[Vec<String>], usize) -> String;

/// Fields of a summary over all pages, in CSV.
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

/// The cells under [`SUMMARY_HEAD`].
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

/// A description followed by its source in brackets. One column instead of two keeps lines short.
pub(super) fn with_source(what: &str, source: &str) -> String {
    if source.is_empty() { what.to_owned() } else { format!("{what} [{source}]") }
}

/// Rows under a head, as plain text; columns after the first `text_columns` are right-aligned.
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

/// A Markdown table.
pub(super) fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let escape = |cell: &String| cell.replace('|', "\\|");
    let mut out = line(head.to_vec());
    out.push_str(&line(vec!["---"; head.len()]));
    for row in rows {
        let cells: Vec<String> = row.iter().map(escape).collect();
        out.push_str(&line(cells.iter().map(String::as_str).collect()));
    }
    out
}

/// Rows as CSV.
pub(super) fn csv(head: &[&str], rows: &[Vec<String>]) -> Result<String> {
    let failed = |e: csv::Error| Error::data("cannot write the table as CSV").because(e);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(head).map_err(failed)?;
    for row in rows {
        writer.write_record(row).map_err(failed)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|e| Error::data("cannot write the table as CSV").because(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A number with three decimals; empty for NaN.
pub(super) fn number(value: f64) -> String {
    if value.is_nan() { String::new() } else { format!("{value:.3}") }
}

/// A number with its interval, if it has one.
pub(super) fn with_interval(value: f64, interval: Option<[f64; 2]>) -> String {
    let interval = interval.map(|[low, high]| format!(" ({}–{})", number(low), number(high)));
    number(value) + &interval.unwrap_or_default()
}
