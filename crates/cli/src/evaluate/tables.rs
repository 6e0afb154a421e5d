//! Reports of `evaluate` as tables for the terminal and as Markdown.

use crate::evaluate::report::Report;
use crate::table::{Draw, number, with_interval};
use threshr_evaluate::metrics::{self, Summary};
use threshr_evaluate::{Comparison, Row};

/// One table a metric with the means of its columns; F1 columns also have interval, median and pooled value.
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
        if !report.comparisons.is_empty() {
            let head =
                ["row", "column", "difference", "95 % interval", "Wilcoxon p", "Holm", "Mann-Whitney p", ""];
            let rows: Vec<_> = report.comparisons.iter().map(comparison_row).collect();
            out.push_str(&format!(
                "\ncompared with {}\n\n{}",
                report.comparisons[0].versus,
                draw(&head, &rows, 2)
            ));
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
        out.push('\n');
    }
    out
}

/// Head and rows of the columns of one metric; `None` if no page has a value.
fn metric_table(report: &Report, columns: std::ops::Range<usize>) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let of = |row: &Row| -> Vec<Summary> { row.summaries[columns.clone()].to_vec() };
    let rows: Vec<&Row> = report.rows.iter().filter(|r| of(r).iter().any(|s| s.num_pages > 0)).collect();
    let first = of(rows.first()?);
    let main = first.iter().position(|s| s.column.ends_with("f1")).unwrap_or(first.len() - 1);
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
        cells
    };
    Some((head, rows.iter().map(row).collect()))
}

fn calibration(report: &Report, draw: Draw) -> String {
    let mut out = String::new();
    let mut seen: Vec<&[metrics::CalibrationBin]> = Vec::new();
    for row in report.rows.iter().filter(|r| !r.calibration.is_empty()) {
        // Rows that differ only in their filter have the same scores.
        if seen.contains(&row.calibration.as_slice()) {
            continue;
        }
        seen.push(&row.calibration);
        let bin = |b: &metrics::CalibrationBin| {
            vec![
                format!("{:.1}–{:.1}", b.low, b.high),
                b.n.to_string(),
                number(b.mean_score),
                number(b.share_content),
            ]
        };
        let rows: Vec<_> = row.calibration.iter().filter(|b| b.n > 0).map(bin).collect();
        let error = metrics::expected_calibration_error(&row.calibration);
        let auc = row.pooled_auc.unwrap_or(f64::NAN);
        out.push_str(&format!(
            "\ncalibration of {}: ROC AUC over all blocks {auc:.4}, expected calibration error {error:.4}\n\n{}",
            row.name,
            draw(&["score", "blocks", "mean score", "share content"], &rows, 1)
        ));
    }
    out
}

/// The cells of a comparison.
pub(crate) fn comparison_row(c: &Comparison) -> Vec<String> {
    let p = |value: f64| if value < 1e-4 { format!("{value:.1e}") } else { format!("{value:.4}") };
    vec![
        c.row.clone(),
        c.column.to_owned(),
        format!("{:+.4}", c.difference),
        format!("{:+.4} {:+.4}", c.ci_low, c.ci_high),
        p(c.wilcoxon_p),
        p(c.wilcoxon_holm),
        p(c.mann_whitney_p),
        c.conclusion.to_owned(),
    ]
}
