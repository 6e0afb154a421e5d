//! Rule: cookie banners are excluded. They are recognised by the ids and class names of their containers.
//!
//! In a browser, a banner covers a part of the page. In the source, the text of the banner is between the
//! other text of the page, and contains long lists of purposes and vendors.

use crate::tag::Tag;
use crate::tree::{Document, NodeId};
use crate::visibility::container_names::ContainerName;
use crate::visibility::element::Element;
use crate::visibility::{EXCLUDED, Walk, letters};

/// Maximum number of elements that are searched per page and kind of name.
const MAX_SEARCHED: u32 = 16;

/// An element with a likely name is a banner only if it has fewer letters than this. Cookie policies, which are
/// content, have more.
const MAX_LETTERS: usize = 1500;

/// Numbers of elements that were searched, by kind of name.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    named_by_site: u32,
    likely: u32,
}

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    let is_banner = match element.name {
        Some(ContainerName::Product) => !element.contains_page(),
        Some(ContainerName::Site) => {
            is_box(element.tag)
                && may_search(walk, element.node, |c| &mut c.named_by_site)
                && covers_page(walk, element.node)
        }
        Some(ContainerName::Likely(controls)) => {
            is_box(element.tag)
                && may_search(walk, element.node, |c| &mut c.likely)
                && asks(walk.doc, element.node, controls)
                && covers_page(walk, element.node)
        }
        Some(ContainerName::Mark(_)) | None => false,
    };
    if is_banner { flags | EXCLUDED } else { flags }
}

/// Whether the rule may search an element. If so, counts the element. Elements inside a banner are not searched.
fn may_search(walk: &mut Walk<'_>, node: NodeId, count: fn(&mut Counts) -> &mut u32) -> bool {
    if *count(&mut walk.cookie_banners) == MAX_SEARCHED || walk.is_inside_apart(node) {
        return false;
    }
    *count(&mut walk.cookie_banners) += 1;
    true
}

/// Whether an element with this tag may be a banner.
fn is_box(tag: Tag) -> bool {
    matches!(tag, Tag::DIV | Tag::ASIDE | Tag::FORM | Tag::DIALOG | Tag::SECTION)
}

/// Whether an element has less than half of the text of the page and does not contain main content.
///
/// This excludes elements that have the name of a banner but are not banners: a chapter about cookies, or an element
/// around the page whose class describes a state of the page.
fn covers_page(walk: &Walk<'_>, node: NodeId) -> bool {
    let doc = walk.doc;
    // a chapter may contain links but no buttons
    let is_chapter = doc.tag(node) == Tag::SECTION && !asks(doc, node, &[Tag::BUTTON, Tag::INPUT]);
    let is_main = |n: NodeId| matches!(doc.tag(n), Tag::H1 | Tag::MAIN | Tag::ARTICLE);
    !is_chapter && !doc.descendants(node).any(is_main) && 2 * letters::below(doc, node) < walk.page_letters()
}

/// Whether an element is short and contains one of `controls`.
fn asks(doc: &Document, node: NodeId, controls: &[Tag]) -> bool {
    doc.descendants(node).any(|n| controls.contains(&doc.tag(n)))
        && letters::are_fewer(doc, node, MAX_LETTERS)
}
