//! The parts of a `DOMSnapshot.captureSnapshot` response that are used.

use rustc_hash::FxHashSet;
use serde::Deserialize;
use threshr_core::{Error, ErrorKind, Result};

/// Maximum number of nodes of a page.
const MAX_NODES: usize = 400_000;

/// Computed styles that must be requested for a snapshot, in this order.
pub const STYLES: [&str; 7] =
    ["font-size", "font-weight", "color", "background-color", "visibility", "opacity", "display"];

/// Index of a string in [`Snapshot::strings`]. -1 means no string.
pub(crate) type Text = i64;

/// A snapshot: the document of the page, the documents of its frames, and all strings.
#[derive(Debug, Deserialize)]
pub struct Snapshot {
    pub(crate) documents: Vec<Document>,
    pub(crate) strings: Vec<String>,
}

/// A document of the page or of a frame.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document {
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

/// The nodes of a document, with one value per node in each list. Parents are before their children.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Nodes {
    pub parent_index: Vec<i64>,
    pub node_type: Vec<i64>,
    pub node_name: Vec<Text>,
    pub node_value: Vec<Text>,
    /// Names and values alternately.
    pub attributes: Vec<Vec<Text>>,
    #[serde(default)]
    pub pseudo_type: Rare,
}

/// The nodes that have a rare property.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Rare {
    pub index: Vec<usize>,
}

/// The layout boxes of rendered nodes, with one value per box in each list.
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

/// The lines of text, with one value per line in each list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextBoxes {
    /// Index of a box in [`Layout`].
    pub layout_index: Vec<usize>,
    pub bounds: Vec<[f64; 4]>,
}

impl Nodes {
    /// Returns the pseudo-elements, such as `::before`. They are rendered but are not in the HTML.
    pub(crate) fn pseudo_elements(&self) -> FxHashSet<usize> {
        self.pseudo_type.index.iter().copied().collect()
    }
}

impl Snapshot {
    /// Parses the response of `DOMSnapshot.captureSnapshot`, which must be requested with [`STYLES`],
    /// `includePaintOrder` and `includeDOMRects`.
    ///
    /// # Errors
    /// If the JSON is not such a response.
    pub fn parse(json: &[u8]) -> Result<Self> {
        serde_json::from_slice(json).map_err(|e| Error::data("cannot read the snapshot").because(e))
    }

    /// Returns the string with this index. Returns an empty string for an invalid index.
    pub(crate) fn text(&self, number: Text) -> &str {
        usize::try_from(number).ok().and_then(|n| self.strings.get(n)).map_or("", String::as_str)
    }

    /// Returns the document of the page.
    ///
    /// # Errors
    /// If there is no document, it is too large, or its lists have different lengths.
    pub(crate) fn page(&self) -> Result<&Document> {
        let page = self.documents.first().ok_or_else(|| Error::data("the snapshot has no document"))?;
        let (nodes, layout) = (&page.nodes, &page.layout);
        let num = nodes.parent_index.len();
        if num > MAX_NODES {
            return Err(Error::new(ErrorKind::TooLarge, format!("the rendered page has {num} nodes"))
                .expected(format!("at most {MAX_NODES}")));
        }
        let is_even =
            [nodes.node_type.len(), nodes.node_name.len(), nodes.node_value.len(), nodes.attributes.len()]
                .iter()
                .all(|&n| n == num)
                && nodes.parent_index.iter().enumerate().all(|(i, &parent)| parent < i as i64)
                && [layout.styles.len(), layout.bounds.len()].iter().all(|&n| n == layout.node_index.len())
                && page.text_boxes.bounds.len() == page.text_boxes.layout_index.len();
        if is_even {
            Ok(page)
        } else {
            Err(Error::data("the snapshot is not valid")
                .expected("one value per node, layout node and text box, and parents before their children"))
        }
    }
}
