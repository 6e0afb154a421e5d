//! Geometry of a snapshot, assigned to the elements of the HTML that is written for the snapshot.

use crate::html::{self, MARK};
use crate::snapshot::{Document as Drawing, Snapshot};
use rustc_hash::FxHashMap;
use threshr_core::{Budget, Error, ErrorKind, Result};
use threshr_html::{
    Color, Document, DrawnElement, DrawnPage, Kind, Lines, NodeId, ParseOptions, Shape, Style, element_paths,
    parse_within,
};

/// Maximum total length of the paths of all elements, in bytes.
const MAX_PATHS: usize = 32 << 20;

/// Maximum number of inline ancestors whose outlines a text node contributes to.
const MAX_INLINE: usize = 64;

/// Maximum share of the rendered elements that may be lost when the written HTML is parsed.
const MAX_LOST: f64 = 0.01;

const ELEMENT: i64 = 1;

/// A rectangle: x, y, width, height.
type Rectangle = [f64; 4];

/// Elements that the parser creates without a start tag, and `base`, which is written without the attribute
/// [`MARK`].
const IMPLIED: [&str; 9] = ["html", "head", "body", "base", "tbody", "tr", "colgroup", "p", "br"];

/// Returns the geometry of a page, and the number of elements in which the parsed page differs from the rendered one.
///
/// `marked` is the HTML of the page in which each element has the attribute [`MARK`], and `plain` is the HTML
/// without it. Both are parsed. An element of `plain` corresponds to the rendered element whose node number is at
/// the same position of `marked`. Three differences are counted: rendered elements that are missing after parsing,
/// rendered elements with another parent, and parsed elements that are neither rendered nor [`IMPLIED`].
///
/// # Errors
/// - The name of an element differs between the parsed page and the browser.
/// - The missing and the added elements are more than 1 % of the rendered elements.
/// - The page is too large, or the budget is exhausted.
pub(crate) fn of(
    snapshot: &Snapshot,
    page: &Drawing,
    marked: &str,
    plain: &str,
    budget: &Budget,
) -> Result<(DrawnPage, usize)> {
    let drawn = Drawn::read(snapshot, page);
    let options = ParseOptions::default();
    let with_marks = parse_within(marked.as_bytes(), &options, budget)?;
    let without = parse_within(plain.as_bytes(), &options, budget)?;
    let paths = element_paths(&without, MAX_PATHS)
        .ok_or_else(|| Error::new(ErrorKind::TooLarge, "the paths of the rendered page are too long"))?;
    let marks: Vec<NodeId> = elements(&with_marks).collect();
    if marks.len() != paths.len() {
        return Err(unlike(format!("{} elements with marks, {} without", marks.len(), paths.len())));
    }
    let mut out = DrawnPage::new([page.content_width, page.content_height].map(rounded));
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    let mut is_found = vec![false; page.nodes.node_type.len()];
    // For each parsed element, the corresponding rendered element, or else the rendered element that contains
    // the parsed element.
    let mut around: FxHashMap<NodeId, usize> = FxHashMap::default();
    let (mut num_found, mut num_added, mut num_moved) = (0, 0, 0);
    for (step, ((node, path), mark)) in paths.into_iter().zip(marks).enumerate() {
        budget.check_at(step)?;
        if without.name(node) != with_marks.name(mark) {
            return Err(unlike(format!(
                "<{}> with marks, <{}> without",
                with_marks.name(mark),
                without.name(node)
            )));
        }
        let parent = with_marks.parent(mark).and_then(|p| around.get(&p).copied());
        let number = with_marks.attribute(mark, MARK).and_then(|n| n.parse::<usize>().ok());
        let Some(number) = number.filter(|&n| n < is_found.len()) else {
            num_added += usize::from(!IMPLIED.contains(&without.name(node)));
            around.extend(parent.map(|p| (mark, p)));
            continue;
        };
        around.insert(mark, number);
        let name = snapshot.text(page.nodes.node_name[number]);
        if !name.eq_ignore_ascii_case(without.name(node)) {
            return Err(unlike(format!("<{}> for the rendered element <{name}>", without.name(node))));
        }
        // If an element is closed in the wrong order, the parser creates several elements. The first one is
        // the rendered element.
        if std::mem::replace(&mut is_found[number], true) {
            continue;
        }
        let Some((shape, style, order)) = drawn.element(number) else { continue };
        num_found += 1;
        num_moved += usize::from(parent != written_parent(snapshot, page, number));
        let next = out.styles.len() as u32;
        let style = *numbers.entry(format!("{style:?}")).or_insert_with(|| {
            out.styles.push(style);
            next
        });
        let text = drawn.lines.get(&number).copied();
        out.elements.insert(path, DrawnElement { shape, style, order, text });
    }
    let num_drawn = (0..page.nodes.node_type.len()).filter(|&n| drawn.element(n).is_some()).count();
    let num_missing = num_drawn - num_found;
    if (num_missing + num_added) as f64 > 1.0 + MAX_LOST * num_drawn as f64 {
        return Err(unlike(format!(
            "{num_missing} of {num_drawn} rendered elements missing, {num_added} added"
        )));
    }
    Ok((out, num_missing + num_added + num_moved))
}

/// Returns the closest ancestor that is written as an element.
fn written_parent(snapshot: &Snapshot, page: &Drawing, node: usize) -> Option<usize> {
    let above = |n: usize| usize::try_from(page.nodes.parent_index[n]).ok();
    std::iter::successors(above(node), |&n| above(n))
        .find(|&n| page.nodes.node_type[n] == ELEMENT && html::name(snapshot, page, n).is_some())
}

fn unlike(found: String) -> Error {
    Error::data(format!("the HTML of the rendered page does not parse to the rendered elements: {found}"))
}

fn elements(doc: &Document) -> impl Iterator<Item = NodeId> {
    doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Element)
}

/// Rendering of each node.
struct Drawn {
    /// Rectangle, style and paint order of each node that has a box.
    boxes: Vec<Option<(Rectangle, Style, u32)>>,
    /// Outlines of inline elements that span several lines.
    outlines: FxHashMap<usize, Vec<[f64; 2]>>,
    /// Lines of the text that is directly inside an element.
    lines: FxHashMap<usize, Lines>,
}

impl Drawn {
    fn read(snapshot: &Snapshot, page: &Drawing) -> Self {
        let (nodes, layout) = (&page.nodes, &page.layout);
        let num = nodes.node_type.len();
        let mut layout_of: Vec<Option<usize>> = vec![None; num];
        for (i, &node) in layout.node_index.iter().enumerate() {
            let slot = usize::try_from(node).ok().and_then(|n| layout_of.get_mut(n));
            if let Some(slot) = slot {
                slot.get_or_insert(i);
            }
        }
        let style = |node: usize, name: usize| {
            let texts = layout_of[node].map(|i| &layout.styles[i])?;
            texts.get(name).map(|&t| snapshot.text(t))
        };
        let mut behind: Vec<Behind> = Vec::with_capacity(num);
        let mut boxes = vec![None; num];
        let mut is_inline = vec![false; num];
        let pseudo = nodes.pseudo_elements();
        for node in 0..num {
            let parent = usize::try_from(nodes.parent_index[node]).ok();
            let mut here = parent.and_then(|p| behind.get(p).copied()).unwrap_or_default();
            if nodes.node_type[node] == ELEMENT && layout_of[node].is_some() {
                let [size, weight, color, background, visibility, opacity, display] =
                    [0, 1, 2, 3, 4, 5, 6].map(|name| style(node, name).unwrap_or_default());
                if let Some(([r, g, b], alpha)) = parsed_color(background) {
                    here.color = blended([r, g, b], alpha, here.color);
                }
                here.opacity *= opacity.parse::<f64>().unwrap_or(1.0).clamp(0.0, 1.0);
                // If the notation of a color is not supported, the color of the parent is used.
                if let Some((color, alpha)) = parsed_color(color) {
                    here.text = blended(color, alpha, here.color);
                }
                is_inline[node] = display == "inline";
                let number = |text: &str, unit: &str| text.trim_end_matches(unit).parse::<f64>().ok();
                let drawn = Style {
                    font_size: rounded(number(size, "px").unwrap_or(0.0).clamp(0.0, 1e6)),
                    font_weight: number(weight, "").unwrap_or(400.0).clamp(0.0, 1000.0),
                    color: whole(here.text),
                    background: whole(here.color),
                    opacity: rounded(here.opacity),
                    visible: visibility == "visible",
                };
                let at = layout_of[node].unwrap_or_default();
                let order = layout.paint_orders.get(at).copied().unwrap_or(0);
                let [x, y, width, height] = layout.bounds[at].map(rounded);
                let bounds = [x, y, width.max(0.0) + 0.0, height.max(0.0) + 0.0];
                let order = u32::try_from(order).unwrap_or(0);
                boxes[node] = Some((bounds, drawn, order)).filter(|_| !pseudo.contains(&node));
            }
            behind.push(here);
        }
        let mut own: FxHashMap<usize, Vec<Rectangle>> = FxHashMap::default();
        let mut inline: FxHashMap<usize, Vec<Rectangle>> = FxHashMap::default();
        for (&at, &bounds) in page.text_boxes.layout_index.iter().zip(&page.text_boxes.bounds) {
            let Some(node) = layout.node_index.get(at).and_then(|&n| usize::try_from(n).ok()) else {
                continue;
            };
            let above = |n: usize| nodes.parent_index.get(n).and_then(|&p| usize::try_from(p).ok());
            let Some(parent) = above(node).filter(|&p| nodes.node_type[node] != ELEMENT && p < num) else {
                continue;
            };
            own.entry(parent).or_default().push(bounds);
            for around in std::iter::successors(Some(parent), |&n| above(n)).take(MAX_INLINE) {
                if !is_inline[around] {
                    break;
                }
                inline.entry(around).or_default().push(bounds);
            }
        }
        let lines = own.into_iter().map(|(node, boxes)| (node, lines(boxes))).collect();
        let outlines = inline.into_iter().filter_map(|(node, boxes)| Some((node, outline(boxes)?))).collect();
        Drawn { boxes, outlines, lines }
    }

    /// Returns outline, style and paint order of an element. Returns `None` if the element has no box.
    fn element(&self, node: usize) -> Option<(Shape, Style, u32)> {
        let (bounds, style, order) = self.boxes[node]?;
        let shape = self.outlines.get(&node).cloned().map_or(Shape::Rectangle(bounds), Shape::Polygon);
        Some((shape, style, order))
    }
}

/// Rendering properties that a node inherits from its ancestors.
#[derive(Clone, Copy)]
struct Behind {
    /// Background color.
    color: [f64; 3],
    text: [f64; 3],
    opacity: f64,
}

impl Default for Behind {
    fn default() -> Self {
        Behind { color: [255.0; 3], text: [0.0; 3], opacity: 1.0 }
    }
}

/// Parses a computed color: `rgb(…)`, `rgba(…)`, `color(srgb …)`. Returns red, green and blue from 0 to
/// 255, and alpha from 0 to 1.
fn parsed_color(text: &str) -> Option<([f64; 3], f64)> {
    let (function, rest) = text.strip_suffix(')')?.split_once('(')?;
    let rest = rest
        .strip_prefix("srgb ")
        .filter(|_| function == "color")
        .or((function != "color").then_some(rest))?;
    let scale = match function {
        "rgb" | "rgba" => 1.0,
        "color" => 255.0,
        _ => return None,
    };
    let numbers: Option<Vec<f64>> =
        rest.split([',', ' ', '/']).filter(|t| !t.is_empty()).map(|t| t.parse().ok()).collect();
    let (color, alpha) = match numbers?[..] {
        [r, g, b] => ([r, g, b], 1.0),
        [r, g, b, alpha] => ([r, g, b], alpha),
        _ => return None,
    };
    Some((color.map(|c: f64| (c * scale).clamp(0.0, 255.0)), alpha.clamp(0.0, 1.0)))
}

fn blended(color: [f64; 3], alpha: f64, behind: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| alpha * color[i] + (1.0 - alpha) * behind[i])
}

fn whole(color: [f64; 3]) -> Color {
    // All values are between 0 and 255.
    Color(color.map(|c| c.round() as u8))
}

/// Rounds to two decimal places. Limits the value, so that a value and the sum of two values are valid in a
/// geometry file.
fn rounded(value: f64) -> f64 {
    if value.is_finite() { (value * 100.0).round().clamp(-4e10, 4e10) / 100.0 } else { 0.0 }
}

/// Merges text boxes that are next to each other into rows. Returns the rows from top to bottom, each as
/// left, top, right, bottom.
fn rows(mut boxes: Vec<Rectangle>) -> Vec<[f64; 4]> {
    boxes.sort_by(|a, b| a[1].total_cmp(&b[1]).then(a[0].total_cmp(&b[0])));
    let mut rows: Vec<[f64; 4]> = Vec::new();
    for [x, y, width, height] in boxes {
        match rows.last_mut() {
            Some(row) if y + height / 2.0 < row[3] => {
                *row = [row[0].min(x), row[1].min(y), row[2].max(x + width), row[3].max(y + height)];
            }
            _ => rows.push([x, y, x + width, y + height]),
        }
    }
    rows
}

fn lines(boxes: Vec<Rectangle>) -> Lines {
    let rows = rows(boxes);
    let least = |i: usize| rows.iter().map(|r| r[i]).fold(f64::INFINITY, f64::min);
    let most = |i: usize| rows.iter().map(|r| r[i]).fold(f64::NEG_INFINITY, f64::max);
    let (left, top) = (rounded(least(0)), rounded(least(1)));
    // The corner is also rounded, so the size of an empty box may be slightly negative. `max` may return
    // -0; adding 0 converts it to 0.
    let size = [most(2) - left, most(3) - top].map(|s| rounded(s).max(0.0) + 0.0);
    let bounds = [left, top, size[0], size[1]];
    Lines { bounds, number: rows.len() as u32 }
}

/// Returns the outline of text boxes in several rows, clockwise from the upper left corner. Returns `None`
/// if there is only one row. Each row is extended to the start of the next one.
fn outline(boxes: Vec<Rectangle>) -> Option<Vec<[f64; 2]>> {
    let mut rows = rows(boxes);
    if rows.len() < 2 {
        return None;
    }
    for i in 1..rows.len() {
        rows[i - 1][3] = rows[i][1];
    }
    let right = rows.iter().flat_map(|&[_, top, right, bottom]| [[right, top], [right, bottom]]);
    let left = rows.iter().rev().flat_map(|&[left, top, _, bottom]| [[left, bottom], [left, top]]);
    let all: Vec<[f64; 2]> = right.chain(left).map(|v| v.map(rounded)).collect();
    // Starts at the upper left corner, and removes vertices inside edges.
    let mut all: Vec<[f64; 2]> = (0..all.len()).map(|i| all[(i + all.len() - 1) % all.len()]).collect();
    all.dedup();
    let num = all.len();
    let is_corner = |i: usize| {
        let (before, here, after) = (all[(i + num - 1) % num], all[i], all[(i + 1) % num]);
        !(0..2).any(|axis| before[axis] == here[axis] && here[axis] == after[axis])
    };
    let corners: Vec<[f64; 2]> = (0..num).filter(|&i| is_corner(i)).map(|i| all[i]).collect();
    // Boxes without height have no outline.
    (corners.len() >= 3).then_some(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_text_have_an_outline_with_corners() {
        // two full lines and a short third line
        let boxes = vec![[10.0, 130.0, 690.0, 18.0], [10.0, 150.0, 690.0, 18.0], [10.0, 170.0, 310.0, 20.0]];
        let expected =
            [[10.0, 130.0], [700.0, 130.0], [700.0, 170.0], [320.0, 170.0], [320.0, 190.0], [10.0, 190.0]];
        assert_eq!(outline(boxes.clone()).expect("an outline"), expected);
        assert_eq!(lines(boxes), Lines { bounds: [10.0, 130.0, 690.0, 60.0], number: 3 });
        // two boxes form one line
        let pieces = vec![[50.0, 131.0, 20.0, 16.0], [10.0, 130.0, 40.0, 18.0]];
        assert!(outline(pieces.clone()).is_none());
        assert_eq!(lines(pieces), Lines { bounds: [10.0, 130.0, 60.0, 18.0], number: 1 });
        let empty = lines(vec![[10.005, 0.125, 0.0, 0.0]]);
        assert_eq!(empty, Lines { bounds: [10.01, 0.13, 0.0, 0.0], number: 1 });
        assert!(empty.bounds.iter().all(|length| length.is_sign_positive()));
    }

    #[test]
    fn computed_colors_are_read() {
        assert_eq!(parsed_color("rgb(1, 2, 3)"), Some(([1.0, 2.0, 3.0], 1.0)));
        assert_eq!(parsed_color("rgba(255, 0, 0, 0.5)"), Some(([255.0, 0.0, 0.0], 0.5)));
        assert_eq!(parsed_color("color(srgb 1 0 0 / 0.25)"), Some(([255.0, 0.0, 0.0], 0.25)));
        for other in ["", "red", "oklch(0.5 0.1 30)", "color(display-p3 1 0 0)", "rgb(1, 2)"] {
            assert_eq!(parsed_color(other), None, "{other}");
        }
        assert_eq!(whole(blended([255.0, 0.0, 0.0], 0.5, [255.0; 3])), Color([255, 128, 128]));
    }
}
