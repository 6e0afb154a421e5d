//! Pages as Python and Arrow objects: strings or bytes, which are not copied.

use crate::arguments::{not_an_argument, type_name};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, RunArray, StringArray,
    StringViewArray, StructArray,
};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyAny, PyBytes, PyString};
use threshr_core::{Error, Result};

/// Charset of strings that Python or Arrow has already decoded.
pub(crate) const DECODED: &str = "utf-8";

/// A page from Python.
pub(crate) enum Page {
    /// Decoded text.
    Text(PyBackedStr),
    /// Bytes as they were fetched.
    Bytes(PyBackedBytes),
}

impl Page {
    /// The bytes of the page.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Page::Text(text) => text.as_bytes(),
            Page::Bytes(bytes) => bytes,
        }
    }

    /// Returns the charset of the page. For decoded text, the declared charset is ignored.
    pub(crate) fn charset<'a>(&self, stated: Option<&'a str>) -> Option<&'a str> {
        match self {
            Page::Text(_) => Some(DECODED),
            Page::Bytes(_) => stated,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Page {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return match PyBackedStr::try_from(text.to_owned()) {
                Ok(text) => Ok(Page::Text(text)),
                // A lone surrogate cannot be encoded. It is replaced by the replacement character.
                Err(_) => Ok(Page::Bytes(PyBackedBytes::from(replaced(&text)?))),
            };
        }
        if let Ok(bytes) = value.extract::<PyBackedBytes>() {
            return Ok(Page::Bytes(bytes));
        }
        let copied = buffer(&value).map_err(|_| no_page(&value))?.ok_or_else(|| no_page(&value))?;
        Ok(Page::Bytes(PyBackedBytes::from(copied)))
    }
}

/// Returns the bytes of an object with the buffer protocol, such as memoryview or mmap. Returns `None` if
/// its elements are not bytes.
fn buffer<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let view = value.py().import("builtins")?.getattr("memoryview")?.call1((value,))?;
    let kind = view.getattr("format")?;
    if !matches!(kind.cast::<PyString>()?.to_str(), Ok("B" | "b" | "c" | "<B" | "@B")) {
        return Ok(None);
    }
    Ok(Some(view.call_method0("tobytes")?.cast_into::<PyBytes>()?))
}

fn replaced<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyBytes>> {
    let replaced = text.call_method1("encode", ("utf-16", "surrogatepass"))?;
    let text = replaced.call_method1("decode", ("utf-16", "replace"))?;
    Ok(text.call_method1("encode", ("utf-8",))?.cast_into::<PyBytes>()?)
}

fn no_page(value: &Bound<'_, PyAny>) -> PyErr {
    not_an_argument(value.py(), format!("a page is bytes or str, but found {}", type_name(value)))
}

/// A column of strings or bytes.
#[derive(Debug, Clone)]
pub(crate) enum Cells {
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    /// Column of type null. All its values are null.
    Null(usize),
    /// A column with shared values (dictionary or run-end encoded): for each row the index of its value,
    /// and the values.
    Shared(Vec<Option<usize>>, Box<Cells>),
}

impl Cells {
    /// Converts an Arrow array. Returns `None` if its type is not supported.
    pub(crate) fn from_array(array: &ArrayRef) -> Option<Self> {
        let any = array.as_any();
        Some(match array.data_type() {
            DataType::Utf8 => Cells::Utf8(any.downcast_ref::<StringArray>()?.clone()),
            DataType::LargeUtf8 => Cells::LargeUtf8(any.downcast_ref::<LargeStringArray>()?.clone()),
            DataType::Utf8View => Cells::Utf8View(any.downcast_ref::<StringViewArray>()?.clone()),
            DataType::Binary => Cells::Binary(any.downcast_ref::<BinaryArray>()?.clone()),
            DataType::LargeBinary => Cells::LargeBinary(any.downcast_ref::<LargeBinaryArray>()?.clone()),
            DataType::BinaryView => Cells::BinaryView(any.downcast_ref::<BinaryViewArray>()?.clone()),
            DataType::Null => Cells::Null(array.len()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let values = Box::new(Cells::from_array(dictionary.values())?);
                let keys =
                    if values.len() == 0 { vec![0; array.len()] } else { dictionary.normalized_keys() };
                let has_value = |row: usize| values.len() > 0 && dictionary.keys().is_valid(row);
                let places = keys.into_iter().enumerate().map(|(row, key)| has_value(row).then_some(key));
                Cells::Shared(places.collect(), values)
            }
            DataType::RunEndEncoded(ends, _) => match ends.data_type() {
                DataType::Int16 => Self::of_runs::<Int16Type>(array)?,
                DataType::Int32 => Self::of_runs::<Int32Type>(array)?,
                _ => Self::of_runs::<Int64Type>(array)?,
            },
            _ => return None,
        })
    }

    fn of_runs<R: RunEndIndexType>(array: &ArrayRef) -> Option<Self> {
        let runs = array.as_any().downcast_ref::<RunArray<R>>()?;
        let places = (0..runs.len()).map(|row| Some(runs.get_physical_index(row))).collect();
        Some(Cells::Shared(places, Box::new(Cells::from_array(runs.values())?)))
    }

    /// Converts the column `name`.
    pub(crate) fn named(array: &ArrayRef, name: &str) -> Result<Self> {
        Self::from_array(array).ok_or_else(|| {
            Error::data(format!("the column `{name}` has the type {}", array.data_type())).expected(
                "utf8, large_utf8, string_view, binary, large_binary or binary_view, or a dictionary of them",
            )
        })
    }

    /// Returns whether the column contains decoded strings.
    pub(crate) fn is_text(&self) -> bool {
        match self {
            Cells::Shared(_, values) => values.is_text(),
            cells => matches!(cells, Cells::Utf8(_) | Cells::LargeUtf8(_) | Cells::Utf8View(_)),
        }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Cells::Utf8(a) => a.len(),
            Cells::LargeUtf8(a) => a.len(),
            Cells::Utf8View(a) => a.len(),
            Cells::Binary(a) => a.len(),
            Cells::LargeBinary(a) => a.len(),
            Cells::BinaryView(a) => a.len(),
            Cells::Null(len) => *len,
            Cells::Shared(places, _) => places.len(),
        }
    }

    /// Returns the value of a row as bytes. Returns `None` for null.
    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        match self {
            Cells::Utf8(a) => a.is_valid(index).then(|| a.value(index).as_bytes()),
            Cells::LargeUtf8(a) => a.is_valid(index).then(|| a.value(index).as_bytes()),
            Cells::Utf8View(a) => a.is_valid(index).then(|| a.value(index).as_bytes()),
            Cells::Binary(a) => a.is_valid(index).then(|| a.value(index)),
            Cells::LargeBinary(a) => a.is_valid(index).then(|| a.value(index)),
            Cells::BinaryView(a) => a.is_valid(index).then(|| a.value(index)),
            Cells::Null(_) => None,
            Cells::Shared(places, values) => places.get(index).copied().flatten().and_then(|i| values.get(i)),
        }
    }

    /// Returns the value of a row as a string. Returns `None` for null and for bytes that are not UTF-8.
    pub(crate) fn text(&self, index: usize) -> Option<&str> {
        self.get(index).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }
}

/// Returns the column `name` of a record batch, if it exists.
pub(crate) fn column(batch: &StructArray, name: &str) -> Option<ArrayRef> {
    batch.column_by_name(name).cloned()
}
