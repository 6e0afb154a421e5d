//! Training and evaluation on annotated sets.

use crate::errors::OrRaise;
use crate::model::Model;
use crate::parallel::in_pool;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use threshr::registries;
use threshr::training;
use threshr::training::{Adapted, Overlap, SiteSettings};
use threshr_core::{Error, Result};
use threshr_evaluate::metrics::statistics::{bootstrap_difference, bootstrap_mean};
use threshr_extract::Recipe;
use threshr_extract::model::file;
use threshr_sets::gold::{DataSet, ReadOptions};

/// Set, id, precision, recall and F1 of a page. These are the fields of `PageScore`.
type Scored = (String, String, f64, f64, f64);

fn scored(page: training::PageScore) -> Scored {
    (page.set, page.id, page.precision, page.recall, page.f1)
}

/// Opens annotated sets. If `format` is `None`, the format of each set is detected. Remarks about the sets are Python
/// warnings. The caller must not hold the interpreter lock.
pub(crate) fn open(paths: &[PathBuf], format: Option<String>) -> Result<Vec<DataSet>> {
    let options = ReadOptions { format, ..ReadOptions::default() };
    let sets: Vec<DataSet> = paths.iter().map(|path| DataSet::open(path, &options)).collect::<Result<_>>()?;
    let remarks = sets.iter().flat_map(|set| set.remarks.iter().map(|text| format!("{}: {text}", set.name)));
    warn(remarks)?;
    Ok(sets)
}

/// Issues Python warnings.
///
/// # Errors
/// If the filters of the caller turn a warning into an exception.
fn warn(texts: impl Iterator<Item = String>) -> Result<()> {
    let mut texts = texts.peekable();
    if texts.peek().is_none() {
        return Ok(());
    }
    Python::attach(|py| {
        let warn = py.import("warnings")?.getattr("warn")?;
        // the place is the call of the function of the package
        texts.try_for_each(|text| warn.call1((text, py.get_type::<PyUserWarning>(), 2)).map(drop))
    })
    .map_err(|raised: PyErr| Error::data(raised.to_string()))
}

/// Reads a recipe from a file, from JSON or from TOML. If none is given, returns the default recipe.
fn recipe(file: Option<&Path>, json: Option<&str>, toml: Option<&str>) -> Result<Recipe> {
    match (file, json, toml) {
        (Some(path), ..) => file::load_recipe(path, &registries().known()),
        (_, Some(json), _) => serde_json::from_str(json).map_err(|e| {
            Error::invalid_option(format!("the recipe is invalid: {e}")).expected("the fields of a recipe")
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
        in_pool(threads, || training::train(&sets, &recipe, &registries()).and_then(Model::new))
    })
    .or_raise(py)?
}

/// Evaluates a model on annotated sets.
#[pyfunction]
#[pyo3(signature = (data, model, *, overlap, format=None, threads=0))]
pub(crate) fn evaluate(
    py: Python<'_>,
    data: Vec<PathBuf>,
    model: &Model,
    overlap: &str,
    format: Option<String>,
    threads: usize,
) -> PyResult<Vec<Scored>> {
    let scores = py.detach(|| {
        let (sets, overlap) = (open(&data, format)?, Overlap::parse(overlap)?);
        in_pool(threads, || training::evaluate(&sets, model.inner(), overlap))
    });
    Ok(scores.or_raise(py)??.into_iter().map(scored).collect())
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
) -> PyResult<Vec<Scored>> {
    let scores = py.detach(|| {
        let (sets, recipe) = (open(&data, format)?, recipe(file.as_deref(), json, toml)?);
        in_pool(threads, || training::cross_validate(&sets, &recipe, folds, &registries()))
    });
    Ok(scores.or_raise(py)??.into_iter().map(scored).collect())
}

/// Site, number of pages, token F1 before and after the correction, whether the F1 values are from held-out
/// pages, and whether the correction is kept. These are the fields of `SiteGain`.
type Gain = (String, usize, f64, f64, bool, bool);

/// Model, results of the sites, number of unusable pages, ids of pages of unknown sites, and ids and sites of pages of
/// other sites. These are the fields of `Adapted`.
type AdaptedFields = (Model, Vec<Gain>, usize, Vec<String>, Vec<(String, String)>);

/// Teaches a model the sites of annotated pages.
#[pyfunction]
#[pyo3(signature = (data, model, *, site=None, prior, always=false, format=None, threads=0))]
#[allow(clippy::too_many_arguments)] // each is a keyword
pub(crate) fn adapt(
    py: Python<'_>,
    data: Vec<PathBuf>,
    model: &Model,
    site: Option<&str>,
    prior: f64,
    always: bool,
    format: Option<String>,
    threads: usize,
) -> PyResult<AdaptedFields> {
    py.detach(|| {
        let settings = SiteSettings { ridge: prior, always };
        let (sets, model) = (open(&data, format)?, model.copy()?);
        let adapted = in_pool(threads, || training::adapt(&sets, model, site, settings))?;
        let Adapted { model, fits } = match adapted {
            Ok(adapted) => adapted,
            Err(raised) => return Ok(Err(raised)),
        };
        warn(fits.seen().into_iter())?;
        let num_unusable = fits.num_unusable;
        let gains = fits.sites.into_iter().map(|(site, fit)| {
            let [before, after] = fit.token_f1;
            (site, fit.num_pages, before, after, fit.is_left_out, fit.correction.is_some())
        });
        let gains = gains.collect();
        Ok(Ok((Model::new(model)?, gains, num_unusable, fits.unknown, fits.of_other_sites)))
    })
    .or_raise(py)?
}

/// The ends of the 95 % bootstrap interval of a mean.
#[pyfunction]
pub(crate) fn interval(py: Python<'_>, values: Vec<f64>, seed: u64) -> (f64, f64) {
    py.detach(|| bootstrap_mean(&values, seed)).into()
}

/// The mean of `a - b` over pages, and the ends of its 95 % bootstrap interval.
#[pyfunction]
pub(crate) fn difference(py: Python<'_>, a: Vec<f64>, b: Vec<f64>, seed: u64) -> (f64, f64, f64) {
    let (mean, [low, high]) = py.detach(|| bootstrap_difference(&a, &b, seed));
    (mean, low, high)
}
