//! Corrections for all sites of a corpus.

use crate::corpus::Corpus;
use crate::corrections::{SiteFit, SitePages, SiteSettings};
use std::collections::BTreeMap;
use threshr_core::Setting;
use threshr_core::site_of;
use threshr_core::{Error, Result};
use threshr_extract::Model;
use threshr_extract::correction::{Corrections, MAX_NAME, MAX_SITES};
use threshr_sets::gold::DataSet;

/// Results of the fits for each site.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteFits {
    /// Fit of each site.
    pub sites: BTreeMap<String, SiteFit>,
    /// Number of pages that are excluded, because too little of their gold text was found on the page.
    pub num_unusable: usize,
}

impl SiteFits {
    /// Learns a correction for each site from the pages with usable gold. `corpus` must be read from `sets` by
    /// [`Corpus::read_to_correct`]. `site` is a site name or URL that applies to all pages. If it is `None`,
    /// pages are grouped by the site of their set entry or URL. `report` is called after each fit.
    ///
    /// # Errors
    /// - If a setting is out of range.
    /// - If the site of a page is unknown, or no page has usable gold.
    /// - If the model gives all blocks the same score, the corpus has other columns than the model, or the work
    ///   is stopped.
    pub fn learn(
        model: &Model,
        (corpus, sets): (&Corpus, &[DataSet]),
        site: Option<&str>,
        settings: SiteSettings,
        mut report: impl FnMut(&str, &SiteFit),
    ) -> Result<Self> {
        settings.check(site)?;
        let usable = corpus.trainable_with_gold(model.recipe());
        let num_unusable = corpus.with_gold().len() - usable.len();
        let by_site = by_site(corpus, usable, site).map_err(|e| match sets.first() {
            Some(set) => e.at_path(&set.path),
            None => e,
        });
        let by_site = by_site.map_err(|e| match num_unusable {
            0 => e,
            n => {
                e.because(Error::data(format!("too little of the gold text of {n} pages was found on them")))
            }
        })?;
        let mut sites = BTreeMap::new();
        for (site, pages) in by_site {
            let prepared = SitePages::new(model, corpus, &pages)?;
            let fit = prepared.fit(&(0..prepared.len()).collect::<Vec<_>>(), settings)?;
            report(&site, &fit);
            sites.insert(site, fit);
        }
        Ok(SiteFits { sites, num_unusable })
    }

    /// Adds the corrections that are kept. An existing correction of the same site is replaced.
    ///
    /// # Errors
    /// If there would be corrections for more sites than a model may have.
    pub fn add_to(&self, corrections: &mut Corrections) -> Result<()> {
        let kept = self.sites.iter().filter_map(|(site, fit)| Some((site.clone(), fit.correction.clone()?)));
        corrections.sites.extend(kept);
        match corrections.sites.len() {
            ..=MAX_SITES => Ok(()),
            n => Err(Error::model(format!("the model would have corrections of {n} sites"))
                .expected(format!("at most {MAX_SITES}"))),
        }
    }
}

impl SiteSettings {
    /// Checks the settings and a site name.
    ///
    /// # Errors
    /// If a setting is out of range, or the name is empty or too long.
    pub fn check(&self, site: Option<&str>) -> Result<()> {
        if !(1e-3..=1e6).contains(&self.ridge) {
            return Err(Error::invalid_option(format!("the strength of the prior is {}", self.ridge))
                .expected("a number from 0.001 to 1000000")
                .with_setting(Setting::Prior));
        }
        match site.filter(|site| site.is_empty() || site.len() > MAX_NAME) {
            Some(site) => {
                Err(Error::invalid_option(format!("the name of the site has {} bytes", site.len()))
                    .expected("a site such as example.org")
                    .with_setting(Setting::Site))
            }
            None => Ok(()),
        }
    }
}

/// Returns the site name for a name or URL given by a user.
pub fn site_name(site: &str) -> String {
    site_of(site).unwrap_or_else(|| site.to_owned())
}

/// Groups pages by site.
fn by_site(corpus: &Corpus, pages: Vec<usize>, site: Option<&str>) -> Result<BTreeMap<String, Vec<usize>>> {
    let mut sites: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut unknown = Vec::new();
    for page in pages {
        let own = || corpus.pages[page].known_site().map(str::to_owned);
        match site.map(site_name).or_else(own) {
            Some(site) => sites.entry(site).or_default().push(page),
            None => unknown.push(corpus.pages[page].id.as_str()),
        }
    }
    if let [first, rest @ ..] = &unknown[..] {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        return Err(Error::data(format!(
            "the site of page {first}{more} is unknown: there is no url, domain or site, and the page states no address"
        ))
        .expected("pages with a url, or the name of the site if all are of one site")
        .with_setting(Setting::Site));
    }
    if sites.is_empty() {
        return Err(Error::data("no page to learn from")
            .expected("annotated pages whose gold is found in their blocks"));
    }
    Ok(sites)
}
