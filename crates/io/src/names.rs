//! File names.

use std::collections::HashSet;
use std::ffi::OsStr;
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

/// Character before the two hexadecimal digits of a byte, in a name that is not UTF-8.
const BYTE: char = '\u{fffd}';

/// Converts a path, or a part of one, to text for ids. Different paths give different texts: in a name that is not
/// UTF-8, each wrong byte becomes U+FFFD and two hexadecimal digits. [`path_of`] is the inverse.
///
/// ```
/// use std::path::Path;
///
/// assert_eq!(threshr_io::names::text_of("news/Mühle.html".as_ref()), "news/Mühle.html");
/// # #[cfg(unix)] {
/// # use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
/// let name = OsStr::from_bytes(b"bad\xff.html");
/// assert_eq!(threshr_io::names::text_of(name), "bad\u{fffd}ff.html");
/// assert_eq!(threshr_io::names::path_of("bad\u{fffd}ff.html"), Path::new(name));
/// # }
/// ```
pub fn text_of(name: &OsStr) -> String {
    match name.to_str() {
        Some(text) if !text.contains(BYTE) => text.to_owned(),
        _ => escaped(name.as_encoded_bytes()),
    }
}

fn escaped(name: &[u8]) -> String {
    let mut text = String::new();
    let escape = |text: &mut String, bytes: &[u8]| {
        bytes.iter().for_each(|byte| text.push_str(&format!("{BYTE}{byte:02x}")));
    };
    for chunk in name.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                // The character itself is escaped, so that different paths give different texts.
                BYTE => escape(&mut text, BYTE.encode_utf8(&mut [0; 3]).as_bytes()),
                char => text.push(char),
            }
        }
        escape(&mut text, chunk.invalid());
    }
    text
}

/// Returns the id of a page of a folder: its path relative to the folder with `/` as separator, or its file name if
/// it is not in the folder.
pub fn id_in(path: &Path, folder: &Path) -> String {
    match path.strip_prefix(folder) {
        Ok(inside) => inside.iter().map(text_of).collect::<Vec<_>>().join("/"),
        Err(_) => text_of(path.file_name().unwrap_or(path.as_os_str())),
    }
}

/// Returns the path that [`text_of`] wrote.
pub fn path_of(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut parts = text.split(BYTE);
    bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        let digits = part.get(..2).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => {
                bytes.extend_from_slice(BYTE.encode_utf8(&mut [0; 3]).as_bytes());
                bytes.extend_from_slice(part.as_bytes());
            }
        }
    }
    path_of_bytes(bytes)
}

/// Returns the path with these bytes. On platforms where paths are not bytes, invalid UTF-8 is replaced.
pub fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    return PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes));
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the name of a file without folders and compression extension.
pub fn decompressed(path: &Path) -> String {
    unpacked_path(path).file_name().map(text_of).unwrap_or_default()
}

/// Returns the name of a file without folders, compression extension and file extension.
pub fn stem(path: &Path) -> String {
    unpacked_path(path).file_stem().map(text_of).unwrap_or_default()
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

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_have_texts_of_their_own() {
        use std::os::unix::ffi::OsStrExt;
        let names = [
            &b"a.html"[..],
            b"bad\xff.html",
            b"bad\xfe.html",
            b"\xe9t\xe9/caf\xe9.html",
            "bad\u{fffd}.html".as_bytes(),
            "bad\u{fffd}ff.html".as_bytes(),
            "\u{fffd}\u{fffd}é".as_bytes(),
            b"cut\xe2\x82",
        ];
        let texts: HashSet<String> = names.iter().map(|name| text_of(OsStr::from_bytes(name))).collect();
        assert_eq!(texts.len(), names.len());
        for name in names {
            let name = OsStr::from_bytes(name);
            assert_eq!(path_of(&text_of(name)), Path::new(name));
        }
        // an id that text_of did not write
        assert_eq!(path_of("x\u{fffd}y"), Path::new("x\u{fffd}y"));
        assert_ne!(
            stem(Path::new(OsStr::from_bytes(names[1]))),
            stem(Path::new(OsStr::from_bytes(names[2])))
        );
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
