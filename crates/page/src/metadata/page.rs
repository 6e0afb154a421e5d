//! The page as the sources of metadata read it.

use super::date_order::DateOrder;
use super::dates::DateStyle;
use super::element_names::{FORUM_ADDRESS, any_word};
use crate::{ArticleMetadata, Known, PageFacts};
use std::borrow::Cow;
use std::cell::OnceCell;
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// A page, with what is known about it.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(super) doc: &'a Document,
    pub(super) blocks: &'a Blocks,
    /// The URL of the page, given or stated by the page.
    pub(super) url: Option<&'a str>,
    /// Whether the URL looks like that of a forum.
    pub(super) is_forum: bool,
    pub(super) known: Known<'a>,
    article: Cow<'a, ArticleMetadata>,
    is_month_first: OnceCell<bool>,
}

impl<'a> Page<'a> {
    pub(super) fn new(doc: &'a Document, blocks: &'a Blocks, url: Option<&'a str>, known: Known<'a>) -> Self {
        let article = match known.article {
            Some(article) => Cow::Borrowed(article),
            None => Cow::Owned(PageFacts::new(doc, blocks).article_metadata().clone()),
        };
        let is_forum = url.is_some_and(|url| any_word(url, |word| FORUM_ADDRESS.contains(word)));
        Page { doc, blocks, url, is_forum, known, article, is_month_first: OnceCell::new() }
    }

    /// The block of the headline.
    pub(super) fn headline(&self) -> Option<usize> {
        self.article_blocks("title").next()
    }

    /// The blocks of the byline, in order.
    pub(super) fn bylines(&self) -> impl Iterator<Item = usize> {
        self.article_blocks("byline")
    }

    fn article_blocks(&self, property: &'static str) -> impl Iterator<Item = usize> {
        self.article.iter().filter(move |(_, p)| p.name == property).map(|(i, _)| *i as usize)
    }

    /// How the page writes dates.
    pub(super) fn style(&self) -> DateStyle<'_> {
        let language = self.doc.language().and_then(|tag| tag.split(['-', '_']).next());
        DateStyle { language, order: super::dates::Order::OfPage(self) }
    }

    /// Whether 3/5/2024 on the page is in March.
    pub(super) fn is_month_first(&self) -> bool {
        *self.is_month_first.get_or_init(|| {
            let known = self.known.thread.and_then(|found| found.order());
            known.unwrap_or_else(|| DateOrder::new(self.doc, self.blocks)).is_month_first(self.url)
        })
    }
}
