//! Reading one annotated page: its blocks, labels and rows.

use crate::Alignment;
use crate::augmentation::{Draw, Generated, Generator, Plan, Source, is_drawn};
use crate::cache::{self, Cache, Key};
use crate::corpus::{CorpusPage, Needs, site_of_its_own};
use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use threshr_core::Result;
use threshr_core::policy::{Policy, PolicyChoice};
use threshr_extract::recipe::{AugmentationRecipe, Parts, Recipe};
use threshr_features::{
    ArticleMetadata, Family, FeatureSet, PageContext, Terms, block_keys, reads_article_metadata,
};
use threshr_html::blocks::Blocks;
use threshr_html::{self as html, Document, geometry_path};
use threshr_io::gold::{Gold, GoldPage, read_bytes};
use threshr_io::{read_geometry, site_of};

/// How pages are read.
pub(crate) struct PageReader<'a> {
    pub recipe: &'a Recipe,
    pub parts: &'a Parts,
    pub features: Option<&'a FeatureSet>,
    pub needs: Needs,
    pub cache: Option<&'a Cache>,
}

/// A page that was read.
pub(crate) struct Read {
    pub page: CorpusPage,
    pub extracted: cache::Entry,
    pub key: Key,
    pub is_cached: bool,
    /// Its rows as if it had no attributes, where it is learned from so.
    pub without_attributes: Option<Vec<f32>>,
}

impl PageReader<'_> {
    /// Reads a page of the set with the index `set`.
    ///
    /// # Errors
    /// Where a file cannot be read, with its path.
    pub fn page(&self, set: usize, page: &GoldPage, policy: PolicyChoice) -> Result<Read> {
        let &PageReader { recipe, parts, features, needs, cache } = self;
        let bytes = read_bytes(&page.path)?;
        let options = recipe.parse_options(page.charset.clone(), page.annotation());
        let mut doc = html::parse(&bytes, &options);
        let geometry = read_geometry(&page.path)?.unwrap_or_default();
        if !geometry.is_empty() {
            doc.attach_geometry(&geometry).map_err(|e| e.at_path(geometry_path(&page.path)))?;
        }
        let blocks = Blocks::of(&doc, parts.segmentation, recipe.visibility());
        let hash: [u8; 32] = Sha256::new().chain_update(&bytes).chain_update(&geometry).finalize().into();
        let gold_hash = hash_of_gold(page.gold.as_ref());
        // all that rows and alignment depend on; the columns are in the cache's head
        let gold_length = match &page.gold {
            Some(Gold::Text { text, markup }) => Some((text.len(), markup.as_ref().map(String::len))),
            _ => None,
        };
        let lengths = (bytes.len(), geometry.len(), gold_length);
        let others = (&options.charset, policy, parts.segmentation.name, &recipe.page);
        let key = Sha256::new().chain_update(hash).chain_update(gold_hash);
        let key: Key = key.chain_update(format!("{lengths:?} {others:?}")).finalize().into();
        let found = cache.and_then(|cache| cache.find(&key, blocks.len()));
        let is_cached = found.is_some();
        let mut extracted = found.unwrap_or_default();
        let (alignment, gold) = match (&page.gold, extracted.alignment.take()) {
            (None, _) => (Alignment::without_gold(&blocks), None),
            (Some(Gold::Text { text, .. }), Some(alignment)) => (alignment, Some(text.clone())),
            (Some(gold), _) => {
                let (alignment, text) = Alignment::of_gold(&doc, &blocks, gold);
                (alignment, Some(text))
            }
        };
        let gold_markup = match &page.gold {
            Some(Gold::Text { markup, .. }) => {
                extracted.alignment = cache.is_some().then(|| alignment.clone());
                markup.clone()
            }
            _ => None,
        };
        let mut seen = Seen::default();
        let looked_at = features.filter(|f| !is_cached || self.needs_more_than_rows(f));
        // the same whether rows come from a cache or not
        let own_policy = match looked_at {
            None => {
                let context = LazyCell::new(|| PageContext::without_words(&doc, &blocks));
                let own_policy = policy.of_page(|| context.is_running_text());
                if features.is_some_and(|f| self.reads_article_metadata(f)) {
                    seen.metadata = context.article_metadata().clone();
                }
                own_policy
            }
            Some(features) => {
                let values = (!is_cached).then_some(&mut extracted.values);
                let context = PageContext::new(&doc, &blocks).under(policy);
                let own_policy = context.policy;
                seen = self.look(features, context, values);
                own_policy
            }
        };
        // not kept in a cache: few pages have it
        let mut without_attributes = None;
        if let Some(features) = features
            .filter(|_| is_drawn(Draw::WithoutAttributes.of(&hash), recipe.augmentation.without_attributes))
        {
            without_attributes = Some(self.rows_without_attributes(features, doc.clone(), own_policy));
        }
        let Seen { terms, metadata, keys } = seen;
        let labels = alignment.labels(recipe.labels.threshold);
        let masked = masked(&blocks, &labels, recipe.labels.mask_repeats);
        let generated = features.zip(gold.as_deref()).and_then(|(features, gold)| {
            let lang = page.lang.as_deref().or_else(|| doc.language()).unwrap_or("en");
            self.generate(
                features,
                page.page_type.as_deref(),
                &Source {
                    doc: &doc,
                    blocks: &blocks,
                    labels: &labels,
                    num_tokens: &alignment.num_tokens,
                    class: &alignment.class,
                    gold,
                    lang,
                    hash: &hash,
                    policy: own_policy,
                },
            )
        });
        let url = page.url.clone().or_else(|| doc.url());
        if !needs.attributes {
            doc.drop_attributes();
        }
        let site = page.site.clone().or_else(|| url.as_deref().and_then(site_of));
        let site = site.unwrap_or_else(|| site_of_its_own(set, &page.id));
        let page = CorpusPage {
            id: page.id.clone(),
            set,
            site,
            url,
            lang: page.lang.clone(),
            page_type: page.page_type.clone(),
            labels,
            masked,
            doc,
            html: needs.html.then(|| html::plain_html(&bytes, &options)),
            blocks,
            gold,
            gold_markup,
            snippets: page.snippets.clone(),
            alignment,
            policy: own_policy,
            left_out: policy.left_out(own_policy),
            metadata,
            is_without_attributes: without_attributes.is_some(),
            generated,
            terms,
            keys,
            num_bytes: bytes.len(),
            hash,
            gold_hash,
        };
        Ok(Read { page, extracted, key, is_cached, without_attributes })
    }

    fn needs_more_than_rows(&self, features: &FeatureSet) -> bool {
        !features.learned_families().is_empty()
            || features.needs_crawl()
            || self.recipe.policy.vary
            || self.recipe.augmentation != AugmentationRecipe::default()
    }

    /// What training needs of a page; its rows are appended to `values`, where there is such a list.
    fn look(&self, features: &FeatureSet, context: PageContext<'_>, values: Option<&mut Vec<f32>>) -> Seen {
        if let Some(values) = values {
            let matrix = features.extract(&context);
            values.reserve_exact(matrix.values().len());
            matrix.values().rows().into_iter().for_each(|row| values.extend(row));
        }
        Seen {
            terms: terms_of(features, &context),
            metadata: if self.reads_article_metadata(features) {
                context.article_metadata().clone()
            } else {
                ArticleMetadata::new()
            },
            keys: if features.needs_crawl() { block_keys(context.blocks) } else { Vec::new() },
        }
    }

    /// Whether told blocks are needed: where they are switched, or seen by the model apart from others.
    fn reads_article_metadata(&self, features: &FeatureSet) -> bool {
        self.recipe.policy.vary || reads_article_metadata(features.names())
    }

    /// The further example that is generated from the page, if there is one.
    fn generate(
        &self,
        features: &FeatureSet,
        page_type: Option<&str>,
        page: &Source<'_>,
    ) -> Option<Box<Generated>> {
        // most pages get none
        let plan = Plan::of(page.hash, page_type, &self.recipe.augmentation)?;
        let generator = Generator { recipe: self.recipe, parts: self.parts, features };
        generator.generate(page, &plan).map(Box::new)
    }

    /// The rows of a page as if it had no attributes: the same blocks, every `<a>` a link.
    fn rows_without_attributes(&self, features: &FeatureSet, mut doc: Document, policy: Policy) -> Vec<f32> {
        doc.drop_attributes();
        let blocks = Blocks::of(&doc, self.parts.segmentation, self.recipe.visibility());
        let matrix = features.extract(&PageContext::new(&doc, &blocks).under(policy));
        let mut rows = Vec::with_capacity(matrix.values().len());
        matrix.values().rows().into_iter().for_each(|row| rows.extend(row));
        rows
    }
}

/// What training needs of a page, beside its rows; see [`CorpusPage`].
#[derive(Default)]
struct Seen {
    terms: BTreeMap<&'static str, Terms>,
    metadata: ArticleMetadata,
    keys: Vec<u64>,
}

/// Hash of a page's gold, as far as it does not stand in the page's own bytes.
fn hash_of_gold(gold: Option<&Gold>) -> [u8; 32] {
    let mut hash = Sha256::new();
    match gold {
        None => {}
        Some(Gold::Text { text, markup }) => {
            hash.update(text);
            hash.update(markup.as_deref().unwrap_or("\0"));
        }
        // the labels are part of the bytes
        Some(Gold::InPage(annotation)) => hash.update(annotation.id()),
    }
    hash.finalize().into()
}

/// What every learned family of a set sees of a page, by their names.
pub(crate) fn terms_of(features: &FeatureSet, page: &PageContext<'_>) -> BTreeMap<&'static str, Terms> {
    let of_family = |f: &&'static dyn Family| Some((f.name(), f.learner()?.terms(page)));
    features.learned_families().iter().filter_map(of_family).collect()
}

/// Blocks that are not trained on: where `masks_repeats`, boilerplate with the text of a content block.
pub(crate) fn masked(blocks: &Blocks, labels: &[bool], masks_repeats: bool) -> Vec<bool> {
    if !masks_repeats {
        return vec![false; labels.len()];
    }
    let kept: FxHashSet<&str> = (0..blocks.len()).filter(|&i| labels[i]).map(|i| blocks.text(i)).collect();
    (0..blocks.len()).map(|i| !labels[i] && kept.contains(blocks.text(i))).collect()
}
