//! How a browser draws a block: font, colors, place, and the space around it.

use crate::families::visual::GENIEKNOWS;
use crate::{Column, Family, Grid, PageContext, share};
use std::collections::BTreeMap;
use threshr_html::{Color, Geometry, Lines, Style};

const VIPS: &str = "VIPS (Cai et al., Microsoft Research 2003)";
const OWN: &str = "threshr";

/// Blocks before and after a block among which its neighbours on the page are searched.
const REACH: usize = 64;

/// Edges and widths that differ by at most this count as equal, in CSS pixels.
const SAME: f64 = 2.0;

/// Distance of two backgrounds or text colors from which they differ.
const DIFFERENT: f64 = 0.02;

/// The family.
pub(crate) struct Drawn;

/// Name, unit, definition, source.
const COLUMNS: &[(&str, &str, &str, &str)] = &[
    (
        "has_style",
        "flag",
        "1 if the geometry file is of version 2 and draws the block; else all columns are 0",
        OWN,
    ),
    (
        "font_size",
        "octaves",
        "log2 of the font size / that of most characters of the page, clamped to -3–3",
        GENIEKNOWS,
    ),
    ("font_weight", "ratio", "(font weight - that of most characters of the page) / 300", VIPS),
    ("contrast", "ratio", "contrast of text and background by WCAG 2.2, from 1 to 21", OWN),
    ("text_color", "ratio", "distance of the text color from that of most characters, from 0 to 1", VIPS),
    ("background", "ratio", "distance of the background from that of most characters, from 0 to 1", VIPS),
    ("opacity", "ratio", "opacity, from 0 to 1", OWN),
    ("is_visible", "flag", "1 if it is visible, not transparent and not outside of the page", OWN),
    ("paint_order", "ratio", "rank in the order of painting / the greatest rank of a block", OWN),
    (
        "centre_x",
        "ratio",
        "distance of its centre from the middle of the page / half of the width, at most 2",
        GENIEKNOWS,
    ),
    ("centre_y", "ratio", "its centre / height of the page, clamped to 0–1", GENIEKNOWS),
    ("area", "ratio", "its area / that of the page, at most 1", GENIEKNOWS),
    (
        "text_width",
        "ratio",
        "width of the lines of its own text / width of the page; 0 without text of its own",
        OWN,
    ),
    ("num_lines", "lines", "log2 of 1 + number of lines of its own text", OWN),
    (
        "indent",
        "ratio",
        "(left edge - left edge of most characters) / width of the page, clamped to -1–1",
        GENIEKNOWS,
    ),
    (
        "same_indent",
        "ratio",
        "share of previous and next block with the same left edge (2 pixels)",
        GENIEKNOWS,
    ),
    ("same_width", "ratio", "share of previous and next block with the same width (2 pixels)", GENIEKNOWS),
    (
        "space_above",
        "octaves",
        "log2 of 1 + pixels to the next block above, among 64 before and after it",
        VIPS,
    ),
    (
        "space_below",
        "octaves",
        "log2 of 1 + pixels to the next block below, among 64 before and after it",
        VIPS,
    ),
    (
        "space_left",
        "octaves",
        "log2 of 1 + pixels to the next block on the left, among 64 before and after it",
        VIPS,
    ),
    (
        "space_right",
        "octaves",
        "log2 of 1 + pixels to the next block on the right, among 64 before and after it",
        VIPS,
    ),
    (
        "separator_before",
        "signs",
        "signs of a separator to the previous block: space of more than a font size, other background, other font \
         size, other font weight; from 0 to 4",
        VIPS,
    ),
    ("separator_after", "signs", "the same to the next block", VIPS),
];

/// What is known of a block.
struct Facts {
    style: Style,
    /// Left, top, right, bottom.
    edges: [f64; 4],
    order: f64,
    lines: Option<Lines>,
    num_chars: u32,
}

impl Family for Drawn {
    fn name(&self) -> &'static str {
        "drawn"
    }
    fn summary(&self) -> &'static str {
        "font, colors, place and space around a block in the drawn page; 0 without a geometry file of version 2 \
         next to the page (threshr render)"
    }
    fn columns(&self) -> Vec<Column> {
        COLUMNS.iter().map(|&(name, unit, text, source)| Column::of(name, unit, text, source)).collect()
    }

    fn is_in_all(&self) -> bool {
        false
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let Some(geometry) = page.doc.geometry() else { return };
        let Some([page_width, page_height]) = geometry.page_size() else { return };
        let facts: Vec<Option<Facts>> = (0..page.len()).map(|i| facts(page, geometry, i)).collect();
        let body = Body::of(&facts);
        let greatest = facts.iter().flatten().map(|f| f.order).fold(0.0, f64::max);
        for (index, here) in facts.iter().enumerate() {
            let Some(f) = here else { continue };
            let [left, top, right, bottom] = f.edges;
            let (width, height) = (right - left, bottom - top);
            let previous = index.checked_sub(1).and_then(|i| facts[i].as_ref());
            let next = facts.get(index + 1).and_then(Option::as_ref);
            let [above, below, to_left, to_right] = space(&facts, index, [page_width, page_height]);
            let is_on_page = right > 0.0 && bottom > 0.0 && left < page_width && top < page_height;
            let is_visible =
                f.style.visible && f.style.opacity > 0.0 && is_on_page && width > 0.0 && height > 0.0;
            let half = page_width / 2.0;
            let values = [
                1.0,
                octaves(f.style.font_size, body.font_size),
                (f.style.font_weight - body.font_weight) / 300.0,
                f.style.contrast(),
                f.style.color.distance(body.color),
                f.style.background.distance(body.background),
                f.style.opacity,
                f64::from(u8::from(is_visible)),
                share(f.order, greatest),
                share(((left + right) / 2.0 - half).abs(), half).min(2.0),
                share((top + bottom) / 2.0, page_height).clamp(0.0, 1.0),
                share(width * height, page_width * page_height).min(1.0),
                f.lines.map_or(0.0, |l| share(l.bounds[2], page_width).min(1.0)),
                f.lines.map_or(0.0, |l| log(f64::from(l.number))),
                share(left - body.left, page_width).clamp(-1.0, 1.0),
                same(previous, next, |other| (other.edges[0] - left).abs() <= SAME),
                same(previous, next, |other| (other.edges[2] - other.edges[0] - width).abs() <= SAME),
                log(above),
                log(below),
                log(to_left),
                log(to_right),
                previous.map_or(0.0, |p| separators(p, f)),
                next.map_or(0.0, |n| separators(f, n)),
            ];
            out.set_all(0, index, &values.map(|v| v as f32));
        }
    }
}

/// What the file says of a block; `None` if its element is not drawn.
fn facts(page: &PageContext<'_>, geometry: &Geometry, i: usize) -> Option<Facts> {
    let block = page.block(i);
    let drawn = |node| Some((geometry.style(node)?, geometry.outline(node)?));
    let (_, outline) = drawn(block.node).or_else(|| drawn(block.leaf))?;
    let (style, _) = drawn(block.leaf).or_else(|| drawn(block.node))?;
    let order = geometry.paint_order(block.leaf).or_else(|| geometry.paint_order(block.node));
    Some(Facts {
        style: *style,
        edges: outline.edges(),
        order: order.map_or(0.0, f64::from),
        lines: geometry.lines(block.node).or_else(|| geometry.lines(block.leaf)).copied(),
        num_chars: page.stats[i].num_chars,
    })
}

/// What most characters of the page have.
struct Body {
    font_size: f64,
    font_weight: f64,
    color: Color,
    background: Color,
    left: f64,
}

impl Body {
    fn of(facts: &[Option<Facts>]) -> Self {
        let most = |value: fn(&Facts) -> u64| {
            let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
            for f in facts.iter().flatten() {
                *counts.entry(value(f)).or_default() += u64::from(f.num_chars);
            }
            // of equal counts the first value
            let best = counts.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
            best.map_or(0, |(&value, _)| value)
        };
        let color = |packed: u64| {
            let [_, r, g, b] = (packed as u32).to_be_bytes();
            Color([r, g, b])
        };
        Body {
            font_size: f64::from_bits(most(|f| f.style.font_size.to_bits())),
            font_weight: f64::from_bits(most(|f| f.style.font_weight.to_bits())),
            color: color(most(|f| packed(f.style.color))),
            background: color(most(|f| packed(f.style.background))),
            left: f64::from_bits(most(|f| f.edges[0].to_bits())),
        }
    }
}

fn packed(color: Color) -> u64 {
    let [r, g, b] = color.0;
    u64::from(u32::from_be_bytes([0, r, g, b]))
}

/// Pixels of empty space above, below, left and right of a block, up to the edge of the page. A neighbour counts if it
/// is beside the block in the other direction, and not inside or around it.
fn space(facts: &[Option<Facts>], index: usize, page: [f64; 2]) -> [f64; 4] {
    let Some(f) = &facts[index] else { return [0.0; 4] };
    let [left, top, right, bottom] = f.edges;
    let mut space = [top, page[1] - bottom, left, page[0] - right];
    let near = index.saturating_sub(REACH)..facts.len().min(index + REACH + 1);
    for other in near.filter(|&i| i != index).filter_map(|i| facts[i].as_ref()) {
        let [l, t, r, b] = other.edges;
        if l < right && r > left {
            if b <= top {
                space[0] = space[0].min(top - b);
            } else if t >= bottom {
                space[1] = space[1].min(t - bottom);
            }
        }
        if t < bottom && b > top {
            if r <= left {
                space[2] = space[2].min(left - r);
            } else if l >= right {
                space[3] = space[3].min(l - right);
            }
        }
    }
    space.map(|s| s.max(0.0))
}

/// Signs of a separator between two blocks.
fn separators(before: &Facts, after: &Facts) -> f64 {
    let gap = |from: usize, to: usize| {
        (after.edges[from] - before.edges[to]).max(before.edges[from] - after.edges[to])
    };
    let distance = gap(1, 3).max(gap(0, 2));
    let size = before.style.font_size.min(after.style.font_size);
    let signs = [
        distance > size,
        before.style.background.distance(after.style.background) > DIFFERENT,
        octaves(after.style.font_size, before.style.font_size).abs() > 0.05,
        (before.style.font_weight - after.style.font_weight).abs() >= 100.0,
    ];
    signs.into_iter().filter(|&sign| sign).count() as f64
}

/// Share of the neighbours that are there for which `is` holds; 0 without any.
fn same(previous: Option<&Facts>, next: Option<&Facts>, is: impl Fn(&Facts) -> bool) -> f64 {
    let near = || previous.into_iter().chain(next);
    share(near().filter(|other| is(other)).count() as f64, near().count() as f64)
}

fn octaves(value: f64, of: f64) -> f64 {
    if value > 0.0 && of > 0.0 { (value / of).log2().clamp(-3.0, 3.0) } else { 0.0 }
}

/// log2 of 1 + a value.
fn log(value: f64) -> f64 {
    value.ln_1p() / std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FeatureSet;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    /// The columns of a page with a heading over a column of text and a dark box beside it.
    fn column(name: &str) -> Vec<f32> {
        let mut doc = parse_str("<h1>Mills</h1><p>A long text of the page<div>Menu</div><p>End of it here");
        let json = br##"{"format":"threshr-geometry","version":2,"page":[1000,500],"styles":[
            {"font_size":32,"font_weight":700,"color":"#000000","background":"#ffffff","opacity":1,"visible":true},
            {"font_size":16,"font_weight":400,"color":"#000000","background":"#ffffff","opacity":1,"visible":true},
            {"font_size":8,"font_weight":400,"color":"#ffffff","background":"#000000","opacity":0.5,"visible":false}],
            "elements":{
            "/html/body/h1":{"shape":[100,0,600,40],"style":0,"order":1,"text":{"box":[100,0,100,40],"lines":1}},
            "/html/body/p":{"shape":[100,71,600,100],"style":1,"order":2,"text":{"box":[100,71,500,100],"lines":7}},
            "/html/body/div":{"shape":[800,71,200,50],"style":2,"order":4},
            "/html/body/p[2]":{"shape":[100,171,600,29],"style":1,"order":2}}}"##;
        doc.attach_geometry(json).expect("read");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        assert_eq!(blocks.len(), 4);
        let set = FeatureSet::parse(&format!("drawn.{name}"), &[]).expect("the column exists");
        set.extract(&PageContext::new(&doc, &blocks)).values().iter().copied().collect()
    }

    #[test]
    fn fonts_and_colors_are_relative_to_most_characters() {
        assert_eq!(column("has_style"), [1.0; 4]);
        assert_eq!(column("font_size"), [1.0, 0.0, -1.0, 0.0]);
        assert_eq!(column("font_weight"), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(column("contrast"), [21.0; 4]);
        assert_eq!(column("background"), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(column("text_color"), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!((column("opacity")[2], column("is_visible")), (0.5, vec![1.0, 1.0, 0.0, 1.0]));
        assert_eq!(column("paint_order"), [0.25, 0.5, 1.0, 0.5]);
    }

    #[test]
    fn places_are_relative_to_the_page() {
        assert_eq!(column("centre_x"), [0.2, 0.2, 0.8, 0.2]);
        assert_eq!(column("centre_y")[0], 0.04);
        assert_eq!(column("area")[1], 0.12);
        assert_eq!(column("text_width"), [0.1, 0.5, 0.0, 0.0]);
        assert_eq!(column("num_lines"), [1.0, 3.0, 0.0, 0.0]);
        assert_eq!(column("indent"), [0.0, 0.0, 0.7, 0.0]);
        // heading and text; heading for the text but not the box; none for the box; the box for the end
        assert_eq!(column("same_indent"), [1.0, 0.5, 0.0, 0.0]);
        assert_eq!(column("same_width"), [1.0, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn separators_are_spaces_and_changes() {
        // 31 pixels between heading and text
        assert_eq!(column("space_below")[0], 5.0);
        assert_eq!(column("space_above"), [0.0, 5.0, 72f64.log2() as f32, 0.0]);
        // 100 pixels between text and box
        assert_eq!(
            (column("space_right")[1], column("space_left")[2]),
            (101f64.log2() as f32, 101f64.log2() as f32)
        );
        // heading and text: space, size, weight; text and box: space, background, size
        assert_eq!(column("separator_before"), [0.0, 3.0, 3.0, 3.0]);
        assert_eq!(column("separator_after"), [3.0, 3.0, 3.0, 0.0]);
    }

    #[test]
    fn a_file_of_version_1_gives_no_columns() {
        let mut doc = parse_str("<p>a<p>b");
        let json = br#"{"format":"threshr-geometry","version":1,"boxes":{"/html/body/p":[0,0,60,80]}}"#;
        doc.attach_geometry(json).expect("read");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let set = FeatureSet::parse("drawn", &[]).expect("the set exists");
        let matrix = set.extract(&PageContext::new(&doc, &blocks));
        assert!(matrix.values().iter().all(|&v| v == 0.0));
    }
}
