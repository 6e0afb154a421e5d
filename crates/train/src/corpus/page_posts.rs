//! The posts of a page: the posts of the gold and the posts that the program finds.

use std::collections::BTreeMap;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, Kind, Tag};
use threshr_page::metadata::PostKind;
use threshr_page::threads;
use threshr_sets::gold::GoldPost;

/// The posts of a page whose gold has posts.
#[derive(Debug, Clone, Default)]
pub struct PagePosts {
    /// The posts of the gold.
    pub gold: Vec<GoldPost>,
    /// The posts that the program finds.
    pub found: Vec<FoundPost>,
    /// The texts of links by URL, for URLs that are authors in the gold.
    pub names: BTreeMap<String, Vec<String>>,
}

/// A post that the program finds.
#[derive(Debug, Clone, Default)]
pub struct FoundPost {
    /// The text of the post.
    pub text: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// The address of the page about the author.
    pub author_url: Option<String>,
    /// The date, in ISO 8601 or as shown on the page.
    pub date: Option<String>,
    /// The URL of the post.
    pub url: Option<String>,
}

impl PagePosts {
    /// Returns the posts of a page, or `None` if its gold has no posts.
    pub(crate) fn new(
        gold: &[GoldPost],
        doc: &Document,
        blocks: &Blocks,
        url: Option<&str>,
    ) -> Option<Box<Self>> {
        if gold.is_empty() {
            return None;
        }
        let posts = threads::posts(doc, blocks, url, None);
        // outside of threads, posts that are found only by element names are written only if they are
        // comments
        let is_thread = threads::is_thread(&posts);
        let posts = posts.into_iter().filter(|post| is_thread || post.kind == PostKind::Comment);
        let found = posts.map(|post| FoundPost {
            text: threads::text(&post, blocks),
            author: post.author,
            author_url: post.author_url,
            date: post.date,
            url: post.url,
        });
        let mut names: BTreeMap<String, Vec<String>> =
            gold.iter().filter_map(|post| Some((post.author.clone()?, Vec::new()))).collect();
        for link in doc.elements_with(|tag| tag == Tag::A) {
            let address = doc.attribute(link, "href").map(str::trim).unwrap_or_default();
            if let Some(names) = names.get_mut(address) {
                let texts = doc.descendants(link).filter(|&node| doc.kind(node) == Kind::Text);
                names.push(texts.map(|node| doc.text(node)).collect());
                let labels = ["title", "aria-label"].iter().filter_map(|name| doc.attribute(link, name));
                names.extend(labels.map(str::to_owned));
            }
        }
        Some(Box::new(PagePosts { gold: gold.to_vec(), found: found.collect(), names }))
    }
}
