//! The section of one split and set: scores, comparisons, learning curve, ablation, models.

use crate::Comparison;
use crate::grid::{Panel, PanelRow, Results, Role};
use crate::report::bars::{Bar, bars};
use crate::report::lines::{Frame, MAX_SERIES, Point, Series, lines};
use crate::report::markup::{escape, figure, number, p_value, signed, table, with_interval};
use crate::report::scale::Scale;
use crate::report::{SHOWN, heading, models, overlap};
use std::fmt::Write;

pub(crate) fn section(results: &Results, panel: &Panel) -> String {
    let title = heading(panel);
    let mut out = format!(
        "<h2>{}</h2>\n<p class=\"soft\">{} pages with gold; sha256 <code>{}</code></p>\n",
        escape(&title),
        panel.num_pages,
        escape(&panel.set.sha256)
    );
    if let Some(text) = overlap(results, panel) {
        let _ = writeln!(out, "<p class=\"soft\">{}</p>", escape(&text));
    }
    out.push_str(&scores(results, panel));
    out.push_str(&comparisons(&results.baseline, &panel.comparisons));
    out.push_str(&learning(results, panel));
    out.push_str(&ablation(results, panel));
    out.push_str(&models::figures(results, panel));
    out
}

fn unit(results: &Results) -> (&'static str, f64) {
    let columns = results.metrics.iter().flat_map(|m| m.columns);
    let unit = columns.filter(|c| c.name == results.column).map(|c| c.unit).next().unwrap_or("ratio");
    (unit, if unit == "percent" { 100.0 } else { 1.0 })
}

fn axis(results: &Results) -> String {
    format!("mean {} ({})", results.column, unit(results).0)
}

fn scores(results: &Results, panel: &Panel) -> String {
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
    figure(
        &format!("{} on {}.", results.column, panel.set.name),
        &caption,
        &svg,
        &score_table(results, panel),
    )
}

fn score_table(results: &Results, panel: &Panel) -> String {
    let names: Vec<&str> = results.metrics.iter().flat_map(|m| m.columns).map(|c| c.name).collect();
    let shown: Vec<&str> =
        SHOWN.iter().copied().filter(|c| names.contains(c) && *c != results.column).collect();
    let interval = format!("95 % of {}", results.column);
    let mut head = vec!["row", results.column, interval.as_str(), "median", "quartiles", "pooled"];
    head.extend(&shown);
    let row = |row: &PanelRow| {
        let mut cells = vec![escape(&results.cells[row.cell].row)];
        match row.summary(results.column) {
            None => cells.push(escape(row.note.as_deref().unwrap_or("does not apply"))),
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
    let rows: Vec<_> = panel.rows.iter().map(row).collect();
    table(&head, &rows, 1)
}

fn comparisons(versus: &str, comparisons: &[Comparison]) -> String {
    if comparisons.is_empty() {
        return String::new();
    }
    let head = ["row", "column", "difference", "95 % interval", "Wilcoxon p", "Holm", "Mann-Whitney p", ""];
    let rows: Vec<_> = comparisons.iter().map(comparison).collect();
    format!(
        "<h3>Compared with {}</h3>\n<p class=\"soft\">Mean difference over pages with bootstrap interval; Wilcoxon signed-rank test, also with Holm’s correction over all comparisons of this report (comparisons of ablations are corrected separately); Mann-Whitney U test (unpaired). No difference is shown if the interval contains 0 or Holm’s p is above 0.05.</p>\n{}",
        escape(versus),
        table(&head, &rows, 2)
    )
}

fn comparison(c: &Comparison) -> Vec<String> {
    vec![
        escape(&c.row),
        escape(c.column),
        signed(c.difference),
        format!("{} to {}", signed(c.ci_low), signed(c.ci_high)),
        p_value(c.wilcoxon_p),
        p_value(c.wilcoxon_holm),
        p_value(c.mann_whitney_p),
        escape(c.conclusion),
    ]
}

/// Mean number of training pages of a row's models.
fn num_train(results: &Results, row: &PanelRow) -> f64 {
    let rounds = results.extras_of(row).map_or(&[][..], |e| &e.rounds);
    rounds.iter().map(|r| r.num_train as f64).sum::<f64>() / rounds.len() as f64
}

fn learning(results: &Results, panel: &Panel) -> String {
    if panel.curve.is_empty() {
        return String::new();
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
                let note = row.note.clone().unwrap_or_default();
                rows.push(vec![
                    escape(&results.cells[row.cell].row),
                    escape(&note),
                    String::new(),
                    String::new(),
                ]);
                continue;
            };
            let interval = format!("{}–{}", number(p.low), number(p.high));
            rows.push(vec![escape(name), format!("{:.0}", p.x), number(p.y), interval]);
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
    let data = table(&["row", "training pages", results.column, "95 % interval"], &rows, 1);
    figure("Learning curve.", &caption, &svg, &data)
}

fn ablation(results: &Results, panel: &Panel) -> String {
    if panel.ablation.is_empty() {
        return String::new();
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
        let mut cells = vec![escape(name)];
        match (row.summary(results.column), panel.ablation_comparisons.iter().find(|c| c.row == *name)) {
            (Some(s), Some(c)) => {
                cells.push(number(s.mean));
                cells.extend(comparison(c).into_iter().skip(2));
            }
            (Some(s), None) => cells.push(number(s.mean)),
            _ => cells.push(escape(row.note.as_deref().unwrap_or("–"))),
        }
        cells.resize(8, String::new());
        cells
    };
    // the full set has a row if it is compared with the last step
    let is_full =
        |r: &&PanelRow| panel.ablation_comparisons.iter().any(|c| c.row == results.cells[r.cell].row);
    let rows: Vec<_> = panel.ablation.iter().chain(panel.rows.iter().filter(is_full)).map(row).collect();
    let head =
        ["row", results.column, "difference", "95 % interval", "Wilcoxon p", "Holm", "Mann-Whitney p", ""];
    figure(
        "Ablation.",
        &format!(
            "Mean difference to {against} over pages, with 95 % bootstrap interval. Left of 0, {against} is better."
        ),
        &svg,
        &table(&head, &rows, 1),
    )
}
