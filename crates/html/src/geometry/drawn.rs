//! Version 2 of the geometry file: a page as a browser renders it.

use super::outline::LARGEST;
use super::{FORMAT, Shape, unreadable};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use threshr_core::{Error, Result};

pub(super) const VERSION: u32 = 2;

/// Maximum font size in CSS pixels.
const LARGEST_FONT: f64 = 1e6;

/// A page as a browser renders it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawnPage {
    format: String,
    version: u32,
    /// Width and height in CSS pixels.
    pub page: [f64; 2],
    /// The distinct styles of the elements.
    pub styles: Vec<Style>,
    /// The rendered elements of the page, by path.
    pub elements: BTreeMap<String, DrawnElement>,
}

/// The computed style of an element.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    /// Font size in CSS pixels.
    pub font_size: f64,
    /// Font weight, at most 1000; 400 is normal, 700 is bold.
    pub font_weight: f64,
    /// Text color.
    pub color: Color,
    /// Color behind the text: the background of the closest element that has one, blended with the backgrounds
    /// behind it. Images are ignored.
    pub background: Color,
    /// Opacity from 0 to 1, including that of the ancestors.
    pub opacity: f64,
    /// Whether `visibility` is `visible`.
    pub visible: bool,
}

/// An RGB color. Files contain it as `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color(pub [u8; 3]);

/// The rendered lines of the text nodes that are children of an element.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// The bounding box of the lines: x, y, width, height in CSS pixels.
    #[serde(rename = "box")]
    pub bounds: [f64; 4],
    /// Number of lines.
    #[serde(rename = "lines")]
    pub number: u32,
}

/// An element as a browser renders it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawnElement {
    /// The outline of the element in CSS pixels.
    pub shape: Shape,
    /// Index of the element's style in [`DrawnPage::styles`].
    pub style: u32,
    /// The rank of the element in the painting order.
    pub order: u32,
    /// The lines of the element's child text nodes; `None` if none of them is rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Lines>,
}

impl DrawnPage {
    /// Creates a page without elements. Width and height are in CSS pixels.
    pub fn new(page: [f64; 2]) -> Self {
        DrawnPage {
            format: FORMAT.to_owned(),
            version: VERSION,
            page,
            styles: Vec::new(),
            elements: BTreeMap::new(),
        }
    }

    /// Returns the content of the geometry file.
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
                    .expected(format!(
                        "the index of one of its {} styles, counted from 0",
                        self.styles.len()
                    )));
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

    /// Returns the contrast ratio of text and background, from 1 to 21, as defined in WCAG 2.2.
    pub fn contrast(&self) -> f64 {
        let (a, b) = (self.color.luminance(), self.background.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }
}

impl Color {
    /// Returns the relative luminance, 0 for black and 1 for white, as defined in WCAG 2.2.
    pub fn luminance(self) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let [r, g, b] = self.0.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Returns the Euclidean distance of two colors in the RGB cube, scaled to the range from 0 to 1.
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
            .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a color such as #0a5fff")))?
            .to_be_bytes();
        Ok(Color([r, g, b]))
    }
}

#[cfg(test)]
mod tests;
