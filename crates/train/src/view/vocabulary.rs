//! Learns vocabularies: log-odds of terms, where each site has one vote.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use threshr_features::{Limits, Terms, Vocabulary};

/// Number of pseudo-votes for each term (prior). They are split by the overall content share.
const PRIOR_SITES: f64 = 1.0;
/// Number of folds of the sites. For training pages of a fold, columns are computed from the labels of the
/// other folds.
const NUM_FOLDS: usize = 6;

/// A page to learn from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermExample<'a> {
    /// Site of the page. The pages of a site share one vote.
    pub(crate) site: &'a str,
    /// Terms of the page.
    pub(crate) terms: &'a Terms,
    /// Content share of each block.
    pub(crate) share: &'a [f32],
}

/// Learned vocabularies: one is learned from all pages, and one for each fold of the sites, learned without
/// this fold.
#[derive(Debug)]
pub(crate) struct Learned {
    /// The vocabulary learned from all pages.
    pub(crate) vocabulary: Vocabulary,
    without: Vec<Vocabulary>,
}

impl Learned {
    /// Returns the vocabulary for a training page, which is learned without its site.
    pub(crate) fn for_training(&self, site: &str) -> &Vocabulary {
        self.without.get(fold_of(site)).unwrap_or(&self.vocabulary)
    }
}

/// Returns the fold of a site. It is derived from an FNV-1a hash, so it is the same on every machine.
fn fold_of(site: &str) -> usize {
    let hash =
        site.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    ((hash >> 32) % NUM_FOLDS as u64) as usize
}

/// Votes of the sites of one fold for a term.
#[derive(Debug, Clone, Copy, Default)]
struct Votes {
    content: f64,
    sites: f64,
}

/// Learns the log-odds of terms from pages.
///
/// The vote of a site for a term is the mean content share of the site's blocks that contain the term. The odds
/// of a term are computed from its mean vote over sites, shrunk towards the overall content share by one
/// pseudo-vote. So a site of a thousand pages has the same influence as a site of one page.
///
/// The training pages use six other vocabularies, each learned without one sixth of the sites. Since a page's own
/// site is excluded, the labels of its blocks do not leak into their features. A whole sixth is excluded each time.
/// If single sites were excluded, the difference between two vocabularies would reveal the labels of a site.
pub(crate) fn learn(examples: &[TermExample<'_>], limits: Limits) -> Learned {
    let mut sites: BTreeMap<&str, Vec<&TermExample<'_>>> = BTreeMap::new();
    examples.iter().for_each(|l| sites.entry(l.site).or_default().push(l));
    let sites: Vec<(&str, Vec<&TermExample<'_>>)> = sites.into_iter().collect();
    let votes: Vec<(usize, FxHashMap<&str, f64>, f64)> =
        sites.par_iter().map(|(site, pages)| (fold_of(site), vote(pages), share_of(pages))).collect();
    let mut parts: FxHashMap<&str, [Votes; NUM_FOLDS]> = FxHashMap::default();
    let mut all = [Votes::default(); NUM_FOLDS];
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
    let without = (0..NUM_FOLDS).into_par_iter().map(|p| build(Some(p))).collect();
    Learned { vocabulary: build(None), without }
}

/// Returns the vote of a site for each term: the mean content share of its blocks that contain the term.
fn vote<'a>(pages: &[&TermExample<'a>]) -> FxHashMap<&'a str, f64> {
    let mut of_site: FxHashMap<&str, (f64, f64)> = FxHashMap::default();
    for page in pages {
        let terms = page.terms;
        let mut counts = vec![(0.0f64, 0u32, u32::MAX); terms.dictionary().len()];
        for (block, &share) in page.share.iter().enumerate().take(terms.num_blocks()) {
            for list in (0..terms.num_slots()).flat_map(|s| terms.chain(block, s)) {
                for &id in list {
                    let entry = &mut counts[id as usize];
                    // a term is counted once per block
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

/// Returns the mean content share of all blocks of a site.
fn share_of(pages: &[&TermExample<'_>]) -> f64 {
    let (sum, n) =
        pages.iter().flat_map(|p| p.share).fold((0.0, 0.0), |(s, n), &x| (s + f64::from(x), n + 1.0));
    if n > 0.0 { sum / n } else { 0.5 }
}

/// Returns the vocabulary learned from all folds except `without`.
fn choose(
    parts: &FxHashMap<&str, [Votes; NUM_FOLDS]>,
    all: &[Votes; NUM_FOLDS],
    without: Option<usize>,
    limits: Limits,
) -> Vocabulary {
    let total = |votes: &[Votes; NUM_FOLDS]| {
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
            // ranks by significance: log-odds times the square root of the number of sites
            enough.then(|| (odds.abs() * votes.sites.sqrt(), *term, odds))
        })
        .collect();
    chosen.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    chosen.truncate(limits.max_terms);
    let rounded = |odds: f64| ((odds * 100.0).round() / 100.0) as f32;
    let sorted: BTreeMap<&str, f32> =
        chosen.into_iter().map(|(_, term, odds)| (term, rounded(odds))).collect();
    sorted.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_features::TermsBuilder;

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
    fn every_site_has_one_vote_and_rare_terms_are_dropped() {
        let pages =
            [page(&["menu a", "menu b", "text"]), page(&["menu", "text only"]), page(&["menu", "text"])];
        let shares: [&[f32]; 3] = [&[0.0, 1.0, 1.0], &[0.0, 1.0], &[0.0, 1.0]];
        let examples: Vec<TermExample<'_>> = ["x", "y", "z"]
            .iter()
            .zip(&pages)
            .zip(shares)
            .map(|((site, terms), share)| TermExample { site, terms, share })
            .collect();
        let learned = learn(&examples, Limits { min_sites: 2, max_terms: 10 }).vocabulary;
        // prior: mean of 2/3, 1/2, 1/2 = 5/9; menu: votes .5, 0, 0 → (.5 + 5/9) / 4; text: (3 + 5/9) / 4
        let odds = |p: f64| ((p / (1.0 - p)).ln() - (5.0f64 / 4.0).ln()) as f32;
        let found: Vec<_> = learned.iter().collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!((found[0].1 - odds(19.0 / 72.0)).abs() < 0.006 && found[0].0 == "menu", "{found:?}");
        assert!((found[1].1 - odds(32.0 / 36.0)).abs() < 0.006, "{found:?}");
        let top = learn(&examples, Limits { min_sites: 1, max_terms: 1 }).vocabulary;
        assert_eq!(top.iter().next().map(|t| t.0), Some("text"));
    }

    #[test]
    fn a_site_does_not_learn_from_itself() {
        let pages: Vec<Terms> = (0..40).map(|i| page(&["shared", &format!("own{i}")])).collect();
        let names: Vec<String> = (0..40).map(|i| format!("site{i}.com")).collect();
        let examples: Vec<TermExample<'_>> = names
            .iter()
            .zip(&pages)
            .map(|(site, terms)| TermExample { site, terms, share: &[1.0, 0.0] })
            .collect();
        let learned = learn(&examples, Limits { min_sites: 1, max_terms: 1000 });
        for (i, name) in names.iter().enumerate() {
            let odds = learned.for_training(name).resolve(&pages[i]);
            assert!(odds[0] > 0.0 && odds[1].is_nan());
        }
    }
}
