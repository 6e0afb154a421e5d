//! `Table`: record batches that Python libraries can read by the Arrow PyCapsule interface.

use crate::Reduced;
use crate::cells::Cells;
use crate::errors::{OrRaise, exception};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyString};
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use std::sync::Arc;
use threshr_core::{Error, Result};

/// A table in the Arrow format.
///
/// Libraries with the Arrow PyCapsule interface read it without copying: `pyarrow.table(t)`, `polars.DataFrame(t)`,
/// `duckdb.sql("from t")` after `t = pyarrow.table(t)`. Without such a library, `t["text"]` returns a column as a list. A
/// table can be pickled.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Table { schema, batches }
    }
}

#[pymethods]
impl Table {
    /// The table as a stream of record batches, for the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", self.schema.fields().clone(), false)
            .with_metadata(self.schema.metadata().clone());
        let arrays: Vec<_> = self
            .batches
            .iter()
            .map(|batch| Ok(Arc::new(StructArray::from(batch.clone())) as ArrayRef))
            .collect();
        let reader = ArrayIterator::new(arrays, Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(reader), requested_schema)?)
    }

    /// The types of the columns, for the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.schema.as_ref())?)
    }

    /// Creates a table from the stream that `__reduce__` wrote.
    #[staticmethod]
    fn _of(py: Python<'_>, stream: &[u8]) -> PyResult<Self> {
        py.detach(|| {
            let reader = StreamReader::try_new(stream, None)?;
            let schema = reader.schema();
            Ok(Table { schema, batches: reader.collect::<std::result::Result<_, _>>()? })
        })
        .map_err(|e: ArrowError| {
            let error = Error::data("the pickled table is not valid").expected("an Arrow IPC stream");
            exception(py, &error.because(e))
        })
    }

    /// Pickles the table as an Arrow IPC stream.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Bound<'py, PyBytes>,)> {
        let written = py.detach(|| {
            let mut writer = StreamWriter::try_new(Vec::new(), &self.schema)?;
            self.batches.iter().try_for_each(|batch| writer.write(batch))?;
            writer.into_inner()
        });
        let stream = written.map_err(|e: ArrowError| {
            exception(py, &Error::data("the table cannot be written as Arrow IPC").because(e))
        })?;
        Ok((py.get_type::<Table>().getattr("_of")?, (PyBytes::new(py, &stream),)))
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    /// A column as a list of Python values; null is None. Raises `KeyError` for an unknown name.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let index = self.schema.index_of(name).map_err(|_| PyKeyError::new_err(name.to_owned()))?;
        let list = PyList::empty(py);
        for batch in &self.batches {
            for value in values(py, name, batch.column(index)).and_then(|v| v.or_raise(py))? {
                list.append(value)?;
            }
        }
        Ok(list)
    }

    fn __repr__(&self) -> String {
        format!("Table({} rows: {})", self.num_rows(), self.column_names().join(", "))
    }
}

type Values<'py> = Vec<Option<Bound<'py, PyAny>>>;

/// Converts a column of strings, bytes, numbers, booleans or lists to Python values.
fn values<'py>(py: Python<'py>, name: &str, column: &ArrayRef) -> PyResult<Result<Values<'py>>> {
    macro_rules! numbers {
        ($kind:ty) => {{
            let numbers = column.as_primitive::<$kind>().iter();
            numbers
                .map(|v| v.map(|v| Ok(v.into_pyobject(py)?.into_any())).transpose())
                .collect::<PyResult<_>>()?
        }};
    }
    if let Some(cells) = Cells::from_array(column) {
        let value = |i: usize| match (cells.is_text(), cells.get(i)) {
            (_, None) => None,
            (true, Some(bytes)) => Some(PyString::new(py, &String::from_utf8_lossy(bytes)).into_any()),
            (false, Some(bytes)) => Some(PyBytes::new(py, bytes).into_any()),
        };
        return Ok(Ok((0..cells.len()).map(value).collect()));
    }
    Ok(Ok(match column.data_type() {
        DataType::Float32 => numbers!(Float32Type),
        DataType::Float64 => numbers!(Float64Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::Boolean => {
            let flags = column.as_boolean().iter();
            flags
                .map(|v| v.map(|v| Ok(v.into_pyobject(py)?.to_owned().into_any())).transpose())
                .collect::<PyResult<_>>()?
        }
        DataType::List(_) => {
            let mut lists: Values<'py> = Vec::new();
            for cell in column.as_list::<i32>().iter() {
                let Some(cell) = cell else {
                    lists.push(None);
                    continue;
                };
                match values(py, name, &cell)? {
                    Ok(found) => lists.push(Some(PyList::new(py, found)?.into_any())),
                    Err(error) => return Ok(Err(error)),
                }
            }
            lists
        }
        other => {
            return Ok(Err(Error::data(format!("the column `{name}` has the type {other}"))
                .expected("text, bytes, numbers, booleans or lists; pyarrow.table(table) reads all types")));
        }
    }))
}
