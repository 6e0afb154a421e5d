//! Positions of a page's elements in a browser, read from an optional file beside the page.
//!
//! The file of `page.html` is `page.geometry.json`, one JSON object. Version 1 has outlines:
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
//! Version 2 also has styles, text boxes and the order of painting ([`DrawnPage`]):
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
//! A key is the XPath of an element: lower-case names, each with its number among the siblings of that
//! name. Numbers begin at 1; `[1]` may be omitted. A box is a rectangle (x, y, width, height); a shape is a
//! rectangle or the vertices of a polygon in order, in CSS pixels from the upper left corner of the page.
//! Elements that are not in the page's HTML, such as those that a script creates, are skipped. If no element
//! is found, the file belongs to another page.

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

/// What is known of the drawing of a page.
#[derive(Debug, Clone, Default)]
pub struct Geometry {
    elements: FxHashMap<NodeId, Place>,
    styles: Vec<Style>,
    page: Option<[f64; 2]>,
}

/// What is known of the drawing of an element.
#[derive(Debug, Clone)]
struct Place {
    outline: Outline,
    style: Option<u32>,
    order: Option<u32>,
    text: Option<Lines>,
}

/// What all versions have.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// Version 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Boxes {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    boxes: BTreeMap<String, Shape>,
}

/// The path of a page's geometry file.
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
    /// If the file is no geometry file, an outline or style is invalid, or none of the elements is in the
    /// document.
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

    /// Finds the elements of a file in the document.
    fn place(
        mut self,
        doc: &Document,
        elements: impl Iterator<Item = (String, Shape, Option<DrawnElement>)>,
    ) -> Result<Self> {
        let places = places(doc);
        let mut any = false;
        for (path, shape, drawn) in elements {
            any = true;
            let outline = Outline::of(shape).ok_or_else(|| {
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

    /// The outline of an element, if the file has it.
    pub fn outline(&self, node: NodeId) -> Option<&Outline> {
        self.elements.get(&node).map(|e| &e.outline)
    }

    /// The outline of a block: that of its element, else that of the element around its first text.
    pub fn block_outline(&self, block: &Block) -> Option<&Outline> {
        self.outline(block.node).or_else(|| self.outline(block.leaf))
    }

    /// The style of an element; `None` if the element is not drawn, and in version 1.
    pub fn style(&self, node: NodeId) -> Option<&Style> {
        self.styles.get(self.elements.get(&node)?.style? as usize)
    }

    /// The rank of an element in the order of painting: elements with greater ranks are painted over those
    /// with lower ranks. `None` in version 1.
    pub fn paint_order(&self, node: NodeId) -> Option<u32> {
        self.elements.get(&node)?.order
    }

    /// The lines of the text nodes of an element; `None` if it has no drawn text of its own, and in version 1.
    pub fn lines(&self, node: NodeId) -> Option<&Lines> {
        self.elements.get(&node)?.text.as_ref()
    }

    /// Width and height of the drawn page in CSS pixels; `None` in version 1.
    pub fn page_size(&self) -> Option<[f64; 2]> {
        self.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::parse_str;

    fn read(boxes: &str) -> Result<Geometry> {
        let json = format!(r#"{{"format":"threshr-geometry","version":1,"boxes":{boxes}}}"#);
        Geometry::read(json.as_bytes(), &parse_str("<div>a</div><div><p>b<x-y>c</x-y><p>d"))
    }

    #[test]
    fn finds_elements_by_path() {
        let doc = parse_str("<div>a</div><div><p>b<x-y>c</x-y><p>d");
        let found = read(
            r#"{"/html/body/div[2]/p[2]": [1, 2, 3, 4],
                "/html[1]/body[1]/div[2]/p/x-y": [[0,0],[4,0],[0,3]], "/html/body/nav": [0,0,1,1]}"#,
        )
        .expect("read");
        let at = |path: &str, n: usize| {
            doc.descendants(0)
                .filter(|&node| doc.path(node) == path && doc.kind(node) == Kind::Element)
                .nth(n)
        };
        let p = found.outline(at("html>body>div>p", 1).expect("a p")).expect("an outline");
        assert_eq!((p.bounds(), p.area(), p.vertices().len()), ([1.0, 2.0, 3.0, 4.0], 12.0, 4));
        let other = found.outline(at("html>body>div>p>x-y", 0).expect("an element")).expect("an outline");
        assert_eq!((other.bounds(), other.area()), ([0.0, 0.0, 4.0, 3.0], 6.0));
        assert_eq!(found.elements.len(), 2);
    }

    #[test]
    fn rejects_invalid_files() {
        assert!(read("{}").is_ok());
        for bad in [
            r#"{"/html/body": [0, 0, -1, 1]}"#,
            r#"{"/html/body": [[0, 0], [1, 1]]}"#,
            r#"{"/html/body": [0, 0, 1e12, 1]}"#,
            r#"{"html": [0, 0, 1, 1]}"#,
            r#"{"/html//p": [0, 0, 1, 1]}"#,
            r#"{"/html/body[x]": [0, 0, 1, 1]}"#,
            r#"{"/html/body/nav": [0, 0, 1, 1]}"#,
            "[]",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        for version in [0, 2, 3] {
            let other = format!(r#"{{"format":"threshr-geometry","version":{version},"boxes":{{}}}}"#);
            assert!(Geometry::read(other.as_bytes(), &parse_str("a")).is_err(), "{version}");
        }
    }
}
