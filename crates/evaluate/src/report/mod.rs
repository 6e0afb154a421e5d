//! Reports as one HTML page with SVG figures, without external resources: of an experiment ([`html`], without scripts), and
//! of what two sides keep otherwise ([`difference()`]).

mod bars;
mod difference;
mod lines;
mod markup;
mod models;
mod panel;
mod scale;

pub use difference::html as difference;
pub use models::{calibrated, with_thresholds};

use crate::grid::{Method, Panel, PanelRow, Results, Role};
use markup::{escape, table};
use threshr_extract::recipe::Recipe;

const STYLE: &str = include_str!("style.css");

/// The HTML page of a report. The same results give the same bytes.
pub fn html(results: &Results) -> String {
    let title = escape(&results.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    );
    out.push_str(&head(results));
    if results.panels.len() > 1 {
        let item =
            |(i, p): (usize, &Panel)| format!("<li><a href=\"#p{i}\">{}</a></li>", escape(&heading(p)));
        let items: String = results.panels.iter().enumerate().map(item).collect();
        out.push_str(&format!("<nav aria-label=\"Sections\"><ul>{items}</ul></nav>\n"));
    }
    out.push_str(&errors(results));
    for (i, one) in results.panels.iter().enumerate() {
        out.push_str(&format!("<section id=\"p{i}\">\n{}</section>\n", panel::section(results, one)));
    }
    out.push_str(&definitions(results));
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// The columns of summary tables, if they are measured.
pub const SHOWN: &[&str] = &[
    "token_p",
    "token_r",
    "token_f1",
    "char_f1",
    "rouge_f1",
    "sh_f1",
    "sn_f1",
    "cleaneval_text",
    "block_f1",
    "auc",
    "log_loss",
];

/// A sentence about pages left out of training because of overlap; `None` if there are none.
pub fn overlap(results: &Results, panel: &Panel) -> Option<String> {
    let of = |row: &PanelRow| results.extras_of(row)?.rounds.iter().map(|r| r.num_overlapping).max();
    let most = panel.rows.iter().filter_map(of).max().filter(|&n| n > 0)?;
    Some(format!(
        "Training pages left out because they, copies of them or pages of their sites are tested: {most} at most."
    ))
}

/// Settings that all trained rows have in common: (name, value).
pub fn settings(results: &Results) -> Vec<(&'static str, String)> {
    let recipes: Vec<&Recipe> = results
        .cells
        .iter()
        .filter_map(|cell| match &cell.method {
            Method::Model(recipe) if cell.role == Role::Grid => Some(&**recipe),
            _ => None,
        })
        .collect();
    let of = |name, value: &dyn Fn(&Recipe) -> String| {
        let first = value(recipes.first()?);
        (!first.is_empty() && recipes.iter().all(|r| value(r) == first)).then_some((name, first))
    };
    let neighbours =
        |r: &Recipe| r.features.neighbours.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let all: [Option<_>; 6] = [
        of("features", &|r| r.features.set.clone()),
        of("neighbours", &neighbours),
        of("classifier", &|r| r.classifier.name.clone()),
        of("decision", &|r| r.decision.rule.clone()),
        of("filter", &|r| r.decision.filter.clone()),
        of("segmentation", &|r| r.block.segmentation.clone()),
    ];
    all.into_iter().flatten().collect()
}

/// The heading of a panel: set and split.
pub fn heading(panel: &Panel) -> String {
    let detail = if panel.detail.is_empty() { String::new() } else { format!(" ({})", panel.detail) };
    format!("{}: {}{detail}", panel.set.name, panel.design)
}

fn head(results: &Results) -> String {
    let grid = results.cells.len();
    let setting = |(name, value): (&str, String)| format!("{name} <code>{}</code>", escape(&value));
    let common = settings(results).into_iter().map(setting).collect::<Vec<_>>().join(", ");
    format!(
        "<p>Means over pages with 95 % bootstrap intervals, over the tested pages. Lower bound (`keep-everything`): all blocks are kept. Upper bound (`oracle`): gold labels of the blocks.</p>\n\
         <p class=\"soft\">{grid} cells; compared with <b>{}</b>; seed {}; threshr {}. The same data, settings, seed and program give the same report.</p>\n{}",
        escape(&results.baseline),
        results.seed,
        env!("CARGO_PKG_VERSION"),
        match common.is_empty() {
            true => String::new(),
            false => format!("<p class=\"soft\">All models: {common}.</p>\n"),
        }
    )
}

fn errors(results: &Results) -> String {
    let row = |(cell, error): (&crate::grid::Cell, &str)| {
        format!("<li><b>{}</b> {}: {}</li>", escape(&cell.row), escape(&cell.design), escape(error))
    };
    let mut items: String = results.errors().map(row).collect();
    results.unmeasured.iter().for_each(|e| items.push_str(&format!("<li>{}</li>", escape(&e.to_string()))));
    if results.num_failed_pages > 0 {
        items.push_str(&format!("<li>{} pages could not be read</li>", results.num_failed_pages));
    }
    if items.is_empty() { items } else { format!("<div class=\"error\">Failures:<ul>{items}</ul></div>\n") }
}

fn definitions(results: &Results) -> String {
    let columns = results.metrics.iter().flat_map(|m| m.columns);
    let row = |c: &crate::metrics::Column| vec![escape(c.name), escape(c.unit), escape(c.definition)];
    let rows: Vec<_> = columns.map(row).collect();
    format!(
        "<section>\n<h2>Columns</h2>\n<details><summary>Definitions</summary>\n{}</details>\n</section>\n",
        table(&["column", "unit", "definition"], &rows, 3)
    )
}
