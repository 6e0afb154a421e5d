//! Label suggestions from the most similar page of the same site.

use crate::library::{Library, Summary};
use crate::page::{BlockKey, Page};
use crate::records::Records;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use threshr_core::Result;
use threshr_sets::annotations::Label;

/// Minimum similarity of two pages if the site of one of them is unknown.
const MIN_SIMILARITY: f32 = 0.3;

/// Labels that are suggested by another page.
#[derive(Debug)]
pub(crate) struct Similar {
    /// Index of the other page.
    pub(crate) index: usize,
    /// Jaccard similarity of the sets of block places of both pages.
    pub(crate) similarity: f32,
    /// Suggested label of each block. `None` if there is no suggestion.
    pub(crate) labels: Vec<Option<Label>>,
}

/// Suggests labels from the most similar page that the annotator has completed. Returns `None` if there is
/// no such page. Pages of other sites are ignored. If the site of a page is unknown, a minimum similarity
/// is required.
pub(crate) fn similar(library: &Library, records: &Records, index: usize) -> Result<Option<Similar>> {
    let page = library.open(index)?;
    let (Some(own), Some(side)) = (library.summary(index), page.sides.first()) else { return Ok(None) };
    let Ok(own) = own.as_ref() else { return Ok(None) };
    let best = records
        .done()
        .iter()
        .filter_map(|id| library.index_of(id))
        .filter(|&other| other != index)
        .filter_map(|other| Some((other, similarity(own, library.summary(other)?.as_ref().as_ref().ok()?)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    let Some((other, similarity)) = best else { return Ok(None) };
    let other_page: Arc<Page> = library.open(other)?;
    let id = library.id(other).unwrap_or_default();
    let Some(other_side) = other_page.sides.first() else { return Ok(None) };
    let Some(labelled) = records.labels(id, &other_page, other_side) else { return Ok(None) };
    let labels: Vec<Label> = labelled.blocks.iter().map(|b| b.0).collect();
    let labels = suggested(&side.keys(), &other_side.keys(), &labels);
    Ok(Some(Similar { index: other, similarity, labels }))
}

/// Returns the similarity of two pages. Returns `None` if their sites differ, or if a site is unknown and
/// the similarity is too low.
fn similarity(a: &Summary, b: &Summary) -> Option<f32> {
    let places = |s: &Summary| s.keys.iter().map(|key| key.path).collect::<FxHashSet<u64>>();
    let (of_a, of_b) = (places(a), places(b));
    let num_both = of_a.intersection(&of_b).count() as f32;
    let similarity = num_both / ((of_a.len() + of_b.len()) as f32 - num_both).max(1.0);
    match (&a.site, &b.site) {
        (Some(a), Some(b)) => (a == b).then_some(similarity),
        _ => (similarity >= MIN_SIMILARITY).then_some(similarity),
    }
}

/// Suggests labels for `blocks` from the `labels` of the blocks `other`. A block gets the label of a block
/// with the same place and text. If there is none, it gets the label of the blocks with the same place, if
/// they all agree.
fn suggested(blocks: &[BlockKey], other: &[BlockKey], labels: &[Label]) -> Vec<Option<Label>> {
    let mut of_text: FxHashMap<BlockKey, Option<Label>> = FxHashMap::default();
    let mut of_place: FxHashMap<u64, Option<Label>> = FxHashMap::default();
    for (key, &label) in other.iter().zip(labels) {
        let agree = |found: &mut Option<Label>| *found = found.filter(|&f| f == label);
        of_text.entry(*key).and_modify(agree).or_insert(Some(label));
        of_place.entry(key.path).and_modify(agree).or_insert(Some(label));
    }
    let label = |key: &BlockKey| {
        of_text.get(key).copied().flatten().or_else(|| of_place.get(&key.path).copied().flatten())
    };
    blocks.iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_come_from_the_same_place() {
        let key = |path, text| BlockKey { path, text };
        let other = [key(1, 1), key(2, 2), key(2, 3), key(3, 4), key(3, 5)];
        let labels = [Label::Headline, Label::Content, Label::Content, Label::Teaser, Label::Boilerplate];
        let blocks = [key(1, 9), key(2, 9), key(3, 5), key(3, 9), key(4, 1)];
        assert_eq!(
            suggested(&blocks, &other, &labels),
            [Some(Label::Headline), Some(Label::Content), Some(Label::Boilerplate), None, None]
        );
    }
}
