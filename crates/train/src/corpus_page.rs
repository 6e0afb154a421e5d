//! A page of a corpus.

use crate::Alignment;
use crate::augmentation::Generated;
use crate::example::Example;
use std::borrow::Cow;
use std::collections::BTreeMap;
use threshr_core::policy::{LeftOut, Policy};
use threshr_extract::decision::without_metadata;
use threshr_extract::filters::FilterChoice;
use threshr_extract::page_level::{PageInputs, PageTerms};
use threshr_features::Terms;
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use threshr_io::gold::Snippets;
use threshr_page::ArticleMetadata;
use threshr_page::article::article_metadata::metadata_blocks;

/// A page of a corpus.
#[derive(Debug)]
pub struct CorpusPage {
    /// Id in its set.
    pub id: String,
    /// Index of its set.
    pub set: usize,
    /// Site.
    pub site: String,
    /// URL, where known.
    pub url: Option<String>,
    /// Language, where known.
    pub lang: Option<String>,
    /// Page type, where known.
    pub page_type: Option<String>,
    /// Document; without attributes unless [`Needs::attributes`](crate::Needs::attributes) is set.
    pub doc: Document,
    /// HTML without labels, if [`Needs::html`](crate::Needs::html) is set.
    pub html: Option<String>,
    /// Blocks.
    pub blocks: Blocks,
    /// Gold text, one block a line; `None` without gold.
    pub gold: Option<String>,
    /// Gold with markup, where the set has it.
    pub gold_markup: Option<String>,
    /// Strings that the text must and must not contain, where the set has them.
    pub snippets: Snippets,
    /// Alignment of blocks and gold; all 0 without gold.
    pub alignment: Alignment,
    /// Labels by the recipe's threshold; without gold, those that snippets give.
    pub labels: Vec<bool>,
    /// Blocks that are not trained on: repeats, see
    /// [`LabelRecipe::mask_repeats`](threshr_extract::recipe::LabelRecipe::mask_repeats); those of which the annotators
    /// are unsure; and without gold all blocks that no snippet labels.
    pub masked: Vec<bool>,
    /// Whether the page has no gold and snippets label some of its blocks.
    pub has_snippet_labels: bool,
    /// What the set's annotators count as content.
    pub policy: Policy,
    /// What the set's policy leaves to filters.
    pub left_out: LeftOut,
    /// Blocks that the page marks as headline, byline or caption.
    pub(crate) metadata: ArticleMetadata,
    /// A further example that is generated from the page.
    pub(crate) generated: Option<Box<Generated>>,
    /// Terms of learned families, by family name.
    pub(crate) terms: BTreeMap<&'static str, Terms>,
    /// Keys of the blocks' texts, see [`block_keys`](threshr_features::block_keys). Empty if no column
    /// compares the pages of a site.
    pub(crate) keys: Vec<u64>,
    /// What page-level models read of the page, if the recipe asks for them.
    pub(crate) page_inputs: Option<Box<PageInputs>>,
    /// Terms of the page, if the recipe asks for page types and the set declares that of the page.
    pub(crate) page_terms: Option<Box<PageTerms>>,
    /// Size of the page in bytes.
    pub num_bytes: usize,
    /// SHA-256 of the page's bytes.
    pub hash: [u8; 32],
    pub(crate) gold_hash: [u8; 32],
}

/// The site of a page without URL and site: no other page of the corpus has it.
pub(crate) fn unknown_site(set: usize, id: &str) -> String {
    format!("{set}/{id}")
}

impl CorpusPage {
    /// Whether the site is known, so that pages of other corpora may share it.
    pub fn has_known_site(&self) -> bool {
        self.site != unknown_site(self.set, &self.id)
    }

    /// The page itself as a training example.
    pub(crate) fn example(&self) -> Example<'_> {
        Example {
            labels: &self.labels,
            masked: &self.masked,
            num_tokens: &self.alignment.num_tokens,
            class: &self.alignment.class,
            weight: 1.0,
        }
    }

    /// Tokens of the blocks as decision rules count them for a model with `columns`; see
    /// [`without_metadata`].
    pub(crate) fn tokens_without_metadata(&self, scores: &[f32], columns: &[String]) -> Cow<'_, [u32]> {
        let metadata = metadata_blocks(|| &self.metadata, columns).into_iter();
        without_metadata(&self.alignment.num_tokens, metadata, scores)
    }

    /// Drops everything that training does not read: evaluation data, and the tree if `filter` does not read
    /// it.
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
        (self.gold_markup, self.html) = (None, None);
    }
}
