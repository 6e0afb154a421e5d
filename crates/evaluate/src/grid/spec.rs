//! The definition of an experiment, read from TOML.

use crate::grid::spec_list::list;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_extract::baseline::{SystemChoice, Systems};
use threshr_extract::recipe::Recipe;
use threshr_html::Selector;
use threshr_sets::gold::{GoldFields, ReadOptions};

/// An experiment: a grid of feature sets, classifiers, filters and data sets, with learning curves and ablations.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Experiment {
    /// Title of the report.
    pub title: String,
    /// Annotated sets: the path of a folder, or a table with options of the gold format.
    #[serde(deserialize_with = "list")]
    pub data: Vec<DataSpec>,
    /// Feature sets: an expression, or a table with label and neighbours. If empty, the recipe's feature set.
    #[serde(deserialize_with = "list")]
    pub features: Vec<FeatureSpec>,
    /// Classifiers: a name, or a table with label and settings. If empty, the recipe's classifier.
    #[serde(deserialize_with = "list", alias = "classifier")]
    pub classifiers: Vec<ClassifierSpec>,
    /// Filters, such as `none` and `tree:2`. If empty, the recipe's filter.
    #[serde(alias = "filter")]
    pub filters: Vec<String>,
    /// Published systems to compare with the grid: `NAME` or `NAME+FILTER`, or a table with label and options.
    /// Trainable systems are trained on every split.
    #[serde(deserialize_with = "list", alias = "system")]
    pub systems: Vec<SystemSpec>,
    /// Texts of other tools to compare with the grid.
    pub predictions: Vec<PredictionSpec>,
    /// Number of cross-validation folds in every set. Folds are grouped by site.
    pub folds: Option<usize>,
    /// If true, one cross-validation runs over the pages of all sets together.
    pub union: bool,
    /// Names of the sets to train on, for a test on the sets in `test`.
    pub train: Vec<String>,
    /// Names of the sets to test on.
    pub test: Vec<String>,
    /// If true, each set is tested with a model trained on all other sets.
    pub leave_one_set_out: bool,
    /// Numbers of training pages for the learning curve. Each number adds a cell, in addition to the cell
    /// that is trained on all pages.
    pub learning_curve: Vec<usize>,
    /// Kind of ablation by feature families, for every feature set of the grid.
    pub ablation: Option<Ablation>,
    /// Metric names. If empty, all metrics.
    pub metrics: Vec<String>,
    /// The row that all others are compared with. If `None`, the first row of the grid.
    pub baseline: Option<String>,
    /// The metric column that figures show.
    pub column: Option<String>,
    /// Random seed. If `None`, the recipe's seed.
    pub seed: Option<u64>,
    /// The settings that the grid does not vary.
    pub recipe: Recipe,
}

/// How families are removed from a feature set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ablation {
    /// One row for each family: the set without this family.
    LeaveOneOut,
    /// One row for each number of families: the first family of the set, the first two families, and so on,
    /// in the order of `threshr features list`.
    AddOne,
}

/// An annotated set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DataSpec {
    /// Path of the folder.
    pub path: PathBuf,
    /// Name. If `None`, the name of the folder.
    pub label: Option<String>,
    /// Gold format. If `None`, the format is detected.
    pub gold_format: Option<String>,
    /// Opening and closing marker of the content, for the format `markers`.
    pub markers: Option<(String, String)>,
    /// CSS selector of the content, for the format `selector`.
    pub gold_selector: Option<String>,
    /// Class numbers that count as content.
    pub gold_classes: Option<Vec<u8>>,
    /// Labels that count as content.
    pub gold_labels: Option<Vec<String>>,
    /// In records, the name of the HTML field.
    pub html_field: Option<String>,
    /// In records, the name of the gold-text field.
    pub text_field: Option<String>,
    /// In records, the name of the id field.
    pub id_field: Option<String>,
    /// In records, the name of the URL field.
    pub url_field: Option<String>,
}

impl DataSpec {
    /// Returns the options for reading the gold of the set.
    ///
    /// # Errors
    /// If the selector is invalid.
    pub fn options(&self) -> Result<ReadOptions> {
        Ok(ReadOptions {
            format: self.gold_format.clone(),
            markers: self.markers.clone(),
            selector: self.gold_selector.as_deref().map(Selector::parse).transpose()?,
            classes: self.gold_classes.clone(),
            labels: self.gold_labels.clone(),
            fields: GoldFields {
                html: self.html_field.clone(),
                text: self.text_field.clone(),
                id: self.id_field.clone(),
                url: self.url_field.clone(),
            },
        })
    }
}

/// A feature set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureSpec {
    /// Name in the report. If `None`, the expression.
    pub label: Option<String>,
    /// Feature-set expression.
    pub set: String,
    /// Distances of the neighbours. If `None`, the distances of the recipe.
    pub neighbours: Option<Vec<u32>>,
}

/// A classifier with settings.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassifierSpec {
    /// Name in the report. If `None`, the name of the classifier.
    pub label: Option<String>,
    /// Name in the registry.
    pub name: String,
    /// Settings. Missing settings have their defaults.
    pub params: Value,
}

/// A system with options.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SystemSpec {
    /// Name in the report. If `None`, the name of the system.
    pub label: Option<String>,
    /// `NAME` or `NAME+FILTER`.
    pub name: String,
    /// Options. Missing options have their defaults.
    pub params: Value,
}

impl SystemSpec {
    /// Returns the system with its options.
    ///
    /// # Errors
    /// If the name or an option is unknown.
    pub fn choice(&self, systems: &Systems) -> Result<SystemChoice> {
        let mut choice = SystemChoice::parse(&self.name, systems)?;
        choice.set_all(&self.params)?;
        if let Some(label) = &self.label {
            choice.rename(label);
        }
        Ok(choice)
    }
}

/// Texts of another tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table such as {label = \"tool\", files = {SET = \"tool.jsonl\"}}, with a file for each set"
)]
pub struct PredictionSpec {
    /// Name in the report.
    pub label: String,
    /// For each set name, a file of predictions, such as JSON Lines with `id` and `text`.
    pub files: BTreeMap<String, PathBuf>,
}

impl From<String> for DataSpec {
    fn from(path: String) -> Self {
        Self { path: path.into(), ..Self::default() }
    }
}
impl From<String> for SystemSpec {
    fn from(name: String) -> Self {
        Self { name, ..Self::default() }
    }
}
impl From<String> for FeatureSpec {
    fn from(set: String) -> Self {
        Self { set, ..Self::default() }
    }
}
impl From<String> for ClassifierSpec {
    fn from(name: String) -> Self {
        Self { name, ..Self::default() }
    }
}

impl Experiment {
    /// Parses an experiment from TOML.
    ///
    /// # Errors
    /// If the text is not a valid experiment. The error contains the line, where known.
    pub fn from_toml(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|e| {
            let error = Error::invalid_option(format!("the experiment cannot be read: {}", e.message()));
            match e.span() {
                Some(s) => error.at_line(1 + text[..s.start.min(text.len())].matches('\n').count() as u64),
                None => error,
            }
        })
    }

    /// Reads an experiment from a TOML file. Prediction paths in it are relative to its folder.
    ///
    /// # Errors
    /// The errors of [`Experiment::from_toml`], or if the file cannot be read.
    pub fn from_file(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        let mut read = Self::from_toml(&text).map_err(|e| e.at_path(path))?;
        let dir = path.parent().unwrap_or(Path::new(""));
        let files = read.predictions.iter_mut().flat_map(|p| p.files.values_mut());
        files.for_each(|file| *file = dir.join(&*file));
        Ok(read)
    }

    /// Returns the experiment's seed if it has one; otherwise the recipe's seed.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(self.recipe.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_tables_may_be_mixed() {
        let read = Experiment::from_toml(
            "data = ['a', {path = 'b', gold-classes = [3]}]\nfeatures = ['all,-group']\nfolds = 5\n\
             classifiers = ['tree', {label = 'deep', name = 'tree', params = {max_depth = 20}}]\n\
             ablation = 'leave-one-out'\n[recipe.decision]\nfolds = 2\n\
             [[predictions]]\nlabel = 'x'\nfiles = {a = 'x.jsonl'}\n",
        )
        .expect("read");
        assert_eq!((read.data[1].path.to_str(), read.features[0].set.as_str()), (Some("b"), "all,-group"));
        assert_eq!(read.classifiers[1].params["max_depth"], 20);
        assert_eq!((read.recipe.decision.folds, read.ablation), (2, Some(Ablation::LeaveOneOut)));
    }

    #[test]
    fn errors_name_line_and_field() {
        for (text, line, part) in [
            ("folds = 5\nfold = 3\n", 2, "fold"),
            ("\n\nclassifiers = [{nam = 'tree'}]\n", 3, "nam"),
            ("folds = 5\n\nfeatures = [1]\n", 3, "integer"),
            ("ablation = 'x'\n", 1, "leave-one-out"),
            ("predictions = ['x.jsonl']\n", 1, "files = {SET = \"tool.jsonl\"}"),
            ("seed = 1\n[recipe.features]\nsets = 'all'\n", 3, "sets"),
        ] {
            let e = Experiment::from_toml(text).expect_err(text).to_string();
            assert!(e.contains(&format!("line {line}:")) && e.contains(part), "{text}: {e}");
        }
    }
}
