//! Selects the format of an output file by an option, or else by the file extension. An unknown extension is
//! an error.

use std::path::Path;
use threshr_core::{Error, Result, Setting};
use threshr_io::names;

/// A format and the file extensions that select it.
pub(super) type Extensions = (&'static str, &'static [&'static str]);

/// Files that are always CSV.
pub(super) const CSV: &[Extensions] = &[("csv", &["csv"])];

/// Formats of the commands that print tables.
pub(super) const TABLES: &[Extensions] =
    &[("table", &["txt"]), ("markdown", &["md"]), ("json", &["json"]), ("csv", &["csv"])];

/// Returns the format of an output. `given` is the value of the format option. If it is `None`, the file
/// extension selects one of `formats`; files without an extension, special files and standard output get the
/// first format.
///
/// # Errors
/// If no format has the extension.
pub(super) fn of<'a>(given: Option<&'a str>, out: Option<&Path>, formats: &[Extensions]) -> Result<&'a str> {
    let default = formats.first().map_or("", |format| format.0);
    let (given, out) = match (given, out) {
        (Some(given), _) => return Ok(given),
        (None, None) => return Ok(default),
        (None, Some(out)) => (names::extension(out), out),
    };
    let is_compressed = names::decompressed(out) != names::text_of(out.file_name().unwrap_or_default());
    let found = formats.iter().find(|format| format.1.contains(&given.as_str()) && !is_compressed);
    // pipes and devices may have any name
    let is_special = || std::fs::metadata(out).is_ok_and(|m| !m.is_file() && !m.is_dir());
    match found {
        Some(format) => Ok(format.0),
        None if given.is_empty() && !is_compressed || is_special() => Ok(default),
        None => {
            let known: Vec<String> =
                formats.iter().flat_map(|format| format.1).map(|extension| format!(".{extension}")).collect();
            let extension = out.extension().unwrap_or_default().to_string_lossy();
            Err(Error::invalid_option(format!("this output has no format with the extension .{extension}"))
                .expected(format!("one of {}", known.join(", ")))
                .with_setting(Setting::Output)
                .at_path(out))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: &[Extensions] = &[("csv", &["csv"]), ("json", &["json", "jsonl"])];

    #[test]
    fn the_extension_selects_the_format_or_is_an_error() {
        let format = |given, out: Option<&str>| of(given, out.map(Path::new), FORMATS);
        for (given, out, expected) in [
            (None, None, "csv"),
            (None, Some("-"), "csv"),
            (None, Some("table"), "csv"),
            (None, Some("a.JSONL"), "json"),
            (Some("csv"), Some("a.txt"), "csv"),
            (None, Some("/dev/stdout"), "csv"),
        ] {
            assert_eq!(format(given, out).expect("a format"), expected, "{out:?}");
        }
        for out in ["a.parquet", "a.xlsx", "a.csv.gz", "a.gz"] {
            let error = format(None, Some(out)).expect_err(out).to_string();
            assert!(error.contains(out) && error.contains(".csv, .json, .jsonl"), "{error}");
        }
    }
}
