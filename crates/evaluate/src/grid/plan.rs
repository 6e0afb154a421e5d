//! Lists the cells of an experiment. All cells are checked and named before the first one runs.

use crate::Registries;
use crate::grid::lines::{Line, lines};
use crate::grid::splits::{NamedSplit, splits};
use crate::grid::{Experiment, Split};
use crate::metrics;
use crate::metrics::Metric;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use threshr_core::{Error, Result};
use threshr_extract::baseline::{SystemChoice, Systems};
use threshr_extract::recipe::Recipe;
use threshr_features::{Families, FeatureSet};

/// The role of a cell in the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Role {
    /// Lower or upper bound.
    Bound,
    /// A published system, or the texts of another tool, which are compared with the grid.
    Beside,
    /// A cell of the grid.
    Grid,
    /// A cell of the grid trained on fewer pages.
    Curve {
        /// Name of the grid row.
        of: String,
        /// Number of training pages.
        num_pages: usize,
    },
    /// A cell of the grid with fewer feature families.
    Ablation {
        /// Name of the grid row.
        of: String,
        /// The change of the feature set.
        step: String,
    },
}

/// The method that a cell measures.
#[derive(Debug, Clone)]
pub enum Method {
    /// Models trained with a recipe.
    Model(Box<Recipe>),
    /// A published system. It is trained if it is trainable and the split has training pages.
    System(Box<SystemChoice>),
    /// Another tool's texts.
    Predictions(PathBuf),
}

/// One method on one split.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Base name of the cell's files.
    pub file: String,
    /// Name of the row in tables.
    pub row: String,
    /// Name of the split; empty for untrained methods, which belong to every split.
    pub design: String,
    /// Names of the training sets, if `design` does not contain them.
    pub detail: String,
    /// The split.
    pub split: Split,
    /// The role in the report.
    pub role: Role,
    /// The method.
    pub method: Method,
}

/// The cells of an experiment.
#[derive(Debug)]
pub struct Plan {
    /// The cells in the order of the experiment: bounds and other untrained methods, then trainable systems, then
    /// grid rows. Reports show the upper bound last.
    pub cells: Vec<Cell>,
    /// The metrics.
    pub metrics: Vec<&'static Metric>,
    /// The row that all others are compared with.
    pub baseline: String,
    /// The column that figures show.
    pub column: &'static str,
    /// The union of all feature columns that cells need; `None` if no cell trains a model.
    pub features: Option<FeatureSet>,
}

impl Plan {
    /// Lists the cells of an experiment. `sets` are the names of its data sets.
    ///
    /// # Errors
    /// If a name is unknown, two rows have the same name, or the experiment has no rows.
    pub fn new(experiment: &Experiment, sets: &[String], registries: &Registries) -> Result<Self> {
        if let Some(name) = duplicate(sets) {
            return Err(Error::invalid_option(format!("two sets have the name `{name}`"))
                .expected("a `label` for one of them"));
        }
        let metrics = match experiment.metrics.is_empty() {
            true => metrics::REGISTRY.to_vec(),
            false => metrics::by_names(&experiment.metrics)?,
        };
        let column = column(experiment, &metrics)?;
        let splits = splits(experiment, sets)?;
        let lines = if splits.is_empty() { Vec::new() } else { lines(experiment, &registries.families)? };
        check_complete(experiment, &splits)?;
        let mut cells = untrained(experiment, sets, &splits, &registries.systems)?;
        for choice in experiment.systems.iter().map(|s| s.choice(&registries.systems)) {
            let choice = choice?;
            if choice.system().is_trainable() {
                cells.extend(splits.iter().map(|s| system_cell(&choice, s)));
            }
        }
        for line in &lines {
            line.recipe.parts()?;
            registries.classifiers.by_name(&line.recipe.classifier.name)?;
            cells.extend(splits.iter().map(|s| model_cell(line, s)));
        }
        let rows = cells.iter().filter(|c| matches!(c.role, Role::Grid | Role::Beside));
        let mut names: Vec<String> = rows.clone().map(|c| c.row.clone()).collect();
        names.dedup();
        let baseline = match &experiment.baseline {
            Some(name) if names.contains(name) => name.clone(),
            Some(name) => {
                names.sort();
                names.dedup();
                return Err(Error::invalid_option(format!("there is no row `{name}` to compare with"))
                    .expected(format!("one of {}", names.join(", "))));
            }
            None => rows
                .clone()
                .find(|c| c.role == Role::Grid)
                .or(rows.clone().next())
                .map_or_else(String::new, |c| c.row.clone()),
        };
        check_rows(&lines, experiment)?;
        Ok(Plan { metrics, baseline, column, features: all_columns(&lines, &registries.families)?, cells })
    }
}

fn column(experiment: &Experiment, metrics: &[&'static Metric]) -> Result<&'static str> {
    let mut columns = metrics.iter().flat_map(|m| m.columns).map(|c| c.name);
    match &experiment.column {
        None => {
            let first = columns.clone().next().unwrap_or("token_f1");
            Ok(columns.find(|c| *c == "token_f1").unwrap_or(first))
        }
        Some(name) => columns.clone().find(|c| c == name).ok_or_else(|| {
            Error::invalid_option(format!("the experiment's metrics have no column `{name}`"))
                .expected(format!("one of {}", columns.collect::<Vec<_>>().join(", ")))
        }),
    }
}

/// Checks that the experiment has methods to compare, and splits if a method must be trained.
fn check_complete(experiment: &Experiment, splits: &[NamedSplit]) -> Result<()> {
    let needs_split = !experiment.features.is_empty()
        || !experiment.classifiers.is_empty()
        || !experiment.learning_curve.is_empty()
        || experiment.ablation.is_some();
    if splits.is_empty() && needs_split {
        return Err(Error::invalid_option("models need a split")
            .expected("`folds`, `train` with `test`, or `leave-one-set-out`"));
    }
    if splits.is_empty() && experiment.systems.is_empty() && experiment.predictions.is_empty() {
        return Err(Error::invalid_option("there is nothing to compare")
            .expected("`folds`, `train` with `test`, `leave-one-set-out`, systems or predictions"));
    }
    match experiment.learning_curve.contains(&0) {
        true => Err(Error::invalid_option("a learning curve cannot have 0 pages").expected("1 or more")),
        false => Ok(()),
    }
}

/// Checks that rows have different names.
fn check_rows(lines: &[Line], experiment: &Experiment) -> Result<()> {
    let mut names = vec!["keep-everything", "oracle"];
    names.extend(lines.iter().map(|l| l.row.as_str()));
    names.extend(experiment.systems.iter().map(|s| s.label.as_deref().unwrap_or(&s.name)));
    names.extend(experiment.predictions.iter().map(|p| p.label.as_str()));
    match duplicate(&names) {
        Some(name) => Err(Error::invalid_option(format!("two rows have the name `{name}`"))
            .expected("rows with different names; set `label` to rename a row (`keep-everything` and `oracle` are always rows)")),
        None => Ok(()),
    }
}

/// Returns a name that occurs more than once.
fn duplicate<S: AsRef<str>>(names: &[S]) -> Option<String> {
    let mut sorted: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|w| w[0] == w[1]).map(|w| w[0].to_owned())
}

fn model_cell(line: &Line, split: &NamedSplit) -> Cell {
    let method = Method::Model(Box::new(line.recipe.clone()));
    trained_cell(&line.row, line.role.clone(), method, split)
}

fn system_cell(choice: &SystemChoice, split: &NamedSplit) -> Cell {
    trained_cell(choice.name(), Role::Beside, Method::System(Box::new(choice.clone())), split)
}

fn trained_cell(row: &str, role: Role, method: Method, split: &NamedSplit) -> Cell {
    let place = if split.detail.is_empty() { &split.label } else { &split.detail };
    let file = file_name(row, &format!("{}|{place}|{:?}", split.label, split.split));
    Cell {
        file,
        row: row.to_owned(),
        design: split.label.clone(),
        detail: split.detail.clone(),
        split: split.split.clone(),
        role,
        method,
    }
}

/// Returns the cells of bounds, untrained systems and predictions for every tested set.
fn untrained(
    experiment: &Experiment,
    sets: &[String],
    splits: &[NamedSplit],
    systems: &Systems,
) -> Result<Vec<Cell>> {
    let is_tested = |set: &usize| splits.is_empty() || splits.iter().any(|s| s.split.tested().contains(set));
    let mut cells = Vec::new();
    for set in (0..sets.len()).filter(is_tested) {
        let mut add = |row: &str, role: Role, method: Method| {
            let file = file_name(row, &sets[set]);
            let (design, split) = (String::new(), Split::Untrained { set });
            cells.push(Cell {
                file,
                row: row.to_owned(),
                design,
                detail: String::new(),
                split,
                role,
                method,
            });
        };
        for name in ["keep-everything", "oracle"] {
            add(name, Role::Bound, Method::System(Box::new(SystemChoice::parse(name, systems)?)));
        }
        for spec in &experiment.systems {
            let choice = spec.choice(systems)?;
            if splits.is_empty() || !choice.system().is_trainable() {
                // reports a system that must be trained as an error before any cell runs
                choice.method()?;
                let row = choice.name().to_owned();
                add(&row, Role::Beside, Method::System(Box::new(choice)));
            }
        }
        for prediction in &experiment.predictions {
            if let Some(unknown) = prediction.files.keys().find(|name| !sets.contains(name)) {
                return Err(Error::invalid_option(format!(
                    "the predictions `{}` have a file for the unknown set `{unknown}`",
                    prediction.label
                ))
                .expected(format!("one of {}", sets.join(", "))));
            }
            if let Some(path) = prediction.files.get(&sets[set]) {
                add(&prediction.label, Role::Beside, Method::Predictions(path.clone()));
            }
        }
    }
    Ok(cells)
}

/// Returns the base file name of a cell: a readable form of the row's name, and a hash that makes the name unique.
fn file_name(row: &str, place: &str) -> String {
    let kept: String =
        row.chars().map(|c| if c.is_ascii_alphanumeric() || "._+".contains(c) { c } else { '-' }).collect();
    let words: Vec<&str> = kept.split('-').filter(|w| !w.is_empty()).collect();
    let short: String = words.join("-").chars().take(60).collect();
    let hash = threshr_core::hex(&Sha256::digest(format!("{place}\n{row}")));
    format!("{}-{}", short.trim_start_matches('.'), &hash[..8])
}

/// Returns the union of the columns of all lines; `None` if there are no columns.
fn all_columns(lines: &[Line], families: &Families) -> Result<Option<FeatureSet>> {
    let (mut names, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
    for line in lines {
        for name in line.recipe.feature_set(families)?.names().iter() {
            if seen.insert(name.clone()) {
                names.push(name.clone());
            }
        }
    }
    if names.is_empty() { Ok(None) } else { families.with_columns(&names).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_extract::baseline::{How, System, SystemInput};

    /// The lower and the upper bound, which every plan contains.
    const BOUNDS: [&System; 2] = [&bound("keep-everything"), &bound("oracle")];

    const fn bound(name: &'static str) -> System {
        System {
            name,
            summary: "a bound",
            source: "these tests",
            needs_gold: false,
            needs_html: false,
            options: &[],
            how: How::Plain(|_| Ok(Box::new(KeepsNothing))),
        }
    }

    #[derive(Debug)]
    struct KeepsNothing;

    impl threshr_extract::baseline::Method for KeepsNothing {
        fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
            vec![false; page.blocks.len()]
        }
    }

    fn registries() -> Registries {
        Registries { systems: Systems::new(&BOUNDS), ..Registries::default() }
    }

    fn rows(toml: &str) -> Result<Vec<String>> {
        let plan = Plan::new(&Experiment::from_toml(toml)?, &["a".into(), "b".into()], &registries())?;
        let names = plan.cells.iter().map(|c| format!("{}|{}", c.row, c.split.tested().len()));
        Ok(names.collect())
    }

    #[test]
    fn the_grid_is_a_product() {
        let got = rows("folds = 5\nfeatures = ['all', 'shallow']\nclassifiers = ['tree', 'gbt']\nfilters = ['none', 'tree']\n").expect("a plan");
        assert_eq!(got.len(), 4 + 8 * 2);
        assert!(got.contains(&"shallow / gbt / tree:2|1".to_owned()), "{got:?}");
        let got = rows("leave-one-set-out = true\nfolds = 2\nunion = true\nlearning-curve = [20, 10, 20]\n")
            .expect("a plan");
        assert_eq!(got.iter().filter(|r| *r == "tree, 10 pages|1").count(), 2);
        assert_eq!(got.iter().filter(|r| *r == "tree|2").count(), 1);
    }

    #[test]
    fn ablations_leave_families_out() {
        let plan = |kind: &str| {
            let toml = format!("folds = 2\nfeatures = ['shallow+density+group']\nablation = '{kind}'\n");
            let plan = Plan::new(&Experiment::from_toml(&toml).expect("read"), &["a".into()], &registries())
                .expect("a plan");
            let of = |c: &Cell| match (&c.role, &c.method) {
                (Role::Ablation { step, .. }, Method::Model(r)) => {
                    let names = r.feature_set(&Families::default()).expect("a set");
                    let has = |f: &str| names.names().iter().any(|n| n.starts_with(f));
                    Some(format!("{step}: {} {} {}", has("shallow."), has("density."), has("group.")))
                }
                _ => None,
            };
            plan.cells.iter().filter_map(of).collect::<Vec<_>>()
        };
        let all = [
            "without shallow: false true true",
            "without density: true false true",
            "without group: true true false",
        ];
        assert_eq!(plan("leave-one-out"), all);
        assert_eq!(plan("add-one"), ["shallow alone: true false false", "and density: true true false"]);
    }

    #[test]
    fn invalid_experiments_are_errors() {
        for (toml, part) in [
            ("", "nothing to compare"),
            ("features = ['all']\n", "need a split"),
            ("folds = 1\n", "2 to 100"),
            ("train = ['a']\n", "go together"),
            ("train = ['a']\ntest = ['c']\n", "no set `c`"),
            ("train = ['a']\ntest = ['a']\n", "in `train` and in `test`"),
            ("folds = 2\nfeatures = ['all', 'all']\n", "two rows have the name `all`"),
            ("folds = 2\nfeatures = ['nonsense']\n", "`nonsense`"),
            ("folds = 2\nclassifiers = ['x']\n", "classifier `x`"),
            ("folds = 2\nbaseline = 'x'\n", "one of tree"),
            ("folds = 2\nlearning-curve = [0]\n", "0 pages"),
            ("folds = 2\nfeatures = ['group']\nablation = 'add-one'\n", "only one family"),
            ("folds = 2\nmetrics = ['token']\ncolumn = 'auc'\n", "column `auc`"),
            ("systems = ['oracle']\n", "two rows"),
            ("union = true\nsystems = ['oracle']\n", "`folds` together with `union`"),
        ] {
            let e = rows(toml).expect_err(toml).to_string();
            assert!(e.contains(part), "{toml}: {e}");
        }
    }
}
