//! Hashes a data set without parsing its pages. Stored scores of a cell are valid as long as the hash is unchanged.

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use threshr_sets::gold::{DataSet, Gold, GoldPage};

/// Hash of all parts of the set that a corpus reads: policy, names, bytes, geometry, gold, unsure texts, snippets, posts,
/// URLs, languages and page types.
///
/// Returns `None` if a page cannot be read. Reading the corpus then reports the page.
pub(crate) fn fingerprint(set: &DataSet) -> Option<String> {
    let pages: Option<Vec<[u8; 32]>> = set.pages.par_iter().map(of_page).collect();
    let mut hash = Sha256::new();
    hash.update(&set.name);
    hash.update(set.policy.map(|p| p.name()).unwrap_or_default());
    pages?.iter().for_each(|page| hash.update(page));
    Some(threshr_core::hex(&hash.finalize()))
}

fn of_page(page: &GoldPage) -> Option<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut part = |text: Option<&str>| {
        // lengths separate the fields; a missing field differs from an empty one
        hash.update(text.map_or(u64::MAX, |t| t.len() as u64).to_le_bytes());
        hash.update(text.unwrap_or(""));
    };
    part(Some(&page.id));
    for text in [&page.url, &page.lang, &page.charset, &page.site, &page.page_type] {
        part(text.as_deref());
    }
    match &page.gold {
        None => part(None),
        Some(Gold::Text { text, markup }) => {
            part(Some(text));
            part(markup.as_deref());
        }
        Some(Gold::InPage(annotation)) => part(Some(&annotation.id())),
    }
    for snippets in [&page.snippets.with, &page.snippets.without] {
        part(Some(&snippets.len().to_string()));
        snippets.iter().for_each(|snippet| part(Some(snippet)));
    }
    for post in &page.posts {
        part(Some(&post.text));
        [&post.author, &post.date, &post.link].into_iter().for_each(|value| part(value.as_deref()));
    }
    page.unsure.iter().for_each(|text| part(Some(text)));
    if let Some((_, geometry)) = page.geometry().ok()? {
        hash.update((geometry.len() as u64).to_le_bytes());
        hash.update(geometry);
    }
    hash.update(page.load().ok()?);
    Some(hash.finalize().into())
}
