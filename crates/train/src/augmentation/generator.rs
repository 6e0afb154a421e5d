//! Training pages that are learned from a second time: with comments and other stories that they do not have, or with what pages
//! of other types hold.
//!
//! Few annotated pages have readers' comments or lists of other stories in their HTML, so that a model hardly learns what they
//! look like, least of all without telling names; on pages that it has not seen it then takes them for more of the article. So a
//! share of the pages is learned from a second time, with one or both added: their labels are known, as is what the policy says.

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

/// A page that has grown, as it is learned from.
#[derive(Debug)]
pub(crate) struct Generated {
    /// Of every block.
    pub labels: Vec<bool>,
    pub masked: Vec<bool>,
    pub num_tokens: Vec<u32>,
    pub class: Vec<Option<ParagraphClass>>,
    /// Its rows, until they are joined to the corpus's.
    pub values: Vec<f32>,
    /// What learned families see of it.
    pub terms: BTreeMap<&'static str, Terms>,
    /// What its blocks say; empty where no column asks for other pages of the site.
    pub keys: Vec<u64>,
}

impl Generated {
    /// What training looks at beside the rows.
    pub fn example(&self) -> Example<'_> {
        let Generated { labels, masked, num_tokens, class, .. } = self;
        Example { labels, masked, num_tokens, class, weight: WEIGHT }
    }
}

/// How much a grown page counts beside the page itself: much of it is the same, or made up.
const WEIGHT: f64 = 0.5;
/// Most blocks of a page that is grown: larger ones cost most and teach no more, as every page counts the same.
const MOST_BLOCKS: usize = 300;
/// Of 256 pages with comments, those on which these are content, whatever their set says.
const COMMENTS: u8 = 96;
/// Of 256 pages with stories, those on which these are content: more cost a little where they are not.
const TEASERS: u8 = 12;
/// Fewest tokens of a block that may be another page's headline.
const TEASER_TOKENS: u32 = 4;
/// Types of pages that comments and other stories stand on; on others they are more of the same.
const TYPES: &[&str] = &["article", "documentation", "service"];
/// Elements that something may be put into.
pub(crate) const HOLDERS: &[Tag] = &[
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
/// What a page is to grow by.
#[derive(Debug)]
pub(crate) enum Plan {
    /// What stands beside its content.
    Beside(Vec<Insertion>),
    /// What stands in place of it, and what beside it where nothing can.
    Instead(Replacement, Vec<Insertion>),
}

impl Plan {
    /// That of a page, by the hash of its bytes, so that no other page changes it; `None` where it is to stay as it is.
    pub fn of(hash: &[u8; 32], page_type: Option<&str>, recipe: &AugmentationRecipe) -> Option<Self> {
        let all = [
            (Insertion::Stories, recipe.insert_stories, Draw::Stories),
            (Insertion::Comments, recipe.insert_comments, Draw::Comments),
        ];
        let drawn = all.into_iter().filter(|&(_, share, draw)| is_drawn(draw.of(hash), share));
        let drawn: Vec<Insertion> = drawn.map(|a| a.0).collect();
        let is_article = page_type.is_none_or(|t| t == "article");
        if is_article && is_drawn(Draw::IsReplaced.of(hash), recipe.replace_content) {
            let replacement = match Draw::Replacement.of(hash) {
                0..100 => Replacement::Entries,
                100..170 => Replacement::Thread,
                _ => Replacement::Parts,
            };
            return Some(Plan::Instead(replacement, drawn));
        }
        if page_type.is_some_and(|t| !TYPES.contains(&t)) {
            return None;
        }
        (!drawn.is_empty()).then_some(Plan::Beside(drawn))
    }
}

/// A page that is to be grown.
pub(crate) struct Source<'a> {
    pub doc: &'a Document,
    pub blocks: &'a Blocks,
    pub labels: &'a [bool],
    pub num_tokens: &'a [u32],
    pub class: &'a [Option<ParagraphClass>],
    /// Its content.
    pub gold: &'a str,
    pub lang: &'a str,
    pub hash: &'a [u8; 32],
    pub policy: Policy,
}

/// How the grown page is read.
pub(crate) struct Generator<'a> {
    pub recipe: &'a Recipe,
    pub parts: &'a Parts,
    pub features: &'a FeatureSet,
}

/// Where a block of a grown page comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Origin {
    /// The page's block with this index.
    Own(usize),
    Added(Insertion),
    /// Of what stands in place of the content.
    Replacement,
}

/// A page that has grown, and where its blocks come from.
pub(crate) struct Read {
    pub doc: Document,
    pub blocks: Blocks,
    pub origin: Vec<Origin>,
}

impl Generator<'_> {
    /// The page grown as far as it can be; `None` where it cannot.
    pub fn generate(&self, page: &Source<'_>, growth: &Plan) -> Option<Generated> {
        // what is added was never drawn
        if page.blocks.len() > MOST_BLOCKS || page.doc.geometry().is_some() {
            return None;
        }
        let seed = page.hash[8..16].try_into().map_or(0, u64::from_le_bytes);
        let mut text = TextGenerator::new(seed, page.gold, page.lang)?;
        let grown = match growth {
            Plan::Beside(insertions) => self.with_insertions(page, insertions, &mut text)?,
            Plan::Instead(replacement, insertions) => {
                let grown = self.with_replacement(page, *replacement, &mut text);
                grown.or_else(|| self.with_insertions(page, insertions, &mut text))?
            }
        };
        Some(self.looked_at(page, grown, text.phrases))
    }

    /// The grown page with its rows and labels.
    fn looked_at(&self, page: &Source<'_>, grown: Read, phrases: &Phrases) -> Generated {
        let Read { mut doc, mut blocks, origin } = grown;
        let policy = policy_of(page, &origin);
        // what the page has of its own may be such, which its own policy left out
        let may_have_own = |name: &str| property(name).is_ok_and(|p| policy.has(p) && !page.policy.has(p));
        let may_be_comments = if may_have_own("comments") {
            in_comments(&PageContext::without_words(&doc, &blocks))
        } else {
            vec![false; blocks.len()]
        };
        let may_be_teasers = may_have_own("teasers");
        // insertions have addresses, beside which links that have lost theirs would be none
        if is_drawn(
            Draw::GeneratedWithoutAttributes.of(page.hash),
            self.recipe.augmentation.without_attributes,
        ) || page.doc.has_bare_links()
        {
            doc.drop_attributes();
            blocks = self.blocks_of(&doc);
        }
        // what is made of the page's sentences stands in the text that JSON-LD gives of it, too
        let context = PageContext::new(&doc, &blocks).under(policy).without_body();
        let has = |name: &str| property(name).is_ok_and(|p| policy.has(p));
        let (has_comments, has_teasers) = (has("comments"), has("teasers"));
        let label = |o: &Origin| match *o {
            Origin::Own(i) => page.labels[i],
            Origin::Added(Insertion::Comments) => has_comments,
            Origin::Added(Insertion::Stories) => has_teasers,
            Origin::Replacement => true,
        };
        let own = |o: &Origin| if let Origin::Own(i) = *o { Some(i) } else { None };
        let num_tokens = |(i, o): (usize, &Origin)| {
            own(o).map_or_else(|| tokens(blocks.text(i)).len() as u32, |i| page.num_tokens[i])
        };
        let labels: Vec<bool> = origin.iter().map(label).collect();
        let num_tokens: Vec<u32> = origin.iter().enumerate().map(num_tokens).collect();
        let is_replaced = origin.contains(&Origin::Replacement);
        let (first, last) = (page.labels.iter().position(|&l| l), page.labels.iter().rposition(|&l| l));
        // the first stamp of a thread stands below the headline, as an author's line does, the last of a list of stories above it
        let told = context.article_metadata();
        let is_told_otherwise =
            |i: usize| told.iter().any(|t| t.0 as usize == i && policy.has(t.1) != labels[i]);
        let is_unsure = |i: usize, o: &Origin| match *o {
            Origin::Own(old) => {
                // between the pieces of the content that was: boilerplate, or a heading or fragment that its set leaves out
                let is_between = is_replaced && Some(old) > first && Some(old) < last;
                is_between
                    || may_be_teasers && !labels[i] && num_tokens[i] >= TEASER_TOKENS
                    || may_be_comments[i] && !labels[i]
            }
            Origin::Replacement => phrases.is_button(blocks.text(i)) || is_told_otherwise(i),
            Origin::Added(_) => is_told_otherwise(i),
        };
        let mut masked = masked(&blocks, &labels, self.recipe.labels.mask_repeats);
        masked.iter_mut().zip(&origin).enumerate().for_each(|(i, (masked, o))| *masked |= is_unsure(i, o));
        Generated {
            masked,
            labels,
            num_tokens,
            class: origin.iter().map(|o| own(o).and_then(|i| page.class.get(i).copied().flatten())).collect(),
            values: self.features.extract(&context).values().iter().copied().collect(),
            terms: terms_of(self.features, &context),
            keys: if self.features.needs_crawl() { block_keys(&blocks) } else { Vec::new() },
        }
    }

    /// A page written out, beside what of `original` was said of all of it.
    pub(crate) fn read(&self, html: &str, original: &Document) -> (Document, Blocks) {
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

/// Blocks that `new` has beyond those of `old` in `kept`, all behind the first `before` of these; `None` where others are changed
/// or lost.
pub(crate) fn num_added(old: &Blocks, kept: &[usize], new: &Blocks, before: usize) -> Option<usize> {
    let added = new.len().checked_sub(kept.len()).filter(|&n| n > 0)?;
    let same = |(k, &i): (usize, &usize)| old.text(i) == new.text(if k < before { k } else { k + added });
    kept.iter().enumerate().all(same).then_some(added)
}

/// The policy under which a grown page is learned from.
fn policy_of(page: &Source<'_>, origin: &[Origin]) -> Policy {
    let with = |policy: Policy, name: &str| property(name).map_or(policy, |p| policy.with(p, true));
    if origin.contains(&Origin::Replacement) {
        // all that stands there is content, headings and prices too
        return ["headings", "posts", "items", "fragments"].into_iter().fold(page.policy, with);
    }
    // switched on for some of the pages whose sets do without; what comments they have of their own stays as it is
    let mut policy = page.policy;
    if Draw::CommentsCount.of(page.hash) < COMMENTS {
        policy = with(policy, "comments");
    }
    if origin.contains(&Origin::Added(Insertion::Stories)) && Draw::StoriesCount.of(page.hash) < TEASERS {
        policy = with(policy, "teasers");
    }
    policy
}

#[cfg(test)]
mod tests;
