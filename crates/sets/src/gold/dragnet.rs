//! The folder layout of dragnet: `HTML/x.html` and `Corrected/x.html.corrected.txt`.

use crate::gold::{
    Gold, GoldPage, Listing, Match, Probe, ReadOptions, Reader, form, html_files, is_hidden, read_text,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use threshr_core::Setting;
use threshr_core::{Error, Result};
use threshr_io::names;

/// The line that separates the content from readers' comments.
const COMMENTS: &str = "!@#$%^&*()";
/// Suffixes of gold file names.
const EXTENSIONS: [&str; 3] = [".html.corrected.txt", ".corrected.txt", ".txt"];
/// Labels of the two sections of a gold file, before and after the separator line.
const LABELS: [&str; 2] = ["content", "comments"];

/// Pages and corrected texts in two folders.
pub(super) static READER: Reader = Reader {
    name: "dragnet",
    summary: "HTML/x.html and Corrected/x.html.corrected.txt; readers' comments after the separator line are \
              left out (--gold-labels content,comments keeps them)",
    source: "Peters & Lecocq, WWW 2013 (dragnet)",
    rank: 8,
    detect: |probe: &Probe, _| match (probe.folder("HTML"), probe.folder("Corrected")) {
        (Some(_), Some(_)) => Match::Yes,
        (Some(html), None) if html.ends_with("HTML") => {
            Match::Near(3, "HTML/ exists, but the folder Corrected/ is missing".to_owned())
        }
        (None, Some(_)) => Match::Near(5, "Corrected/ exists, but the folder HTML/ is missing".to_owned()),
        _ => Match::No,
    },
    read,
};

fn read(dir: &Path, options: &ReadOptions) -> Result<Listing> {
    let folder = |name: &str| form::folder(dir, name).unwrap_or_else(|| dir.join(name));
    let kept = kept(options)?;
    let gold_dir = folder("Corrected");
    let mut golds: HashMap<String, PathBuf> = HashMap::new();
    for entry in std::fs::read_dir(&gold_dir).map_err(|e| Error::io(&gold_dir, e))? {
        let path = entry.map_err(|e| Error::io(&gold_dir, e))?.path();
        let name = names::decompressed(&path).to_lowercase();
        let Some(extension) = EXTENSIONS.iter().find(|e| name.ends_with(*e)).filter(|_| !is_hidden(&path))
        else {
            continue;
        };
        golds.insert(name[..name.len() - extension.len()].to_owned(), path);
    }
    let mut pages = Vec::new();
    for path in html_files(&folder("HTML"))? {
        let id = names::stem(&path);
        let gold = golds.remove(&id.to_lowercase()).map(|path| read_text(&path)).transpose()?;
        pages.push(GoldPage {
            gold: gold.map(|text| Gold::text(parts(&text, kept))),
            ..GoldPage::in_file(id, path)
        });
    }
    if pages.iter().all(|p| p.gold.is_none()) {
        return Err(Error::data("no page has a gold file")
            .expected("Corrected/x.html.corrected.txt for HTML/x.html")
            .at_path(dir));
    }
    let mut alone: Vec<&PathBuf> = golds.values().collect();
    alone.sort();
    let remarks = alone.first().map(|first| {
        format!("{} of the gold files have no page, such as {}", alone.len(), names::decompressed(first))
    });
    Ok(Listing { pages, remarks: remarks.into_iter().collect(), ..Listing::default() })
}

/// Returns which of [`LABELS`] count as content.
fn kept(options: &ReadOptions) -> Result<[bool; 2]> {
    let Some(labels) = &options.labels else { return Ok([true, false]) };
    match labels.iter().find(|label| !LABELS.contains(&label.as_str())) {
        Some(label) => Err(Error::invalid_option(format!("dragnet has no label `{label}`"))
            .expected(LABELS.join(", "))
            .with_setting(Setting::GoldLabels)),
        None => Ok(LABELS.map(|label| labels.iter().any(|l| l == label))),
    }
}

/// Returns the text of the sections that count as content.
fn parts(text: &str, kept: [bool; 2]) -> String {
    let is_separator = |line: &str| {
        let rest = line.trim().strip_prefix(COMMENTS);
        rest.is_some_and(|rest| rest.trim().eq_ignore_ascii_case("comments"))
    };
    let mut part = 0;
    let mut lines = Vec::new();
    for line in text.lines() {
        if is_separator(line) {
            part = 1;
        } else if kept[part] {
            lines.push(line);
        }
    }
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_a_part_of_their_own() {
        let text = "A\nB\n\n!@#$%^&*()  COMMENTS\n\nC\n";
        assert_eq!(parts(text, [true, false]), "A\nB");
        assert_eq!(parts(text, [true, true]), "A\nB\n\n\nC");
        assert_eq!(parts(text, [false, true]), "C");
        assert_eq!(parts("!@#$%^&*() not the separator", [true, false]), "!@#$%^&*() not the separator");
    }
}
