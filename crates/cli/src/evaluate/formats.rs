//! The output formats of `evaluate`: table, Markdown, JSON, CSV, and the scores of every page.

use crate::evaluate::report::Report;
use crate::evaluate::speed::Speed;
use crate::evaluate::tables::{summary, tables};
use crate::table;
use serde_json::{Value, json};
use threshr_core::Result;
use threshr_evaluate::{Kind, Row};

/// Function that formats reports as text.
pub(super) type Writer = fn(&[Report]) -> Result<String>;

/// Returns the writer of the format `name`. `is_short` selects a summary instead of all tables.
pub(super) fn writer(name: &str, is_short: bool) -> Writer {
    match name {
        "table" if is_short => |reports| Ok(summary(reports, table::plain)),
        "table" => |reports| Ok(tables(reports, table::plain, false)),
        "markdown" => |reports| Ok(tables(reports, |head, rows, _| table::markdown(head, rows), true)),
        "json" => |reports| {
            let list: Vec<Value> = reports.iter().map(to_json).collect();
            Ok(serde_json::to_string_pretty(&list).unwrap_or_default() + "\n")
        },
        _ => csv,
    }
}

/// Returns the fields in each row of CSV and JSON that identify the experiment behind the row.
fn origin(report: &Report, row: &Row) -> [(&'static str, String); 9] {
    // The recipe applies to models only.
    let of_model = |text: &str| if row.kind == Kind::Model { text.to_owned() } else { String::new() };
    [
        ("set", report.set.name.clone()),
        ("sha256", report.set.sha256.clone()),
        ("split", report.split.clone()),
        ("row", row.name.clone()),
        ("features", of_model(&report.recipe.features.set)),
        ("classifier", of_model(&report.recipe.classifier.name)),
        ("filter", row.filter.clone()),
        ("seed", report.recipe.seed.to_string()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

fn to_json(report: &Report) -> Value {
    let row = |row: &Row| {
        let mut object: serde_json::Map<String, Value> =
            origin(report, row).into_iter().map(|(k, v)| (k.to_owned(), v.into())).collect();
        let scores =
            row.summaries.iter().filter(|s| s.num_pages > 0).map(|s| (s.column.to_owned(), json!(s)));
        object.insert("scores".to_owned(), Value::Object(scores.collect()));
        object.insert(
            "num_failed".to_owned(),
            json!(report.failed.get(&row.name).copied().unwrap_or_default()),
        );
        object.insert("pooled_auc".to_owned(), json!(row.pooled_auc));
        object.insert("calibration".to_owned(), json!(row.calibration));
        Value::Object(object)
    };
    let rows: Vec<Value> = report.rows.iter().map(row).collect();
    let groups = report.groups.as_ref().map(|g| {
        let value = |(value, n, means): &(String, usize, Vec<f64>)| json!({"value": value, "pages": n, "token_f1": means});
        json!({"field": g.field, "values": g.values.iter().map(value).collect::<Vec<_>>()})
    });
    json!({
        "set": report.set, "split": report.split, "recipe": report.recipe, "rows": rows,
        "comparisons": report.comparisons, "groups": groups,
        "speeds": report.speeds.iter().map(Speed::json).collect::<Vec<_>>(),
    })
}

fn csv(reports: &[Report]) -> Result<String> {
    let mut rows = Vec::new();
    let mut head: Vec<&str> = Vec::new();
    for report in reports {
        for row in &report.rows {
            let origin = origin(report, row);
            head = origin.iter().map(|o| o.0).collect();
            for s in row.summaries.iter().filter(|s| s.num_pages > 0) {
                let mut cells: Vec<String> = origin.iter().map(|o| o.1.clone()).collect();
                cells.extend(table::summary_cells(s));
                rows.push(cells);
            }
        }
        rows.extend(report.speeds.iter().flat_map(|speed| speed_rows(report, speed)));
    }
    head.extend(table::SUMMARY_HEAD);
    table::csv(&head, &rows)
}

/// Formats the speed as CSV rows. The field `filter` is empty, because filters of `--filter` are not
/// measured.
fn speed_rows(report: &Report, speed: &Speed) -> Vec<Vec<String>> {
    let is_of =
        |row: &&Row| row.name.strip_prefix(&speed.name).is_some_and(|r| r.is_empty() || r.starts_with('+'));
    let Some(row) = report.rows.iter().find(is_of) else { return Vec::new() };
    let row = Row { name: speed.name.clone(), filter: String::new(), ..row.clone() };
    let origin = origin(report, &row).map(|o| o.1);
    let cells = |(column, value): (&str, f64)| {
        let mut cells = origin.to_vec();
        cells.extend([column.to_owned(), speed.num_pages.to_string(), value.to_string()]);
        cells.resize(origin.len() + table::SUMMARY_HEAD.len(), String::new());
        cells
    };
    speed.values().map(cells).collect()
}

/// Formats the scores of every page as CSV. The columns are set, row, page, fold, and one for each score.
pub(super) fn per_page(reports: &[Report]) -> Result<String> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut head = vec!["set", "row", "page", "fold"];
    if let Some(report) = reports.first() {
        head.extend(report.metrics.iter().flat_map(|m| m.columns.iter().map(|c| c.name)));
    }
    for report in reports {
        for row in &report.rows {
            for (i, (id, scores)) in report.page_ids.iter().zip(&row.pages).enumerate() {
                let fold = report.folds.as_ref().map_or_else(String::new, |f| f[i].to_string());
                let value = |v: &f64| if v.is_nan() { String::new() } else { v.to_string() };
                let cells = [report.set.name.clone(), row.name.clone(), id.clone(), fold];
                rows.push(cells.into_iter().chain(scores.values.iter().map(value)).collect());
            }
        }
    }
    table::csv(&head, &rows)
}
