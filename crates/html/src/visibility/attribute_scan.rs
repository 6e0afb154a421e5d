//! Finds rare words in all attribute values of a document in one pass.

use crate::text::word_list::word_list;
use crate::tree::{Attribute, Document};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// Substrings of `modal`, of the topics of cookie banners, and of the names of notices.
const PARTS: &[&str] = &word_list!("attribute_parts.tsv");
/// For each substring, the list to which its matches belong: `modal`, `cookies` or `notice`.
const SUBJECTS: &[&str] = &word_list!("attribute_parts.tsv", 1);

static FIND: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    // with these options, the search can use vector instructions
    builder.match_kind(MatchKind::LeftmostFirst).kind(Some(AhoCorasickKind::DFA));
    builder.build(PARTS).expect("a few short words")
});

/// Sorted offsets of the substrings in a document's attribute values.
pub(crate) struct AttributeScan {
    modal: Vec<usize>,
    topics: Vec<usize>,
    notices: Vec<usize>,
}

impl AttributeScan {
    pub(super) fn new(doc: &Document) -> Self {
        let mut scan = AttributeScan { modal: Vec::new(), topics: Vec::new(), notices: Vec::new() };
        for found in FIND.find_iter(&doc.values) {
            let offsets = match SUBJECTS[found.pattern()] {
                "modal" => &mut scan.modal,
                "notice" => &mut scan.notices,
                _ => &mut scan.topics,
            };
            offsets.push(found.start());
        }
        scan
    }

    /// Whether a value may contain `modal`.
    pub(super) fn has_modal(&self, attribute: &Attribute) -> bool {
        has(&self.modal, attribute)
    }

    /// Whether a value may contain a topic of cookie banners.
    pub(super) fn has_cookie_topic(&self, attribute: &Attribute) -> bool {
        has(&self.topics, attribute)
    }

    /// Whether a value may contain the name of a notice.
    pub(super) fn has_notice(&self, attribute: &Attribute) -> bool {
        has(&self.notices, attribute)
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
        assert!(SUBJECTS.iter().all(|subject| ["modal", "cookies", "notice"].contains(subject)));
        let of_cookies = |part: usize| SUBJECTS[part] == "cookies";
        for topic in crate::visibility::container_names::TOPICS {
            let mut parts = (0..PARTS.len()).filter(|&part| of_cookies(part));
            assert!(parts.any(|part| topic.contains(PARTS[part])), "{topic}");
        }
    }

    #[test]
    fn finds_words_in_their_attributes() {
        let doc =
            parse_str("<p class='modal x' id=cookieBar><p class=a id=gdpr><p class=mod id=al><p title=GDPR>");
        let scan = AttributeScan::new(&doc);
        let found = |is: fn(&AttributeScan, &Attribute) -> bool| {
            let found = doc.attributes.iter().filter(|a| is(&scan, a));
            found.map(|a| &doc.values[a.start as usize..a.end as usize]).collect::<Vec<_>>()
        };
        assert!(found(AttributeScan::has_modal).contains(&"modal x"));
        assert_eq!(found(AttributeScan::has_cookie_topic), ["cookieBar", "gdpr", "GDPR"]);
    }
}
