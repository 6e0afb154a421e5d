//! Annotated sets: readers of pages with gold, the content as people marked it.
//!
//! A reader turns a folder into [`GoldPage`]s; each format is one file and one line in [`REGISTRY`].

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

/// Every reader; the first whose `detect` says yes reads a folder when no format is named.
pub static REGISTRY: &[&Reader] = &[
    &jsonl::READER,
    &cleaneval::READER,
    &in_page::L3S,
    &in_page::KRDWRD,
    &in_page::GOOGLEOFF,
    &in_page::MARKERS,
    &in_page::SELECTOR,
];

/// What is said of a set whose pages have no gold.
pub fn no_gold(set: impl AsRef<Path>) -> Error {
    Error::data("no page has gold")
        .expected("a field `gold` in gold.jsonl, or a file of gold beside a page")
        .at_path(set)
}

/// A format of annotated sets.
#[derive(Debug)]
pub struct Reader {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for help and tables.
    pub summary: &'static str,
    /// Where the format comes from.
    pub source: &'static str,
    /// Whether a folder looks like this format.
    pub detect: fn(&Path) -> bool,
    /// Reads the list of pages, not yet the pages themselves.
    pub read: fn(&Path, &ReadOptions) -> Result<Vec<GoldPage>>,
}

/// What some formats must be told.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Name of the format; found out from the folder otherwise.
    pub format: Option<String>,
    /// Opening and closing marker of the format `markers`.
    pub markers: Option<(String, String)>,
    /// CSS selector of the format `selector`.
    pub selector: Option<Selector>,
    /// Classes that count as content in formats with numbered classes.
    pub classes: Option<Vec<u8>>,
}

/// Where the gold of a page stands.
#[derive(Debug, Clone)]
pub enum Gold {
    /// The content as text, and with `<p>`, `<h>`, `<l>` before its segments where the set has that.
    Text {
        /// One block a line.
        text: String,
        /// The same with markup.
        markup: Option<String>,
    },
    /// Labels in the page itself.
    InPage(Annotation),
}

/// A page of an annotated set.
#[derive(Debug, Clone)]
pub struct GoldPage {
    /// Its id, unique in the set.
    pub id: String,
    /// File with the page's bytes.
    pub path: PathBuf,
    /// Its address.
    pub url: Option<String>,
    /// Its language, as the set gives it.
    pub lang: Option<String>,
    /// Its charset, as the set gives it.
    pub charset: Option<String>,
    /// Its site: registrable domain of the address, or what the set gives. Where it is not known, that of the
    /// address that the page itself names counts, and else every page is a site of its own.
    pub site: Option<String>,
    /// Its type, as the set gives it.
    pub page_type: Option<String>,
    /// Its gold; `None` where the set has none for it.
    pub gold: Option<Gold>,
    /// Strings that its content has and has not; empty where the set has none.
    pub snippets: Snippets,
}

/// Strings that must and must not be extracted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippets {
    /// Content.
    pub with: Vec<String>,
    /// Boilerplate.
    pub without: Vec<String>,
}

impl Snippets {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }
}

impl GoldPage {
    /// The labels to read while the page is parsed, where its gold stands in it.
    pub fn annotation(&self) -> Option<Annotation> {
        match &self.gold {
            Some(Gold::InPage(annotation)) => Some(annotation.clone()),
            _ => None,
        }
    }
}

/// An annotated set: its name (that of the folder) and its pages.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// Name of the folder.
    pub name: String,
    /// The folder.
    pub path: PathBuf,
    /// Name of the reader.
    pub format: &'static str,
    /// What its annotators counted as content, where its `policy.toml` says so.
    pub policy: Option<Policy>,
    /// The pages, in the order of the set.
    pub pages: Vec<GoldPage>,
}

impl DataSet {
    /// Reads the list of pages of an annotated set.
    ///
    /// # Errors
    /// Where the folder is in no known format, or its list is damaged.
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
                    .expected("gold.jsonl, input/ with GoldStandard/, or --gold-format")
                    .at_path(path)
            })?,
        };
        let pages = (reader.read)(path, options)?;
        if pages.is_empty() {
            return Err(Error::data("the set has no pages")
                .expected(format!("pages of the format `{}`, which is {}", reader.name, reader.summary))
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

/// The policy that a set's `policy.toml` declares: one line, such as `policy = "full-byline"`.
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
        Error::data(e.message()).expected("policy = \"main\" or the like").at_path(&path).at_line(line)
    })?;
    Ok(Some(declared.policy))
}

/// The reader called `name`, or an error that lists the names there are.
pub fn by_name(name: &str) -> Result<&'static Reader> {
    registry::find(REGISTRY, "gold format", name, |entry| entry.name)
}

fn check_ids(pages: &[GoldPage], path: &Path) -> Result<()> {
    let mut ids: Vec<_> = pages.iter().map(|p| p.id.as_str()).collect();
    ids.sort_unstable();
    match ids.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => Err(Error::data("two pages have this id").at_page(twice[0]).at_path(path)),
        None => Ok(()),
    }
}

/// The site of an address: its registrable domain by the public suffix list, else its host.
pub fn site_of(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).or_else(|_| url::Url::parse(&format!("http://{url}"))).ok()?;
    let host = match parsed.host()? {
        url::Host::Domain(host) => host.trim_end_matches('.').to_lowercase(),
        address => return Some(address.to_string()),
    };
    let domain = psl::domain_str(&host).map(str::to_owned);
    (!host.is_empty()).then(|| domain.unwrap_or(host))
}

/// Reads a file's bytes.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| Error::io(path, e))
}

/// HTML files of a folder, sorted by number where their names are numbers, else by name.
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

/// A file's name without its ending.
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
