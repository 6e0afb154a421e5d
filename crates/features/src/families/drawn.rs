//! How a browser renders a block: font, colors, position, and the empty space around it.

use crate::families::visual::GENIEKNOWS;
use crate::{Column, Family, Grid, PageContext, share};
use std::collections::BTreeMap;
use threshr_html::{Color, Geometry, Lines, Style};

const VIPS: &str = "VIPS (Cai et al., Microsoft Research 2003)";
const OWN: &str = "threshr";

/// Number of blocks before and after a block that are searched for its neighbours in the rendered page.
const REACH: usize = 64;

/// Tolerance for equal edges and widths, in CSS pixels.
const SAME: f64 = 2.0;

/// Two background colors or text colors are different if their distance is greater than this.
const DIFFERENT: f64 = 0.02;

/// The family.
pub(crate) struct Drawn;

/// Name, unit, definition, source.
const COLUMNS: &[(&str, &str, &str, &str)] = &[
    (
        "has_style",
        "flag",
        "1 if the geometry file has version 2 and contains the block; otherwise all columns of the family \
         are 0",
        OWN,
    ),
    (
        "font_size",
        "octaves",
        "log2 of (font size / most frequent font size of the page's characters), clamped to -3–3",
        GENIEKNOWS,
    ),
    (
        "font_weight",
        "ratio",
        "(font weight - most frequent font weight of the page's characters) / 300",
        VIPS,
    ),
    ("contrast", "ratio", "contrast of text and background as defined by WCAG 2.2, from 1 to 21", OWN),
    (
        "text_color",
        "ratio",
        "distance of the text color from the most frequent text color of the page's characters, from 0 to 1",
        VIPS,
    ),
    (
        "background",
        "ratio",
        "distance of the background color from the most frequent background color of the page's characters, \
         from 0 to 1",
        VIPS,
    ),
    ("opacity", "ratio", "opacity, from 0 to 1", OWN),
    ("is_visible", "flag", "1 if the block is visible, not transparent and not outside of the page", OWN),
    ("paint_order", "ratio", "rank of the block in the painting order / greatest rank of any block", OWN),
    (
        "centre_x",
        "ratio",
        "horizontal distance of the block's centre from the middle of the page / half of the page's width, \
         at most 2",
        GENIEKNOWS,
    ),
    (
        "centre_y",
        "ratio",
        "vertical position of the block's centre / height of the page, clamped to 0–1",
        GENIEKNOWS,
    ),
    ("area", "ratio", "area of the block / area of the page, at most 1", GENIEKNOWS),
    (
        "text_width",
        "ratio",
        "width of the text lines directly inside the block's element (not in child elements) / width of the \
         page; 0 without such text",
        OWN,
    ),
    (
        "num_lines",
        "lines",
        "log2(1 + n), where n is the number of text lines directly inside the block's element (not in child \
         elements)",
        OWN,
    ),
    (
        "indent",
        "ratio",
        "(left edge - most frequent left edge of the page's characters) / width of the page, clamped to -1–1",
        GENIEKNOWS,
    ),
    (
        "same_indent",
        "ratio",
        "share of the previous and the next block that have the same left edge (tolerance: 2 pixels)",
        GENIEKNOWS,
    ),
    (
        "same_width",
        "ratio",
        "share of the previous and the next block that have the same width (tolerance: 2 pixels)",
        GENIEKNOWS,
    ),
    (
        "space_above",
        "octaves",
        "log2(1 + n), where n is the number of pixels to the nearest block above or to the top of the page; \
         only the 64 blocks before and after the block are considered",
        VIPS,
    ),
    (
        "space_below",
        "octaves",
        "log2(1 + n), where n is the number of pixels to the nearest block below or to the bottom of the \
         page; only the 64 blocks before and after the block are considered",
        VIPS,
    ),
    (
        "space_left",
        "octaves",
        "log2(1 + n), where n is the number of pixels to the nearest block on the left or to the left edge \
         of the page; only the 64 blocks before and after the block are considered",
        VIPS,
    ),
    (
        "space_right",
        "octaves",
        "log2(1 + n), where n is the number of pixels to the nearest block on the right or to the right edge \
         of the page; only the 64 blocks before and after the block are considered",
        VIPS,
    ),
    (
        "separator_before",
        "signs",
        "number of signals (0 to 4) for a visual separator between the block and the previous block: empty \
         space larger than the smaller font size, different background, different font size, different font \
         weight",
        VIPS,
    ),
    (
        "separator_after",
        "signs",
        "number of signals for a visual separator between the block and the next block, as in \
         separator_before",
        VIPS,
    ),
];

/// Rendering of a block.
struct Facts {
    style: Style,
    /// Left, top, right and bottom edge.
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
        "font, colors, position and space around a block in the rendered page; 0 without a geometry file of \
         version 2 next to the page (threshr-render)"
    }
    fn columns(&self) -> Vec<Column> {
        COLUMNS.iter().map(|&(name, unit, text, source)| Column::new(name, unit, text, source)).collect()
    }

    fn is_in_all(&self) -> bool {
        false
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let Some(geometry) = page.doc.geometry() else { return };
        let Some([page_width, page_height]) = geometry.page_size() else { return };
        let facts: Vec<Option<Facts>> = (0..page.len()).map(|i| facts(page, geometry, i)).collect();
        let body = Body::new(&facts);
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

/// Returns the rendering of a block, or `None` if the geometry file has no style and outline for its element.
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

/// The most frequent style values of the page, weighted by characters.
struct Body {
    font_size: f64,
    font_weight: f64,
    color: Color,
    background: Color,
    left: f64,
}

impl Body {
    fn new(facts: &[Option<Facts>]) -> Self {
        let most = |value: fn(&Facts) -> u64| {
            let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
            for f in facts.iter().flatten() {
                *counts.entry(value(f)).or_default() += u64::from(f.num_chars);
            }
            // if counts are equal, the smallest value wins
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

/// Returns the pixels of empty space above, below, left and right of a block. Each distance is measured to
/// the nearest neighbour or to the edge of the page. A neighbour overlaps with the block in the other
/// direction, and is neither inside nor around the block.
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

/// Returns the number of signals for a visual separator between two blocks.
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

/// Returns the share of the existing neighbours for which `is` holds; 0 if there are no neighbours.
fn same(previous: Option<&Facts>, next: Option<&Facts>, is: impl Fn(&Facts) -> bool) -> f64 {
    let near = || previous.into_iter().chain(next);
    share(near().filter(|other| is(other)).count() as f64, near().count() as f64)
}

fn octaves(value: f64, of: f64) -> f64 {
    if value > 0.0 && of > 0.0 { (value / of).log2().clamp(-3.0, 3.0) } else { 0.0 }
}

/// Returns log2(1 + value).
fn log(value: f64) -> f64 {
    value.ln_1p() / std::f64::consts::LN_2
}

#[cfg(test)]
mod tests;
