//! Training pages with insertions beside their content, each at a place where such stand.

use crate::augmentation::generator::{Generator, HOLDERS, Origin, Read, Source, num_added};
use crate::augmentation::insertions::Insertion;
use crate::augmentation::text_generator::TextGenerator;
use threshr_html as page;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId, Place, Tag};

/// Levels above the content's last block after which an insertion may stand.
const MOST_LEVELS: usize = 4;

impl Generator<'_> {
    /// The page with what can be added of `insertions`.
    pub(crate) fn with_insertions(
        &self,
        page: &Source<'_>,
        insertions: &[Insertion],
        text: &mut TextGenerator<'_>,
    ) -> Option<Read> {
        let mut grown: Option<(Document, Blocks)> = None;
        let mut origin: Vec<Origin> = (0..page.blocks.len()).map(Origin::Own).collect();
        for &insertion in insertions {
            let (doc, blocks) = grown.as_ref().map_or((page.doc, page.blocks), |(doc, blocks)| (doc, blocks));
            let is_content = |o: &Origin| matches!(o, Origin::Own(i) if page.labels[*i]);
            let content: Vec<bool> = origin.iter().map(is_content).collect();
            let Some((place, before)) = place(doc, blocks, &content, insertion, text) else { continue };
            let Some(html) =
                page::with_html(doc, place, &text.make(insertion, self.recipe.augmentation.max_stories))
            else {
                continue;
            };
            let new = self.read(&html, page.doc);
            let all: Vec<usize> = (0..blocks.len()).collect();
            let Some(num_added) = num_added(blocks, &all, &new.1, before) else { continue };
            let added = std::iter::repeat_n(Origin::Added(insertion), num_added);
            origin.splice(before..before, added);
            grown = Some(new);
        }
        grown.map(|(doc, blocks)| Read { doc, blocks, origin })
    }
}

/// Where an insertion may stand, and how many blocks stand before: comments after the content; other stories there too, before it,
/// or where the page ends.
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
    // nothing else stands between the block and that end of the element
    Some(if which == 3 { (Place::Before(node), block) } else { (Place::After(node), block + 1) })
}

/// `node` and what is around it, as far up as `beyond` stands outside, where something may stand beside it.
fn around(doc: &Document, node: NodeId, beyond: Option<NodeId>) -> Vec<NodeId> {
    let holds = |outer: NodeId| beyond.is_some_and(|b| doc.ancestors_and_self(b).any(|n| n == outer));
    let levels = doc.ancestors_and_self(node).take(MOST_LEVELS);
    let apart = levels.take_while(|&n| doc.tag(n) != Tag::BODY && n != doc.root() && !holds(n));
    apart.filter(|&n| doc.parent(n).is_some_and(|p| HOLDERS.contains(&doc.tag(p)))).collect()
}
