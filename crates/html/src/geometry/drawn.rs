//! Version 2 of the geometry file: a page as a browser draws it.

use super::outline::LARGEST;
use super::{FORMAT, Shape, unreadable};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use threshr_core::{Error, Result};

pub(super) const VERSION: u32 = 2;

/// Largest font size in CSS pixels, and largest weight.
const LARGEST_FONT: f64 = 1e6;

/// A page as a browser draws it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawnPage {
    format: String,
    version: u32,
    /// Width and height in CSS pixels.
    pub page: [f64; 2],
    /// The styles of its elements, each once.
    pub styles: Vec<Style>,
    /// Its elements that are drawn, by path.
    pub elements: BTreeMap<String, DrawnElement>,
}

/// The computed style of an element.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    /// In CSS pixels.
    pub font_size: f64,
    /// From 1 to 1000; 400 is normal, 700 is bold.
    pub font_weight: f64,
    /// Color of the text.
    pub color: Color,
    /// Color behind the text: that of the closest element with a background, blended with those behind it. Images do
    /// not count.
    pub background: Color,
    /// From 0 to 1, that of the ancestors included.
    pub opacity: f64,
    /// Whether `visibility` is `visible`.
    pub visible: bool,
}

/// Red, green, blue. Files write it as `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color(pub [u8; 3]);

/// The lines of the text nodes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// The rectangle around them: x, y, width, height in CSS pixels.
    #[serde(rename = "box")]
    pub bounds: [f64; 4],
    /// Their number.
    #[serde(rename = "lines")]
    pub number: u32,
}

/// An element as a browser draws it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawnElement {
    /// Its outline in CSS pixels.
    pub shape: Shape,
    /// The number of its style in [`DrawnPage::styles`], from 0.
    pub style: u32,
    /// Its rank in the order of painting.
    pub order: u32,
    /// The lines of its own text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Lines>,
}

impl DrawnPage {
    /// A page without elements. Width and height are in CSS pixels.
    pub fn new(page: [f64; 2]) -> Self {
        DrawnPage {
            format: FORMAT.to_owned(),
            version: VERSION,
            page,
            styles: Vec::new(),
            elements: BTreeMap::new(),
        }
    }

    /// The content of the geometry file.
    ///
    /// # Errors
    /// If a value is invalid, such as a number that is not finite.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        self.check()?;
        let mut json =
            serde_json::to_vec(self).map_err(|e| Error::data("cannot write geometry").because(e))?;
        json.push(b'\n');
        Ok(json)
    }

    /// Reads and checks the content of a geometry file of version 2. Outlines are not checked.
    pub(super) fn read(json: &[u8]) -> Result<Self> {
        let page: DrawnPage = serde_json::from_slice(json).map_err(unreadable)?;
        page.check()?;
        Ok(page)
    }

    fn check(&self) -> Result<()> {
        let is_length = |v: f64| (0.0..=LARGEST).contains(&v);
        if !self.page.into_iter().all(is_length) {
            return Err(Error::data("the geometry file has an invalid size of the page")
                .at_column("page")
                .expected("width and height from 0 to 1e9"));
        }
        if !self.styles.iter().all(Style::is_valid) {
            return Err(Error::data("the geometry file has an invalid style")
                .at_column("styles")
                .expected("font_size from 0 to 1e6, font_weight from 0 to 1000, opacity from 0 to 1"));
        }
        for (path, element) in &self.elements {
            if element.style as usize >= self.styles.len() {
                return Err(Error::data(format!("the geometry file has no style {}", element.style))
                    .at_column(path)
                    .expected("a number of a style, from 0"));
            }
            let is_valid = |lines: &Lines| {
                let [x, y, width, height] = lines.bounds;
                x.abs() <= LARGEST && y.abs() <= LARGEST && is_length(width) && is_length(height)
            };
            if !element.text.as_ref().is_none_or(is_valid) {
                return Err(Error::data("the geometry file has an invalid box of text")
                    .at_column(path)
                    .expected("[x, y, width, height] with sizes from 0 and coordinates up to 1e9"));
            }
        }
        Ok(())
    }
}

impl Style {
    fn is_valid(&self) -> bool {
        (0.0..=LARGEST_FONT).contains(&self.font_size)
            && (0.0..=1000.0).contains(&self.font_weight)
            && (0.0..=1.0).contains(&self.opacity)
    }

    /// The contrast of text and background, from 1 to 21, as in WCAG 2.2.
    pub fn contrast(&self) -> f64 {
        let (a, b) = (self.color.luminance(), self.background.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }
}

impl Color {
    /// Relative luminance, 0 for black and 1 for white, as in WCAG 2.2.
    pub fn luminance(self) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let [r, g, b] = self.0.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Distance of two colors in the cube of red, green and blue, from 0 to 1.
    pub fn distance(self, other: Color) -> f64 {
        let square = |(a, b): (u8, u8)| (f64::from(a) - f64::from(b)).powi(2);
        self.0.into_iter().zip(other.0).map(square).sum::<f64>().sqrt() / (255.0 * 3f64.sqrt())
    }
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [r, g, b] = self.0;
        serializer.serialize_str(&format!("#{r:02x}{g:02x}{b:02x}"))
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits =
            text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()));
        let number = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let [_, r, g, b] = number
            .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is no color such as #0a5fff")))?
            .to_be_bytes();
        Ok(Color([r, g, b]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Geometry, element_paths, parse_str};
    use proptest::prelude::*;

    fn style() -> impl Strategy<Value = Style> {
        let colors = (any::<[u8; 3]>(), any::<[u8; 3]>());
        (0.0..1e3, 1.0..1000.0, colors, 0.0..=1.0, any::<bool>()).prop_map(
            |(font_size, font_weight, (color, background), opacity, visible)| Style {
                font_size,
                font_weight,
                color: Color(color),
                background: Color(background),
                opacity,
                visible,
            },
        )
    }

    proptest! {
        /// What is written is read again, for the elements of a random page.
        #[test]
        fn a_written_file_is_read_again(
            page in "(<(div|p|ul|li|span|table|td|x-y)>|[a-z ]|</(div|p|ul|span)>){0,40}",
            styles in proptest::collection::vec(style(), 1..4),
            boxes in proptest::collection::vec((-1e6..1e6, -1e6..1e6, 0.0..1e6, 0.0..1e6), 60),
        ) {
            let doc = parse_str(&page);
            let mut file = DrawnPage::new([1280.0, 1e4]);
            file.styles.clone_from(&styles);
            let paths = element_paths(&doc, 1 << 20).expect("within the limit");
            for (i, (_, path)) in paths.iter().enumerate() {
                let (x, y, w, h) = boxes[i % boxes.len()];
                let shape = if i % 3 == 0 {
                    Shape::Polygon(vec![[x, y], [x + w, y], [x, y + h]])
                } else {
                    Shape::Rectangle([x, y, w, h])
                };
                let text = (i % 2 == 0).then_some(Lines { bounds: [x, y, w, h], number: i as u32 });
                let style = (i % styles.len()) as u32;
                file.elements.insert(path.clone(), DrawnElement { shape, style, order: i as u32, text });
            }
            prop_assert_eq!(file.elements.len(), paths.len());
            let json = file.to_json().expect("written");
            prop_assert_eq!(&DrawnPage::read(&json).expect("read"), &file);
            let geometry = Geometry::read(&json, &doc).expect("read");
            for (i, (node, path)) in paths.iter().enumerate() {
                prop_assert_eq!(geometry.style(*node), Some(&styles[i % styles.len()]), "{}", path);
                prop_assert_eq!(geometry.paint_order(*node), Some(i as u32));
                prop_assert_eq!(geometry.lines(*node).map(|l| l.number), (i % 2 == 0).then_some(i as u32));
                let (x, y, ..) = boxes[i % boxes.len()];
                let bounds = geometry.outline(*node).expect("an outline").bounds();
                prop_assert_eq!((bounds[0], bounds[1]), (x, y));
            }
        }

        /// A damaged file is an error, or it is read; it is never a panic.
        #[test]
        fn damaged_files_do_not_panic(at in 0usize..400, byte in any::<u8>()) {
            let mut json = example().into_bytes();
            let at = at % json.len();
            json[at] = byte;
            if let Ok(geometry) = Geometry::read(&json, &parse_str("<p>a")) {
                prop_assert!(geometry.page_size().is_some() || json[at] == b'1');
            }
        }
    }

    fn example() -> String {
        r##"{"format":"threshr-geometry","version":2,"page":[1280,90],"styles":[{"font_size":16,"font_weight":400,
            "color":"#000000","background":"#ffffff","opacity":1,"visible":true}],
            "elements":{"/html/body/p":{"shape":[8,16,1264,36],"style":0,"order":3,
            "text":{"box":[8,16,1250,36],"lines":2}}}}"##
            .to_owned()
    }

    #[test]
    fn the_documented_form_is_read() {
        let doc = parse_str("<p>a");
        let geometry = Geometry::read(example().as_bytes(), &doc).expect("read");
        let paths = element_paths(&doc, 100).expect("within the limit");
        let p = paths.last().expect("a paragraph");
        assert_eq!(p.1, "/html/body/p");
        let style = geometry.style(p.0).expect("a style");
        assert!((style.contrast() - 21.0).abs() < 1e-9 && style.visible);
        assert_eq!(geometry.page_size(), Some([1280.0, 90.0]));
        assert_eq!((geometry.style(paths[0].0), geometry.lines(paths[0].0)), (None, None));
        assert!(element_paths(&doc, 10).is_none());
    }

    #[test]
    fn invalid_values_are_rejected() {
        for (good, bad) in [
            ("\"style\":0", "\"style\":1"),
            ("#ffffff", "white"),
            ("#ffffff", "#+fffff"),
            ("\"opacity\":1", "\"opacity\":2"),
            ("\"font_size\":16", "\"font_size\":-1"),
            ("[1280,90]", "[1280,-1]"),
            ("[8,16,1250,36]", "[8,16,-1,36]"),
            ("\"order\":3", "\"ordre\":3"),
            ("\"version\":2", "\"version\":1"),
        ] {
            let json = example().replace(good, bad);
            assert_ne!(json, example());
            assert!(Geometry::read(json.as_bytes(), &parse_str("<p>a")).is_err(), "{bad}");
        }
    }

    #[test]
    fn colors_are_compared() {
        let (black, white) = (Color([0; 3]), Color([255; 3]));
        assert_eq!((black.distance(black), black.luminance()), (0.0, 0.0));
        assert!((black.distance(white) - 1.0).abs() < 1e-9 && (white.luminance() - 1.0).abs() < 1e-9);
    }
}
