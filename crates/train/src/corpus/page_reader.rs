//! Reads one annotated page: document, blocks, labels and feature rows.

use crate::Alignment;
use crate::augmentation::{Draw, Generated, Generator, Source, insertions, is_drawn};
use crate::corpus::Needs;
use crate::corpus::page::{CorpusPage, unknown_site};
use crate::corpus::page_posts::PagePosts;
use crate::labels::snippets::{SnippetLabels, snippet_labels, unsure_blocks};
use crate::labels::{masked, teacher};
use crate::view::learned_columns::{rows_of, terms_of};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use threshr_core::policy::{Policy, PolicyChoice};
use threshr_core::site_of;
use threshr_core::{Budget, Result};
use threshr_extract::filters::Controls;
use threshr_extract::flow::{self, GeometryFile, Page, PageOptions};
use threshr_extract::model::Model;
use threshr_extract::recipe::{Parts, Recipe};
use threshr_extract::type_and_quality::{PageInputs, PageTerms};
use threshr_features::{FeatureSet, PageContext, Terms, block_keys};
use threshr_html::blocks::Blocks;
use threshr_html::{self as html, Document, ParseOptions};
use threshr_page::article::article_metadata::reads_article_metadata;
use threshr_page::{ArticleMetadata, PageFacts, threads};
use threshr_sets::gold::{Gold, GoldPage};

/// Reads the pages of a corpus.
pub(crate) struct PageReader<'a> {
    pub recipe: &'a Recipe,
    pub parts: &'a Parts,
    pub features: Option<&'a FeatureSet>,
    /// The model whose scores are learned.
    pub teacher: Option<&'a Model>,
    pub needs: Needs,
}

/// A page and its feature rows.
pub(crate) struct ReadPage {
    pub page: CorpusPage,
    /// Feature rows, shape (n_blocks, n_columns), row after row.
    pub values: Vec<f32>,
    /// Feature rows without attributes, if this variant is used in training.
    pub without_attributes: Option<Vec<f32>>,
}

impl PageReader<'_> {
    /// Reads a page of the set with the index `set`.
    ///
    /// # Errors
    /// If a file cannot be read. The error contains its path.
    pub(crate) fn page(&self, set: usize, page: &GoldPage, policy: PolicyChoice) -> Result<ReadPage> {
        let &PageReader { recipe, needs, .. } = self;
        let Parsed { bytes, options, page: parsed, hash, gold_hash } = self.parse(page)?;
        let (own_policy, inputs) = self.extract(&parsed.doc, &parsed.blocks, policy);
        let scores = self.teacher.map(|teacher| teacher::scores(teacher, &parsed, own_policy)).transpose()?;
        let Page { mut doc, blocks } = parsed;
        let (alignment, gold) = align(page.gold.as_ref(), &doc, &blocks);
        let without_attributes = self.rows_without_attributes(&doc, &hash, own_policy);
        let (mut labels, mut masked, has_snippet_labels) = match gold {
            Some(_) => {
                let labels = alignment.labels(recipe.labels.threshold);
                let mut masked = masked(&blocks, &labels, recipe.labels.mask_repeats);
                let unsure = unsure_blocks(&page.unsure, &blocks);
                // a content block is in the gold, so the annotators were sure about its label
                let unsure =
                    unsure.into_iter().zip(&labels).map(|(is_unsure, is_content)| is_unsure && !is_content);
                masked.iter_mut().zip(unsure).for_each(|(masked, is_unsure)| *masked |= is_unsure);
                (labels, masked, false)
            }
            None => match snippet_labels(&page.snippets, &blocks, own_policy) {
                Some(SnippetLabels { labels, masked }) => (labels, masked, true),
                None => (vec![false; blocks.len()], vec![true; blocks.len()], false),
            },
        };
        let weight = recipe.labels.teacher_weight;
        let targets =
            scores.map(|scores| teacher::targets(&scores, weight, gold.is_some(), &mut labels, &mut masked));
        let source = |gold| Source {
            doc: &doc,
            blocks: &blocks,
            labels: &labels,
            num_tokens: &alignment.num_tokens,
            class: &alignment.class,
            gold,
            lang: page.lang.as_deref().or_else(|| doc.language()).unwrap_or("en"),
            hash: &hash,
            policy: own_policy,
        };
        let page_type = page.page_type.as_deref();
        let generated = gold.as_deref().and_then(|gold| self.generate(page_type, &source(gold)));
        let url = page.url.clone().or_else(|| doc.url());
        let type_and_quality = &recipe.type_and_quality;
        let page_inputs = (type_and_quality.types || type_and_quality.quality).then(|| {
            let stats = PageFacts::without_words(&doc, &blocks).stats;
            Box::new(PageInputs::new(&doc, &blocks, &stats, url.as_deref()))
        });
        let has_type = page.page_type.is_some();
        let page_terms = (type_and_quality.types && has_type)
            .then(|| Box::new(PageTerms::new(&doc, &blocks, url.as_deref())));
        let posts = PagePosts::new(&page.posts, &doc, &blocks, url.as_deref());
        let controls = Controls::new(&doc, &blocks);
        if !needs.attributes {
            doc.drop_attributes();
        }
        let page = CorpusPage {
            id: page.id.clone(),
            set,
            site: site(set, page, url.as_deref()),
            url,
            lang: page.lang.clone(),
            page_type: page.page_type.clone(),
            masked,
            has_snippet_labels,
            labels,
            targets,
            doc,
            html: needs.html.then(|| html::plain_html(&bytes, &options)),
            blocks,
            gold,
            gold_markup: page.gold.as_ref().and_then(markup_of),
            snippets: page.snippets.clone(),
            posts,
            alignment,
            policy: own_policy,
            left_out: policy.left_out(own_policy),
            metadata: inputs.metadata,
            thread: inputs.thread,
            controls,
            generated,
            terms: inputs.terms,
            keys: inputs.keys,
            page_inputs,
            page_terms,
            num_bytes: bytes.len(),
            hash,
            gold_hash,
        };
        Ok(ReadPage { page, values: inputs.values, without_attributes })
    }

    /// Parses a page and segments it into blocks.
    fn parse(&self, page: &GoldPage) -> Result<Parsed> {
        let &PageReader { recipe, parts, .. } = self;
        let bytes = page.load()?;
        let geometry = page.geometry()?.filter(|(_, bytes)| !bytes.is_empty());
        let file = geometry.as_ref().map(|(path, bytes)| GeometryFile { path, bytes });
        let options = PageOptions {
            parse: page.parse_options(recipe.parse_options()),
            segmentation: parts.segmentation,
            visibility: recipe.visibility(),
        };
        let parsed = flow::prepare(&bytes, file, &options, &Budget::UNLIMITED)?;
        let options = options.parse;
        let geometry = file.map_or(&[][..], |file| file.bytes);
        let hash: [u8; 32] = Sha256::new().chain_update(&bytes).chain_update(geometry).finalize().into();
        let gold_hash = hash_of_gold(page.gold.as_ref(), &page.unsure);
        Ok(Parsed { bytes, options, page: parsed, hash, gold_hash })
    }

    /// Returns the page's policy and its training data.
    fn extract(&self, doc: &Document, blocks: &Blocks, policy: PolicyChoice) -> (Policy, TrainingInputs) {
        let Some(features) = self.features else {
            let own_policy = policy.of_page(|| PageContext::without_words(doc, blocks).is_running_text());
            return (own_policy, TrainingInputs::default());
        };
        let context = PageContext::new(doc, blocks).under(policy);
        let inputs = TrainingInputs {
            values: rows_of(features, &context),
            terms: terms_of(features, &context),
            metadata: if self.reads_article_metadata(features) {
                context.article_metadata().clone()
            } else {
                ArticleMetadata::new()
            },
            thread: context.thread().parts().clone(),
            keys: if features.needs_crawl() { block_keys(blocks) } else { Vec::new() },
        };
        (context.policy, inputs)
    }

    /// Returns whether policy overrides or some columns need the article metadata.
    fn reads_article_metadata(&self, features: &FeatureSet) -> bool {
        self.recipe.policy.vary || reads_article_metadata(features.names())
    }

    /// Generates an additional example from the page. Returns `None` for most pages.
    fn generate(&self, page_type: Option<&str>, page: &Source<'_>) -> Option<Box<Generated>> {
        let features = self.features?;
        let insertions = insertions(page.hash, page_type, &self.recipe.augmentation);
        let generator = Generator { recipe: self.recipe, parts: self.parts, features };
        generator.generate(page, &insertions).map(Box::new)
    }

    /// Returns the rows of the page without attributes, if this variant is used in training. The blocks are the
    /// same. Every `<a>` counts as a link.
    fn rows_without_attributes(&self, doc: &Document, hash: &[u8; 32], policy: Policy) -> Option<Vec<f32>> {
        let share = self.recipe.augmentation.without_attributes;
        let features = self.features.filter(|_| is_drawn(Draw::WithoutAttributes.of(hash), share))?;
        let mut doc = doc.clone();
        doc.drop_attributes();
        let blocks = Blocks::new(&doc, self.parts.segmentation, self.recipe.visibility());
        Some(rows_of(features, &PageContext::new(&doc, &blocks).under(policy)))
    }
}

/// A page and its blocks, before feature rows are computed.
struct Parsed {
    bytes: Vec<u8>,
    options: ParseOptions,
    page: Page,
    /// Hash of the page's bytes and of its geometry.
    hash: [u8; 32],
    gold_hash: [u8; 32],
}

/// Returns the declared site of a page, or the site of its URL. If both are unknown, the page gets a unique
/// site.
fn site(set: usize, page: &GoldPage, url: Option<&str>) -> String {
    let known = page.site.clone().or_else(|| url.and_then(site_of));
    known.unwrap_or_else(|| unknown_site(set, &page.id))
}

/// Training data of a page, see [`CorpusPage`]. `values` has the feature rows, row after row.
#[derive(Default)]
struct TrainingInputs {
    values: Vec<f32>,
    terms: BTreeMap<&'static str, Terms>,
    metadata: ArticleMetadata,
    thread: threads::Parts,
    keys: Vec<u64>,
}

/// Aligns a page's blocks with its gold. Also returns the gold as text.
fn align(gold: Option<&Gold>, doc: &Document, blocks: &Blocks) -> (Alignment, Option<String>) {
    match gold {
        // a page without any label was not annotated, so it has no gold
        Some(Gold::InPage(_)) if doc.labels().is_empty() => (Alignment::without_gold(blocks), None),
        None => (Alignment::without_gold(blocks), None),
        Some(gold) => {
            let (alignment, text) = Alignment::of_gold(doc, blocks, gold);
            (alignment, Some(text))
        }
    }
}

/// Returns the markup of a gold text.
fn markup_of(gold: &Gold) -> Option<String> {
    match gold {
        Gold::Text { markup, .. } => markup.clone(),
        Gold::InPage(_) => None,
    }
}

/// Hashes the gold of a page, except labels that are already part of the page's bytes.
fn hash_of_gold(gold: Option<&Gold>, unsure: &[String]) -> [u8; 32] {
    let mut hash = Sha256::new();
    match gold {
        None => {}
        Some(Gold::Text { text, markup }) => {
            hash.update(text);
            hash.update(markup.as_deref().unwrap_or("\0"));
        }
        // the labels are in the page's bytes
        Some(Gold::InPage(annotation)) => hash.update(annotation.id()),
    }
    for text in unsure {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}
