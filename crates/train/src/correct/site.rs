//! The correction of a site, learned from a few annotated pages of it.

use crate::corpus::Corpus;
use crate::correct::ridge::{Column, Problem, Solution, solve};
use crate::correct::{Rows, Stacked, check_model, decision_intercept, log_loss, token_f1};
use crate::summary::page_hashes;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use threshr_core::{Result, stop};
use threshr_extract::Model;
use threshr_extract::correction::{LearnedFrom, MAX_TERMS, SiteCorrection, TemplateTerms};

fn is_text(term: &str) -> bool {
    term.starts_with("text ")
}

/// Settings of the correction of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SiteSettings {
    /// Strength of the prior on weight 0 of a term, in blocks of average weight.
    pub ridge: f64,
    /// Whether the correction is kept although left-out pages do not show that it helps.
    pub always: bool,
}

impl Default for SiteSettings {
    fn default() -> Self {
        SiteSettings { ridge: 1.0, always: false }
    }
}

/// Strength of the priors on intercept 0 and slope 1, as a multiple of that on terms.
const LINE_RIDGE: [f64; 2] = [10.0, 50.0];
/// Multiples of the strength of the priors that left-out pages choose from, the greatest first.
const STRENGTHS: [f64; 3] = [16.0, 4.0, 1.0];
/// Least absolute weight of a term that is written, in log-odds.
const LEAST_WEIGHT: f64 = 0.02;

/// The annotated pages of a site, prepared for fits on any of them.
#[derive(Debug)]
pub(crate) struct SitePages<'a> {
    model: &'a Model,
    corpus: &'a Corpus,
    pages: Vec<Page>,
    /// The terms by number.
    terms: Vec<String>,
}

#[derive(Debug)]
struct Page {
    rows: Rows,
    /// Numbers of the terms of each block.
    terms: Vec<Vec<u32>>,
}

/// The result of a fit on pages of a site.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteFit {
    /// The correction; `None` if left-out pages do not show that it helps.
    pub correction: Option<SiteCorrection>,
    /// Number of pages that it was learned from.
    pub num_pages: usize,
    /// Mean token F1 of the pages without and with a correction: of left-out pages if there are several, else of
    /// the page that it was learned from.
    pub token_f1: [f64; 2],
    /// Whether `token_f1` is of left-out pages.
    pub is_left_out: bool,
}

impl<'a> SitePages<'a> {
    /// Prepares the pages of a site. `corpus` is read by [`Corpus::read_to_correct`].
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
            Ok((Rows::of(model, corpus, page, &x)?, terms))
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

    /// Learns a correction from some of the pages, given by their place. With several pages, each in turn is left
    /// out: the left-out pages choose the strength of the prior, and the correction is kept only if it lowers their
    /// log loss and does not lower their token F1. With one page the prior is fixed.
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

    /// Log loss and token F1 of a page.
    fn scores(&self, page: &Page, solution: Option<&Numbered>) -> [f64; 2] {
        let z = || (0..page.terms.len()).map(|block| page.log_odds(block, solution));
        let index = page.rows.page;
        let labels = &self.corpus.pages[index].labels;
        [log_loss(labels, &page.rows.weight, z()), token_f1(self.model, self.corpus, index, z())]
    }

    fn solve(&self, pages: &[&Page], settings: SiteSettings, strength: f64) -> Numbered {
        let Stacked { labels, log_odds, weight } = Stacked::of(self.corpus, pages.iter().map(|p| &p.rows));
        let ridge = settings.ridge * strength;
        // rows, and the number of pages, of each term
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

    /// The correction in the unit of decision values, with the terms of the greatest weights.
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

/// The sum of one of two scores.
fn total(scores: &[[f64; 2]], which: usize) -> f64 {
    scores.iter().map(|s| s[which]).sum()
}

/// A solution with weights by the number of the term.
struct Numbered {
    intercept: f64,
    slope: f64,
    weights: FxHashMap<u32, f64>,
}

impl Page {
    /// Log-odds of a block with a correction.
    fn log_odds(&self, block: usize, solution: Option<&Numbered>) -> f64 {
        let z = self.rows.log_odds[block];
        let Some(solution) = solution else { return z };
        let weights: f64 = self.terms[block].iter().filter_map(|term| solution.weights.get(term)).sum();
        solution.intercept + solution.slope * z + weights
    }
}
