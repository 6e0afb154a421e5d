//! Inserts comments and lists of stories at typical positions of a page.

use crate::augmentation::generator::{CONTAINERS, GeneratedPage, Generator, Origin, Source, num_added};
use crate::augmentation::insertions::Insertion;
use crate::augmentation::text_generator::TextGenerator;
use threshr_html as page;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId, Place, Tag};

/// Maximum number of nested elements to consider around a content block, innermost first. An insertion is
/// placed next to one of them.
const MAX_LEVELS: usize = 4;

impl Generator<'_> {
    /// Adds `insertions` to the page. Insertions without a suitable position are skipped. Returns `None` if nothing
    /// was inserted.
    pub(crate) fn with_insertions(
        &self,
        page: &Source<'_>,
        insertions: &[Insertion],
        text: &mut TextGenerator<'_>,
    ) -> Option<GeneratedPage> {
        let mut generated: Option<(Document, Blocks)> = None;
        let mut origin: Vec<Origin> = (0..page.blocks.len()).map(Origin::Source).collect();
        for &insertion in insertions {
            let (doc, blocks) =
                generated.as_ref().map_or((page.doc, page.blocks), |(doc, blocks)| (doc, blocks));
            let is_content = |o: &Origin| matches!(o, Origin::Source(i) if page.labels[*i]);
            let content: Vec<bool> = origin.iter().map(is_content).collect();
            let Some((place, before)) = place(doc, blocks, &content, insertion, text) else { continue };
            let inserted = text.insertion(insertion, self.recipe.augmentation.max_stories);
            let Some(html) = page::with_html(doc, place, &inserted) else { continue };
            let new = self.parse(&html, page.doc);
            let Some(num_added) = num_added(blocks, &new.1, before) else { continue };
            let added = std::iter::repeat_n(Origin::Inserted(insertion), num_added);
            origin.splice(before..before, added);
            generated = Some(new);
        }
        generated.map(|(doc, blocks)| GeneratedPage { doc, blocks, origin })
    }
}

/// Selects a position for an insertion. Also returns the number of blocks before it. Comments follow the
/// content. Other stories follow or precede the content, or are at the end of the page.
fn place(
    doc: &Document,
    blocks: &Blocks,
    content: &[bool],
    insertion: Insertion,
    text: &mut TextGenerator<'_>,
) -> Option<(Place, usize)> {
    let (first, last) = (content.iter().position(|&c| c)?, content.iter().rposition(|&c| c)?);
    let which = if insertion == Insertion::Comments { 0 } else { text.below(4) };
    if which == 2 {
        let body = doc.descendants(doc.root()).find(|&n| doc.tag(n) == Tag::BODY)?;
        return Some((Place::EndOf(body), blocks.len()));
    }
    let (block, beyond) = if which == 3 {
        (first, first.checked_sub(1))
    } else {
        (last, Some(last + 1).filter(|&i| i < blocks.len()))
    };
    let beyond = beyond.and_then(|i| blocks.get(i)).map(|b| b.leaf);
    let around = around(doc, blocks.get(block)?.node, beyond);
    let node = *around.get(text.below(around.len()))?;
    // no other block is between the content block and this edge of the element
    Some(if which == 3 { (Place::Before(node), block) } else { (Place::After(node), block + 1) })
}

/// Returns `node` and its ancestors that do not contain `beyond`, if their parents may contain insertions.
fn around(doc: &Document, node: NodeId, beyond: Option<NodeId>) -> Vec<NodeId> {
    let holds = |outer: NodeId| beyond.is_some_and(|b| doc.ancestors_and_self(b).any(|n| n == outer));
    let levels = doc.ancestors_and_self(node).take(MAX_LEVELS);
    let without_beyond = levels.take_while(|&n| doc.tag(n) != Tag::BODY && n != doc.root() && !holds(n));
    without_beyond.filter(|&n| doc.parent(n).is_some_and(|p| CONTAINERS.contains(&doc.tag(p)))).collect()
}
