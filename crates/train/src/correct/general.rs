//! The correction for all pages, learned from annotated pages of several sites.

use crate::corpus::Corpus;
use crate::correct::ridge::{Column, Problem, Solution, probability, solve};
use crate::correct::{Rows, Stacked, check_model, decision_intercept, log_loss, token_f1};
use crate::summary::{page_hashes, site_hashes};
use ndarray::Array2;
use rayon::prelude::*;
use std::collections::BTreeSet;
use threshr_core::{Error, Result, stop};
use threshr_extract::Model;
use threshr_extract::correction::{ColumnWeight, GeneralCorrection, LearnedFrom};

/// Most columns of a correction: those that say most about the errors of the model on the training pages.
const NUM_COLUMNS: usize = 20;
/// Most rounds of a fit.
const MAX_ROUNDS: usize = 60;
/// Farthest standardised value of a column, as in [`ColumnWeight`].
const MAX_DEVIATION: f64 = 3.0;
/// Strength of the priors that held-out pages choose from, in blocks of average weight, the greatest first.
/// `None`: no columns, only intercept and slope.
const STRENGTHS: [Option<f64>; 4] = [None, Some(300.0), Some(100.0), Some(30.0)];
/// Strength of the priors on intercept 0 and slope 1.
const LINE_RIDGE: [f64; 2] = [10.0, 50.0];
/// Folds whose pages are scored.
const OUTER_FOLDS: usize = 5;
/// Folds inside the training pages of a fold, which choose the strength.
const INNER_FOLDS: usize = 3;

/// Token F1 of a page without and with a correction that was learned from other sites.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutF1 {
    /// Index of the page in the corpus.
    pub page: usize,
    /// Without and with the correction.
    pub token_f1: [f64; 2],
}

/// The result of a fit on pages of several sites.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneralFit {
    /// The correction; `None` if held-out sites do not show that it helps.
    pub correction: Option<GeneralCorrection>,
    /// Scores of all pages, each held out with its site.
    pub held_out: Vec<HeldOutF1>,
    /// Number of sites.
    pub num_sites: usize,
}

/// Learns a correction of `model` from the pages with gold of a corpus that is read by
/// [`Corpus::read_to_correct`].
///
/// Folds by site show what a correction gives on other sites. Folds inside the training pages of each choose the
/// strength of the prior. The correction is kept only if it lowers the log loss of the held-out pages and raises
/// their token F1, or if `always` is set.
///
/// # Errors
/// If there are pages of fewer than two sites, or the model gives all blocks the same score.
pub fn fit_general(model: &Model, corpus: &Corpus, always: bool) -> Result<GeneralFit> {
    check_model(model)?;
    let pages = corpus.trainable_with_gold(model.recipe());
    let sites: BTreeSet<&str> = pages.iter().map(|&page| corpus.pages[page].site.as_str()).collect();
    let num_sites = sites.len();
    if num_sites < 2 {
        return Err(Error::data(format!("there are annotated pages of {num_sites} sites"))
            .expected("pages of two sites or more; threshr adapt learns from the pages of one site"));
    }
    let set = Set::read(model, corpus, &pages)?;
    let all: Vec<usize> = (0..pages.len()).collect();
    let fold_of = corpus.folds(&pages, OUTER_FOLDS.min(num_sites), model.recipe().seed);
    let num_folds = fold_of.iter().max().map_or(0, |fold| fold + 1);
    let in_fold = |fold: usize, is_test: bool| -> Vec<usize> {
        all.iter().copied().filter(|&place| (fold_of[place] == fold) == is_test).collect()
    };
    let of_fold = |fold: usize| -> Result<Vec<HeldOut>> {
        stop::check()?;
        let train = in_fold(fold, false);
        let fit = set.solve(&train, set.strength(&train));
        let score = |place: usize| HeldOut {
            place,
            before: set.scores(place, None),
            after: set.scores(place, Some(&fit)),
        };
        Ok(in_fold(fold, true).into_iter().map(score).collect())
    };
    let mut scored: Vec<_> = (0..num_folds)
        .into_par_iter()
        .map(of_fold)
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    scored.sort_by_key(|s| s.place);
    let held_out: Vec<HeldOutF1> = scored
        .iter()
        .map(|s| HeldOutF1 { page: pages[s.place], token_f1: [s.before[1], s.after[1]] })
        .collect();
    let sum = |of: fn(&HeldOut) -> f64| scored.iter().map(of).sum::<f64>();
    let [loss_before, loss_after] = [sum(|s| s.before[0]), sum(|s| s.after[0])];
    let f1 = [sum(|s| s.before[1]), sum(|s| s.after[1])].map(|sum| sum / scored.len().max(1) as f64);
    let helps = loss_after < loss_before && f1[1] > f1[0];
    let correction = (helps || always).then(|| {
        let fit = set.solve(&all, set.strength(&all));
        let learned = LearnedFrom {
            num_pages: pages.len(),
            page_hashes: page_hashes(corpus, pages.iter().copied()),
            left_out_f1: Some(f1),
        };
        set.correction(&fit, learned, site_hashes(corpus, &pages))
    });
    Ok(GeneralFit { correction, held_out, num_sites })
}

/// Log loss and token F1 of a left-out page.
struct HeldOut {
    /// Its place among the pages to learn from.
    place: usize,
    before: [f64; 2],
    after: [f64; 2],
}

/// The pages to learn from.
struct Set<'a> {
    model: &'a Model,
    corpus: &'a Corpus,
    pages: Vec<Page>,
    /// Index, center and scale of each column.
    columns: Vec<(usize, f64, f64)>,
}

struct Page {
    rows: Rows,
    /// Standardised values of the columns, block by block.
    values: Vec<f64>,
}

impl<'a> Set<'a> {
    fn read(model: &'a Model, corpus: &'a Corpus, pages: &[usize]) -> Result<Self> {
        let chosen = candidates(model);
        let read = |&page: &usize| -> Result<(Rows, Array2<f32>)> {
            stop::check()?;
            let x = corpus.values_for(model.fitted(), page);
            Ok((Rows::of(model, corpus, page, &x)?, x.select(ndarray::Axis(1), &chosen)))
        };
        let read: Vec<(Rows, Array2<f32>)> = pages.par_iter().map(read).collect::<Result<_>>()?;
        let mut columns: Vec<(usize, f64, f64)> = Vec::new();
        for (place, &column) in chosen.iter().enumerate() {
            let values = || {
                read.iter().flat_map(|(rows, x)| {
                    rows.weight.iter().zip(x.column(place).to_vec()).map(|(&w, value)| (w, f64::from(value)))
                })
            };
            let total: f64 = values().map(|v| v.0).sum();
            let mean = values().map(|(w, value)| w * value).sum::<f64>() / total.max(f64::MIN_POSITIVE);
            let variance = values().map(|(w, value)| w * (value - mean).powi(2)).sum::<f64>()
                / total.max(f64::MIN_POSITIVE);
            columns.push((column, mean, variance.sqrt()));
        }
        let is_usable =
            |c: &(usize, f64, f64)| c.1.is_finite() && (c.2 as f32) > 0.0 && (c.2 as f32).is_finite();
        let places: Vec<usize> = (0..columns.len()).filter(|&place| is_usable(&columns[place])).collect();
        let columns: Vec<(usize, f64, f64)> = places.iter().map(|&place| columns[place]).collect();
        let pages = read.into_iter().map(|(rows, x)| {
            let standardised = |row: usize| {
                let of = |(&place, column): (&usize, &(usize, f64, f64))| {
                    let value = (f64::from(x[[row, place]]) - column.1) / column.2;
                    value.clamp(-MAX_DEVIATION, MAX_DEVIATION)
                };
                places.iter().zip(&columns).map(of).collect::<Vec<f64>>()
            };
            let values = (0..x.nrows()).flat_map(standardised).collect();
            Page { rows, values }
        });
        let pages = pages.collect();
        Ok(Set { model, corpus, pages, columns })
    }

    /// The strength with the least log loss on folds inside the pages at `places`.
    fn strength(&self, places: &[usize]) -> Option<f64> {
        let pages: Vec<usize> = places.iter().map(|&place| self.pages[place].rows.page).collect();
        let fold_of = self.corpus.folds(&pages, INNER_FOLDS, self.model.recipe().seed);
        let loss = |strength: Option<f64>| -> f64 {
            let of_fold = |fold: usize| -> f64 {
                let split = |is_test: bool| -> Vec<usize> {
                    let all = places.iter().zip(&fold_of);
                    all.filter(|(_, of)| (**of == fold) == is_test).map(|(&place, _)| place).collect()
                };
                let (train, test) = (split(false), split(true));
                if train.is_empty() || test.is_empty() {
                    return 0.0;
                }
                let fit = self.solve(&train, strength);
                test.into_iter().map(|place| self.loss(place, &self.log_odds(place, Some(&fit)))).sum()
            };
            (0..INNER_FOLDS).map(of_fold).sum()
        };
        let losses: Vec<f64> = STRENGTHS.par_iter().map(|&strength| loss(strength)).collect();
        let best = losses.iter().zip(STRENGTHS).min_by(|a, b| a.0.total_cmp(b.0));
        best.and_then(|best| best.1)
    }

    fn solve(&self, places: &[usize], strength: Option<f64>) -> Fit {
        let pages: Vec<&Page> = places.iter().map(|&place| &self.pages[place]).collect();
        let Stacked { labels, log_odds, weight } = Stacked::of(self.corpus, pages.iter().map(|p| &p.rows));
        let rows: Vec<&[f64]> =
            pages.iter().flat_map(|page| page.values.chunks_exact(self.columns.len().max(1))).collect();
        let chosen = match strength {
            Some(_) => choose(&rows, self.columns.len(), &labels, &log_odds, &weight),
            None => Vec::new(),
        };
        let column = |&place: &usize| Column {
            entries: (0u32..).zip(&rows).map(|(row, values)| (row, values[place])).collect(),
            ridge: strength.unwrap_or_default(),
        };
        let solution = solve(&Problem {
            log_odds: &log_odds,
            labels: &labels,
            weight: &weight,
            columns: chosen.iter().map(column).collect(),
            line_ridge: LINE_RIDGE,
            max_rounds: MAX_ROUNDS,
        });
        Fit { solution, chosen }
    }

    /// Log-odds of the blocks of a page.
    fn log_odds(&self, place: usize, fit: Option<&Fit>) -> Vec<f64> {
        let page = &self.pages[place];
        let Some(Fit { solution, chosen }) = fit else { return page.rows.log_odds.clone() };
        let width = self.columns.len();
        let of = |(block, &z): (usize, &f64)| {
            let values = &page.values[block * width..(block + 1) * width];
            let weights: f64 = chosen.iter().zip(&solution.weights).map(|(&at, w)| values[at] * w).sum();
            solution.intercept + solution.slope * z + weights
        };
        page.rows.log_odds.iter().enumerate().map(of).collect()
    }

    /// Log loss of a page with these log-odds.
    fn loss(&self, place: usize, log_odds: &[f64]) -> f64 {
        let rows = &self.pages[place].rows;
        log_loss(&self.corpus.pages[rows.page].labels, &rows.weight, log_odds.iter().copied())
    }

    /// Log loss and token F1 of a page.
    fn scores(&self, place: usize, fit: Option<&Fit>) -> [f64; 2] {
        let z = self.log_odds(place, fit);
        let page = self.pages[place].rows.page;
        [self.loss(place, &z), token_f1(self.model, self.corpus, page, z.into_iter())]
    }

    /// The correction in the unit of decision values.
    fn correction(&self, fit: &Fit, learned: LearnedFrom, site_hashes: String) -> GeneralCorrection {
        let sigmoid = &self.model.fitted().sigmoid;
        let Fit { solution, chosen } = fit;
        let column = |(&place, &weight): (&usize, &f64)| {
            let (column, center, scale) = self.columns[place];
            let weight = (weight / sigmoid.a) as f32;
            ColumnWeight { column, center: center as f32, scale: scale as f32, weight }
        };
        GeneralCorrection {
            intercept: decision_intercept(solution.intercept, solution.slope, sigmoid) as f32,
            slope: solution.slope as f32,
            columns: chosen.iter().zip(&solution.weights).map(column).filter(|c| c.weight != 0.0).collect(),
            learned,
            site_hashes,
        }
    }
}

/// A fit with the places of its columns among the candidates.
struct Fit {
    solution: Solution,
    chosen: Vec<usize>,
}

/// The places of the columns with the greatest score statistic for weight 0: those that explain most of what the
/// log-odds get wrong. Ascending.
fn choose(rows: &[&[f64]], width: usize, labels: &[bool], log_odds: &[f64], weight: &[f64]) -> Vec<usize> {
    let (mut slope, mut curvature) = (vec![0.0f64; width], vec![1.0f64; width]);
    for (row, values) in rows.iter().enumerate() {
        let p = probability(log_odds[row]);
        let residual = weight[row] * (f64::from(u8::from(labels[row])) - p);
        let spread = weight[row] * p * (1.0 - p);
        for (place, value) in values.iter().enumerate() {
            slope[place] += residual * value;
            curvature[place] += spread * value * value;
        }
    }
    let statistic = |place: usize| slope[place] * slope[place] / curvature[place];
    let mut places: Vec<usize> = (0..width).collect();
    places.sort_by(|&a, &b| statistic(b).total_cmp(&statistic(a)).then(a.cmp(&b)));
    places.truncate(NUM_COLUMNS);
    places.sort_unstable();
    places
}

/// The columns that the model uses, without those of neighbouring blocks.
fn candidates(model: &Model) -> Vec<usize> {
    let used = model.fitted().classifier.used_columns();
    let is_used = |column: usize| used.as_ref().is_none_or(|used| used[column]);
    let names = model.columns();
    (0..names.len()).filter(|&column| is_used(column) && !names[column].contains('@')).collect()
}
