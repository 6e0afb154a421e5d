//! The section of one split and set: scores, comparisons, learning curve, ablation, models.

use crate::Comparison;
use crate::grid::{Panel, PanelRow, Results, Role};
use crate::report::bars::{Bar, bars};
use crate::report::lines::{Frame, MAX_SERIES, Point, Series, lines};
use crate::report::markup::{Figure, Table, number, p_value, signed, with_interval};
use crate::report::scale::Scale;
use crate::report::{SHOWN, heading, models, overlap};
use std::fmt::Write;

/// The section of a panel.
pub(crate) struct Section<'a> {
    pub panel: &'a Panel,
    pub heading: String,
    pub overlap: Option<String>,
    pub comparisons: Table,
    /// The first is that of the scores.
    pub figures: Vec<Figure>,
}

impl<'a> Section<'a> {
    pub(super) fn of(results: &Results, panel: &'a Panel) -> Self {
        let head =
            ["row", "column", "difference", "95 % interval", "Wilcoxon p", "Holm", "Mann-Whitney p", ""];
        let compared = panel.comparisons.iter().map(comparison).collect();
        let mut figures = vec![scores(results, panel)];
        figures.extend(learning(results, panel));
        figures.extend(ablation(results, panel));
        figures.extend(models::figures(results, panel));
        Section {
            panel,
            heading: heading(panel),
            overlap: overlap(results, panel),
            comparisons: Table::new(&head, compared, 2),
            figures,
        }
    }
}

fn unit(results: &Results) -> (&'static str, f64) {
    let columns = results.metrics.iter().flat_map(|m| m.columns);
    let unit = columns.filter(|c| c.name == results.column).map(|c| c.unit).next().unwrap_or("ratio");
    (unit, if unit == "percent" { 100.0 } else { 1.0 })
}

fn axis(results: &Results) -> String {
    format!("mean {} ({})", results.column, unit(results).0)
}

fn scores(results: &Results, panel: &Panel) -> Figure {
    let bar = |row: &PanelRow| {
        let s = row.summary(results.column)?;
        let cell = &results.cells[row.cell];
        let class = match cell.role {
            Role::Bound => "bound",
            _ if cell.row == results.baseline => "base",
            _ => "method",
        };
        let text = with_interval(s.mean, [s.ci_low, s.ci_high]);
        Some(Bar { name: cell.row.clone(), value: s.mean, low: s.ci_low, high: s.ci_high, class, text })
    };
    let all: Vec<Bar> = panel.rows.iter().filter_map(bar).collect();
    let (unit, top) = unit(results);
    let scale = match unit {
        "nats" => Scale::around(all.iter().flat_map(|b| [0.0, b.value, b.high])),
        _ => Scale::linear(0.0, top),
    };
    let svg =
        bars(&all, &axis(results), scale, &format!("{} of every row on {}", results.column, panel.set.name));
    let caption = format!(
        "Mean over {} pages, with 95 % bootstrap interval. Orange: the row that all others are compared with; grey: lower and upper bound.",
        panel.num_pages
    );
    let title = format!("{} on {}.", results.column, panel.set.name);
    Figure { title, caption, svg, data: score_table(results, panel) }
}

fn score_table(results: &Results, panel: &Panel) -> Table {
    let names: Vec<&str> = results.metrics.iter().flat_map(|m| m.columns).map(|c| c.name).collect();
    let shown: Vec<&str> =
        SHOWN.iter().copied().filter(|c| names.contains(c) && *c != results.column).collect();
    let interval = format!("95 % of {}", results.column);
    let mut head = vec!["row", results.column, interval.as_str(), "median", "quartiles", "pooled"];
    head.extend(&shown);
    let row = |row: &PanelRow| {
        let mut cells = vec![results.cells[row.cell].row.clone()];
        match row.summary(results.column) {
            None => cells.push(row.note.as_deref().unwrap_or("does not apply").to_owned()),
            Some(s) => {
                cells.push(number(s.mean));
                cells.push(format!("{}–{}", number(s.ci_low), number(s.ci_high)));
                cells.push(number(s.median));
                cells.push(format!("{}–{}", number(s.q1), number(s.q3)));
                cells.push(match (s.pooled, s.pooled_ci) {
                    (Some(v), Some(interval)) => with_interval(v, interval),
                    (v, _) => number(v.unwrap_or(f64::NAN)),
                });
                cells.extend(shown.iter().map(|c| number(row.summary(c).map_or(f64::NAN, |s| s.mean))));
            }
        }
        cells.resize(head.len(), String::new());
        cells
    };
    Table::new(&head, panel.rows.iter().map(row).collect(), 1)
}

fn comparison(c: &Comparison) -> Vec<String> {
    vec![
        c.row.clone(),
        c.column.to_owned(),
        signed(c.difference),
        format!("{} to {}", signed(c.ci_low), signed(c.ci_high)),
        p_value(c.wilcoxon_p),
        p_value(c.wilcoxon_holm),
        p_value(c.mann_whitney_p),
        c.conclusion.to_owned(),
    ]
}

/// Mean number of training pages of a row's models.
fn num_train(results: &Results, row: &PanelRow) -> f64 {
    let rounds = results.extras_of(row).map_or(&[][..], |e| &e.rounds);
    rounds.iter().map(|r| r.num_train as f64).sum::<f64>() / rounds.len() as f64
}

fn learning(results: &Results, panel: &Panel) -> Option<Figure> {
    if panel.curve.is_empty() {
        return None;
    }
    let mut rows = Vec::new();
    let point = |row: &PanelRow| {
        let s = row.summary(results.column)?;
        Some(Point { x: num_train(results, row), y: s.mean, low: s.ci_low, high: s.ci_high })
    };
    let mut series = Vec::new();
    for full in panel.rows.iter().filter(|r| results.cells[r.cell].role == Role::Grid) {
        let name = &results.cells[full.cell].row;
        let made_from =
            |r: &&PanelRow| matches!(&results.cells[r.cell].role, Role::Curve { of, .. } if of == name);
        let mut points = Vec::new();
        for row in panel.curve.iter().filter(made_from).chain([full]) {
            let Some(p) = point(row) else {
                let (name, note) =
                    (results.cells[row.cell].row.clone(), row.note.clone().unwrap_or_default());
                rows.push(vec![name, note, String::new(), String::new()]);
                continue;
            };
            let interval = format!("{}–{}", number(p.low), number(p.high));
            rows.push(vec![name.clone(), format!("{:.0}", p.x), number(p.y), interval]);
            points.push(p);
        }
        series.push(Series { name: name.clone(), points, marked: true });
    }
    let points = || series.iter().take(MAX_SERIES).flat_map(|s| &s.points);
    let frame = Frame {
        x: Scale::log_around(points().map(|p| p.x)),
        y: Scale::around(points().flat_map(|p| [p.low, p.high])),
        x_label: "training pages (logarithmic)",
        y_label: axis(results),
        diagonal: false,
        mark: None,
    };
    let svg = lines(&series, &frame, &format!("Learning curve on {}", panel.set.name));
    let mut caption = "Training pages are drawn site by site; smaller draws are part of larger ones. The last point has all training pages (mean over folds). Whiskers: 95 % bootstrap intervals over the tested pages. The axis does not start at 0.".to_owned();
    if series.len() > MAX_SERIES {
        let _ = write!(caption, " The first {MAX_SERIES} of {} rows are drawn.", series.len());
    }
    let data = Table::new(&["row", "training pages", results.column, "95 % interval"], rows, 1);
    Some(Figure { title: "Learning curve.".to_owned(), caption, svg, data })
}

fn ablation(results: &Results, panel: &Panel) -> Option<Figure> {
    if panel.ablation.is_empty() {
        return None;
    }
    let bar = |c: &Comparison| Bar {
        name: c.row.clone(),
        value: c.difference,
        low: c.ci_low,
        high: c.ci_high,
        class: "method",
        text: signed(c.difference),
    };
    let all: Vec<Bar> = panel.ablation_comparisons.iter().map(bar).collect();
    let scale = Scale::around(all.iter().flat_map(|b| [0.0, b.value, b.low, b.high]));
    let against = results.ablated_against;
    let axis = format!("difference of mean {} to {against} ({})", results.column, unit(results).0);
    let svg = bars(&all, &axis, scale, &format!("Ablation on {}", panel.set.name));
    let row = |row: &PanelRow| {
        let name = &results.cells[row.cell].row;
        let mut cells = vec![name.clone()];
        match (row.summary(results.column), panel.ablation_comparisons.iter().find(|c| c.row == *name)) {
            (Some(s), Some(c)) => {
                cells.push(number(s.mean));
                cells.extend(comparison(c).into_iter().skip(2));
            }
            (Some(s), None) => cells.push(number(s.mean)),
            _ => cells.push(row.note.as_deref().unwrap_or("–").to_owned()),
        }
        cells.resize(8, String::new());
        cells
    };
    // the full set has a row if it is compared with the last step
    let is_full =
        |r: &&PanelRow| panel.ablation_comparisons.iter().any(|c| c.row == results.cells[r.cell].row);
    let rows = panel.ablation.iter().chain(panel.rows.iter().filter(is_full)).map(row).collect();
    let head =
        ["row", results.column, "difference", "95 % interval", "Wilcoxon p", "Holm", "Mann-Whitney p", ""];
    let caption = format!(
        "Mean difference to {against} over pages, with 95 % bootstrap interval. Left of 0, {against} is better."
    );
    Some(Figure { title: "Ablation.".to_owned(), caption, svg, data: Table::new(&head, rows, 1) })
}
