//! Geometry files beside pages.

use crate::gold::read_bytes;
use std::path::Path;
use threshr_core::Result;
use threshr_html::geometry_path;

/// The content of the geometry file beside a page; `None` where there is no such file.
///
/// # Errors
/// Where the file cannot be read, with its path.
pub fn read_geometry(page: &Path) -> Result<Option<Vec<u8>>> {
    let path = geometry_path(page);
    if path.is_file() { read_bytes(&path).map(Some) } else { Ok(None) }
}
