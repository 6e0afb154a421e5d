//! Formats with labels inside the pages: class names, comment markers, or elements that match a CSS selector.

use crate::gold::{Gold, GoldPage, Listing, Match, Probe, ReadOptions, Reader, html_files};
use crate::labelling::Annotation;
use std::path::{Path, PathBuf};
use threshr_core::Setting;
use threshr_core::{Error, Result};
use threshr_io::names;

/// L3S-GN1: spans with the class `x-nc-selN`.
pub(super) static L3S: Reader = Reader {
    name: "l3s",
    summary: "HTML files with <span class=\"x-nc-selN\">; \
              the selected classes (default 1, 2, 3) are content",
    source: "Kohlschütter et al., WSDM 2010 (L3S-GN1)",
    rank: 7,
    detect: |probe, _| has(probe, "x-nc-sel"),
    read: |dir, options| labelled_pages(dir, "x-nc-sel", &with_classes(Annotation::l3s(), options)),
};

/// KrdWrd: elements with the class `krdwrd-tag-N`.
pub(super) static KRDWRD: Reader = Reader {
    name: "krdwrd",
    summary: "HTML files with class=\"krdwrd-tag-N\"; the selected classes (default 3) are content",
    source: "Steger & Stemle, KrdWrd 2009 (Canola)",
    rank: 7,
    detect: |probe, _| has(probe, "krdwrd-tag-"),
    read: |dir, options| labelled_pages(dir, "krdwrd-tag-", &with_classes(Annotation::krdwrd(), options)),
};

/// Google Search Appliance: comments around text that should not be indexed.
pub(super) static GOOGLEOFF: Reader = Reader {
    name: "googleoff",
    summary: "HTML files with <!--googleoff: …--> and <!--googleon: …-->; text between the two comments is boilerplate",
    source: "Google Search Appliance; Pal 2009",
    rank: 3,
    detect: |probe, _| has(probe, "<!--googleoff"),
    read: |dir, _| pages(dir, &Annotation::markers_off("googleoff", "googleon")),
};

/// A pair of comments around the content.
pub(super) static MARKERS: Reader = Reader {
    name: "markers",
    summary: "HTML files with <!-- content --> … <!-- /content -->, or any pair given by --markers",
    source: "Pal 2009",
    rank: 4,
    detect: |probe, _| has(probe, "<!-- content -->"),
    read: |dir, options| {
        let default = || ("<!-- content -->".to_owned(), "<!-- /content -->".to_owned());
        let (open, close) = options.markers.clone().unwrap_or_else(default);
        pages(dir, &Annotation::markers(&open, &close))
    },
};

/// Elements that match a CSS selector.
pub(super) static SELECTOR: Reader = Reader {
    name: "selector",
    summary: "HTML files; the elements that match a given CSS selector are content",
    source: "threshr",
    rank: 0,
    detect: |_, _| Match::No,
    read: |dir, options| {
        let missing = || {
            Error::invalid_option("the format `selector` needs a selector")
                .expected("a CSS selector")
                .with_setting(Setting::GoldSelector)
        };
        pages(dir, &Annotation::selector(options.selector.clone().ok_or_else(missing)?))
    },
};

fn with_classes(annotation: Annotation, options: &ReadOptions) -> Annotation {
    match &options.classes {
        Some(content) => Annotation { content: content.clone(), ..annotation },
        None => annotation,
    }
}

fn has(probe: &Probe, mark: &str) -> Match {
    match folder_with(probe, mark) {
        Some(_) => Match::Yes,
        None => Match::No,
    }
}

/// Returns the folder whose first pages contain the label string: the set itself, or its subfolder `html`.
pub(super) fn folder_with(probe: &Probe, mark: &str) -> Option<PathBuf> {
    if probe.has_mark(mark) {
        return Some(probe.path.clone());
    }
    let folder = probe.folder("html").filter(|_| probe.html.is_empty())?;
    Probe::new(&folder).has_mark(mark).then_some(folder)
}

/// Lists labelled pages in a folder or in its subfolder `html`.
pub(super) fn labelled_pages(dir: &Path, mark: &str, annotation: &Annotation) -> Result<Listing> {
    let folder = folder_with(&Probe::new(dir), mark);
    pages(&folder.unwrap_or_else(|| dir.to_path_buf()), annotation)
}

fn pages(dir: &Path, annotation: &Annotation) -> Result<Listing> {
    let page = |path: PathBuf| GoldPage {
        gold: Some(Gold::InPage(annotation.clone())),
        ..GoldPage::in_file(names::stem(&path), path)
    };
    Ok(html_files(dir)?.into_iter().map(page).collect::<Vec<_>>().into())
}
