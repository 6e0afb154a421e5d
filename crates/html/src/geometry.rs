//! Positions of a page's elements in a browser, read from an optional file beside the page.
//!
//! The file of `page.html` is `page.geometry.json`, one JSON object:
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
//! A key is the XPath of an element: lower-case names, each with its number among the siblings of that
//! name. Numbers begin at 1; `[1]` may be omitted. A value is a rectangle (x, y, width, height) or the
//! vertices of a polygon in order, in CSS pixels from the upper left corner of the page. Elements that are
//! not in the page's HTML, such as those that a script creates, are skipped. If no element is found, the
//! file belongs to another page.

use crate::{Document, Kind, NodeId, Tag};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

const FORMAT: &str = "threshr-geometry";
const VERSION: u32 = 1;

/// Outlines of the elements of a page.
#[derive(Debug, Clone, Default)]
pub struct Geometry {
    outlines: FxHashMap<NodeId, Outline>,
}

/// The outline of an element: at least three vertices in order, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    vertices: Vec<[f64; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    boxes: BTreeMap<String, Shape>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Shape {
    Rectangle([f64; 4]),
    Polygon(Vec<[f64; 2]>),
}

/// The path of a page's geometry file.
pub fn geometry_path(page: &Path) -> PathBuf {
    page.with_extension("geometry.json")
}

impl Geometry {
    /// Reads a geometry file for a document.
    ///
    /// # Errors
    /// If the file is no geometry file, an outline is invalid, or none of the elements is in the document.
    pub fn read(json: &[u8], doc: &Document) -> Result<Self> {
        let file: File = serde_json::from_slice(json).map_err(|e| {
            Error::data(format!("cannot read the geometry file: {e}"))
                .expected("{\"format\": \"threshr-geometry\", \"version\": 1, \"boxes\": {…}}")
        })?;
        if file.format != FORMAT || file.version != VERSION {
            return Err(Error::data(format!(
                "the geometry file has format `{}` version {}",
                file.format, file.version
            ))
            .expected(format!("`{FORMAT}` version {VERSION}")));
        }
        let places = places(doc);
        let mut outlines = FxHashMap::default();
        let any = !file.boxes.is_empty();
        for (path, shape) in file.boxes {
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
                outlines.insert(node, outline);
            }
        }
        if any && outlines.is_empty() {
            return Err(Error::data("the page contains no element of its geometry file")
                .expected("the geometry of this page"));
        }
        Ok(Geometry { outlines })
    }

    /// The outline of an element, if the file has it.
    pub fn outline(&self, node: NodeId) -> Option<&Outline> {
        self.outlines.get(&node)
    }
}

/// All elements by parent, tag and number among the siblings of that tag.
fn places(doc: &Document) -> FxHashMap<(NodeId, Tag, u32), NodeId> {
    let mut number: FxHashMap<(NodeId, Tag), u32> = FxHashMap::default();
    let mut places = FxHashMap::default();
    for node in doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Element) {
        let parent = doc.parent(node).unwrap_or(doc.root());
        let number = number.entry((parent, doc.tag(node))).or_insert(0);
        *number += 1;
        places.insert((parent, doc.tag(node), *number), node);
    }
    places
}

/// Names and numbers of a path.
fn steps(path: &str) -> Option<Vec<(&str, u32)>> {
    let step = |step| -> Option<(&str, u32)> {
        let step: &str = step;
        match step.split_once('[') {
            None => (!step.is_empty()).then_some((step, 1)),
            Some((name, number)) => Some((name, number.strip_suffix(']')?.parse().ok()?)),
        }
    };
    path.strip_prefix('/')?.split('/').map(step).collect()
}

impl Outline {
    fn of(shape: Shape) -> Option<Self> {
        let vertices = match shape {
            Shape::Rectangle([x, y, w, h]) if w >= 0.0 && h >= 0.0 => {
                vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]]
            }
            Shape::Polygon(vertices) if vertices.len() >= 3 => vertices,
            _ => return None,
        };
        // keeps areas finite
        let usable = |v: &f64| v.abs() <= 1e9;
        vertices.iter().flatten().all(usable).then_some(Outline { vertices })
    }

    /// Its vertices in order.
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    /// Least x, least y, width and height of the rectangle around it.
    pub fn bounds(&self) -> [f64; 4] {
        let range = |axis: usize| {
            let all = self.vertices.iter().map(|v| v[axis]);
            (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (top, bottom)) = (range(0), range(1));
        [left, top, right - left, bottom - top]
    }

    /// Its area in square pixels, by the sum over its edges (Gauss).
    pub fn area(&self) -> f64 {
        let next = self.vertices.iter().cycle().skip(1);
        let twice: f64 = self.vertices.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum();
        twice.abs() / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(found.outlines.len(), 2);
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
        let other = br#"{"format":"threshr-geometry","version":2,"boxes":{}}"#;
        assert!(Geometry::read(other, &parse_str("a")).is_err());
    }
}
