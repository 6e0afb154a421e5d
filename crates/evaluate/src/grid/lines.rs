//! The rows of a grid: features, classifiers and filters in all combinations, with learning curves and ablations.

use crate::grid::plan::Role;
use crate::grid::{Ablation, ClassifierSpec, Experiment, FeatureSpec};
use threshr_core::{Error, Result};
use threshr_extract::filters::FilterChoice;
use threshr_extract::recipe::Recipe;
use threshr_features::Families;

/// A row of the grid, independent of a split.
pub(super) struct Line {
    pub(super) row: String,
    pub(super) role: Role,
    pub(super) recipe: Recipe,
}

/// Lists the rows of the grid, each followed by its learning curve and its ablations.
pub(super) fn lines(experiment: &Experiment, families: &Families) -> Result<Vec<Line>> {
    let base = &experiment.recipe;
    let mut features = experiment.features.clone();
    if features.is_empty() {
        features.push(base.features.set.clone().into());
    }
    let mut classifiers = experiment.classifiers.clone();
    if classifiers.is_empty() {
        let (name, params) = (base.classifier.name.clone(), base.classifier.params.clone());
        classifiers.push(ClassifierSpec { label: None, name, params });
    }
    let mut filters = experiment.filters.clone();
    if filters.is_empty() {
        filters.push(base.decision.filter.clone());
    }
    let mut found = Vec::new();
    for feature in &features {
        for classifier in &classifiers {
            for filter in &filters {
                let mut recipe = base.clone();
                recipe.seed = experiment.seed();
                recipe.features.set.clone_from(&feature.set);
                if let Some(neighbours) = &feature.neighbours {
                    recipe.features.neighbours.clone_from(neighbours);
                }
                recipe.classifier.name.clone_from(&classifier.name);
                recipe.classifier.params = match &classifier.params {
                    serde_json::Value::Null => serde_json::json!({}),
                    params => params.clone(),
                };
                recipe.decision.filter = FilterChoice::parse(filter)?.name();
                let mut parts = Vec::new();
                let label = |f: &FeatureSpec| f.label.clone().unwrap_or_else(|| f.set.clone());
                if features.len() > 1 {
                    parts.push(label(feature));
                }
                if classifiers.len() > 1 || features.len() < 2 {
                    parts.push(classifier.label.clone().unwrap_or_else(|| classifier.name.clone()));
                }
                if filters.len() > 1 {
                    parts.push(recipe.decision.filter.clone());
                }
                let row = parts.join(" / ");
                found.push(Line { row: row.clone(), role: Role::Grid, recipe: recipe.clone() });
                found.extend(curve(&row, &recipe, &experiment.learning_curve));
                if let Some(ablation) = experiment.ablation {
                    found.extend(ablate(&row, &recipe, ablation, families)?);
                }
            }
        }
    }
    Ok(found)
}

fn curve(row: &str, recipe: &Recipe, sizes: &[usize]) -> Vec<Line> {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    sizes.dedup();
    let line = |num_pages| Line {
        row: format!("{row}, {num_pages} pages"),
        role: Role::Curve { of: row.to_owned(), num_pages },
        recipe: recipe.clone(),
    };
    sizes.into_iter().map(line).collect()
}

fn ablate(row: &str, recipe: &Recipe, ablation: Ablation, families: &Families) -> Result<Vec<Line>> {
    let set = recipe.feature_set(families)?;
    let mut families: Vec<&str> = set.names().iter().filter_map(|n| n.split_once('.')).map(|n| n.0).collect();
    let mut seen = std::collections::BTreeSet::new();
    families.retain(|f| seen.insert(f.to_owned()));
    if families.len() < 2 {
        return Err(Error::invalid_option(format!("`{}` has only one family", recipe.features.set))
            .expected("2 or more families for an ablation"));
    }
    let line = |step: String, without: &[&str]| {
        let mut recipe = recipe.clone();
        without.iter().for_each(|f| recipe.features.set.push_str(&format!(",-{f}")));
        let row_name = format!("{row}, {step}");
        Line { row: row_name, role: Role::Ablation { of: row.to_owned(), step }, recipe }
    };
    Ok(match ablation {
        Ablation::LeaveOneOut => families.iter().map(|f| line(format!("without {f}"), &[f])).collect(),
        Ablation::AddOne => (1..families.len())
            .map(|n| {
                let step = if n == 1 {
                    format!("{} alone", families[0])
                } else {
                    format!("and {}", families[n - 1])
                };
                line(step, &families[n..])
            })
            .collect(),
    })
}
