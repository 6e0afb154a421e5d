//! Training and evaluation on annotated sets.

use crate::Reduced;
use crate::errors::OrRaise;
use crate::model::Model;
use crate::parallel::in_pool;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use threshr::registries;
use threshr::training;
use threshr::training::{Adapted, SiteSettings};
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

/// What the pages of a site showed.
#[pyclass(frozen, get_all, module = "threshr")]
pub(crate) struct SiteGain {
    /// The site.
    site: String,
    /// Number of pages that it was learned from.
    pages: usize,
    /// Mean token F1 without a correction.
    before: f64,
    /// Mean token F1 with a correction.
    after: f64,
    /// Whether `before` and `after` are of left-out pages. With one page they are of the page itself.
    left_out: bool,
    /// Whether the model has the correction.
    kept: bool,
}

#[pymethods]
impl SiteGain {
    #[staticmethod]
    fn _of(site: String, pages: usize, before: f64, after: f64, left_out: bool, kept: bool) -> Self {
        SiteGain { site, pages, before, after, left_out, kept }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&str, usize, f64, f64, bool, bool)> {
        let values = (&*self.site, self.pages, self.before, self.after, self.left_out, self.kept);
        Ok((py.get_type::<SiteGain>().getattr("_of")?, values))
    }

    fn __repr__(&self) -> String {
        let SiteGain { site, pages, before, after, left_out, kept } = self;
        let [left_out, kept] = [left_out, kept].map(|flag| if *flag { "True" } else { "False" });
        format!(
            "SiteGain(site={site:?}, pages={pages}, before={before:.4}, after={after:.4}, left_out={left_out}, kept={kept})"
        )
    }
}

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
) -> PyResult<(Model, Vec<SiteGain>, usize)> {
    py.detach(|| {
        let settings = SiteSettings { ridge: prior, always };
        let (sets, model) = (open(&data, format)?, model.copy()?);
        in_pool(threads, || {
            let Adapted { model, fits } = training::adapt(&sets, model, site, settings)?;
            let num_unusable = fits.num_unusable;
            let gains = fits.sites.into_iter().map(|(site, fit)| SiteGain {
                site,
                pages: fit.num_pages,
                before: fit.token_f1[0],
                after: fit.token_f1[1],
                left_out: fit.is_left_out,
                kept: fit.correction.is_some(),
            });
            Ok((Model::new(model)?, gains.collect(), num_unusable))
        })
    })
    .or_raise(py)?
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
