//! Results of an experiment: a table of rows for each split and set, and the comparisons with the baseline.

use crate::compare::correct;
use crate::grid::run::CellOutcome;
use crate::grid::spec::Ablation;
use crate::grid::{Cell, Experiment, Extras, Method, PageRow, Plan, Role, Split, TestedSet};
use crate::metrics;
use crate::metrics::{Metric, PageScores, Summary};
use crate::{COMPARED, Comparison, Kind, Row, compare};
use std::collections::BTreeSet;
use threshr_core::{Error, Result};
use threshr_extract::model::SetInfo;

/// The results that reports show.
#[derive(Debug)]
pub struct Results {
    /// Title of the report.
    pub title: String,
    /// Random seed.
    pub seed: u64,
    /// The column that figures show.
    pub column: &'static str,
    /// The metrics.
    pub metrics: Vec<&'static Metric>,
    /// The reference for rows of an ablation: the full feature set or the previous step.
    pub ablated_against: &'static str,
    /// The row that all others are compared with.
    pub baseline: String,
    /// All cells.
    pub cells: Vec<Cell>,
    /// Results of each cell other than page scores; `Err` is the reason why the cell failed.
    pub extras: Vec<std::result::Result<Extras, String>>,
    /// One panel for each split and tested set.
    pub panels: Vec<Panel>,
    /// Errors of sets that have no measured row.
    pub unmeasured: Vec<Error>,
    /// Errors of pages that could not be read in this run.
    pub failures: Vec<Error>,
    /// Number of pages that could not be read when the cells ran.
    pub num_failed_pages: usize,
}

/// The rows of one split on one set.
#[derive(Debug)]
pub struct Panel {
    /// Name of the split.
    pub design: String,
    /// Names of the training sets, if `design` does not contain them.
    pub detail: String,
    /// The tested set.
    pub set: SetInfo,
    /// Number of pages of the set with gold.
    pub num_pages: usize,
    /// Rows in the order of tables: lower bound, systems and predictions, the grid, upper bound.
    pub rows: Vec<PanelRow>,
    /// Rows of the grid with fewer training pages.
    pub curve: Vec<PanelRow>,
    /// Rows of the grid with fewer feature families.
    pub ablation: Vec<PanelRow>,
    /// Comparisons of every row with the baseline.
    pub comparisons: Vec<Comparison>,
    /// Comparisons of every ablation row with the full feature set or the previous step, in the column that
    /// figures show.
    pub ablation_comparisons: Vec<Comparison>,
}

impl Panel {
    /// Returns all rows, followed by those of the learning curve and of the ablation.
    pub fn all_rows(&self) -> impl Iterator<Item = &PanelRow> {
        self.rows.iter().chain(&self.curve).chain(&self.ablation)
    }
}

/// A row on one set.
#[derive(Debug)]
pub struct PanelRow {
    /// Index of the row's cell.
    pub cell: usize,
    /// Scores; `None` if the cell failed or is skipped.
    pub row: Option<Row>,
    /// Results over all blocks of the set.
    pub tested: Option<TestedSet>,
    /// The reason why there are no scores.
    pub note: Option<String>,
}

impl PanelRow {
    /// Summary of a column over the pages of the set; `None` if no page has a value.
    pub fn summary(&self, column: &str) -> Option<&Summary> {
        self.row.as_ref()?.summaries.iter().find(|s| s.column == column).filter(|s| s.num_pages > 0)
    }
}

impl Results {
    pub(crate) fn assemble(
        experiment: &Experiment,
        plan: Plan,
        outcomes: Vec<CellOutcome>,
        sets: &[String],
        failures: Vec<Error>,
    ) -> Result<Self> {
        let mut places: Vec<(String, String, usize)> = Vec::new();
        for cell in plan.cells.iter().filter(|c| !matches!(c.split, Split::Untrained { .. })) {
            for &set in cell.split.tested() {
                let place = (cell.design.clone(), cell.detail.clone(), set);
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        if places.is_empty() {
            places = (0..sets.len()).map(|set| ("all pages".to_owned(), String::new(), set)).collect();
        }
        let builder = Builder { experiment, plan: &plan, outcomes: &outcomes, sets };
        let (mut panels, mut unmeasured) = (Vec::new(), Vec::new());
        for panel in places.iter().map(|p| builder.panel(p)) {
            match panel {
                Ok(panel) => panels.push(panel),
                Err(e) => unmeasured.push(e),
            }
        }
        // a set without measured rows does not prevent results for the other sets
        if panels.is_empty() {
            return Err(unmeasured.into_iter().next().unwrap_or_else(|| Error::data("there is no set")));
        }
        // Holm's correction covers all tables of the report
        correct(&mut panels.iter_mut().flat_map(|p| &mut p.comparisons).collect::<Vec<_>>());
        correct(&mut panels.iter_mut().flat_map(|p| &mut p.ablation_comparisons).collect::<Vec<_>>());
        let extras: Vec<_> = outcomes.into_iter().map(|o| o.map(|(_, extras)| extras)).collect();
        let failed = extras.iter().flatten().flat_map(|e| &e.failed_pages);
        let num_failed_pages = failed.collect::<BTreeSet<_>>().len().max(failures.len());
        Ok(Results {
            title: match experiment.title.is_empty() {
                true => "Comparison".to_owned(),
                false => experiment.title.clone(),
            },
            seed: experiment.seed(),
            column: plan.column,
            metrics: plan.metrics,
            ablated_against: match experiment.ablation {
                Some(Ablation::AddOne) => "the step before",
                _ => "the full set",
            },
            baseline: plan.baseline,
            cells: plan.cells,
            extras,
            panels,
            unmeasured,
            failures,
            num_failed_pages,
        })
    }

    /// Returns the failed cells with their errors.
    pub fn errors(&self) -> impl Iterator<Item = (&Cell, &str)> {
        self.cells.iter().zip(&self.extras).filter_map(|(c, e)| Some((c, e.as_ref().err()?.as_str())))
    }

    /// Results of a row's cell other than page scores.
    pub fn extras_of(&self, row: &PanelRow) -> Option<&Extras> {
        self.extras[row.cell].as_ref().ok()
    }
}

struct Builder<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    outcomes: &'a [CellOutcome],
    sets: &'a [String],
}

impl Builder<'_> {
    fn panel(&self, (design, detail, set): &(String, String, usize)) -> Result<Panel> {
        let belongs = |cell: &Cell| {
            let trained = !matches!(cell.split, Split::Untrained { .. });
            cell.split.tested().contains(set)
                && (!trained || (cell.design == *design && cell.detail == *detail))
        };
        let cells = self.plan.cells.iter().enumerate().filter(|(_, c)| belongs(c));
        let (mut rows, mut curve, mut ablation) = (Vec::new(), Vec::new(), Vec::new());
        for (index, cell) in cells {
            let row = self.row(index, cell, &self.sets[*set])?;
            match cell.role {
                Role::Curve { .. } => curve.push(row),
                Role::Ablation { .. } => ablation.push(row),
                _ => rows.push(row),
            }
        }
        // the plan lists both bounds first, but tables show the upper bound last
        if let Some(at) = rows.iter().position(|r: &PanelRow| self.plan.cells[r.cell].row == "oracle") {
            let oracle = rows.remove(at);
            rows.push(oracle);
        }
        let any =
            rows.iter().find_map(|r| Some((r.tested.as_ref()?.set.clone(), r.row.as_ref()?.pages.len())));
        let (set, num_pages) = any.ok_or_else(|| {
            let note = rows.iter().find_map(|r| r.note.clone()).unwrap_or_default();
            Error::data(format!("no row of the set `{}` could be measured: {note}", self.sets[*set]))
        })?;
        let comparisons = self.comparisons(&rows);
        let ablation_comparisons = self.ablation_comparisons(&rows, &ablation);
        let (design, detail) = (design.clone(), detail.clone());
        Ok(Panel { design, detail, set, num_pages, rows, curve, ablation, comparisons, ablation_comparisons })
    }

    fn row(&self, index: usize, cell: &Cell, set: &str) -> Result<PanelRow> {
        let empty = |note: Option<String>| PanelRow { cell: index, row: None, tested: None, note };
        let (pages, extras) = match &self.outcomes[index] {
            Err(error) => return Ok(empty(Some(error.clone()))),
            Ok((_, Extras { skipped: Some(why), .. })) => return Ok(empty(Some(why.clone()))),
            Ok(found) => found,
        };
        let tested = extras.tested.iter().find(|t| t.set.name == set).cloned();
        let values = |page: &PageRow| page.values.iter().map(|v| v.unwrap_or(f64::NAN)).collect();
        let scores = |page: &PageRow| PageScores { values: values(page), counts: Vec::new() };
        let of_set = || pages.iter().filter(|p| p.set == set);
        let ids = of_set().map(|p| p.id.clone()).collect();
        let pages: Vec<PageScores> = of_set().map(scores).collect();
        if pages.is_empty() {
            return Ok(empty(Some("no page has gold".to_owned())));
        }
        let mut summaries = metrics::summarise(&self.plan.metrics, &pages, self.experiment.seed());
        for summary in &mut summaries {
            summary.pooled = tested.as_ref().and_then(|t| t.pooled.get(summary.column).copied());
            summary.pooled_ci = tested.as_ref().and_then(|t| t.pooled_ci.get(summary.column).copied());
        }
        let row = Row {
            name: cell.row.clone(),
            filter: match &cell.method {
                Method::Model(recipe) => recipe.decision.filter.clone(),
                _ => "none".to_owned(),
            },
            kind: match (&cell.role, &cell.method) {
                (Role::Bound, _) => Kind::Bound,
                (_, Method::Model(_)) => Kind::Model,
                _ => Kind::Other,
            },
            ids,
            pages,
            summaries,
            pooled_auc: tested.as_ref().and_then(|t| t.pooled_auc),
            calibration: tested.as_ref().map_or_else(Vec::new, |t| t.calibration.clone()),
        };
        Ok(PanelRow { cell: index, row: Some(row), tested, note: None })
    }

    fn comparisons(&self, rows: &[PanelRow]) -> Vec<Comparison> {
        let measured: Vec<Row> = rows.iter().filter_map(|r| r.row.clone()).collect();
        let mut columns = COMPARED.to_vec();
        if !columns.contains(&self.plan.column) {
            columns.push(self.plan.column);
        }
        let versus = measured.iter().find(|r| r.name == self.plan.baseline);
        versus.map_or_else(Vec::new, |v| compare(&measured, v, &columns, self.experiment.seed()))
    }

    fn ablation_comparisons(&self, rows: &[PanelRow], ablation: &[PanelRow]) -> Vec<Comparison> {
        let pair = |row: &Row, versus: &Row| {
            compare(std::slice::from_ref(row), versus, &[self.plan.column], self.experiment.seed())
        };
        let mut found = Vec::new();
        for full in rows.iter().filter_map(|r| r.row.as_ref()) {
            let made_from = |r: &&PanelRow| matches!(&self.plan.cells[r.cell].role, Role::Ablation { of, .. } if *of == full.name);
            // failed steps have no row and are not compared
            let steps: Vec<Option<&Row>> =
                ablation.iter().filter(made_from).map(|r| r.row.as_ref()).collect();
            match self.experiment.ablation {
                // each row is compared with the previous step, which has one family less; the last row is the
                // full set
                Some(Ablation::AddOne) => {
                    let all: Vec<Option<&Row>> = steps.into_iter().chain([Some(full)]).collect();
                    let pairs = all.windows(2).filter_map(|w| Some((w[1]?, w[0]?)));
                    found.extend(pairs.flat_map(|(row, before)| pair(row, before)));
                }
                _ => found.extend(steps.into_iter().flatten().flat_map(|step| pair(step, full))),
            }
        }
        found
    }
}
