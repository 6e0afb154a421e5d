//! Search for pages in folders.

use crate::names::{self, extension};
use crate::readers::{Reader, Source, Sources, html, mhtml, reader_of, reader_of_bytes, stream};
use crate::sniff;
use std::path::{Path, PathBuf};
use threshr_core::Error;

/// File extensions of server-side programs. Pages that were saved from such URLs have them too.
const PROGRAMS: [&str; 14] = [
    "php", "php3", "php4", "php5", "phtml", "asp", "aspx", "jsp", "jspx", "jsf", "cfm", "cgi", "do", "action",
];

/// File extensions that are never pages, regardless of the content. For other extensions, the content is inspected,
/// because the extension may be part of a URL: `site.org_wiki_Mill`. Source: IANA media types and common
/// extensions.
const OTHERS: [&str; 78] = [
    "txt", "text", "md", "rst", "log", "json", "xml", "rss", "atom", "rdf", "csv", "tsv", "tab", "toml",
    "yaml", "yml", "ini", "cfg", "conf", "js", "mjs", "ts", "css", "scss", "less", "map", "py", "rs", "c",
    "h", "cpp", "java", "rb", "pl", "sh", "sql", "tex", "tei", "vtt", "srt", "png", "jpg", "jpeg", "gif",
    "webp", "svg", "ico", "bmp", "tif", "tiff", "avif", "mp3", "mp4", "m4a", "ogg", "wav", "webm", "avi",
    "mov", "woff", "woff2", "ttf", "otf", "eot", "pdf", "ps", "doc", "docx", "xls", "xlsx", "ppt", "odt",
    "epub", "zip", "tar", "bak", "tmp", "part",
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
/// The search is iterative, so deep folders cannot overflow the stack. It does not follow symbolic links to
/// folders, so it cannot loop. A folder that cannot be listed gives one failure; the other folders are
/// listed.
pub(super) fn add(dir: &Path, found: &mut Sources) {
    let num_failures = found.failures.len();
    let (mut pages, mut crawls): (Vec<(PathBuf, &Reader)>, Vec<PathBuf>) = Default::default();
    for path in files(dir, &mut found.failures) {
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

/// Returns the files in a folder and its subfolders, sorted.
fn files(dir: &Path, failures: &mut Vec<Error>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let mut list = || -> std::io::Result<()> {
            for entry in std::fs::read_dir(&folder)? {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type().is_ok_and(|t| t.is_dir()) {
                    folders.push(path);
                } else if path.is_file() {
                    files.push(path);
                }
            }
            Ok(())
        };
        failures.extend(list().err().map(|e| Error::io(&folder, e)));
    }
    files.sort();
    files
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
}
