//! Recogniser of images: the address of a picture, also if a script loads it.

use crate::structure::names::{Role, has_role};
use crate::{Document, Kind, NodeId, Tag};

/// Attributes with the address of an image that a script loads, before `src`.
const LAZY: [&str; 7] = [
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-original-src",
    "data-hi-res-src",
    "data-full-src",
];
/// Attributes with several addresses.
const SETS: [&str; 3] = ["srcset", "data-srcset", "data-lazy-srcset"];

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image<'d> {
    /// Its address as the page writes it.
    pub address: &'d str,
    /// Its alternative text; empty if there is none.
    pub alt: &'d str,
    /// Its title; empty if there is none.
    pub title: &'d str,
}

/// The image of an `<img>`; `None` for tracking pixels and images without an address.
pub fn image(doc: &Document, node: NodeId) -> Option<Image<'_>> {
    if doc.tag(node) != Tag::IMG || is_tiny(doc, node) {
        return None;
    }
    let attribute = |name| doc.attribute(node, name).map(str::trim).filter(|value| is_address(value));
    let lazy = LAZY.iter().find_map(|name| attribute(name));
    let own = lazy.or_else(|| attribute("src"));
    let of_sets = || SETS.iter().find_map(|name| doc.attribute(node, name).and_then(of_set));
    let address = own.or_else(of_sets).or_else(|| of_picture(doc, node))?;
    let text = |name| doc.attribute(node, name).map(str::trim).unwrap_or_default();
    Some(Image { address, alt: text("alt"), title: text("title") })
}

/// Whether a picture stands for a character, as an emoji does.
pub fn is_character(doc: &Document, node: NodeId) -> bool {
    let alt = || doc.attribute(node, "alt").unwrap_or_default();
    let is_short = |alt: &str| !alt.is_empty() && alt.chars().count() <= 12;
    let is_emoji = |alt: &str| !alt.is_ascii() && alt.chars().all(|c| !c.is_alphanumeric());
    doc.tag(node) == Tag::IMG && is_short(alt()) && (has_role(doc, node, Role::Emoji) || is_emoji(alt()))
}

fn is_address(value: &str) -> bool {
    !value.is_empty() && !value.starts_with("data:") && !value.starts_with("about:") && value.len() < 4096
}

/// Whether an image is too small to be seen.
fn is_tiny(doc: &Document, node: NodeId) -> bool {
    let is_tiny =
        |name| doc.attribute(node, name).is_some_and(|v| matches!(v.trim(), "0" | "1" | "2" | "1px"));
    is_tiny("width") || is_tiny("height")
}

/// The first address of a set of addresses.
fn of_set(set: &str) -> Option<&str> {
    set.split_ascii_whitespace().next().map(|address| address.trim_end_matches(',')).filter(|a| is_address(a))
}

/// The address of the first source of the `<picture>` around an image.
fn of_picture(doc: &Document, node: NodeId) -> Option<&str> {
    let picture = doc.parent(node).filter(|&n| doc.tag(n) == Tag::PICTURE)?;
    let sources =
        doc.children(picture).filter(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::SOURCE);
    sources
        .filter_map(|n| doc.attribute(n, "srcset").or_else(|| doc.attribute(n, "data-srcset")))
        .find_map(of_set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    #[test]
    fn addresses_are_found() {
        let address = |html: &str| {
            let doc = parse_str(html);
            let img = doc.elements_with(|tag| tag == Tag::IMG).next().expect("an image");
            image(&doc, img).map(|i| i.address.to_owned())
        };
        let found = |address: &str| Some(address.to_owned());
        assert_eq!(address("<img src=a.png>"), found("a.png"));
        assert_eq!(address("<img src='data:image/gif;base64,x' data-src=b.png>"), found("b.png"));
        assert_eq!(address("<img srcset='c.png 1x, d.png 2x'>"), found("c.png"));
        assert_eq!(address("<picture><source srcset='e.webp 2x'><img></picture>"), found("e.webp"));
        assert_eq!(address("<img src=p.gif width=1 height=1>"), None);
        assert_eq!(address("<img>"), None);
    }

    #[test]
    fn pictures_of_characters_are_characters() {
        let is = |html: &str| {
            let doc = parse_str(html);
            let img = doc.elements_with(|tag| tag == Tag::IMG).next().expect("an image");
            is_character(&doc, img)
        };
        assert!(is("<img alt=😀 src=x>") && is("<img class=wp-smiley alt=':-)' src=x>"));
        assert!(!is("<img alt='A drum' src=x>") && !is("<img alt=é src=x>"));
    }
}
