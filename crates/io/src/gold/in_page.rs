//! Sets with labels inside the pages: class names, comment markers, or matches of a CSS selector.

use crate::gold::{Gold, GoldPage, ReadOptions, Reader, Snippets, html_files, stem};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_html::Annotation;

/// Spans of the class `x-nc-selN` in L3S-GN1.
pub(super) static L3S: Reader = Reader {
    name: "l3s",
    summary: "HTML files with <span class=\"x-nc-selN\">; \
              the chosen classes (default 1, 2, 3) are content",
    source: "Kohlschütter et al., WSDM 2010 (L3S-GN1)",
    detect: |dir| first_page_has(dir, "x-nc-sel"),
    read: |dir, options| read(dir, with_classes(Annotation::l3s(), options)),
};

/// Elements of the class `krdwrd-tag-N` in KrdWrd.
pub(super) static KRDWRD: Reader = Reader {
    name: "krdwrd",
    summary: "HTML files with class=\"krdwrd-tag-N\"; the chosen classes (default 3) are content",
    source: "Steger & Stemle, KrdWrd 2009 (Canola)",
    detect: |dir| first_page_has(dir, "krdwrd-tag-"),
    read: |dir, options| read(dir, with_classes(Annotation::krdwrd(), options)),
};

/// Comments of the Google Search Appliance around text that it does not index.
pub(super) static GOOGLEOFF: Reader = Reader {
    name: "googleoff",
    summary: "HTML files with <!--googleoff: …--> and <!--googleon: …-->; text between the two is \
              boilerplate",
    source: "Google Search Appliance; Pal 2009",
    detect: |dir| first_page_has(dir, "<!--googleoff"),
    read: |dir, _| read(dir, Annotation::markers_off("googleoff", "googleon")),
};

/// Comments around the content.
pub(super) static MARKERS: Reader = Reader {
    name: "markers",
    summary: "HTML files with <!-- content --> … <!-- /content -->, or any pair given by --markers",
    source: "Pal 2009",
    detect: |dir| first_page_has(dir, "<!-- content -->"),
    read: |dir, options| {
        let default = || ("<!-- content -->".to_owned(), "<!-- /content -->".to_owned());
        let (open, close) = options.markers.clone().unwrap_or_else(default);
        read(dir, Annotation::markers(&open, &close))
    },
};

/// Matches of a CSS selector.
pub(super) static SELECTOR: Reader = Reader {
    name: "selector",
    summary: "HTML files; the elements that match a given CSS selector are content",
    source: "threshr",
    detect: |_| false,
    read: |dir, options| {
        let missing = || {
            Error::recipe("the format `selector` needs a selector")
                .expected("a CSS selector")
                .with_setting("ReadOptions::selector")
        };
        read(dir, Annotation::selector(options.selector.clone().ok_or_else(missing)?))
    },
};

fn with_classes(annotation: Annotation, options: &ReadOptions) -> Annotation {
    match &options.classes {
        Some(content) => Annotation { content: content.clone(), ..annotation },
        None => annotation,
    }
}

fn first_page_has(dir: &Path, marker: &str) -> bool {
    let first = html_files(dir).ok().and_then(|files| files.into_iter().next());
    let bytes = first.and_then(|f| std::fs::read(f).ok()).unwrap_or_default();
    memchr::memmem::find(&bytes, marker.as_bytes()).is_some()
}

fn read(dir: &Path, annotation: Annotation) -> Result<Vec<GoldPage>> {
    let page = |path: &PathBuf| GoldPage {
        id: stem(path),
        path: path.clone(),
        url: None,
        lang: None,
        charset: None,
        site: None,
        page_type: None,
        gold: Some(Gold::InPage(annotation.clone())),
        snippets: Snippets::default(),
    };
    Ok(html_files(dir)?.iter().map(page).collect())
}
