//! The outline of an element.

use serde::{Deserialize, Serialize};

/// Maximum absolute coordinate and maximum size in CSS pixels. The limit keeps areas finite.
pub(super) const LARGEST: f64 = 1e9;

/// The outline of an element: at least three vertices in order, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    vertices: Vec<[f64; 2]>,
}

/// An outline in the format of geometry files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Shape {
    /// x, y, width, height.
    Rectangle([f64; 4]),
    /// Vertices in order.
    Polygon(Vec<[f64; 2]>),
}

impl Outline {
    pub(super) fn from_shape(shape: Shape) -> Option<Self> {
        let vertices = match shape {
            Shape::Rectangle([x, y, w, h]) if w >= 0.0 && h >= 0.0 => {
                vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]]
            }
            Shape::Polygon(vertices) if vertices.len() >= 3 => vertices,
            _ => return None,
        };
        let usable = |v: &f64| v.abs() <= LARGEST;
        vertices.iter().flatten().all(usable).then_some(Outline { vertices })
    }

    /// Returns the vertices in order.
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    /// Returns the bounding box: minimum x, minimum y, width and height.
    pub fn bounds(&self) -> [f64; 4] {
        let range = |axis: usize| {
            let all = self.vertices.iter().map(|v| v[axis]);
            (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (top, bottom)) = (range(0), range(1));
        [left, top, right - left, bottom - top]
    }

    /// Returns the left, top, right and bottom edge of the bounding box.
    pub fn edges(&self) -> [f64; 4] {
        let [x, y, width, height] = self.bounds();
        [x, y, x + width, y + height]
    }

    /// Returns the area in square pixels, computed by the shoelace formula.
    pub fn area(&self) -> f64 {
        let next = self.vertices.iter().cycle().skip(1);
        let twice: f64 = self.vertices.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum();
        twice.abs() / 2.0
    }
}
