//! Bytes → [`Document`] → [`Blocks`](blocks::Blocks).
//!
//! The stages are charset detection, HTML5 parsing into a flat tree, visibility and block segmentation.
//! [`parse`] never fails: any bytes give a document. Time and memory are linear in the number of bytes.
//!
//! ```
//! use threshr_html::blocks::{Blocks, REGISTRY};
//! use threshr_html::{Visibility, parse_str};
//!
//! let document = parse_str("<h1>Rain</h1><p>It rained <b>all</b> day.<script>track()</script>");
//! let blocks = Blocks::of(&document, REGISTRY[0], Visibility::Visible);
//! assert_eq!(blocks.join(|_| true), "Rain\nIt rained all day.");
//! ```

mod annotation;
pub mod blocks;
mod charset;
mod geometry;
mod names;
#[cfg(any(test, feature = "oracle"))]
pub mod oracle;
mod paths;
mod plain_html;
mod rewrite;
#[cfg(feature = "selectors")]
mod selector;
mod source_map;
pub mod structure;
mod tag;
#[cfg(test)]
mod testing;
pub mod text;
mod tokenizer;
mod tree;
mod tree_builder;
mod trim;
mod visibility;

pub use annotation::{Annotation, AnnotationKind, Marks};
pub use charset::{Decoded, decode, is_charset, other_kind, unknown_charset};
pub use geometry::{
    Color, DrawnElement, DrawnPage, Geometry, Lines, Outline, Shape, Style, element_paths, geometry_path,
};
pub use names::{NUM_KNOWN as NUM_KNOWN_NAMES, known_number};
pub use paths::Paths;
pub use plain_html::plain_html;
pub use rewrite::{Place, escape, with_html, with_html_instead};
#[cfg(feature = "selectors")]
pub use selector::Selector;
pub use tag::Tag;
pub use tree::{Document, Kind, NodeId, Wrapper};
pub use visibility::Visibility;

use threshr_core::{Budget, Result};

/// Deepest nesting of elements. Deeper start tags are ignored, and their text is kept.
///
/// Browsers have the same limit.
pub const MAX_DEPTH: u32 = 512;

/// Most attributes of a tag. Further ones are ignored.
pub const MAX_ATTRIBUTES: usize = 512;

/// Options of [`parse`].
#[derive(Debug, Clone, Default)]
pub struct ParseOptions {
    /// Charset label from outside the page, as from an HTTP header or a data set.
    pub charset: Option<String>,
    /// Annotation that is read as labels and removed from the page.
    pub annotation: Option<Annotation>,
    /// Hidden text stays hidden even if it is most of the page. By default such text counts as shown by a
    /// script (see [`Visibility`]).
    pub strict_visibility: bool,
    /// Whether the document knows where its elements and texts are in the page ([`Document::source_of`]). Takes time
    /// and memory.
    pub source_map: bool,
}

/// Parses a page's bytes.
///
/// The charset comes from a byte-order mark, else from `options.charset`, else from `<meta>`, else from
/// detection (see [`decode`]). Labels of `options.annotation` are stored as [`Document::labels`]. The tree
/// equals that of the page without labels.
pub fn parse(bytes: &[u8], options: &ParseOptions) -> Document {
    parse_within(bytes, options, &Budget::UNLIMITED).unwrap_or_else(|e| unreachable!("without a limit: {e}"))
}

/// As [`parse`], within a time budget.
///
/// # Errors
/// If the time budget is exceeded.
pub fn parse_within(bytes: &[u8], options: &ParseOptions, budget: &Budget) -> Result<Document> {
    let decoded = decode(bytes, options.charset.as_deref());
    let mut document = parse_text(&decoded.text, decoded.encoding, options, budget)?;
    document.num_bytes = document.num_bytes.min(bytes.len());
    const MARK: &[u8] = "\u{feff}".as_bytes();
    if bytes.starts_with(MARK) {
        document.shift_sources(MARK.len());
    }
    Ok(document)
}

/// Parses a page that is already text.
pub fn parse_str(html: &str) -> Document {
    parse_text(html, "UTF-8", &ParseOptions::default(), &Budget::UNLIMITED)
        .unwrap_or_else(|e| unreachable!("without a limit: {e}"))
}

fn parse_text(
    html: &str,
    encoding: &'static str,
    options: &ParseOptions,
    budget: &Budget,
) -> Result<Document> {
    let build: Build<'_> =
        if options.source_map { &tree_builder::build_with_sources } else { &tree_builder::build };
    parse_with(html, encoding, options, budget, build)
}

/// A tree builder. Its argument `scripting` means that `<noscript>` contains text, not elements.
type Build<'b> = &'b dyn Fn(&str, Option<&Annotation>, bool, &Budget) -> Result<Document>;

/// Parses text with a tree builder and marks hidden nodes.
fn parse_with(
    html: &str,
    encoding: &'static str,
    options: &ParseOptions,
    budget: &Budget,
    build: Build<'_>,
) -> Result<Document> {
    let annotation = options.annotation.as_ref();
    let page = html;
    let (wrapper, html) = trim::cleaneval_wrapper(html);
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let start = html.as_ptr() as usize - page.as_ptr() as usize;
    let (html, title_edit) = trim::unclosed_title(html);
    let mut frames_edit = None;
    let mut document = build(&html, annotation, true, budget)?;
    let is_framed = document.elements_with(|tag| tag == Tag::FRAMESET).next().is_some();
    if let Some((page, edit)) = is_framed.then(|| trim::without_frames(&html)).flatten() {
        drop(document);
        document = build(&page, annotation, true, budget)?;
        frames_edit = Some(edit);
    }
    budget.check()?;
    let noscript = visibility::mark(&mut document, options.strict_visibility);
    budget.check()?;
    if !options.strict_visibility && visibility::is_mostly_in_noscript(&document, &noscript) {
        drop(document);
        document = build(&html, annotation, false, budget)?;
        frames_edit = None;
        document.shows_noscript = true;
        visibility::mark(&mut document, false);
    }
    if let Some(map) = &mut document.source_map {
        frames_edit.into_iter().chain([title_edit]).for_each(|edit| map.add_edit(edit));
        map.shift(start);
    }
    document.encoding = encoding;
    document.num_bytes = page.len();
    document.wrapper = wrapper;
    #[cfg(feature = "selectors")]
    if let Some(annotation) = annotation {
        annotation.label_by_selector(&mut document);
    }
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn text(html: &str) -> String {
        let doc = parse_str(html);
        let mut out = String::new();
        for node in doc.descendants(doc.root()) {
            if doc.kind(node) == Kind::Text && doc.is_visible(node) {
                out.push_str(doc.text(node));
            }
        }
        out
    }

    #[test]
    fn leaves_out_hidden_text() {
        let html = "<title>T</title><p>a<script>x()</script><style>s</style><noscript>n</noscript>\
            <template><p>t</p></template><svg><text>v</text></svg><!-- c --><i hidden>h</i>\
            <b style='color:red; DISPLAY : none'>d</b><b style='visibility:hidden'>e</b>z";
        assert_eq!(text(html), "az");
    }

    #[test]
    fn pages_of_frames_give_their_text_for_browsers_without_frames() {
        let page =
            "<title>T</title><frameset><frame src=a><NOFRAMES><body><p>text</body></noframes></frameset>";
        assert_eq!(text(page), "text");
        assert_eq!(text("<frameset><frame src=a></frameset>"), "");
    }

    #[test]
    fn text_that_scripts_show_is_read() {
        let long = "a long text that is the page ".repeat(3);
        assert_eq!(text(&format!("<body hidden><p>{long}<b style='display:none'>x</b>")), long);
        assert_eq!(
            text(&format!("<p>Loading</p><noscript><p>{long}</p></noscript>")),
            format!("Loading{long}")
        );
        assert_eq!(
            text(&format!("<p>{long}</p><noscript><p>Please enable</p></noscript><div hidden>menu</div>")),
            long
        );
        assert_eq!(
            text("<title>BBC<body><p>text of a page whose title is never closed"),
            "text of a page whose title is never closed"
        );
    }

    #[test]
    fn hostile_pages_are_parsed_in_bounded_time() {
        let deep = "<div>".repeat(100_000) + "end";
        let table = "<table>".to_owned() + &"<div>".repeat(50_000) + "end";
        let attrs = format!("<p {}>end", (0..100_000).map(|i| format!("a{i}='x' ")).collect::<String>());
        let formatting = format!(
            "<p>{}</p>{}end",
            (0..600).map(|i| format!("<b id={i}>")).collect::<String>(),
            "<p>x</p>".repeat(20_000)
        );
        let misnested =
            format!("<b><div>{}{}end", "<p>y".repeat(20_000), "<a></div><b></a></b><div>".repeat(2_000));
        for (name, html) in [
            ("deep", deep),
            ("table", table),
            ("attributes", attrs),
            ("formatting", formatting),
            ("misnested", misnested),
            ("nul", "\0<p>\0end\0".into()),
            ("lt", "<".repeat(300_000) + " end"),
            ("entities", "&amp;".repeat(200_000) + "end"),
            ("unclosed", "<p".repeat(100_000) + ">end"),
            ("comment", "end<!--".to_owned() + &"<!-".repeat(100_000)),
            ("comments", "end".to_owned() + &"<!--".repeat(400_000)),
            ("scripts", "<SCRIPT>x</SCRIPT>".repeat(200_000) + "end"),
            ("styles", "<style>a</STYLE>".repeat(200_000) + "end"),
            ("open script", "end".to_owned() + &"<script>".repeat(200_000)),
        ] {
            let started = Instant::now();
            assert!(text(&html).contains("end"), "{name}");
            // each takes much less; a quadratic step would take minutes
            assert!(started.elapsed().as_secs() < 20, "{name} took {:?}", started.elapsed());
        }
        assert_eq!(text(""), "");
    }

    #[test]
    fn depth_has_a_limit() {
        let html = format!("{}deep{}<p>after</p>", "<div>".repeat(2_000), "</div>".repeat(2_000));
        let doc = parse_str(&html);
        let after =
            doc.descendants(doc.root()).find(|&n| doc.kind(n) == Kind::Text && doc.text(n) == "after");
        let depth = doc.ancestors(after.expect("the text is there")).count();
        assert_eq!(depth, 4, "p, body, html, document");
        let deepest = doc.descendants(doc.root()).map(|n| doc.ancestors(n).count()).max();
        assert!(deepest <= Some(MAX_DEPTH as usize + 4), "{deepest:?}");
    }

    #[test]
    fn reads_truncated_bytes_and_any_charset() {
        assert!(parse(b"<p>caf\xc3", &ParseOptions::default()).source_text().contains("caf"));
        for n in 0..40u8 {
            parse(&[n, 0xff, 0xfe, n.wrapping_mul(17), 0x1b, b'$', b'B'], &ParseOptions::default());
        }
    }
}
