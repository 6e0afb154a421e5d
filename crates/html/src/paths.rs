//! Node paths: names with positions among the siblings.

use crate::tag::Tag;
use crate::tree::{Document, Kind, NodeId};
use rustc_hash::FxHashMap;

/// Paths of the nodes of a document, such as `html[1]/body[1]/div[2]/p[1]`.
#[derive(Debug)]
pub struct Paths<'a> {
    doc: &'a Document,
    /// For each node, its position, from 1, among the siblings of the same name. All text nodes count as
    /// having the same name.
    places: Vec<u32>,
}

impl<'a> Paths<'a> {
    /// Computes the sibling positions of all nodes in linear time.
    pub fn new(doc: &'a Document) -> Self {
        let mut places = vec![0; doc.num_nodes()];
        let mut counts: FxHashMap<Option<Tag>, u32> = FxHashMap::default();
        for node in std::iter::once(doc.root()).chain(doc.descendants(doc.root())) {
            counts.clear();
            for child in doc.children(node) {
                let name = (doc.kind(child) == Kind::Element).then(|| doc.tag(child));
                let count = counts.entry(name).or_default();
                *count += 1;
                places[child as usize] = *count;
            }
        }
        Paths { doc, places }
    }

    /// Returns the document that contains the nodes.
    pub fn document(&self) -> &'a Document {
        self.doc
    }

    /// Returns the unique path of `node`, such as `html[1]/body[1]/div[2]/p[1]`, or `…/text()[2]` for a text node.
    /// The number is the position among the siblings of the same name.
    pub fn of_node(&self, node: NodeId) -> String {
        let Paths { doc, places } = self;
        let steps = doc.ancestors_and_self(node).filter(|&n| doc.kind(n) != Kind::Document);
        let mut steps: Vec<_> = steps
            .map(|n| {
                let name = if doc.kind(n) == Kind::Text { "text()" } else { doc.name(n) };
                format!("{name}[{}]", places[n as usize])
            })
            .collect();
        steps.reverse();
        steps.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;
    use std::collections::HashSet;

    #[test]
    fn siblings_of_one_name_are_counted() {
        let doc = parse_str("<p>a<b>b</b>c<i>d</i><b>e</b><p>f");
        let paths = Paths::new(&doc);
        let all: Vec<_> = doc.descendants(0).map(|n| paths.of_node(n)).collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        assert_eq!(all[0], "html[1]");
        assert!(all.contains(&"html[1]/body[1]/p[1]/b[2]/text()[1]".to_owned()), "{all:?}");
        assert!(all.contains(&"html[1]/body[1]/p[1]/text()[2]".to_owned()), "{all:?}");
        assert!(all.contains(&"html[1]/body[1]/p[2]".to_owned()), "{all:?}");
    }
}
