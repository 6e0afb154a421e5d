//! A page with the labels that models assign to its blocks.

use crate::library::Library;
use crate::session::Labeller;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use threshr_core::{Error, Result};
use threshr_extract::Extraction;
use threshr_extract::RawExtraction;
use threshr_html::{Document, NodeId};
use threshr_io::{Fields, Item, RawPage, Source};
use threshr_output::TypeAndQuality;
use threshr_sets::annotations::{Label, hash};
use threshr_view::View;

/// Reads the only page of an input.
pub(crate) fn only_page(source: &Source) -> Result<RawPage> {
    let mut pages = source.open(&Fields::default(), &Arc::default())?;
    match pages.next()? {
        Some(Item::Page(page)) => Ok(source.named(page)),
        Some(Item::Failed(unread)) => Err(unread.error),
        Some(Item::Skipped(why)) => Err(Error::data(why).expected("a page")),
        None => Err(Error::data("there is no page in the file").expected("a page")),
    }
}

/// A labelled page.
#[derive(Debug)]
pub(crate) struct Page {
    /// SHA-256 of the page content.
    pub(crate) sha256: String,
    pub(crate) url: Option<String>,
    pub(crate) title: String,
    /// Description of the defect, if the page is truncated or corrupt.
    pub(crate) defect: Option<String>,
    /// The start of the page, in which the doctype is searched.
    pub(crate) start: Vec<u8>,
    /// Result of each labeller.
    pub(crate) sides: Vec<Side>,
}

/// Result of one labeller.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) extraction: Extraction,
    pub(crate) type_and_quality: Option<TypeAndQuality>,
}

impl Page {
    /// Reads and labels a page.
    ///
    /// # Errors
    /// If the page cannot be read, or exceeds a limit.
    pub(crate) fn open(library: &Library, index: usize) -> Result<Page> {
        let loaded = library.load(index)?;
        let side = |labeller: &Labeller| -> Result<Side> {
            let budget = library.limits.budget()?;
            let extraction = labeller.extractor.extract(&loaded.input(), &budget)?;
            let type_and_quality = labeller.extractor.type_and_quality_of(&extraction);
            Ok(Side { extraction, type_and_quality })
        };
        let sides = library.labellers.iter().map(side).collect::<Result<Vec<_>>>()?;
        let first = sides.first().ok_or_else(|| Error::invalid_option("there is no model"))?;
        let url = loaded.url.clone().or_else(|| first.extraction.document().url());
        Ok(Page {
            sha256: hash(&loaded.bytes),
            url,
            title: first.extraction.title(),
            defect: loaded.defect.as_ref().map(Error::with_causes),
            start: loaded.bytes[..loaded.bytes.len().min(4096)].to_vec(),
            sides,
        })
    }
}

impl Side {
    /// Returns the number of blocks.
    pub(crate) fn num_blocks(&self) -> usize {
        self.extraction.page_blocks().len()
    }

    /// Returns the initial labels. Blocks that the model keeps are content.
    pub(crate) fn first_labels(&self) -> Vec<Label> {
        let label = |&kept: &bool| if kept { Label::Content } else { Label::Boilerplate };
        self.extraction.labels().kept.iter().map(label).collect()
    }

    /// Returns the byte range of a block in the source, from the start of its first text to the end of its
    /// last text.
    pub(crate) fn source(&self, block: usize) -> Option<std::ops::Range<usize>> {
        self.extraction.page_blocks().source(self.extraction.document(), block)
    }

    /// Returns what the application shows of the extraction.
    pub(crate) fn view(&self) -> View<'_> {
        View::new(&self.extraction)
    }

    /// Returns for each block the index of its place in the template. Blocks have the same place if the
    /// names and classes of all elements from the root to the block are equal. Digits in classes are
    /// ignored.
    pub(crate) fn places(&self) -> Vec<usize> {
        let (doc, blocks) = (self.extraction.document(), self.extraction.page_blocks());
        let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
        let place = |block: &threshr_html::blocks::Block| {
            let next = numbers.len();
            *numbers.entry(place_hash(doc, block.leaf)).or_insert(next)
        };
        blocks.iter().map(place).collect()
    }

    /// Returns the share of the page that is doubtful. If the model predicts the quality of the page, it is
    /// 1 minus the expected quality. Otherwise, it is the share of the characters that are in doubtful
    /// blocks.
    pub(crate) fn doubt(&self) -> f32 {
        if let Some(quality) = self.type_and_quality.as_ref().and_then(|page| page.quality) {
            return 1.0 - quality.expected;
        }
        let blocks = self.extraction.page_blocks();
        let letters = |i: &usize| blocks.num_chars(*i) as f32;
        let all: f32 = (0..blocks.len()).map(|i| letters(&i)).sum();
        let doubtful: f32 =
            (0..blocks.len()).filter(|&i| self.view().is_doubtful(i)).map(|i| letters(&i)).sum();
        if all > 0.0 { doubtful / all } else { 1.0 }
    }

    /// Returns the keys by which blocks are compared with blocks of other pages.
    pub(crate) fn keys(&self) -> Vec<BlockKey> {
        let (doc, blocks) = (self.extraction.document(), self.extraction.page_blocks());
        let key = |(index, block): (usize, &threshr_html::blocks::Block)| BlockKey {
            path: path_hash(doc, block.leaf),
            text: hash_of(&blocks.text(index)),
        };
        blocks.iter().enumerate().map(key).collect()
    }
}

/// Hashes that identify the place of a block in the tree and its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BlockKey {
    /// Hash of the names and classes of the element and all its ancestors.
    pub(crate) path: u64,
    /// Hash of the text of the block.
    pub(crate) text: u64,
}

/// Hashes the names and classes of an element and all its ancestors.
fn path_hash(doc: &Document, leaf: NodeId) -> u64 {
    hash_of_path(doc, leaf, |classes, hasher| classes.hash(hasher))
}

/// Hashes like [`path_hash`], but ignores digits in classes.
fn place_hash(doc: &Document, leaf: NodeId) -> u64 {
    hash_of_path(doc, leaf, |classes, hasher| {
        for class in classes.split_ascii_whitespace() {
            class.chars().filter(|c| !c.is_ascii_digit()).collect::<String>().hash(hasher);
        }
        // Separates the classes of different elements.
        0_u8.hash(hasher);
    })
}

fn hash_of_path(doc: &Document, leaf: NodeId, add_classes: impl Fn(&str, &mut FxHasher)) -> u64 {
    let mut hasher = FxHasher::default();
    for node in doc.ancestors_and_self(leaf) {
        doc.name(node).hash(&mut hasher);
        add_classes(doc.attribute(node, "class").unwrap_or_default(), &mut hasher);
    }
    hasher.finish()
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
