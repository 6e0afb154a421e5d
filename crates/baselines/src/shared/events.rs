//! A page's tree as a sequence of tags and text nodes in document order, for systems that read tags.

use threshr_html::blocks::Blocks;
use threshr_html::{Document, Kind, NodeId};

/// An event of a tree walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// The start of an element, including void elements such as `<br>`.
    Start(NodeId),
    /// The end of an element, including void elements.
    End(NodeId),
    /// A text node.
    Text(NodeId),
    /// An element whose descendants are skipped.
    Skipped(NodeId),
}

/// The next step of a tree walk.
enum Step {
    /// Enter this node.
    Enter(NodeId),
    /// Leave this element.
    Leave(NodeId),
    /// Continue after this node.
    After(NodeId),
    Done,
}

/// Returns the events below `top`. `enter` is called once for every element and text node that the walk reaches. If
/// it returns false, a text node is skipped, and an element gives only [`Event::Skipped`].
pub(crate) fn events<'a>(
    doc: &'a Document,
    top: NodeId,
    mut enter: impl FnMut(NodeId) -> bool + 'a,
) -> impl Iterator<Item = Event> + 'a {
    let mut step = doc.first_child(top).map_or(Step::Done, Step::Enter);
    std::iter::from_fn(move || {
        loop {
            match step {
                Step::Done => return None,
                Step::Enter(node) => {
                    step = Step::After(node);
                    match (doc.kind(node), enter(node)) {
                        (Kind::Text, true) => return Some(Event::Text(node)),
                        (Kind::Element, false) => return Some(Event::Skipped(node)),
                        (Kind::Element, true) => {
                            step = doc.first_child(node).map_or(Step::Leave(node), Step::Enter);
                            return Some(Event::Start(node));
                        }
                        _ => {}
                    }
                }
                Step::Leave(node) => {
                    step = Step::After(node);
                    return Some(Event::End(node));
                }
                Step::After(node) => {
                    let parent = || doc.parent(node).filter(|&p| p != top).map_or(Step::Done, Step::Leave);
                    step = doc.next_sibling(node).map_or_else(parent, Step::Enter);
                }
            }
        }
    })
}

/// Returns whether each block is inside an element for which `is` returns true.
pub(crate) fn blocks_inside(blocks: &Blocks, is: impl Fn(NodeId) -> bool) -> Vec<bool> {
    let mut found = vec![false; blocks.len()];
    for &element in blocks.elements().iter().filter(|&&e| is(e)) {
        let inside = &blocks.extent(element).blocks;
        found[inside.start as usize..inside.end as usize].fill(true);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::{Tag, parse_str};

    #[test]
    fn tags_and_texts_come_in_order() {
        let doc = parse_str("<body><p>a<b>c<br></b>d<ul><li>e</ul><p>f");
        let body = doc.descendants(doc.root()).find(|&n| doc.tag(n) == Tag::BODY).expect("a body");
        let shown = events(&doc, body, |n| {
            doc.tag(n) != Tag::UL && (doc.kind(n) != Kind::Text || doc.text(n) != "d")
        })
        .map(|event| match event {
            Event::Start(n) => format!("<{}>", doc.name(n)),
            Event::End(n) => format!("</{}>", doc.name(n)),
            Event::Text(n) => doc.text(n).to_owned(),
            Event::Skipped(n) => format!("({})", doc.name(n)),
        });
        assert_eq!(shown.collect::<Vec<_>>().concat(), "<p>a<b>c<br></br></b></p>(ul)<p>f</p>");
        let empty = events(&doc, doc.descendants(body).last().expect("a text"), |_| true);
        assert_eq!(empty.count(), 0);
    }
}
