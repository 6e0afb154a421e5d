//! Properties of the models of `compare`, as Markdown and CSV: calibration, scores over thresholds,
//! importance of columns.

use crate::table;
use crate::table::{Draw, number};
use threshr_core::Result;
use threshr_evaluate::grid::{Importance, Panel, PanelRow, Results, ThresholdPoint};
use threshr_evaluate::metrics::CalibrationBin;
use threshr_evaluate::report::calibrated;

/// Number of columns in the table of importance.
const MAX_COLUMNS: usize = 20;

/// Name and content of a CSV file for each property; `None` if it was not measured.
pub(super) fn files(results: &Results) -> Result<[(&'static str, Option<String>); 3]> {
    let csv = |head: &[&str], values: &dyn Fn(&PanelRow) -> Vec<Vec<String>>| {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for panel in &results.panels {
            for row in panel.all_rows() {
                let place = [&panel.set.name, &panel.design, &panel.detail, &results.cells[row.cell].row];
                let line = |values| place.into_iter().cloned().chain(values).collect();
                rows.extend(values(row).into_iter().map(line));
            }
        }
        let head = [&["set", "split", "trained_on", "row"], head].concat();
        if rows.is_empty() { Ok(None) } else { table::csv(&head, &rows).map(Some) }
    };
    let importance = csv(&["column", "log_loss", "log_loss_sd", "auc", "token_f1", "token_f1_sd"], &|row| {
        let line = |i: &Importance| {
            let text = |v: f64| v.to_string();
            let auc = i.auc.map_or_else(String::new, text);
            vec![
                i.column.clone(),
                text(i.log_loss),
                text(i.log_loss_sd),
                auc,
                text(i.token_f1),
                text(i.token_f1_sd),
            ]
        };
        results.extras_of(row).map_or(&[][..], |e| &e.importance).iter().map(line).collect()
    })?;
    let calibration = csv(&["score_low", "score_high", "blocks", "mean_score", "share_content"], &|row| {
        let bins = row.row.as_ref().map_or(&[][..], |r| &r.calibration);
        let line = |b: &CalibrationBin| {
            let ends = [b.low, b.high].map(|v| v.to_string());
            let means = [b.mean_score, b.share_content].map(|v| v.to_string());
            ends.into_iter().chain([b.n.to_string()]).chain(means).collect()
        };
        bins.iter().map(line).collect()
    })?;
    let thresholds = csv(&THRESHOLD_HEAD, &|row| {
        let points = row.tested.as_ref().map_or(&[][..], |t| &t.thresholds);
        let line = |p: &ThresholdPoint| {
            vec![
                p.threshold.to_string(),
                p.token_p.to_string(),
                p.token_r.to_string(),
                p.token_f1.to_string(),
            ]
        };
        points.iter().map(line).collect()
    })?;
    Ok([("importance.csv", importance), ("calibration.csv", calibration), ("thresholds.csv", thresholds)])
}

/// The share of content blocks in each bin of scores.
pub(super) fn calibration(results: &Results, panel: &Panel, draw: Draw) -> Option<String> {
    let found = calibrated(results, panel);
    // A row has only the bins in which it has blocks.
    let mut bins: Vec<&CalibrationBin> = found.iter().flat_map(|f| f.1).collect();
    bins.sort_by(|a, b| a.low.total_cmp(&b.low));
    bins.dedup_by_key(|b| b.low);
    let mut head = vec!["row".to_owned(), "expected calibration error".to_owned()];
    head.extend(bins.iter().map(|b| format!("{:.1}–{:.1}", b.low, b.high)));
    let row = |(name, own, error): &(&str, &[CalibrationBin], f64)| {
        let share = |bin: &&CalibrationBin| {
            let own = own.iter().find(|o| o.low == bin.low);
            own.map_or_else(String::new, |o| number(o.share_content))
        };
        [(*name).to_owned(), number(*error)].into_iter().chain(bins.iter().map(share)).collect()
    };
    if found.is_empty() {
        return None;
    }
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    Some(draw(&head, &found.iter().map(row).collect::<Vec<_>>(), 1))
}

/// The scores are counted from tokens that are aligned with gold, as in training. They are slightly above the
/// scores of the metric `token`.
const THRESHOLD_HEAD: [&str; 4] = ["threshold", "aligned_p", "aligned_r", "aligned_f1"];

/// Token scores on held-out pages at each threshold.
pub(super) fn thresholds(row: &PanelRow, draw: Draw) -> Option<String> {
    let points = &row.tested.as_ref()?.thresholds;
    let rows: Vec<Vec<String>> = points
        .iter()
        // Only .1, .2 and so on; the files have all thresholds.
        .filter(|p| (p.threshold * 100.0).round() % 10.0 == 0.0)
        .map(|p| {
            vec![format!("{:.2}", p.threshold), number(p.token_p), number(p.token_r), number(p.token_f1)]
        })
        .collect();
    (!rows.is_empty()).then(|| draw(&THRESHOLD_HEAD, &rows, 0))
}

/// The most important columns.
pub(super) fn importance(results: &Results, row: &PanelRow, draw: Draw) -> Option<String> {
    let mut found = results.extras_of(row).filter(|e| !e.importance.is_empty())?.importance.clone();
    found.sort_by(|a, b| b.log_loss.total_cmp(&a.log_loss));
    let head = ["column", "log loss, increase", "sd", "AUC, decrease", "token F1, decrease", "sd"];
    let digits = |v: f64| format!("{v:.5}");
    let row = |i: &Importance| {
        let auc = i.auc.map_or_else(String::new, digits);
        vec![
            i.column.clone(),
            digits(i.log_loss),
            digits(i.log_loss_sd),
            auc,
            digits(i.token_f1),
            digits(i.token_f1_sd),
        ]
    };
    Some(draw(&head, &found.iter().take(MAX_COLUMNS).map(row).collect::<Vec<_>>(), 1))
}
