//! A page of a corpus.

use crate::Alignment;
use crate::augmentation::Generated;
use crate::corpus::page_posts::PagePosts;
use crate::labels::example::Example;
use std::borrow::Cow;
use std::collections::BTreeMap;
use threshr_core::policy::{LeftOut, Policy};
use threshr_extract::decision::without_metadata;
use threshr_extract::filters::{Controls, FilterChoice};
use threshr_extract::type_and_quality::{PageInputs, PageTerms};
use threshr_features::Terms;
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use threshr_page::ArticleMetadata;
use threshr_page::article::article_metadata::metadata_blocks;
use threshr_page::threads::Parts;
use threshr_sets::gold::Snippets;

/// A page of a corpus.
#[derive(Debug)]
pub struct CorpusPage {
    /// Id of the page, unique within its set.
    pub id: String,
    /// Index of the page's set.
    pub set: usize,
    /// Site of the page.
    pub site: String,
    /// URL, if known.
    pub url: Option<String>,
    /// Language, if known.
    pub lang: Option<String>,
    /// Page type, if known.
    pub page_type: Option<String>,
    /// Parsed document. It has no attributes unless [`Needs::attributes`](crate::Needs::attributes) is set.
    pub doc: Document,
    /// HTML source without annotation labels, if [`Needs::html`](crate::Needs::html) is set.
    pub html: Option<String>,
    /// Text blocks.
    pub blocks: Blocks,
    /// Gold text with one block per line, if the page has gold.
    pub gold: Option<String>,
    /// Gold text with markup, if the set provides it.
    pub gold_markup: Option<String>,
    /// Strings that the extracted text must or must not contain, if the set provides them.
    pub snippets: Snippets,
    /// Posts of the page's thread, if the set has them.
    pub posts: Option<Box<PagePosts>>,
    /// Alignment of the blocks with the gold. All values are 0 if there is no gold.
    pub alignment: Alignment,
    /// Label of each block, by the recipe's alignment threshold. If there is no gold, the labels come from
    /// snippets. If there are no snippets either, they come from the teacher.
    pub labels: Vec<bool>,
    /// Blocks that are excluded from training:
    ///
    /// - repeats, see [`LabelRecipe::mask_repeats`](threshr_extract::recipe::LabelRecipe::mask_repeats),
    /// - blocks that the annotators were unsure about,
    /// - if the page has only snippets, all blocks that no snippet labels.
    pub masked: Vec<bool>,
    /// Whether the page has no gold but some of its blocks are labelled by snippets.
    pub has_snippet_labels: bool,
    /// Probability of content of each block that the model learns, if the recipe has a teacher.
    pub(crate) targets: Option<Vec<f32>>,
    /// Which kinds of text the set's annotators count as content.
    pub policy: Policy,
    /// Kinds of text that the set's policy excludes, for the filters.
    pub left_out: LeftOut,
    /// Blocks that the page identifies as headline, byline or caption.
    pub(crate) metadata: ArticleMetadata,
    /// Blocks in the posts of the page's thread.
    pub(crate) thread: Parts,
    /// The controls of the page. They are determined before the attributes are dropped.
    pub controls: Controls,
    /// An additional training example that is generated from the page.
    pub(crate) generated: Option<Box<Generated>>,
    /// Terms of learned families, by family name.
    pub(crate) terms: BTreeMap<&'static str, Terms>,
    /// Hash keys of the block texts, see [`block_keys`](threshr_features::block_keys). Empty if no column
    /// compares the pages of a site.
    pub(crate) keys: Vec<u64>,
    /// Input of the models for page type and quality, if the recipe requests one of them.
    pub(crate) page_inputs: Option<Box<PageInputs>>,
    /// Terms of the page, if the recipe requests page types and the set provides the type of this page.
    pub(crate) page_terms: Option<Box<PageTerms>>,
    /// Size of the page in bytes.
    pub num_bytes: usize,
    /// SHA-256 of the page's bytes.
    pub hash: [u8; 32],
    pub(crate) gold_hash: [u8; 32],
}

/// Returns a unique site for a page whose site and URL are unknown, so that no other page shares it.
pub(crate) fn unknown_site(set: usize, id: &str) -> String {
    format!("{set}/{id}")
}

impl CorpusPage {
    /// Returns whether the site is known. If it is unknown, no page of another corpus can belong to it.
    pub fn has_known_site(&self) -> bool {
        self.site != unknown_site(self.set, &self.id)
    }

    /// Returns the page itself as a training example.
    pub(crate) fn example(&self) -> Example<'_> {
        Example {
            labels: &self.labels,
            masked: &self.masked,
            num_tokens: &self.alignment.num_tokens,
            class: &self.alignment.class,
            share: None,
            weight: 1.0,
        }
    }

    /// Returns the number of tokens of each block that decision rules use for a model with `columns`; see
    /// [`without_metadata`].
    pub(crate) fn tokens_without_metadata(&self, scores: &[f32], columns: &[String]) -> Cow<'_, [u32]> {
        let metadata = metadata_blocks(|| &self.metadata, columns).into_iter().map(|t| t.0 as usize);
        without_metadata(&self.alignment.num_tokens, metadata, scores)
    }

    /// Drops all data that training does not read: evaluation data, and the document tree if `filter` does
    /// not need it.
    pub(crate) fn drop_evaluation_data(&mut self, filter: FilterChoice) {
        let filter = filter.under(self.left_out);
        if !filter.reads_tree(self.left_out) {
            self.doc = threshr_html::parse_str("");
            self.blocks.forget_tree();
        }
        if filter.is_none() {
            self.blocks = Blocks::default();
        }
        if let Some(gold) = &mut self.gold {
            *gold = String::new();
        }
        (self.gold_markup, self.html, self.posts) = (None, None, None);
    }
}
