//! The feature matrix of pages as an Arrow table.

use crate::cells::Page;
use crate::errors::OrRaise;
use crate::model::Model;
use crate::parallel;
use crate::table::Table;
use crate::training::open;
use arrow_array::builder::BooleanBuilder;
use arrow_array::{ArrayRef, BooleanArray, Float32Array, LargeStringArray, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use threshr_cli::block_features::{BlockTable, Columns};
use threshr_core::policy::PolicyChoice;
use threshr_core::{Error, Result, guard};
use threshr_features::FeatureSet;
use threshr_sets::gold::{GoldPage, Html};

/// Parameters of the feature matrix.
struct Wanted<'a> {
    features: &'a str,
    neighbours: &'a [u32],
    model: Option<&'a Model>,
    threads: usize,
}

/// The feature matrix of pages in memory.
#[pyfunction]
#[pyo3(signature = (pages, ids, *, features, neighbours, model=None, threads=1))]
pub(crate) fn features_of_pages(
    py: Python<'_>,
    pages: Vec<Page>,
    ids: Vec<String>,
    features: &str,
    neighbours: Vec<u32>,
    model: Option<&Model>,
    threads: usize,
) -> PyResult<Table> {
    let wanted = Wanted { features, neighbours: &neighbours, model, threads };
    py.detach(|| {
        let policy = model.map(|m| m.inner().recipe().policy.default).unwrap_or_default();
        let page = |(page, id): (&Page, &String)| {
            let html = Html::bytes(page.bytes())?;
            let charset = page.charset(None).map(str::to_owned);
            Ok((String::new(), GoldPage { id: id.clone(), html, charset, ..GoldPage::default() }, policy))
        };
        let pages: Vec<PageOfSet> = pages.iter().zip(&ids).map(page).collect::<Result<_>>()?;
        table(&pages, &wanted)
    })
    .or_raise(py)?
}

/// The feature matrix of annotated sets, with the share and the label of each block.
#[pyfunction]
#[pyo3(signature = (data, *, features, neighbours, model=None, format=None, threads=1))]
pub(crate) fn features_of_sets(
    py: Python<'_>,
    data: Vec<PathBuf>,
    features: &str,
    neighbours: Vec<u32>,
    model: Option<&Model>,
    format: Option<String>,
    threads: usize,
) -> PyResult<Table> {
    let wanted = Wanted { features, neighbours: &neighbours, model, threads };
    py.detach(|| {
        let policies = model.map(|m| m.inner().recipe().policy.clone()).unwrap_or_default();
        let mut pages = Vec::new();
        for set in open(&data, format)? {
            let policy = policies.of_set(&set.name, set.policy);
            pages.extend(set.pages.into_iter().map(|page| (set.name.clone(), page, policy)));
        }
        table(&pages, &wanted)
    })
    .or_raise(py)?
}

/// The name of a set, a page of it, and its policy.
type PageOfSet = (String, GoldPage, PolicyChoice);

fn table(pages: &[PageOfSet], wanted: &Wanted<'_>) -> Result<PyResult<Table>> {
    let set = match wanted.model {
        Some(model) => model.inner().features().clone(),
        None => FeatureSet::parse(wanted.features, wanted.neighbours)?,
    };
    let columns = match wanted.model {
        Some(model) => Columns {
            set: &set,
            vocabularies: Some(&model.inner().fitted().vocabularies),
            segmentation: model.inner().segmentation(),
        },
        None => Columns::new(&set),
    };
    let done = parallel::map(pages.len(), wanted.threads, |i| {
        let (set, page, policy) = &pages[i];
        guard(&page.id, || columns.of_page(set, page, *policy))
    })?;
    let rows = match done {
        Ok(rows) => rows.into_iter().collect::<Result<Vec<_>>>()?,
        Err(raised) => return Ok(Err(raised)),
    };
    let BlockTable { rows, matrix } = columns.table(rows)?;
    let mut fields: Vec<(String, ArrayRef)> = vec![
        ("set".into(), Arc::new(rows.iter().map(|r| Some(&*r.page.set)).collect::<LargeStringArray>())),
        ("page".into(), Arc::new(rows.iter().map(|r| Some(&*r.page.id)).collect::<LargeStringArray>())),
        ("site".into(), Arc::new(rows.iter().map(|r| r.page.site.as_deref()).collect::<LargeStringArray>())),
        ("url".into(), Arc::new(rows.iter().map(|r| r.page.url.as_deref()).collect::<LargeStringArray>())),
        ("block".into(), Arc::new(rows.iter().map(|r| r.block).collect::<UInt32Array>())),
        ("share".into(), Arc::new(rows.iter().map(|r| r.share).collect::<Float32Array>())),
        ("label".into(), Arc::new(labels(rows.iter().map(|r| r.label)))),
        ("text".into(), Arc::new(rows.iter().map(|r| Some(&*r.text)).collect::<LargeStringArray>())),
    ];
    for (name, values) in matrix.columns().iter().zip(matrix.values().columns()) {
        let values: Float32Array = values.iter().map(|value| Some(*value)).collect();
        fields.push((name.clone(), Arc::new(values)));
    }
    let is_nullable = |name: &str| ["site", "url", "share", "label"].contains(&name);
    let field = |(name, array): &(String, ArrayRef)| Field::new(name, data_type(array), is_nullable(name));
    let schema = Arc::new(Schema::new(fields.iter().map(field).collect::<Vec<_>>()));
    let arrays = fields.into_iter().map(|f| f.1).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays);
    let batch = batch.map_err(|e| Error::features("columns have different lengths or types").because(e))?;
    Ok(Ok(Table::new(schema, vec![batch])))
}

fn data_type(array: &ArrayRef) -> DataType {
    arrow_array::Array::data_type(array).clone()
}

fn labels(values: impl Iterator<Item = Option<bool>>) -> BooleanArray {
    let mut builder = BooleanBuilder::new();
    values.for_each(|value| builder.append_option(value));
    builder.finish()
}
