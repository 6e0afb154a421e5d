//! The results of `compare` as plain text, Markdown, JSON and CSV.

use crate::table;
use serde_json::{Value, json};
use threshr_core::Result;
use threshr_evaluate::grid::{Cell, Method, Panel, PanelRow, Results, Role};
use threshr_evaluate::report::{Section, Table, settings};

/// Maximum number of rows of a figure's table in Markdown. The report and the CSV files contain all rows.
const MAX_ROWS: usize = 50;

/// Formats the rows of every set for the terminal.
pub(super) fn plain(results: &Results, sections: &[Section<'_>]) -> String {
    let mut out = String::new();
    out.extend(common(results, "").map(|line| line + "\n\n"));
    for section in sections {
        out.push_str(&format!(
            "{}\n\n{}\n",
            heading(results, section),
            table::plain_of(&section.scores.data)
        ));
        out.extend(section.notes.iter().map(|text| format!("{text}\n\n")));
    }
    out
}

/// Describes the settings that all models have in common. `quote` is put before and after each value.
fn common(results: &Results, quote: &str) -> Option<String> {
    let setting = |(name, value): (&str, String)| format!("{name} {quote}{value}{quote}");
    let all = settings(results).into_iter().map(setting).collect::<Vec<_>>().join(", ");
    (!all.is_empty()).then(|| format!("All models: {all}."))
}

/// Formats all tables as Markdown.
pub(super) fn markdown(results: &Results, sections: &[Section<'_>]) -> String {
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
    for section in sections {
        let scores = markdown_of(&section.scores.data);
        out.push_str(&format!("\n## {}\n\n{scores}", heading(results, section)));
        out.extend(section.notes.iter().map(|text| format!("\n{text}\n")));
        let compared = [(format!("Compared with {}", results.baseline), &section.comparisons)];
        let figures = section.figures.iter().map(|f| (f.title.trim_end_matches('.').to_owned(), &f.data));
        for (title, table) in compared.into_iter().chain(figures).filter(|t| !t.1.rows.is_empty()) {
            out.push_str(&format!("\n### {title}\n\n{}", markdown_of(table)));
        }
    }
    out
}

fn markdown_of(table: &Table) -> String {
    table::markdown(&table.head, &table.rows[..table.rows.len().min(MAX_ROWS)])
}

fn heading(results: &Results, section: &Section<'_>) -> String {
    let Section { panel, heading, .. } = section;
    let sha = &panel.set.sha256[..16.min(panel.set.sha256.len())];
    format!("{heading} ({} pages with gold, sha256 {sha}); seed {}", panel.num_pages, results.seed)
}

/// Returns the fields in each row of CSV and JSON that identify the experiment behind the row.
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
        ("classifier", of(&|r| r.classifier.name.clone())),
        ("params", of(&|r| r.classifier.params.to_string())),
        ("decision", of(&|r| r.decision.rule.clone())),
        ("filter", of(&|r| r.decision.filter.clone())),
        ("training_pages", size),
        ("seed", results.seed.to_string()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

/// Formats the results as CSV, with one line for each row and metric column. Contains the difference to the
/// baseline. A failed cell gives one line with its error.
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

/// Formats all results as JSON.
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
        object.insert("rounds".to_owned(), json!(results.extras_of(row).map(|e| &e.rounds)));
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
