//! Which nodes a reader does not see.

mod attribute_scan;
mod cookie_banners;
mod dialogs;
mod formulas;

use crate::tag::Tag;
use crate::tree::{Document, Kind, Node, NodeId, range};
use crate::visibility::attribute_scan::AttributeScan;
use crate::visibility::cookie_banners::{Dialog, Says};
use crate::visibility::dialogs::Closed;
use crate::visibility::formulas::Formulas;
use std::cell::LazyCell;
use std::ops::Deref;

/// Set on nodes below an element whose content is never shown as text (script, style, …).
const NOT_TEXT: u8 = 1;
/// Set on nodes below an element hidden by its attributes.
const HIDDEN: u8 = 2;
/// Set on nodes below what is no part of the text, though it may be shown: a dialog that asks for consent,
/// marks of tools, all forms of a formula but one.
const APART: u8 = 4;
/// Set beside [`HIDDEN`] on nodes below what no script shows for the page itself: closed dialogs, players.
const CLOSED: u8 = 8;

/// Which nodes are left out of the blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    /// What a reader sees: no scripts, nothing hidden by `hidden` or an inline style, no closed dialog and
    /// nothing that players hold. An element that hides by the first two more text than all that is visible
    /// is taken for one that a script shows. Dialogs that ask for consent to cookies lie over the page, and
    /// are none of it; nor are marks of tools (`¶`, `[edit]`, numbers of lines), and of the forms of a
    /// formula all but one.
    #[default]
    Visible,
    /// Hidden elements' text too, for a model that tells which of it is content; not that of such dialogs.
    Weighed,
    /// Hidden elements' text and that of such dialogs too.
    WithHidden,
}

impl Visibility {
    /// The same for a method that knows nothing of what is hidden: it sees what a reader sees.
    pub fn unweighed(self) -> Self {
        if self == Visibility::Weighed { Visibility::Visible } else { self }
    }
}

impl Document {
    /// Whether a reader sees `node`.
    pub fn is_visible(&self, node: NodeId) -> bool {
        self.is_shown(node, Visibility::Visible)
    }
    /// Whether `node` is kept under `visibility`.
    pub fn is_shown(&self, node: NodeId, visibility: Visibility) -> bool {
        let mask = match visibility {
            Visibility::Visible => NOT_TEXT | HIDDEN | APART,
            Visibility::Weighed => NOT_TEXT | APART,
            Visibility::WithHidden => NOT_TEXT,
        };
        self.nodes[node as usize].hidden & mask == 0
    }
}

/// Times that hidden elements are looked through for the page's main text.
const REVEALS: usize = 4;

/// Marks every node with what hides it, itself or through an ancestor.
///
/// Pages that hide nearly all they have until a script shows it (a hidden `<body>`, a loading screen,
/// streamed fragments) are read as if the script had run: a hidden element with more text than all that is
/// visible is shown. `strict`: not so. No node of the document is marked before. Gives the elements
/// `<noscript>` that hide what they hold.
pub(crate) fn mark(doc: &mut Document, strict: bool) -> Vec<NodeId> {
    let mut hiding = hiding(doc);
    let noscript = hiding.iter().map(|h| h.node).filter(|&n| doc.tag(n) == Tag::NOSCRIPT).collect();
    debug_assert!(doc.nodes.iter().all(|n| n.hidden == 0), "nothing is marked before");
    mark_below(doc, &hiding);
    for _ in 0..if strict { 0 } else { REVEALS } {
        // the outermost elements that attributes hide
        let is_outermost = |h: &&Hiding| {
            h.flags == HIDDEN
                && doc.parent(h.node).is_some_and(|p| doc.nodes[p as usize].hidden == 0)
                && is_in_page(doc, h.node)
        };
        let hidden = hiding.iter().filter(is_outermost);
        let most = hidden
            .map(|h| (text_below(doc, h.node), h.node))
            .max_by_key(|&(n, node)| (n, std::cmp::Reverse(node)));
        match most {
            Some((letters, node)) if shows_fewer(doc, letters) => hiding.retain(|h| h.node != node),
            _ => break,
        }
        doc.nodes.iter_mut().for_each(|n| n.hidden = 0);
        mark_below(doc, &hiding);
    }
    noscript
}

/// An element that hides what is in it.
struct Hiding {
    node: NodeId,
    flags: u8,
}

/// The elements that hide what is in them.
fn hiding(doc: &Document) -> Vec<Hiding> {
    let (mut num_looked_at, mut num_guessed) = (0, 0);
    let mut hiding: Vec<Hiding> = Vec::new();
    let (mentions, mut formulas) = (AttributeScan::of(doc), Formulas::of(doc));
    let of_page = LazyCell::new(|| letters_below(doc, doc.root()));
    for (node, element) in (0..).zip(&doc.nodes).filter(|n| n.1.kind == Kind::Element) {
        let (mut flags, dialog) = of_element(doc, &mentions, node, element);
        let is_dialog = match dialog {
            None => false,
            Some(Dialog::Product) => true,
            Some(Dialog::Mark(says)) => is_mark(doc, node, says),
            Some(Dialog::Site) => {
                is_next(doc, node, &hiding, &mut num_looked_at) && lies_over_page(doc, node, &of_page)
            }
            Some(Dialog::Likely(pressed)) => {
                is_next(doc, node, &hiding, &mut num_guessed)
                    && is_asking(doc, node, pressed)
                    && lies_over_page(doc, node, &of_page)
            }
        };
        flags |= if is_dialog || formulas.is_said_elsewhere(doc, node) { APART } else { 0 };
        if flags == HIDDEN && formulas.is_held(doc, node) {
            flags = 0;
        }
        if flags != 0 {
            hiding.push(Hiding { node, flags });
        }
    }
    hiding
}

/// Whether an element is to be looked through, and counts it: one that stands in nothing that stands apart,
/// where there were fewer than [`MOST_DIALOGS`] before.
fn is_next(doc: &Document, node: NodeId, hiding: &[Hiding], num: &mut u32) -> bool {
    if *num == MOST_DIALOGS || is_apart(doc, node, hiding) {
        return false;
    }
    *num += 1;
    true
}

/// Whether something that stands apart, of those among `hiding`, which are sorted, is above a node.
fn is_apart(doc: &Document, node: NodeId, hiding: &[Hiding]) -> bool {
    let place = |above: NodeId| hiding.binary_search_by_key(&above, |h| h.node);
    doc.ancestors(node).any(|above| place(above).is_ok_and(|i| hiding[i].flags & APART != 0))
}

/// Whether a node is in the page, not taken out of it as what stood before a frame set is.
fn is_in_page(doc: &Document, node: NodeId) -> bool {
    doc.ancestors_and_self(node).last() == Some(doc.root())
}

/// Marks all nodes below those that hide them.
fn mark_below(doc: &mut Document, hiding: &[Hiding]) {
    for &Hiding { node: top, flags } in hiding {
        let mut at = Some(top);
        while let Some(node) = at {
            let hidden = &mut doc.nodes[node as usize].hidden;
            // what is below one that is marked is marked as well
            let is_marked = *hidden & flags == flags;
            *hidden |= flags;
            let below = if is_marked { None } else { doc.first_child(node) };
            at = below.or_else(|| doc.next_outside(node, top));
        }
    }
}

/// Bytes of a text node but white space.
fn num_letters(doc: &Document, node: NodeId) -> usize {
    doc.text(node).bytes().filter(|b| !b.is_ascii_whitespace()).count()
}

/// Whether a reader sees less text of the page than so many letters.
fn shows_fewer(doc: &Document, letters: usize) -> bool {
    let mut left = letters;
    for node in doc.descendants(0).filter(|&n| doc.is_visible(n)) {
        match left.checked_sub(num_letters(doc, node)) {
            Some(n) if n > 0 => left = n,
            _ => return false,
        }
    }
    left > 0
}

/// Elements with a site's name for a dialog that are looked through, and as many with one made of words.
const MOST_DIALOGS: u32 = 16;

/// Whether an element may be a dialog by its tag.
fn is_box(tag: Tag) -> bool {
    matches!(tag, Tag::DIV | Tag::ASIDE | Tag::FORM | Tag::DIALOG | Tag::SECTION)
}

/// Whether an element that a site has named as a dialog is one: such names are also those of headings and
/// chapters about cookies, and of states of the page. `of_page`: letters of the whole page.
fn lies_over_page(doc: &Document, node: NodeId, of_page: &impl Deref<Target = usize>) -> bool {
    // chapters have links to themselves
    let is_chapter = doc.tag(node) == Tag::SECTION && !is_asking(doc, node, &[Tag::BUTTON, Tag::INPUT]);
    let is_whole = |n: NodeId| matches!(doc.tag(n), Tag::H1 | Tag::MAIN | Tag::ARTICLE);
    !is_chapter && !doc.descendants(node).any(is_whole) && 2 * letters_below(doc, node) < **of_page
}

/// Bytes of text below a node but white space; not of scripts and the like.
fn letters_below(doc: &Document, node: NodeId) -> usize {
    let is_text = |&n: &NodeId| !doc.parent(n).is_some_and(|p| is_never_text(doc.tag(p)));
    doc.descendants(node).filter(is_text).map(|n| num_letters(doc, n)).sum()
}

/// Letters of a dialog that nothing but words in its name tells; what a site says about its cookies is
/// longer.
const MOST_ASKED: usize = 1500;

/// Whether one of some tags stands in a short element, as what asks for consent has them to be pressed.
fn is_asking(doc: &Document, node: NodeId, pressed: &[Tag]) -> bool {
    doc.descendants(node).any(|n| pressed.contains(&doc.tag(n))) && letters_below(doc, node) < MOST_ASKED
}

/// Whether an element that is named as a mark says no more than one does, as far as its first nodes tell.
fn is_mark(doc: &Document, node: NodeId, says: Says) -> bool {
    const MOST_NODES: usize = 64;
    const MOST_CHARS: usize = 256;
    let texts = doc.descendants(node).take(MOST_NODES).map(|n| doc.text(n));
    let mut said = texts.flat_map(str::chars).take(MOST_CHARS).filter(|c| c.is_alphanumeric());
    match says {
        Says::Anything => true,
        Says::Sign => said.nth(1).is_none(),
        Says::Numbers => said.all(char::is_numeric),
    }
}

/// Text below a hidden element that nothing else hides.
fn text_below(doc: &Document, node: NodeId) -> usize {
    let is_text = |n: &NodeId| doc.nodes[*n as usize].hidden & (NOT_TEXT | APART | CLOSED) == 0;
    doc.descendants(node).filter(is_text).map(|n| num_letters(doc, n)).sum()
}

/// Whether what the elements `noscript` hold is more than all else: then the page is read as without scripts.
///
/// The document must have been parsed with scripting on, so that they hold their markup as text.
pub(crate) fn is_mostly_in_noscript(doc: &Document, noscript: &[NodeId]) -> bool {
    let in_page = noscript.iter().copied().filter(|&n| is_in_page(doc, n));
    let inside: usize =
        in_page.flat_map(|n| doc.descendants(n)).map(|n| letters_outside_tags(doc.text(n))).sum();
    inside > 0 && shows_fewer(doc, inside)
}

fn letters_outside_tags(markup: &str) -> usize {
    let mut inside_tag = false;
    let letter = |b: u8| {
        inside_tag = b == b'<' || (inside_tag && b != b'>');
        usize::from(!inside_tag && b != b'>' && !b.is_ascii_whitespace())
    };
    markup.bytes().map(letter).sum()
}

/// Numbers of the attributes that hide elements or tell dialogs.
mod attribute {
    use crate::names::known_number;

    pub const HIDDEN: u16 = known_number("hidden");
    pub const STYLE: u16 = known_number("style");
    pub const ID: u16 = known_number("id");
    pub const CLASS: u16 = known_number("class");
    pub const ROLE: u16 = known_number("role");
    pub const ARIA_HIDDEN: u16 = known_number("aria-hidden");
    pub const TABINDEX: u16 = known_number("tabindex");
}

/// The tags whose text is never shown, by number.
static NEVER: [bool; Tag::NUM_KNOWN] = {
    let tags = [
        Tag::SCRIPT,
        Tag::STYLE,
        Tag::NOSCRIPT,
        Tag::TEMPLATE,
        Tag::SVG,
        Tag::TITLE,
        Tag::TEXTAREA,
        Tag::IFRAME,
        Tag::NOEMBED,
        Tag::NOFRAMES,
        Tag::HEAD,
    ];
    let mut never = [false; Tag::NUM_KNOWN];
    let mut i = 0;
    while i < tags.len() {
        never[tags[i].0 as usize] = true;
        i += 1;
    }
    never
};

fn is_never_text(tag: Tag) -> bool {
    NEVER.get(usize::from(tag.0)) == Some(&true)
}

/// What hides an element by itself, and which dialog for consent, or which mark, it may be.
fn of_element(
    doc: &Document,
    mentions: &AttributeScan,
    node: NodeId,
    element: &Node,
) -> (u8, Option<Dialog>) {
    let tag = element.tag;
    if is_never_text(tag) && !(doc.shows_noscript && tag == Tag::NOSCRIPT) {
        return (NOT_TEXT, None);
    }
    let (mut is_hidden, mut dialog, mut closed) = (false, None, Closed::default());
    for a in &doc.attributes[range(element.a..element.b)] {
        let value = || &doc.values[range(a.start..a.end)];
        match a.name {
            attribute::ID | attribute::CLASS => {
                dialog = match dialog {
                    Some(Dialog::Product) => dialog,
                    other => cookie_banners::dialog(value()).or(other),
                };
                if dialog.is_none() && mentions.consent(a) {
                    dialog = cookie_banners::likely(value()).map(Dialog::Likely);
                }
                if a.name == attribute::CLASS && mentions.modal(a) {
                    closed.class(value());
                }
            }
            attribute::ROLE => closed.role(value()),
            attribute::ARIA_HIDDEN => closed.aria_hidden(value()),
            attribute::TABINDEX => closed.tab_index(value()),
            attribute::STYLE => is_hidden |= style_hides(value()),
            attribute::HIDDEN => {
                is_hidden |= !value().eq_ignore_ascii_case("until-found") && !is_streamed(doc, element);
            }
            _ => {}
        }
    }
    // on the page as a whole such a name tells of a state
    let is_whole = matches!(tag, Tag::HTML | Tag::BODY | Tag::MAIN | Tag::ARTICLE);
    // what a player holds is for browsers that cannot play
    let is_closed = matches!(tag, Tag::VIDEO | Tag::AUDIO) || !is_whole && closed.is_closed(doc, node);
    let flags = match (is_closed, is_hidden) {
        (true, _) => HIDDEN | CLOSED,
        (false, true) => HIDDEN,
        (false, false) => 0,
    };
    let may_be = |dialog: &Dialog| match dialog {
        Dialog::Site | Dialog::Likely(_) => is_box(tag),
        Dialog::Product | Dialog::Mark(_) => !is_whole,
    };
    (flags, dialog.filter(may_be))
}

/// Whether the element is a fragment that React streams hidden and a script moves into place (`id="S:1f"`).
fn is_streamed(doc: &Document, element: &Node) -> bool {
    let attributes = &doc.attributes[range(element.a..element.b)];
    let id = attributes.iter().find(|a| a.name == attribute::ID);
    let number = id.and_then(|id| doc.values[range(id.start..id.end)].strip_prefix("S:"));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The properties and values of an inline style, without what stands behind `!`.
pub(crate) fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let declarations = style.split(';').filter_map(|d| d.split_once(':'));
    declarations.map(|(property, value)| (property.trim(), value.split('!').next().unwrap_or("").trim()))
}

/// Whether an inline style says `display:none` or `visibility:hidden` (or `collapse`).
fn style_hides(style: &str) -> bool {
    declarations(style).any(|(property, value)| {
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        match property {
            p if p.eq_ignore_ascii_case("display") => is("none"),
            p if p.eq_ignore_ascii_case("visibility") => is("hidden") || is("collapse"),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::Visibility;
    use super::style_hides;
    use crate::{Document, Kind, parse_str};

    fn texts(doc: &Document, visibility: Visibility) -> String {
        let shown = |&n: &u32| doc.kind(n) == Kind::Text && doc.is_shown(n, visibility);
        doc.descendants(0).filter(shown).map(|n| doc.text(n)).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn dialogs_for_consent_lie_over_the_page() {
        let doc = parse_str(
            "<body class=cookie-notice><p>a</p><div id=onetrust-consent-sdk><p>We value your privacy, all of it</div>\
             <div class='cky-consent-container x'><b>b</b></div><p class=cookie-policy>c",
        );
        assert_eq!(texts(&doc, Visibility::Visible), "a|c");
        assert_eq!(texts(&doc, Visibility::WithHidden), "a|We value your privacy, all of it|b|c");
        // they are never the page's main text, hidden or not
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
    fn what_is_inside_a_dialog_is_no_dialog() {
        let inside = "<div class=cookie-notice>We use cookies</div>".repeat(30);
        for outer in ["id=onetrust-consent-sdk", "class=cookie-banner"] {
            let story = "And so on and on. ".repeat(90);
            let html =
                format!("<div {outer}>{inside}</div><p>{story}<div class=cookie-banner>We use cookies</div>");
            assert_eq!(texts(&parse_str(&html), Visibility::Visible), story, "{outer}");
        }
    }

    #[test]
    fn what_is_hidden_twice_is_shown_where_neither_hides_it() {
        let doc = parse_str(
            "<p>a</p><div hidden>b<div id=onetrust-consent-sdk>c<p hidden>d<script>e</script></div>f</div><p>g\
             <div id=onetrust-pc-sdk><p hidden>h</div>i",
        );
        assert_eq!(texts(&doc, Visibility::Visible), "a|g|i");
        assert_eq!(texts(&doc, Visibility::WithHidden), "a|b|c|d|f|g|h|i");
    }

    #[test]
    fn what_a_frame_set_takes_out_of_the_page_says_nothing_of_it() {
        let doc = parse_str("<div><noscript>hello there all of you</noscript></div><frameset>");
        assert_eq!(texts(&doc, Visibility::Visible), "");
    }

    #[test]
    fn texts_about_cookies_are_no_dialogs() {
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
        // names that words tell, with something to press
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
        // what can be none is not counted
        let others = "<p class=cookie-card-wrapper></p>".repeat(40);
        assert_eq!(shown(&format!("{others}<div class=cookie-notice>We use</div><p>{story}")), story);
        // one that is never closed
        assert_eq!(shown(&format!("<p>a<div class=cookie-notice>b<p>{story}")), format!("a|b|{story}"));
    }

    #[test]
    fn marks_are_no_text_where_they_say_no_more() {
        for (html, said) in [
            ("<h2>Rain<a class=headerlink href=#r>¶</a></h2>", "Rain"),
            ("<h2>Rain<span class='mw-editsection x'>[<a>edit</a>]</span></h2>", "Rain"),
            ("<h2><a class=header-anchor href=#r><span>Rain</span></a></h2>", "Rain"),
            ("<table><tr><td class=linenos><pre>1\n2\n3</pre><td>a", "a"),
            ("<div class=linenos><pre>let x = 1</pre></div>", "let x = 1"),
            ("<a class=hash-link>\u{200b}</a>b", "b"),
        ] {
            assert_eq!(texts(&parse_str(html), Visibility::Visible), said, "{html}");
        }
    }

    #[test]
    fn reads_inline_styles() {
        assert!(style_hides("color:red;display: NONE !important"));
        assert!(style_hides("visibility:hidden"));
        assert!(!style_hides("display:block;overflow:hidden"));
        assert!(!style_hides("x-display:none"));
    }
}
