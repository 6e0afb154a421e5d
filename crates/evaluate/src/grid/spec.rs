//! The definition of an experiment, read from TOML.

use crate::grid::spec_list::list;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_extract::baseline::{SystemChoice, Systems};
use threshr_extract::recipe::Recipe;

/// A grid of feature sets, classifiers, filters and data sets, and further measurements of its cells.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Experiment {
    /// Title of the report.
    pub title: String,
    /// Annotated sets: a folder, or a table with options of the gold format.
    #[serde(deserialize_with = "list")]
    pub data: Vec<DataSpec>,
    /// Feature sets: an expression, or a table with label and neighbours. Empty: the recipe's.
    #[serde(deserialize_with = "list")]
    pub features: Vec<FeatureSpec>,
    /// Classifiers: a name, or a table with label and settings. Empty: the recipe's.
    #[serde(deserialize_with = "list", alias = "classifier")]
    pub classifiers: Vec<ClassifierSpec>,
    /// Filters, such as `none` and `tree:2`. Empty: the recipe's.
    #[serde(alias = "filter")]
    pub filters: Vec<String>,
    /// Published systems, measured beside the grid: `NAME` or `NAME+FILTER`, or a table with label and
    /// options. Systems that learn are trained on every split.
    #[serde(deserialize_with = "list", alias = "system")]
    pub systems: Vec<SystemSpec>,
    /// Texts of other tools, measured beside the grid.
    pub predictions: Vec<PredictionSpec>,
    /// Number of folds, grouped by site, of a cross-validation in every set.
    pub folds: Option<usize>,
    /// Whether folds are over all sets together instead of each set.
    pub union: bool,
    /// Sets to train on, by name, for `test`.
    pub train: Vec<String>,
    /// Sets to test on, by name.
    pub test: Vec<String>,
    /// Whether each set is tested with a model trained on all others.
    pub leave_one_set_out: bool,
    /// Numbers of training pages of the learning curve. Each is a further cell beside the cell with all
    /// pages.
    pub learning_curve: Vec<usize>,
    /// Ablation of every feature set by families.
    pub ablation: Option<Ablation>,
    /// Number of permutations of every column among held-out blocks; 0: no permutation importance.
    pub permutation: usize,
    /// Metrics. Empty: all.
    pub metrics: Vec<String>,
    /// The row that all others are compared with. `None`: the first row of the grid.
    pub baseline: Option<String>,
    /// Column that figures show.
    pub column: Option<String>,
    /// Random seed. `None`: the recipe's.
    pub seed: Option<u64>,
    /// The settings that the grid does not vary.
    pub recipe: Recipe,
}

/// How families are left out of a feature set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ablation {
    /// The set without each of its families in turn.
    LeaveOneOut,
    /// The set's first family, its first two, and so on, in the order of `threshr features list`.
    AddOne,
}

/// An annotated set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DataSpec {
    /// Folder.
    pub path: PathBuf,
    /// Name. `None`: the name of the folder.
    pub label: Option<String>,
    /// Format of the gold. `None`: the format is detected.
    pub gold_format: Option<String>,
    /// Opening and closing marker, for the format `markers`.
    pub markers: Option<(String, String)>,
    /// CSS selector of the content, for the format `selector`.
    pub gold_selector: Option<String>,
    /// Classes that count as content.
    pub gold_classes: Option<Vec<u8>>,
    /// Labels that count as content.
    pub gold_labels: Option<Vec<String>>,
    /// Field of the HTML, in records.
    pub html_field: Option<String>,
    /// Field of the gold text, in records.
    pub text_field: Option<String>,
    /// Field of the id, in records.
    pub id_field: Option<String>,
    /// Field of the URL, in records.
    pub url_field: Option<String>,
}

/// A feature set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureSpec {
    /// Name in the report. `None`: the expression.
    pub label: Option<String>,
    /// Feature-set expression.
    pub set: String,
    /// Distances to neighbours. `None`: the recipe's.
    pub neighbours: Option<Vec<u32>>,
}

/// A classifier with settings.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassifierSpec {
    /// Name in the report. `None`: the name of the classifier.
    pub label: Option<String>,
    /// Name in the registry.
    pub name: String,
    /// Settings; missing ones have their defaults.
    pub params: Value,
}

/// A system with options.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SystemSpec {
    /// Name in the report. `None`: the name of the system.
    pub label: Option<String>,
    /// `NAME` or `NAME+FILTER`.
    pub name: String,
    /// Options; missing ones have their defaults.
    pub params: Value,
}

impl SystemSpec {
    /// The system with its options.
    ///
    /// # Errors
    /// For unknown names and options.
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
#[serde(deny_unknown_fields)]
pub struct PredictionSpec {
    /// Name in the report.
    pub label: String,
    /// For each set, by name: a file of JSON lines with `id` and `text`.
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
    /// Reads TOML.
    ///
    /// # Errors
    /// If the text is not a valid experiment; the error has the line.
    pub fn from_toml(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|e| {
            let error = Error::recipe(format!("the experiment cannot be read: {}", e.message()));
            match e.span() {
                Some(s) => error.at_line(1 + text[..s.start.min(text.len())].matches('\n').count() as u64),
                None => error,
            }
        })
    }

    /// Reads a file. Paths of predictions are relative to the file's folder.
    ///
    /// # Errors
    /// Like [`Experiment::from_toml`], or if the file cannot be read.
    pub fn from_file(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        let mut read = Self::from_toml(&text).map_err(|e| e.at_path(path))?;
        let dir = path.parent().unwrap_or(Path::new(""));
        let files = read.predictions.iter_mut().flat_map(|p| p.files.values_mut());
        files.for_each(|file| *file = dir.join(&*file));
        Ok(read)
    }

    /// The random seed: the experiment's, else the recipe's.
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
            ("seed = 1\n[recipe.features]\nsets = 'all'\n", 3, "sets"),
        ] {
            let e = Experiment::from_toml(text).expect_err(text).to_string();
            assert!(e.contains(&format!("line {line}:")) && e.contains(part), "{text}: {e}");
        }
    }
}
