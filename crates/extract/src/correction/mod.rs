//! Corrections of a model's decision values for single sites, learned from few annotated pages after training.
//!
//! A [`SiteCorrection`] applies to the pages of one site. The decision values of other pages do not change. The
//! correction is applied to the final decision value of the classifier, before calibration. In a blend, the
//! members are therefore not affected.
//!
//! The correction is linear, with a prior on "no change", after: Daumé, ACL 2007, "Frustratingly easy domain
//! adaptation"; Chelba and Acero, EMNLP 2004, "Adaptation of maximum entropy capitalizer".

mod template;

pub use template::TemplateTerms;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use threshr_core::{Budget, Error, Result};
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// Maximum number of sites with a correction per model file.
pub const MAX_SITES: usize = 100_000;
/// Maximum number of terms in the correction for a site.
pub const MAX_TERMS: usize = 2_000;
/// Maximum number of bytes of a site name or a term.
pub const MAX_NAME: usize = 1_000;
/// Maximum absolute value of a number in a correction, on the scale of decision values.
const MAX_NUMBER: f32 = 1e6;

/// The corrections of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corrections {
    /// Corrections by site name; see [`site_of`](threshr_core::site_of).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites: BTreeMap<String, SiteCorrection>,
}

/// Correction for the pages of a site. It maps a decision value `d` to
/// `intercept + slope * d + sum of the weights of the block's terms`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteCorrection {
    /// Constant that is added to every decision value.
    pub intercept: f32,
    /// Factor of decision values, `>= 0`.
    pub slope: f32,
    /// Weights of terms; see [`TemplateTerms`].
    pub terms: BTreeMap<String, f32>,
    /// The pages from which the correction was learned.
    pub learned: LearnedFrom,
}

/// The pages from which a correction was learned, and its effect on held-out pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedFrom {
    /// Number of pages.
    pub num_pages: usize,
    /// Hashes of the bytes of the pages, 12 hexadecimal digits each, sorted. They reveal overlap with test
    /// pages.
    pub page_hashes: String,
    /// Mean token F1 of held-out pages, without and with the correction; `None` if no page was held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_f1: Option<[f64; 2]>,
}

/// The correction for a site, evaluated on one page: a decision value `d` becomes `slope * d + offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct Shift {
    /// Factor of the decision values.
    pub slope: f32,
    /// Offset of each block.
    pub offsets: Vec<f32>,
}

impl Corrections {
    /// Whether there are no corrections.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// Returns the correction for a site, evaluated on one of its pages; `None` if there is no correction for
    /// the site.
    ///
    /// # Errors
    /// If the budget is exhausted.
    pub fn shift(
        &self,
        site: Option<&str>,
        doc: &Document,
        blocks: &Blocks,
        budget: &Budget,
    ) -> Result<Option<Shift>> {
        let correction = site.and_then(|site| self.sites.get(site));
        correction.map(|correction| correction.shift(doc, blocks, budget)).transpose()
    }

    /// Validates all numbers and sizes.
    ///
    /// # Errors
    /// For the first invalid value.
    pub fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::model(format!("the corrections have {what}")));
        if self.sites.len() > MAX_SITES {
            return wrong("too many sites");
        }
        for (site, correction) in &self.sites {
            if site.is_empty() || site.len() > MAX_NAME || correction.terms.len() > MAX_TERMS {
                return wrong("a site without a name, with a name that is too long, or with too many terms");
            }
            let is_sound = |(term, weight): (&String, &f32)| {
                term.len() <= MAX_NAME && weight.is_finite() && weight.abs() <= MAX_NUMBER
            };
            if !is_line(correction.intercept, correction.slope) || !correction.terms.iter().all(is_sound) {
                return wrong("a number that is out of range, or a term that is too long");
            }
        }
        Ok(())
    }
}

fn is_line(intercept: f32, slope: f32) -> bool {
    intercept.is_finite() && intercept.abs() <= MAX_NUMBER && (0.0..=MAX_NUMBER).contains(&slope)
}

/// Replaces a decision value that is not finite by a finite one.
fn bounded(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(f32::MIN, f32::MAX) }
}

impl SiteCorrection {
    /// Evaluates the correction on the blocks of a page of the site.
    ///
    /// # Errors
    /// If the budget is exhausted.
    pub fn shift(&self, doc: &Document, blocks: &Blocks, budget: &Budget) -> Result<Shift> {
        let mut terms = TemplateTerms::new(doc, blocks);
        let mut offsets = Vec::with_capacity(blocks.len());
        for block in 0..blocks.len() {
            budget.check()?;
            let weights: f32 = terms.of(block).iter().filter_map(|term| self.terms.get(term)).sum();
            offsets.push(self.intercept + weights);
        }
        Ok(Shift { slope: self.slope, offsets })
    }

    /// Returns those terms of a block that have a weight, with the weight that each adds to the decision value.
    pub(crate) fn contributions(&self, terms: Vec<String>) -> Vec<(String, f32)> {
        let weight = |term: String| self.terms.get(&term).map(|&weight| (term, weight));
        terms.into_iter().filter_map(weight).collect()
    }
}

impl Shift {
    /// Corrects the decision values of the blocks.
    pub fn apply(&self, decisions: &mut [f32]) {
        decisions
            .iter_mut()
            .zip(&self.offsets)
            .for_each(|(d, offset)| *d = bounded(self.slope * *d + offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::{Visibility, parse_str};

    fn correction(terms: &[(&str, f32)]) -> SiteCorrection {
        let terms = terms.iter().map(|t| (t.0.to_owned(), t.1)).collect();
        SiteCorrection { intercept: 0.5, slope: 2.0, terms, learned: LearnedFrom::default() }
    }

    #[test]
    fn a_site_shifts_its_own_blocks() {
        let doc = parse_str("<div class=teaser><p>Read more</div><p>It rained.");
        let blocks = Blocks::new(&doc, threshr_html::blocks::REGISTRY[0], Visibility::Visible);
        let mut corrections = Corrections::default();
        corrections.sites.insert("a.example".into(), correction(&[("in div.teaser", -3.0)]));
        let shift = |site| corrections.shift(site, &doc, &blocks, &Budget::UNLIMITED).expect("a shift");
        assert_eq!((shift(None), shift(Some("b.example"))), (None, None));
        let shift = shift(Some("a.example")).expect("a correction");
        assert_eq!(shift.offsets, [-2.5, 0.5]);
        let mut decisions = [1.0, -1.0];
        shift.apply(&mut decisions);
        assert_eq!(decisions, [-0.5, -1.5]);
    }

    #[test]
    fn damaged_corrections_are_errors() {
        let site = |name: &str, correction: SiteCorrection| Corrections {
            sites: [(name.to_owned(), correction)].into(),
        };
        assert!(site("a.example", correction(&[("in p", 1.0)])).check().is_ok());
        let long = "x".repeat(MAX_NAME + 1);
        let terms: Vec<String> = (0..=MAX_TERMS).map(|i| format!("t{i}")).collect();
        let terms: Vec<(&str, f32)> = terms.iter().map(|t| (t.as_str(), 1.0)).collect();
        for damaged in [
            site("", correction(&[])),
            site(&long, correction(&[])),
            site("a", correction(&[("in p", f32::NAN)])),
            site("a", correction(&[("in p", 1e30)])),
            site("a", correction(&[(&long, 1.0)])),
            site("a", correction(&terms)),
            site("a", SiteCorrection { slope: -1.0, ..correction(&[]) }),
            site("a", SiteCorrection { intercept: f32::INFINITY, ..correction(&[]) }),
        ] {
            assert!(damaged.check().is_err(), "{damaged:?}");
        }
    }
}
