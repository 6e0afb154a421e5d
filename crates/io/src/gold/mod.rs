//! Annotated sets: pages with gold, the content that annotators marked.
//!
//! A [`Reader`] turns a folder into [`GoldPage`]s. Each format is one file and one line in [`REGISTRY`].

mod cleaneval;
mod in_page;
mod jsonl;
pub mod markup;

pub use markup::{ParagraphClass, Segment, segments};

use std::path::{Path, PathBuf};
use threshr_core::policy::Policy;
use threshr_core::registry;
use threshr_core::{Error, Result};
use threshr_html::{Annotation, Selector};

/// All readers. Without a given format, the first reader whose `detect` returns true reads a folder.
pub static REGISTRY: &[&Reader] = &[
    &jsonl::READER,
    &cleaneval::READER,
    &in_page::L3S,
    &in_page::KRDWRD,
    &in_page::GOOGLEOFF,
    &in_page::MARKERS,
    &in_page::SELECTOR,
];

/// The error for a set without gold.
pub fn no_gold(set: impl AsRef<Path>) -> Error {
    Error::data("no page has gold")
        .expected("a field `gold` in gold.jsonl, or a gold file beside a page")
        .at_path(set)
}

/// A format of annotated sets.
#[derive(Debug)]
pub struct Reader {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for help texts and tables.
    pub summary: &'static str,
    /// The source of the format.
    pub source: &'static str,
    /// Whether a folder has this format.
    pub detect: fn(&Path) -> bool,
    /// Reads the list of pages, without the pages themselves.
    pub read: fn(&Path, &ReadOptions) -> Result<Vec<GoldPage>>,
}

/// Options of formats.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Name of the format; `None` detects it.
    pub format: Option<String>,
    /// Opening and closing marker of the format `markers`.
    pub markers: Option<(String, String)>,
    /// CSS selector of the format `selector`.
    pub selector: Option<Selector>,
    /// Classes that count as content in formats with numbered classes.
    pub classes: Option<Vec<u8>>,
}

/// The gold of a page.
#[derive(Debug, Clone)]
pub enum Gold {
    /// The content as text.
    Text {
        /// One block per line.
        text: String,
        /// The same with `<p>`, `<h>`, `<l>` before each segment, if the set has this markup.
        markup: Option<String>,
    },
    /// Labels in the page itself.
    InPage(Annotation),
}

/// A page of an annotated set.
#[derive(Debug, Clone)]
pub struct GoldPage {
    /// Its id, unique within the set.
    pub id: String,
    /// The file of the page.
    pub path: PathBuf,
    /// Its URL.
    pub url: Option<String>,
    /// Its language according to the set.
    pub lang: Option<String>,
    /// Its charset according to the set.
    pub charset: Option<String>,
    /// Its site: the registrable domain of the URL, or the site according to the set. If `None`, the URL that
    /// the page itself states decides; without one, the page is a site of its own.
    pub site: Option<String>,
    /// Its page type according to the set.
    pub page_type: Option<String>,
    /// Its gold, if any.
    pub gold: Option<Gold>,
    /// Snippets that its content must and must not contain; may be empty.
    pub snippets: Snippets,
}

/// Text snippets for the evaluation of extractions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippets {
    /// Snippets of the content.
    pub with: Vec<String>,
    /// Snippets of boilerplate.
    pub without: Vec<String>,
}

impl Snippets {
    /// Whether there are no snippets.
    pub fn is_empty(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }
}

impl GoldPage {
    /// The annotation to read while the page is parsed, if the labels are inside the page.
    pub fn annotation(&self) -> Option<Annotation> {
        match &self.gold {
            Some(Gold::InPage(annotation)) => Some(annotation.clone()),
            _ => None,
        }
    }
}

/// An annotated set.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// Its name: the name of the folder.
    pub name: String,
    /// The folder.
    pub path: PathBuf,
    /// Name of the reader.
    pub format: &'static str,
    /// The policy that its `policy.toml` declares, if any.
    pub policy: Option<Policy>,
    /// The pages, in the order of the set.
    pub pages: Vec<GoldPage>,
}

impl DataSet {
    /// Reads the list of pages of an annotated set.
    ///
    /// # Errors
    /// If the folder has no known format, or its list of pages is damaged.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        if !path.is_dir() {
            return Err(Error::data("there is no such folder")
                .expected("a folder with pages and gold")
                .at_path(path));
        }
        let reader = match &options.format {
            Some(name) => by_name(name)?,
            None => REGISTRY.iter().copied().find(|r| (r.detect)(path)).ok_or_else(|| {
                Error::data("no known format of annotated pages")
                    .expected("gold.jsonl, input/ with GoldStandard/, or a named format")
                    .with_setting("ReadOptions::format")
                    .at_path(path)
            })?,
        };
        let pages = (reader.read)(path, options)?;
        if pages.is_empty() {
            return Err(Error::data("the set has no pages")
                .expected(format!("pages of the format `{}`: {}", reader.name, reader.summary))
                .at_path(path));
        }
        check_ids(&pages, path)?;
        let canonical = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let name = canonical.file_name().map_or_else(|| "data".into(), |n| n.to_string_lossy().into_owned());
        Ok(DataSet {
            name,
            path: path.to_path_buf(),
            format: reader.name,
            policy: declared_policy(path)?,
            pages,
        })
    }
}

/// Reads the policy in the `policy.toml` of a set: one line, such as `policy = "full-byline"`.
fn declared_policy(dir: &Path) -> Result<Option<Policy>> {
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

/// Finds the reader `name`.
///
/// # Errors
/// If no reader has this name. The error lists all names.
pub fn by_name(name: &str) -> Result<&'static Reader> {
    registry::find(REGISTRY, "gold format", name, |entry| entry.name)
}

fn check_ids(pages: &[GoldPage], path: &Path) -> Result<()> {
    let mut ids: Vec<_> = pages.iter().map(|p| p.id.as_str()).collect();
    ids.sort_unstable();
    match ids.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => Err(Error::data("two pages have the same id").at_page(twice[0]).at_path(path)),
        None => Ok(()),
    }
}

/// The site of a URL: its registrable domain by the public suffix list, else its host.
///
/// ```
/// use threshr_io::site_of;
///
/// assert_eq!(site_of("https://news.bbc.co.uk/1/x.html").as_deref(), Some("bbc.co.uk"));
/// ```
pub fn site_of(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).or_else(|_| url::Url::parse(&format!("http://{url}"))).ok()?;
    let host = match parsed.host()? {
        url::Host::Domain(host) => host.trim_end_matches('.').to_lowercase(),
        address => return Some(address.to_string()),
    };
    let domain = psl::domain_str(&host).map(str::to_owned);
    (!host.is_empty()).then(|| domain.unwrap_or(host))
}

/// Reads a file.
///
/// # Errors
/// If the file cannot be read; the error has its path.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| Error::io(path, e))
}

/// The HTML files of a folder. Files with numeric names come first, sorted by number; the others are sorted
/// by name.
pub(crate) fn html_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir).map_err(|e| Error::io(dir, e))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| Error::io(dir, e))?.path();
        let is_html = path
            .extension()
            .is_some_and(|e| ["html", "htm", "xhtml", "shtml"].iter().any(|x| e.eq_ignore_ascii_case(x)));
        if is_html && path.is_file() {
            files.push(path);
        }
    }
    files.sort_by_cached_key(|p| (stem(p).parse::<u64>().unwrap_or(u64::MAX), stem(p)));
    Ok(files)
}

/// The name of a file without extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
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

    #[test]
    fn sites_are_registrable_domains() {
        let site = |u: &str| site_of(u);
        assert_eq!(site("http://news.bbc.co.uk/1/x.html").as_deref(), Some("bbc.co.uk"));
        assert_eq!(site("https://WWW.Example.COM:8080/?q").as_deref(), Some("example.com"));
        assert_eq!(site("example.org/a").as_deref(), Some("example.org"));
        assert_eq!(site("http://10.1.2.3/").as_deref(), Some("10.1.2.3"));
        assert_eq!(site(""), None);
    }
}
