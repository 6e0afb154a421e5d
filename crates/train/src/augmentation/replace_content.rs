//! Replaces the content of an article by a listing, a thread or a landing page.
//!
//! The blocks around the content remain boilerplate. All blocks of the replacement are content. Blocks between
//! the removed content blocks are masked, because they may be headings that the set's policy excludes.

use crate::augmentation::generator::{CONTAINERS, GeneratedPage, Generator, Origin, Source, num_added};
use crate::augmentation::replacements::Replacement;
use crate::augmentation::text_generator::TextGenerator;
use threshr_html as page;
use threshr_html::{NodeId, Place, Tag};

/// Minimum number of sentences on a page for a replacement. With fewer sentences, the text would be too
/// repetitive.
const MIN_SENTENCES: usize = 8;

impl Generator<'_> {
    /// Removes the content of the page and inserts `replacement` where it started. Returns `None` if the
    /// content has too few sentences, shares an element with boilerplate, or is at a position where nothing may
    /// be inserted.
    pub(crate) fn with_replacement(
        &self,
        page: &Source<'_>,
        replacement: Replacement,
        text: &mut TextGenerator<'_>,
    ) -> Option<GeneratedPage> {
        if text.num_sentences() < MIN_SENTENCES {
            return None;
        }
        let (doc, blocks) = (page.doc, page.blocks);
        let is_content = |n: NodeId| {
            let mut inside = blocks.extent(n).blocks.clone().peekable();
            inside.peek().is_some() && inside.all(|i| page.labels[i as usize])
        };
        // the outermost element that contains the block and only content blocks
        let whole = |i: usize| {
            let around = doc.ancestors_and_self(blocks.get(i)?.node);
            around.take_while(|&n| doc.tag(n) != Tag::BODY && n != doc.root() && is_content(n)).last()
        };
        let (content, kept): (Vec<usize>, Vec<usize>) = (0..blocks.len()).partition(|&i| page.labels[i]);
        let mut dropped = content.iter().map(|&i| whole(i)).collect::<Option<Vec<NodeId>>>()?;
        let first = *dropped.first()?;
        if !doc.parent(first).is_some_and(|p| CONTAINERS.contains(&doc.tag(p))) {
            return None;
        }
        dropped.sort_unstable();
        let is_dropped = |n: NodeId| dropped.binary_search(&n).is_ok();
        let inserted = text.replacement(replacement);
        let html = page::with_html_instead(doc, Place::Before(first), &inserted, is_dropped)?;
        let (doc, new) = self.parse(&html, doc);
        let before = kept.partition_point(|&i| i < content[0]);
        let num_added = num_added(blocks, &kept, &new, before)?;
        let mut origin: Vec<Origin> = kept.into_iter().map(Origin::Source).collect();
        origin.splice(before..before, std::iter::repeat_n(Origin::Replacement, num_added));
        Some(GeneratedPage { doc, blocks: new, origin })
    }
}
