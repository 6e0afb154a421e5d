//! Opens annotated sets: the pages of a folder or file, with their gold.

use crate::annotations;
use crate::gold::{GoldPage, Listing, ReadOptions, form, jsonl};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use threshr_core::policy::Policy;
use threshr_core::{Error, Result};
use threshr_io::names;

/// An annotated set: pages with gold.
#[derive(Debug, Clone, Default)]
pub struct DataSet {
    /// Name of the set: the name of the folder or file.
    pub name: String,
    /// The folder or file.
    pub path: PathBuf,
    /// Name of the reader, which is the name of the format.
    pub format: &'static str,
    /// The policy declared in `policy.toml`. If there is none, the policy that corresponds to the content labels,
    /// if any.
    pub policy: Option<Policy>,
    /// The pages, in the order of the set.
    pub pages: Vec<GoldPage>,
    /// Remarks for the user about the files of the set.
    pub remarks: Vec<String>,
    /// A sentence with the share of the gold that consists of labels of a model, which annotators began with and did
    /// not change. Scores of this model are too high. `None` if there are none. `remarks` contains the sentence.
    pub labels_of_models: Option<String>,
}

impl DataSet {
    /// Reads the list of pages of an annotated set: a folder, or a file of records.
    ///
    /// # Errors
    /// If the format is unknown, or the list of pages is invalid. The error for an unknown format lists all formats
    /// and names the most similar one.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        if !path.exists() {
            let is_address = path.to_str().is_some_and(threshr_io::is_address);
            let what = match is_address {
                true => "this is an address, and threshr reads files",
                false => "there is no such file or folder",
            };
            return Err(Error::data(what)
                .expected("a folder with pages and gold, or a file of records")
                .at_path(path));
        }
        if threshr_io::readers::is_read_once(path) {
            return Err(Error::data("a set is read more than once")
                .expected("a file or a folder")
                .at_path(path));
        }
        let is_gold_list = path.is_file() && names::decompressed(path) == jsonl::LIST;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let given = if is_gold_list { folder } else { path };
        let (reader, path) = form::find(given, options)?;
        let Listing { pages, mut remarks, policy, labels_of_models } = (reader.read)(&path, options)?;
        if pages.is_empty() {
            return Err(Error::data("the set has no pages")
                .expected(format!("pages of the format `{}`: {}", reader.name, reader.summary))
                .at_path(path));
        }
        check_ids(&pages, &path)?;
        remarks.extend(unknown_charsets(&pages));
        remarks.extend(labels_of_models.clone());
        Ok(DataSet {
            name: set_name(given),
            path: path.clone(),
            format: reader.name,
            policy: declared_policy(if path.is_dir() { &path } else { folder_of(&path) })?.or(policy),
            pages,
            remarks,
            labels_of_models,
        })
    }

    /// Returns the format name of a file or folder; `None` if it is not an annotated set of a known format.
    pub fn form_at(path: &Path) -> Option<&'static str> {
        form::find(path, &ReadOptions::default()).ok().map(|(reader, _)| reader.name)
    }

    /// Returns whether a file or folder has a known format, given these options.
    pub fn has_form(path: &Path, options: &ReadOptions) -> bool {
        form::find(path, options).is_ok()
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the name of a folder, or the name of a file without extensions. An annotation file gets the name of its
/// folder.
fn set_name(path: &Path) -> String {
    let canonical = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let of_folder = canonical.parent().filter(|_| path.file_name().is_some_and(|n| n == annotations::FILE));
    let name = if let Some(folder) = of_folder {
        folder.file_name().map(|n| n.to_string_lossy().into_owned())
    } else if path.is_dir() {
        canonical.file_name().map(|n| n.to_string_lossy().into_owned())
    } else {
        Some(names::stem(&canonical))
    };
    name.filter(|n| !n.is_empty()).unwrap_or_else(|| "data".to_owned())
}

/// Returns a remark about charset labels of the set that are unknown; `None` if there are none.
fn unknown_charsets(pages: &[GoldPage]) -> Option<String> {
    let unknown = |p: &&GoldPage| p.charset.as_deref().is_some_and(|c| !threshr_html::is_charset(c));
    let mut pages = pages.iter().filter(unknown);
    let first = pages.next()?;
    let label = first.charset.as_deref().unwrap_or_default();
    Some(format!(
        "page {}: the encoding `{label}` is unknown, so the charset is detected from the page{}",
        first.id,
        match pages.count() {
            0 => String::new(),
            more => format!("; the same holds for {more} more pages"),
        }
    ))
}

/// Reads the policy from the `policy.toml` of a set, a file with one line such as `policy = "full-byline"`.
pub(super) fn declared_policy(dir: &Path) -> Result<Option<Policy>> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Declared {
        policy: Policy,
    }
    let path = dir.join("policy.toml");
    if !path.is_file() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).map_err(|e| Error::io(&path, e))?;
    let declared: Declared = toml::from_str(&text).map_err(|e| {
        let line = e.span().map_or(1, |s| 1 + text[..s.start.min(text.len())].matches('\n').count() as u64);
        Error::data(e.message()).expected("a line such as policy = \"main\"").at_path(&path).at_line(line)
    })?;
    Ok(Some(declared.policy))
}

fn check_ids(pages: &[GoldPage], path: &Path) -> Result<()> {
    let mut first: HashMap<&str, &GoldPage> = HashMap::with_capacity(pages.len());
    for page in pages {
        let Some(other) = first.insert(&page.id, page) else { continue };
        let place = |page: &GoldPage| match page.line {
            Some(line) => format!("line {line}"),
            None => page.path.display().to_string(),
        };
        let error = Error::data(format!("two pages have the same id: {}, {}", place(other), place(page)))
            .expected("a unique id for each page")
            .at_page(&page.id)
            .at_path(path);
        return Err(match page.line {
            Some(line) => error.at_line(line),
            None => error,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_declares_its_policy() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(declared_policy(dir.path()).expect("none"), None);
        let write = |text: &str| std::fs::write(dir.path().join("policy.toml"), text).expect("written");
        write("policy = 'full-byline'\n");
        let policy = declared_policy(dir.path()).expect("read").expect("there");
        assert_eq!(policy.name(), "full-byline");
        write("# a set\npolicy = 'best'\n");
        let error = declared_policy(dir.path()).expect_err("unknown").to_string();
        assert!(error.contains("policy.toml") && error.contains("best"), "{error}");
    }
}
