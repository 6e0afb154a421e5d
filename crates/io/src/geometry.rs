//! Geometry files beside pages: where a browser drew the elements.

use crate::gold::read_bytes;
use std::path::{Path, PathBuf};
use threshr_core::Result;
use threshr_html::geometry_path;

/// The path and the bytes of the geometry file beside a page; `None` if there is no such file.
///
/// # Errors
/// If the file cannot be read.
pub fn read_geometry(page: &Path) -> Result<Option<(PathBuf, Vec<u8>)>> {
    let path = geometry_path(page);
    if !path.is_file() {
        return Ok(None);
    }
    let bytes = read_bytes(&path)?;
    Ok(Some((path, bytes)))
}
