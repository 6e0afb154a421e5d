//! The page as the sources of metadata read it.

use super::date_order::PageOrder;
use super::dates::{DateStyle, Order};
use super::element_names::{FORUM_ADDRESS, any_word};
use crate::{ArticleMetadata, Known, PageFacts};
use std::borrow::Cow;
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
    order: PageOrder<'a>,
}

impl<'a> Page<'a> {
    pub(super) fn new(doc: &'a Document, blocks: &'a Blocks, url: Option<&'a str>, known: Known<'a>) -> Self {
        let article = match known.article {
            Some(article) => Cow::Borrowed(article),
            None => Cow::Owned(PageFacts::new(doc, blocks).article_metadata().clone()),
        };
        let is_forum = url.is_some_and(|url| any_word(url, |word| FORUM_ADDRESS.contains(word)));
        let order = PageOrder::new(doc, blocks, url, known.thread.and_then(|found| found.order()));
        Page { doc, blocks, url, is_forum, known, article, order }
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
        DateStyle { language, order: Order::OfPage(&self.order) }
    }
}
