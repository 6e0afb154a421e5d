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
//! let blocks = Blocks::new(&document, REGISTRY[0], Visibility::Visible);
//! assert_eq!(blocks.join(|_| true), "Rain\nIt rained all day.");
//! ```

pub mod blocks;
mod charset;
mod composition;
mod geometry;
mod labelling;
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
pub mod style;
mod tag;
#[cfg(test)]
mod tests;
pub mod text;
mod tokenizer;
mod tree;
mod tree_builder;
mod trim;
mod visibility;

pub use charset::{Decoded, check_charset, decode, decoded_again, is_charset, other_kind, unknown_charset};
pub use geometry::{
    Color, DrawnElement, DrawnPage, Geometry, Lines, Outline, Shape, Style, element_paths, geometry_path,
};
pub use labelling::{LabelledTag, Labelling, MAX_CLASS, TokenFilter};
pub use names::{NUM_KNOWN as NUM_KNOWN_NAMES, known_number};
pub use paths::Paths;
pub use plain_html::plain_html;
pub use rewrite::{Edge, Place, escape, walk, with_html, write_attribute};
#[cfg(feature = "selectors")]
pub use selector::Selector;
pub use tag::Tag;
pub use tree::{Document, Kind, NodeId, Wrapper};
pub use visibility::Visibility;

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use threshr_core::{Budget, Result};

/// Maximum nesting depth of elements, as in browsers. Start tags that might exceed it are ignored, but their text
/// is kept.
pub const MAX_DEPTH: u32 = 512;

/// Maximum number of attributes per tag. The attributes after them are ignored.
pub const MAX_ATTRIBUTES: usize = 512;

/// Options of [`parse`].
#[derive(Debug, Clone, Default)]
pub struct ParseOptions {
    /// Charset label from outside the page, such as from an HTTP header or a data set.
    pub charset: Option<String>,
    /// The label format of an annotated page. The labels are read and removed.
    pub labelling: Option<Arc<dyn Labelling>>,
    /// Finds the page inside the wrapper of a data set. If `None`, the whole text is the page.
    pub unwrap: Option<&'static dyn Unwrap>,
    /// If true, hidden text stays hidden even if it is most of the page. If false, such text is assumed to be shown
    /// by a script (see [`Visibility`]).
    pub strict_visibility: bool,
    /// Whether the document stores the byte ranges of its elements and text nodes ([`Document::source_of`]). This
    /// takes time and memory.
    pub source_map: bool,
}

/// Finds a page inside its wrapper, the text that a data set adds around the HTML.
///
/// Resumed runs compare options by their `Debug` output, so the output must be the same in every process.
pub trait Unwrap: Debug + Send + Sync {
    /// Returns the metadata of the wrapper and the range of the page in `text`. Returns `None` if `text` has no
    /// wrapper.
    fn page(&self, text: &str) -> Option<(Wrapper, Range<usize>)>;
}

impl ParseOptions {
    /// Returns the wrapper of `text`, if it has one, and the page inside.
    pub(crate) fn unwrapped<'t>(&self, text: &'t str) -> (Option<Wrapper>, &'t str) {
        let found = self.unwrap.and_then(|unwrap| unwrap.page(text));
        match found.and_then(|(wrapper, range)| Some((wrapper, text.get(range)?))) {
            Some((wrapper, page)) => (Some(wrapper), page),
            None => (None, text),
        }
    }
}

/// Parses a page's bytes.
///
/// [`decode`] determines the charset, with `options.charset` as its hint. Labels that `options.labelling` reads are
/// stored as [`Document::labels`]. The tree is the same as that of the page without labels.
pub fn parse(bytes: &[u8], options: &ParseOptions) -> Document {
    parse_within(bytes, options, &Budget::UNLIMITED).unwrap_or_else(|e| unreachable!("without a limit: {e}"))
}

/// Parses like [`parse`], within a time budget.
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

/// Parses a page that is already decoded.
pub fn parse_str(html: &str) -> Document {
    parse_text(html, "UTF-8", &ParseOptions::default(), &Budget::UNLIMITED)
        .unwrap_or_else(|e| unreachable!("without a limit: {e}"))
}

/// Parsing choices where the HTML standard leaves the behaviour open, or where its rules contradict the author's
/// intention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Whether the page is parsed as if scripts run. If true, `<noscript>` contains text, not elements.
    pub scripting: bool,
    /// Whether self-closing raw-text elements such as `<script/>` are empty on pages written by an XML serialiser.
    pub xml: bool,
    /// Whether the tree is repaired where the tree of the standard loses, joins or misplaces text.
    /// Self-closing raw-text elements are empty if they would contain the rest of the page. The texts of
    /// elements that are nested too deeply are not joined. Streamed fragments and the content of slots are
    /// moved to their places.
    pub repairs: bool,
}

fn parse_text(
    html: &str,
    encoding: &'static str,
    options: &ParseOptions,
    budget: &Budget,
) -> Result<Document> {
    let build = if options.source_map { tree_builder::build_with_sources } else { tree_builder::build };
    let labelling = options.labelling.as_deref();
    let page = html;
    let (wrapper, html) = options.unwrapped(html);
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let start = html.as_ptr() as usize - page.as_ptr() as usize;
    let (html, title_edit) = trim::unclosed_title(html);
    let mut frames_edit = None;
    let reading = Reading { scripting: true, xml: true, repairs: true };
    let mut document = build(&html, labelling, reading, budget)?;
    let is_framed = document.elements_with(|tag| tag == Tag::FRAMESET).next().is_some();
    if let Some((page, edit)) = is_framed.then(|| trim::without_frames(&html)).flatten() {
        drop(document);
        document = build(&page, labelling, reading, budget)?;
        frames_edit = Some(edit);
    }
    budget.check()?;
    let noscript = visibility::mark(&mut document, options.strict_visibility);
    budget.check()?;
    if !options.strict_visibility && visibility::is_mostly_in_noscript(&document, &noscript) {
        drop(document);
        document = build(&html, labelling, Reading { scripting: false, ..reading }, budget)?;
        frames_edit = None;
        document.shows_noscript = true;
        visibility::mark(&mut document, false);
    }
    document.needs_rendering = !options.strict_visibility && visibility::exclude_shell(&mut document);
    if let Some(map) = &mut document.source_map {
        frames_edit.into_iter().chain([title_edit]).for_each(|edit| map.add_edit(edit));
        map.shift(start);
    }
    document.encoding = encoding;
    document.num_bytes = page.len();
    document.wrapper = wrapper;
    if let Some(labelling) = labelling {
        labelling.label(&mut document);
    }
    Ok(document)
}
