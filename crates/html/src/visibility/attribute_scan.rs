//! Finds rare words in all attribute values of a document in one pass.

use crate::tree::{Attribute, Document};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// A part of `modal`, then parts of the topics of cookie banners in their usual spellings.
///
/// Few other words contain these parts.
const PARTS: [&str; 11] =
    ["odal", "okie", "OKIE", "nsent", "NSENT", "gdpr", "GDPR", "Gdpr", "ccpa", "CCPA", "Ccpa"];

static FIND: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    // these options allow vector instructions
    builder.match_kind(MatchKind::LeftmostFirst).kind(Some(AhoCorasickKind::DFA));
    builder.build(PARTS).expect("a few short words")
});

/// Sorted offsets of the parts in a document's attribute values.
pub(crate) struct AttributeScan {
    modal: Vec<usize>,
    topics: Vec<usize>,
}

impl AttributeScan {
    pub(super) fn of(doc: &Document) -> Self {
        let (mut modal, mut topics) = (Vec::new(), Vec::new());
        for found in FIND.find_iter(&doc.values) {
            if found.pattern().as_usize() == 0 { &mut modal } else { &mut topics }.push(found.start());
        }
        AttributeScan { modal, topics }
    }

    /// Whether a value may contain `modal`.
    pub(super) fn has_modal(&self, attribute: &Attribute) -> bool {
        has(&self.modal, attribute)
    }

    /// Whether a value may contain a topic of cookie banners.
    pub(super) fn has_cookie_topic(&self, attribute: &Attribute) -> bool {
        has(&self.topics, attribute)
    }
}

fn has(offsets: &[usize], attribute: &Attribute) -> bool {
    let next = offsets.get(offsets.partition_point(|&offset| offset < attribute.start as usize));
    next.is_some_and(|&offset| offset < attribute.end as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    #[test]
    fn every_topic_has_a_part() {
        for topic in crate::visibility::container_names::TOPICS {
            assert!(PARTS[1..].iter().any(|part| topic.contains(part)), "{topic}");
        }
    }

    #[test]
    fn finds_words_in_their_attributes() {
        let doc =
            parse_str("<p class='modal x' id=cookieBar><p class=a id=gdpr><p class=mod id=al><p title=GDPR>");
        let scan = AttributeScan::of(&doc);
        let found = |is: fn(&AttributeScan, &Attribute) -> bool| {
            let found = doc.attributes.iter().filter(|a| is(&scan, a));
            found.map(|a| &doc.values[a.start as usize..a.end as usize]).collect::<Vec<_>>()
        };
        assert!(found(AttributeScan::has_modal).contains(&"modal x"));
        assert_eq!(found(AttributeScan::has_cookie_topic), ["cookieBar", "gdpr", "GDPR"]);
    }
}
