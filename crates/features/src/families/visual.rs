//! The outline of a block in the rendered page.

use crate::{Column, Family, Grid, PageContext, share};
use threshr_html::Outline;

const FIASCO: &str = "FIASCO (Bauer et al., CleanEval 2007)";
pub(super) const GENIEKNOWS: &str = "GenieKnows (CleanEval 2007)";

/// The family.
pub(crate) struct Visual;

/// Columns: name, unit, definition, source.
const COLUMNS: &[(&str, &str, &str, &str)] = &[
    ("has_outline", "flag", "1 if the geometry file has an outline for the block's element", FIASCO),
    ("solidity", "ratio", "area of the outline / area of its bounding box; 0 without an outline", FIASCO),
    ("num_vertices", "vertices", "number of vertices of the outline; 0 without an outline", FIASCO),
    (
        "centre_distance",
        "pixels",
        "mean distance of the vertices from the centre of the bounding box; 0 without an outline",
        FIASCO,
    ),
    (
        "width",
        "ratio",
        "width of the block / greatest width of a block on the page; 0 without an outline",
        FIASCO,
    ),
    (
        "height",
        "ratio",
        "height of the block / greatest height of a block on the page; 0 without an outline",
        FIASCO,
    ),
    (
        "x",
        "ratio",
        "left edge of the block / right edge of the rightmost block, clamped to 0–1; 0 without an outline",
        GENIEKNOWS,
    ),
    (
        "y",
        "ratio",
        "upper edge of the block / lower edge of the lowest block, clamped to 0–1; 0 without an outline",
        GENIEKNOWS,
    ),
];

impl Family for Visual {
    fn name(&self) -> &'static str {
        "visual"
    }
    fn summary(&self) -> &'static str {
        "outline of a block in the rendered page; 0 without a geometry file (NAME.geometry.json) next to the \
         page"
    }
    fn columns(&self) -> Vec<Column> {
        COLUMNS.iter().map(|&(name, unit, text, source)| Column::new(name, unit, text, source)).collect()
    }

    fn is_in_all(&self) -> bool {
        false
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let Some(geometry) = page.doc.geometry() else { return };
        let outlines: Vec<Option<&Outline>> =
            (0..page.len()).map(|i| geometry.block_outline(page.block(i))).collect();
        let bounds: Vec<[f64; 4]> = outlines.iter().flatten().map(|o| o.bounds()).collect();
        let greatest = |of: fn(&[f64; 4]) -> f64| bounds.iter().map(of).fold(0.0, f64::max);
        let widest = greatest(|b| b[2]);
        let tallest = greatest(|b| b[3]);
        let right = greatest(|b| b[0] + b[2]);
        let bottom = greatest(|b| b[1] + b[3]);
        for (index, outline) in outlines.iter().enumerate() {
            let Some(outline) = outline else { continue };
            let [x, y, width, height] = outline.bounds();
            let values = [
                1.0,
                share(outline.area(), width * height),
                outline.vertices().len() as f64,
                centre_distance(outline),
                share(width, widest),
                share(height, tallest),
                share(x, right).clamp(0.0, 1.0),
                share(y, bottom).clamp(0.0, 1.0),
            ];
            out.set_all(0, index, &values.map(|v| v as f32));
        }
    }
}

fn centre_distance(outline: &Outline) -> f64 {
    let [x, y, width, height] = outline.bounds();
    let distance = |v: &[f64; 2]| (v[0] - x - width / 2.0).hypot(v[1] - y - height / 2.0);
    outline.vertices().iter().map(distance).sum::<f64>() / outline.vertices().len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FeatureSet;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn outlines_of_a_small_page() {
        let mut doc = parse_str("<p>a<p>b<p>c");
        let json = br#"{"format":"threshr-geometry","version":1,"boxes":{
            "/html/body/p[1]": [0, 0, 60, 80],
            "/html/body/p[2]": [[100, 80], [130, 80], [130, 90], [110, 90], [110, 100], [100, 100]]}}"#;
        doc.attach_geometry(json).expect("read");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let set = FeatureSet::parse("visual", &[]).expect("the set exists");
        let matrix = set.extract(&PageContext::new(&doc, &blocks));
        let row = |i: usize| matrix.values().row(i).to_vec();
        // a rectangle whose corners are 50 pixels from the centre; the rightmost edge of all blocks is 130, the
        // lowest 100
        assert_eq!(row(0), [1.0, 1.0, 4.0, 50.0, 1.0, 1.0, 0.0, 0.0]);
        // an L-shape of 30 x 20 without 20 x 10, so 400 of 600 pixels; the distances of its vertices from the
        // centre (115, 90)
        let far = (15f64.hypot(10.0) * 3.0 + 15.0 + 5.0 + 5f64.hypot(10.0)) / 6.0;
        let expected = [1.0, 2.0 / 3.0, 6.0, far as f32, 0.5, 0.25, 100.0 / 130.0, 0.8];
        assert_eq!(row(1), expected);
        assert_eq!(row(2), [0.0; 8]);
    }
}
