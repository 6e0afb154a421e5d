//! File names.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Name of the file in a folder of pages in which `threshr annotate` keeps labels. The file is not a page.
pub const ANNOTATIONS: &str = "annotations.jsonl";
/// Maximum length of a file name that is derived from an id, in bytes, without extension.
const MAX_NAME: usize = 200;
/// Extensions of compressed files.
pub(crate) const COMPRESSIONS: [&str; 5] = ["gz", "zst", "br", "zstd", "gzip"];

/// Converts an id to a file name. Replaces path separators and special characters by `_`. Different ids may
/// give the same name.
///
/// ```
/// assert_eq!(threshr_io::names::file_name("http://a/../b?c"), "http___a_.._b_c");
/// ```
pub fn file_name(id: &str) -> String {
    let usable = |c: char| if c.is_alphanumeric() || "-_.+@=,".contains(c) { c } else { '_' };
    let mut name: String = id.chars().map(usable).collect();
    while name.len() > MAX_NAME {
        name.pop();
    }
    if name.is_empty() || name.starts_with('.') {
        name.insert(0, '_');
    }
    name
}

/// Gives each page a unique file name: its id as a file name, with a number appended if the name is already
/// taken.
#[derive(Debug, Default)]
pub struct FreeNames {
    /// Lower-case names, because some file systems ignore case.
    taken: HashSet<String>,
}

impl FreeNames {
    /// Returns a name for `id` that no earlier call returned.
    ///
    /// ```
    /// let mut names = threshr_io::names::FreeNames::default();
    /// assert_eq!(["a/b", "a_b", "A_B"].map(|id| names.next(id)), ["a_b", "a_b-2", "A_B-3"]);
    /// ```
    pub fn next(&mut self, id: &str) -> String {
        let name = file_name(id);
        let with_number = |n: u64| if n == 1 { name.clone() } else { format!("{name}-{n}") };
        let free = (1..).map(with_number).find(|name| self.taken.insert(name.to_lowercase()));
        free.unwrap_or(name)
    }
}

/// Removes the extension of a compression from a path: `a.html` for `a.html.gz`.
pub(crate) fn unpacked_path(path: &Path) -> PathBuf {
    let is_packed = path.extension().is_some_and(|e| COMPRESSIONS.iter().any(|p| e.eq_ignore_ascii_case(p)));
    if is_packed { path.with_extension("") } else { path.to_path_buf() }
}

/// Returns the name of a file without folders and compression extension.
pub fn decompressed(path: &Path) -> String {
    unpacked_path(path).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns the name of a file without folders, compression extension and file extension.
pub fn stem(path: &Path) -> String {
    unpacked_path(path).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns the file extension in lower case, ignoring a compression extension: `html` for `a.HTML.gz`.
pub fn extension(path: &Path) -> String {
    unpacked_path(path).extension().map(|s| s.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Returns whether the file has an HTML extension, compressed or not. Excludes `._x.html`, in which macOS
/// stores the attributes of `x.html`.
pub fn is_html(path: &Path) -> bool {
    let is_of_attributes = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("._"));
    !is_of_attributes && ["html", "htm", "xhtml", "shtml"].contains(&extension(path).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_names_of_html() {
        let is = |name: &str| is_html(Path::new(name));
        assert!(is("a/b.html") && is("b.HTM") && is("b.xhtml.gz"));
        assert!(!is("a/._b.html") && !is("b.txt") && !is("html"));
    }

    #[test]
    fn ids_become_file_names() {
        assert_eq!(file_name("../x"), "_.._x");
        assert_eq!(file_name(""), "_");
        assert_eq!(file_name(&"é".repeat(300)).len(), 200);
    }

    #[test]
    fn packed_files_have_the_name_of_their_content() {
        let path = Path::new("a/R1.b.HTML.GZ");
        assert_eq!((stem(path).as_str(), extension(path).as_str()), ("R1.b", "html"));
        assert!(is_html(path) && !is_html(Path::new(".gz")) && !is_html(Path::new("x.txt.zst")));
        assert_eq!(stem(Path::new("x.jsonl.zst")), "x");
    }
}
