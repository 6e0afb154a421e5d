//! Tags: numeric ids of element names.

use crate::names;

/// The id of an element name: one of the constants below, or the id of another name in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(pub u16);

macro_rules! tags {
    ($($ident:ident $name:literal $block:literal)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)] // the names are those of the constants
        #[repr(u16)]
        enum Known { $($ident),* }
        #[allow(missing_docs)] // each constant is the element of its name
        impl Tag { $(pub const $ident: Tag = Tag(Known::$ident as u16);)* }
        pub(crate) const NAMES: &[&str] = &[$($name),*];
        const BLOCK: &[bool] = &[$($block),*];
    };
}

// name, and whether the element is block-level: CSS display block, list-item and table parts. A button counts as
// block-level, because its text is separate from the text around it; rt and rp do not.
tags! {
    A "a" false  ABBR "abbr" false  ADDRESS "address" true  ANNOTATION_XML "annotation-xml" false
    APPLET "applet" false  AREA "area" false  ARTICLE "article" true  ASIDE "aside" true  AUDIO "audio" false
    B "b" false  BASE "base" false  BASEFONT "basefont" false  BGSOUND "bgsound" false  BIG "big" false
    BLOCKQUOTE "blockquote" true  BODY "body" true  BR "br" false  BUTTON "button" true
    CANVAS "canvas" false  CAPTION "caption" true  CENTER "center" true  CITE "cite" false  CODE "code" false
    COL "col" false  COLGROUP "colgroup" false  DD "dd" true  DEL "del" false  DESC "desc" false
    DETAILS "details" true  DFN "dfn" false  DIALOG "dialog" true  DIR "dir" true  DIV "div" true
    DL "dl" true  DT "dt" true  EM "em" false  EMBED "embed" false  FIELDSET "fieldset" true
    FIGCAPTION "figcaption" true  FIGURE "figure" true  FONT "font" false  FOOTER "footer" true
    FOREIGN_OBJECT "foreignObject" false  FORM "form" true  FRAME "frame" true  FRAMESET "frameset" true
    H1 "h1" true  H2 "h2" true  H3 "h3" true  H4 "h4" true  H5 "h5" true  H6 "h6" true  HEAD "head" true
    HEADER "header" true  HGROUP "hgroup" true  HR "hr" true  HTML "html" true  I "i" false
    IFRAME "iframe" false  IMAGE "image" false  IMG "img" false  INPUT "input" false  INS "ins" false
    ISINDEX "isindex" false  KBD "kbd" false  KEYGEN "keygen" false  LABEL "label" false
    LEGEND "legend" true  LI "li" true  LINK "link" false  LISTING "listing" false  MAIN "main" true
    MALIGNMARK "malignmark" false  MAP "map" false  MARK "mark" false  MARQUEE "marquee" false
    MATH "math" false  MENU "menu" true  META "meta" false  MGLYPH "mglyph" false  MI "mi" false
    MN "mn" false  MO "mo" false  MS "ms" false  MTEXT "mtext" false  NAV "nav" true  NOBR "nobr" false
    NOEMBED "noembed" false  NOFRAMES "noframes" true  NOSCRIPT "noscript" false  OBJECT "object" false
    OL "ol" true  OPTGROUP "optgroup" true  OPTION "option" true  OUTPUT "output" false  P "p" true
    PARAM "param" false  PICTURE "picture" false  PLAINTEXT "plaintext" true  PRE "pre" true  Q "q" false
    RB "rb" false  RP "rp" false  RT "rt" false  RTC "rtc" false  RUBY "ruby" false  S "s" false
    SAMP "samp" false  SCRIPT "script" false  SEARCH "search" true  SECTION "section" true
    SELECT "select" true  SMALL "small" false  SOURCE "source" false  SPAN "span" false
    STRIKE "strike" false  STRONG "strong" false  STYLE "style" false  SUB "sub" false
    SUMMARY "summary" true  SUP "sup" false  SVG "svg" false  TABLE "table" true  TBODY "tbody" true
    TD "td" true  TEMPLATE "template" false  TEXTAREA "textarea" true  TFOOT "tfoot" true  TH "th" true
    THEAD "thead" true  TIME "time" false  TITLE "title" true  TR "tr" true  TRACK "track" false
    TT "tt" false  U "u" false  UL "ul" true  VAR "var" false  VIDEO "video" false  WBR "wbr" false
    XMP "xmp" true
}

impl Tag {
    /// Number of known tags. Ids from this number on belong to other names.
    pub const NUM_KNOWN: usize = NAMES.len();

    /// Returns the known tag with a lower-case name.
    pub fn known(name: &str) -> Option<Tag> {
        names::known(name.as_bytes()).filter(|&n| usize::from(n) < Tag::NUM_KNOWN).map(Tag)
    }

    /// Returns the name of a known tag, or `None` for other tags.
    pub fn known_name(self) -> Option<&'static str> {
        NAMES.get(usize::from(self.0)).copied()
    }

    /// Whether the element is block-level, so that lines end before and after it.
    pub fn is_block_level(self) -> bool {
        BLOCK.get(usize::from(self.0)).copied().unwrap_or(false)
    }

    /// Returns whether the tag is one of `h1` … `h6`.
    pub fn is_heading(self) -> bool {
        (Tag::H1.0..=Tag::H6.0).contains(&self.0)
    }

    /// Length of the longest name of an element for which [`Tag::is_void`] holds.
    pub(crate) const LONGEST_VOID: usize = "plaintext".len();

    /// Whether the element never has content.
    pub fn is_void(self) -> bool {
        matches!(
            self,
            Tag::AREA
                | Tag::BASE
                | Tag::BR
                | Tag::COL
                | Tag::EMBED
                | Tag::FRAME
                | Tag::HR
                | Tag::IMG
                | Tag::INPUT
                | Tag::LINK
                | Tag::META
                | Tag::PARAM
                | Tag::SOURCE
                | Tag::TRACK
                | Tag::WBR
                | Tag::PLAINTEXT
        )
    }

    /// Whether the tokenizer reads the element's content as text.
    pub(crate) fn is_raw_text(self) -> bool {
        matches!(
            self,
            Tag::SCRIPT
                | Tag::STYLE
                | Tag::TEXTAREA
                | Tag::TITLE
                | Tag::NOSCRIPT
                | Tag::XMP
                | Tag::IFRAME
                | Tag::NOEMBED
                | Tag::NOFRAMES
                | Tag::PLAINTEXT
        )
    }

    /// Returns whether the element is a "formatting element". If such an element is open at the end of a
    /// block, the tree builder reopens it in the next blocks.
    pub(crate) fn is_formatting(self) -> bool {
        matches!(
            self,
            Tag::A
                | Tag::B
                | Tag::BIG
                | Tag::CODE
                | Tag::EM
                | Tag::FONT
                | Tag::I
                | Tag::NOBR
                | Tag::S
                | Tag::SMALL
                | Tag::STRIKE
                | Tag::STRONG
                | Tag::TT
                | Tag::U
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        assert!(NAMES.is_sorted(), "headings must be adjacent and the table sorted");
        for (i, name) in NAMES.iter().enumerate() {
            assert_eq!(Tag::known(name).map(|t| usize::from(t.0)), Some(i));
        }
        assert!(Tag::H3.is_heading() && !Tag::HEAD.is_heading() && Tag::TD.is_block_level());
    }
}
