//! Names of files.

use std::collections::HashSet;
use std::path::Path;

/// Maximum length of a file name that is made from an id, in bytes, without extension.
const MAX_NAME: usize = 200;
/// Extensions of packed files.
pub(crate) const PACKED: [&str; 2] = [".gz", ".zst"];

/// Converts an id to a file name without folders and special characters. Different ids may have the same name.
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

/// Gives each page a file name of its own: its id as a file name, with a number if another page has that name.
#[derive(Debug, Default)]
pub struct FreeNames {
    /// In small letters: on some systems names that differ in case are one file.
    taken: HashSet<String>,
}

impl FreeNames {
    /// A name that no earlier call returned.
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

/// The name of a file without folders and without `.gz` and `.zst`.
pub fn unpacked(path: &Path) -> String {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    match PACKED.iter().find(|end| lower.len() > end.len() && lower.ends_with(*end)) {
        Some(end) => name[..name.len() - end.len()].to_owned(),
        None => name,
    }
}

/// The name of a file without folders, `.gz`, `.zst` and extension.
pub fn stem(path: &Path) -> String {
    let name = unpacked(path);
    Path::new(&name).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The extension of a file in small letters, before `.gz` and `.zst`.
pub fn ending(path: &Path) -> String {
    let name = unpacked(path);
    Path::new(&name).extension().map(|s| s.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Whether the extension is that of HTML, packed or not. macOS stores attributes of `x.html` in `._x.html`, which is no
/// page.
pub fn is_html(path: &Path) -> bool {
    let is_of_attributes = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("._"));
    !is_of_attributes && ["html", "htm", "xhtml", "shtml"].contains(&ending(path).as_str())
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
        assert_eq!((stem(path).as_str(), ending(path).as_str()), ("R1.b", "html"));
        assert!(is_html(path) && !is_html(Path::new(".gz")) && !is_html(Path::new("x.txt.zst")));
        assert_eq!(stem(Path::new("x.jsonl.zst")), "x");
    }
}
