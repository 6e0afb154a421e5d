//! Rules for SVG and MathML ("foreign content").

use crate::names::Name;
use crate::tag::Tag;
use crate::tree_builder::sets::*;
use crate::tree_builder::stack::{NO_TAG, Open};
use crate::tree_builder::{Builder, Start, Step, Token, is_blank};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Attributes whose prefix before the colon is dropped.
const PREFIXED: [&str; 10] = [
    "xlink:actuate",
    "xlink:arcrole",
    "xlink:href",
    "xlink:role",
    "xlink:show",
    "xlink:title",
    "xlink:type",
    "xml:lang",
    "xml:space",
    "xmlns:xlink",
];

type Spellings = FxHashMap<String, &'static str>;

/// Maps the lower-case spelling of each name in a file to the name.
fn by_lower_case(file: &'static str) -> Spellings {
    file.lines().skip(1).map(|name| (name.to_ascii_lowercase(), name)).collect()
}

static SVG_TAG: LazyLock<Spellings> =
    LazyLock::new(|| by_lower_case(include_str!("../../data/svg_elements.txt")));
static SVG_ATTRIBUTE: LazyLock<Spellings> =
    LazyLock::new(|| by_lower_case(include_str!("../../data/svg_attributes.txt")));

/// Returns the standard's spelling of an attribute in SVG or MathML.
fn attribute_name(name: &str, is_svg: bool) -> &str {
    if PREFIXED.contains(&name) {
        return name.split_once(':').map_or(name, |p| p.1);
    }
    match name {
        "definitionurl" if !is_svg => "definitionURL",
        _ if is_svg => SVG_ATTRIBUTE.get(name).copied().unwrap_or(name),
        _ => name,
    }
}

impl Builder {
    /// Whether the rules of this module handle a token, because the token is in SVG or MathML and not at an
    /// integration point.
    #[inline]
    pub(crate) fn is_foreign(&self, token: &Token<'_>) -> bool {
        let current = self.current();
        if !current.is_in(FOREIGN) {
            return false;
        }
        match *token {
            Token::EndOfPage => false,
            Token::Text(_) | Token::Nul => !current.is_in(MATH_TEXT | HTML_POINT | HTML_ANNOTATION),
            Token::Start(start) if current.is_in(MATH_TEXT) => {
                matches!(start.tag, Tag::MGLYPH | Tag::MALIGNMARK)
            }
            Token::Start(start) if current.is_in(ANNOTATION) => start.tag != Tag::SVG,
            Token::Start(_) => !current.is_in(HTML_POINT | HTML_ANNOTATION),
            Token::End(_) | Token::Comment => true,
        }
    }

    pub(crate) fn foreign<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Nul => self.insert_text("\u{fffd}"),
            Token::Text(text) => {
                self.frameset_ok &= is_blank(text);
                self.insert_text(text);
            }
            Token::Start(start) if ends_foreign(start) => return self.leave_foreign(token),
            Token::End(Tag::BR | Tag::P) => return self.leave_foreign(token),
            Token::Start(start) => self.start_foreign(start),
            Token::End(tag) => return self.end_foreign(tag),
            Token::Comment | Token::EndOfPage => {}
        }
        Step::Done
    }

    /// Closes open SVG and MathML elements before an HTML tag.
    fn leave_foreign<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        while self.current().is_in(FOREIGN) && !self.current().is_in(MATH_TEXT | HTML_POINT) {
            self.pop();
        }
        self.step(self.mode, token)
    }

    fn start_foreign(&mut self, start: Start<'_>) {
        let is_svg = self.current().flags & SVG;
        let mut tag = start.tag;
        if is_svg != 0
            && let Some(name) = start.token.and_then(|t| SVG_TAG.get(t.name().text()))
        {
            tag = self.flat.doc.names.tag(Name::new(name));
        }
        self.insert_foreign(Start { tag, ..start }, is_svg);
    }

    /// Inserts an SVG element (`svg` is [`SVG`]) or a MathML element (`svg` is 0). Opens it unless it is
    /// self-closing.
    pub(crate) fn insert_foreign(&mut self, start: Start<'_>, svg: u32) {
        let attributes =
            start.attributes().map(|(name, value)| (Name::new(attribute_name(name.text(), svg != 0)), value));
        let attributes = self.flat.add_attributes(attributes);
        let id = self.flat.create_element(start.tag, attributes);
        self.insert_node(self.current(), id);
        if start.token.is_some_and(|t| t.self_closing) {
            return;
        }
        let holds = match start.tag {
            Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT if svg == 0 => MATH_TEXT | SCOPE,
            Tag::ANNOTATION_XML if svg == 0 && contains_html(start) => HTML_ANNOTATION,
            Tag::ANNOTATION_XML if svg == 0 => ANNOTATION,
            Tag::FOREIGN_OBJECT | Tag::DESC | Tag::TITLE if svg != 0 => HTML_POINT | SCOPE,
            _ => 0,
        };
        self.push(Open { id, tag: NO_TAG, flags: FOREIGN | svg | holds, depth: 0 });
    }

    /// Closes the innermost SVG or MathML element with the name of `tag`, in any case.
    fn end_foreign(&mut self, tag: Tag) -> Step<'static> {
        for index in (1..self.stack.len()).rev() {
            let open = self.stack[index];
            if index + 1 < self.stack.len() && !open.is_in(FOREIGN) {
                return self.step(self.mode, &Token::End(tag));
            }
            let doc = &self.flat.doc;
            if doc.name(open.id).eq_ignore_ascii_case(doc.names.name(tag.0)) {
                self.truncate(index);
                return Step::Done;
            }
        }
        Step::Done
    }
}

/// Whether the encoding of an `<annotation-xml>` is HTML.
fn contains_html(start: Start<'_>) -> bool {
    let encodings = ["text/html", "application/xhtml+xml"];
    start.attribute("encoding").is_some_and(|e| encodings.iter().any(|known| e.eq_ignore_ascii_case(known)))
}

/// Whether a start tag is an HTML tag that ends SVG or MathML content.
fn ends_foreign(start: Start<'_>) -> bool {
    match start.tag {
        Tag::FONT => start.attributes().any(|a| matches!(a.0.text(), "color" | "face" | "size")),
        Tag::B
        | Tag::BIG
        | Tag::BLOCKQUOTE
        | Tag::BODY
        | Tag::BR
        | Tag::CENTER
        | Tag::CODE
        | Tag::DD
        | Tag::DIV
        | Tag::DL
        | Tag::DT
        | Tag::EM
        | Tag::EMBED
        | Tag::H1
        | Tag::H2
        | Tag::H3
        | Tag::H4
        | Tag::H5
        | Tag::H6
        | Tag::HEAD
        | Tag::HR
        | Tag::I
        | Tag::IMG
        | Tag::LI
        | Tag::LISTING
        | Tag::MENU
        | Tag::META
        | Tag::NOBR
        | Tag::OL
        | Tag::P
        | Tag::PRE
        | Tag::RUBY
        | Tag::S
        | Tag::SMALL
        | Tag::SPAN
        | Tag::STRONG
        | Tag::STRIKE
        | Tag::SUB
        | Tag::SUP
        | Tag::TABLE
        | Tag::TT
        | Tag::U
        | Tag::UL
        | Tag::VAR => true,
        _ => false,
    }
}
