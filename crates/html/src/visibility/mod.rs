//! Finds the nodes that a reader does not see.
//!
//! One pass over the elements applies the [`RULES`] in order. Each rule is one file. Then hidden elements that contain
//! more text than the visible page, or that continue the visible text, are revealed, because a script probably shows
//! them.
//!
//! # How to add a rule
//!
//! 1. Write `NAME.rs` with a function `apply`, and add it to `RULES`. A rule receives the flags that earlier rules
//!    set.
//! 2. Add two pages to the tests of the rule: one with an element that it hides, and one with a similar element that it
//!    must not hide.

mod attribute_scan;
mod container_names;
mod continued;
mod cookie_banners;
mod copies;
mod dialogs;
mod element;
mod formulas;
mod hidden;
mod letters;
mod never_tags;
mod never_text;
mod notes;
mod notices;
mod reveal;
mod shell;
pub(crate) mod style;
mod tool_marks;

use crate::tag::Tag;
use crate::tree::{Document, Kind, NodeId};
use crate::visibility::attribute_scan::AttributeScan;
use crate::visibility::element::Element;
use crate::visibility::formulas::Formulas;
use crate::visibility::style::Shown;
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

pub(crate) use reveal::is_mostly_in_noscript;
pub(crate) use shell::exclude as exclude_shell;
pub(crate) use style::{Inline, Layout};

/// Flag of nodes inside an element whose content is never shown as text (script, style, …).
const NOT_TEXT: u8 = 1;
/// Flag of nodes inside an element that attributes or inline styles hide.
const HIDDEN: u8 = 2;
/// Flag of nodes that may be rendered but are not part of the page's text: cookie banners, notices
/// about scripts and browsers, tool marks (such as `¶` and `[edit]`), and all representations of a formula except one.
const EXCLUDED: u8 = 4;
/// Flag that is set together with [`HIDDEN`] on nodes that are never revealed, such as those inside closed dialogs and
/// media players.
const CLOSED: u8 = 8;

/// Flag that is set together with [`HIDDEN`] on elements that only `visibility: hidden` hides. Elements inside them are
/// shown if they have `visibility: visible`.
const INVISIBLE: u8 = 16;
/// Flag that is set together with [`HIDDEN`] on elements outside the flow of the page, such as menus. They are not
/// revealed together with their siblings.
const APART: u8 = 32;
/// The flags that apply to all nodes inside an element.
const INHERITED: u8 = NOT_TEXT | HIDDEN | EXCLUDED | CLOSED;

/// A rule. It receives the flags that earlier rules set on an element, and returns the new flags.
type Rule = fn(&mut Walk<'_>, &Element<'_>, u8) -> u8;

/// The rules in the order in which they are applied.
const RULES: &[Rule] = &[
    never_text::apply,
    hidden::apply,
    dialogs::apply,
    cookie_banners::apply,
    notices::apply,
    copies::apply,
    tool_marks::apply,
    formulas::apply,
    notes::apply,
];

/// Which nodes belong to the text of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Only the text that a reader sees.
    ///
    /// This excludes scripts, elements hidden by the attribute `hidden` or an inline style, closed dialogs, the
    /// content of media players, cookie banners, tool marks (`¶`, `[edit]`, line numbers), and all representations
    /// of a formula except one. An element that `hidden` or a style hides is included if it has more text than the
    /// visible page, because a script probably shows it, or if it is a footnote to which the page has a reference.
    #[default]
    Visible,
    /// All text, including hidden text, cookie banners, tool marks and all representations of formulas.
    WithHidden,
}

impl Document {
    /// Whether `node` belongs to the text under [`Visibility::Visible`].
    pub fn is_visible(&self, node: NodeId) -> bool {
        self.is_shown(node, Visibility::Visible)
    }
    /// Whether `node` belongs to the text under `visibility`.
    pub fn is_shown(&self, node: NodeId, visibility: Visibility) -> bool {
        let mask = match visibility {
            Visibility::Visible => NOT_TEXT | HIDDEN | EXCLUDED,
            Visibility::WithHidden => NOT_TEXT,
        };
        self.nodes[node as usize].hidden & mask == 0
    }
}

/// Marks every node with the flags of itself and its ancestors. Returns the `<noscript>` elements that hide their
/// content.
///
/// Some pages hide most of their text until a script shows it: a hidden `<body>`, a loading screen, streamed
/// fragments. So if `strict` is false, hidden elements that contain more text than the visible page, or
/// that continue the visible text, are revealed. No node may have flags before the call.
pub(crate) fn mark(doc: &mut Document, strict: bool) -> Vec<NodeId> {
    debug_assert!(doc.nodes.iter().all(|n| n.hidden == 0), "no node is marked before");
    let Found { mut flagged, visible, layouts } = Walk::run(doc);
    doc.layouts = layouts;
    let noscript = flagged.iter().map(|f| f.node).filter(|&n| doc.tag(n) == Tag::NOSCRIPT).collect();
    mark_below(doc, &flagged, &visible);
    if !strict {
        reveal::reveal(doc, &mut flagged, &visible);
        let continued = continued::find(doc, &flagged);
        if !continued.is_empty() {
            flagged.retain(|f| continued.binary_search(&f.node).is_err());
            mark_again(doc, &flagged, &visible);
        }
    }
    noscript
}

/// An element with flags that apply to all nodes inside it.
struct Flagged {
    node: NodeId,
    flags: u8,
}

impl Flagged {
    /// Whether only `visibility: hidden` hides the element, so that elements inside it may be shown.
    fn is_invisible(&self) -> bool {
        self.flags == HIDDEN | INVISIBLE
    }
}

/// The elements that the rules find, each list in node order.
struct Found {
    flagged: Vec<Flagged>,
    /// The elements whose inline style has `visibility: visible`.
    visible: Vec<NodeId>,
    /// The elements whose inline style determines how their text is laid out.
    layouts: Vec<(NodeId, Layout)>,
}

/// Marks the flagged elements and all nodes below them. Inside elements with `visibility: hidden`, the elements in
/// `visible` are not marked.
fn mark_below(doc: &mut Document, flagged: &[Flagged], visible: &[NodeId]) {
    // Elements with `visibility: hidden` are processed last, because they do not mark all nodes below them.
    let (invisible, others): (Vec<_>, Vec<_>) = flagged.iter().partition(|f| f.is_invisible());
    for &Flagged { node: top, flags } in others.into_iter().chain(invisible) {
        let skips = flags == HIDDEN | INVISIBLE && !visible.is_empty();
        let flags = flags & INHERITED;
        let mut at = Some(top);
        while let Some(node) = at {
            if skips && node != top && visible.binary_search(&node).is_ok() {
                show_ancestors(doc, node, top);
                at = doc.next_outside(node, top);
                continue;
            }
            let hidden = &mut doc.nodes[node as usize].hidden;
            // If a node already has the flags, the nodes below it are already processed.
            let is_marked = *hidden & flags == flags;
            *hidden |= flags;
            let below = if is_marked { None } else { doc.first_child(node) };
            at = below.or_else(|| doc.next_outside(node, top));
        }
    }
}

/// Removes all marks, and marks the flagged elements and the nodes below them.
fn mark_again(doc: &mut Document, flagged: &[Flagged], visible: &[NodeId]) {
    doc.nodes.iter_mut().for_each(|n| n.hidden = 0);
    mark_below(doc, flagged, visible);
}

/// Shows the ancestors of a visible element up to `top`, so that a traversal of the visible tree reaches it.
fn show_ancestors(doc: &mut Document, visible: NodeId, top: NodeId) {
    let mut at = doc.parent(visible);
    while let Some(node) = at {
        doc.nodes[node as usize].hidden &= !HIDDEN;
        at = doc.parent(node).filter(|_| node != top);
    }
}

/// The state of the pass over the elements.
struct Walk<'d> {
    doc: &'d Document,
    /// The flagged elements that were found, in node order.
    flagged: Vec<Flagged>,
    formulas: Formulas,
    cookie_banners: cookie_banners::Counts,
    /// Number of letters on the whole page, computed at first use.
    page_letters: OnceCell<usize>,
    /// The ids of notes that references name, found at first use.
    notes: OnceCell<FxHashSet<&'d str>>,
}

impl<'d> Walk<'d> {
    /// Applies the rules to the elements of a document.
    fn run(doc: &'d Document) -> Found {
        let scan = AttributeScan::new(doc);
        let mut walk = Walk {
            doc,
            flagged: Vec::new(),
            formulas: Formulas::new(doc),
            cookie_banners: cookie_banners::Counts::default(),
            page_letters: OnceCell::new(),
            notes: OnceCell::new(),
        };
        let (mut visible, mut layouts) = (Vec::new(), Vec::new());
        for (node, data) in (0..).zip(&doc.nodes).filter(|n| n.1.kind == Kind::Element) {
            let element = Element::read(doc, &scan, node, data);
            let flags = RULES.iter().fold(0, |flags, apply| apply(&mut walk, &element, flags));
            if flags != 0 {
                walk.flagged.push(Flagged { node, flags });
            }
            if element.shown == Shown::Visible {
                visible.push(node);
            }
            let is_as_usual = element.layout.inline == Some(Inline::Block) && element.tag.is_block_level();
            let is_inline = element.layout.inline.is_some() && !is_as_usual;
            if is_inline || element.layout.keeps_lines.is_some() {
                layouts.push((node, element.layout));
            }
        }
        Found { flagged: walk.flagged, visible, layouts }
    }

    /// Returns the number of letters on the whole page.
    fn page_letters(&self) -> usize {
        *self.page_letters.get_or_init(|| letters::below(self.doc, self.doc.root()))
    }

    /// Whether an ancestor of a node is [`EXCLUDED`].
    fn is_inside_apart(&self, node: NodeId) -> bool {
        let place = |above: NodeId| self.flagged.binary_search_by_key(&above, |f| f.node);
        self.doc
            .ancestors(node)
            .any(|above| place(above).is_ok_and(|i| self.flagged[i].flags & EXCLUDED != 0))
    }
}

#[cfg(test)]
mod tests {
    use super::Visibility;
    use crate::{Document, Kind, parse_str};

    fn texts(doc: &Document, visibility: Visibility) -> String {
        let shown = |&n: &u32| doc.kind(n) == Kind::Text && doc.is_shown(n, visibility);
        doc.descendants(0).filter(shown).map(|n| doc.text(n)).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn cookie_banners_are_left_out() {
        let doc = parse_str(
            "<body class=cookie-notice><p>a</p>\
             <div id=onetrust-consent-sdk><p>We value your privacy, all of it</div>\
             <div class='cky-consent-container x'><b>b</b></div><p class=cookie-policy>c",
        );
        assert_eq!(texts(&doc, Visibility::Visible), "a|c");
        assert_eq!(texts(&doc, Visibility::WithHidden), "a|We value your privacy, all of it|b|c");
        // these elements are never the main text of the page, whether hidden or visible
        let privacy = "We value your privacy. ".repeat(30);
        for html in [
            format!("<div id=onetrust-consent-sdk>{privacy}</div><p hidden>text"),
            format!("<div id=CybotCookiebotDialog style='display:none'>{privacy}</div><p>text"),
            format!(
                "{}<p hidden>text",
                format!("<div hidden><div id=onetrust-pc-sdk>{privacy}</div></div>").repeat(9)
            ),
        ] {
            assert_eq!(texts(&parse_str(&html), Visibility::Visible), "text", "{html}");
        }
    }

    #[test]
    fn elements_inside_a_cookie_banner_are_not_counted() {
        let inside = "<div class=cookie-notice>We use cookies</div>".repeat(30);
        for outer in ["id=onetrust-consent-sdk", "class=cookie-banner"] {
            let story = "And so on and on. ".repeat(90);
            let html =
                format!("<div {outer}>{inside}</div><p>{story}<div class=cookie-banner>We use cookies</div>");
            assert_eq!(texts(&parse_str(&html), Visibility::Visible), story, "{outer}");
        }
    }

    #[test]
    fn overlapping_hidden_elements_stay_hidden() {
        let doc = parse_str(
            "<p>a</p><div hidden>b<div id=onetrust-consent-sdk>c<p hidden>d<script>e</script></div>f</div>\
             <p>g<div id=onetrust-pc-sdk><p hidden>h</div>i",
        );
        assert_eq!(texts(&doc, Visibility::Visible), "a|g|i");
        assert_eq!(texts(&doc, Visibility::WithHidden), "a|b|c|d|f|g|h|i");
    }

    #[test]
    fn elements_that_a_frameset_removes_are_not_counted() {
        let doc = parse_str("<div><noscript>hello there all of you</noscript></div><frameset>");
        assert_eq!(texts(&doc, Visibility::Visible), "");
    }

    #[test]
    fn texts_about_cookies_are_no_banners() {
        let shown = |html: &str| texts(&parse_str(html), Visibility::Visible);
        let story = "And so on and on. ".repeat(9);
        assert_eq!(shown(&format!("<div class=cookie-banner>We use cookies</div><p>{story}")), story);
        for html in [
            format!("<h2 id=cookie-consent>a</h2><p>{story}"),
            format!("<section id=cookie-consent><h2>a</h2></section><p>{story}"),
            format!("<div class='cookie-bar x'><h1>a</h1></div><p>{story}"),
        ] {
            assert_eq!(shown(&html), format!("a|{story}"), "{html}");
        }
        assert_eq!(
            shown(&format!("<section class=cookie-bar>We <button>OK</button></section><p>{story}")),
            story
        );
        // likely names, with a button or a link
        let named = |tag: &str, name: &str, inside: &str| {
            shown(&format!("<{tag} class='{name}'>{inside}</{tag}><p>{story}"))
        };
        assert_eq!(named("div", "uhf-cookie-alert", "We <a>Yes</a>"), story);
        assert_eq!(
            named("div", "cookie-alert", &format!("We <a>Yes</a><script>{}</script>", "x ".repeat(2000))),
            story
        );
        assert_eq!(named("div", "wp-consent-root", "We <button>Yes</button>"), story);
        assert_ne!(named("div", "wp-consent-root", "We <a>Yes</a>"), story);
        assert_ne!(named("div", "uhf-cookie-alert", "We ask"), story);
        assert_ne!(named("div", "uhf-cookie-alert", &format!("<a>Yes</a>{}", "Why so? ".repeat(300))), story);
        assert_ne!(named("section", "my-cookie-banner", "We <a>#</a>"), story);
        assert_eq!(named("section", "my-cookie-banner", "We <button>OK</button>"), story);
        // elements that cannot be a banner are not counted
        let others = "<p class=cookie-card-wrapper></p>".repeat(40);
        assert_eq!(shown(&format!("{others}<div class=cookie-notice>We use</div><p>{story}")), story);
        // a banner without end tag
        assert_eq!(shown(&format!("<p>a<div class=cookie-notice>b<p>{story}")), format!("a|b|{story}"));
    }

    #[test]
    fn tool_marks_are_left_out_unless_they_contain_more() {
        for (html, expected) in [
            ("<h2>Rain<a class=headerlink href=#r>¶</a></h2>", "Rain"),
            ("<h2>Rain<span class='mw-editsection x'>[<a>edit</a>]</span></h2>", "Rain"),
            ("<h2><a class=header-anchor href=#r><span>Rain</span></a></h2>", "Rain"),
            ("<table><tr><td class=linenos><pre>1\n2\n3</pre><td>a", "a"),
            ("<div class=linenos><pre>let x = 1</pre></div>", "let x = 1"),
            ("<a class=hash-link>\u{200b}</a>b", "b"),
        ] {
            assert_eq!(texts(&parse_str(html), Visibility::Visible), expected, "{html}");
        }
    }
}
