//! Pages that a model has seen in training. Scores on such pages are too high, so they are computed only on
//! request.

use crate::corpus::Corpus;
use crate::corpus::page::CorpusPage;
use crate::summary::{DIGITS, site_hash};
use rustc_hash::FxHashSet;
use threshr_core::{Error, Result, Setting, hex};
use threshr_extract::correction::Corrections;
use threshr_extract::model::TrainingSummary;

/// Treatment of overlapping pages when a model is scored: pages that the model was trained on, and other
/// pages of their sites.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Overlap {
    /// Overlapping pages are an error.
    #[default]
    Error,
    /// Overlapping pages are left out. It is an error if no page remains.
    Skip,
    /// Overlapping pages are scored.
    Allow,
}

impl Overlap {
    /// The names of the choices.
    pub const NAMES: [&str; 3] = ["error", "skip", "allow"];

    /// Returns the treatment with this name.
    ///
    /// # Errors
    /// If no treatment has this name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "error" => Ok(Overlap::Error),
            "skip" => Ok(Overlap::Skip),
            "allow" => Ok(Overlap::Allow),
            other => Err(Error::invalid_option(format!("there is no treatment `{other}` of training pages"))
                .expected(Overlap::NAMES.join(", "))
                .with_setting(Setting::Overlap)),
        }
    }

    /// Returns the pages on which a model is scored: the pages of `pages` that the model has not seen, or all
    /// pages if `Allow` is selected. A site correction has seen only the pages that it was learned from,
    /// because it is intended for the other pages of the site. Systems have no corrections.
    ///
    /// # Errors
    /// If the model has seen a page and `self` is `Error`, or if the model has seen all pages.
    pub fn pages_to_score(
        self,
        (trained, corrections): (&TrainingSummary, Option<&Corrections>),
        corpus: &Corpus,
        pages: Vec<usize>,
    ) -> Result<Vec<usize>> {
        if self == Overlap::Allow {
            return Ok(pages);
        }
        let mut seen: FxHashSet<usize> = overlap(trained, corpus).into_iter().collect();
        seen.extend(corrections.into_iter().flat_map(|c| overlap_with_corrections(c, corpus)));
        let num = pages.len();
        let unseen: Vec<usize> = pages.into_iter().filter(|page| !seen.contains(page)).collect();
        let num_seen = num - unseen.len();
        if num_seen == 0 {
            return Ok(unseen);
        }
        if self == Overlap::Error {
            return Err(Error::data(format!(
                "the model was trained on {num_seen} of the {num} pages, or on pages of their sites"
            ))
            .expected(
                "pages of other sites; `skip` leaves these pages out, `allow` scores them; folds train new models for the evaluation",
            )
            .with_setting(Setting::Overlap));
        }
        match unseen.is_empty() {
            true => Err(Error::data("the model was trained on the sites of all pages, so no page remains")
                .expected("pages of other sites")),
            false => Ok(unseen),
        }
    }
}

/// Returns the pages of a corpus that a correction was learned from. Other pages of the same site are not
/// included, because the correction is intended for them.
fn overlap_with_corrections(corrections: &Corrections, corpus: &Corpus) -> Vec<usize> {
    let learned = corrections.sites.values().map(|site| &site.learned);
    let pages: FxHashSet<&str> = learned.flat_map(|learned| split(&learned.page_hashes)).collect();
    (0..corpus.pages.len()).filter(|&i| pages.contains(&hex(&corpus.pages[i].hash)[..DIGITS])).collect()
}

/// Returns the pages of a corpus that are training pages of a model, or whose site is one of its training
/// sites.
pub(crate) fn overlap(summary: &TrainingSummary, corpus: &Corpus) -> Vec<usize> {
    let (pages, sites) = (split(&summary.page_hashes), split(&summary.site_hashes));
    let overlaps = |p: &CorpusPage| {
        let has_site = || p.has_known_site() && sites.contains(&site_hash(&p.site)[..DIGITS]);
        pages.contains(&hex(&p.hash)[..DIGITS]) || has_site()
    };
    (0..corpus.pages.len()).filter(|&i| overlaps(&corpus.pages[i])).collect()
}

fn split(hashes: &str) -> FxHashSet<&str> {
    // a truncated or corrupt list may end within a hash or a character
    (0..hashes.len() / DIGITS).filter_map(|i| hashes.get(i * DIGITS..(i + 1) * DIGITS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_names() {
        let all = [Overlap::Error, Overlap::Skip, Overlap::Allow];
        assert_eq!(Overlap::NAMES.map(|name| Overlap::parse(name).expect(name)), all);
        let error = Overlap::parse("all").expect_err("no choice").to_string();
        assert!(error.contains("error, skip, allow"), "{error}");
    }
}
