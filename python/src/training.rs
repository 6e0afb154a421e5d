//! Training and evaluation on annotated sets.

use crate::Reduced;
use crate::errors::OrRaise;
use crate::model::Model;
use crate::parallel::in_pool;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use threshr::registries;
use threshr::training;
use threshr_core::{Error, Result};
use threshr_evaluate::metrics::statistics::{NUM_RESAMPLES, bootstrap_difference, bootstrap_mean};
use threshr_extract::Recipe;
use threshr_extract::model::file;
use threshr_io::gold::{DataSet, ReadOptions};

/// The token scores of one page.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct PageScore {
    /// The name of its set.
    #[pyo3(get)]
    set: String,
    /// Its id in the set.
    #[pyo3(get)]
    id: String,
    /// Share of the extracted tokens that are gold.
    #[pyo3(get)]
    precision: f64,
    /// Share of the gold tokens that are extracted.
    #[pyo3(get)]
    recall: f64,
    /// Their harmonic mean.
    #[pyo3(get)]
    f1: f64,
}

#[pymethods]
impl PageScore {
    #[staticmethod]
    fn _of(set: String, id: String, precision: f64, recall: f64, f1: f64) -> Self {
        PageScore { set, id, precision, recall, f1 }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&str, &str, f64, f64, f64)> {
        let values = (&*self.set, &*self.id, self.precision, self.recall, self.f1);
        Ok((py.get_type::<PageScore>().getattr("_of")?, values))
    }

    fn __repr__(&self) -> String {
        let PageScore { set, id, precision, recall, f1 } = self;
        format!("PageScore(set={set:?}, id={id:?}, precision={precision:.4}, recall={recall:.4}, f1={f1:.4})")
    }
}

impl From<training::PageScore> for PageScore {
    fn from(page: training::PageScore) -> Self {
        let training::PageScore { set, id, precision, recall, f1 } = page;
        PageScore { set, id, precision, recall, f1 }
    }
}

/// Opens annotated sets, in a form that is detected or named.
pub(crate) fn open(paths: &[PathBuf], format: Option<String>) -> Result<Vec<DataSet>> {
    let options = ReadOptions { format, ..ReadOptions::default() };
    paths.iter().map(|path| DataSet::open(path, &options)).collect()
}

/// A recipe of a file, or as JSON or TOML.
fn recipe(file: Option<&Path>, json: Option<&str>, toml: Option<&str>) -> Result<Recipe> {
    match (file, json, toml) {
        (Some(path), ..) => file::load_recipe(path, &registries().systems),
        (_, Some(json), _) => serde_json::from_str(json).map_err(|e| {
            Error::recipe(format!("the recipe is invalid: {e}")).expected("the fields of a recipe")
        }),
        (_, _, Some(toml)) => Recipe::from_toml(toml),
        _ => Ok(Recipe::default()),
    }
}

/// Trains a model on annotated sets.
#[pyfunction]
#[pyo3(signature = (data, *, format=None, file=None, json=None, toml=None, threads=0))]
pub(crate) fn train(
    py: Python<'_>,
    data: Vec<PathBuf>,
    format: Option<String>,
    file: Option<PathBuf>,
    json: Option<&str>,
    toml: Option<&str>,
    threads: usize,
) -> PyResult<Model> {
    py.detach(|| {
        let (sets, recipe) = (open(&data, format)?, recipe(file.as_deref(), json, toml)?);
        in_pool(threads, || training::train(&sets, &recipe).and_then(Model::new))
    })
    .or_raise(py)?
}

/// Evaluates a model on annotated sets.
#[pyfunction]
#[pyo3(signature = (data, model, *, format=None, threads=0))]
pub(crate) fn evaluate(
    py: Python<'_>,
    data: Vec<PathBuf>,
    model: &Model,
    format: Option<String>,
    threads: usize,
) -> PyResult<Vec<PageScore>> {
    let scores = py.detach(|| {
        let sets = open(&data, format)?;
        in_pool(threads, || training::evaluate(&sets, model.inner()))
    });
    Ok(scores.or_raise(py)??.into_iter().map(PageScore::from).collect())
}

/// Cross-validates a recipe on annotated sets, on folds grouped by site.
#[pyfunction]
#[pyo3(signature = (data, *, folds, format=None, file=None, json=None, toml=None, threads=0))]
#[allow(clippy::too_many_arguments)] // each is a keyword
pub(crate) fn cross_validate(
    py: Python<'_>,
    data: Vec<PathBuf>,
    folds: usize,
    format: Option<String>,
    file: Option<PathBuf>,
    json: Option<&str>,
    toml: Option<&str>,
    threads: usize,
) -> PyResult<Vec<PageScore>> {
    let scores = py.detach(|| {
        let (sets, recipe) = (open(&data, format)?, recipe(file.as_deref(), json, toml)?);
        in_pool(threads, || training::cross_validate(&sets, &recipe, folds))
    });
    Ok(scores.or_raise(py)??.into_iter().map(PageScore::from).collect())
}

/// The ends of the 95 % bootstrap interval of a mean.
#[pyfunction]
pub(crate) fn interval(py: Python<'_>, values: Vec<f64>, seed: u64) -> (f64, f64) {
    let found = py.detach(|| bootstrap_mean(&values, NUM_RESAMPLES, 0.95, seed));
    (found.low, found.high)
}

/// The mean of `a - b` over pages, and the ends of its 95 % bootstrap interval.
#[pyfunction]
pub(crate) fn difference(py: Python<'_>, a: Vec<f64>, b: Vec<f64>, seed: u64) -> (f64, f64, f64) {
    let (mean, found) = py.detach(|| bootstrap_difference(&a, &b, NUM_RESAMPLES, 0.95, seed));
    (mean, found.low, found.high)
}
