//! Cuts the content of an article to its first paragraphs.
//!
//! Headline, byline and the readers' comments stay, and so does all boilerplate around the content.

use crate::augmentation::generator::{GeneratedPage, Generator, Origin, Source};
use crate::augmentation::text_generator::TextGenerator;
use threshr_features::{PageContext, in_comments};
use threshr_html as page;
use threshr_html::{NodeId, Place, Tag};

/// A page with fewer content blocks, without headline, byline and comments, is short already.
const MIN_CONTENT: usize = 5;
/// Shorter blocks are no paragraphs: subheadings, dates, places.
const MIN_PARAGRAPH_TOKENS: u32 = 10;
/// A longer run of boilerplate between pieces of cut content stays. A shorter one is a subheading, caption or
/// advertisement and goes with them.
const MAX_BETWEEN: usize = 2;

impl Generator<'_> {
    /// The page with the first one or two paragraphs of its content. `None` if the content is short or shares
    /// an element with other text.
    pub(crate) fn with_cut_content(
        &self,
        page: &Source<'_>,
        text: &mut TextGenerator<'_>,
    ) -> Option<GeneratedPage> {
        let (doc, blocks) = (page.doc, page.blocks);
        let is_cut = cut_blocks(page, 1 + text.below(2))?;
        let holds_only_cut = |n: NodeId| {
            let mut inside = blocks.extent(n).blocks.clone().peekable();
            inside.peek().is_some() && inside.all(|i| is_cut[i as usize])
        };
        // the outermost element around a block that contains only cut blocks
        let whole = |i: usize| {
            let around = doc.ancestors_and_self(blocks.get(i)?.node);
            around.take_while(|&n| doc.tag(n) != Tag::BODY && n != doc.root() && holds_only_cut(n)).last()
        };
        let cut = (0..blocks.len()).filter(|&i| is_cut[i]);
        let mut dropped = cut.map(whole).collect::<Option<Vec<NodeId>>>()?;
        dropped.sort_unstable();
        let is_dropped = |n: NodeId| dropped.binary_search(&n).is_ok();
        let html = page::with_html_instead(doc, Place::EndOf(doc.root()), "", is_dropped)?;
        let (doc, new) = self.parse(&html, doc);
        let kept: Vec<usize> = (0..blocks.len()).filter(|&i| !is_cut[i]).collect();
        let same = |(new_index, &i): (usize, &usize)| new.text(new_index) == blocks.text(i);
        if new.len() != kept.len() || !kept.iter().enumerate().all(same) {
            return None;
        }
        let origin = kept.into_iter().map(Origin::Source).collect();
        Some(GeneratedPage { doc, blocks: new, origin })
    }
}

/// Whether each block is cut if the first `num_paragraphs` paragraphs of the content stay. `None` if nothing
/// is left to cut.
fn cut_blocks(page: &Source<'_>, num_paragraphs: usize) -> Option<Vec<bool>> {
    let context = PageContext::without_words(page.doc, page.blocks);
    let mut stays = in_comments(&context);
    let is_head = |name: &str| matches!(name, "title" | "byline");
    let head = context.article_metadata().iter().filter(|m| is_head(m.1.name));
    head.for_each(|m| stays[m.0 as usize] = true);
    let body: Vec<usize> = (0..page.blocks.len()).filter(|&i| page.labels[i] && !stays[i]).collect();
    if body.len() < MIN_CONTENT {
        return None;
    }
    let mut paragraphs = body.iter().filter(|&&i| page.num_tokens[i] >= MIN_PARAGRAPH_TOKENS);
    let last = *paragraphs.nth(num_paragraphs - 1)?;
    let cut = &body[body.partition_point(|&i| i <= last)..];
    let mut is_cut = vec![false; page.blocks.len()];
    cut.iter().for_each(|&i| is_cut[i] = true);
    for pair in cut.windows(2) {
        let between = pair[0] + 1..pair[1];
        if between.len() <= MAX_BETWEEN && !stays[between.clone()].contains(&true) {
            is_cut[between].fill(true);
        }
    }
    (!cut.is_empty()).then_some(is_cut)
}
