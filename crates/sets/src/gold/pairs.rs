//! Pairs of pages and texts: `x.html` and `x.txt`, in one folder or in two.

use crate::gold::{
    GoldPage, Listing, Match, Probe, ReadOptions, Reader, cleaneval, is_hidden, read_text, sort,
};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::names;
use threshr_io::readers::{files_below, page_ids};

/// Suffixes of text file names, the preferred ones first. They follow the name of the page, with or without
/// the extension of the page.
const TEXT_EXTENSIONS: [&str; 5] = [".gold.txt", ".corrected.txt", "-cleaned.txt", ".txt", ".text"];
/// Maximum depth of subfolders that are searched.
const MAX_DEPTH: usize = 8;

/// `x.html` and `x.txt`.
pub(super) static READER: Reader = Reader {
    name: "pairs",
    summary: "x.html and x.txt (or x.html.txt, x.gold.txt, x-cleaned.txt of CleanEval), in the same folder or in two folders such as html/ and text/, also in subfolders",
    source: "threshr",
    rank: 5,
    detect,
    read,
};

fn detect(probe: &Probe, _: &ReadOptions) -> Match {
    if !probe.is_folder {
        return Match::No;
    }
    let Ok(files) = Files::below(&probe.path) else { return Match::No };
    match (files.pages.len(), files.texts.len(), files.pairs().0.is_empty()) {
        (_, _, false) => Match::Yes,
        (0, 0, _) => Match::No,
        (0, n, _) => Match::Near(1, format!("{} and no HTML files", count(n, "text file"))),
        (n, 0, _) => Match::Near(2, format!("{} and no text files", count(n, "HTML file"))),
        (n, m, _) => {
            let (pages, texts) = (count(n, "HTML file"), count(m, "text file"));
            Match::Near(4, format!("{pages} and {texts}, but no page and text with the same name"))
        }
    }
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn read(dir: &Path, _: &ReadOptions) -> Result<Listing> {
    let mut files = Files::below(dir)?;
    sort(&mut files.pages);
    let (pairs, alone) = files.pairs();
    if pairs.is_empty() {
        return Err(Error::data("no page has a text of the same name")
            .expected("x.html with x.txt, in the same folder or in two folders")
            .at_path(dir));
    }
    let ids = page_ids(&files.pages);
    let mut pages = Vec::new();
    for (path, id) in files.pages.iter().zip(ids) {
        let text = pairs.get(path).map(|text| read_text(text)).transpose()?;
        let (gold, url) = text.map(|text| cleaneval::gold_of(&text)).unzip();
        pages.push(GoldPage { gold, ..GoldPage::in_file(id, path).with_url(url.flatten()) });
    }
    let remarks = alone.first().map(|first| {
        let name = first.strip_prefix(dir).unwrap_or(first).display();
        format!(
            "{} no page of the same name, such as {name}",
            match alone.len() {
                1 => "1 text file has".to_owned(),
                n => format!("{n} text files have"),
            }
        )
    });
    let dangling = (files.num_dangling > 0).then(|| match files.num_dangling {
        1 => "1 symbolic link leads nowhere".to_owned(),
        n => format!("{n} symbolic links lead nowhere"),
    });
    Ok(Listing { pages, remarks: remarks.into_iter().chain(dangling).collect(), ..Listing::default() })
}

/// The pages and texts of a folder.
struct Files {
    pages: Vec<PathBuf>,
    texts: Vec<PathBuf>,
    /// Number of symbolic links whose target does not exist.
    num_dangling: u64,
}

impl Files {
    /// Lists the files in a folder and its subfolders, including linked folders.
    fn below(dir: &Path) -> Result<Files> {
        let mut failures = Vec::new();
        let all = files_below(dir, is_hidden, &mut failures);
        if let Some(error) = failures.into_iter().next() {
            return Err(error);
        }
        let mut found = Files { pages: Vec::new(), texts: Vec::new(), num_dangling: all.num_dangling };
        let depth = |path: &Path| path.strip_prefix(dir).map_or(0, |inside| inside.components().count());
        for path in all.files.into_iter().filter(|path| depth(path) <= MAX_DEPTH + 1) {
            if names::is_html(&path) {
                found.pages.push(path);
            } else if text_key(&path).is_some() {
                found.texts.push(path);
            }
        }
        Ok(found)
    }

    /// Returns the text of each page that has one, and the texts without a page.
    fn pairs(&self) -> (HashMap<&PathBuf, &PathBuf>, Vec<&PathBuf>) {
        let mut by_name: HashMap<String, Vec<&PathBuf>> = HashMap::new();
        for text in &self.texts {
            by_name.entry(text_key(text).unwrap_or_default()).or_default().push(text);
        }
        let mut pairs = HashMap::new();
        let mut used: HashSet<&PathBuf> = HashSet::new();
        for page in &self.pages {
            // `x.html.txt` belongs to `x.html`, not to `x.htm`
            let keys = [names::decompressed(page), names::stem(page)].map(|name| name.to_lowercase());
            let texts = keys.iter().filter_map(|key| by_name.get(key)).flatten().copied();
            let near = |text: &&PathBuf| distance(page, text);
            let texts: Vec<&PathBuf> = texts.filter(|text| near(text) <= 1).collect();
            let preferred = |text: &&&PathBuf| (near(text), extension(text).map(|found| found.0));
            if let Some(text) = texts.iter().min_by_key(preferred) {
                // the other texts of the page also belong to it
                used.extend(texts.iter().filter(|other| other.parent() == text.parent()));
                pairs.insert(page, *text);
            }
        }
        let alone = self.texts.iter().filter(|text| !used.contains(text)).collect();
        (pairs, alone)
    }
}

/// Returns the name of the page that a text belongs to, in lower case.
fn text_key(path: &Path) -> Option<String> {
    let name = names::decompressed(path).to_lowercase();
    let (_, extension) = extension(path)?;
    Some(name[..name.len() - extension.len()].to_owned())
}

/// Returns the extension of a text and its index in [`TEXT_EXTENSIONS`].
fn extension(path: &Path) -> Option<(usize, &'static str)> {
    let name = names::decompressed(path).to_lowercase();
    let is_end = |extension: &&str| name.ends_with(extension) && name.len() > extension.len();
    TEXT_EXTENSIONS.into_iter().enumerate().find(|(_, extension)| is_end(extension))
}

/// Returns 0 if both files are in one folder, 1 if their folders differ in one name (`html/en` and `text/en`), and
/// otherwise 2.
fn distance(page: &Path, text: &Path) -> usize {
    let folders = |path: &Path| path.parent().map(Path::to_path_buf).unwrap_or_default();
    let (a, b) = (folders(page), folders(text));
    if a == b {
        return 0;
    }
    let (a, b): (Vec<_>, Vec<_>) = (a.components().collect(), b.components().collect());
    let differ = a.iter().zip(&b).filter(|(a, b)| a != b).count();
    // an additional subfolder for the texts or for the pages also counts as a difference in one name
    match a.len().abs_diff(b.len()) {
        0 => differ.min(2),
        1 if differ == 0 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::Gold;

    fn found(files: &[&str]) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a folder");
        for name in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, name).expect("written");
        }
        let listing = read(dir.path(), &ReadOptions::default()).expect("read");
        let gold = |page: &GoldPage| match &page.gold {
            Some(Gold::Text { text, .. }) => text.clone(),
            _ => String::new(),
        };
        listing.pages.iter().map(|p| format!("{} {}", p.id, gold(p))).chain(listing.remarks).collect()
    }

    #[test]
    fn pages_find_their_texts() {
        assert_eq!(found(&["x.html", "x.txt", "README.txt"])[0], "x x.txt");
        assert_eq!(found(&["x.html", "y.HTM", "x.txt"]), ["x x.txt", "y "]);
        assert_eq!(
            found(&["10.html", "2.html", "10.html.txt", "2.gold.txt"]),
            ["2 2.gold.txt", "10 10.html.txt"]
        );
        assert_eq!(found(&["html/x.html", "text/x.txt"]), ["x text/x.txt"]);
        // CleanEval texts, next to the pages and in folders; some pages also have another text
        assert_eq!(
            found(&["1.html", "1.txt", "1-cleaned.txt", "2.html", "2-cleaned.txt"]),
            ["1 1-cleaned.txt", "2 2-cleaned.txt"]
        );
        assert_eq!(found(&["pages/1.html", "clean/1-cleaned.txt"]), ["1 clean/1-cleaned.txt"]);
        assert_eq!(
            found(&["en/html/x.html", "en/gold/x.txt", "de/html/x.html", "de/gold/x.txt"]),
            ["de/html/x de/gold/x.txt", "en/html/x en/gold/x.txt"]
        );
        assert_eq!(found(&["a/x.html", "a/x.txt", "b/x.html", "b/x.txt"]), ["a/x a/x.txt", "b/x b/x.txt"]);
        assert_eq!(found(&["x.html", "texts/x.txt"]), ["x texts/x.txt"]);
        #[cfg(unix)]
        {
            let dir = tempfile::tempdir().expect("a folder");
            let path = |name: &str| dir.path().join(name);
            for name in ["set/a.html", "set/a.txt", "more/b.html", "more/b.txt"] {
                std::fs::create_dir_all(path(name).parent().expect("a parent")).expect("made");
                std::fs::write(path(name), name).expect("written");
            }
            for (target, link) in [("../more", "set/more"), (".", "set/self"), ("gone", "set/gone.html")] {
                std::os::unix::fs::symlink(target, path(link)).expect("linked");
            }
            let listing = read(&path("set"), &ReadOptions::default()).expect("read");
            assert_eq!(listing.pages.iter().map(|p| p.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
            assert_eq!(listing.remarks, ["1 symbolic link leads nowhere"]);
        }
        let remark = &found(&["x.html", "x.txt", "notes.txt"])[1];
        assert_eq!(remark, "1 text file has no page of the same name, such as notes.txt");
    }
}
