//! Exceptions to the rule that the tag of an element determines whether it is block-level.
//!
//! - A `<div>`, `<p>` or `<section>` with the style `display: inline` is inline. With `display: inline-block`, it is
//!   inline if it is inside a sentence.
//! - A `<span>` or a similar element with the style `display: block` and text is block-level.
//! - A `<button>` is inline if it is inside a sentence or is the text of a heading.
//! - A custom element is block-level if it is one of several paragraphs or items.

use crate::tree::{Document, Kind, NodeId};
use crate::visibility::{Inline, Layout};
use crate::{Tag, Visibility};
use rustc_hash::FxHashMap;

/// Minimum number of letters of a paragraph.
const PARAGRAPH: usize = 60;
/// Minimum number of letters of an item. Shorter elements are letters of a word.
const ITEM: usize = 4;
/// Maximum number of elements between a line of code and its `<pre>`.
const MAX_CODE_LEVELS: usize = 6;
/// Minimum number of items.
const MIN_ITEMS: usize = 3;
/// Maximum number of nodes of an element that are searched for text.
const MAX_NODES: usize = 200;

/// The exceptions of a document, each list in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Boxes {
    /// Elements with a block-level tag that are inline.
    inline: Vec<NodeId>,
    /// Elements with an inline tag that are block-level.
    block: Vec<NodeId>,
}

impl Boxes {
    pub(super) fn new(doc: &Document, visibility: Visibility) -> Self {
        let is_box = |node: NodeId| matches!(doc.tag(node), Tag::DIV | Tag::P | Tag::SECTION);
        let in_line = |&&(node, layout): &&(NodeId, Layout)| match layout.inline {
            Some(Inline::Text) => is_box(node),
            Some(Inline::Box) => is_box(node) && is_in_sentence(doc, node),
            Some(Inline::Block) | None => false,
        };
        let mut inline: Vec<NodeId> = doc.layouts.iter().filter(in_line).map(|&(node, _)| node).collect();
        let (buttons, custom): (Vec<NodeId>, Vec<NodeId>) = doc
            .elements_with(|tag| tag == Tag::BUTTON || is_custom(doc, tag))
            .partition(|&node| doc.tag(node) == Tag::BUTTON);
        inline.extend(buttons.into_iter().filter(|&node| is_word(doc, node)));
        inline.sort_unstable();
        let has_lines = |&&(node, layout): &&(NodeId, Layout)| {
            layout.inline == Some(Inline::Block)
                && PHRASES.contains(&doc.tag(node))
                // the lines of code end at its line ends
                && !doc.ancestors(node).take(MAX_CODE_LEVELS).any(|n| matches!(doc.tag(n), Tag::PRE | Tag::CODE))
                && letters(doc, node, visibility) > 0
        };
        let mut block: Vec<NodeId> = doc.layouts.iter().filter(has_lines).map(|&(node, _)| node).collect();
        block.extend(custom_boxes(doc, &custom, visibility));
        block.sort_unstable();
        Boxes { inline, block }
    }

    /// Whether an element is block-level: lines end before and after it.
    pub(super) fn is_block_level(&self, node: NodeId, tag: Tag) -> bool {
        if tag.is_block_level() {
            self.inline.binary_search(&node).is_err()
        } else {
            self.block.binary_search(&node).is_ok()
        }
    }
}

/// Inline tags that may have lines of their own.
const PHRASES: [Tag; 9] =
    [Tag::SPAN, Tag::A, Tag::B, Tag::STRONG, Tag::EM, Tag::I, Tag::SMALL, Tag::FONT, Tag::CITE];
/// Maximum number of siblings that are searched for text.
const MAX_SIBLINGS: usize = 32;

/// Whether an element has a sibling with text that is not block-level.
fn is_in_sentence(doc: &Document, node: NodeId) -> bool {
    let is_text = |sibling: NodeId| match doc.kind(sibling) {
        Kind::Text => !doc.text(sibling).trim().is_empty(),
        _ => !doc.tag(sibling).is_block_level() && letters(doc, sibling, Visibility::Visible) > 0,
    };
    let before = doc.previous_siblings(node);
    let after = doc.next_siblings(node);
    before.take(MAX_SIBLINGS).chain(after.take(MAX_SIBLINGS)).any(is_text)
}

/// Whether a `<button>` is a word of a sentence, with text before and after it, or the text of a heading.
fn is_word(doc: &Document, button: NodeId) -> bool {
    let is_heading = || doc.ancestors(button).take(2).any(|n| doc.tag(n).is_heading());
    is_heading() && letters(doc, button, Visibility::Visible) > 0
        || has_text(doc, doc.previous_siblings(button)) && has_text(doc, doc.next_siblings(button))
}

/// Whether text is among the nodes before the first block-level element or `<br>`.
fn has_text(doc: &Document, nodes: impl Iterator<Item = NodeId>) -> bool {
    let in_line =
        |&n: &NodeId| doc.kind(n) == Kind::Text || !doc.tag(n).is_block_level() && doc.tag(n) != Tag::BR;
    nodes.take_while(in_line).take(MAX_SIBLINGS).any(|n| !doc.text(n).trim().is_empty())
}

/// Whether a tag is that of a custom element.
fn is_custom(doc: &Document, tag: Tag) -> bool {
    usize::from(tag.0) >= Tag::NUM_KNOWN && doc.tag_name(tag).contains('-')
}

/// Returns the custom elements that are block-level, by their parents. The parent must be a block-level or custom
/// element, but not a heading or `<p>`, and its children must be paragraphs or items; see [`has_paragraphs`] and [`has_items`].
fn custom_boxes(doc: &Document, custom: &[NodeId], visibility: Visibility) -> Vec<NodeId> {
    let mut boxes = Vec::new();
    // for each parent, whether its children are paragraphs
    let mut parents: FxHashMap<NodeId, bool> = FxHashMap::default();
    for &node in custom {
        let Some(parent) = doc.parent(node) else { continue };
        let has_paragraphs = *parents.entry(parent).or_insert_with(|| {
            let tag = doc.tag(parent);
            let holds_boxes =
                is_custom(doc, tag) || tag.is_block_level() && !tag.is_heading() && tag != Tag::P;
            holds_boxes
                && (has_paragraphs(doc, parent, visibility)
                    || is_custom(doc, tag) && has_items(doc, parent, visibility))
        });
        if has_paragraphs {
            boxes.push(node);
        }
    }
    boxes
}

/// Whether the children of an element are paragraphs: two or more contain text, one of them has the length of a
/// paragraph, and there is no text between them.
fn has_paragraphs(doc: &Document, parent: NodeId, visibility: Visibility) -> bool {
    let (mut num, mut is_long) = (0, false);
    for child in doc.children(parent).filter(|&child| doc.is_shown(child, visibility)) {
        if doc.kind(child) == Kind::Text {
            if !doc.text(child).trim().is_empty() {
                return false;
            }
            continue;
        }
        if num >= 2 && is_long {
            continue;
        }
        let letters = letters(doc, child, visibility);
        num += u32::from(letters > 0);
        is_long |= letters >= PARAGRAPH;
    }
    num >= 2 && is_long
}

/// Whether the children of an element are items: three or more elements with text and the same tag, and no other text.
fn has_items(doc: &Document, parent: NodeId, visibility: Visibility) -> bool {
    let is_blank = |child: NodeId| doc.kind(child) == Kind::Text && doc.text(child).trim().is_empty();
    let shown = |&child: &NodeId| doc.is_shown(child, visibility) && !is_blank(child);
    let items: Vec<NodeId> = doc.children(parent).filter(shown).collect();
    let is_item = |&child: &NodeId| {
        doc.kind(child) == Kind::Element
            && doc.tag(child) == doc.tag(items[0])
            && letters(doc, child, visibility) >= ITEM
    };
    items.len() >= MIN_ITEMS && items.iter().all(is_item)
}

/// Returns the number of visible letters below a node, up to [`PARAGRAPH`].
fn letters(doc: &Document, node: NodeId, visibility: Visibility) -> usize {
    let shown = doc.descendants(node).take(MAX_NODES).filter(|&n| doc.is_shown(n, visibility));
    let mut letters = 0;
    for text in shown.map(|n| doc.text(n)) {
        letters += text.bytes().filter(|b| !b.is_ascii_whitespace()).count();
        if letters >= PARAGRAPH {
            break;
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use crate::blocks::{Blocks, REGISTRY};
    use crate::{Visibility, parse_str};

    fn blocks(html: &str) -> String {
        Blocks::new(&parse_str(html), REGISTRY[0], Visibility::Visible).join(|_| true)
    }

    #[test]
    fn boxes_inside_a_sentence_do_not_break_it() {
        for style in ["display:inline", "display: inline-block; color: red"] {
            assert_eq!(
                blocks(&format!("<p>It is<div style='{style}'> so</div>.")),
                "It is\nso.",
                "the box ends the paragraph"
            );
            assert_eq!(blocks(&format!("<div>It is <div style='{style}'>so</div>.</div>")), "It is so.");
        }
        let two = |style: &str| {
            blocks(&format!(
                "<div><div style='display:{style}'>hel</div><div style='display:{style}'>lo</div></div>"
            ))
        };
        assert_eq!((two("inline").as_str(), two("inline-block").as_str()), ("hello", "hel\nlo"));
        let three = "<div>The <i style='display:inline-block'>big</i> <div style='display:inline-block'>red</div> \
            <div style='display:inline-block'>boat</div> came</div>";
        assert_eq!(blocks(three), "The big red boat came");
        assert_eq!(blocks("<div>It is <div style='display:block'>so</div>.</div>"), "It is\nso\n.");
    }

    #[test]
    fn inline_elements_may_have_lines_of_their_own() {
        let two = |tag: &str| {
            blocks(&format!(
                "<p><{tag} style='display:block'>one</{tag}><{tag} style='display:block'>two</{tag}>"
            ))
        };
        assert_eq!((two("span").as_str(), two("a").as_str()), ("one\ntwo", "one\ntwo"));
        assert_eq!(
            blocks("<p>on<u style='display:flex'></u>e<span style='display:block'> </span>s"),
            "one s"
        );
        let code = "<pre><code><span style='display:flex'><span>one\n</span></span><span style='display:flex'>two</span></code></pre>";
        assert_eq!(blocks(code), "one\ntwo");
        let items = "<x-item>wax and honey</x-item>".repeat(3);
        assert_eq!(blocks(&format!("<x-list>{items}</x-list>")).lines().count(), 3);
        assert_eq!(blocks(&format!("<p>{items}</p>")).lines().count(), 1);
        assert_eq!(blocks("<x-word><x-c>a</x-c><x-c>b</x-c><x-c>c</x-c></x-word>"), "abc");
    }

    #[test]
    fn buttons_in_sentences_and_headings_are_text() {
        assert_eq!(blocks("<p>Press <button>Save</button> to end."), "Press Save to end.");
        assert_eq!(blocks("<p>Press <button>Save</button>"), "Press\nSave");
        assert_eq!(blocks("<div>Press <p>a</p><button>Save</button> to end."), "Press\na\nSave\nto end.");
        assert_eq!(blocks("<h3><button aria-expanded=true>Canals</button></h3>"), "Canals");
    }

    #[test]
    fn custom_elements_are_paragraphs_or_parts_of_a_sentence() {
        let long =
            "The keeper opens the lower gates when the first of the coal barges comes up from the sea.";
        let page = format!("<x-body><x-par>{long}</x-par><x-par>And then</x-par></x-body><x-end>it ends");
        assert_eq!(blocks(&page), format!("{long}\nAnd then\nit ends"));
        assert_eq!(
            blocks(&format!("<div>{long} The <x-tip>gate</x-tip> is shut.")),
            format!("{long} The gate is shut.")
        );
        assert_eq!(
            blocks(&format!("<p><x-a>{long}</x-a> <x-b>It is shut.</x-b>")),
            format!("{long} It is shut.")
        );
        assert_eq!(blocks("<div><x-a>Gate</x-a> <x-b>shut</x-b>"), "Gate shut");
    }

    #[test]
    fn line_ends_are_shown_as_the_style_says() {
        for style in ["pre-wrap", "pre-line", "pre"] {
            let page = format!("<div style='white-space:{style}'>one\ntwo <b>three\nfour</b></div>five\nsix");
            assert_eq!(blocks(&page), "one\ntwo three\nfour\nfive six");
        }
        assert_eq!(blocks("<p><span style='white-space:pre-wrap'>one\ntwo</span>\nthree"), "one\ntwo three");
        assert_eq!(
            blocks("<pre>one\ntwo<span style='white-space:normal'> three\nfour</span>"),
            "one\ntwo three four"
        );
    }
}
