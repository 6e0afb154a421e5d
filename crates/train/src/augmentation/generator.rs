//! Generates an additional training example from a page: selects the changes, builds the page, labels its
//! blocks.

use crate::augmentation::insertions::Insertion;
use crate::augmentation::text_generator::TextGenerator;
use crate::augmentation::{Draw, is_drawn};
use crate::labels::example::Example;
use crate::labels::masked;
use crate::view::learned_columns::{rows_of, terms_of};
use std::collections::BTreeMap;
use threshr_core::policy::{Policy, property};
use threshr_extract::recipe::Parts;
use threshr_extract::recipe::{AugmentationRecipe, Recipe};
use threshr_features::{FeatureSet, PageContext, Terms, block_keys, in_comments};
use threshr_html as page;
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_html::text::tokens;
use threshr_html::{Document, ParseOptions, Tag};

/// A generated example.
#[derive(Debug)]
pub(crate) struct Generated {
    /// Label of each block.
    pub labels: Vec<bool>,
    /// Blocks that are excluded from training.
    pub masked: Vec<bool>,
    /// Number of tokens of each block.
    pub num_tokens: Vec<u32>,
    /// Class of each block's gold paragraph, if known.
    pub class: Vec<Option<ParagraphClass>>,
    /// Feature rows, until they are moved into the stored rows of the corpus.
    pub values: Vec<f32>,
    /// Terms of learned families, by family name.
    pub terms: BTreeMap<&'static str, Terms>,
    /// Hash keys of the block texts. Empty if no column compares the pages of a site.
    pub keys: Vec<u64>,
}

impl Generated {
    /// Returns the labels and weights of the example.
    pub(crate) fn example(&self) -> Example<'_> {
        let Generated { labels, masked, num_tokens, class, .. } = self;
        Example { labels, masked, num_tokens, class, share: None, weight: WEIGHT }
    }
}

/// Weight of a generated example. It is below 1 because the example repeats much of its page.
const WEIGHT: f64 = 0.5;
/// Maximum number of blocks of a page from which an example is generated. Larger pages would take most of the time,
/// although each page has the same weight in training.
const MAX_BLOCKS: usize = 300;
/// Number of pages, of 256, whose policy is changed so that comments are content.
const COMMENTS_COUNT: u8 = 96;
/// Number of pages, of 256 with inserted stories, whose policy is changed so that stories are content.
const STORIES_COUNT: u8 = 12;
/// Minimum number of tokens for a boilerplate block to be treated as a possible headline of another story.
const MIN_TEASER_TOKENS: u32 = 4;
/// Page types that get insertions. On pages of other types, comments or lists of stories may be the content.
const TYPES_WITH_INSERTIONS: &[&str] = &["article", "documentation", "service"];
/// Elements that may contain inserted HTML.
pub(crate) const CONTAINERS: &[Tag] = &[
    Tag::BODY,
    Tag::DIV,
    Tag::SECTION,
    Tag::ARTICLE,
    Tag::MAIN,
    Tag::TD,
    Tag::LI,
    Tag::CENTER,
    Tag::FORM,
    Tag::BLOCKQUOTE,
];

/// Selects the insertions of a page, based on the hash of the page's bytes. A page without insertions gets no
/// generated example.
pub(crate) fn insertions(
    hash: &[u8; 32],
    page_type: Option<&str>,
    recipe: &AugmentationRecipe,
) -> Vec<Insertion> {
    if page_type.is_some_and(|t| !TYPES_WITH_INSERTIONS.contains(&t)) {
        return Vec::new();
    }
    let all = [
        (Insertion::Stories, recipe.insert_stories, Draw::Stories),
        (Insertion::Comments, recipe.insert_comments, Draw::Comments),
    ];
    let drawn = all.into_iter().filter(|&(_, share, draw)| is_drawn(draw.of(hash), share));
    drawn.map(|a| a.0).collect()
}

/// The source page of an example.
pub(crate) struct Source<'a> {
    pub doc: &'a Document,
    pub blocks: &'a Blocks,
    pub labels: &'a [bool],
    pub num_tokens: &'a [u32],
    pub class: &'a [Option<ParagraphClass>],
    /// Gold text.
    pub gold: &'a str,
    pub lang: &'a str,
    pub hash: &'a [u8; 32],
    pub policy: Policy,
}

/// Generates examples for a recipe.
pub(crate) struct Generator<'a> {
    pub recipe: &'a Recipe,
    pub parts: &'a Parts,
    pub features: &'a FeatureSet,
}

/// Origin of a block of a generated page.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Origin {
    /// Copied from the source page; the index is that of the source block.
    Source(usize),
    /// Part of an insertion.
    Inserted(Insertion),
}

impl Origin {
    /// Returns the index of the block in the source page.
    fn source(self) -> Option<usize> {
        if let Origin::Source(index) = self { Some(index) } else { None }
    }
}

/// A generated page, and the origin of each block.
pub(crate) struct GeneratedPage {
    pub doc: Document,
    pub blocks: Blocks,
    pub origin: Vec<Origin>,
}

impl Generator<'_> {
    /// Generates an example from a page. Returns `None` if the page is unsuitable, or if nothing can be inserted.
    pub(crate) fn generate(&self, page: &Source<'_>, insertions: &[Insertion]) -> Option<Generated> {
        // inserted elements have no geometry
        if insertions.is_empty() || page.blocks.len() > MAX_BLOCKS || page.doc.geometry().is_some() {
            return None;
        }
        let seed = page.hash[8..16].try_into().map_or(0, u64::from_le_bytes);
        let mut text = TextGenerator::new(seed, page.gold, page.lang)?;
        let generated = self.with_insertions(page, insertions, &mut text)?;
        Some(self.label(page, generated))
    }

    /// Computes rows, labels and masks of a generated page.
    fn label(&self, page: &Source<'_>, generated: GeneratedPage) -> Generated {
        let GeneratedPage { mut doc, mut blocks, origin } = generated;
        let policy = policy_of(page, &origin);
        let added = |name: &str| property(name).is_ok_and(|p| policy.has(p) && !page.policy.has(p));
        // if the new policy counts comments or teasers as content, the original comments and teasers of the
        // page may be mislabelled, because the annotators excluded them
        let may_be_comments = if added("comments") {
            in_comments(&PageContext::without_words(&doc, &blocks))
        } else {
            vec![false; blocks.len()]
        };
        let may_be_teasers = added("teasers");
        let without_attributes = self.recipe.augmentation.without_attributes;
        // inserted links have URLs; if the original links of the page have no attributes, the inserted links
        // would be the only links
        if is_drawn(Draw::GeneratedWithoutAttributes.of(page.hash), without_attributes)
            || page.doc.has_bare_links()
        {
            doc.drop_attributes();
            blocks = self.blocks_of(&doc);
        }
        // the article body in JSON-LD contains the same sentences as the generated HTML, so it is ignored
        let context = PageContext::new(&doc, &blocks).under(policy).without_body();
        let labels = labels(page, policy, &origin);
        let num_tokens = |(i, o): (usize, &Origin)| {
            o.source().map_or_else(|| tokens(blocks.text(i)).len() as u32, |i| page.num_tokens[i])
        };
        let num_tokens: Vec<u32> = origin.iter().enumerate().map(num_tokens).collect();
        // the date lines of generated posts and stories may be detected as the byline, which may contradict the
        // generated label
        let metadata = context.article_metadata();
        let contradicts_metadata =
            |i: usize| metadata.iter().any(|m| m.0 as usize == i && policy.has(m.1) != labels[i]);
        let is_ambiguous = |i: usize, o: &Origin| match *o {
            Origin::Source(_) => {
                let may_be_teaser = may_be_teasers && num_tokens[i] >= MIN_TEASER_TOKENS;
                !labels[i] && (may_be_teaser || may_be_comments[i])
            }
            Origin::Inserted(_) => contradicts_metadata(i),
        };
        let mut masked = masked(&blocks, &labels, self.recipe.labels.mask_repeats);
        masked.iter_mut().zip(&origin).enumerate().for_each(|(i, (masked, o))| *masked |= is_ambiguous(i, o));
        let class = |o: &Origin| o.source().and_then(|i| page.class.get(i).copied().flatten());
        Generated {
            masked,
            labels,
            num_tokens,
            class: origin.iter().map(class).collect(),
            values: rows_of(self.features, &context),
            terms: terms_of(self.features, &context),
            keys: if self.features.needs_crawl() { block_keys(&blocks) } else { Vec::new() },
        }
    }

    /// Parses generated HTML. If `original` has a wrapper around the whole page, the result has the same
    /// wrapper.
    pub(crate) fn parse(&self, html: &str, original: &Document) -> (Document, Blocks) {
        let charset = Some("utf-8".to_owned());
        let options = ParseOptions { charset, ..self.recipe.parse_options() };
        let mut doc = page::parse(html.as_bytes(), &options);
        let blocks = self.blocks_of(&doc);
        doc.wrapper.clone_from(&original.wrapper);
        (doc, blocks)
    }

    fn blocks_of(&self, doc: &Document) -> Blocks {
        Blocks::new(doc, self.parts.segmentation, self.recipe.visibility())
    }
}

/// Returns the number of blocks that `new` has in addition to those of `old`. The additional blocks must follow
/// the first `before` blocks. Returns `None` if there are no additional blocks, or if blocks changed or
/// disappeared.
pub(crate) fn num_added(old: &Blocks, new: &Blocks, before: usize) -> Option<usize> {
    let added = new.len().checked_sub(old.len()).filter(|&n| n > 0)?;
    let same = |i: usize| old.text(i) == new.text(if i < before { i } else { i + added });
    (0..old.len()).all(same).then_some(added)
}

/// Returns the labels of the blocks of a generated page.
fn labels(page: &Source<'_>, policy: Policy, origin: &[Origin]) -> Vec<bool> {
    let has = |name: &str| property(name).is_ok_and(|p| policy.has(p));
    let (has_comments, has_teasers) = (has("comments"), has("teasers"));
    let label = |o: &Origin| match *o {
        Origin::Source(i) => page.labels[i],
        Origin::Inserted(Insertion::Comments) => has_comments,
        Origin::Inserted(Insertion::Stories) => has_teasers,
    };
    origin.iter().map(label).collect()
}

/// Returns the policy of a generated page.
fn policy_of(page: &Source<'_>, origin: &[Origin]) -> Policy {
    let with = |policy: Policy, name: &str| property(name).map_or(policy, |p| policy.with(p, true));
    let mut policy = page.policy;
    if Draw::CommentsCount.of(page.hash) < COMMENTS_COUNT {
        policy = with(policy, "comments");
    }
    if origin.contains(&Origin::Inserted(Insertion::Stories))
        && Draw::StoriesCount.of(page.hash) < STORIES_COUNT
    {
        policy = with(policy, "teasers");
    }
    policy
}

#[cfg(test)]
mod tests;
