//! Figures of the models of a panel: calibration, scores over thresholds, importance of columns.

use crate::grid::{Importance, Method, Panel, PanelRow, Results, Role, ThresholdPoint};
use crate::metrics::{CalibrationBin, expected_calibration_error};
use crate::report::bars::{Bar, bars};
use crate::report::lines::{Frame, MAX_SERIES, Point, Series, lines};
use crate::report::markup::{Figure, Table, number, signed};
use crate::report::scale::Scale;
use threshr_extract::decision;

/// Maximum number of columns in the figure of importance. The table has all columns.
const MAX_COLUMNS: usize = 20;

pub(crate) fn figures(results: &Results, panel: &Panel) -> Vec<Figure> {
    let important = |row: &PanelRow| {
        let extras = results.extras_of(row).filter(|extras| !extras.importance.is_empty())?;
        Some(importance(&results.cells[row.cell].row, &extras.importance))
    };
    let mut figures = Vec::from_iter(calibration(results, panel));
    figures.extend(with_thresholds(results, panel).into_iter().map(|row| thresholds(results, row)));
    figures.extend(panel.rows.iter().filter_map(important));
    figures
}

/// Calibration of the rows of a panel: name, bins, expected calibration error. Rows that differ only in their
/// filter have the same scores and are listed once.
pub fn calibrated<'a>(results: &'a Results, panel: &'a Panel) -> Vec<(&'a str, &'a [CalibrationBin], f64)> {
    let mut found: Vec<(&str, &[CalibrationBin], f64)> = Vec::new();
    for row in &panel.rows {
        let bins = row.row.as_ref().map_or(&[][..], |r| &r.calibration);
        if !bins.is_empty() && found.iter().all(|f| f.1 != bins) {
            found.push((&results.cells[row.cell].row, bins, expected_calibration_error(bins)));
        }
    }
    found
}

fn calibration(results: &Results, panel: &Panel) -> Option<Figure> {
    let (mut series, mut rows) = (Vec::new(), Vec::new());
    for (name, bins, error) in calibrated(results, panel) {
        let points = bins.iter().map(|b| Point::without_interval(b.mean_score, b.share_content)).collect();
        series.push(Series { name: format!("ECE {error:.3}: {name}"), points, marked: true });
        rows.extend(bins.iter().map(|b| {
            let range = format!("{:.1}–{:.1}", b.low, b.high);
            vec![name.to_owned(), range, b.n.to_string(), number(b.mean_score), number(b.share_content)]
        }));
    }
    if series.is_empty() {
        return None;
    }
    let unit = || Scale::linear(0.0, 1.0);
    let frame = Frame {
        x: unit(),
        y: unit(),
        x_label: "mean score of the blocks (ratio)",
        y_label: "share that is content (ratio)".to_owned(),
        diagonal: true,
        mark: None,
    };
    let svg = lines(&series, &frame, &format!("Calibration on {}", panel.set.name));
    let mut caption = "Blocks of all pages in ten bins by score. On the dotted line, the score equals the share of content blocks. ECE: expected calibration error, the mean distance from that line, weighted by blocks. Calibration gives every page the same weight; this figure gives every block the same weight.".to_owned();
    if series.len() > MAX_SERIES {
        caption.push_str(&format!(" The first {MAX_SERIES} of {} rows are drawn.", series.len()));
    }
    let data = Table::new(&["row", "score", "blocks", "mean score", "share content"], rows, 2);
    Some(Figure { title: "Calibration.".to_owned(), caption, svg, data })
}

/// The baseline and the best row of the grid, among the rows that are measured at all thresholds.
pub fn with_thresholds<'a>(results: &Results, panel: &'a Panel) -> Vec<&'a PanelRow> {
    let all = || {
        let drawn = |r: &&PanelRow| {
            results.cells[r.cell].role == Role::Grid
                && r.tested.as_ref().is_some_and(|t| !t.thresholds.is_empty())
        };
        panel.rows.iter().filter(drawn)
    };
    let mut found: Vec<&PanelRow> = all().filter(|r| results.cells[r.cell].row == results.baseline).collect();
    let mean = |r: &PanelRow| {
        r.summary("token_f1").or_else(|| r.summary(results.column)).map_or(f64::NEG_INFINITY, |s| s.mean)
    };
    // the first of equal rows
    let best = all().rev().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    found.extend(best.filter(|b| !found.iter().any(|f| f.cell == b.cell)));
    found
}

fn thresholds(results: &Results, row: &PanelRow) -> Figure {
    let points = row.tested.as_ref().map_or(&[][..], |t| &t.thresholds);
    let series = |name: &str, value: fn(&ThresholdPoint) -> f64| Series {
        name: name.to_owned(),
        points: points.iter().map(|p| Point::without_interval(f64::from(p.threshold), value(p))).collect(),
        marked: false,
    };
    let all =
        [series("F1", |p| p.token_f1), series("precision", |p| p.token_p), series("recall", |p| p.token_r)];
    let chosen = chosen_threshold(results, row);
    let frame = Frame {
        x: Scale::linear(0.0, 1.0),
        y: Scale::linear(0.0, 1.0),
        x_label: "minimum score of a kept block",
        y_label: "mean over pages (ratio)".to_owned(),
        diagonal: false,
        mark: chosen.map(|mean| (mean, format!("{mean:.2}"))),
    };
    let name = &results.cells[row.cell].row;
    let svg = lines(&all, &frame, &format!("Token scores of {name} over thresholds"));
    let cells = |p: &ThresholdPoint| {
        vec![format!("{:.2}", p.threshold), number(p.token_p), number(p.token_r), number(p.token_f1)]
    };
    let rows = points.iter().map(cells).collect();
    let data = Table::new(&["threshold", "precision", "recall", "F1"], rows, 0);
    let mut caption =
        "Token precision, recall and F1 on held-out pages over thresholds, counted from aligned tokens."
            .to_owned();
    if chosen.is_some() {
        caption.push_str(" Dotted line: the threshold tuned on training pages (mean over models).");
    }
    Figure { title: format!("Thresholds of {name}."), caption, svg, data }
}

/// The threshold tuned on training pages, mean over models. Rules other than `threshold` have a threshold for
/// each page.
fn chosen_threshold(results: &Results, row: &PanelRow) -> Option<f64> {
    let Method::Model(recipe) = &results.cells[row.cell].method else { return None };
    decision::by_name(&recipe.decision.rule).ok().filter(|rule| rule.page_threshold.is_none())?;
    let rounds = &results.extras_of(row)?.rounds;
    let chosen: Vec<f64> = rounds.iter().filter_map(|r| r.parameter).map(f64::from).collect();
    (!chosen.is_empty()).then(|| chosen.iter().sum::<f64>() / chosen.len() as f64)
}

fn importance(name: &str, importance: &[Importance]) -> Figure {
    let mut sorted: Vec<&Importance> = importance.iter().collect();
    // the sort is stable: equal columns keep their order
    sorted.sort_by(|a, b| b.log_loss.total_cmp(&a.log_loss));
    let bar = |i: &&Importance| Bar {
        name: i.column.clone(),
        value: i.log_loss,
        low: i.log_loss - i.log_loss_sd,
        high: i.log_loss + i.log_loss_sd,
        class: "method",
        text: signed(i.log_loss),
    };
    let all: Vec<Bar> = sorted.iter().take(MAX_COLUMNS).map(bar).collect();
    let scale = Scale::around(all.iter().flat_map(|b| [0.0, b.low, b.high]));
    let svg = bars(
        &all,
        "increase of log loss (nats a block)",
        scale,
        &format!("Permutation importance of {name}"),
    );
    let row = |i: &&Importance| {
        vec![
            i.column.clone(),
            signed(i.log_loss),
            number(i.log_loss_sd),
            signed(i.auc.unwrap_or(f64::NAN)),
            signed(i.token_f1),
            number(i.token_f1_sd),
        ]
    };
    let head = ["column", "log loss, increase", "sd", "AUC, decrease", "token F1, decrease", "sd"];
    let data = Table::new(&head, sorted.iter().map(row).collect(), 1);
    let caption = format!(
        "Change of the scores on held-out pages if one column is permuted among their blocks. Whiskers: standard deviation over models and repeats. Columns that share information, such as a column and its neighbours, can replace each other. The {} most important columns are shown.",
        all.len()
    );
    Figure { title: format!("Permutation importance of {name}."), caption, svg, data }
}
