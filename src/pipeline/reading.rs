//! Reading one annotated page: its blocks, labels and rows.

use super::cache::{self, Cache, Key};
use super::corpus::{CorpusPage, Needs, site_of_its_own};
use super::recipe::Parts;
use super::variants::{self, Draw, Growing, Grown, Growth, Original};
use super::{Recipe, VariantRecipe};
use crate::block::Blocks;
use crate::error::Result;
use crate::features::{Family, FeatureMatrix, FeatureSet, PageContext, Terms, Told, asks_told, block_keys};
use crate::gold::{Alignment, Gold, GoldPage, read_bytes, site_of};
use crate::page::{self, Document};
use crate::policy::{Policy, PolicyChoice};
use crate::rescore::Structure;
use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::Path;

/// How pages are read.
pub(super) struct Reading<'a> {
    pub recipe: &'a Recipe,
    pub parts: &'a Parts,
    pub features: Option<&'a FeatureSet>,
    pub needs: Needs,
    pub cache: Option<&'a Cache>,
}

/// A page that was read.
pub(super) struct Read {
    pub page: CorpusPage,
    pub extracted: cache::Entry,
    pub key: Key,
    pub is_cached: bool,
}

impl Reading<'_> {
    /// Reads a page of the set with the index `set`.
    ///
    /// # Errors
    /// Where a file cannot be read, with its path.
    pub fn page(&self, set: usize, page: &GoldPage, policy: PolicyChoice) -> Result<Read> {
        let &Reading { recipe, parts, features, needs, cache } = self;
        let bytes = read_bytes(&page.path)?;
        let options = recipe.parse_options(page.charset.clone(), page.annotation());
        let mut doc = page::parse(&bytes, &options);
        let geometry = read_geometry(&page.path, &mut doc)?.unwrap_or_default();
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
                if features.is_some_and(|f| self.asks_told(f)) {
                    seen.told = context.told().clone();
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
        if let Some(features) =
            features.filter(|_| variants::is_drawn(Draw::Bare.of(&hash), recipe.variants.bare))
        {
            seen.bare = Some(self.look_without_attributes(features, doc.clone(), own_policy));
        }
        let Seen { terms, structure, told, bare, keys } = seen;
        let labels = alignment.labels(recipe.labels.threshold);
        let masked = masked(&blocks, &labels, recipe.labels.mask_repeats);
        let grown = features.zip(gold.as_deref()).and_then(|(features, gold)| {
            let lang = page.lang.as_deref().or_else(|| doc.language()).unwrap_or("en");
            self.grow(
                features,
                page.page_type.as_deref(),
                &Original {
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
            html: needs.html.then(|| page::plain_html(&bytes, &options)),
            blocks,
            gold,
            gold_markup,
            snippets: page.snippets.clone(),
            alignment,
            policy: own_policy,
            left_out: policy.left_out(own_policy),
            told,
            bare,
            grown,
            terms,
            keys,
            structure,
            num_bytes: bytes.len(),
            hash,
            gold_hash,
        };
        Ok(Read { page, extracted, key, is_cached })
    }

    fn needs_more_than_rows(&self, features: &FeatureSet) -> bool {
        !features.learned_families().is_empty()
            || features.needs_crawl()
            || self.recipe.policy.switch
            || self.recipe.variants != VariantRecipe::default()
            || self.parts.rescore.is_some()
    }

    /// What training needs of a page; its rows are appended to `values`, where there is such a list.
    fn look(&self, features: &FeatureSet, context: PageContext<'_>, values: Option<&mut Vec<f32>>) -> Seen {
        if let Some(values) = values {
            let matrix = features.extract(&context);
            values.reserve_exact(matrix.values().len());
            matrix.values().rows().into_iter().for_each(|row| values.extend(row));
        }
        let rescores = self.parts.rescore.is_some();
        Seen {
            terms: terms_of(features, &context),
            structure: if rescores { Structure::of(&context) } else { Structure::default() },
            told: if self.asks_told(features) { context.told().clone() } else { Told::new() },
            bare: None,
            keys: if features.needs_crawl() { block_keys(context.blocks) } else { Vec::new() },
        }
    }

    /// Whether told blocks are needed: where they are switched, or seen by the model apart from others.
    fn asks_told(&self, features: &FeatureSet) -> bool {
        self.recipe.policy.switch || asks_told(features.names())
    }

    /// The form of the page that is learned from beside it, if there is one.
    fn grow(
        &self,
        features: &FeatureSet,
        page_type: Option<&str>,
        page: &Original<'_>,
    ) -> Option<Box<Grown>> {
        // most pages are not to grow
        let growth = Growth::of(page.hash, page_type, &self.recipe.variants)?;
        let growing = Growing { recipe: self.recipe, parts: self.parts, features };
        growing.grow(page, &growth).map(Box::new)
    }

    /// The rows of a page as if it had no attributes: the same blocks, every `<a>` a link.
    fn look_without_attributes(
        &self,
        features: &FeatureSet,
        mut doc: Document,
        policy: Policy,
    ) -> FeatureMatrix {
        doc.drop_attributes();
        let blocks = Blocks::of(&doc, self.parts.segmentation, self.recipe.visibility());
        features.extract(&PageContext::new(&doc, &blocks).under(policy))
    }
}

/// What training needs of a page, beside its rows; see [`CorpusPage`].
#[derive(Default)]
struct Seen {
    terms: BTreeMap<&'static str, Terms>,
    structure: Structure,
    told: Told,
    bare: Option<FeatureMatrix>,
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

/// Reads the geometry file beside a page into its document, where there is one; also gives the file's bytes.
///
/// # Errors
/// Where the file cannot be read, with its path.
pub fn read_geometry(page: &Path, doc: &mut Document) -> Result<Option<Vec<u8>>> {
    let path = page::geometry_path(page);
    if !path.is_file() {
        return Ok(None);
    }
    let bytes = read_bytes(&path)?;
    doc.attach_geometry(&bytes).map_err(|e| e.at_path(&path))?;
    Ok(Some(bytes))
}

/// What every learned family of a set sees of a page, by their names.
pub(super) fn terms_of(features: &FeatureSet, page: &PageContext<'_>) -> BTreeMap<&'static str, Terms> {
    let of_family = |f: &&'static dyn Family| Some((f.name(), f.learner()?.terms(page)));
    features.learned_families().iter().filter_map(of_family).collect()
}

/// Blocks that are not trained on: where `masks_repeats`, boilerplate with the text of a content block.
pub(super) fn masked(blocks: &Blocks, labels: &[bool], masks_repeats: bool) -> Vec<bool> {
    if !masks_repeats {
        return vec![false; labels.len()];
    }
    let kept: FxHashSet<&str> = (0..blocks.len()).filter(|&i| labels[i]).map(|i| blocks.text(i)).collect();
    (0..blocks.len()).map(|i| !labels[i] && kept.contains(blocks.text(i))).collect()
}
