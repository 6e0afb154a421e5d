//! The correction for a site, learned from a few of its annotated pages.

use crate::corpus::Corpus;
use crate::corrections::ridge::{Column, Problem, Solution, solve};
use crate::corrections::{Rows, Stacked, check_model, decision_intercept, log_loss, token_f1};
use crate::summary::page_hashes;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use threshr_core::{Result, stop};
use threshr_extract::Model;
use threshr_extract::correction::{LearnedFrom, MAX_TERMS, SiteCorrection, TemplateTerms};

fn is_text(term: &str) -> bool {
    term.starts_with("text ")
}

/// Settings for the correction of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SiteSettings {
    /// Strength of the prior that pulls the weight of a term to 0, in blocks of average weight.
    pub ridge: f64,
    /// Whether the correction is kept even if the evaluation does not show an improvement.
    pub always: bool,
}

impl Default for SiteSettings {
    fn default() -> Self {
        SiteSettings { ridge: 1.0, always: false }
    }
}

/// Strengths of the priors on intercept 0 and slope 1, as multiples of the strength for terms.
const LINE_RIDGE: [f64; 2] = [10.0, 50.0];
/// Factors for the strength of all priors. Cross-validation selects one of them. The largest is first.
const STRENGTHS: [f64; 3] = [16.0, 4.0, 1.0];
/// Minimum absolute weight of a term in a saved correction, in log-odds.
const LEAST_WEIGHT: f64 = 0.02;

/// The annotated pages of a site, prepared for repeated fits on subsets.
#[derive(Debug)]
pub(crate) struct SitePages<'a> {
    model: &'a Model,
    corpus: &'a Corpus,
    pages: Vec<Page>,
    /// Terms by index.
    terms: Vec<String>,
}

#[derive(Debug)]
struct Page {
    rows: Rows,
    /// Indices of the terms of each block.
    terms: Vec<Vec<u32>>,
}

/// The result of a fit on pages of a site.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteFit {
    /// The correction, or `None` if the evaluation does not show an improvement.
    pub correction: Option<SiteCorrection>,
    /// Number of pages that the correction was learned from.
    pub num_pages: usize,
    /// Mean token F1 of the pages without and with the correction. If there are several pages, both values
    /// are measured on held-out pages. If there is one page, they are measured on the page that the
    /// correction was learned from.
    pub token_f1: [f64; 2],
    /// Whether `token_f1` is measured on held-out pages.
    pub is_left_out: bool,
}

impl<'a> SitePages<'a> {
    /// Prepares the pages of a site. `corpus` must be read by [`Corpus::read_to_correct`].
    ///
    /// # Errors
    /// If the model gives all blocks the same score, or the corpus has other columns than the model.
    pub(crate) fn new(model: &'a Model, corpus: &'a Corpus, pages: &[usize]) -> Result<Self> {
        check_model(model)?;
        let read = |&page: &usize| -> Result<(Rows, Vec<Vec<String>>)> {
            stop::check()?;
            let x = corpus.values_for(model.fitted(), page);
            let own = &corpus.pages[page];
            let mut terms = TemplateTerms::new(&own.doc, &own.blocks);
            let terms = (0..own.blocks.len()).map(|block| terms.of(block)).collect();
            Ok((Rows::new(model, corpus, page, &x)?, terms))
        };
        let read: Vec<_> = pages.par_iter().map(read).collect::<Result<_>>()?;
        let (mut numbers, mut names) = (FxHashMap::<String, u32>::default(), Vec::new());
        let mut number = |term: String| {
            *numbers.entry(term).or_insert_with_key(|term| {
                names.push(term.clone());
                names.len() as u32 - 1
            })
        };
        let pages = read.into_iter().map(|(rows, terms)| {
            let numbered = |own: Vec<String>| own.into_iter().map(&mut number).collect();
            Page { rows, terms: terms.into_iter().map(numbered).collect() }
        });
        let pages = pages.collect();
        Ok(SitePages { model, corpus, pages, terms: names })
    }

    /// Number of pages.
    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }

    /// Learns a correction from some of the pages, given by their indices.
    ///
    /// If there are several pages, leave-one-out cross-validation selects the strength of the priors and
    /// evaluates the correction. If there is one page, the strength is fixed, and the correction is evaluated
    /// on this page. The correction is kept if it decreases the log loss and does not decrease the token F1, or
    /// if `settings.always` is true.
    ///
    /// # Errors
    /// If the work is stopped.
    pub(crate) fn fit(&self, places: &[usize], settings: SiteSettings) -> Result<SiteFit> {
        let pages: Vec<&Page> = places.iter().filter_map(|&place| self.pages.get(place)).collect();
        let none = |page: &&Page| self.scores(page, None);
        let before: Vec<[f64; 2]> = pages.iter().map(none).collect();
        let (strength, after, is_left_out) = match pages.len() {
            0 | 1 => {
                let solution = self.solve(&pages, settings, STRENGTHS[1]);
                let after = pages.iter().map(|page| self.scores(page, Some(&solution))).collect();
                (STRENGTHS[1], after, false)
            }
            _ => {
                let left_out = |&strength: &f64| -> Result<(f64, Vec<[f64; 2]>)> {
                    let scores = (0..pages.len()).map(|i| {
                        stop::check()?;
                        let rest: Vec<&Page> =
                            (0..pages.len()).filter(|&j| j != i).map(|j| pages[j]).collect();
                        Ok(self.scores(pages[i], Some(&self.solve(&rest, settings, strength))))
                    });
                    Ok((strength, scores.collect::<Result<_>>()?))
                };
                let tried = STRENGTHS.iter().map(left_out).collect::<Result<Vec<_>>>()?;
                let best = tried.into_iter().min_by(|a, b| total(&a.1, 0).total_cmp(&total(&b.1, 0)));
                let (strength, scores) = best.unwrap_or((STRENGTHS[0], before.clone()));
                (strength, scores, true)
            }
        };
        let mean_f1 = |scores: &[[f64; 2]]| total(scores, 1) / scores.len().max(1) as f64;
        let token_f1 = [mean_f1(&before), mean_f1(&after)];
        let helps = total(&after, 0) < total(&before, 0) && token_f1[1] >= token_f1[0];
        let correction = (helps || settings.always).then(|| {
            let learned = LearnedFrom {
                num_pages: pages.len(),
                page_hashes: page_hashes(self.corpus, pages.iter().map(|page| page.rows.page)),
                left_out_f1: is_left_out.then_some(token_f1),
            };
            self.correction(&self.solve(&pages, settings, strength), learned)
        });
        Ok(SiteFit { correction, num_pages: pages.len(), token_f1, is_left_out })
    }

    /// Returns log loss and token F1 of a page.
    fn scores(&self, page: &Page, solution: Option<&Numbered>) -> [f64; 2] {
        let z = || (0..page.terms.len()).map(|block| page.log_odds(block, solution));
        let index = page.rows.page;
        let labels = &self.corpus.pages[index].labels;
        [log_loss(labels, &page.rows.weight, z()), token_f1(self.model, self.corpus, index, z())]
    }

    fn solve(&self, pages: &[&Page], settings: SiteSettings, strength: f64) -> Numbered {
        let Stacked { labels, log_odds, weight } = Stacked::new(self.corpus, pages.iter().map(|p| &p.rows));
        let ridge = settings.ridge * strength;
        // for each term: its column, the number of pages that have it, and the index of the last such page
        let mut found: FxHashMap<u32, (Column, usize, usize)> = FxHashMap::default();
        let mut row = 0u32;
        for (place, page) in pages.iter().enumerate() {
            for terms in &page.terms {
                for &term in terms {
                    let (column, num_pages, last) =
                        found.entry(term).or_insert((Column { ridge, ..Column::default() }, 0, usize::MAX));
                    column.entries.push((row, 1.0));
                    *num_pages += usize::from(*last != place);
                    *last = place;
                }
                row += 1;
            }
        }
        let is_boilerplate = |column: &Column| column.entries.iter().all(|&(row, _)| !labels[row as usize]);
        let mut kept: Vec<(u32, Column)> = found
            .into_iter()
            .filter(|(term, (column, num_pages, _))| {
                let name = &self.terms[*term as usize];
                !is_text(name) || *num_pages > 1 || is_boilerplate(column)
            })
            .map(|(term, (column, ..))| (term, column))
            .collect();
        kept.sort_unstable_by_key(|(term, _)| *term);
        let (terms, columns): (Vec<u32>, Vec<Column>) = kept.into_iter().unzip();
        let line_ridge = LINE_RIDGE.map(|multiple| multiple * ridge);
        let problem = Problem { log_odds: &log_odds, labels: &labels, weight: &weight, columns, line_ridge };
        let Solution { intercept, slope, weights } = solve(&problem);
        Numbered { intercept, slope, weights: terms.into_iter().zip(weights).collect() }
    }

    /// Converts a solution to the unit of decision values. Keeps only the terms with the largest absolute
    /// weights.
    fn correction(&self, solution: &Numbered, learned: LearnedFrom) -> SiteCorrection {
        let sigmoid = &self.model.fitted().sigmoid;
        let mut weights: Vec<(u32, f64)> = solution
            .weights
            .iter()
            .map(|(&term, &w)| (term, w))
            .filter(|w| w.1.abs() >= LEAST_WEIGHT)
            .collect();
        weights.sort_unstable_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        weights.truncate(MAX_TERMS);
        let term =
            |(term, weight): (u32, f64)| (self.terms[term as usize].clone(), (weight / sigmoid.a) as f32);
        let intercept = decision_intercept(solution.intercept, solution.slope, sigmoid);
        SiteCorrection {
            intercept: intercept as f32,
            slope: solution.slope as f32,
            terms: weights.into_iter().map(term).collect(),
            learned,
        }
    }
}

/// Returns the sum of the scores with the index `which`.
fn total(scores: &[[f64; 2]], which: usize) -> f64 {
    scores.iter().map(|s| s[which]).sum()
}

/// A solution whose weights are stored by term index.
struct Numbered {
    intercept: f64,
    slope: f64,
    weights: FxHashMap<u32, f64>,
}

impl Page {
    /// Returns the log-odds of a block; they are corrected if `solution` is given.
    fn log_odds(&self, block: usize, solution: Option<&Numbered>) -> f64 {
        let z = self.rows.log_odds[block];
        let Some(solution) = solution else { return z };
        let weights: f64 = self.terms[block].iter().filter_map(|term| solution.weights.get(term)).sum();
        solution.intercept + solution.slope * z + weights
    }
}
