//! Writes model files atomically: a file is either complete or does not exist.

use std::io::Write;
use std::path::Path;
use threshr_core::{Error, Result};
use threshr_extract::Model;
use threshr_extract::baseline::TrainedSystem;
use threshr_extract::model::file;
use threshr_io::AtomicFile;

/// Writes a model file. The format is JSON, or binary if the file extension is `bin`.
///
/// # Errors
/// If the file cannot be written.
pub fn save(model: &Model, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let is_binary = path.extension().is_some_and(|extension| extension == "bin");
    let json = file::to_bytes(model);
    let bytes = if is_binary { json.and_then(|json| file::to_binary(&json)) } else { json };
    write(&bytes.map_err(|e| e.at_path(path))?, path)
}

/// Writes the file of a trained baseline system.
///
/// # Errors
/// If the file cannot be written.
pub fn save_system(system: &TrainedSystem, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    write(&file::system_to_bytes(system).map_err(|e| e.at_path(path))?, path)
}

fn write(bytes: &[u8], path: &Path) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|e| Error::io(path, e))?;
    file.finish()
}
