//! The attributes of an element that the visibility rules use.

use crate::tag::Tag;
use crate::tree::{Document, Node, NodeId, range};
use crate::visibility::attribute_scan::AttributeScan;
use crate::visibility::container_names::ContainerName;
use crate::visibility::never_tags;
use crate::visibility::style::{self, Layout, Shown};

/// An element with the attributes that the rules use, read in one pass.
#[derive(Debug)]
pub(crate) struct Element<'d> {
    pub node: NodeId,
    pub tag: Tag,
    pub id: Option<&'d str>,
    pub hidden: Option<&'d str>,
    /// Whether the inline style shows the element.
    pub shown: Shown,
    pub layout: Layout,
    pub is_popover: bool,
    pub role: Option<&'d str>,
    pub aria_hidden: Option<&'d str>,
    pub tab_index: Option<&'d str>,
    /// The value of `class`, if it may contain `modal`.
    pub modal_class: Option<&'d str>,
    /// Whether `id` or `class` may contain the name of a notice.
    pub may_be_notice: bool,
    /// The name of a cookie banner or tool mark in `id` or `class`.
    pub name: Option<ContainerName>,
}

/// Ids of the attribute names.
mod attribute {
    use crate::names::known_number;

    pub(super) const HIDDEN: u16 = known_number("hidden");
    pub(super) const STYLE: u16 = known_number("style");
    pub(super) const POPOVER: u16 = known_number("popover");
    pub(super) const ID: u16 = known_number("id");
    pub(super) const CLASS: u16 = known_number("class");
    pub(super) const ROLE: u16 = known_number("role");
    pub(super) const ARIA_HIDDEN: u16 = known_number("aria-hidden");
    pub(super) const TABINDEX: u16 = known_number("tabindex");
}

impl<'d> Element<'d> {
    /// Reads an element. The attributes are not read if the content of the element is never text.
    pub(super) fn read(doc: &'d Document, scan: &AttributeScan, node: NodeId, data: &Node) -> Self {
        let mut element = Element {
            node,
            tag: data.tag,
            id: None,
            hidden: None,
            shown: Shown::default(),
            layout: Layout::default(),
            is_popover: false,
            role: None,
            aria_hidden: None,
            tab_index: None,
            modal_class: None,
            may_be_notice: false,
            name: None,
        };
        if never_tags::is_left_out(doc, data.tag) {
            return element;
        }
        for a in &doc.attributes[range(data.a..data.b)] {
            let value = || Some(&doc.values[range(a.start..a.end)]);
            match a.name {
                attribute::ID => {
                    element.id = value();
                    element.may_be_notice |= scan.has_notice(a);
                    element.read_name(&doc.values[range(a.start..a.end)], scan.has_cookie_topic(a));
                }
                attribute::CLASS => {
                    element.read_name(&doc.values[range(a.start..a.end)], scan.has_cookie_topic(a));
                    element.may_be_notice |= scan.has_notice(a);
                    if scan.has_modal(a) {
                        element.modal_class = value();
                    }
                }
                attribute::ROLE => element.role = value(),
                attribute::ARIA_HIDDEN => element.aria_hidden = value(),
                attribute::TABINDEX => element.tab_index = value(),
                attribute::STYLE => {
                    (element.shown, element.layout) = style::read(&doc.values[range(a.start..a.end)]);
                }
                attribute::POPOVER => element.is_popover = true,
                attribute::HIDDEN => element.hidden = value(),
                _ => {}
            }
        }
        element
    }

    /// Reads a name from a value of `id` or `class`. If both attributes contain a known name, the name of a
    /// product takes precedence, or else the name in the later attribute.
    fn read_name(&mut self, value: &str, has_cookie_topic: bool) {
        if self.name != Some(ContainerName::Product) {
            self.name = ContainerName::known(value).or(self.name);
        }
        if self.name.is_none() && has_cookie_topic {
            self.name = ContainerName::likely(value);
        }
    }

    /// Whether the inline style sets `display` to a value other than `none`, which overrides the attribute `hidden`.
    pub(super) fn is_displayed(&self) -> bool {
        self.layout.is_displayed
    }

    /// Whether the element usually contains the main content. The class names of such elements describe a state of the
    /// page.
    pub(super) fn contains_page(&self) -> bool {
        matches!(self.tag, Tag::HTML | Tag::BODY | Tag::MAIN | Tag::ARTICLE)
    }
}
