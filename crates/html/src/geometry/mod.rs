//! Geometry of a page's elements as rendered by a browser, read from an optional file next to the page.
//!
//! The file for `page.html` is `page.geometry.json`, which contains one JSON object. Version 1 contains outlines:
//!
//! ```json
//! {
//!   "format": "threshr-geometry",
//!   "version": 1,
//!   "boxes": {
//!     "/html/body/div[2]": [0, 120, 960, 400],
//!     "/html/body/div[2]/p[3]": [[10, 130], [700, 130], [700, 150], [320, 150], [320, 170], [10, 170]]
//!   }
//! }
//! ```
//!
//! Version 2 also contains styles, text boxes and the painting order ([`DrawnPage`]):
//!
//! ```json
//! {
//!   "format": "threshr-geometry",
//!   "version": 2,
//!   "page": [1280, 2400],
//!   "styles": [{"font_size": 16, "font_weight": 400, "color": "#000000", "background": "#ffffff",
//!               "opacity": 1, "visible": true}],
//!   "elements": {
//!     "/html/body/p": {"shape": [8, 16, 1264, 36], "style": 0, "order": 3,
//!                      "text": {"box": [8, 16, 1250, 36], "lines": 2}}
//!   }
//! }
//! ```
//!
//! A key is the XPath of an element: lower-case names, each with its position, from 1, among the siblings of that
//! name. `[1]` may be omitted. A box is a rectangle (x, y, width, height). A shape is a rectangle or the vertices
//! of a polygon in order. Coordinates are CSS pixels from the upper left corner of the page. Elements that are not
//! in the page's HTML, such as those that a script creates, are skipped. It is an error if the page contains none
//! of the elements, because the file then belongs to another page.

mod drawn;
mod outline;
mod places;

pub use drawn::{Color, DrawnElement, DrawnPage, Lines, Style};
pub use outline::{Outline, Shape};
pub use places::element_paths;

use crate::blocks::Block;
use crate::{Document, NodeId, Tag};
use places::{places, steps};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

const FORMAT: &str = "threshr-geometry";

/// The geometry of a page's elements as rendered by a browser.
#[derive(Debug, Clone, Default)]
pub struct Geometry {
    elements: FxHashMap<NodeId, Place>,
    styles: Vec<Style>,
    page: Option<[f64; 2]>,
}

/// The geometry of one element.
#[derive(Debug, Clone)]
struct Place {
    outline: Outline,
    style: Option<u32>,
    order: Option<u32>,
    text: Option<Lines>,
}

/// The fields that all versions contain.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// A geometry file of version 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Boxes {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    boxes: BTreeMap<String, Shape>,
}

/// Returns the path of a page's geometry file.
pub fn geometry_path(page: &Path) -> PathBuf {
    page.with_extension("geometry.json")
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::data(format!("cannot read the geometry file: {error}")).expected(
        "{\"format\": \"threshr-geometry\", \"version\": 1, \"boxes\": {…}}, or version 2 with page, styles and elements",
    )
}

impl Geometry {
    /// Reads a geometry file for a document.
    ///
    /// # Errors
    /// If the file is not a geometry file, an outline or style is invalid, or the document contains none of the
    /// elements.
    pub fn read(json: &[u8], doc: &Document) -> Result<Self> {
        let head: Head = serde_json::from_slice(json).map_err(unreadable)?;
        match (head.format.as_str(), head.version) {
            (FORMAT, 1) => {
                let file: Boxes = serde_json::from_slice(json).map_err(unreadable)?;
                let shapes = file.boxes.into_iter();
                Geometry::default().place(doc, shapes.map(|(path, shape)| (path, shape, None)))
            }
            (FORMAT, drawn::VERSION) => {
                let file = DrawnPage::read(json)?;
                let geometry = Geometry { styles: file.styles, page: Some(file.page), ..Geometry::default() };
                let all = file.elements.into_iter();
                geometry.place(doc, all.map(|(path, e)| (path, e.shape.clone(), Some(e))))
            }
            (format, version) => {
                Err(Error::data(format!("the geometry file has format `{format}` version {version}"))
                    .expected(format!("`{FORMAT}` version 1 or {}", drawn::VERSION)))
            }
        }
    }

    /// Adds the elements of a file that the document contains.
    fn place(
        mut self,
        doc: &Document,
        elements: impl Iterator<Item = (String, Shape, Option<DrawnElement>)>,
    ) -> Result<Self> {
        let places = places(doc);
        let mut any = false;
        for (path, shape, drawn) in elements {
            any = true;
            let outline = Outline::from_shape(shape).ok_or_else(|| {
                Error::data("the geometry file has an invalid outline").at_column(&path).expected(
                    "[x, y, width, height], or at least three vertices [x, y]; \
                         sizes from 0, coordinates up to 1e9",
                )
            })?;
            let steps = steps(&path).ok_or_else(|| {
                Error::data("the geometry file has an invalid path")
                    .at_column(&path)
                    .expected("/html/body/p[2]")
            })?;
            let find = |at: NodeId, (name, number): &(&str, u32)| {
                places.get(&(at, Tag(doc.names.find(name)?), *number)).copied()
            };
            if let Some(node) = steps.iter().try_fold(doc.root(), find) {
                let (style, order) = drawn.as_ref().map_or((None, None), |d| (Some(d.style), Some(d.order)));
                let text = drawn.and_then(|d| d.text);
                self.elements.insert(node, Place { outline, style, order, text });
            }
        }
        if any && self.elements.is_empty() {
            return Err(Error::data("the page contains no element of its geometry file")
                .expected("the geometry of this page"));
        }
        Ok(self)
    }

    /// Returns the outline of an element, if the file contains it.
    pub fn outline(&self, node: NodeId) -> Option<&Outline> {
        self.elements.get(&node).map(|e| &e.outline)
    }

    /// Returns the outline of the block's element. If it is unknown, returns the outline of the parent of the
    /// block's first text node.
    pub fn block_outline(&self, block: &Block) -> Option<&Outline> {
        self.outline(block.node).or_else(|| self.outline(block.leaf))
    }

    /// Returns the style of an element. Returns `None` if the element is not rendered or the file has version 1.
    pub fn style(&self, node: NodeId) -> Option<&Style> {
        self.styles.get(self.elements.get(&node)?.style? as usize)
    }

    /// Returns the rank of an element in the painting order: elements with higher ranks are painted over
    /// elements with lower ranks. Returns `None` if the file has version 1.
    pub fn paint_order(&self, node: NodeId) -> Option<u32> {
        self.elements.get(&node)?.order
    }

    /// Returns the lines of the text nodes that are children of an element. Returns `None` if none of them is
    /// rendered, or the file has version 1.
    pub fn lines(&self, node: NodeId) -> Option<&Lines> {
        self.elements.get(&node)?.text.as_ref()
    }

    /// Returns width and height of the rendered page in CSS pixels, or `None` if the file has version 1.
    pub fn page_size(&self) -> Option<[f64; 2]> {
        self.page
    }
}

#[cfg(test)]
mod tests;
