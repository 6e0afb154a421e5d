//! The Python module `threshr._threshr`: Python classes and functions around the Rust library.
//!
//! - [`extractor`] and [`extraction`]: extraction of one page. [`pickled`]: transfer of extractions to other
//!   processes.
//! - [`batch`]: extraction of a column of pages to columns of content, by the Arrow C data interface.
//! - [`reader`], [`stream`]: pages of archives and other files, and of Python file objects.
//! - [`render`]: support for `threshr.render`: pages to render, and conversion of snapshots to rendered pages.
//! - [`model`], [`training`], [`features`]: models, training, evaluation, and the feature matrix.
//!
//! No function holds the interpreter lock while it works on pages. No thread outlives the call that started it, so a
//! process can fork at any time between calls.

mod arguments;
mod batch;
mod cells;
mod columns;
mod errors;
mod extraction;
mod extractor;
mod features;
mod model;
mod parallel;
mod pickled;
mod reader;
mod render;
mod settings;
mod stream;
mod table;
mod training;

/// Return value of `__reduce__` for pickle: a function and its arguments.
type Reduced<'py, Arguments> = pyo3::PyResult<(pyo3::Bound<'py, pyo3::PyAny>, Arguments)>;

/// The compiled part of the package `threshr`.
#[pyo3::pymodule(gil_used = false)]
mod _threshr {
    use pyo3::prelude::*;
    use pyo3::types::PyModule;

    #[pymodule_export]
    use crate::extraction::Extraction;
    #[pymodule_export]
    use crate::extractor::Extractor;
    #[pymodule_export]
    use crate::features::{features_of_pages, features_of_sets};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::reader::{PageReader, read_index, read_pages};
    #[pymodule_export]
    use crate::render::{RenderInputs, RenderPage, page_of_snapshot, served_page, write_file};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::training::{adapt, cross_validate, difference, evaluate, interval, train};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("SNAPSHOT_STYLES", threshr_snapshot::STYLES)?;
        module.add("DEFAULT_COLUMNS", crate::columns::DEFAULT.to_vec())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Decodes the bytes of a page: by its byte-order mark, else by `<meta>`, else by a detected charset.
    #[pyfunction]
    fn decode(py: Python<'_>, html: &[u8]) -> String {
        py.detach(|| threshr_html::decode(html, None).text.into_owned())
    }

    /// Runs the program `threshr` with these arguments and returns its exit code.
    #[pyfunction]
    fn run_program(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| threshr_cli::run_with(arguments))
    }
}
