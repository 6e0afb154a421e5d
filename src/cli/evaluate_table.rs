//! What `evaluate` found, as table, Markdown, JSON and CSV.

use crate::cli::table;
use crate::cli::table::{number, with_interval};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use threshr_core::Budget;
use threshr_core::{Error, Result};
use threshr_evaluate::metrics;
use threshr_evaluate::metrics::{Metric, Summary};
use threshr_evaluate::{Comparison, Kind, Row};
use threshr_extract::model::SetInfo;
use threshr_extract::recipe::Recipe;
use threshr_extract::{Extractor, Input};
use threshr_io::gold::DataSet;
use threshr_train::Corpus;

/// Fields that pages can be grouped by.
pub const GROUP_FIELDS: &[&str] = &["lang", "page_type", "site"];

/// What was found on one set.
#[derive(Debug)]
pub struct Report {
    pub set: SetInfo,
    pub split: String,
    /// What was asked of the model's content and decision, before a comma.
    pub asked: String,
    pub recipe: Recipe,
    pub metrics: Vec<&'static Metric>,
    pub page_ids: Vec<String>,
    /// The fold that each page was held out in, where there was cross-validation.
    pub folds: Option<Vec<usize>>,
    pub rows: Vec<Row>,
    pub comparisons: Vec<Comparison>,
    pub groups: Option<Groups>,
    pub speeds: Vec<Speed>,
}

/// Mean token F1 by a field of the pages.
#[derive(Debug)]
pub struct Groups {
    field: String,
    /// Value of the field, number of pages, and a mean for each row.
    values: Vec<(String, usize, Vec<f64>)>,
}

/// How fast a model or a system works on one core.
#[derive(Debug)]
pub struct Speed {
    /// Its row.
    name: String,
    cpu_s: f64,
    num_pages: usize,
    num_bytes: usize,
    peak_mb: Option<f64>,
}

impl Speed {
    /// Extracts every page of a set, one after the other; files are read beforehand.
    pub fn measure(name: &str, set: &DataSet, recipe: &Recipe, extractor: &Extractor) -> Result<Self> {
        let (mut cpu_s, mut num_bytes) = (0.0, 0);
        for page in &set.pages {
            let bytes = threshr_io::gold::read_bytes(&page.path)?;
            num_bytes += bytes.len();
            // what carries labels is not part of the page
            let html = match page.annotation() {
                Some(annotation) => {
                    let options = recipe.parse_options(page.charset.clone(), Some(annotation));
                    threshr_html::plain_html(&bytes, &options).into_bytes()
                }
                None => bytes,
            };
            let charset = if page.annotation().is_some() { Some("utf-8") } else { page.charset.as_deref() };
            let input = Input { bytes: &html, charset, ..Input::default() };
            let start = cpu_time::ProcessTime::now();
            let extraction = extractor.extract(&input, &Budget::UNLIMITED)?;
            std::hint::black_box(extraction.text());
            cpu_s += start.elapsed().as_secs_f64();
        }
        Ok(Speed { name: name.to_owned(), cpu_s, num_pages: set.pages.len(), num_bytes, peak_mb: peak_mb() })
    }

    fn text(&self) -> String {
        let [ms_per_page, pages_per_s, mb_per_s, cpu_s] = self.rates().map(|(_, value)| value);
        let memory =
            self.peak_mb.map_or_else(String::new, |m| format!(", peak memory of the whole run {m:.0} MB"));
        format!(
            "speed of {}, CPU time of all threads: {:.2} ms/page, {:.0} pages/s, {:.1} MB/s, {:.2} CPU s{memory}\n",
            self.name, ms_per_page, pages_per_s, mb_per_s, cpu_s
        )
    }

    fn rates(&self) -> [(&'static str, f64); 4] {
        let (pages, mb) = (self.num_pages as f64, self.num_bytes as f64 / 1e6);
        [
            ("ms_per_page", 1e3 * self.cpu_s / pages.max(1.0)),
            ("pages_per_s", pages / self.cpu_s),
            ("mb_per_s", mb / self.cpu_s),
            ("cpu_s", self.cpu_s),
        ]
    }

    /// What CSV has of it.
    fn values(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.rates().into_iter().chain(self.peak_mb.map(|mb| ("peak_mb", mb)))
    }

    fn json(&self) -> Value {
        let Speed { name, cpu_s, num_pages, num_bytes, peak_mb } = self;
        json!({"row": name, "cpu_s": cpu_s, "pages": num_pages, "bytes": num_bytes, "peak_mb": peak_mb})
    }
}

/// Most memory the process has held, where the system tells.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1e3)
}

impl Report {
    /// Means of models, methods and predictions that are below a bar, described.
    pub fn below(&self, bars: &[(String, f64)]) -> Vec<String> {
        let mut found = Vec::new();
        for row in self.rows.iter().filter(|r| r.kind != Kind::Bound) {
            for (column, least) in bars {
                let mean = row.summaries.iter().find(|s| s.column == column).map_or(f64::NAN, |s| s.mean);
                if mean.is_nan() || mean < *least {
                    found.push(format!(
                        "{}, {}: {column} is {mean:.4}, below {least}",
                        self.set.name, row.name
                    ));
                }
            }
        }
        found
    }

    fn heading(&self) -> String {
        let has_model = self.rows.iter().any(|r| r.kind == Kind::Model);
        let features = match has_model {
            true => format!("{}features {}, ", self.asked, self.recipe.features.set),
            false => String::new(),
        };
        format!(
            "{} ({} pages with gold, sha256 {}); {}; {features}seed {}, threshr {}",
            self.set.name,
            self.page_ids.len(),
            &self.set.sha256[..16.min(self.set.sha256.len())],
            self.split,
            self.recipe.seed,
            env!("CARGO_PKG_VERSION")
        )
    }
}

/// Turns reports into text.
pub type Writer = fn(&[Report]) -> Result<String>;

/// The writer called `name`.
pub fn writer(name: &str) -> Result<Writer> {
    match name {
        "table" => Ok(|reports| Ok(tables(reports, table::plain, false))),
        "markdown" => Ok(|reports| Ok(tables(reports, |head, rows, _| table::markdown(head, rows), true))),
        "json" => Ok(|reports| {
            let list: Vec<Value> = reports.iter().map(to_json).collect();
            Ok(serde_json::to_string_pretty(&list).unwrap_or_default() + "\n")
        }),
        "csv" => Ok(csv),
        other => {
            Err(Error::recipe(format!("there is no format `{other}`"))
                .expected("table, markdown, json or csv"))
        }
    }
}

/// One table a metric, with the means of its columns; F1-like columns with interval, median and pooled value.
fn tables(reports: &[Report], draw: fn(&[&str], &[Vec<String>], usize) -> String, markdown: bool) -> String {
    let mut out = String::new();
    for report in reports {
        out.push_str(&format!("{}{}\n", if markdown { "### " } else { "" }, report.heading()));
        let mut first = 0;
        for metric in &report.metrics {
            let range = first..first + metric.columns.len();
            first = range.end;
            if let Some((head, rows)) = metric_table(report, range) {
                let head: Vec<&str> = head.iter().map(String::as_str).collect();
                out.push_str(&format!("\n{}: {}\n\n{}", metric.name, metric.summary, draw(&head, &rows, 1)));
            }
        }
        out.push_str(&calibration(report, draw));
        if !report.comparisons.is_empty() {
            let head =
                ["row", "column", "difference", "95 % interval", "Wilcoxon p", "Holm", "Mann-Whitney p", ""];
            let rows: Vec<_> = report.comparisons.iter().map(comparison_row).collect();
            out.push_str(&format!(
                "\ncompared with {}\n\n{}",
                report.comparisons[0].versus,
                draw(&head, &rows, 2)
            ));
        }
        if let Some(groups) = &report.groups {
            let names = report.rows.iter().map(|r| r.name.as_str());
            let head: Vec<&str> = [groups.field.as_str(), "pages"].into_iter().chain(names).collect();
            let row = |(value, n, means): &(String, usize, Vec<f64>)| {
                [value.clone(), n.to_string()].into_iter().chain(means.iter().map(|&m| number(m))).collect()
            };
            let rows: Vec<Vec<String>> = groups.values.iter().map(row).collect();
            out.push_str(&format!("\nmean token F1 by {}\n\n{}", groups.field, draw(&head, &rows, 1)));
        }
        for (i, speed) in report.speeds.iter().enumerate() {
            out.push_str(if i == 0 { "\n" } else { "" });
            out.push_str(&speed.text());
        }
        out.push('\n');
    }
    out
}

/// Head and rows for the columns of one metric; nothing where no page has a value.
fn metric_table(report: &Report, columns: std::ops::Range<usize>) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let of = |row: &Row| -> Vec<Summary> { row.summaries[columns.clone()].to_vec() };
    let rows: Vec<&Row> = report.rows.iter().filter(|r| of(r).iter().any(|s| s.num_pages > 0)).collect();
    let first = of(rows.first()?);
    let main = first.iter().position(|s| s.column.ends_with("f1")).unwrap_or(first.len() - 1);
    let mut head = vec!["row".to_owned()];
    head.extend(first.iter().map(|s| s.column.to_owned()));
    let name = first[main].column;
    head.extend([format!("95 % of {name}"), "median".to_owned(), "quartiles".to_owned()]);
    let has_pooled =
        |s: &&Summary| rows.iter().any(|r| of(r).iter().any(|o| o.column == s.column && o.pooled.is_some()));
    let pooled: Vec<&str> = first.iter().filter(has_pooled).map(|s| s.column).collect();
    if !pooled.is_empty() {
        head.push(format!("pooled {}", pooled.join("/")));
    }
    let row = |row: &&Row| {
        let summaries = of(row);
        let m = &summaries[main];
        let mut cells = vec![row.name.clone()];
        cells.extend(summaries.iter().map(|s| number(s.mean)));
        cells.push(format!("{}–{}", number(m.ci_low), number(m.ci_high)));
        cells.push(number(m.median));
        cells.push(format!("{}–{}", number(m.q1), number(m.q3)));
        if !pooled.is_empty() {
            let value =
                |s: &Summary| Some(with_interval(s.pooled?, s.pooled_ci.filter(|_| s.column == m.column)));
            cells.push(summaries.iter().filter_map(value).collect::<Vec<_>>().join("/"));
        }
        cells
    };
    Some((head, rows.iter().map(row).collect()))
}

fn calibration(report: &Report, draw: fn(&[&str], &[Vec<String>], usize) -> String) -> String {
    let mut out = String::new();
    let mut seen: Vec<&[metrics::CalibrationBin]> = Vec::new();
    for row in report.rows.iter().filter(|r| !r.calibration.is_empty()) {
        // rows that differ in their filter alone have the same scores
        if seen.contains(&row.calibration.as_slice()) {
            continue;
        }
        seen.push(&row.calibration);
        let bin = |b: &metrics::CalibrationBin| {
            vec![
                format!("{:.1}–{:.1}", b.low, b.high),
                b.n.to_string(),
                number(b.mean_score),
                number(b.share_content),
            ]
        };
        let rows: Vec<_> = row.calibration.iter().filter(|b| b.n > 0).map(bin).collect();
        let error = metrics::expected_calibration_error(&row.calibration);
        let auc = row.pooled_auc.unwrap_or(f64::NAN);
        out.push_str(&format!(
            "\ncalibration of {}: ROC AUC over all blocks {auc:.4}, expected calibration error {error:.4}\n\n{}",
            row.name,
            draw(&["score", "blocks", "mean score", "share content"], &rows, 1)
        ));
    }
    out
}

/// A comparison as a row of a table.
pub fn comparison_row(c: &Comparison) -> Vec<String> {
    let p = |value: f64| if value < 1e-4 { format!("{value:.1e}") } else { format!("{value:.4}") };
    vec![
        c.row.clone(),
        c.column.to_owned(),
        format!("{:+.4}", c.difference),
        format!("{:+.4} {:+.4}", c.ci_low, c.ci_high),
        p(c.wilcoxon_p),
        p(c.wilcoxon_holm),
        p(c.mann_whitney_p),
        c.verdict.to_owned(),
    ]
}

/// Mean token F1 of every row by a field.
pub fn groups(corpus: &Corpus, pages: &[usize], rows: &[Row], field: &str) -> Result<Groups> {
    let value = |page: usize| -> Result<String> {
        let page = &corpus.pages[page];
        let found = match field {
            "lang" => page.lang.clone(),
            "page_type" => page.page_type.clone(),
            "site" => Some(page.site.clone()),
            other => {
                return Err(
                    Error::recipe(format!("--by {other} is unknown")).expected("lang, page_type or site")
                );
            }
        };
        Ok(found.unwrap_or_else(|| "unknown".to_owned()))
    };
    let mut members: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, &page) in pages.iter().enumerate() {
        members.entry(value(page)?).or_default().push(i);
    }
    let column = |row: &Row| row.summaries.iter().position(|s| s.column == "token_f1");
    let mean = |row: &Row, of: &[usize]| {
        let values: Vec<f64> =
            column(row).map_or_else(Vec::new, |c| of.iter().map(|&i| row.pages[i].values[c]).collect());
        metrics::statistics::mean(&values)
    };
    let values = members
        .into_iter()
        .map(|(value, of)| (value, of.len(), rows.iter().map(|r| mean(r, &of)).collect()))
        .collect();
    Ok(Groups { field: field.to_owned(), values })
}

/// What every row of CSV and JSON says of how it came about.
fn origin(report: &Report, row: &Row) -> [(&'static str, String); 9] {
    // a recipe says nothing of what no model of it made
    let of_model = |text: &str| if row.kind == Kind::Model { text.to_owned() } else { String::new() };
    [
        ("set", report.set.name.clone()),
        ("sha256", report.set.sha256.clone()),
        ("split", report.split.clone()),
        ("row", row.name.clone()),
        ("features", of_model(&report.recipe.features.set)),
        ("classifier", of_model(&report.recipe.classifier.name)),
        ("filter", row.filter.clone()),
        ("seed", report.recipe.seed.to_string()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

fn to_json(report: &Report) -> Value {
    let row = |row: &Row| {
        let mut object: serde_json::Map<String, Value> =
            origin(report, row).into_iter().map(|(k, v)| (k.to_owned(), v.into())).collect();
        let scores =
            row.summaries.iter().filter(|s| s.num_pages > 0).map(|s| (s.column.to_owned(), json!(s)));
        object.insert("scores".to_owned(), Value::Object(scores.collect()));
        object.insert("pooled_auc".to_owned(), json!(row.pooled_auc));
        object.insert("calibration".to_owned(), json!(row.calibration));
        Value::Object(object)
    };
    let rows: Vec<Value> = report.rows.iter().map(row).collect();
    let groups = report.groups.as_ref().map(|g| {
        let value = |(value, n, means): &(String, usize, Vec<f64>)| json!({"value": value, "pages": n, "token_f1": means});
        json!({"field": g.field, "values": g.values.iter().map(value).collect::<Vec<_>>()})
    });
    json!({
        "set": report.set, "split": report.split, "recipe": report.recipe, "rows": rows,
        "comparisons": report.comparisons, "groups": groups,
        "speeds": report.speeds.iter().map(Speed::json).collect::<Vec<_>>(),
    })
}

fn csv(reports: &[Report]) -> Result<String> {
    let mut rows = Vec::new();
    let mut head: Vec<&str> = Vec::new();
    for report in reports {
        for row in &report.rows {
            let origin = origin(report, row);
            head = origin.iter().map(|o| o.0).collect();
            for s in row.summaries.iter().filter(|s| s.num_pages > 0) {
                let mut cells: Vec<String> = origin.iter().map(|o| o.1.clone()).collect();
                cells.extend(table::summary_cells(s));
                rows.push(cells);
            }
        }
        rows.extend(report.speeds.iter().flat_map(|speed| speed_rows(report, speed)));
    }
    head.extend(table::SUMMARY_HEAD);
    table::csv(&head, &rows)
}

/// Speed as rows of CSV. A filter that rows of systems name is not timed, so that none stands here.
fn speed_rows(report: &Report, speed: &Speed) -> Vec<Vec<String>> {
    let is_of =
        |row: &&Row| row.name.strip_prefix(&speed.name).is_some_and(|r| r.is_empty() || r.starts_with('+'));
    let Some(row) = report.rows.iter().find(is_of) else { return Vec::new() };
    let row = Row { name: speed.name.clone(), filter: String::new(), ..row.clone() };
    let origin = origin(report, &row).map(|o| o.1);
    let cells = |(column, value): (&str, f64)| {
        let mut cells = origin.to_vec();
        cells.extend([column.to_owned(), speed.num_pages.to_string(), value.to_string()]);
        cells.resize(origin.len() + table::SUMMARY_HEAD.len(), String::new());
        cells
    };
    speed.values().map(cells).collect()
}

/// Every page's scores: set, row, page, the fold it was held out in, and a column for each score.
pub fn per_page(reports: &[Report]) -> Result<String> {
    let mut rows = Vec::new();
    let mut head = vec!["set", "row", "page", "fold"];
    if let Some(report) = reports.first() {
        head.extend(report.metrics.iter().flat_map(|m| m.columns.iter().map(|c| c.name)));
    }
    for report in reports {
        for row in &report.rows {
            for (i, (id, scores)) in report.page_ids.iter().zip(&row.pages).enumerate() {
                let fold = report.folds.as_ref().map_or_else(String::new, |f| f[i].to_string());
                let value = |v: &f64| if v.is_nan() { String::new() } else { v.to_string() };
                let cells = [report.set.name.clone(), row.name.clone(), id.clone(), fold];
                rows.push(cells.into_iter().chain(scores.values.iter().map(value)).collect());
            }
        }
    }
    table::csv(&head, &rows)
}
