//! The splits of an experiment.

use crate::grid::{Experiment, Split};
use threshr_core::{Error, Result};

/// A split with its names in the report.
#[derive(Debug, Clone)]
pub(crate) struct NamedSplit {
    /// Name in tables. All splits of one design, such as cross-validation, have the same label.
    pub label: String,
    /// Names of the training sets, if the label does not contain them.
    pub detail: String,
    pub split: Split,
}

/// Lists the splits of all designs of an experiment, in order.
pub(crate) fn splits(experiment: &Experiment, sets: &[String]) -> Result<Vec<NamedSplit>> {
    let mut found = Vec::new();
    let all: Vec<usize> = (0..sets.len()).collect();
    if let Some(folds) = experiment.folds {
        if !(2..=100).contains(&folds) {
            return Err(Error::invalid_option(format!("`folds` is {folds}")).expected("2 to 100"));
        }
        let together = experiment.union && sets.len() > 1;
        let label = match together {
            true => format!("{folds} folds by site over {}", join(sets, &all)),
            false => format!("{folds} folds by site"),
        };
        let parts = if together { vec![all.clone()] } else { all.iter().map(|&i| vec![i]).collect() };
        found.extend(parts.into_iter().map(|sets| NamedSplit {
            label: label.clone(),
            detail: String::new(),
            split: Split::Folds { sets, folds },
        }));
    } else if experiment.union {
        return Err(Error::invalid_option("`union` needs folds").expected("`folds` together with `union`"));
    }
    if experiment.train.is_empty() != experiment.test.is_empty() {
        return Err(Error::invalid_option("`train` and `test` go together").expected("names of sets in both"));
    }
    if !experiment.train.is_empty() {
        let (train, test) = (indices(&experiment.train, sets)?, indices(&experiment.test, sets)?);
        if let Some(&both) = train.iter().find(|i| test.contains(i)) {
            return Err(Error::invalid_option(format!("`{}` is in `train` and in `test`", sets[both]))
                .expected("different sets, or `folds` to test on pages of the same set"));
        }
        let label = format!("trained on {}", join(sets, &train));
        found.push(NamedSplit { label, detail: String::new(), split: Split::Fixed { train, test } });
    }
    if experiment.leave_one_set_out {
        if sets.len() < 2 {
            return Err(
                Error::invalid_option("`leave-one-set-out` has only one set").expected("2 or more sets")
            );
        }
        found.extend(all.iter().map(|&out| {
            let train: Vec<usize> = all.iter().copied().filter(|&i| i != out).collect();
            NamedSplit {
                label: "trained on the other sets".to_owned(),
                detail: join(sets, &train),
                split: Split::Fixed { train, test: vec![out] },
            }
        }));
    }
    Ok(found)
}

fn join(sets: &[String], which: &[usize]) -> String {
    which.iter().map(|&i| sets[i].as_str()).collect::<Vec<_>>().join(" + ")
}

fn indices(names: &[String], sets: &[String]) -> Result<Vec<usize>> {
    let find = |name: &String| {
        sets.iter().position(|s| s == name).ok_or_else(|| {
            Error::invalid_option(format!("there is no set `{name}`"))
                .expected(format!("one of {}", sets.join(", ")))
        })
    };
    names.iter().map(find).collect()
}
