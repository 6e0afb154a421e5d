//! Recogniser of images: address, alternative text and title, including images that a script loads.

use crate::structure::names::{Role, has_role};
use crate::{Document, Kind, NodeId, Tag};
use std::borrow::Cow;

/// Attributes with the address of an image that a script loads. They take precedence over `src`.
const LAZY: [&str; 10] = [
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-original-src",
    "data-hi-res-src",
    "data-full-src",
    "lazy-src",
    "nitro-lazy-src",
    "file",
];
/// Attributes with candidate addresses, in the syntax of `srcset`.
const SETS: [&str; 3] = ["srcset", "data-srcset", "data-lazy-srcset"];

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image<'d> {
    /// The address as written in the page.
    pub address: Cow<'d, str>,
    /// The alternative text; empty if the image has none.
    pub alt: Cow<'d, str>,
    /// The title; empty if the image has none.
    pub title: Cow<'d, str>,
    /// Whether the image has no attributes for loading by a script.
    is_plain: bool,
}

/// Whether an element is an image: `<img>`, or a custom element of an image library.
pub fn is_picture(doc: &Document, node: NodeId) -> bool {
    let tag = doc.tag(node);
    tag == Tag::IMG
        || usize::from(tag.0) >= Tag::NUM_KNOWN && matches!(doc.name(node), "amp-img" | "amp-anim" | "v-img")
}

/// The image of an element; `None` for tracking pixels, icons, and images without an address.
///
/// If a script loads the image, the adjacent `<noscript>` may contain the real address.
pub fn image(doc: &Document, node: NodeId) -> Option<Image<'_>> {
    if !is_picture(doc, node) || is_tiny(doc, node) {
        return None;
    }
    let own = own_image(doc, node).filter(|own| !is_ornament(doc, node, own));
    let is_lazy =
        || doc.attribute(node, "class").is_some_and(|class| class.to_ascii_lowercase().contains("lazy"));
    let is_placeholder = own.as_ref().is_none_or(|own| own.is_plain && is_lazy());
    let other = if is_placeholder { without_script(doc, node) } else { None };
    match (other, own) {
        (Some(other), _) => {
            let alt = doc.attribute(node, "alt").map(str::trim).filter(|alt| !alt.is_empty());
            Some(Image { alt: alt.map_or(other.alt, Cow::Borrowed), ..other })
        }
        (None, own) => own,
    }
}

/// The image in the `<noscript>` directly after an image or after its parent.
fn without_script(doc: &Document, node: NodeId) -> Option<Image<'static>> {
    let is_space = |&n: &NodeId| doc.kind(n) == Kind::Text && doc.text(n).trim().is_empty();
    let after = |n| doc.next_siblings(n).find(|n| !is_space(n));
    let mut around = doc.ancestors_and_self(node).take(3).filter_map(after);
    let is_noscript = |&n: &NodeId| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::NOSCRIPT;
    let noscript = around.find(is_noscript)?;
    // with scripting enabled, the parser keeps the content of `<noscript>` as text
    let text: String = doc.descendants(noscript).map(|n| doc.text(n)).collect();
    if text.len() > MAX_NOSCRIPT || !text.contains("<img") {
        return None;
    }
    let inside = crate::parse_str(&text);
    let image = inside.elements_with(|tag| tag == Tag::IMG).next().filter(|&n| !is_tiny(&inside, n))?;
    let Image { address, alt, title, is_plain } = own_image(&inside, image)?;
    let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    Some(Image { address: owned(address), alt: owned(alt), title: owned(title), is_plain })
}

/// Maximum length in bytes of a `<noscript>` that is searched for an image.
const MAX_NOSCRIPT: usize = 4_000;

/// Maximum width and height of an icon, in pixels.
const MAX_ORNAMENT: u32 = 32;
/// Maximum width of an icon whose height is unknown, in pixels.
const MAX_ICON: u32 = 20;

/// Whether an image without alternative text is an icon or an avatar.
fn is_ornament(doc: &Document, node: NodeId, image: &Image<'_>) -> bool {
    if !image.alt.is_empty() || !image.title.is_empty() {
        return false;
    }
    let class = doc.attribute(node, "class").unwrap_or_default().to_ascii_lowercase();
    let mut words = class.split(|c: char| !c.is_ascii_alphabetic());
    let size = |name| {
        doc.attribute(node, name).and_then(|size| size.trim().trim_end_matches("px").parse::<u32>().ok())
    };
    let is_small = match (size("width"), size("height")) {
        (Some(width), Some(height)) => width <= MAX_ORNAMENT && height <= MAX_ORNAMENT,
        (Some(size), None) | (None, Some(size)) => size <= MAX_ICON,
        (None, None) => false,
    };
    words.any(|word| matches!(word, "avatar" | "icon" | "gravatar" | "userpic"))
        || image.address.contains("/avatar/")
        || is_small
}

/// The image that the attributes of an element describe.
fn own_image(doc: &Document, node: NodeId) -> Option<Image<'_>> {
    let attribute = |name| doc.attribute(node, name).map(str::trim).filter(|value| is_address(value));
    let lazy = LAZY.iter().find_map(|name| attribute(name));
    // `srcset` contains larger versions of `src`
    let larger = || doc.attribute(node, "srcset").and_then(of_set).filter(|(size, _)| *size > 1.0);
    let own = lazy.or_else(|| attribute("src").map(|source| larger().map_or(source, |(_, address)| address)));
    let is_plain = lazy.is_none();
    let of_sets = || {
        SETS.iter().find_map(|name| doc.attribute(node, name).and_then(of_set)).map(|(_, address)| address)
    };
    let address = own.or_else(of_sets).or_else(|| of_picture(doc, node)).or_else(|| of_data(doc, node))?;
    let text = |name| Cow::Borrowed(doc.attribute(node, name).map(str::trim).unwrap_or_default());
    Some(Image { address: Cow::Borrowed(address), alt: text("alt"), title: text("title"), is_plain })
}

/// Whether an image shows one character, such as an emoji.
pub fn is_character(doc: &Document, node: NodeId) -> bool {
    let alt = || doc.attribute(node, "alt").unwrap_or_default();
    let is_short = |alt: &str| !alt.is_empty() && alt.chars().count() <= 12;
    let is_emoji = |alt: &str| !alt.is_ascii() && alt.chars().all(|c| !c.is_alphanumeric());
    doc.tag(node) == Tag::IMG && is_short(alt()) && (has_role(doc, node, Role::Emoji) || is_emoji(alt()))
}

fn is_address(value: &str) -> bool {
    // a script replaces `{width}`
    let is_template = || value.contains("{width}") || value.contains("{size}");
    !value.is_empty()
        && !is_template()
        && !value.starts_with("data:")
        && !value.starts_with("about:")
        && value.len() < 4096
}

/// Whether an image is a tracking pixel or a spacer, by its width or height.
fn is_tiny(doc: &Document, node: NodeId) -> bool {
    let is_tiny =
        |name| doc.attribute(node, name).is_some_and(|v| matches!(v.trim(), "0" | "1" | "2" | "1px"));
    is_tiny("width") || is_tiny("height")
}

/// The size and the address of the largest candidate of a `srcset` (`a.png 320w, b.png 640w`).
fn of_set(set: &str) -> Option<(f32, &str)> {
    let mut best: Option<(f32, &str)> = None;
    let mut rest = set;
    for _ in 0..MAX_SET {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (address, after) = rest.split_at(end);
        if address.is_empty() {
            break;
        }
        // A comma ends an address without a descriptor.
        let (size, after) =
            if address.ends_with(',') { ("", after) } else { after.split_once(',').unwrap_or((after, "")) };
        let address = address.trim_end_matches(',');
        let size = size.trim().trim_end_matches(char::is_alphabetic).parse().unwrap_or(1.0f32);
        if is_address(address) && best.is_none_or(|(largest, _)| size > largest) {
            best = Some((size, address));
        }
        rest = after;
    }
    best
}

/// Maximum number of candidates of a `srcset` that are read.
const MAX_SET: usize = 64;

/// The first image address in any data attribute.
fn of_data(doc: &Document, node: NodeId) -> Option<&str> {
    const ENDINGS: [&str; 8] = [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg", ".bmp"];
    let is_picture = |address: &str| {
        let path = address.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
        is_address(address)
            && !address.contains(|c: char| c.is_whitespace() || matches!(c, '{' | '"' | ','))
            && ENDINGS.iter().any(|ending| path.ends_with(ending))
    };
    let mut values =
        doc.attributes(node).filter(|(name, _)| name.starts_with("data-")).map(|(_, value)| value.trim());
    values.find(|value| is_picture(value))
}

/// The address of the first `<source>` of the `<picture>` around an image.
fn of_picture(doc: &Document, node: NodeId) -> Option<&str> {
    let picture = doc.parent(node).filter(|&n| doc.tag(n) == Tag::PICTURE)?;
    let sources =
        doc.children(picture).filter(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::SOURCE);
    sources
        .filter_map(|n| doc.attribute(n, "srcset").or_else(|| doc.attribute(n, "data-srcset")))
        .find_map(of_set)
        .map(|(_, address)| address)
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
            image(&doc, img).map(|i| i.address.into_owned())
        };
        let found = |address: &str| Some(address.to_owned());
        assert_eq!(address("<img src=a.png>"), found("a.png"));
        assert_eq!(address("<img src='data:image/gif;base64,x' data-src=b.png>"), found("b.png"));
        assert_eq!(address("<img srcset='c.png 1x, d.png 2x'>"), found("d.png"));
        assert_eq!(address("<img srcset='a,b.png 320w,c.png 1280w, d.png 640w'>"), found("c.png"));
        assert_eq!(address("<img srcset='a.png, b.png'>"), found("a.png"));
        assert_eq!(address("<img src=a.png srcset='a.png 320w, b.png 640w'>"), found("b.png"));
        assert_eq!(address("<img src=a.png srcset='b.png 1x'>"), found("a.png"));
        assert_eq!(address("<img src='data:x' lazy-src=b.png>"), found("b.png"));
        assert_eq!(address("<img src='/avatar/1'>"), None);
        assert_eq!(address("<img width=12 src=a.png>"), None);
        assert_eq!(address("<img src='data:x' data-any='/b.webp?x'>"), found("/b.webp?x"));
        assert_eq!(address("<img src='data:x' data-any='a b.png' data-id=3>"), None);
        let noscript = "<noscript><img src=e.png></noscript>";
        assert_eq!(address(&format!("<img src='data:x'>{noscript}")), found("e.png"));
        assert_eq!(address(&format!("<p><a><img class=lazy src=blank.gif></a> {noscript}")), found("e.png"));
        assert_eq!(address(&format!("<img src=f.png>{noscript}")), found("f.png"));
        assert_eq!(address(&format!("<img data-src='a_{{width}}.png'>{noscript}")), found("e.png"));
        assert_eq!(address("<img class='user-avatar' src=a.png>"), None);
        assert_eq!(address("<img width=24 height=24 src=a.png>"), None);
        assert_eq!(address("<img width=24 height=24 alt=b src=a.png>"), found("a.png"));
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
