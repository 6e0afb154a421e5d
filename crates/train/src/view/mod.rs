//! The training data of a fit: rows, labels, weights, and the columns whose values depend on the fit.

pub(crate) mod learned_columns;
mod policy_overrides;
pub(crate) mod vocabulary;
pub(crate) mod weights;

use crate::corpus::Corpus;
use crate::corpus::policy_columns::{PolicyColumns, Row};
use crate::labels::example::Example;
use crate::view::learned_columns::{LearnedFamilies, fill};
use crate::view::policy_overrides::PolicyOverrides;
use crate::view::weights::weights;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use threshr_core::policy::PROPERTIES;
use threshr_extract::Recipe;
use threshr_features::{FeatureSet, Terms};
use threshr_fit::{RowView, StoredRows};
use threshr_html::blocks::ParagraphClass;

/// Training rows of some pages of a corpus. Only columns whose values differ from the stored values are
/// copied.
pub(crate) struct View<'a> {
    pub rows: RowView<'a>,
    /// Label of each row.
    pub labels: Vec<bool>,
    /// Weight of each row.
    pub weight: Vec<f32>,
    /// Index of the example that each row belongs to.
    pub page: Vec<u32>,
    /// Class of each row's gold paragraph, if known.
    pub class: Vec<Option<ParagraphClass>>,
}

/// The rows of one example: a page, a page without attributes, or a generated example.
#[derive(Clone)]
struct ExampleRows<'a> {
    /// Index of the page.
    page: usize,
    /// Row range of the example in the corpus.
    rows: Range<usize>,
    terms: &'a BTreeMap<&'static str, Terms>,
    /// Whether the rows belong to the page's variant without attributes.
    is_without_attributes: bool,
    overrides: PolicyOverrides,
}

/// Labels of an example that differ from those of its page, and its share of the weights.
struct OwnExample {
    labels: Option<Vec<bool>>,
    share: Option<Vec<f32>>,
}

/// Columns whose values differ from the stored ones: learned columns and, if there are overrides, policy
/// columns.
struct ReplacedColumns {
    /// Indices of the columns, ascending.
    columns: Vec<u32>,
    /// Index of each corpus column in `columns`; `NONE` for columns that are not replaced.
    place: Vec<u32>,
    /// For each replaced column: the column that it copies, and the distance; see [`StoredRows::new`].
    sources: Vec<(usize, i32)>,
}

const NONE: u32 = u32::MAX;

impl ReplacedColumns {
    fn new(corpus: &Corpus, features: Option<&FeatureSet>, with_policy: bool) -> Self {
        let learned: Vec<String> = features
            .iter()
            .flat_map(|f| f.learned_families())
            .map(|family| format!("{}.", family.name()))
            .collect();
        let is_learned = |name: &String| learned.iter().any(|prefix| name.starts_with(prefix));
        let is_replaced = |name: &String| is_learned(name) || with_policy && name.starts_with("policy.");
        let columns: Vec<u32> =
            corpus.columns().iter().zip(0u32..).filter(|(name, _)| is_replaced(name)).map(|c| c.1).collect();
        let mut place = vec![NONE; corpus.columns().len()];
        columns.iter().zip(0..).for_each(|(&column, i)| place[column as usize] = i);
        let of_corpus = features.map(FeatureSet::sources).unwrap_or_default();
        // an override changes only the policy column itself, not the columns that copy it from neighbouring
        // blocks
        let source = |(&column, own): (&u32, usize)| {
            let source =
                of_corpus.get(column as usize).filter(|_| is_learned(&corpus.columns()[column as usize]));
            source.map_or((own, 0), |&(source, distance)| (place[source] as usize, distance))
        };
        let sources = columns.iter().zip(0..).map(source).collect();
        ReplacedColumns { columns, place, sources }
    }
}

/// A stored row whose replaced columns have other values.
struct Overlay<'a> {
    stored: &'a StoredRows,
    row: usize,
    values: &'a mut [f32],
    place: &'a [u32],
}

impl Row for Overlay<'_> {
    fn get(&self, column: usize) -> f32 {
        match self.place[column] {
            NONE => self.stored.value(self.row, column),
            place => self.values[place as usize],
        }
    }
    fn set(&mut self, column: usize, value: f32) {
        if self.place[column] != NONE {
            self.values[self.place[column] as usize] = value;
        }
    }
}

impl Corpus {
    /// Returns the policy overrides of each page. They are empty if the recipe does not vary policies.
    pub(crate) fn policy_overrides(&self, pages: &[usize], recipe: &Recipe) -> Vec<PolicyOverrides> {
        let of = |&page: &usize| match recipe.policy.vary {
            true => PolicyOverrides::new(&self.pages[page], self.columns()),
            false => PolicyOverrides::default(),
        };
        pages.iter().map(of).collect()
    }

    /// Returns the rows of `pages` under their sets' policies. Learned columns are computed as in training.
    pub(crate) fn plain_rows(&self, pages: &[usize], learned: &LearnedFamilies) -> RowView<'_> {
        let part = |&page: &usize| ExampleRows {
            page,
            rows: self.rows_of(page),
            terms: &self.pages[page].terms,
            is_without_attributes: false,
            overrides: PolicyOverrides::default(),
        };
        self.rows(&pages.iter().map(part).collect::<Vec<_>>(), learned, false)
    }

    /// Returns the training data for a fit on `pages`: first the rows of the pages, some without attributes or
    /// under another policy, then the rows of the examples that are generated from these pages.
    ///
    /// A page with targets occurs twice: as content, weighted by the targets, and as boilerplate, weighted by the rest.
    /// With weighted labels, every classifier learns probabilities.
    pub(crate) fn training_view(
        &self,
        pages: &[usize],
        learned: &LearnedFamilies,
        recipe: &Recipe,
    ) -> View<'_> {
        let overrides = self.policy_overrides(pages, recipe);
        let of_page = |(&page, overrides): (&usize, PolicyOverrides)| {
            let without = self.rows[page].without_attributes.clone();
            ExampleRows {
                page,
                is_without_attributes: without.is_some(),
                rows: without.unwrap_or_else(|| self.rows_of(page)),
                terms: &self.pages[page].terms,
                overrides,
            }
        };
        let (mut parts, mut own) = (Vec::new(), Vec::new());
        for part in pages.iter().zip(overrides).map(of_page) {
            let targets = self.pages[part.page].targets.as_ref();
            // the targets belong to the policy of the set
            match targets.filter(|_| part.overrides.labels.is_none()) {
                Some(targets) => {
                    for class in [true, false] {
                        let share = targets.iter().map(|&p| if class { p } else { 1.0 - p }).collect();
                        own.push(OwnExample { labels: Some(vec![class; targets.len()]), share: Some(share) });
                        parts.push(part.clone());
                    }
                }
                None => {
                    own.push(OwnExample { labels: part.overrides.labels.clone(), share: None });
                    parts.push(part);
                }
            }
        }
        let mut in_order = pages.to_vec();
        in_order.sort_unstable();
        let generated = in_order.into_iter().filter_map(|page| {
            let rows = self.rows[page].generated.clone()?;
            let example = self.pages[page].generated.as_ref()?;
            let part = ExampleRows {
                page,
                rows,
                terms: &example.terms,
                is_without_attributes: false,
                overrides: PolicyOverrides::default(),
            };
            Some((part, example.example()))
        });
        let (generated, generated_examples): (Vec<_>, Vec<_>) = generated.unzip();
        let examples = parts.iter().zip(&own).map(|(part, OwnExample { labels, share })| {
            let example = self.pages[part.page].example();
            let labels = labels.as_deref().unwrap_or(example.labels);
            Example { labels, share: share.as_deref(), ..example }
        });
        let examples: Vec<Example<'_>> = examples.chain(generated_examples).collect();
        parts.extend(generated);
        let of_example = |(example, i): (&Example<'_>, u32)| std::iter::repeat_n(i, example.labels.len());
        View {
            rows: self.rows(&parts, learned, recipe.policy.vary),
            labels: examples.iter().flat_map(|e| e.labels).copied().collect(),
            weight: weights(&examples, &recipe.weights, true),
            page: examples.iter().zip(0u32..).flat_map(of_example).collect(),
            class: examples.iter().flat_map(|e| e.class).copied().collect(),
        }
    }

    /// Returns the rows of `parts`. If `with_policy` is true, policy columns can be overridden.
    fn rows<'a>(
        &'a self,
        parts: &[ExampleRows<'_>],
        learned: &LearnedFamilies,
        with_policy: bool,
    ) -> RowView<'a> {
        let features = self.features.as_ref();
        let replaced = ReplacedColumns::new(self, features, with_policy);
        let width = replaced.columns.len();
        let rows: Vec<u32> = parts.iter().flat_map(|part| part.rows.clone()).map(|row| row as u32).collect();
        let mut values = vec![0.0; rows.len() * width];
        let mut jobs = Vec::with_capacity(parts.len());
        let mut rest = &mut values[..];
        for part in parts {
            let of_part;
            (of_part, rest) = rest.split_at_mut(part.rows.len() * width);
            jobs.push((part, of_part));
        }
        let columns_of: Vec<PolicyColumns> =
            PROPERTIES.iter().map(|p| PolicyColumns::new(self.columns(), p)).collect();
        jobs.into_par_iter().filter(|_| width > 0).for_each(|(part, values)| {
            for (row, values) in part.rows.clone().zip(values.chunks_exact_mut(width)) {
                let columns = values.iter_mut().zip(&replaced.columns);
                columns.for_each(|(v, &column)| *v = self.x.value(row, column as usize));
            }
            if let Some(features) = features {
                let site = self.pages[part.page].site.as_str();
                let vocabulary = |family: &str| {
                    // if the page has no attributes, it has no attribute tokens
                    let is_empty = part.is_without_attributes && family == "attribute_tokens";
                    learned.get(family).filter(|_| !is_empty).map(|learned| learned.for_training(site))
                };
                fill(features, part.terms, part.rows.len(), vocabulary, |block, column, value| {
                    values[block * width + replaced.place[column] as usize] = value;
                });
            }
            for &(property, counts) in &part.overrides.properties {
                let Some(place) = PROPERTIES.iter().position(|p| p.name == property.name) else { continue };
                for (row, values) in part.rows.clone().zip(values.chunks_exact_mut(width)) {
                    let mut row = Overlay { stored: &self.x, row, values, place: &replaced.place };
                    columns_of[place].set(&mut row, counts);
                }
            }
        });
        let mut compact = StoredRows::new(&replaced.sources);
        let mut rest = &values[..];
        for part in parts {
            let of_part;
            (of_part, rest) = rest.split_at(part.rows.len() * width);
            compact.push(part.rows.len(), of_part);
        }
        RowView::new(&self.x, rows, replaced.columns, compact)
    }
}

#[cfg(test)]
mod tests;
