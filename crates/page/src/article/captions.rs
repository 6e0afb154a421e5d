//! Detects captions of pictures.

use crate::PageFacts;
use crate::names::metadata_names::{NAMES_FILE, has_word};
use crate::word_lists::list;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;
use threshr_html::{NodeId, Tag};

/// Maximum number of words of a block that is a caption because of the name of an element.
const MAX_CAPTION_WORDS: u32 = 80;
/// Number of innermost elements of a block that are searched for `<figcaption>`.
const FIGCAPTION_LEVELS: usize = 6;
/// Number of innermost elements of a block that are searched for a caption name.
const NAMED_LEVELS: usize = 3;
/// Maximum number of levels between a picture and an ancestor that is treated as its container.
const PICTURE_LEVELS: usize = 4;

/// Words in the names of elements that hold captions.
static CAPTION_NAMES: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| list(NAMES_FILE, "caption").into_iter().collect());

/// Describes how captions are detected.
pub fn caption_definition() -> String {
    format!(
        "At most half of the words of a caption are in links. One of its {FIGCAPTION_LEVELS} innermost \
         elements is a <figcaption> or the <caption> of a table with a picture, or one of its {NAMED_LEVELS} \
         innermost elements has a caption word in class or id (list caption in \
         data/article_metadata_names.tsv). With a caption word, it has at most {MAX_CAPTION_WORDS} words, is \
         neither the headline nor in a heading, and the element, its parent or its grandparent holds a \
         picture at most {PICTURE_LEVELS} levels down."
    )
}

/// Returns the blocks that are captions.
pub fn captions(page: &PageFacts<'_>, pictured: &Pictured) -> Vec<usize> {
    // most pages have no captions
    let has_any = pictured.has_any || page.doc.elements_with(|tag| tag == Tag::FIGCAPTION).next().is_some();
    let blocks = if has_any { page.len() } else { 0 };
    (0..blocks).filter(|&i| is_caption(page, i, pictured)).collect()
}

/// Elements that contain a picture: its ancestors inside `<body>` up to `PICTURE_LEVELS` levels, and the table
/// around it.
pub struct Pictured {
    holds: Vec<bool>,
    has_any: bool,
}

impl Pictured {
    /// Finds the elements of a page that contain a picture.
    pub fn new(page: &PageFacts<'_>) -> Self {
        let doc = page.doc;
        let mut holds = vec![false; doc.num_nodes()];
        let mut has_any = false;
        for picture in doc.elements_with(|tag| matches!(tag, Tag::IMG | Tag::PICTURE)) {
            has_any = true;
            let inside = doc.ancestors_and_self(picture).take_while(|&n| doc.tag(n) != Tag::BODY);
            for (level, node) in inside.enumerate() {
                let is_table = doc.tag(node) == Tag::TABLE;
                holds[node as usize] |= level <= PICTURE_LEVELS || is_table;
                if is_table && level >= PICTURE_LEVELS {
                    break;
                }
            }
        }
        Pictured { holds, has_any }
    }

    /// Whether one of the first `levels` elements from `node` upwards, including `node`, contains a picture.
    fn holds(&self, page: &PageFacts<'_>, node: NodeId, levels: usize) -> bool {
        page.doc.ancestors_and_self(node).take(levels).any(|n| self.holds[n as usize])
    }
}

/// Whether a block is a caption.
pub fn is_caption(page: &PageFacts<'_>, i: usize, pictured: &Pictured) -> bool {
    let stats = &page.stats[i];
    if stats.is_mostly_link() {
        return false;
    }
    let is_named = |node| {
        stats.num_words <= MAX_CAPTION_WORDS
            && pictured.holds(page, node, 3)
            && ["class", "id"].iter().any(|name| has_word(page, node, name, &CAPTION_NAMES))
            && !page.is_in(i, Tag::is_heading)
            && page.headline() != Some(i)
    };
    let mut innermost = page.doc.ancestors_and_self(page.block(i).leaf).take(FIGCAPTION_LEVELS).enumerate();
    innermost.any(|(level, n)| match page.doc.tag(n) {
        Tag::FIGCAPTION => true,
        // the table is the parent of the <caption>
        Tag::CAPTION => pictured.holds(page, n, 2),
        _ => level < NAMED_LEVELS && is_named(n),
    })
}
