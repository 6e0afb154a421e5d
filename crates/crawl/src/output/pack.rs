//! Conversion of entries to the bytes of an output file, with compression.

use crate::formats;
#[cfg(feature = "parquet")]
use crate::parquet_rows;
use std::io::Write;
use std::path::Path;
use threshr_core::Setting;
use threshr_core::{Error, Result};
#[cfg(feature = "parquet")]
use threshr_output::formats::Row;
use threshr_output::formats::{Added, Entry, Format, Layout};

/// Compression of a text output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    #[default]
    None,
    /// gzip, one member per group.
    Gzip,
    /// zstd, one frame per group.
    Zstd,
}

const ZSTD_LEVEL: i32 = 3;

impl Compression {
    /// Parses `none`, `gz` or `zst`.
    ///
    /// # Errors
    /// For other names.
    pub fn by_name(name: &str) -> Result<Self> {
        match name {
            "none" => Ok(Compression::None),
            "gz" => Ok(Compression::Gzip),
            "zst" => Ok(Compression::Zstd),
            _ => Err(Error::invalid_option(format!("there is no compression `{name}`"))
                .expected("none, gz or zst")),
        }
    }

    pub(super) fn compress(self, text: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Compression::None => Ok(text.to_vec()),
            Compression::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(text)?;
                encoder.finish()
            }
            Compression::Zstd => zstd::encode_all(text, ZSTD_LEVEL),
        }
    }
}

/// Determines the format and the compression from the extensions of a file name.
pub fn suggest(path: &Path) -> (Option<&'static Format>, Compression) {
    let (extension, compression) = extension(path);
    (formats().iter().copied().find(|f| f.extensions.contains(&&*extension)), compression)
}

/// Returns the lower-case extension of a file name before the compression extension. Returns an empty
/// string if there is none.
fn extension(path: &Path) -> (String, Compression) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let (name, compression) = match (name.strip_suffix(".gz"), name.strip_suffix(".zst")) {
        (Some(name), _) => (name, Compression::Gzip),
        (_, Some(name)) => (name, Compression::Zstd),
        _ => (name.as_str(), Compression::None),
    };
    let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default();
    (extension.to_owned(), compression)
}

/// Rejects a file name with an unknown extension, because the file would be written as plain text.
///
/// # Errors
/// If no format has this extension. The error lists all extensions.
pub fn check_ending(path: &Path) -> Result<()> {
    let (extension, _) = extension(path);
    // Pipes and devices may have any name.
    let is_special = || std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
    if extension.is_empty() || suggest(path).0.is_some() || is_special() {
        return Ok(());
    }
    let known: Vec<_> =
        formats().iter().flat_map(|f| f.extensions).map(|extension| format!(".{extension}")).collect();
    Err(Error::invalid_option(format!("no format has the extension .{extension}"))
        .expected(format!("one of {}, or a named format", known.join(", ")))
        .with_setting(Setting::Format)
        .at_path(path))
}

pub(super) fn failed(error: std::io::Error) -> Error {
    Error::new(threshr_core::ErrorKind::Io, "compression failed").because(error)
}

/// Returns the bytes of a group, and for Parquet its metadata. `start` is the text before the first group
/// of the file. It is `None` for later groups.
pub(crate) fn pack(
    entries: Vec<Entry>,
    start: Option<&str>,
    format: &Format,
    compression: Compression,
    added: Added,
) -> Result<(Vec<u8>, Vec<u8>)> {
    let (is_first, head) = (start.is_some(), start.unwrap_or_default());
    match format.layout {
        Layout::Parquet => pack_rows(entries, head, added),
        Layout::Members => {
            let mut out = Vec::new();
            let texts = entries.iter().map(text);
            for text in std::iter::once(head).chain(texts).filter(|t| !t.is_empty()) {
                out.extend(compression.compress(text.as_bytes()).map_err(failed)?);
            }
            Ok((out, Vec::new()))
        }
        Layout::Stream | Layout::Folder => {
            let mut joined = head.to_owned();
            for (number, entry) in entries.iter().enumerate() {
                if !is_first || number > 0 {
                    joined.push_str(format.between);
                }
                joined.push_str(text(entry));
            }
            let is_nothing = joined.is_empty();
            Ok((
                if is_nothing {
                    Vec::new()
                } else {
                    compression.compress(joined.as_bytes()).map_err(failed)?
                },
                Vec::new(),
            ))
        }
    }
}

fn text(entry: &Entry) -> &str {
    match entry {
        Entry::Text(text) | Entry::File { text, .. } => text,
        Entry::Row(row) => row.text.as_deref().unwrap_or_default(),
    }
}

#[cfg(feature = "parquet")]
fn pack_rows(entries: Vec<Entry>, head: &str, added: Added) -> Result<(Vec<u8>, Vec<u8>)> {
    let row = |entry| match entry {
        Entry::Row(row) => Some(*row),
        _ => None,
    };
    let rows: Vec<Row> = entries.into_iter().filter_map(row).collect();
    let mut bytes = head.as_bytes().to_vec();
    if rows.is_empty() {
        return Ok((bytes, Vec::new()));
    }
    let group = parquet_rows::encode(&rows, added)?;
    bytes.extend(group.data);
    Ok((bytes, group.metadata))
}

#[cfg(not(feature = "parquet"))]
fn pack_rows(_: Vec<Entry>, _: &str, _: Added) -> Result<(Vec<u8>, Vec<u8>)> {
    Err(Error::invalid_option("this build cannot write Parquet").expected("the feature `parquet`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_select_formats() {
        let of = |path: &str| {
            let (format, compression) = suggest(Path::new(path));
            (format.map(|f| f.name), compression)
        };
        assert_eq!(of("a/pages.jsonl.zst"), (Some("jsonl"), Compression::Zstd));
        assert_eq!(of("x.WET.gz"), (Some("wet"), Compression::Gzip));
        assert_eq!(of("x.dat"), (None, Compression::None));
        assert_eq!(of("x.md"), (Some("markdown"), Compression::None));
    }
}
