//! Training pages whose content has made way for what pages of other types hold.
//!
//! Most annotated sets are of articles: there a model learns that content is running text, and on listings, threads and
//! landing pages drops what these are for, whatever the policy says. So a share of the pages is learned from a second time as
//! a page of such a type: what stands around the content stays, boilerplate as it was, what is put in its place is content, and what stood
//! between its pieces is not learned from, as headings may be among it that the page's own set leaves out.

use crate::augmentation::generator::{Generator, HOLDERS, Origin, Read, Source, num_added};
use crate::augmentation::replacements::Replacement;
use crate::augmentation::text_generator::TextGenerator;
use threshr_html as page;
use threshr_html::{NodeId, Place, Tag};

/// Fewest sentences of a page that replacements are made of; with fewer they repeat themselves.
const FEWEST_SENTENCES: usize = 8;

impl Generator<'_> {
    /// The page with `replacement` where its content began, and nothing of that left; `None` where that is short, a block of it
    /// shares its element with something else, or nothing may stand there.
    pub(crate) fn with_replacement(
        &self,
        page: &Source<'_>,
        replacement: Replacement,
        text: &mut TextGenerator<'_>,
    ) -> Option<Read> {
        if text.num_sentences() < FEWEST_SENTENCES {
            return None;
        }
        let (doc, blocks) = (page.doc, page.blocks);
        let is_content = |n: NodeId| {
            let mut inside = blocks.extent(n).blocks.clone().peekable();
            inside.peek().is_some() && inside.all(|i| page.labels[i as usize])
        };
        // the outermost element around a block with content alone
        let whole = |i: usize| {
            let around = doc.ancestors_and_self(blocks.get(i)?.node);
            around.take_while(|&n| doc.tag(n) != Tag::BODY && n != doc.root() && is_content(n)).last()
        };
        let (content, kept): (Vec<usize>, Vec<usize>) = (0..blocks.len()).partition(|&i| page.labels[i]);
        let mut dropped = content.iter().map(|&i| whole(i)).collect::<Option<Vec<NodeId>>>()?;
        let first = *dropped.first()?;
        if !doc.parent(first).is_some_and(|p| HOLDERS.contains(&doc.tag(p))) {
            return None;
        }
        dropped.sort_unstable();
        let is_dropped = |n: NodeId| dropped.binary_search(&n).is_ok();
        let made = text.make_substitute(replacement);
        let html = page::with_html_instead(doc, Place::Before(first), &made, is_dropped)?;
        let (doc, new) = self.read(&html, doc);
        let before = kept.partition_point(|&i| i < content[0]);
        let num_added = num_added(blocks, &kept, &new, before)?;
        let mut origin: Vec<Origin> = kept.into_iter().map(Origin::Own).collect();
        origin.splice(before..before, std::iter::repeat_n(Origin::Replacement, num_added));
        Some(Read { doc, blocks: new, origin })
    }
}
