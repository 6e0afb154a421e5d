//! The answer of `DOMSnapshot.captureSnapshot`, as far as it is read.

use rustc_hash::FxHashSet;
use serde::Deserialize;
use threshr_core::{Error, ErrorKind, Result};

/// Most nodes of a page.
const MAX_NODES: usize = 400_000;

/// The computed styles that are asked for, in the order of [`Layout::styles`].
pub(crate) const STYLES: [&str; 7] =
    ["font-size", "font-weight", "color", "background-color", "visibility", "opacity", "display"];

/// A number of a text in [`Snapshot::strings`]; -1 for none.
pub(crate) type Text = i64;

/// A snapshot: the document of the page, those of its frames, and all texts.
#[derive(Debug, Deserialize)]
pub(crate) struct Snapshot {
    pub documents: Vec<Document>,
    pub strings: Vec<String>,
}

/// A document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document {
    #[serde(rename = "documentURL")]
    pub document_url: Text,
    pub public_id: Text,
    pub system_id: Text,
    pub nodes: Nodes,
    pub layout: Layout,
    pub text_boxes: TextBoxes,
    #[serde(default)]
    pub content_width: f64,
    #[serde(default)]
    pub content_height: f64,
}

/// The nodes, parents first: one value each.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Nodes {
    pub parent_index: Vec<i64>,
    pub node_type: Vec<i64>,
    pub node_name: Vec<Text>,
    pub node_value: Vec<Text>,
    /// Names and values in turn.
    pub attributes: Vec<Vec<Text>>,
    #[serde(default)]
    pub pseudo_type: Rare,
}

/// The nodes of which something is said.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Rare {
    pub index: Vec<usize>,
}

/// The boxes of nodes that are drawn: one value each.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Layout {
    pub node_index: Vec<i64>,
    pub styles: Vec<Vec<Text>>,
    /// x, y, width, height in CSS pixels.
    pub bounds: Vec<[f64; 4]>,
    #[serde(default)]
    pub paint_orders: Vec<i64>,
}

/// The lines of text: one value each.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextBoxes {
    /// Number of a box in [`Layout`].
    pub layout_index: Vec<usize>,
    pub bounds: Vec<[f64; 4]>,
}

impl Nodes {
    /// The pseudo elements, such as `::before`: they are drawn, and are not in the HTML.
    pub(crate) fn pseudo_elements(&self) -> FxHashSet<usize> {
        self.pseudo_type.index.iter().copied().collect()
    }
}

impl Snapshot {
    /// A text; empty for a number without one.
    pub(crate) fn text(&self, number: Text) -> &str {
        usize::try_from(number).ok().and_then(|n| self.strings.get(n)).map_or("", String::as_str)
    }

    /// The document of the page.
    ///
    /// # Errors
    /// If there is none, it is too large, or its lists have different lengths.
    pub(crate) fn page(&self) -> Result<&Document> {
        let page = self.documents.first().ok_or_else(|| Error::data("the snapshot has no document"))?;
        let (nodes, layout) = (&page.nodes, &page.layout);
        let num = nodes.parent_index.len();
        if num > MAX_NODES {
            return Err(Error::new(ErrorKind::TooLarge, format!("the drawn page has {num} nodes"))
                .expected(format!("at most {MAX_NODES}")));
        }
        let is_even =
            [nodes.node_type.len(), nodes.node_name.len(), nodes.node_value.len(), nodes.attributes.len()]
                .iter()
                .all(|&n| n == num)
                && nodes.parent_index.iter().enumerate().all(|(i, &parent)| parent < i as i64)
                && [layout.styles.len(), layout.bounds.len()].iter().all(|&n| n == layout.node_index.len())
                && page.text_boxes.bounds.len() == page.text_boxes.layout_index.len();
        if is_even { Ok(page) } else { Err(Error::data("the snapshot is damaged")) }
    }
}
