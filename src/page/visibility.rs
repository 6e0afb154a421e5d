//! Which nodes a reader does not see.

use super::consent;
use super::tag::Tag;
use super::tree::{Document, Kind, NodeId, range};

/// Set on nodes below an element whose content is never shown as text (script, style, …).
const NOT_TEXT: u8 = 1;
/// Set on nodes below an element hidden by its attributes.
const HIDDEN: u8 = 2;
/// Set on nodes below a dialog that asks for consent.
const DIALOG: u8 = 4;

/// Which nodes are left out of the blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    /// What a reader sees: no scripts, and nothing hidden by `hidden` or an inline style. An element that hides more
    /// text than all that is visible is taken for one that a script shows. Dialogs that ask for consent to cookies lie over
    /// the page, and are none of it.
    #[default]
    Visible,
    /// Hidden elements' text and that of such dialogs too.
    WithHidden,
}

impl Document {
    /// Whether a reader sees `node`.
    pub fn is_visible(&self, node: NodeId) -> bool {
        self.is_shown(node, Visibility::Visible)
    }
    /// Whether `node` is kept under `visibility`.
    pub fn is_shown(&self, node: NodeId, visibility: Visibility) -> bool {
        let mask = match visibility {
            Visibility::Visible => NOT_TEXT | HIDDEN | DIALOG,
            Visibility::WithHidden => NOT_TEXT,
        };
        self.nodes[node as usize].hidden & mask == 0
    }
}

/// Times that hidden elements are looked through for the page's main text.
const REVEALS: usize = 4;

/// Marks every node with what hides it, itself or through an ancestor.
///
/// Pages that hide nearly all they have until a script shows it (a hidden `<body>`, a loading screen, streamed
/// fragments) are read as if the script had run: a hidden element with more text than all that is visible is shown.
/// `strict`: not so.
pub(crate) fn mark(doc: &mut Document, strict: bool) {
    let mut revealed = Vec::new();
    if strict {
        mark_except(doc, &revealed);
        return;
    }
    for _ in 0..REVEALS {
        let hidden = mark_except(doc, &revealed);
        if hidden.is_empty() {
            return;
        }
        let most = hidden
            .into_iter()
            .map(|n| (text_below(doc, n), n))
            .max_by_key(|&(n, node)| (n, std::cmp::Reverse(node)));
        match most {
            Some((letters, node)) if shows_fewer(doc, letters) => revealed.push(node),
            _ => return,
        }
    }
    mark_except(doc, &revealed);
}

/// Marks nodes, taking `shown` for visible; gives the outermost elements that attributes hide.
fn mark_except(doc: &mut Document, shown: &[NodeId]) -> Vec<NodeId> {
    let mut outermost = Vec::new();
    let number = |name| doc.names.find(name);
    let hiding =
        Hiding { hidden: number("hidden"), style: number("style"), id: number("id"), class: number("class") };
    let mut at = doc.first_child(0);
    while let Some(node) = at {
        let inherited = doc.parent(node).map_or(0, |p| doc.nodes[p as usize].hidden);
        let is_element = doc.kind(node) == Kind::Element && !shown.contains(&node);
        let own = if is_element { of_element(doc, node, hiding) } else { 0 };
        if own == HIDDEN && inherited == 0 {
            outermost.push(node);
        }
        doc.nodes[node as usize].hidden = inherited | own;
        at = doc.first_child(node).or_else(|| doc.next_outside(node, 0));
    }
    outermost
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

/// Text below a hidden element that nothing else hides.
fn text_below(doc: &Document, node: NodeId) -> usize {
    doc.descendants(node)
        .filter(|&n| doc.is_shown(n, Visibility::WithHidden))
        .map(|n| num_letters(doc, n))
        .sum()
}

/// Whether what `<noscript>` holds is more than all else: then the page is read as without scripts.
///
/// The document must have been parsed with scripting on, so that `<noscript>` holds its markup as text.
pub(crate) fn lives_in_noscript(doc: &Document) -> bool {
    if !doc.nodes.iter().any(|n| n.tag == Tag::NOSCRIPT) {
        return false;
    }
    let noscript =
        doc.descendants(0).filter(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::NOSCRIPT);
    let inside: usize =
        noscript.flat_map(|n| doc.descendants(n)).map(|n| letters_outside_tags(doc.text(n))).sum();
    if inside == 0 {
        return false;
    }
    shows_fewer(doc, inside)
}

fn letters_outside_tags(markup: &str) -> usize {
    let mut inside_tag = false;
    let letter = |b: u8| {
        inside_tag = b == b'<' || (inside_tag && b != b'>');
        usize::from(!inside_tag && b != b'>' && !b.is_ascii_whitespace())
    };
    markup.bytes().map(letter).sum()
}

/// Numbers of the attributes that hide elements or name dialogs, where the page has them.
#[derive(Clone, Copy)]
struct Hiding {
    hidden: Option<u16>,
    style: Option<u16>,
    id: Option<u16>,
    class: Option<u16>,
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

fn of_element(doc: &Document, node: NodeId, hiding: Hiding) -> u8 {
    let tag = doc.tag(node);
    if NEVER.get(usize::from(tag.0)) == Some(&true) && !(doc.shows_noscript && tag == Tag::NOSCRIPT) {
        return NOT_TEXT;
    }
    let (mut is_hidden, mut is_dialog) = (false, false);
    for a in doc.raw_attributes(node) {
        let name = Some(a.name);
        let value = || &doc.values[range(a.start..a.end)];
        if name == hiding.id || name == hiding.class {
            is_dialog |= consent::is_dialog(value());
        } else if name == hiding.style {
            is_hidden |= style_hides(value());
        } else if name == hiding.hidden {
            is_hidden |= !value().eq_ignore_ascii_case("until-found") && !is_streamed(doc, node);
        }
    }
    // on the page as a whole such a name tells of a state
    let is_whole = || matches!(tag, Tag::HTML | Tag::BODY | Tag::MAIN | Tag::ARTICLE);
    match (is_hidden, is_dialog) {
        (true, _) => HIDDEN,
        (false, true) if !is_whole() => DIALOG,
        _ => 0,
    }
}

/// Whether the element is a fragment that React streams hidden and a script moves into place (`id="S:1f"`).
fn is_streamed(doc: &Document, node: NodeId) -> bool {
    let number = doc.attribute(node, "id").and_then(|id| id.strip_prefix("S:"));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether an inline style says `display:none` or `visibility:hidden` (or `collapse`).
fn style_hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.trim().split('!').next().unwrap_or("").trim();
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        match property.trim() {
            p if p.eq_ignore_ascii_case("display") => is("none"),
            p if p.eq_ignore_ascii_case("visibility") => is("hidden") || is("collapse"),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Visibility, style_hides};
    use crate::page::{Document, Kind, parse_str};

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
        // they are never the page's main text
        let alone = parse_str("<div id=onetrust-consent-sdk><p>We value your privacy</div><p hidden>text");
        assert_eq!(texts(&alone, Visibility::Visible), "text");
    }

    #[test]
    fn reads_inline_styles() {
        assert!(style_hides("color:red;display: NONE !important"));
        assert!(style_hides("visibility:hidden"));
        assert!(!style_hides("display:block;overflow:hidden"));
        assert!(!style_hides("x-display:none"));
    }
}
