//! Geometry files next to pages: the positions of elements as rendered by a browser.

use crate::read_bytes;
use std::path::{Path, PathBuf};
use threshr_core::Result;
use threshr_html::geometry_path;

/// Returns the path and content of the geometry file of a page. Returns `None` if there is no such file.
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
