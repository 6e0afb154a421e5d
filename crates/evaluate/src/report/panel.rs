//! The report section for one split and tested set: scores, comparisons, learning curve, ablation.

use crate::Comparison;
use crate::grid::{Panel, PanelRow, Results, Role};
use crate::report::bars::{Bar, bars};
use crate::report::markup::{Figure, Table, number, p_value, signed, with_interval};
use crate::report::scale::Scale;
use crate::report::{SHOWN, heading, notes};

/// The report section of a panel.
#[derive(Debug)]
pub struct Section<'a> {
    /// The panel.
    pub panel: &'a Panel,
    /// Names of tested set and split.
    pub heading: String,
    /// Sentences about pages excluded from training because they overlap the test pages, and about gold that consists of
    /// labels of a model.
    pub notes: Vec<String>,
    /// The scores of all rows.
    pub scores: Figure,
    /// Comparisons of all rows with the baseline.
    pub comparisons: Table,
    /// Learning curve and ablation.
    pub figures: Vec<Figure>,
}

/// Returns a table of comparisons.
pub fn comparisons(comparisons: &[Comparison]) -> Table {
    let head = [
        "row",
        "column",
        "conclusion",
        "difference",
        "95 % interval",
        "Wilcoxon p",
        "Holm",
        "Mann-Whitney p",
    ];
    Table::new(&head, comparisons.iter().map(comparison).collect(), 3)
}

impl<'a> Section<'a> {
    pub(super) fn new(results: &Results, panel: &'a Panel) -> Self {
        let mut figures = Vec::from_iter(learning(results, panel));
        figures.extend(ablation(results, panel));
        Section {
            panel,
            heading: heading(panel),
            notes: notes(results, panel),
            scores: scores(results, panel),
            comparisons: comparisons(&panel.comparisons),
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
        let text = with_interval(s.mean, Some([s.ci_low, s.ci_high]));
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
    let caption = format!("Mean over {} pages, with 95 % bootstrap interval.", panel.num_pages);
    let legend = [
        ("base", format!("{}, which all other rows are compared with", results.baseline)),
        ("method", "other rows".to_owned()),
        ("bound", "lower and upper bound".to_owned()),
    ];
    let legend = legend.into_iter().filter(|(class, _)| all.iter().any(|bar| bar.class == *class)).collect();
    let title = format!("{} on {}.", results.column, panel.set.name);
    Figure { title, caption, legend, svg, data: score_table(results, panel) }
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
            // errors are listed before the sections, so the table only says `failed`
            None if results.extras[row.cell].is_err() => cells.push("failed".to_owned()),
            None => cells.push(row.note.as_deref().unwrap_or("does not apply").to_owned()),
            Some(s) => {
                cells.push(number(s.mean));
                cells.push(format!("{}–{}", number(s.ci_low), number(s.ci_high)));
                cells.push(number(s.median));
                cells.push(format!("{}–{}", number(s.q1), number(s.q3)));
                cells.push(with_interval(s.pooled.unwrap_or(f64::NAN), s.pooled_ci));
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
        c.reasoned(),
        signed(c.difference),
        format!("{} to {}", signed(c.ci_low), signed(c.ci_high)),
        p_value(c.wilcoxon_p),
        p_value(c.wilcoxon_holm),
        p_value(c.mann_whitney_p),
    ]
}

/// Mean number of training pages over the models of a row.
fn num_train(results: &Results, row: &PanelRow) -> f64 {
    let rounds = results.extras_of(row).map_or(&[][..], |e| &e.rounds);
    rounds.iter().map(|r| r.num_train as f64).sum::<f64>() / rounds.len() as f64
}

fn learning(results: &Results, panel: &Panel) -> Option<Figure> {
    if panel.curve.is_empty() {
        return None;
    }
    let (mut all, mut rows) = (Vec::new(), Vec::new());
    for full in panel.rows.iter().filter(|r| results.cells[r.cell].role == Role::Grid) {
        let name = &results.cells[full.cell].row;
        let made_from =
            |r: &&PanelRow| matches!(&results.cells[r.cell].role, Role::Curve { of, .. } if of == name);
        for row in panel.curve.iter().filter(made_from).chain([full]) {
            let cell = &results.cells[row.cell];
            let Some(s) = row.summary(results.column) else {
                let note = row.note.clone().unwrap_or_default();
                rows.push(vec![cell.row.clone(), note, String::new(), String::new()]);
                continue;
            };
            let text = with_interval(s.mean, Some([s.ci_low, s.ci_high]));
            let (num_pages, interval) =
                (num_train(results, row), format!("{}–{}", number(s.ci_low), number(s.ci_high)));
            rows.push(vec![name.clone(), format!("{num_pages:.0}"), number(s.mean), interval]);
            all.push(Bar {
                name: cell.row.clone(),
                value: s.mean,
                low: s.ci_low,
                high: s.ci_high,
                class: "method",
                text,
            });
        }
    }
    let scale = Scale::around(all.iter().flat_map(|b| [0.0, b.value, b.high]));
    let svg = bars(&all, &axis(results), scale, &format!("Learning curve on {}", panel.set.name));
    let caption = "Training pages are sampled site by site; smaller samples are subsets of larger samples. The last bar of a row is trained on all training pages (mean over folds). Whiskers: 95 % bootstrap intervals over the tested pages.".to_owned();
    let data = Table::new(&["row", "training pages", results.column, "95 % interval"], rows, 1);
    let legend = vec![("method", "score".to_owned())];
    Some(Figure { title: "Learning curve.".to_owned(), caption, legend, svg, data })
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
                cells.extend([c.reasoned(), number(s.mean)]);
                cells.extend(comparison(c).into_iter().skip(3));
            }
            (Some(s), None) => cells.extend([String::new(), number(s.mean)]),
            _ => cells.push(row.note.as_deref().unwrap_or("–").to_owned()),
        }
        cells.resize(8, String::new());
        cells
    };
    // the full set has a separate row if it is compared with the last step
    let is_full =
        |r: &&PanelRow| panel.ablation_comparisons.iter().any(|c| c.row == results.cells[r.cell].row);
    let rows = panel.ablation.iter().chain(panel.rows.iter().filter(is_full)).map(row).collect();
    let head = [
        "row",
        "conclusion",
        results.column,
        "difference",
        "95 % interval",
        "Wilcoxon p",
        "Holm",
        "Mann-Whitney p",
    ];
    let caption = format!(
        "Mean difference to {against} over pages, with 95 % bootstrap interval. Left of 0, {against} is better."
    );
    let legend = vec![("method", format!("difference to {against}"))];
    Some(Figure { title: "Ablation.".to_owned(), caption, legend, svg, data: Table::new(&head, rows, 2) })
}
