//! Reports. Each report is one HTML page with SVG figures and without external resources.
//!
//! [`html`] writes the report of an experiment, without scripts. [`difference()`] writes the report of `threshr diff`:
//! the text that only one of two methods keeps. A method is a model, a system or the predictions of another tool.

mod bars;
mod difference;
mod filters;
mod markup;
mod panel;
mod scale;

pub use difference::html as difference;
pub use markup::{Figure, Table, number, with_interval};
pub use panel::{Section, comparisons};

use crate::grid::{Method, Panel, PanelRow, Results, Role};
use askama::Template;
use threshr_extract::recipe::Recipe;

const STYLE: &str = include_str!("style.css");

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    results: &'a Results,
    settings: Vec<(&'static str, String)>,
    /// The row that an error belongs to, if any, and the message.
    errors: Vec<(Option<&'a str>, String)>,
    sections: &'a [Section<'a>],
    definitions: Table,
}

/// Returns the sections of a report: one for each split and tested set.
pub fn sections(results: &Results) -> Vec<Section<'_>> {
    results.panels.iter().map(|panel| Section::new(results, panel)).collect()
}

/// Renders the HTML page of a report with these sections. Equal results give equal bytes.
pub fn html(results: &Results, sections: &[Section<'_>]) -> String {
    let columns = results.metrics.iter().flat_map(|m| m.columns);
    let definitions = columns.map(|c| [c.name, c.unit, c.definition].map(str::to_owned).into()).collect();
    let page = Page {
        results,
        settings: settings(results),
        errors: errors(results),
        sections,
        definitions: Table::new(&["column", "unit", "definition"], definitions, 3),
    };
    page.to_string()
}

/// The columns that summary tables show if they are measured.
const SHOWN: &[&str] = &[
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

/// Returns the sentences about the pages of a panel.
fn notes(results: &Results, panel: &Panel) -> Vec<String> {
    let of_model = panel.set.labels_of_models.as_ref().map(|sentence| format!("{sentence}."));
    overlap(results, panel).into_iter().chain(of_model).collect()
}

/// Returns a sentence about pages excluded from training because they overlap the test pages; `None` if there are
/// none.
fn overlap(results: &Results, panel: &Panel) -> Option<String> {
    let of = |row: &PanelRow| results.extras_of(row)?.rounds.iter().map(|r| r.num_overlapping).max();
    let most = panel.rows.iter().filter_map(of).max().filter(|&n| n > 0)?;
    Some(format!(
        "At most {most} training pages are left out, because the pages, their copies or other pages of their sites are tested."
    ))
}

/// Returns the settings (name, value) that all trained rows of the grid have in common.
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

/// Returns the heading of a panel, such as `SET: SPLIT (training sets)`.
fn heading(panel: &Panel) -> String {
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
