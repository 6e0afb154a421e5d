//! Sets of elements that the tree-building rules use, as bits.

use crate::tag::Tag;

/// The standard's category "special".
pub(crate) const SPECIAL: u32 = 1;
/// Elements that limit a scope: the search for an open element "in scope" stops at them.
pub(crate) const SCOPE: u32 = 1 << 1;
/// Elements that limit the list item scope in addition to those of [`SCOPE`].
pub(crate) const LIST_SCOPE: u32 = 1 << 2;
/// Elements that limit the button scope, in which `<p>` is closed, in addition to those of [`SCOPE`].
pub(crate) const BUTTON_SCOPE: u32 = 1 << 3;
/// Elements that limit the table scope.
pub(crate) const TABLE_SCOPE: u32 = 1 << 4;
/// Elements with an implied end tag.
pub(crate) const IMPLIED: u32 = 1 << 5;
/// Elements with an implied end tag at the end of a template.
pub(crate) const IMPLIED_ALL: u32 = 1 << 6;
pub(crate) const HEADING: u32 = 1 << 7;
/// Elements that contain rows ("table body context").
pub(crate) const BODY_CONTEXT: u32 = 1 << 8;
/// Elements that contain cells ("table row context").
pub(crate) const ROW_CONTEXT: u32 = 1 << 9;
pub(crate) const CELL: u32 = 1 << 10;
/// Table parts whose text is moved before the table ("foster parenting").
pub(crate) const FOSTER: u32 = 1 << 11;
/// `<address>`, `<div>`, `<p>`: special, but they do not stop the search for an open list item.
pub(crate) const NOT_FOR_ITEMS: u32 = 1 << 12;
/// Elements of SVG and MathML. They do not have the bits of HTML elements with the same name.
pub(crate) const FOREIGN: u32 = 1 << 13;
pub(crate) const SVG: u32 = 1 << 14;
/// MathML text integration points.
pub(crate) const MATH_TEXT: u32 = 1 << 15;
/// HTML integration points of SVG.
pub(crate) const HTML_POINT: u32 = 1 << 16;
/// MathML's `<annotation-xml>`, which may contain SVG.
pub(crate) const ANNOTATION: u32 = 1 << 17;
/// An `<annotation-xml>` whose encoding is HTML, which is an HTML integration point. As in html5ever, it does not
/// limit a scope, and a tag that ends MathML closes it.
pub(crate) const HTML_ANNOTATION: u32 = 1 << 18;

const LISTS: &[(u32, &[Tag])] = &[
    (
        SPECIAL,
        &[
            Tag::ADDRESS,
            Tag::APPLET,
            Tag::AREA,
            Tag::ARTICLE,
            Tag::ASIDE,
            Tag::BASE,
            Tag::BASEFONT,
            Tag::BGSOUND,
            Tag::BLOCKQUOTE,
            Tag::BODY,
            Tag::BR,
            Tag::BUTTON,
            Tag::CAPTION,
            Tag::CENTER,
            Tag::COL,
            Tag::COLGROUP,
            Tag::DD,
            Tag::DETAILS,
            Tag::DIR,
            Tag::DIV,
            Tag::DL,
            Tag::DT,
            Tag::EMBED,
            Tag::FIELDSET,
            Tag::FIGCAPTION,
            Tag::FIGURE,
            Tag::FOOTER,
            Tag::FORM,
            Tag::FRAME,
            Tag::FRAMESET,
            Tag::H1,
            Tag::H2,
            Tag::H3,
            Tag::H4,
            Tag::H5,
            Tag::H6,
            Tag::HEAD,
            Tag::HEADER,
            Tag::HGROUP,
            Tag::HR,
            Tag::HTML,
            Tag::IFRAME,
            Tag::IMG,
            Tag::INPUT,
            Tag::ISINDEX,
            Tag::LI,
            Tag::LINK,
            Tag::LISTING,
            Tag::MAIN,
            Tag::MARQUEE,
            Tag::MENU,
            Tag::META,
            Tag::NAV,
            Tag::NOEMBED,
            Tag::NOFRAMES,
            Tag::NOSCRIPT,
            Tag::OBJECT,
            Tag::OL,
            Tag::P,
            Tag::PARAM,
            Tag::PLAINTEXT,
            Tag::PRE,
            Tag::SCRIPT,
            Tag::SECTION,
            Tag::SELECT,
            Tag::SOURCE,
            Tag::STYLE,
            Tag::SUMMARY,
            Tag::TABLE,
            Tag::TBODY,
            Tag::TD,
            Tag::TEMPLATE,
            Tag::TEXTAREA,
            Tag::TFOOT,
            Tag::TH,
            Tag::THEAD,
            Tag::TITLE,
            Tag::TR,
            Tag::TRACK,
            Tag::UL,
            Tag::WBR,
            Tag::XMP,
        ],
    ),
    (
        SCOPE,
        &[
            Tag::APPLET,
            Tag::CAPTION,
            Tag::HTML,
            Tag::TABLE,
            Tag::TD,
            Tag::TH,
            Tag::MARQUEE,
            Tag::OBJECT,
            Tag::SELECT,
            Tag::TEMPLATE,
        ],
    ),
    (LIST_SCOPE, &[Tag::OL, Tag::UL]),
    (BUTTON_SCOPE, &[Tag::BUTTON]),
    (TABLE_SCOPE, &[Tag::HTML, Tag::TABLE, Tag::TEMPLATE]),
    (
        IMPLIED,
        &[Tag::DD, Tag::DT, Tag::LI, Tag::OPTION, Tag::OPTGROUP, Tag::P, Tag::RB, Tag::RP, Tag::RT, Tag::RTC],
    ),
    (
        IMPLIED_ALL,
        &[
            Tag::DD,
            Tag::DT,
            Tag::LI,
            Tag::OPTION,
            Tag::OPTGROUP,
            Tag::P,
            Tag::RB,
            Tag::RP,
            Tag::RT,
            Tag::RTC,
            Tag::CAPTION,
            Tag::COLGROUP,
            Tag::TBODY,
            Tag::TD,
            Tag::TFOOT,
            Tag::TH,
            Tag::THEAD,
            Tag::TR,
        ],
    ),
    (HEADING, &[Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6]),
    (BODY_CONTEXT, &[Tag::TBODY, Tag::TFOOT, Tag::THEAD, Tag::TEMPLATE, Tag::HTML]),
    (ROW_CONTEXT, &[Tag::TR, Tag::TEMPLATE, Tag::HTML]),
    (CELL, &[Tag::TD, Tag::TH]),
    (FOSTER, &[Tag::TABLE, Tag::TBODY, Tag::TFOOT, Tag::THEAD, Tag::TR]),
    (NOT_FOR_ITEMS, &[Tag::ADDRESS, Tag::DIV, Tag::P]),
];

static FLAGS: [u32; Tag::NUM_KNOWN] = {
    let mut flags = [0; Tag::NUM_KNOWN];
    let mut list = 0;
    while list < LISTS.len() {
        let (flag, tags) = LISTS[list];
        let mut i = 0;
        while i < tags.len() {
            flags[tags[i].0 as usize] |= flag;
            i += 1;
        }
        list += 1;
    }
    flags
};

/// Returns the sets that contain an HTML element, as bits.
pub(crate) fn flags(tag: Tag) -> u32 {
    FLAGS.get(usize::from(tag.0)).copied().unwrap_or(0)
}
