//! `extract_batch`: extracts a column of pages and returns columns of content.

use crate::arguments::{not_an_argument, wrong_type};
use crate::cells::{Cells, DECODED, Page, column};
use crate::columns::{Column, Written, added, by_names, need_type_and_quality};
use crate::errors::{OrRaise, exception};
use crate::extractor::{Extractor, check_is_page, html_expected};
use crate::parallel;
use crate::table::Table;
use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::{Array, ArrayRef, BooleanArray, LargeStringArray, RecordBatch, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow_select::nullif::nullif;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use pyo3_arrow::input::AnyArray;
use std::sync::Arc;
use threshr_core::{Error, Result, guard};
use threshr_extract::RawExtraction;
use threshr_output::formats::PageOutput;

/// The columns to read and to write.
pub(crate) struct Request {
    html: String,
    /// Column of URLs. If `None`, the column `url` is used if it exists.
    url: Option<String>,
    /// Column of the charsets in HTTP headers.
    charset: Option<String>,
    columns: Vec<&'static Column>,
    /// Input columns that are kept. If `None`, all columns except the pages are kept.
    keep: Option<Vec<String>>,
}

/// A chunk of the input: its pages, their URLs, and the columns that are kept.
struct Part {
    pages: Cells,
    urls: Option<Cells>,
    charsets: Option<Cells>,
    /// Validity of the rows of a record batch. In a null row, the values of all columns are null.
    nulls: Option<NullBuffer>,
    kept: Vec<ArrayRef>,
}

/// Names of the input columns, as given by the caller.
pub(crate) struct Names {
    pub(crate) html: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) charset: Option<String>,
}

impl Request {
    pub(crate) fn new(
        py: Python<'_>,
        names: Names,
        columns: Option<Vec<String>>,
        keep: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let columns = by_names(columns).or_raise(py)?;
        let html = names.html.unwrap_or_else(|| "html".to_owned());
        Ok(Request { html, url: names.url, charset: names.charset, columns, keep })
    }

    /// Returns the input fields that are kept.
    ///
    /// # Errors
    /// If a field in `keep` does not exist.
    fn kept_fields(&self, field: &Field) -> Result<Vec<FieldRef>> {
        let DataType::Struct(fields) = field.data_type() else {
            // An array of pages has no other columns.
            let named = self.keep.iter().flatten().next();
            return named.map_or(Ok(Vec::new()), |name| Err(no_column(name, field)));
        };
        let is_written = |f: &FieldRef| self.columns.iter().any(|c| c.name == f.name());
        let Some(names) = &self.keep else {
            return Ok(fields.iter().filter(|f| *f.name() != self.html && !is_written(f)).cloned().collect());
        };
        let named = |name: &String| {
            let found = fields.iter().find(|f| f.name() == name).cloned();
            found.ok_or_else(|| no_column(name, field))
        };
        let found: Vec<FieldRef> = names.iter().map(named).collect::<Result<_>>()?;
        Ok(found.into_iter().filter(|f| !is_written(f)).collect())
    }

    /// Reads a chunk of the input, which is a record batch or an array of pages.
    fn part(&self, array: &ArrayRef, field: &Field, kept: &[FieldRef]) -> Result<Part> {
        let Some(batch) = array.as_any().downcast_ref::<StructArray>() else {
            // An array of pages has no other columns.
            if let Some(name) = self.url.as_ref().or(self.charset.as_ref()) {
                return Err(no_column(name, field));
            }
            let pages = Cells::named(array, field.name())?;
            return Ok(Part { pages, urls: None, charsets: None, nulls: None, kept: Vec::new() });
        };
        let named = |name: &str| {
            let found = column(batch, name).ok_or_else(|| no_column(name, field))?;
            Cells::named(&found, name)
        };
        let urls = match &self.url {
            Some(name) => Some(named(name)?),
            None => column(batch, "url").map(|urls| Cells::named(&urls, "url")).transpose()?,
        };
        let charsets = self.charset.as_deref().map(named).transpose()?;
        let kept = kept.iter().filter_map(|f| column(batch, f.name()));
        let nulls = batch.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        let kept = match &nulls {
            None => kept.collect(),
            Some(nulls) => kept.map(|column| without(&column, nulls)).collect::<Result<_>>()?,
        };
        Ok(Part { pages: named(&self.html)?, urls, charsets, nulls, kept })
    }

    fn schema(&self, kept: &[FieldRef]) -> SchemaRef {
        let written = self.columns.iter().map(|c| c.field());
        Arc::new(Schema::new(kept.iter().cloned().chain(written).collect::<Vec<_>>()))
    }
}

/// Sets the values of a column to null in the null rows of its record batch.
fn without(column: &ArrayRef, nulls: &NullBuffer) -> Result<ArrayRef> {
    // Arrays of these types have no validity bitmap.
    if matches!(column.data_type(), DataType::Union(..) | DataType::RunEndEncoded(..)) {
        return Ok(column.clone());
    }
    let is_null = BooleanArray::new(!nulls.inner(), None);
    nullif(column, &is_null).map_err(|e| Error::data("a null row has values").because(e))
}

fn no_column(name: &str, field: &Field) -> Error {
    let expected = match field.data_type() {
        DataType::Struct(fields) if !fields.is_empty() => {
            let names: Vec<_> = fields.iter().map(|f| f.name().as_str()).collect();
            format!("one of {}", names.join(", "))
        }
        DataType::Struct(_) => "a table with columns".to_owned(),
        _ => "a table; this is an array of pages".to_owned(),
    };
    Error::invalid_option(format!("there is no column `{name}`")).expected(expected)
}

/// Extracts the pages of a table.
pub(crate) fn run(
    py: Python<'_>,
    extractor: &Extractor,
    table: &Bound<'_, PyAny>,
    request: &Request,
    threads: usize,
) -> PyResult<Table> {
    let input = input(table)?;
    py.detach(|| {
        let done = read(input).and_then(|(arrays, field)| work(extractor, request, &arrays, &field, threads));
        match done {
            Ok(table) => table,
            Err(error) => Python::attach(|py| Err(error).or_raise(py)),
        }
    })
}

type Arrays = (Vec<ArrayRef>, FieldRef);

/// The input before its batches are read.
enum Input {
    Arrow(AnyArray),
    Pages(Arrays),
}

fn input(table: &Bound<'_, PyAny>) -> PyResult<Input> {
    let table = &without_null_types(table)?;
    if table.is_instance_of::<PyList>() || table.is_instance_of::<PyTuple>() {
        return Ok(Input::Pages(listed(table)?));
    }
    if table.is_instance_of::<PyBytes>() || table.is_instance_of::<PyString>() {
        let message = "this is one page, not a table; `extract` takes one page";
        return Err(not_an_argument(table.py(), message.to_owned()));
    }
    table.extract::<AnyArray>().map(Input::Arrow).map_err(|error| {
        let py = table.py();
        if !error.is_instance_of::<PyException>(py) {
            return error;
        }
        if table.hasattr("__arrow_c_stream__").unwrap_or(false)
            || table.hasattr("__arrow_c_array__").unwrap_or(false)
        {
            let raised = exception(py, &unreadable(&error));
            raised.set_cause(py, Some(error));
            return raised;
        }
        let expected = "a list of pages or an object with the Arrow PyCapsule interface";
        let raised = wrong_type("table", table, expected);
        raised.set_cause(py, Some(error));
        raised
    })
}

/// Casts the columns of Polars without a type to strings, because Polars exports them in a form that the Arrow C data
/// interface does not allow. Returns other objects unchanged.
fn without_null_types<'py>(table: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = table.py();
    let module = table.get_type().module().map(|module| module.to_string()).unwrap_or_default();
    if !module.starts_with("polars.") {
        return Ok(table.clone());
    }
    let polars = py.import("polars")?;
    let (null, text) = (polars.getattr("Null")?, polars.getattr("String")?);
    if let Ok(types) = table.getattr("dtypes") {
        if !types.contains(&null)? {
            return Ok(table.clone());
        }
        let casts = PyDict::new(py);
        casts.set_item(&null, &text)?;
        return table.call_method1("cast", (casts,));
    }
    match table.getattr("dtype").and_then(|dtype| dtype.eq(&null)) {
        Ok(true) => table.call_method1("cast", (text,)),
        _ => Ok(table.clone()),
    }
}

/// Returns the error for a table that cannot be read.
fn unreadable(cause: &impl std::fmt::Display) -> Error {
    Error::data(format!("the table cannot be read: {cause}")).expected("columns of valid Arrow types")
}

/// Copies the pages of a list to an array. The array has a string type only if all pages are strings.
fn listed(pages: &Bound<'_, PyAny>) -> PyResult<Arrays> {
    let page = |entry: PyResult<Bound<'_, PyAny>>| entry?.extract::<Option<Page>>();
    let pages: Vec<Option<Page>> = pages.try_iter()?.map(page).collect::<PyResult<_>>()?;
    let texts = pages.iter().map(|page| match page {
        None => Some(None),
        Some(Page::Text(text)) => Some(Some(text)),
        Some(Page::Bytes(_)) => None,
    });
    let array: ArrayRef = match texts.collect::<Option<Vec<_>>>() {
        Some(texts) => Arc::new(texts.into_iter().map(|t| t.map(|t| &**t)).collect::<LargeStringArray>()),
        None => {
            let mut builder = LargeBinaryBuilder::new();
            pages.iter().for_each(|page| builder.append_option(page.as_ref().map(Page::bytes)));
            Arc::new(builder.finish())
        }
    };
    let field = Arc::new(Field::new("html", array.data_type().clone(), true));
    Ok((vec![array], field))
}

/// Reads all batches of the input without copying their values.
fn read(input: Input) -> Result<Arrays> {
    let reader = match input {
        Input::Pages(arrays) => return Ok(arrays),
        Input::Arrow(input) => input.into_reader().map_err(|e| unreadable(&e))?,
    };
    let field = reader.field();
    let arrays = reader.collect::<std::result::Result<Vec<_>, _>>();
    Ok((arrays.map_err(|e| unreadable(&e))?, field))
}

fn work(
    extractor: &Extractor,
    request: &Request,
    arrays: &[ArrayRef],
    field: &FieldRef,
    threads: usize,
) -> Result<PyResult<Table>> {
    let has_null_rows =
        arrays.iter().any(|a| a.null_count() > 0 && matches!(a.data_type(), DataType::Struct(_)));
    let nullable =
        |f: FieldRef| if has_null_rows { Arc::new(f.as_ref().clone().with_nullable(true)) } else { f };
    let kept: Vec<FieldRef> = request.kept_fields(field)?.into_iter().map(nullable).collect();
    let parts = arrays.iter().map(|array| request.part(array, field, &kept));
    let parts: Vec<Part> = parts.collect::<Result<_>>()?;
    let places: Vec<(usize, usize)> = parts
        .iter()
        .enumerate()
        .flat_map(|(part, Part { pages, .. })| (0..pages.len()).map(move |index| (part, index)))
        .collect();
    let page = |place: usize| {
        let (part, index) = places[place];
        let written = written(extractor, request, &parts[part], index);
        written.unwrap_or_else(|error| Written::failed(&html_expected(error)))
    };
    let mut written = match parallel::map(places.len(), threads, page)? {
        Ok(written) => written.into_iter(),
        Err(raised) => return Ok(Err(raised)),
    };
    let schema = request.schema(&kept);
    let mut batches = Vec::new();
    for Part { pages, kept, .. } in parts {
        let rows: Vec<Written> = written.by_ref().take(pages.len()).collect();
        let columns = kept.into_iter().chain(request.columns.iter().map(|c| c.array(&rows))).collect();
        let batch = RecordBatch::try_new(schema.clone(), columns);
        batches.push(batch.map_err(|e| Error::data("columns have different lengths or types").because(e))?);
    }
    Ok(Ok(Table::new(schema, batches)))
}

/// Extracts one page and returns its output values.
fn written(extractor: &Extractor, request: &Request, part: &Part, index: usize) -> Result<Written> {
    let is_null = part.nulls.as_ref().is_some_and(|nulls| nulls.is_null(index));
    let page = part.pages.get(index).filter(|_| !is_null);
    let bytes = page.ok_or_else(|| Error::data("the page is null"))?;
    check_is_page(bytes)?;
    let stated = part.charsets.as_ref().and_then(|charsets| charsets.text(index));
    let charset = if part.pages.is_text() { Some(DECODED) } else { stated };
    let given = part.urls.as_ref().and_then(|urls| urls.text(index)).filter(|url| !url.is_empty());
    let (inner, options, limits) = extractor.inner().raw();
    limits.check_size(bytes)?;
    let budget = limits.budget()?;
    guard("", || {
        let input = threshr_extract::Input { bytes, charset, url: given, ..Default::default() };
        let extraction = inner.extract(&input, &budget)?;
        let own = if given.is_none() { extraction.document().url() } else { None };
        let needs_level = need_type_and_quality(&request.columns);
        let type_and_quality = if needs_level { inner.type_and_quality_of(&extraction) } else { None };
        let defect = extraction.defect(bytes).map(|defect| defect.with_causes());
        Written::new(
            &PageOutput {
                defect: defect.as_deref(),
                type_and_quality: type_and_quality.as_ref(),
                url: given.or(own.as_deref()),
                added: added(&request.columns),
                options,
                budget,
                ..extraction.output()
            },
            &request.columns,
        )
    })
}
