//! Generates a further example of a training page: plans it, builds the page, and labels its blocks.

use crate::augmentation::insertions::Insertion;
use crate::augmentation::phrases::Phrases;
use crate::augmentation::replacements::Replacement;
use crate::augmentation::text_generator::TextGenerator;
use crate::augmentation::{Draw, is_drawn};
use crate::example::Example;
use crate::page_reader::{masked, terms_of};
use std::collections::BTreeMap;
use threshr_core::policy::{Policy, property};
use threshr_extract::recipe::Parts;
use threshr_extract::recipe::{AugmentationRecipe, Recipe};
use threshr_features::{FeatureSet, PageContext, Terms, block_keys, in_comments};
use threshr_html as page;
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_html::text::tokens;
use threshr_html::{Document, Tag};

/// A generated example.
#[derive(Debug)]
pub(crate) struct Generated {
    /// Label of each block.
    pub labels: Vec<bool>,
    /// Blocks that are not trained on.
    pub masked: Vec<bool>,
    /// Tokens of each block.
    pub num_tokens: Vec<u32>,
    /// Class of each block's gold paragraph, where known.
    pub class: Vec<Option<ParagraphClass>>,
    /// Feature rows, until they move into the corpus's matrix.
    pub values: Vec<f32>,
    /// Terms of learned families, by family name.
    pub terms: BTreeMap<&'static str, Terms>,
    /// Keys of the blocks' texts; empty if no column compares pages of a site.
    pub keys: Vec<u64>,
}

impl Generated {
    /// What training reads beside the rows.
    pub(crate) fn example(&self) -> Example<'_> {
        let Generated { labels, masked, num_tokens, class, .. } = self;
        Example { labels, masked, num_tokens, class, weight: WEIGHT }
    }
}

/// Weight of a generated example. It is below 1 because the example repeats much of its page.
const WEIGHT: f64 = 0.5;
/// Larger pages get no generated example: they cost most time and every page has the same weight.
const MAX_BLOCKS: usize = 300;
/// Of 256 pages, the number on which comments are content, whatever the set's policy.
const COMMENTS_COUNT: u8 = 96;
/// Of 256 pages with inserted stories, the number on which stories are content, whatever the set's policy.
const STORIES_COUNT: u8 = 12;
/// A block of boilerplate with fewer tokens is never taken for a headline of another story.
const MIN_TEASER_TOKENS: u32 = 4;
/// Page types that get insertions. On other types, comments or lists of stories are the content.
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

/// What a generated example changes of its page.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Plan {
    /// What becomes of the content. A page that does not allow it keeps its content.
    pub content: ContentChange,
    /// What is inserted beside content that is not replaced.
    pub insertions: Vec<Insertion>,
}

/// What becomes of the content.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum ContentChange {
    /// It stays.
    #[default]
    None,
    /// Other content replaces it.
    Replaced(Replacement),
}

impl Plan {
    /// The plan for a page, drawn by the hash of the page's bytes. `None`: the page gets no generated
    /// example.
    pub(crate) fn of(hash: &[u8; 32], page_type: Option<&str>, recipe: &AugmentationRecipe) -> Option<Self> {
        let mut plan = Plan::default();
        let is_article = page_type.is_none_or(|t| t == "article");
        if is_article && is_drawn(Draw::IsReplaced.of(hash), recipe.replace_content) {
            plan.content = ContentChange::Replaced(match Draw::Replacement.of(hash) {
                0..100 => Replacement::Entries,
                100..170 => Replacement::Thread,
                _ => Replacement::Parts,
            });
        }
        if page_type.is_none_or(|t| TYPES_WITH_INSERTIONS.contains(&t)) {
            let all = [
                (Insertion::Stories, recipe.insert_stories, Draw::Stories),
                (Insertion::Comments, recipe.insert_comments, Draw::Comments),
            ];
            let drawn = all.into_iter().filter(|&(_, share, draw)| is_drawn(draw.of(hash), share));
            plan.insertions = drawn.map(|a| a.0).collect();
        }
        (plan != Plan::default()).then_some(plan)
    }
}

/// The page that an example is generated from.
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

/// Where a block of a generated page comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Origin {
    /// The block of the source page with this index.
    Source(usize),
    /// An insertion.
    Inserted(Insertion),
    /// The replacement of the content.
    Replacement,
}

impl Origin {
    /// Index of the block in the source page.
    fn source(self) -> Option<usize> {
        if let Origin::Source(index) = self { Some(index) } else { None }
    }
}

/// A generated page with the origin of each block.
pub(crate) struct GeneratedPage {
    pub doc: Document,
    pub blocks: Blocks,
    pub origin: Vec<Origin>,
}

impl Generator<'_> {
    /// The example that follows the plan; `None` where the page allows none.
    pub(crate) fn generate(&self, page: &Source<'_>, plan: &Plan) -> Option<Generated> {
        // inserted elements have no geometry
        if page.blocks.len() > MAX_BLOCKS || page.doc.geometry().is_some() {
            return None;
        }
        let seed = page.hash[8..16].try_into().map_or(0, u64::from_le_bytes);
        let mut text = TextGenerator::new(seed, page.gold, page.lang)?;
        let generated = self.page(page, plan, &mut text)?;
        Some(self.label(page, generated, text.phrases))
    }

    /// The page that the plan gives.
    fn page(&self, page: &Source<'_>, plan: &Plan, text: &mut TextGenerator<'_>) -> Option<GeneratedPage> {
        let changed = match plan.content {
            ContentChange::None => None,
            ContentChange::Replaced(replacement) => self.with_replacement(page, replacement, text),
        };
        // a replacement gets no insertions: comments or stories may be part of it
        match changed {
            Some(replaced) if replaced.origin.contains(&Origin::Replacement) => Some(replaced),
            changed => self.with_insertions(page, changed, &plan.insertions, text),
        }
    }

    /// The rows, labels and masks of a generated page.
    fn label(&self, page: &Source<'_>, generated: GeneratedPage, phrases: &Phrases) -> Generated {
        let GeneratedPage { mut doc, mut blocks, origin } = generated;
        let policy = policy_of(page, &origin);
        let added = |name: &str| property(name).is_ok_and(|p| policy.has(p) && !page.policy.has(p));
        // the page's annotators left out its own comments and teasers, which the new policy may count
        let may_be_comments = if added("comments") {
            in_comments(&PageContext::without_words(&doc, &blocks))
        } else {
            vec![false; blocks.len()]
        };
        let may_be_teasers = added("teasers");
        let without_attributes = self.recipe.augmentation.without_attributes;
        // inserted links have addresses; on a page whose links have none they would be the only links
        if is_drawn(Draw::GeneratedWithoutAttributes.of(page.hash), without_attributes)
            || page.doc.has_bare_links()
        {
            doc.drop_attributes();
            blocks = self.blocks_of(&doc);
        }
        // the article body in JSON-LD has the same sentences as the generated HTML, so it is not read
        let context = PageContext::new(&doc, &blocks).under(policy).without_body();
        let labels = labels(page, policy, &origin);
        let num_tokens = |(i, o): (usize, &Origin)| {
            o.source().map_or_else(|| tokens(blocks.text(i)).len() as u32, |i| page.num_tokens[i])
        };
        let num_tokens: Vec<u32> = origin.iter().enumerate().map(num_tokens).collect();
        // content that is replaced
        let mut is_gone = page.labels.to_vec();
        origin.iter().filter_map(|o| o.source()).for_each(|i| is_gone[i] = false);
        let (first, last) = (is_gone.iter().position(|&g| g), is_gone.iter().rposition(|&g| g));
        // date lines of generated posts and stories may be detected as the byline, against the generated
        // label
        let metadata = context.article_metadata();
        let contradicts_metadata =
            |i: usize| metadata.iter().any(|m| m.0 as usize == i && policy.has(m.1) != labels[i]);
        let is_ambiguous = |i: usize, o: &Origin| match *o {
            Origin::Source(index) => {
                // between pieces of the changed content: boilerplate, or a heading that the set leaves out
                let is_between = !labels[i] && Some(index) > first && Some(index) < last;
                is_between
                    || may_be_teasers && !labels[i] && num_tokens[i] >= MIN_TEASER_TOKENS
                    || may_be_comments[i] && !labels[i]
            }
            Origin::Replacement => phrases.is_button(blocks.text(i)) || contradicts_metadata(i),
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
            values: self.features.extract(&context).values().iter().copied().collect(),
            terms: terms_of(self.features, &context),
            keys: if self.features.needs_crawl() { block_keys(&blocks) } else { Vec::new() },
        }
    }

    /// Parses generated HTML. The wrapper that the whole page had in `original` is kept.
    pub(crate) fn parse(&self, html: &str, original: &Document) -> (Document, Blocks) {
        let options = self.recipe.parse_options(Some("utf-8".to_owned()), None);
        let mut doc = page::parse(html.as_bytes(), &options);
        let blocks = self.blocks_of(&doc);
        doc.wrapper.clone_from(&original.wrapper);
        (doc, blocks)
    }

    fn blocks_of(&self, doc: &Document) -> Blocks {
        Blocks::of(doc, self.parts.segmentation, self.recipe.visibility())
    }
}

/// Number of blocks that `new` has in addition to the blocks `kept` of `old`. They must follow the first
/// `before` blocks of `kept`. `None` if there are none, or if kept blocks changed or disappeared.
pub(crate) fn num_added(old: &Blocks, kept: &[usize], new: &Blocks, before: usize) -> Option<usize> {
    let added = new.len().checked_sub(kept.len()).filter(|&n| n > 0)?;
    let same = |(k, &i): (usize, &usize)| old.text(i) == new.text(if k < before { k } else { k + added });
    kept.iter().enumerate().all(same).then_some(added)
}

/// Labels of the blocks of a generated page.
fn labels(page: &Source<'_>, policy: Policy, origin: &[Origin]) -> Vec<bool> {
    let has = |name: &str| property(name).is_ok_and(|p| policy.has(p));
    let (has_comments, has_teasers) = (has("comments"), has("teasers"));
    let label = |o: &Origin| match *o {
        Origin::Source(i) => page.labels[i],
        Origin::Inserted(Insertion::Comments) => has_comments,
        Origin::Inserted(Insertion::Stories) => has_teasers,
        Origin::Replacement => true,
    };
    origin.iter().map(label).collect()
}

/// The policy of a generated page.
fn policy_of(page: &Source<'_>, origin: &[Origin]) -> Policy {
    let with = |policy: Policy, name: &str| property(name).map_or(policy, |p| policy.with(p, true));
    if origin.contains(&Origin::Replacement) {
        // a replacement is content with all its headings, posts, entries and short pieces
        return ["headings", "posts", "items", "fragments"].into_iter().fold(page.policy, with);
    }
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
