//! A page's tree as tags and texts in document order, for systems that read tags.

use threshr_html::{Document, Kind, NodeId};

/// An event of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// The start of an element, void elements such as `<br>` included.
    Start(NodeId),
    /// The end of an element, void elements included.
    End(NodeId),
    /// A text node.
    Text(NodeId),
    /// An element that is not entered.
    Skipped(NodeId),
}

/// The next step of a walk.
enum Step {
    /// Enter this node.
    Enter(NodeId),
    /// Leave this element.
    Leave(NodeId),
    /// Continue after this node.
    After(NodeId),
    Done,
}

/// The events below `top`. `enter` is called once for every element and text that the walk reaches. If it
/// returns false, the descendants of the element, or the text, are left out.
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
