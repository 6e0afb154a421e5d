//! Corrections for all sites of a corpus.

use crate::corpus::Corpus;
use crate::corrections::{SiteFit, SitePages, SiteSettings};
use crate::overlap::overlap;
use rustc_hash::FxHashSet;
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
    /// Ids of the pages that are excluded, because their site is unknown.
    pub unknown: Vec<String>,
    /// Ids and sites of the pages that are excluded, because their site differs from the given site.
    pub of_other_sites: Vec<(String, String)>,
    /// Number of pages that the model was trained on, or whose sites it was trained on. Their scores before the
    /// correction are too high.
    pub num_seen: usize,
}

impl SiteFits {
    /// Learns a correction for each site from the pages with usable gold. `corpus` must be read from `sets`
    /// by [`Corpus::read_to_correct`]. `site` is the name or a URL of the site of all pages whose site is
    /// unknown. Pages of other sites are excluded, because the correction would not apply to them. If `site`
    /// is `None`, pages are grouped by the site in their set entry or URL, and pages of unknown sites are
    /// excluded. `report` is called after each fit.
    ///
    /// # Errors
    /// - If a setting is out of range.
    /// - If no page remains: the sites of all pages are unknown, all pages belong to other sites, or none has
    ///   usable gold.
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
        let grouped = Grouped::of(corpus, usable, site).map_err(|e| match sets.first() {
            Some(set) => e.at_path(&set.path),
            None => e,
        });
        let mut grouped = grouped.map_err(|e| match num_unusable {
            0 => e,
            n => {
                e.because(Error::data(format!("too little of the gold text of {n} pages was found on them")))
            }
        })?;
        let used: FxHashSet<usize> = grouped.sites.values().flatten().copied().collect();
        let num_seen =
            overlap(model.summary(), corpus).into_iter().filter(|page| used.contains(page)).count();
        let mut sites = BTreeMap::new();
        for (site, pages) in std::mem::take(&mut grouped.sites) {
            let prepared = SitePages::new(model, corpus, &pages)?;
            let fit = prepared.fit(&(0..prepared.len()).collect::<Vec<_>>(), settings)?;
            report(&site, &fit);
            sites.insert(site, fit);
        }
        let Grouped { unknown, of_other_sites, .. } = grouped;
        Ok(SiteFits { sites, num_unusable, unknown, of_other_sites, num_seen })
    }

    /// Returns a sentence about the pages of [`SiteFits::num_seen`]; `None` if there are none.
    pub fn seen(&self) -> Option<String> {
        let num = self.num_seen;
        let pages =
            if num == 1 { "1 page or its site is" } else { &format!("{num} pages or their sites are") };
        (num > 0).then(|| {
            format!("{pages} training data of the model, so the scores before the correction are too high")
        })
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
        let error = match site {
            Some("") => {
                Error::invalid_option("the name of the site is empty").expected("a site such as example.org")
            }
            Some(site) if site.len() > MAX_NAME => {
                Error::invalid_option(format!("the name of the site has {} bytes", site.len()))
                    .expected(format!("at most {MAX_NAME} bytes"))
            }
            _ => return Ok(()),
        };
        Err(error.with_setting(Setting::Site))
    }
}

/// Returns the site name for a name or URL given by a user.
pub fn site_name(site: &str) -> String {
    site_of(site).unwrap_or_else(|| site.to_owned())
}

/// Pages by site, and the pages that are excluded.
#[derive(Debug, Default)]
struct Grouped {
    sites: BTreeMap<String, Vec<usize>>,
    unknown: Vec<String>,
    of_other_sites: Vec<(String, String)>,
}

impl Grouped {
    /// Groups pages by site. If `site` is given, it is the site of pages whose site is unknown, and pages of
    /// other sites are excluded.
    fn of(corpus: &Corpus, pages: Vec<usize>, site: Option<&str>) -> Result<Self> {
        let given = site.map(site_name);
        let mut grouped = Grouped::default();
        for index in pages {
            let page = &corpus.pages[index];
            match (page.known_site(), &given) {
                (Some(own), Some(given)) if own != given => {
                    grouped.of_other_sites.push((page.id.clone(), own.to_owned()));
                }
                (None, None) => grouped.unknown.push(page.id.clone()),
                (own, given) => {
                    let site = own.or(given.as_deref()).unwrap_or_default().to_owned();
                    grouped.sites.entry(site).or_default().push(index);
                }
            }
        }
        if !grouped.sites.is_empty() {
            return Ok(grouped);
        }
        if let ([(first, own), rest @ ..], Some(given)) = (&grouped.of_other_sites[..], &given) {
            let what = match rest.len() {
                0 => format!("page {first} states the site {own}, not {given}"),
                more => format!(
                    "page {first} states the site {own}, not {given}, and {more} more pages state other sites"
                ),
            };
            return Err(Error::data(what)
                .expected(
                    "pages of this site, or no site name; then the URL of each page determines its site",
                )
                .with_setting(Setting::Site));
        }
        if let [first, rest @ ..] = &grouped.unknown[..] {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            return Err(Error::data(format!(
                "the site of page {first}{more} is unknown: the set has no url, domain or site, and the page contains no URL"
            ))
            .expected("pages with a url, or the name of the site if all pages belong to one site")
            .with_setting(Setting::Site));
        }
        Err(Error::data("no page to learn from")
            .expected("annotated pages that contain the text of their gold"))
    }
}
