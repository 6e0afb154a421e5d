//! The results of `evaluate` on one set.

use crate::evaluate::speed::Speed;
use std::collections::BTreeMap;
use threshr_core::{Error, Result};
use threshr_evaluate::metrics::{self, Metric};
use threshr_evaluate::{Comparison, Kind, Row};
use threshr_extract::model::SetInfo;
use threshr_extract::recipe::Recipe;
use threshr_train::Corpus;

/// Possible values of `--by`.
pub(super) const GROUP_FIELDS: &[&str] = &["lang", "page_type", "site"];

/// The results on one set.
#[derive(Debug)]
pub(super) struct Report {
    pub set: SetInfo,
    pub split: String,
    /// Policy and threshold, for the heading. Ends with a comma.
    pub options: String,
    pub recipe: Recipe,
    pub metrics: Vec<&'static Metric>,
    pub page_ids: Vec<String>,
    /// Fold of each page. `None` without cross-validation.
    pub folds: Option<Vec<usize>>,
    pub rows: Vec<Row>,
    /// Number of pages on which a tool failed, by the name of its row, if there are any.
    pub failed: BTreeMap<String, usize>,
    pub comparisons: Vec<Comparison>,
    pub groups: Option<Groups>,
    pub speeds: Vec<Speed>,
}

/// Mean token F1 of the pages for each value of a field.
#[derive(Debug)]
pub(super) struct Groups {
    pub field: String,
    /// Value of the field, number of pages, and mean token F1 of each row.
    pub values: Vec<(String, usize, Vec<f64>)>,
}

impl Report {
    /// Returns a message for every mean below its bar. Floor and oracle are not checked.
    pub(super) fn below(&self, bars: &[(String, f64)]) -> Vec<String> {
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

    /// Returns the heading of the report.
    pub(super) fn heading(&self) -> String {
        let has_model = self.rows.iter().any(|r| r.kind == Kind::Model);
        let features = match has_model {
            true => format!("{}features {}, ", self.options, self.recipe.features.set),
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

/// Computes the mean token F1 of every row, grouped by a field.
pub(super) fn groups(corpus: &Corpus, pages: &[usize], rows: &[Row], field: &str) -> Result<Groups> {
    let value = |page: usize| -> Result<String> {
        let page = &corpus.pages[page];
        let found = match field {
            "lang" => page.lang.clone(),
            "page_type" => page.page_type.clone(),
            "site" => Some(page.site.clone()),
            other => {
                return Err(Error::invalid_option(format!("--by {other} is unknown"))
                    .expected("lang, page_type or site"));
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
