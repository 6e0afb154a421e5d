//! Search for pages in folders.

use crate::names::{self, extension};
use crate::readers::{Reader, Source, Sources, html, mhtml, reader_of, reader_of_bytes, stream};
use crate::sniff;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use threshr_core::Error;

/// File extensions of server-side programs. Pages that were saved from such URLs also have these extensions.
const PROGRAMS: [&str; 14] = [
    "php", "php3", "php4", "php5", "phtml", "asp", "aspx", "jsp", "jspx", "jsf", "cfm", "cgi", "do", "action",
];

/// File extensions that are never pages, regardless of the content. For other extensions, the content is inspected,
/// because the extension may be part of a URL: `site.org_wiki_Mill`. Source: IANA media types and common
/// extensions.
const OTHERS: [&str; 79] = [
    "txt", "text", "md", "rst", "log", "json", "xml", "rss", "atom", "rdf", "csv", "tsv", "tab", "toml",
    "yaml", "yml", "ini", "cfg", "conf", "js", "mjs", "ts", "css", "scss", "less", "map", "py", "rs", "c",
    "h", "cpp", "java", "rb", "pl", "sh", "sql", "tex", "tei", "vtt", "srt", "png", "jpg", "jpeg", "gif",
    "webp", "svg", "ico", "bmp", "tif", "tiff", "avif", "mp3", "mp4", "m4a", "ogg", "wav", "webm", "avi",
    "mov", "woff", "woff2", "ttf", "otf", "eot", "pdf", "ps", "doc", "docx", "xls", "xlsx", "ppt", "odt",
    "epub", "zip", "tar", "bak", "tmp", "part", "journal",
];

/// Kind of a file in a folder.
enum Kind {
    Page(&'static Reader),
    /// A file with many pages.
    Crawl,
    /// A geometry file or an annotation file, which belongs to the pages in the folder.
    Beside,
    Other,
}

/// Adds the pages in a folder and its subfolders, sorted by name, and counts the other files.
///
/// The search is iterative, so deep folders cannot overflow the stack. A folder that cannot be listed gives one
/// failure; the other folders are listed.
pub(super) fn add(dir: &Path, found: &mut Sources) {
    let num_failures = found.failures.len();
    let (mut pages, mut crawls): (Vec<(PathBuf, &Reader)>, Vec<PathBuf>) = Default::default();
    let Files { files, linked, num_dangling } = files_below(dir, |_| false, &mut found.failures);
    if num_dangling > 0 {
        *found.skipped.entry("whose target does not exist".to_owned()).or_default() += num_dangling;
    }
    // Recorded, because folders that are read must not be written into, and links lead outside of `dir`.
    found.folders.extend(linked);
    for path in files {
        match kind(&path) {
            Kind::Page(reader) => pages.push((path, reader)),
            Kind::Crawl => crawls.push(path),
            Kind::Beside => {}
            Kind::Other => {
                let extension = path.extension().unwrap_or_default().to_string_lossy();
                let dot = if extension.is_empty() { "" } else { "." };
                *found.skipped.entry(format!("{dot}{extension}")).or_default() += 1;
            }
        }
    }
    if pages.is_empty() && found.failures.len() == num_failures {
        let error = Error::data("the folder has no pages").expected(
            "HTML files (*.html, *.htm, *.xhtml, *.php, …) or saved pages (*.mhtml, *.mht); give other files \
             one by one, or in a list",
        );
        found.failures.push(error.at_path(dir));
    }
    found.sources.extend(pages.into_iter().map(|(path, reader)| Source::new(path, reader)));
    found.left_out.extend(crawls);
}

/// The files in a folder and its subfolders.
#[derive(Debug, Default)]
pub struct Files {
    /// Sorted paths.
    pub files: Vec<PathBuf>,
    /// Symbolic links to folders that were read.
    pub linked: Vec<PathBuf>,
    /// Number of symbolic links whose target does not exist.
    pub num_dangling: u64,
}

/// Lists the files in a folder and its subfolders, except those for which `is_skipped` returns true. Adds an error to
/// `failures` for each folder that cannot be listed.
///
/// Symbolic links to folders are followed, and each folder is read once: under its own path if it is below `dir`,
/// otherwise by the first link in the order of paths. A link to a folder that contains the link is not followed,
/// because it would be a loop.
pub fn files_below(dir: &Path, is_skipped: fn(&Path) -> bool, failures: &mut Vec<Error>) -> Files {
    let mut search = Search {
        is_skipped,
        failures,
        found: Files::default(),
        seen: HashSet::new(),
        links: BTreeSet::new(),
    };
    match dir.canonicalize() {
        Ok(resolved) => search.below(dir, resolved),
        Err(e) => search.failures.push(Error::io(dir, e)),
    }
    while let Some(link) = search.links.pop_first() {
        // The folder of the link. A loop would lead back to this folder.
        let place = link.parent().and_then(|p| p.canonicalize().ok());
        match link.canonicalize() {
            Ok(resolved) if search.seen.contains(&resolved) => {}
            Ok(resolved) if place.is_some_and(|place| place.starts_with(&resolved)) => {}
            Ok(resolved) => {
                search.below(&link, resolved);
                search.found.linked.push(link);
            }
            Err(e) => search.failures.push(Error::io(&link, e)),
        }
    }
    search.found.files.sort();
    search.found
}

/// A search for files.
struct Search<'a> {
    is_skipped: fn(&Path) -> bool,
    failures: &'a mut Vec<Error>,
    found: Files,
    /// Paths without links of the folders that were listed.
    seen: HashSet<PathBuf>,
    /// Links to folders.
    links: BTreeSet<PathBuf>,
}

impl Search<'_> {
    /// Adds the files below a folder, and the links to other folders. `resolved` is its path without links.
    fn below(&mut self, dir: &Path, resolved: PathBuf) {
        let mut folders = vec![(dir.to_path_buf(), resolved)];
        while let Some((folder, resolved)) = folders.pop() {
            // A linked folder may contain a folder that was already listed.
            if !self.seen.insert(resolved.clone()) {
                continue;
            }
            if let Err(e) = self.list(&folder, &resolved, &mut folders) {
                self.failures.push(Error::io(&folder, e));
            }
        }
    }

    fn list(
        &mut self,
        folder: &Path,
        resolved: &Path,
        folders: &mut Vec<(PathBuf, PathBuf)>,
    ) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if (self.is_skipped)(&path) {
                continue;
            }
            let kind = entry.file_type().ok();
            let is_link = kind.is_some_and(|t| t.is_symlink());
            if kind.is_some_and(|t| t.is_dir()) {
                folders.push((path, resolved.join(entry.file_name())));
            } else if path.is_file() {
                self.found.files.push(path);
            } else if is_link && path.is_dir() {
                self.links.insert(path);
            } else if is_link && !path.exists() {
                self.found.num_dangling += 1;
            }
        }
        Ok(())
    }
}

/// Determines the kind of a file by its extension. Content sniffing is used for extensions of server-side
/// programs, for unknown extensions (`page.html?x=1`, `site.org_wiki_Mill`) and for names without
/// extension.
fn kind(path: &Path) -> Kind {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // macOS stores attributes of `x.html` in `._x.html`
    if name.starts_with("._") {
        return Kind::Other;
    }
    if name.ends_with(".geometry.json") || name == names::ANNOTATIONS {
        return Kind::Beside;
    }
    if let Some(reader) = reader_of(path) {
        let is_page = [&html::READER, &mhtml::READER].iter().any(|r| std::ptr::eq(*r, reader));
        return if is_page { Kind::Page(reader) } else { Kind::Crawl };
    }
    let extension = extension(path);
    if PROGRAMS.contains(&extension.as_str()) {
        let start = stream::start(path);
        let is_page = !start.is_empty() && !sniff::is_php(&start) && !sniff::may_be_packed(&start);
        return if is_page { Kind::Page(&html::READER) } else { Kind::Other };
    }
    if OTHERS.contains(&extension.as_str()) {
        return Kind::Other;
    }
    match reader_of_bytes(&stream::start(path)) {
        Some(reader) if reader.name == html::READER.name || reader.name == mhtml::READER.name => {
            Kind::Page(reader)
        }
        Some(_) => Kind::Crawl,
        None => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::READERS;

    #[test]
    fn extensions_of_programs_belong_to_no_reader() {
        let taken = PROGRAMS.iter().chain(&OTHERS).find(|p| READERS.iter().any(|r| r.extensions.contains(p)));
        assert_eq!(taken, None);
    }

    #[cfg(unix)]
    #[test]
    fn linked_folders_are_read_once() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        for (folder, file) in [("in/own", "a.html"), ("real", "b.html"), ("real/deep", "c.html")] {
            std::fs::create_dir_all(path(folder)).expect("made");
            std::fs::write(path(folder).join(file), "<p>x").expect("written");
        }
        for (target, link) in [
            ("../real", "in/linked"),
            ("../real", "in/linked-again"),
            ("../real/deep", "in/deep"),
            (".", "in/self"),
            ("..", "in/own/up"),
            ("../..", "in/own/above"),
            ("own", "in/to-own"),
            ("../../in", "real/deep/back"),
            ("nowhere", "in/dangling.html"),
        ] {
            symlink(target, path(link)).expect("linked");
        }
        let mut failures = Vec::new();
        let found = files_below(&path("in"), |_| false, &mut failures);
        let names: Vec<String> = found
            .files
            .iter()
            .map(|f| f.strip_prefix(dir.path()).expect("inside").display().to_string())
            .collect();
        assert_eq!(names, ["in/deep/c.html", "in/linked/b.html", "in/own/a.html"]);
        assert!(failures.is_empty() && found.num_dangling == 1, "{failures:?}");
        assert_eq!(found.linked, [path("in/deep"), path("in/linked")]);
        // the folder itself is a link
        symlink("in", path("start")).expect("linked");
        assert_eq!(files_below(&path("start"), |_| false, &mut failures).files.len(), 3);
    }
}
