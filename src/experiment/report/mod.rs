//! Results as one HTML page: drawings in SVG, nothing from elsewhere, no script.

mod bars;
mod lines;
mod markup;
mod models;
mod panel;
mod scale;

use super::grid::{Panel, Results};
use markup::{escape, table};

const STYLE: &str = include_str!("style.css");

/// The whole page. The same results give the same bytes.
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

/// A panel's heading: its set and split.
pub fn heading(panel: &Panel) -> String {
    let detail = if panel.detail.is_empty() { String::new() } else { format!(" ({})", panel.detail) };
    format!("{}: {}{detail}", panel.set.name, panel.design)
}

fn head(results: &Results) -> String {
    let grid = results.cells.len();
    format!(
        "<p>Means over pages with 95 % bootstrap intervals, as counted on the pages tested. Floor: every block is kept. Ceiling: the gold labels of our blocks.</p>\n\
         <p class=\"soft\">{grid} cells; compared with <b>{}</b>; seed {}; threshr {}. The same data, settings, seed and version give the same bytes.</p>\n",
        escape(&results.baseline),
        results.seed,
        env!("CARGO_PKG_VERSION")
    )
}

fn errors(results: &Results) -> String {
    let row = |(cell, error): (&super::grid::Cell, &str)| {
        format!("<li><b>{}</b> {}: {}</li>", escape(&cell.row), escape(&cell.design), escape(error))
    };
    let mut items: String = results.errors().map(row).collect();
    if results.num_failed_pages > 0 {
        items.push_str(&format!("<li>{} pages could not be read</li>", results.num_failed_pages));
    }
    if items.is_empty() {
        items
    } else {
        format!("<div class=\"error\">What failed:<ul>{items}</ul></div>\n")
    }
}

fn definitions(results: &Results) -> String {
    let columns = results.metrics.iter().flat_map(|m| m.columns);
    let row = |c: &crate::metrics::Column| vec![escape(c.name), escape(c.unit), escape(c.definition)];
    let rows: Vec<_> = columns.map(row).collect();
    format!(
        "<section>\n<h2>What the columns mean</h2>\n<details><summary>Definitions</summary>\n{}</details>\n</section>\n",
        table(&["column", "unit", "definition"], &rows, 3)
    )
}
