//! GenieKnows: the importance of a block is a weighted sum of its properties and of its relations to its
//! neighbours.

use crate::linfa::logistic;
use crate::shared::events::blocks_inside;
use ndarray::Array2;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use threshr_core::Budget;
use threshr_core::{Error, Result};
use threshr_extract::baseline::{How, Method, System, SystemInput, SystemOption, option};
use threshr_fit::{Classifiers, TrainingSet};
use threshr_html::text;
use threshr_html::{Geometry, Outline, Tag};
use threshr_models::FittedClassifier;

/// Scores block importance with given weights, or with weights fitted by logistic regression on gold labels.
///
/// The properties are those of the CleanEval overview; see the option `weights`. If a page has a geometry file,
/// position, distance, indent and width are measured on the rendered boxes, and the font size is that of the
/// rendered text (version 2 of the file).
///
/// For blocks without a rendered box, and for pages without a geometry file, substitutes are used. The
/// position is the block's index. The distance is the number of tags between two blocks. The font size comes
/// from headings, `<font size>`, `<big>` and `<small>` around the first text of the block. The indent is the
/// depth of the block's element. Neighbours with the same parent have the same width.
///
/// No weights are published; the default weights were chosen by hand. When weights are fitted, all pages have the
/// same total weight, and a block has the weight log2(2 + words) within its page.
pub(crate) static SYSTEM: System = System {
    name: "genieknows",
    summary: "keeps important blocks: a weighted sum of position, font, length, links, sentences, forms and neighbours",
    source: "GenieKnows, CleanEval 2007",
    options: &[
        SystemOption::new(
            "weights",
            DEFAULT_WEIGHTS,
            "weights without training, of: constant; position (0 first or top, 1 last or bottom); font size (0 normal; steps of a factor of 1.2 if the page is rendered); share of the characters of \
                   the page; share of the links of the page; share of characters in links; share of the sentences of the page; \
                   in a form; has an image; of the neighbours, weighted by distance: share of characters in links, \
                   log of words, same indent, same width (same parent if the page is not rendered); log of words",
        ),
        SystemOption::new("threshold", "0", "a block with a lower importance is dropped"),
    ],
    ..System::new(How::Fitted { train, load, untrained: Some(untrained) })
};

const DEFAULT_WEIGHTS: &str = "[-1.5, -0.5, 0.5, 2, -1, -3, 1, -0.5, 0, -1, 0.3, 0.3, 0.3, 0.5]";

const COLUMNS: [&str; 13] = [
    "position",
    "font_size",
    "length",
    "links",
    "link_density",
    "sentences",
    "in_form",
    "has_image",
    "near_link_density",
    "near_words",
    "near_same_indent",
    "near_same_width",
    "words",
];

#[derive(Debug, Deserialize)]
struct Settings {
    weights: Vec<f64>,
    threshold: f64,
}

#[derive(Debug)]
enum Importance {
    Given(Vec<f64>),
    Fitted(Box<dyn FittedClassifier>),
}

#[derive(Debug)]
struct GenieKnows {
    importance: Importance,
    threshold: f64,
}

fn untrained(settings: &Value) -> Result<Box<dyn Method>> {
    let Settings { weights, threshold } = option::read(settings)?;
    if weights.len() != COLUMNS.len() + 1 {
        return Err(Error::invalid_option(format!("there are {} weights", weights.len())).expected(format!(
            "{}: a constant, and those of {}",
            COLUMNS.len() + 1,
            COLUMNS.join(", ")
        )));
    }
    Ok(Box::new(GenieKnows { importance: Importance::Given(weights), threshold }))
}

fn load(settings: &Value, data: &Value) -> Result<Box<dyn Method>> {
    let Settings { threshold, .. } = option::read(settings)?;
    let model = logistic::CLASSIFIER.kind.load(data, COLUMNS.len())?;
    Ok(Box::new(GenieKnows { importance: Importance::Fitted(model), threshold }))
}

fn train(pages: &[SystemInput<'_>], _: &Value, seed: u64) -> Result<Value> {
    let (mut values, mut y, mut weight, mut page_of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, page) in pages.iter().enumerate() {
        let Some(gold) = page.gold else { continue };
        let of_block = |i| (2.0 + text::words(page.blocks.text(i)).count() as f32).log2();
        let weights: Vec<f32> = (0..page.blocks.len()).map(of_block).collect();
        let sum: f32 = weights.iter().sum();
        weight.extend(weights.iter().map(|w| w / sum));
        values.extend(features(page).into_iter().flatten());
        y.extend_from_slice(gold.labels);
        page_of.resize(y.len(), number as u32);
    }
    let x = Array2::from_shape_vec((y.len(), COLUMNS.len()), values)
        .map_err(|e| Error::features("the matrix has the wrong shape").because(e))?;
    let columns = COLUMNS.map(str::to_owned);
    let set = TrainingSet {
        x: x.view().into(),
        y: &y,
        weight: &weight,
        page: &page_of,
        class: &[],
        columns: &columns,
    };
    Ok((logistic::CLASSIFIER.fit)(&set, &json!({}), seed, &Classifiers::default())?.to_json())
}

impl Method for GenieKnows {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let rows = features(page);
        let importance: Vec<f64> = match &self.importance {
            Importance::Given(weights) => rows.iter().map(|row| weighted(weights, row)).collect(),
            Importance::Fitted(model) => {
                let x =
                    Array2::from_shape_vec((rows.len(), COLUMNS.len()), rows.into_iter().flatten().collect());
                let x = x.unwrap_or_else(|_| Array2::zeros((page.blocks.len(), COLUMNS.len())));
                let decisions = threshr_models::decide(model.as_ref(), x.view(), &Budget::UNLIMITED);
                let decisions =
                    decisions.unwrap_or_else(|e| unreachable!("loading has checked the columns: {e}"));
                decisions.into_iter().map(f64::from).collect()
            }
        };
        importance.into_iter().map(|i| i >= self.threshold).collect()
    }
}

fn weighted(weights: &[f64], row: &[f32; 13]) -> f64 {
    weights[0] + weights[1..].iter().zip(row).map(|(w, &v)| w * f64::from(v)).sum::<f64>()
}

/// The measurements of a block.
struct Facts {
    num_chars: f32,
    num_linked: f32,
    num_links: f32,
    num_sentences: f32,
    log_words: f32,
    depth: u32,
    parent: Option<u32>,
    /// Left, top, right and bottom edge of its rendered box; `None` if it has no box.
    place: Option<[f64; 4]>,
}

/// Ratio of two adjacent font sizes, as in CSS 2.
const SIZE_STEP: f64 = 1.2;

/// Maximum difference between edges or widths that count as equal, in CSS pixels.
const SAME: f64 = 2.0;

/// Distance in CSS pixels that counts as much as one tag between blocks, about a line of text.
const LINE: f64 = 16.0;

/// Returns one row per block, with the columns of [`COLUMNS`].
fn features(page: &SystemInput<'_>) -> Vec<[f32; 13]> {
    let depths = depths(page);
    let facts: Vec<Facts> = (0..page.blocks.len()).map(|i| facts(page, i, &depths)).collect();
    let sum = |value: fn(&Facts) -> f32| facts.iter().map(value).sum::<f32>().max(1.0);
    let (chars, links, sentences) = (sum(|f| f.num_chars), sum(|f| f.num_links), sum(|f| f.num_sentences));
    let in_form = blocks_inside(page.blocks, |node| page.doc.tag(node) == Tag::FORM);
    let has_image = images(page);
    let sizes = drawn_sizes(page, &facts);
    let bottom = page.doc.geometry().and_then(Geometry::page_size).map_or_else(
        || facts.iter().filter_map(|f| f.place).map(|p| p[3]).fold(0.0, f64::max),
        |[_, height]| height,
    );
    let row = |i: usize| {
        let f = &facts[i];
        let near = near(page, &facts, i);
        let position = match f.place {
            Some([_, top, _, end]) if bottom > 0.0 => ((top + end) / 2.0 / bottom).clamp(0.0, 1.0) as f32,
            _ => i as f32 / (facts.len().max(2) - 1) as f32,
        };
        [
            position,
            sizes[i].unwrap_or_else(|| font_size(page, i)),
            f.num_chars / chars,
            f.num_links / links,
            density(f),
            f.num_sentences / sentences,
            f32::from(u8::from(in_form[i])),
            f32::from(u8::from(has_image[i])),
            near[0],
            near[1],
            near[2],
            near[3],
            f.log_words,
        ]
    };
    (0..facts.len()).map(row).collect()
}

fn density(facts: &Facts) -> f32 {
    facts.num_linked / facts.num_chars.max(1.0)
}

/// Weighted means of four values of the adjacent blocks: link density, log of words, same indent and same width.
/// The weights are 1 / (1 + distance). The distance is in lines if both blocks have rendered boxes, otherwise in
/// tags.
fn near(page: &SystemInput<'_>, facts: &[Facts], i: usize) -> [f32; 4] {
    let (mut sums, mut all) = ([0.0; 4], 0.0);
    let gap = |i: usize| page.blocks.get(i).map_or(0, |b| b.gap_tags) as f32;
    let before = i.checked_sub(1).map(|j| (j, gap(i)));
    let after = (i + 1 < facts.len()).then(|| (i + 1, gap(i + 1)));
    for (j, tags) in before.into_iter().chain(after) {
        let (f, here) = (&facts[j], &facts[i]);
        let (distance, same_indent, same_width) = match (f.place, here.place) {
            (Some(a), Some(b)) => {
                let is_same = |a: f64, b: f64| (a - b).abs() <= SAME;
                let gap = |start: usize, end: usize| (a[start] - b[end]).max(b[start] - a[end]).max(0.0);
                let pixels = gap(0, 2).hypot(gap(1, 3));
                ((pixels / LINE) as f32, is_same(a[0], b[0]), is_same(a[2] - a[0], b[2] - b[0]))
            }
            _ => (tags, f.depth == here.depth, f.parent == here.parent),
        };
        let weight = 1.0 / (1.0 + distance);
        let same = |is: bool| f32::from(u8::from(is));
        let values = [density(f), f.log_words, same(same_indent), same(same_width)];
        sums.iter_mut().zip(values).for_each(|(s, v)| *s += weight * v);
        all += weight;
    }
    if all == 0.0 { sums } else { sums.map(|s| s / all) }
}

/// Returns the rendered font size of each block, in steps relative to the size of most characters on the page;
/// `None` if the block has no rendered text.
fn drawn_sizes(page: &SystemInput<'_>, facts: &[Facts]) -> Vec<Option<f32>> {
    let size = |i: usize| {
        let (geometry, block) = (page.doc.geometry()?, page.blocks.get(i)?);
        let style = geometry.style(block.leaf).or_else(|| geometry.style(block.node))?;
        (style.font_size > 0.0).then_some(style.font_size)
    };
    let sizes: Vec<Option<f64>> = (0..facts.len()).map(size).collect();
    let mut counts: BTreeMap<u64, f32> = BTreeMap::new();
    for (size, f) in sizes.iter().zip(facts).filter_map(|(s, f)| Some(((*s)?, f))) {
        *counts.entry(size.to_bits()).or_default() += f.num_chars;
    }
    let most = counts.iter().max_by(|a, b| a.1.total_cmp(b.1)).map_or(1.0, |(&bits, _)| f64::from_bits(bits));
    let steps = |size: f64| ((size / most).ln() / SIZE_STEP.ln()).clamp(-3.0, 4.0) as f32;
    sizes.into_iter().map(|size| size.map(steps)).collect()
}

fn facts(page: &SystemInput<'_>, i: usize, depths: &[u32]) -> Facts {
    let (blocks, doc) = (page.blocks, page.doc);
    let num = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count() as f32;
    let text = blocks.text(i);
    let node = blocks.get(i).map_or(0, |b| b.node);
    let outline =
        doc.geometry().zip(blocks.get(i)).and_then(|(geometry, block)| geometry.block_outline(block));
    let linked = || blocks.spans(i).iter().filter(|s| s.link.is_some());
    let mut links: Vec<_> = linked().map(|s| s.link).collect();
    links.dedup();
    Facts {
        num_chars: num(text),
        num_linked: linked().map(|s| num(blocks.slice(&s.text))).sum(),
        num_links: links.len() as f32,
        num_sentences: text
            .chars()
            .filter(|c| matches!(c, '.' | ',' | '!' | '?' | '。' | '，' | '！' | '？'))
            .count() as f32,
        log_words: (1.0 + text::words(text).count() as f32).ln(),
        depth: depths[node as usize],
        parent: doc.parent(node),
        place: outline.map(Outline::edges),
    }
}

/// Returns the depth of every visible element.
fn depths(page: &SystemInput<'_>) -> Vec<u32> {
    let mut depths = vec![0; page.doc.num_nodes()];
    // parents precede their children
    for &element in page.blocks.elements() {
        depths[element as usize] = 1 + page.doc.parent(element).map_or(0, |p| depths[p as usize]);
    }
    depths
}

/// Returns whether each block has an image inside it or directly before it.
fn images(page: &SystemInput<'_>) -> Vec<bool> {
    let mut found = vec![false; page.blocks.len()];
    for &element in page.blocks.elements().iter().filter(|&&e| page.doc.tag(e) == Tag::IMG) {
        if let Some(found) = found.get_mut(page.blocks.extent(element).blocks.start as usize) {
            *found = true;
        }
    }
    found
}

/// Returns the font size of the block's first text relative to running text. The closest ancestor that sets a size
/// determines it.
fn font_size(page: &SystemInput<'_>, i: usize) -> f32 {
    let (doc, Some(block)) = (page.doc, page.blocks.get(i)) else { return 0.0 };
    // the limit bounds the time on deep pages; sizes are usually set on a close ancestor
    for node in doc.ancestors_and_self(block.leaf).take(8) {
        match doc.tag(node) {
            Tag::H1 => return 3.0,
            Tag::H2 => return 2.0,
            Tag::H3 | Tag::BIG => return 1.0,
            Tag::H5 | Tag::SMALL | Tag::SUB | Tag::SUP => return -1.0,
            Tag::H6 => return -2.0,
            Tag::FONT => {
                if let Some(size) = doc.attribute(node, "size").and_then(font) {
                    return size;
                }
            }
            _ => {}
        }
    }
    0.0
}

/// Returns `<font size>` minus the normal size 3. A value with a plus or minus sign is already relative.
fn font(size: &str) -> Option<f32> {
    let number: f32 = size.trim().parse().ok()?;
    let relative = if size.trim().starts_with(['+', '-']) { number } else { number - 3.0 };
    Some(relative.clamp(-3.0, 4.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_extract::baseline::{SystemChoice, SystemGold};
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    const PAGE: &str = "<p><a href=/>Home</a> <a href=/n>News</a></p><form><p>Find</p></form>\
        <h1>Title</h1><p><font size='+1'>One two, three. Four!</font></p>";

    #[test]
    fn features_by_hand() {
        let doc = parse_str(PAGE);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let rows = features(&SystemInput::new(&doc, &blocks));
        // characters: 8, 4, 5 and 18 of 35; links: 2 of 2 in the first block; sentence ends: 3 of 3 in the last
        // block
        let column = |name: &str| -> Vec<f32> {
            let at = COLUMNS.iter().position(|c| *c == name).expect("a column");
            rows.iter().map(|r| r[at]).collect()
        };
        assert_eq!(column("position"), [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
        assert_eq!(column("font_size"), [0.0, 0.0, 3.0, 1.0]);
        assert_eq!(column("length"), [8.0 / 35.0, 4.0 / 35.0, 5.0 / 35.0, 18.0 / 35.0]);
        assert_eq!(
            (column("links"), column("link_density")),
            (vec![1.0, 0.0, 0.0, 0.0], vec![1.0, 0.0, 0.0, 0.0])
        );
        assert_eq!((column("sentences")[3], column("in_form")), (1.0, vec![0.0, 1.0, 0.0, 0.0]));
        // 3 tags before Find (</p><form><p>) and 3 tags after it (</p></form><h1>): both neighbours have the
        // weight 1/4; all text of one neighbour is linked
        assert_eq!(column("near_link_density")[1], 0.5);
        // Home and Title have the same parent, body; the parent of Find is the form
        assert_eq!((column("near_same_width")[1], column("near_same_width")[3]), (0.0, 1.0));
        // weight 1 for the constant and for the position, 0 for all other columns
        let mut weights = vec![0.0; 14];
        (weights[0], weights[1]) = (1.0, 1.0);
        assert_eq!(weighted(&weights, &rows[3]), 2.0);
    }

    #[test]
    fn a_drawn_page_has_its_own_places_and_fonts() {
        let mut doc = parse_str("<h1>Title</h1><p>Some text of it</p><div>Beside</div><p>Not drawn</p>");
        let styles: Vec<String> = [24.0, 16.0]
            .iter()
            .map(|size| {
                format!(r##"{{"font_size":{size},"font_weight":400,"color":"#000000","background":"#ffffff","opacity":1,"visible":true}}"##)
            })
            .collect();
        let json = format!(
            r#"{{"format":"threshr-geometry","version":2,"page":[1000,400],"styles":[{}],"elements":{{
                "/html/body/h1":{{"shape":[100,0,600,40],"style":0,"order":1}},
                "/html/body/p":{{"shape":[101,72,600,100],"style":1,"order":1}},
                "/html/body/div":{{"shape":[733,72,100,100],"style":1,"order":1}}}}}}"#,
            styles.join(",")
        );
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let plain = features(&SystemInput::new(&doc, &blocks));
        doc.attach_geometry(json.as_bytes()).expect("read");
        let rows = features(&SystemInput::new(&doc, &blocks));
        let at = |name: &str| COLUMNS.iter().position(|c| *c == name).expect("a column");
        let column = |name: &str| -> Vec<f32> { rows.iter().map(|r| r[at(name)]).collect() };
        assert_eq!(column("position")[..3], [0.05, 122.0 / 400.0, 122.0 / 400.0]);
        assert_eq!(column("font_size")[0], (1.5f64.ln() / 1.2f64.ln()) as f32);
        assert_eq!(column("font_size")[1..3], [0.0, 0.0]);
        // the heading is 32 pixels above the text (weight 1/3), and the other box is 32 pixels to its side
        assert_eq!((column("near_same_indent")[1], column("near_same_width")[1]), (0.5, 0.5));
        assert_eq!((column("near_same_indent")[0], column("near_same_width")[0]), (1.0, 1.0));
        // blocks without a rendered box have substitute values
        assert_eq!(rows[3][at("position")], plain[3][at("position")]);
        assert_eq!(rows[3][at("near_same_width")], plain[3][at("near_same_width")]);
    }

    #[test]
    fn fitted_weights_tell_links_from_text() {
        let doc = parse_str(&PAGE.repeat(20));
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let labels: Vec<bool> = (0..blocks.len()).map(|i| blocks.text(i).starts_with("One")).collect();
        let gold = SystemGold { labels: &labels, classes: &[], text: "" };
        let page = SystemInput { gold: Some(gold), ..SystemInput::new(&doc, &blocks) };
        let choice = SystemChoice::parse("genieknows", &crate::systems()).expect("a system");
        let method = choice.load(&choice.train(&[page], 1).expect("trained")).expect("loaded");
        assert_eq!(method.keep(&page), labels);
    }
}
