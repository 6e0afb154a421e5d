//! Reports as one HTML page with SVG figures, without external resources: of an experiment ([`html`], without scripts), and
//! of what two sides keep otherwise ([`difference()`]).

mod bars;
mod difference;
mod filters;
mod lines;
mod markup;
mod models;
mod panel;
mod scale;

pub use difference::html as difference;
pub use models::{calibrated, with_thresholds};

use crate::grid::{Method, Panel, PanelRow, Results, Role};
use askama::Template;
use markup::Table;
use panel::Section;
use threshr_extract::recipe::Recipe;

const STYLE: &str = include_str!("style.css");

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    results: &'a Results,
    settings: Vec<(&'static str, String)>,
    /// The row of each, if it is of one, and the text.
    errors: Vec<(Option<&'a str>, String)>,
    sections: Vec<Section<'a>>,
    definitions: Table,
}

/// The HTML page of a report. The same results give the same bytes.
pub fn html(results: &Results) -> String {
    let columns = results.metrics.iter().flat_map(|m| m.columns);
    let definitions = columns.map(|c| [c.name, c.unit, c.definition].map(str::to_owned).into()).collect();
    let page = Page {
        results,
        settings: settings(results),
        errors: errors(results),
        sections: results.panels.iter().map(|panel| Section::of(results, panel)).collect(),
        definitions: Table::new(&["column", "unit", "definition"], definitions, 3),
    };
    page.to_string()
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

fn errors(results: &Results) -> Vec<(Option<&str>, String)> {
    let of_cells =
        results.errors().map(|(cell, error)| (Some(cell.row.as_str()), format!("{}: {error}", cell.design)));
    let of_sets = results.unmeasured.iter().map(|error| (None, error.to_string()));
    let num_failed = results.num_failed_pages;
    let of_pages = (num_failed > 0).then(|| (None, format!("{num_failed} pages could not be read")));
    of_cells.chain(of_sets).chain(of_pages).collect()
}
