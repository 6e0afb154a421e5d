//! Internal interfaces that the command line and the Python package need in addition to the public
//! interface.
//!
//! This module is unstable: it may change in any version. Its types belong to the internal crates of
//! threshr.

pub use crate::options::{ExtractionOption, OPTIONS};
pub use threshr_core::Limits;
pub use threshr_extract::flow::Labels;
pub use threshr_extract::{Labeller, Options, RawExtraction};
pub use threshr_html::Document;
pub use threshr_html::Unwrap;
pub use threshr_html::blocks::Blocks;
pub use threshr_output::formats::{PageOutput, WriteOptions};

use crate::{Extractor, ExtractorBuilder};
use std::sync::Arc;

impl Extractor {
    /// Returns the internal extractor, the options for Markdown and HTML, and the limits for each page.
    /// Unstable, see [`raw`](crate::raw).
    pub fn raw(&self) -> (&Arc<threshr_extract::Extractor>, WriteOptions, Limits) {
        (&self.inner, self.write, self.limits)
    }
}

impl ExtractorBuilder {
    /// Sets the function that removes the markup that an annotated set adds to its pages. Unstable, see
    /// [`raw`](crate::raw).
    #[must_use]
    pub fn with_unwrap(mut self, unwrap: &'static dyn Unwrap) -> Self {
        self.options.parse.unwrap = Some(unwrap);
        self
    }
}
