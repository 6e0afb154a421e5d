//! Reports of `evaluate` as tables for the terminal and as Markdown.

use crate::evaluate::report::Report;
use threshr_evaluate::Row;
use threshr_evaluate::metrics::{CalibrationBin, Summary, expected_calibration_error};
use threshr_evaluate::report::{comparisons, number, with_interval};

/// Formats a table. The arguments are the head, the rows, and the number of text columns.
pub(super) type Draw = fn(&[&str], &[Vec<String>], usize) -> String;

/// Maximum number of metrics after the first in a summary.
const MAX_OTHERS: usize = 3;

/// Formats a summary of each report for a terminal. One table has the means of all columns of the first metric, and the
/// main columns of some other metrics. The tables of `--versus`, `--by` and `--speed` follow. The last line names the
/// option for all tables.
pub(super) fn summary(reports: &[Report], draw: Draw) -> String {
    let mut out = String::new();
    for report in reports {
        out.push_str(&format!("{}\n\n", report.heading()));
        if let Some((head, rows)) = summary_table(report) {
            let head: Vec<&str> = head.iter().map(String::as_str).collect();
            out.push_str(&draw(&head, &rows, 1));
        }
        out.push_str(&asked(report, draw));
        out.push('\n');
    }
    out + "--verbose shows every metric, quartiles, pooled values and calibration.\n"
}

/// Returns the head and the rows of the table of a summary. Returns `None` if no page has a value.
fn summary_table(report: &Report) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let mut first = 0;
    let mut tables = report.metrics.iter().filter_map(|metric| {
        let range = first..first + metric.columns.len();
        first = range.end;
        Some((metric.columns.len(), metric_table(report, range)?))
    });
    let (num_columns, (mut head, mut rows)) = tables.next()?;
    // shows the name of the row, the columns of the metric, and the interval of the main column
    let failed = head.iter().position(|name| name == FAILED);
    let shown: Vec<usize> = (0..num_columns + 2).chain(failed).collect();
    head = shown.iter().map(|&i| head[i].clone()).collect();
    rows.iter_mut().for_each(|row| *row = shown.iter().map(|&i| row[i].clone()).collect());
    for (num_columns, (other_head, other_rows)) in tables.take(MAX_OTHERS) {
        let at = main_column(other_head[1..=num_columns].iter().map(String::as_str)) + 1;
        head.push(other_head[at].clone());
        for row in &mut rows {
            let value = other_rows.iter().find(|other| other[0] == row[0]).map(|other| other[at].clone());
            row.push(value.unwrap_or_default());
        }
    }
    Some((head, rows))
}

/// Returns the index of the main column of a metric: the F1 column, or else the last column.
fn main_column<'a>(names: impl ExactSizeIterator<Item = &'a str> + Clone) -> usize {
    names.clone().position(|name| name.ends_with("f1")).unwrap_or(names.len() - 1)
}

/// The column with the number of failed pages.
const FAILED: &str = "failed";

/// Formats one table per metric with the means of its columns. F1 columns also have interval, median and
/// pooled value. If pages failed, the last column counts them.
pub(super) fn tables(reports: &[Report], draw: Draw, markdown: bool) -> String {
    let mut out = String::new();
    for report in reports {
        out.push_str(&format!("{}{}\n", if markdown { "### " } else { "" }, report.heading()));
        let mut first = 0;
        for metric in &report.metrics {
            let range = first..first + metric.columns.len();
            first = range.end;
            if let Some((head, rows)) = metric_table(report, range) {
                let head: Vec<&str> = head.iter().map(String::as_str).collect();
                out.push_str(&format!("\n{}: {}\n\n{}", metric.name, metric.summary, draw(&head, &rows, 1)));
            }
        }
        out.push_str(&calibration(report, draw));
        out.push_str(&asked(report, draw));
        out.push('\n');
    }
    out
}

/// Formats the tables of `--versus`, `--by` and `--speed`.
fn asked(report: &Report, draw: Draw) -> String {
    let mut out = String::new();
    if !report.comparisons.is_empty() {
        let table = comparisons(&report.comparisons);
        let head: Vec<&str> = table.head.iter().map(String::as_str).collect();
        let drawn = draw(&head, &table.rows, table.num_text);
        let (versus, num) = (&report.comparisons[0].versus, report.comparisons.len());
        out.push_str(&format!("\ncompared with {versus} (Holm: corrected for {num} comparisons)\n\n{drawn}"));
    }
    if let Some(groups) = &report.groups {
        let names = report.rows.iter().map(|r| r.name.as_str());
        let head: Vec<&str> = [groups.field.as_str(), "pages"].into_iter().chain(names).collect();
        let row = |(value, n, means): &(String, usize, Vec<f64>)| {
            [value.clone(), n.to_string()].into_iter().chain(means.iter().map(|&m| number(m))).collect()
        };
        let rows: Vec<Vec<String>> = groups.values.iter().map(row).collect();
        out.push_str(&format!("\nmean token F1 by {}\n\n{}", groups.field, draw(&head, &rows, 1)));
    }
    for (i, speed) in report.speeds.iter().enumerate() {
        out.push_str(if i == 0 { "\n" } else { "" });
        out.push_str(&speed.text());
    }
    out
}

/// Returns the head and the rows of the table of one metric. Returns `None` if no page has a value.
fn metric_table(report: &Report, columns: std::ops::Range<usize>) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let of = |row: &Row| -> Vec<Summary> { row.summaries[columns.clone()].to_vec() };
    let rows: Vec<&Row> = report.rows.iter().filter(|r| of(r).iter().any(|s| s.num_pages > 0)).collect();
    let first = of(rows.first()?);
    let main = main_column(first.iter().map(|s| s.column));
    let mut head = vec!["row".to_owned()];
    head.extend(first.iter().map(|s| s.column.to_owned()));
    let name = first[main].column;
    head.extend([format!("95 % of {name}"), "median".to_owned(), "quartiles".to_owned()]);
    let has_pooled =
        |s: &&Summary| rows.iter().any(|r| of(r).iter().any(|o| o.column == s.column && o.pooled.is_some()));
    let pooled: Vec<&str> = first.iter().filter(has_pooled).map(|s| s.column).collect();
    if !pooled.is_empty() {
        head.push(format!("pooled {}", pooled.join("/")));
    }
    let any_failed = !report.failed.is_empty();
    head.extend(any_failed.then(|| FAILED.to_owned()));
    let row = |row: &&Row| {
        let summaries = of(row);
        let m = &summaries[main];
        let mut cells = vec![row.name.clone()];
        cells.extend(summaries.iter().map(|s| number(s.mean)));
        cells.push(format!("{}–{}", number(m.ci_low), number(m.ci_high)));
        cells.push(number(m.median));
        cells.push(format!("{}–{}", number(m.q1), number(m.q3)));
        if !pooled.is_empty() {
            let value =
                |s: &Summary| Some(with_interval(s.pooled?, s.pooled_ci.filter(|_| s.column == m.column)));
            cells.push(summaries.iter().filter_map(value).collect::<Vec<_>>().join("/"));
        }
        cells.extend(
            any_failed.then(|| report.failed.get(&row.name).copied().unwrap_or_default().to_string()),
        );
        cells
    };
    Some((head, rows.iter().map(row).collect()))
}

fn calibration(report: &Report, draw: Draw) -> String {
    let of_row = |row: &Row| {
        let rows: Vec<_> = row.calibration.iter().map(calibration_cells).collect();
        format!(
            "\ncalibration of {}: ROC AUC over all blocks {:.4}, expected calibration error {:.4}\n\n{}",
            row.name,
            row.pooled_auc.unwrap_or(f64::NAN),
            expected_calibration_error(&row.calibration),
            draw(&["score", "blocks", "mean score", "share content"], &rows, 1)
        )
    };
    calibrated(&report.rows).into_iter().map(of_row).collect()
}

/// Returns the rows with calibration data. Rows that differ only in their filter have the same scores, so
/// only the first one is returned.
fn calibrated(rows: &[Row]) -> Vec<&Row> {
    let mut found: Vec<&Row> = Vec::new();
    for row in rows {
        if !row.calibration.is_empty() && found.iter().all(|f| f.calibration != row.calibration) {
            found.push(row);
        }
    }
    found
}

/// Returns the cells of a calibration bin: score range, number of blocks, mean score, and share of content.
fn calibration_cells(bin: &CalibrationBin) -> Vec<String> {
    let range = format!("{:.1}–{:.1}", bin.low, bin.high);
    vec![range, bin.n.to_string(), number(bin.mean_score), number(bin.share_content)]
}
