//! Log-odds of terms, every site with one vote.

use crate::Grid;
use crate::learned::terms::term_hash;
use crate::learned::{Known, Learner, Limits, Odds, Terms};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Terms with their log-odds of standing in content, relative to those of any block.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Vocabulary {
    odds: BTreeMap<String, f32>,
    /// Made where a page is first filled.
    #[serde(skip)]
    known: OnceLock<Known>,
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.odds == other.odds
    }
}

/// Farthest that a vocabulary goes: e^6 = 403 to 1.
const MOST_ODDS: f32 = 6.0;
/// Sites' votes that a term begins with, shared as content and boilerplate are.
const PRIOR_SITES: f64 = 1.0;
/// Parts of the sites; the columns of a part's pages come from the other parts' labels.
const NUM_PARTS: usize = 6;

impl Vocabulary {
    fn new(odds: BTreeMap<String, f32>) -> Self {
        Vocabulary { odds, known: OnceLock::new() }
    }
    /// Log-odds of every term of a page's dictionary; NaN for unknown ones.
    pub fn resolve(&self, terms: &Terms) -> Vec<f32> {
        let known = self.known();
        terms.dictionary().map(|t| known.odds(term_hash(t))).collect()
    }
    /// The terms as they are looked up.
    pub fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let hashed = |(term, odds): (&String, &f32)| (term_hash(term), odds.clamp(-MOST_ODDS, MOST_ODDS));
            Known::new(self.odds.iter().map(hashed))
        })
    }
    /// Number of terms.
    pub fn len(&self) -> usize {
        self.odds.len()
    }
    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.odds.is_empty()
    }
    /// The terms with their log-odds, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.odds.iter().map(|(t, o)| (t.as_str(), *o))
    }
    /// Whether every number is finite: what a model file must hold.
    pub fn is_sound(&self) -> bool {
        self.odds.values().all(|o| o.is_finite())
    }
}

/// A page to learn from.
#[derive(Debug, Clone, Copy)]
pub struct Lesson<'a> {
    /// Its site; pages of a site are taken together.
    pub site: &'a str,
    /// Its terms.
    pub terms: &'a Terms,
    /// Share of each block that is content.
    pub share: &'a [f32],
}

/// What was learned: the vocabulary of all pages, and for each part of the sites that of the others.
#[derive(Debug)]
pub struct Learned {
    /// From all pages.
    pub vocabulary: Vocabulary,
    without: Vec<Vocabulary>,
}

impl Learned {
    /// The vocabulary for a page of the training set: learned without its site.
    pub fn for_training(&self, site: &str) -> &Vocabulary {
        self.without.get(part(site)).unwrap_or(&self.vocabulary)
    }
    /// Fills a learner's columns for a page with a vocabulary.
    pub fn fill(learner: &dyn Learner, terms: &Terms, vocabulary: &Vocabulary, out: &mut Grid<'_>) {
        learner.fill(terms, Odds::ById(&vocabulary.resolve(terms)), out);
    }
}

/// The part of a site, the same on every machine (FNV-1a over its bytes).
fn part(site: &str) -> usize {
    let hash =
        site.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    ((hash >> 32) % NUM_PARTS as u64) as usize
}

/// Votes of the sites of one part for one term.
#[derive(Debug, Clone, Copy, Default)]
struct Votes {
    content: f64,
    sites: f64,
}

/// Learns the log-odds of terms from pages.
///
/// A site's vote for a term is the mean content share of the site's blocks that have the term; odds are those of the
/// mean vote over sites, shrunk by one vote of the mean of all blocks. Thus a site of a thousand pages says no more
/// than one of a single page. Six vocabularies more, each without a sixth of the sites, are for the training pages
/// themselves: leaving out a block's own site keeps its label out of its features, and whole sixths keep the
/// difference between vocabularies from telling it (as leaving out single sites would).
pub fn learn(lessons: &[Lesson<'_>], limits: Limits) -> Learned {
    let mut sites: BTreeMap<&str, Vec<&Lesson<'_>>> = BTreeMap::new();
    lessons.iter().for_each(|l| sites.entry(l.site).or_default().push(l));
    let sites: Vec<(&str, Vec<&Lesson<'_>>)> = sites.into_iter().collect();
    let votes: Vec<(usize, FxHashMap<&str, f64>, f64)> =
        sites.par_iter().map(|(site, pages)| (part(site), vote(pages), share_of(pages))).collect();
    let mut parts: FxHashMap<&str, [Votes; NUM_PARTS]> = FxHashMap::default();
    let mut all = [Votes::default(); NUM_PARTS];
    for (part, terms, share) in &votes {
        all[*part].content += share;
        all[*part].sites += 1.0;
        for (term, vote) in terms {
            let votes = &mut parts.entry(term).or_default()[*part];
            votes.content += vote;
            votes.sites += 1.0;
        }
    }
    let build = |without: Option<usize>| choose(&parts, &all, without, limits);
    let without = (0..NUM_PARTS).into_par_iter().map(|p| build(Some(p))).collect();
    Learned { vocabulary: build(None), without }
}

/// Mean content share of the site's blocks by term.
fn vote<'a>(pages: &[&Lesson<'a>]) -> FxHashMap<&'a str, f64> {
    let mut of_site: FxHashMap<&str, (f64, f64)> = FxHashMap::default();
    for page in pages {
        let terms = page.terms;
        let mut counts = vec![(0.0f64, 0u32, u32::MAX); terms.dictionary().len()];
        for (block, &share) in page.share.iter().enumerate().take(terms.num_blocks()) {
            for list in (0..terms.num_slots()).flat_map(|s| terms.chain(block, s)) {
                for &id in list {
                    let entry = &mut counts[id as usize];
                    // a term counts once a block
                    if entry.2 != block as u32 {
                        *entry = (entry.0 + f64::from(share), entry.1 + 1, block as u32);
                    }
                }
            }
        }
        for (term, (content, blocks, _)) in terms.dictionary().zip(counts) {
            let entry = of_site.entry(term).or_default();
            entry.0 += content;
            entry.1 += f64::from(blocks);
        }
    }
    of_site.into_iter().filter(|v| v.1.1 > 0.0).map(|(t, (content, blocks))| (t, content / blocks)).collect()
}

/// Mean content share of a site's blocks.
fn share_of(pages: &[&Lesson<'_>]) -> f64 {
    let (sum, n) =
        pages.iter().flat_map(|p| p.share).fold((0.0, 0.0), |(s, n), &x| (s + f64::from(x), n + 1.0));
    if n > 0.0 { sum / n } else { 0.5 }
}

/// The vocabulary of all parts but one.
fn choose(
    parts: &FxHashMap<&str, [Votes; NUM_PARTS]>,
    all: &[Votes; NUM_PARTS],
    without: Option<usize>,
    limits: Limits,
) -> Vocabulary {
    let total = |votes: &[Votes; NUM_PARTS]| {
        let rest = votes.iter().enumerate().filter(|(p, _)| Some(*p) != without);
        rest.fold(Votes::default(), |a, (_, v)| Votes {
            content: a.content + v.content,
            sites: a.sites + v.sites,
        })
    };
    let all = total(all);
    let prior = if all.sites > 0.0 { (all.content / all.sites).clamp(0.01, 0.99) } else { 0.5 };
    let log_odds = |content: f64, sites: f64| {
        let p = ((content + PRIOR_SITES * prior) / (sites + PRIOR_SITES)).clamp(1e-3, 1.0 - 1e-3);
        (p / (1.0 - p)).ln() - (prior / (1.0 - prior)).ln()
    };
    let mut chosen: Vec<(f64, &str, f64)> = parts
        .iter()
        .filter_map(|(term, votes)| {
            let votes = total(votes);
            let odds = log_odds(votes.content, votes.sites);
            let enough = votes.sites >= f64::from(limits.min_sites);
            // one vote more or less must not change what it says
            enough.then(|| (odds.abs() * votes.sites.sqrt(), *term, odds))
        })
        .collect();
    chosen.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    chosen.truncate(limits.max_terms);
    let rounded = |odds: f64| ((odds * 100.0).round() / 100.0) as f32;
    Vocabulary::new(chosen.into_iter().map(|(_, term, odds)| (term.to_owned(), rounded(odds))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TermsBuilder;

    fn page(blocks: &[&str]) -> Terms {
        let mut terms = TermsBuilder::new(1);
        for block in blocks {
            block.split(' ').for_each(|t| terms.term(t));
            let list = terms.end_list(None);
            terms.block(&[Some(list)]);
        }
        terms.finish()
    }

    #[test]
    fn every_site_has_one_vote_and_rare_terms_none() {
        let pages =
            [page(&["menu a", "menu b", "text"]), page(&["menu", "text only"]), page(&["menu", "text"])];
        let shares: [&[f32]; 3] = [&[0.0, 1.0, 1.0], &[0.0, 1.0], &[0.0, 1.0]];
        let lessons: Vec<Lesson<'_>> = ["x", "y", "z"]
            .iter()
            .zip(&pages)
            .zip(shares)
            .map(|((site, terms), share)| Lesson { site, terms, share })
            .collect();
        let learned = learn(&lessons, Limits { min_sites: 2, max_terms: 10 }).vocabulary;
        // prior: mean of 2/3, 1/2, 1/2 = 5/9; menu: votes .5, 0, 0 → (.5 + 5/9) / 4; text: (3 + 5/9) / 4
        let odds = |p: f64| ((p / (1.0 - p)).ln() - (5.0f64 / 4.0).ln()) as f32;
        let found: Vec<_> = learned.iter().collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!((found[0].1 - odds(19.0 / 72.0)).abs() < 0.006 && found[0].0 == "menu", "{found:?}");
        assert!((found[1].1 - odds(32.0 / 36.0)).abs() < 0.006, "{found:?}");
        let top = learn(&lessons, Limits { min_sites: 1, max_terms: 1 }).vocabulary;
        assert_eq!(top.iter().next().map(|t| t.0), Some("text"));
    }

    #[test]
    fn a_site_learns_nothing_from_itself() {
        let pages: Vec<Terms> = (0..40).map(|i| page(&["shared", &format!("own{i}")])).collect();
        let names: Vec<String> = (0..40).map(|i| format!("site{i}.com")).collect();
        let lessons: Vec<Lesson<'_>> = names
            .iter()
            .zip(&pages)
            .map(|(site, terms)| Lesson { site, terms, share: &[1.0, 0.0] })
            .collect();
        let learned = learn(&lessons, Limits { min_sites: 1, max_terms: 1000 });
        for (i, name) in names.iter().enumerate() {
            let odds = learned.for_training(name).resolve(&pages[i]);
            assert!(odds[0] > 0.0 && odds[1].is_nan());
        }
    }
}
