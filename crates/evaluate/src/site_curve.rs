//! What the correction of a site gives: token F1 on the other pages of the site after one, two, three annotated pages.

use crate::metrics::TOKEN;
use crate::score::{Outcome, score_page};
use crate::{Scored, score_with};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;
use threshr_core::{Budget, Result, stop};
use threshr_extract::Model;
use threshr_extract::decision::DecisionOptions;
use threshr_train::{Corpus, SitePages, SiteSettings};

/// Fewest pages of a site that is measured.
pub const MIN_PAGES: usize = 6;
/// Most annotated pages.
pub const MAX_ANNOTATED: usize = 3;

/// A site, a number of annotated pages and a draw of these pages.
#[derive(Debug, Clone, PartialEq)]
pub struct SitePoint {
    /// Name of the set.
    pub set: String,
    /// The site.
    pub site: String,
    /// Number of its pages.
    pub num_pages: usize,
    /// Number of annotated pages.
    pub num_annotated: usize,
    /// Number of the draw, from 0.
    pub draw: usize,
    /// Whether left-out pages among the annotated ones show that the correction helps, so that it is kept. Without
    /// a correction `after` equals `before`.
    pub is_kept: bool,
    /// Mean token F1 of the other pages without the correction.
    pub before: f64,
    /// With it.
    pub after: f64,
    /// If exactly the blocks are kept that the gold labels as content.
    pub oracle: f64,
}

/// Measures corrections on all sites of a corpus with [`MIN_PAGES`] annotated pages or more. Sites of the training
/// pages of the model are left out. The corpus is read by
/// [`Corpus::read_to_correct`].
///
/// # Errors
/// If the corpus has other columns than the model.
pub fn site_curve(
    model: &Model,
    corpus: &Corpus,
    settings: SiteSettings,
    num_draws: usize,
    seed: u64,
) -> Result<Vec<SitePoint>> {
    let mut sites: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    let seen = threshr_train::overlap(model.summary(), corpus);
    let pages = corpus.trainable_with_gold(model.recipe());
    for page in pages.into_iter().filter(|page| seen.binary_search(page).is_err()) {
        let of_page = &corpus.pages[page];
        if let Some(site) = of_page.known_site() {
            sites.entry((of_page.set, site.to_owned())).or_default().push(page);
        }
    }
    let sites: Vec<_> = sites.into_iter().filter(|site| site.1.len() >= MIN_PAGES).collect();
    let points: Vec<Vec<SitePoint>> = sites
        .par_iter()
        .map(|((set, site), pages)| {
            let site = Site::read(model, corpus, &corpus.sets[*set].name, site, pages)?;
            let draws = (1..=MAX_ANNOTATED).flat_map(|num| (0..num_draws).map(move |draw| (num, draw)));
            draws.map(|(num, draw)| site.point(settings, num, draw, seed)).collect()
        })
        .collect::<Result<_>>()?;
    Ok(points.into_iter().flatten().collect())
}

/// A site with what does not depend on the draw.
struct Site<'a> {
    model: &'a Model,
    corpus: &'a Corpus,
    set: &'a str,
    name: &'a str,
    pages: &'a [usize],
    prepared: SitePages<'a>,
    scored: Vec<Scored>,
    before: Vec<f64>,
    oracle: Vec<f64>,
}

impl<'a> Site<'a> {
    fn read(
        model: &'a Model,
        corpus: &'a Corpus,
        set: &'a str,
        name: &'a str,
        pages: &'a [usize],
    ) -> Result<Self> {
        let prepared = SitePages::new(model, corpus, pages)?;
        let scored = score_with(model, corpus, pages)?;
        let mut site = Site {
            model,
            corpus,
            set,
            name,
            pages,
            prepared,
            scored,
            before: Vec::new(),
            oracle: Vec::new(),
        };
        site.before = (0..pages.len()).map(|place| site.f1(place, &site.scored[place])).collect();
        let oracle = |&page: &usize| {
            let kept = corpus.pages[page].labels.clone();
            token_f1(corpus, page, &Outcome::Blocks { kept, scores: None, classes: None })
        };
        site.oracle = pages.iter().map(oracle).collect();
        Ok(site)
    }

    fn f1(&self, place: usize, scored: &Scored) -> f64 {
        let page = self.pages[place];
        let outcome = scored.decide(self.corpus, page, &DecisionOptions::default(), self.model.filter());
        token_f1(self.corpus, page, &outcome)
    }

    fn point(&self, settings: SiteSettings, num: usize, draw: usize, seed: u64) -> Result<SitePoint> {
        stop::check()?;
        let mut places: Vec<usize> = (0..self.pages.len()).collect();
        // one, two and three pages of a draw are the first of the same order
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(draw as u64);
        places.shuffle(&mut random);
        let (annotated, rest) = places.split_at(num);
        let correction = self.prepared.fit(annotated, settings)?.correction;
        let mut after = Vec::with_capacity(rest.len());
        for &place in rest {
            let Some(correction) = &correction else {
                after.push(self.before[place]);
                continue;
            };
            let page = self.pages[place];
            let of_page = &self.corpus.pages[page];
            let shift = correction.shift(&of_page.doc, &of_page.blocks, &Budget::UNLIMITED)?;
            let x = self.corpus.values_for(self.model.fitted(), page);
            let scores = self.model.fitted().scores(x.view(), Some(&shift), &Budget::UNLIMITED)?;
            after.push(self.f1(place, &Scored { scores, ..self.scored[place].clone() }));
        }
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / rest.len().max(1) as f64;
        Ok(SitePoint {
            set: self.set.to_owned(),
            site: self.name.to_owned(),
            num_pages: self.pages.len(),
            num_annotated: num,
            draw,
            is_kept: correction.is_some(),
            before: mean(&mut rest.iter().map(|&place| self.before[place])),
            after: mean(&mut after.into_iter()),
            oracle: mean(&mut rest.iter().map(|&place| self.oracle[place])),
        })
    }
}

fn token_f1(corpus: &Corpus, page: usize, outcome: &Outcome) -> f64 {
    score_page(corpus, page, outcome, &[&TOKEN]).values[2]
}
