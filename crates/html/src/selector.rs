//! CSS selectors on a [`Document`], matched by the crate `scraper`.

use crate::tree::{Document, Kind, NodeId};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, ns};
use scraper::{Html, Node};
use threshr_core::{Error, Result};

/// A parsed list of CSS selectors.
#[derive(Debug, Clone)]
pub struct Selector {
    css: String,
    parsed: scraper::Selector,
}

impl Selector {
    /// Parses a selector list such as `article p, .post`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](threshr_core::ErrorKind::InvalidOption) if `css` is not a selector.
    pub fn parse(css: &str) -> Result<Self> {
        match scraper::Selector::parse(css) {
            Ok(parsed) => Ok(Self { css: css.to_owned(), parsed }),
            // the error message of scraper describes internals, so it is not shown
            Err(_) => Err(Error::invalid_option(format!("`{css}` is not a CSS selector"))
                .expected("a selector such as `article p` or `div.content, #main`")),
        }
    }

    /// Returns the selector as it was given.
    pub fn css(&self) -> &str {
        &self.css
    }

    /// Returns the matching elements in document order.
    pub fn matches(&self, doc: &Document) -> Vec<NodeId> {
        let (html, ids) = to_scraper(doc);
        let mut found: Vec<NodeId> =
            html.select(&self.parsed).filter_map(|e| ids.get(&e.id()).copied()).collect();
        found.dedup();
        found
    }
}

/// Copies the elements to a tree of scraper, and returns it with the node id of each copy. Text is not copied,
/// since selectors do not use it.
fn to_scraper(doc: &Document) -> (Html, rustc_hash::FxHashMap<ego_tree::NodeId, NodeId>) {
    let mut html = Html::new_document();
    let mut ids = rustc_hash::FxHashMap::default();
    let mut ego = vec![None; doc.num_nodes()];
    ego[0] = Some(html.tree.root().id());
    for node in doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Element) {
        let attributes = doc.attributes(node).map(|(name, value)| Attribute {
            name: QualName::new(None, ns!(), LocalName::from(name)),
            value: StrTendril::from_slice(value),
        });
        let name = QualName::new(None, ns!(html), LocalName::from(doc.name(node)));
        let element = Node::Element(scraper::node::Element::new(name, attributes.collect()));
        let parent = doc.parent(node).and_then(|p| ego[p as usize]);
        if let Some(mut parent) = parent.and_then(|p| html.tree.get_mut(p)) {
            let id = parent.append(element).id();
            ego[node as usize] = Some(id);
            ids.insert(id, node);
        }
    }
    (html, ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    #[test]
    fn finds_elements_of_the_flat_tree() {
        let doc = parse_str("<div class='a b' id=x><p>1<p data-k=v>2</div><p>3");
        let texts = |css: &str| -> Vec<String> {
            let found = Selector::parse(css).expect("a selector").matches(&doc);
            found.iter().map(|&n| doc.descendants(n).map(|d| doc.text(d)).collect()).collect()
        };
        assert_eq!(texts("div.a > p"), ["1", "2"]);
        assert_eq!(texts("p[data-k='v'], #x + p"), ["2", "3"]);
        assert!(Selector::parse("p[").is_err());
    }
}
