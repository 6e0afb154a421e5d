//! A page that was read from an input, with everything that an extractor needs.

use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_extract::Input;
use threshr_extract::flow::GeometryFile;
use threshr_io::{RawPage, read_geometry};

/// The bytes of a page and of its geometry file, with the metadata that the input contains.
#[derive(Debug)]
pub struct LoadedPage {
    /// The bytes of the page, decompressed.
    pub bytes: Vec<u8>,
    /// Charset that the input declares.
    pub charset: Option<String>,
    /// URL of the page.
    pub url: Option<String>,
    /// Path and content of the geometry file, if the page has one.
    pub geometry: Option<(PathBuf, Vec<u8>)>,
    /// Defect of a page that could still be read.
    pub defect: Option<Error>,
}

impl LoadedPage {
    /// Reads a page of at most `most_bytes` bytes. `url` is the URL of the page if the input contains none.
    ///
    /// # Errors
    /// If the page or its geometry file cannot be read, or the page is too large.
    pub fn new(mut raw: RawPage, most_bytes: Option<u64>, url: Option<&str>) -> Result<Self> {
        let path = raw.path().map(Path::to_path_buf);
        let (charset, url) = (raw.charset.take(), raw.url.take().or_else(|| url.map(str::to_owned)));
        let id = raw.id.clone();
        let threshr_io::Loaded { bytes, defect } = raw.load(most_bytes)?;
        let defect = defect.map(|e| e.at_page(id));
        let geometry = match &path {
            Some(path) => read_geometry(path)?,
            None => None,
        };
        Ok(LoadedPage { bytes, charset, url, geometry, defect })
    }

    /// Returns the page as input of an extractor.
    pub fn input(&self) -> Input<'_> {
        Input {
            bytes: &self.bytes,
            charset: self.charset.as_deref(),
            url: self.url.as_deref(),
            geometry: self.geometry.as_ref().map(|(path, bytes)| GeometryFile { path, bytes }),
        }
    }
}
