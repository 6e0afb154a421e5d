//! The input of feature families: the facts of a page, the policy, and data learned from other pages.

use crate::families::site_repeat::SiteCounts;
use crate::learned::Vocabularies;
use std::ops::Deref;
use threshr_core::policy::{Policy, PolicyChoice, Property};
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use threshr_page::PageFacts;

/// The [facts](PageFacts) of a page, the policy, and data learned from other pages.
#[derive(Debug)]
pub struct PageContext<'a> {
    facts: PageFacts<'a>,
    /// Policy that determines which kinds of text are content.
    pub policy: Policy,
    /// Confined properties: their policy columns have the true value only in the blocks of the property. All
    /// other blocks get the opposite value.
    pub confined: Vec<&'static Property>,
    /// Vocabularies of learned families. If there is none for a family, its columns are 0.
    pub vocabularies: Option<&'a Vocabularies>,
    /// Counts over the other pages of the site. If `None`, columns that need a crawl are 0.
    pub site: Option<SiteCounts>,
    /// Whether the article text in JSON-LD is ignored.
    pub(crate) is_without_body: bool,
}

impl<'a> Deref for PageContext<'a> {
    type Target = PageFacts<'a>;

    fn deref(&self) -> &PageFacts<'a> {
        &self.facts
    }
}

impl<'a> From<PageFacts<'a>> for PageContext<'a> {
    /// Uses the default policy, no vocabularies and no other pages.
    fn from(facts: PageFacts<'a>) -> Self {
        PageContext {
            facts,
            policy: Policy::default(),
            confined: Vec::new(),
            vocabularies: None,
            site: None,
            is_without_body: false,
        }
    }
}

impl<'a> PageContext<'a> {
    /// Analyses a page, including its words; see [`PageFacts::new`].
    pub fn new(doc: &'a Document, blocks: &'a Blocks) -> Self {
        PageFacts::new(doc, blocks).into()
    }

    /// Analyses a page without its words; see [`PageFacts::without_words`].
    pub fn without_words(doc: &'a Document, blocks: &'a Blocks) -> Self {
        PageFacts::without_words(doc, blocks).into()
    }

    /// Returns the facts of the page.
    pub fn into_facts(self) -> PageFacts<'a> {
        self.facts
    }

    /// Sets the policy.
    pub fn under(self, policy: impl Into<PolicyChoice>) -> Self {
        PageContext { policy: policy.into().of_page(|| self.facts.is_running_text()), ..self }
    }

    /// Sets the confined properties, see [`PageContext::confined`].
    pub fn confining(self, confined: Vec<&'static Property>) -> Self {
        PageContext { confined, ..self }
    }

    /// Sets the vocabularies of learned families.
    pub fn with_vocabularies(self, vocabularies: &'a Vocabularies) -> Self {
        PageContext { vocabularies: Some(vocabularies), ..self }
    }

    /// Sets the counts over the other pages of the site.
    pub fn on_site(self, site: Option<SiteCounts>) -> Self {
        PageContext { site, ..self }
    }

    /// Ignores the article text in JSON-LD.
    pub fn without_body(self) -> Self {
        PageContext { is_without_body: true, ..self }
    }
}
