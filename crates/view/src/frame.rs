//! Writes a page as inert HTML in which the text of each block is enclosed by an element.
//!
//! The HTML is generated from the parsed tree. Only elements and attributes that are known to be harmless
//! are written. As a second protection, the content security policy and the sandbox of the frame forbid
//! scripts and all network access.

use rustc_hash::FxHashMap;
use std::fmt::Write;
use threshr_core::{Error, ErrorKind, Result};
use threshr_html::blocks::Blocks;
use threshr_html::{Document, Edge, Kind, NodeId, Tag, escape, walk, write_attribute};

/// Name of the element that encloses the text of a block. Its attribute `data-b` is the index of the block.
const MARK: &str = "t-b";

/// Maximum length of the output, in bytes. The output can be much larger than the page, because the tree
/// stores shared attributes once, but they are written for each element.
const MAX_BYTES: usize = 1 << 25;

/// Styles of the block elements, and styles that make a page usable without its scripts.
const STYLES: &str = include_str!("marks.css");

/// Attributes that are kept. They affect the appearance of an element, or identify it.
const ATTRIBUTES: &[&str] = &[
    "abbr",
    "align",
    "alt",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "class",
    "color",
    "colspan",
    "datetime",
    "dir",
    "face",
    "height",
    "hidden",
    "id",
    "lang",
    "media",
    "noshade",
    "nowrap",
    "open",
    "placeholder",
    "reversed",
    "rowspan",
    "size",
    "span",
    "start",
    "style",
    "title",
    "type",
    "valign",
    "width",
];

/// How an element is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// Write the same element.
    Itself,
    /// Write an element with another name, and the same attributes and content.
    As(&'static str),
    /// Write only the content of the element.
    Content,
    /// Write neither the element nor its content.
    Nothing,
}

/// Writes a page as HTML. `source` is the decoded page or its start, in which the doctype is searched. Each
/// text range of a block is enclosed by an element `t-b` with the attribute `data-b`.
///
/// # Errors
/// [`ErrorKind::TooLarge`] if the output has more than 32 MB.
pub fn frame(doc: &Document, blocks: &Blocks, source: &[u8]) -> Result<String> {
    let marks = marks(blocks);
    let mut out = String::with_capacity(doc.source_text().len() * 3 + STYLES.len());
    if has_doctype(source) {
        out.push_str("<!DOCTYPE html>");
    }
    let mut has_styles = false;
    let is_written = walk(doc, |node, edge| {
        let (written, is_element) = (written(doc, node), doc.kind(node) == Kind::Element);
        let is_style = is_element && doc.tag(node) == Tag::STYLE;
        match edge {
            Edge::Start if is_element => {
                open(doc, node, written, &mut out);
                if is_style {
                    write_style(doc, node, &mut out);
                }
            }
            Edge::Start => write_text(doc, node, &marks, &mut out),
            Edge::End if is_element => {
                if doc.tag(node) == Tag::HEAD && !has_styles {
                    // Written after the styles of the page, so that these styles override them.
                    let _ = write!(out, "<style data-threshr>{STYLES}</style>");
                    has_styles = true;
                }
                close(doc, node, written, &mut out);
            }
            Edge::End => {}
        }
        (out.len() <= MAX_BYTES).then_some(written != Written::Nothing && !is_style)
    });
    if is_written.is_none() {
        return Err(Error::new(ErrorKind::TooLarge, "the page is too large to be shown")
            .expected(format!("at most {} MB of HTML", MAX_BYTES >> 20)));
    }
    if !has_styles {
        let _ = write!(out, "<style data-threshr>{STYLES}</style>");
    }
    Ok(out)
}

/// Returns for each text node its ranges that belong to a block, in order, with the index of the block.
fn marks(blocks: &Blocks) -> FxHashMap<NodeId, Vec<(u32, u32, usize)>> {
    let mut marks: FxHashMap<NodeId, Vec<(u32, u32, usize)>> = FxHashMap::default();
    for index in 0..blocks.len() {
        for span in blocks.spans(index).iter().filter(|span| !span.source.is_empty()) {
            marks.entry(span.node).or_default().push((span.source.start, span.source.end, index));
        }
    }
    marks.values_mut().for_each(|ranges| ranges.sort_unstable());
    marks
}

/// Determines how an element is written.
fn written(doc: &Document, node: NodeId) -> Written {
    if doc.kind(node) != Kind::Element {
        return Written::Itself;
    }
    match doc.tag(node) {
        Tag::SCRIPT
        | Tag::TITLE
        | Tag::LINK
        | Tag::META
        | Tag::BASE
        | Tag::OBJECT
        | Tag::EMBED
        | Tag::APPLET
        | Tag::IFRAME
        | Tag::FRAME
        | Tag::FRAMESET
        | Tag::TEMPLATE
        | Tag::SVG
        | Tag::AUDIO
        | Tag::VIDEO
        | Tag::CANVAS
        | Tag::SOURCE
        | Tag::TRACK
        | Tag::PARAM
        | Tag::NOEMBED
        | Tag::BGSOUND
        | Tag::AREA
        | Tag::KEYGEN => Written::Nothing,
        // Only the content is written, because the element selects a resource, but its text belongs to the
        // page.
        Tag::PICTURE | Tag::MAP => Written::Content,
        // The content is raw text, unless the page was parsed as if scripts were disabled.
        Tag::NOSCRIPT | Tag::NOFRAMES => {
            let has_elements = doc.children(node).any(|child| doc.kind(child) == Kind::Element);
            if has_elements { Written::As("div") } else { Written::Nothing }
        }
        // Interactive elements would take the focus, or remove the elements around block text.
        Tag::BUTTON
        | Tag::SELECT
        | Tag::OPTGROUP
        | Tag::OPTION
        | Tag::TEXTAREA
        | Tag::LABEL
        | Tag::OUTPUT => Written::As("span"),
        // A closed dialog or `<details>` would hide its text.
        Tag::FORM | Tag::DIALOG | Tag::MARQUEE | Tag::DETAILS | Tag::SUMMARY => Written::As("div"),
        Tag::PLAINTEXT | Tag::XMP | Tag::LISTING => Written::As("pre"),
        _ if is_plain_name(doc.name(node)) => Written::Itself,
        _ => Written::Content,
    }
}

/// Returns whether a name consists only of letters, digits and hyphens, and is not [`MARK`].
fn is_plain_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && name != MARK
}

fn open(doc: &Document, node: NodeId, written: Written, out: &mut String) {
    let name = match written {
        Written::Itself => doc.name(node),
        Written::As(name) => name,
        Written::Content | Written::Nothing => return,
    };
    out.extend(["<", name]);
    for (name, value) in doc.attributes(node) {
        // Browsers offer to fill in passwords.
        let is_password = name == "type" && value.trim().eq_ignore_ascii_case("password");
        let is_kept = (ATTRIBUTES.contains(&name) || name.starts_with("aria-")) && !is_password;
        if is_kept {
            write_attribute(name, value, out);
        }
    }
    match doc.tag(node) {
        Tag::A => {
            if let Some(target) = doc.attribute(node, "href") {
                // The application shows link targets but never follows them.
                write_attribute("data-href", target, out);
            }
        }
        Tag::IMG | Tag::IMAGE | Tag::INPUT => {
            if let Some(image) = doc.attribute(node, "src").filter(|src| is_image(src)) {
                write_attribute("src", image, out);
            }
        }
        Tag::LI => {
            if let Some(value) = doc.attribute(node, "value") {
                write_attribute("value", value, out);
            }
        }
        _ => {}
    }
    if doc.tag(node) == Tag::INPUT {
        if let Some(value) = doc.attribute(node, "value") {
            write_attribute("value", value, out);
        }
        out.push_str(" disabled");
    }
    out.push('>');
    if name == "pre" {
        // The parser ignores a line end directly after the start tag.
        out.push('\n');
    }
}

fn close(doc: &Document, node: NodeId, written: Written, out: &mut String) {
    match written {
        Written::Itself if !doc.tag(node).is_void() => out.extend(["</", doc.name(node), ">"]),
        Written::As(name) => out.extend(["</", name, ">"]),
        _ => {}
    }
}

/// Returns whether a URL is a data URL with an image.
fn is_image(address: &str) -> bool {
    const KINDS: [&str; 5] = ["png", "jpeg", "gif", "webp", "avif"];
    let address = address.trim_start();
    let kind = address.get(.."data:image/".len()).filter(|start| start.eq_ignore_ascii_case("data:image/"));
    kind.is_some_and(|start| {
        let rest = &address[start.len()..];
        KINDS.iter().any(|kind| rest.get(..kind.len()).is_some_and(|k| k.eq_ignore_ascii_case(kind)))
    })
}

/// Writes the text of a text node. Text of blocks is enclosed by elements.
fn write_text(
    doc: &Document,
    node: NodeId,
    marks: &FxHashMap<NodeId, Vec<(u32, u32, usize)>>,
    out: &mut String,
) {
    let range = doc.text_range(node);
    let text = doc.text(node);
    // Span offsets are relative to the text of the whole document.
    let part = |from: u32, to: u32| {
        text.get((from.saturating_sub(range.start)) as usize..(to.saturating_sub(range.start)) as usize)
            .unwrap_or_default()
    };
    let mut written = range.start;
    for &(start, end, block) in marks.get(&node).map_or(&[][..], Vec::as_slice) {
        let (start, end) = (start.clamp(written, range.end), end.clamp(written, range.end));
        if start < end {
            escape(part(written, start), out);
            let _ = write!(out, "<{MARK} data-b=\"{block}\">");
            escape(part(start, end), out);
            let _ = write!(out, "</{MARK}>");
            written = end;
        }
    }
    escape(part(written, range.end), out);
}

/// Writes the content of a style element. Replaces `<` by an escape, because in CSS, `<` is valid only inside
/// strings and comments.
fn write_style(doc: &Document, node: NodeId, out: &mut String) {
    for text in doc.children(node).filter(|&n| doc.kind(n) == Kind::Text) {
        out.push_str(&doc.text(text).replace('<', "\\3c "));
    }
}

/// Returns whether the page has a doctype near its start. Browsers use quirks mode for pages without a
/// doctype.
fn has_doctype(source: &[u8]) -> bool {
    let start = &source[..source.len().min(4096)];
    start.windows(9).any(|w| w.eq_ignore_ascii_case(b"<!doctype"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::REGISTRY;
    use threshr_html::{Visibility, parse_str};

    fn framed(html: &str) -> String {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        frame(&doc, &blocks, html.as_bytes())
            .expect("few bytes")
            .replace(&format!("<style data-threshr>{STYLES}</style>"), "")
    }

    #[test]
    fn the_text_of_blocks_is_marked() {
        let html = "<!doctype html><p class=a>one &amp; <b>two</b> three<p>four<br>five";
        assert_eq!(
            framed(html),
            "<!DOCTYPE html><html><head></head><body><p class=\"a\"><t-b data-b=\"0\">one &amp; </t-b><b>\
             <t-b data-b=\"0\">two</t-b></b><t-b data-b=\"0\"> three</t-b></p><p><t-b data-b=\"1\">four</t-b><br>\
             <t-b data-b=\"1\">five</t-b></p></body></html>"
        );
    }

    #[test]
    fn what_can_act_is_left_out() {
        for (html, unwanted) in [
            ("<p onclick='x()' onerror=x>t", "x"),
            ("<script>secret()</script>t", "secret"),
            ("<img src=http://secret/ srcset=secret alt=t>", "secret"),
            ("<meta http-equiv=refresh content='0;url=secret'>t", "secret"),
            ("<base href=http://secret/>t", "secret"),
            ("<iframe src=secret srcdoc=secret></iframe>t", "secret"),
            (
                "<form action=secret method=post><input name=secret formaction=secret><button>t</button></form>",
                "secret",
            ),
            ("<svg onload=secret><script>secret</script></svg>t", "secret"),
            ("<svg><style>&lt;/style>&lt;img src=secret></style></svg>t", "secret"),
            ("<a href='javascript:1' ping=secret target=secret download=secret>t</a>", "secret"),
            ("<link rel=stylesheet href=secret>t", "secret"),
            (
                "<object data=secret></object><embed src=secret><video src=secret poster=secret></video>t",
                "secret",
            ),
            ("<body background=secret>t", "secret"),
            ("<t-b data-b=secret>t</t-b>", "secret"),
            ("<template><p>secret</template>t", "secret"),
        ] {
            let out = framed(html);
            assert!(!out.contains(unwanted) && out.contains('t'), "{html}: {out}");
        }
        // the text of a style element cannot close the element
        let out = framed("<style>a{content:'</sty' '<img>'}</style>t");
        assert!(!out.contains("<img"), "{out}");
    }

    #[test]
    fn only_images_in_themselves_are_kept() {
        assert!(framed("<img src='data:image/png;base64,AA'>").contains("src=\"data:image/png;base64,AA\""));
        assert!(!framed("<img src='data:image/svg+xml,AA'>").contains("src="));
        assert!(!framed("<img src='data:text/html,AA'>").contains("src="));
    }

    #[test]
    fn output_is_bounded() {
        let html = format!("<font class=\"{}\">{}", "x".repeat(100_000), "<p><br>".repeat(2_000));
        let doc = parse_str(&html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        assert!(
            frame(&doc, &blocks, b"")
                .map_or_else(|e| e.kind == ErrorKind::TooLarge, |out| out.len() < 2 * MAX_BYTES)
        );
    }
}
