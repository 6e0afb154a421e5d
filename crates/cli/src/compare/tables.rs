//! The results of `compare` as table, Markdown, JSON and CSV.

use crate::compare::models;
use crate::table;
use crate::table::{Draw, number, with_interval};
use serde_json::{Value, json};
use threshr_core::Result;
use threshr_evaluate::Comparison;
use threshr_evaluate::grid::{Cell, Method, Panel, PanelRow, Results, Role};
use threshr_evaluate::report::{SHOWN, heading, overlap, settings, with_thresholds};

/// The rows of every set, for the terminal.
pub(super) fn plain(results: &Results) -> String {
    let mut out = String::new();
    out.extend(common(results, "").map(|line| line + "\n\n"));
    for panel in &results.panels {
        out.push_str(&panel_head(results, panel));
        out.push_str(&format!("\n\n{}\n", main_table(results, panel, table::plain)));
        out.extend(overlap(results, panel).map(|text| text + "\n\n"));
    }
    out
}

/// The settings that all models have in common; `quote` encloses values.
fn common(results: &Results, quote: &str) -> Option<String> {
    let setting = |(name, value): (&str, String)| format!("{name} {quote}{value}{quote}");
    let all = settings(results).into_iter().map(setting).collect::<Vec<_>>().join(", ");
    (!all.is_empty()).then(|| format!("All models: {all}."))
}

/// All tables, as Markdown.
pub(super) fn markdown(results: &Results) -> String {
    let draw: Draw = |head, rows, _| table::markdown(head, rows);
    let title = results.title.replace(['\n', '\r'], " ");
    let mut out = format!(
        "# {title}\n\nMeans over pages with 95 % bootstrap intervals; compared with `{}`; seed {}; threshr {}.\n",
        results.baseline,
        results.seed,
        env!("CARGO_PKG_VERSION")
    );
    out.extend(common(results, "`").map(|line| format!("\n{line}\n")));
    for (cell, error) in results.errors() {
        out.push_str(&format!("\nFailed: {}, {}: {error}\n", cell.row, cell.design));
    }
    for panel in &results.panels {
        out.push_str(&format!("\n## {}\n\n{}", panel_head(results, panel), main_table(results, panel, draw)));
        out.extend(overlap(results, panel).map(|text| format!("\n{text}\n")));
        let mut section = |name: String, found: Option<String>| {
            if let Some(table) = found {
                out.push_str(&format!("\n### {name}\n\n{table}"));
            }
        };
        section(format!("Compared with {}", results.baseline), comparisons(&panel.comparisons, draw));
        section("Learning curve".to_owned(), curve(results, panel, draw));
        section(
            format!("Ablation: difference to {}", results.ablated_against),
            comparisons(&panel.ablation_comparisons, draw),
        );
        section("Calibration".to_owned(), models::calibration(results, panel, draw));
        for row in with_thresholds(results, panel) {
            let name = &results.cells[row.cell].row;
            section(format!("Thresholds of {name}"), models::thresholds(row, draw));
        }
        for row in &panel.rows {
            let name = &results.cells[row.cell].row;
            section(format!("Permutation importance of {name}"), models::importance(results, row, draw));
        }
    }
    out
}

fn panel_head(results: &Results, panel: &Panel) -> String {
    let sha = &panel.set.sha256[..16.min(panel.set.sha256.len())];
    format!("{} ({} pages with gold, sha256 {sha}); seed {}", heading(panel), panel.num_pages, results.seed)
}

fn main_table(results: &Results, panel: &Panel, draw: Draw) -> String {
    let measured: Vec<&str> = results.metrics.iter().flat_map(|m| m.columns).map(|c| c.name).collect();
    let shown: Vec<&str> =
        SHOWN.iter().copied().filter(|c| measured.contains(c) && *c != results.column).collect();
    let interval = format!("95 % of {}", results.column);
    let mut head = vec!["row", results.column, &interval, "median", "quartiles", "pooled"];
    head.extend(&shown);
    let row = |row: &PanelRow| {
        let mut cells = vec![results.cells[row.cell].row.clone()];
        match (&row.note, row.summary(results.column)) {
            (_, Some(s)) => cells.extend([
                number(s.mean),
                format!("{}–{}", number(s.ci_low), number(s.ci_high)),
                number(s.median),
                format!("{}–{}", number(s.q1), number(s.q3)),
                s.pooled.map_or_else(String::new, |v| with_interval(v, s.pooled_ci)),
            ]),
            (Some(_), None) => cells.push("failed".to_owned()),
            (None, None) => cells.resize(6, String::new()),
        }
        if row.row.is_some() {
            cells.extend(shown.iter().map(|c| row.summary(c).map_or_else(String::new, |s| number(s.mean))));
        }
        cells.resize(head.len(), String::new());
        cells
    };
    draw(&head, &panel.rows.iter().map(row).collect::<Vec<_>>(), 1)
}

fn comparisons(comparisons: &[Comparison], draw: Draw) -> Option<String> {
    let head = ["row", "column", "difference", "95 % interval", "Wilcoxon p", "Holm", "Mann-Whitney p", ""];
    let rows: Vec<_> = comparisons.iter().map(crate::evaluate::comparison_row).collect();
    (!rows.is_empty()).then(|| draw(&head, &rows, 2))
}

fn curve(results: &Results, panel: &Panel, draw: Draw) -> Option<String> {
    let head = ["row", results.column, "95 % interval"];
    let row = |row: &PanelRow| {
        let name = results.cells[row.cell].row.clone();
        match row.summary(results.column) {
            Some(s) => vec![name, number(s.mean), format!("{}–{}", number(s.ci_low), number(s.ci_high))],
            None => vec![name, row.note.clone().unwrap_or_default(), String::new()],
        }
    };
    let rows: Vec<_> = panel.curve.iter().map(row).collect();
    (!rows.is_empty()).then(|| draw(&head, &rows, 1))
}

/// The fields of every row in CSV and JSON that say what it was computed from.
fn origin(results: &Results, panel: &Panel, cell: &Cell) -> [(&'static str, String); 15] {
    let recipe = match &cell.method {
        Method::Model(recipe) => Some(recipe),
        _ => None,
    };
    let of = |value: &dyn Fn(&threshr_extract::recipe::Recipe) -> String| {
        recipe.map_or_else(String::new, |r| value(r))
    };
    let (role, size) = match &cell.role {
        Role::Bound => ("bound", String::new()),
        Role::Beside => ("beside", String::new()),
        Role::Grid => ("grid", String::new()),
        Role::Curve { num_pages, .. } => ("curve", num_pages.to_string()),
        Role::Ablation { .. } => ("ablation", String::new()),
    };
    let distances = |r: &threshr_extract::recipe::Recipe| {
        r.features.neighbours.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
    };
    [
        ("set", panel.set.name.clone()),
        ("sha256", panel.set.sha256.clone()),
        ("split", panel.design.clone()),
        ("trained_on", panel.detail.clone()),
        ("row", cell.row.clone()),
        ("role", role.to_owned()),
        ("features", of(&|r| r.features.set.clone())),
        ("neighbours", of(&distances)),
        ("classifier", of(&|r| r.classifier_name())),
        ("params", of(&|r| r.classifier.params.to_string())),
        ("decision", of(&|r| r.decision.rule.clone())),
        ("filter", of(&|r| r.decision.filter.clone())),
        ("training_pages", size),
        ("seed", results.seed.to_string()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

/// A line for every row and column, with its difference to the baseline. A failed cell has a line with its
/// error.
pub(super) fn csv(results: &Results) -> Result<String> {
    let mut rows = Vec::new();
    let mut head: Vec<&str> = Vec::new();
    for panel in &results.panels {
        for row in panel.all_rows() {
            let origin = origin(results, panel, &results.cells[row.cell]);
            head = origin.iter().map(|o| o.0).collect();
            let start = || -> Vec<String> { origin.iter().map(|o| o.1.clone()).collect() };
            let Some(found) = &row.row else {
                let mut cells = start();
                cells.resize(cells.len() + table::SUMMARY_HEAD.len() + 7, String::new());
                cells.push(row.note.clone().unwrap_or_default());
                rows.push(cells);
                continue;
            };
            for s in found.summaries.iter().filter(|s| s.num_pages > 0) {
                let mut cells = start();
                cells.extend(table::summary_cells(s));
                let mut of = panel.comparisons.iter().chain(&panel.ablation_comparisons);
                match of.find(|c| c.row == found.name && c.column == s.column) {
                    None => cells.resize(cells.len() + 7, String::new()),
                    Some(c) => {
                        cells.push(c.versus.clone());
                        cells.extend([c.difference, c.ci_low, c.ci_high].map(|v| v.to_string()));
                        cells
                            .extend([c.wilcoxon_p, c.wilcoxon_holm, c.mann_whitney_p].map(|v| v.to_string()));
                    }
                }
                cells.push(String::new());
                rows.push(cells);
            }
        }
    }
    head.extend(table::SUMMARY_HEAD);
    head.extend(["versus", "difference", "difference_ci_low", "difference_ci_high"]);
    head.extend(["wilcoxon_p", "wilcoxon_holm", "mann_whitney_p", "note"]);
    table::csv(&head, &rows)
}

/// All results, as JSON.
pub(super) fn json(results: &Results) -> String {
    let row = |panel: &Panel, row: &PanelRow| {
        let cell = &results.cells[row.cell];
        let mut object: serde_json::Map<String, Value> =
            origin(results, panel, cell).into_iter().map(|(k, v)| (k.to_owned(), v.into())).collect();
        if let Method::Model(recipe) = &cell.method {
            object.insert("recipe".to_owned(), json!(recipe));
        }
        let summaries = row.row.as_ref().map_or(&[][..], |r| &r.summaries);
        let scores = summaries.iter().filter(|s| s.num_pages > 0).map(|s| (s.column.to_owned(), json!(s)));
        object.insert("note".to_owned(), json!(row.note));
        object.insert("scores".to_owned(), Value::Object(scores.collect()));
        object.insert("blocks".to_owned(), json!(row.tested));
        let extras = results.extras_of(row);
        object.insert("rounds".to_owned(), json!(extras.map(|e| &e.rounds)));
        object.insert("importance".to_owned(), json!(extras.map(|e| &e.importance)));
        object.insert("pages_csv".to_owned(), json!(format!("pages/{}.csv", cell.file)));
        Value::Object(object)
    };
    let panel = |panel: &Panel| {
        json!({
            "set": panel.set, "split": panel.design, "trained_on": panel.detail, "num_pages": panel.num_pages,
            "rows": panel.all_rows().map(|r| row(panel, r)).collect::<Vec<_>>(),
            "comparisons": panel.comparisons, "ablation_comparisons": panel.ablation_comparisons,
        })
    };
    let all = json!({
        "title": results.title, "version": env!("CARGO_PKG_VERSION"), "seed": results.seed, "column": results.column,
        "baseline": results.baseline, "num_failed_pages": results.num_failed_pages,
        "panels": results.panels.iter().map(panel).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}
