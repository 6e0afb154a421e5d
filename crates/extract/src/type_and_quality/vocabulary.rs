//! Terms with their log-odds for each class of pages, and the columns that are computed from them.

use crate::type_and_quality::LabelledPage;
use crate::type_and_quality::term_counts::for_each_term;
use crate::type_and_quality::term_index::{IndexedTerm, LANES, TermIndex};
use crate::type_and_quality::terms::{CHANNELS, LEVELS, PageTerms};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use threshr_core::{Error, Result};
use threshr_models::packed;
use threshr_page::text::hashing::word_hash;

/// Resolution of the stored log-odds, in steps per nat.
const STEPS: f32 = 20.0;
/// Pseudo-count that is added to numbers of pages.
const SMOOTHING: f64 = 0.5;
/// Minimum number of training pages that contain a term.
const MIN_PAGES: u32 = 4;
/// Maximum number of terms. The terms with the most significant log-odds stay.
const MAX_TERMS: usize = 20_000;
/// Strength of shrinkage: a log-odds `x` with variance `v` is multiplied by `1 - SHRINKAGE * v / x²`, at least
/// 0.
const SHRINKAGE: f64 = 2.0;

/// Returns the number of groups of terms: one per channel, then one per counted channel for its frequent terms.
pub(super) fn num_groups() -> usize {
    CHANNELS.len() + CHANNELS.iter().filter(|c| c.is_counted).count()
}

/// Returns the group of the frequent terms in a channel.
fn group_of_frequent(channel: usize) -> usize {
    CHANNELS.len() + CHANNELS[..channel].iter().filter(|c| c.is_counted).count()
}

/// Returns the names of the columns for `classes`: `terms.CHANNEL.CLASS`, channel by channel.
pub(crate) fn column_names(classes: &[String]) -> Vec<String> {
    let plain = CHANNELS.iter().map(|c| c.name.to_owned());
    let counted = CHANNELS.iter().filter(|c| c.is_counted).map(|c| format!("{}_often", c.name));
    let groups = plain.chain(counted);
    groups.flat_map(|group| classes.iter().map(move |class| format!("terms.{group}.{class}"))).collect()
}

/// A group of terms with their log-odds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// The terms, separated by spaces. In a group of frequent terms, a term is `LEVEL:TERM`.
    terms: String,
    /// Log-odds in steps of 1/20 nat: for each term, one entry per class.
    #[serde(with = "packed")]
    odds: Vec<i8>,
}

/// Log-odds of the classes for each term.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageVocabulary {
    num_classes: usize,
    groups: Vec<Group>,
    /// The log-odds by the hash of the term. Built when the first page is read.
    #[serde(skip)]
    index: OnceLock<TermIndex>,
}

impl PartialEq for PageVocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.num_classes == other.num_classes && self.groups == other.groups
    }
}

impl PageVocabulary {
    /// Learns a vocabulary from pages, each with a class in `0..num_classes`.
    pub fn learn(pages: &[(&PageTerms, usize)], num_classes: usize) -> Self {
        // level 0 counts the pages in which the term occurs
        let mut counts: FxHashMap<(usize, u32, &str), Vec<u32>> = FxHashMap::default();
        let mut num_pages = vec![0u32; num_classes];
        for &(terms, class) in pages {
            num_pages[class] += 1;
            for (channel, term, count) in terms.iter() {
                let mut add = |group: usize, level: u32| {
                    let by_class = counts.entry((group, level, term));
                    by_class.or_insert_with(|| vec![0; num_classes])[class] += 1;
                };
                add(channel, 0);
                if CHANNELS[channel].is_counted {
                    let reached = LEVELS.into_iter().filter(|&level| count >= level);
                    reached.for_each(|level| add(group_of_frequent(channel), level));
                }
            }
        }
        let mut found: Vec<(f64, usize, String, Vec<i8>)> = counts
            .into_iter()
            .filter(|(_, by_class)| by_class.iter().sum::<u32>() >= MIN_PAGES)
            .map(|((group, level, term), by_class)| {
                let (odds, strength) = odds(&by_class, &num_pages);
                let term = if level == 0 { term.to_owned() } else { format!("{level}:{term}") };
                (strength, group, term, odds)
            })
            .filter(|term| term.3.iter().any(|&o| o != 0))
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, &a.2).cmp(&(b.1, &b.2))));
        found.truncate(MAX_TERMS);
        found.sort_by(|a, b| (a.1, &a.2).cmp(&(b.1, &b.2)));
        let mut groups = vec![Group { terms: String::new(), odds: Vec::new() }; num_groups()];
        for (_, group, term, odds) in found {
            let group = &mut groups[group];
            if !group.terms.is_empty() {
                group.terms.push(' ');
            }
            group.terms.push_str(&term);
            group.odds.extend(odds);
        }
        PageVocabulary { num_classes, groups, index: OnceLock::new() }
    }

    /// Validates a deserialized vocabulary.
    ///
    /// # Errors
    /// If it does not fit `num_classes`, or the number of log-odds in a group does not match its number of
    /// terms.
    pub(crate) fn check(&self, num_classes: usize) -> Result<()> {
        if self.num_classes != num_classes || self.groups.len() != num_groups() {
            return Err(Error::model("the page terms have a wrong number of classes or groups")
                .expected(format!("{num_classes} classes and {} groups of terms", num_groups())));
        }
        let fits = |g: &Group| num_terms(g).checked_mul(num_classes) == Some(g.odds.len());
        if !self.groups.iter().all(fits) {
            return Err(Error::model("the number of log-odds does not match the number of page terms"));
        }
        Ok(())
    }

    fn index(&self) -> &TermIndex {
        self.index.get_or_init(|| {
            let rows = |group: usize| {
                let group = &self.groups[group];
                terms_of(group).zip(group.odds.chunks_exact(self.num_classes.max(1)))
            };
            let plain = (0..CHANNELS.len()).flat_map(|channel| {
                rows(channel).map(move |(text, odds)| IndexedTerm { channel, level: 0, text, odds })
            });
            let counted = (0..CHANNELS.len()).filter(|&channel| CHANNELS[channel].is_counted);
            let frequent = counted.flat_map(|channel| {
                rows(group_of_frequent(channel)).filter_map(move |(term, odds)| {
                    let (times, text) = term.split_once(':')?;
                    let level = 1 + LEVELS.iter().position(|&level| times.parse() == Ok(level))?;
                    Some(IndexedTerm { channel, level, text, odds })
                })
            });
            TermIndex::new(self.num_classes, plain.chain(frequent))
        })
    }

    /// Returns the columns of a page. For each group and class, the column is `s / sqrt(1 + n)`: `s` is the sum
    /// of the log-odds of the page's terms, `n` is the number of these terms with nonzero log-odds.
    pub fn columns(&self, page: &LabelledPage<'_>) -> Vec<f32> {
        let mut sums = Sums::new(self);
        for_each_term(self.index(), page, |channel, number, count| sums.add(channel, number, count));
        sums.finish()
    }

    /// Like [`PageVocabulary::columns`], for the terms of a training page.
    pub fn columns_of(&self, terms: &PageTerms) -> Vec<f32> {
        let mut sums = Sums::new(self);
        for (channel, term, count) in terms.iter() {
            sums.add(channel, self.index().number(channel, word_hash(term)), count);
        }
        sums.finish()
    }

    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.groups.iter().map(num_terms).sum()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|g| g.terms.is_empty())
    }
}

fn terms_of(group: &Group) -> impl Iterator<Item = &str> {
    group.terms.split(' ').filter(|t| !t.is_empty())
}

/// Returns the number of terms, by counting the positions where a term begins.
fn num_terms(group: &Group) -> usize {
    let terms = group.terms.as_bytes();
    let begins = terms.windows(2).filter(|pair| pair[0] == b' ' && pair[1] != b' ').count();
    begins + usize::from(terms.first().is_some_and(|&first| first != b' '))
}

/// Returns the shrunk log-odds of each class in steps of 1/20 nat, and the greatest absolute log-odds before
/// shrinkage in standard errors.
fn odds(by_class: &[u32], num_pages: &[u32]) -> (Vec<i8>, f64) {
    let (all, total) = (by_class.iter().sum::<u32>(), num_pages.iter().sum::<u32>());
    let mut strength = 0.0f64;
    let of_class = by_class.iter().zip(num_pages).map(|(&with, &pages)| {
        let (inside, outside) = (f64::from(with) + SMOOTHING, f64::from(all - with) + SMOOTHING);
        let (pages, others) =
            (f64::from(pages) + 2.0 * SMOOTHING, f64::from(total - pages) + 2.0 * SMOOTHING);
        let odds = (inside / pages).ln() - (outside / others).ln();
        let variance = inside.recip() + outside.recip();
        strength = strength.max(odds.abs() / variance.sqrt());
        let shrunk = odds * (1.0 - SHRINKAGE * variance / (odds * odds + 1e-9)).clamp(0.0, 1.0);
        (shrunk as f32 * STEPS).round().clamp(-127.0, 127.0) as i8
    });
    (of_class.collect(), strength)
}

/// Sums of log-odds by group and class.
struct Sums<'a> {
    index: &'a TermIndex,
    num_classes: usize,
    /// For each group and lane of classes: sums in steps, and numbers of terms with nonzero log-odds.
    sums: Vec<([i32; LANES], [i32; LANES])>,
    /// For each channel, the groups of its terms and of its frequent terms.
    groups: Vec<[usize; 2]>,
}

impl<'a> Sums<'a> {
    fn new(vocabulary: &'a PageVocabulary) -> Self {
        let lanes = vocabulary.num_classes.div_ceil(LANES);
        Sums {
            index: vocabulary.index(),
            num_classes: vocabulary.num_classes,
            sums: vec![([0; LANES], [0; LANES]); num_groups() * lanes],
            groups: (0..CHANNELS.len()).map(|channel| [channel, group_of_frequent(channel)]).collect(),
        }
    }

    /// Adds a term that occurs `count` times.
    #[inline]
    fn add(&mut self, channel: usize, number: u32, count: u32) {
        let Some(rows) = self.index.rows(channel, number) else { return };
        let reached = [1].into_iter().chain(LEVELS).filter(|&times| count >= times).count();
        for (level, row) in rows.take(reached).enumerate() {
            let group = self.groups[channel][level.min(1)];
            for ((sums, numbers), odds) in self.sums[group * row.len()..].iter_mut().zip(row) {
                for lane in 0..LANES {
                    sums[lane] += i32::from(odds[lane]);
                    numbers[lane] += i32::from(odds[lane] != 0);
                }
            }
        }
    }

    fn finish(self) -> Vec<f32> {
        let lanes = self.num_classes.div_ceil(LANES).max(1);
        let columns = self.sums.chunks_exact(lanes).flat_map(|group| {
            let classes = group.iter().flat_map(|(sums, numbers)| sums.iter().zip(numbers));
            classes.take(self.num_classes)
        });
        columns.map(|(&sum, &n)| sum as f32 / STEPS / (1.0 + n as f32).sqrt()).collect()
    }
}
