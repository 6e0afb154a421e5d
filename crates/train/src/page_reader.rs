//! Reads one annotated page: document, blocks, labels and feature rows.

use crate::Alignment;
use crate::augmentation::{Draw, Generated, Generator, Plan, Source, is_drawn};
use crate::cache::{self, Cache, Key};
use crate::corpus::Needs;
use crate::corpus_page::{CorpusPage, unknown_site};
use crate::snippet_labels::{SnippetLabels, snippet_labels, unsure_blocks};
use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use threshr_core::policy::{Policy, PolicyChoice};
use threshr_core::{Budget, Result};
use threshr_extract::flow::{self, GeometryFile, Page, PageOptions};
use threshr_extract::page_level::{PageInputs, PageTerms};
use threshr_extract::recipe::{AugmentationRecipe, Parts, Recipe};
use threshr_features::{Family, FeatureSet, PageContext, Terms, block_keys};
use threshr_html::blocks::Blocks;
use threshr_html::{self as html, Document, ParseOptions};
use threshr_io::gold::{Gold, GoldPage};
use threshr_io::site_of;
use threshr_page::article::article_metadata::reads_article_metadata;
use threshr_page::{ArticleMetadata, PageFacts};

/// Reads the pages of a corpus.
pub(crate) struct PageReader<'a> {
    pub recipe: &'a Recipe,
    pub parts: &'a Parts,
    pub features: Option<&'a FeatureSet>,
    pub needs: Needs,
    pub cache: Option<&'a Cache>,
}

/// A page with its rows.
pub(crate) struct ReadPage {
    pub page: CorpusPage,
    pub extracted: cache::Entry,
    /// Key of the page in the cache.
    pub key: Key,
    /// Whether `extracted` comes from the cache.
    pub is_cached: bool,
    /// Rows without attributes, if the page is trained on without attributes.
    pub without_attributes: Option<Vec<f32>>,
}

impl PageReader<'_> {
    /// Reads a page of the set with the index `set`.
    ///
    /// # Errors
    /// If a file cannot be read; the error has its path.
    pub(crate) fn page(&self, set: usize, page: &GoldPage, policy: PolicyChoice) -> Result<ReadPage> {
        let &PageReader { recipe, needs, cache, .. } = self;
        let Parsed { bytes, options, mut doc, blocks, hash, gold_hash, key } = self.parse(page, policy)?;
        let found = cache.and_then(|cache| cache.find(&key, blocks.len()));
        let is_cached = found.is_some();
        let mut extracted = found.unwrap_or_default();
        let (alignment, gold) = align(page.gold.as_ref(), &mut extracted.alignment, &doc, &blocks);
        if cache.is_none() {
            extracted.alignment = None;
        }
        let values = (!is_cached).then_some(&mut extracted.values);
        let (own_policy, inputs) = self.extract(&doc, &blocks, policy, values);
        // the cache does not keep these rows: few pages have them
        let without_attributes = self.rows_without_attributes(&doc, &hash, own_policy);
        let (labels, masked, has_snippet_labels) = match gold {
            Some(_) => {
                let labels = alignment.labels(recipe.labels.threshold);
                let mut masked = masked(&blocks, &labels, recipe.labels.mask_repeats);
                let unsure = unsure_blocks(&page.unsure, &blocks);
                // the gold has the text of a content block
                let unsure =
                    unsure.into_iter().zip(&labels).map(|(is_unsure, is_content)| is_unsure && !is_content);
                masked.iter_mut().zip(unsure).for_each(|(masked, is_unsure)| *masked |= is_unsure);
                (labels, masked, false)
            }
            None => match snippet_labels(&page.snippets, &blocks, own_policy) {
                Some(SnippetLabels { labels, masked }) => (labels, masked, true),
                None => (vec![false; blocks.len()], vec![false; blocks.len()], false),
            },
        };
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
        let page_level = &recipe.page_level;
        let page_inputs = (page_level.types || page_level.quality).then(|| {
            let stats = PageFacts::without_words(&doc, &blocks).stats;
            Box::new(PageInputs::of(&doc, &blocks, &stats, url.as_deref()))
        });
        let has_type = page.page_type.is_some();
        let page_terms =
            (page_level.types && has_type).then(|| Box::new(PageTerms::of(&doc, &blocks, url.as_deref())));
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
            doc,
            html: needs.html.then(|| html::plain_html(&bytes, &options)),
            blocks,
            gold,
            gold_markup: page.gold.as_ref().and_then(markup_of),
            snippets: page.snippets.clone(),
            alignment,
            policy: own_policy,
            left_out: policy.left_out(own_policy),
            metadata: inputs.metadata,
            generated,
            terms: inputs.terms,
            keys: inputs.keys,
            page_inputs,
            page_terms,
            num_bytes: bytes.len(),
            hash,
            gold_hash,
        };
        Ok(ReadPage { page, extracted, key, is_cached, without_attributes })
    }

    /// Parses a page and cuts it into blocks.
    fn parse(&self, page: &GoldPage, policy: PolicyChoice) -> Result<Parsed> {
        let &PageReader { recipe, parts, .. } = self;
        let bytes = page.load()?;
        let geometry = page.geometry()?.filter(|(_, bytes)| !bytes.is_empty());
        let file = geometry.as_ref().map(|(path, bytes)| GeometryFile { path, bytes });
        let options = PageOptions {
            parse: recipe.parse_options(page.charset.clone(), page.annotation()),
            segmentation: parts.segmentation,
            visibility: recipe.visibility(),
        };
        let Page { doc, blocks } = flow::prepare(&bytes, file, &options, &Budget::UNLIMITED)?;
        let options = options.parse;
        let geometry = file.map_or(&[][..], |file| file.bytes);
        let hash: [u8; 32] = Sha256::new().chain_update(&bytes).chain_update(geometry).finalize().into();
        let gold_hash = hash_of_gold(page.gold.as_ref(), &page.unsure);
        let key = self.key(page, policy, &options, [hash, gold_hash], [bytes.len(), geometry.len()]);
        Ok(Parsed { bytes, options, doc, blocks, hash, gold_hash, key })
    }

    /// The cache key of a page: a hash of all that its rows and alignment depend on. The cache's head covers
    /// the columns.
    fn key(
        &self,
        page: &GoldPage,
        policy: PolicyChoice,
        options: &ParseOptions,
        hashes: [[u8; 32]; 2],
        [num_bytes, num_geometry_bytes]: [usize; 2],
    ) -> Key {
        let gold_length = match &page.gold {
            Some(Gold::Text { text, markup }) => Some((text.len(), markup.as_ref().map(String::len))),
            _ => None,
        };
        let lengths = (num_bytes, num_geometry_bytes, gold_length);
        let others = (&options.charset, policy, self.parts.segmentation.name, &self.recipe.page);
        let key = hashes.iter().fold(Sha256::new(), |key, hash| key.chain_update(hash));
        key.chain_update(format!("{lengths:?} {others:?}")).finalize().into()
    }

    /// The page's policy and what training reads of it. Its rows are appended to `values`; `None`: the rows
    /// are known.
    fn extract(
        &self,
        doc: &Document,
        blocks: &Blocks,
        policy: PolicyChoice,
        values: Option<&mut Vec<f32>>,
    ) -> (Policy, TrainingInputs) {
        let needs_context = |f: &&FeatureSet| values.is_some() || self.needs_more_than_rows(f);
        match self.features.filter(needs_context) {
            // the metadata are the same whether rows come from a cache or not
            None => {
                let context = LazyCell::new(|| PageContext::without_words(doc, blocks));
                let own_policy = policy.of_page(|| context.is_running_text());
                let mut inputs = TrainingInputs::default();
                if self.features.is_some_and(|f| self.reads_article_metadata(f)) {
                    inputs.metadata = context.article_metadata().clone();
                }
                (own_policy, inputs)
            }
            Some(features) => {
                let context = PageContext::new(doc, blocks).under(policy);
                (context.policy, self.training_inputs(features, context, values))
            }
        }
    }

    /// Whether training reads more of a page than its feature rows.
    fn needs_more_than_rows(&self, features: &FeatureSet) -> bool {
        !features.learned_families().is_empty()
            || features.needs_crawl()
            || self.recipe.policy.vary
            || self.recipe.augmentation != AugmentationRecipe::default()
    }

    /// What training reads of a page beside its rows, which are appended to `values`.
    fn training_inputs(
        &self,
        features: &FeatureSet,
        context: PageContext<'_>,
        values: Option<&mut Vec<f32>>,
    ) -> TrainingInputs {
        if let Some(values) = values {
            let matrix = features.extract(&context);
            values.reserve_exact(matrix.values().len());
            matrix.values().rows().into_iter().for_each(|row| values.extend(row));
        }
        TrainingInputs {
            terms: terms_of(features, &context),
            metadata: if self.reads_article_metadata(features) {
                context.article_metadata().clone()
            } else {
                ArticleMetadata::new()
            },
            keys: if features.needs_crawl() { block_keys(context.blocks) } else { Vec::new() },
        }
    }

    /// Whether article metadata are needed: policy overrides and some columns read them.
    fn reads_article_metadata(&self, features: &FeatureSet) -> bool {
        self.recipe.policy.vary || reads_article_metadata(features.names())
    }

    /// The further example of the page; `None` for most pages.
    fn generate(&self, page_type: Option<&str>, page: &Source<'_>) -> Option<Box<Generated>> {
        let features = self.features?;
        let plan = Plan::of(page.hash, page_type, &self.recipe.augmentation)?;
        let generator = Generator { recipe: self.recipe, parts: self.parts, features };
        generator.generate(page, &plan).map(Box::new)
    }

    /// The rows of a page without attributes, if it is trained on without them. The blocks are the same; every
    /// `<a>` is a link.
    fn rows_without_attributes(&self, doc: &Document, hash: &[u8; 32], policy: Policy) -> Option<Vec<f32>> {
        let share = self.recipe.augmentation.without_attributes;
        let features = self.features.filter(|_| is_drawn(Draw::WithoutAttributes.of(hash), share))?;
        let mut doc = doc.clone();
        doc.drop_attributes();
        let blocks = Blocks::of(&doc, self.parts.segmentation, self.recipe.visibility());
        let matrix = features.extract(&PageContext::new(&doc, &blocks).under(policy));
        let mut rows = Vec::with_capacity(matrix.values().len());
        matrix.values().rows().into_iter().for_each(|row| rows.extend(row));
        Some(rows)
    }
}

/// A page and its blocks, before its rows are known.
struct Parsed {
    bytes: Vec<u8>,
    options: ParseOptions,
    doc: Document,
    blocks: Blocks,
    /// Hash of the page and of its geometry.
    hash: [u8; 32],
    gold_hash: [u8; 32],
    /// Key in the cache.
    key: Key,
}

/// The site that a page states or that its address has; else a site of its own.
fn site(set: usize, page: &GoldPage, url: Option<&str>) -> String {
    let known = page.site.clone().or_else(|| url.and_then(site_of));
    known.unwrap_or_else(|| unknown_site(set, &page.id))
}

/// What training reads of a page beside its rows; see [`CorpusPage`].
#[derive(Default)]
struct TrainingInputs {
    terms: BTreeMap<&'static str, Terms>,
    metadata: ArticleMetadata,
    keys: Vec<u64>,
}

/// The alignment of a page's blocks with its gold, and the gold as text. `known` has the alignment with a gold
/// text, if the cache has it; it is set to this alignment.
fn align(
    gold: Option<&Gold>,
    known: &mut Option<Alignment>,
    doc: &Document,
    blocks: &Blocks,
) -> (Alignment, Option<String>) {
    // a page without any label has no gold; nobody annotated it
    let is_unlabelled = matches!(gold, Some(Gold::InPage(_))) && doc.labels().is_empty();
    let Some(gold) = gold.filter(|_| !is_unlabelled) else { return (Alignment::without_gold(blocks), None) };
    match (gold, known.take()) {
        (Gold::Text { text, .. }, Some(alignment)) => {
            *known = Some(alignment.clone());
            (alignment, Some(text.clone()))
        }
        (gold, _) => {
            let (alignment, text) = Alignment::of_gold(doc, blocks, gold);
            *known = matches!(gold, Gold::Text { .. }).then(|| alignment.clone());
            (alignment, Some(text))
        }
    }
}

/// The markup of a gold text.
fn markup_of(gold: &Gold) -> Option<String> {
    match gold {
        Gold::Text { markup, .. } => markup.clone(),
        Gold::InPage(_) => None,
    }
}

/// Hash of the part of a page's gold that is not in the page's bytes.
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

/// Terms of a page for each learned family, by family name.
pub(crate) fn terms_of(features: &FeatureSet, page: &PageContext<'_>) -> BTreeMap<&'static str, Terms> {
    let of_family = |f: &&'static dyn Family| Some((f.name(), f.learner()?.terms(page)));
    features.learned_families().iter().filter_map(of_family).collect()
}

/// Blocks that are not trained on: with `masks_repeats`, boilerplate blocks with the text of a content block.
pub(crate) fn masked(blocks: &Blocks, labels: &[bool], masks_repeats: bool) -> Vec<bool> {
    if !masks_repeats {
        return vec![false; labels.len()];
    }
    let kept: FxHashSet<&str> = (0..blocks.len()).filter(|&i| labels[i]).map(|i| blocks.text(i)).collect();
    (0..blocks.len()).map(|i| !labels[i] && kept.contains(blocks.text(i))).collect()
}
