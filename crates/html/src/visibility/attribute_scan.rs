//! Where attributes mention words that few of them have, found in one pass over all values.

use crate::tree::{Attribute, Document};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// Parts of `modal`, then of `cookie`, `consent`, `gdpr` and `ccpa` as they are written; few other words
/// have them.
const PARTS: [&str; 11] =
    ["odal", "okie", "OKIE", "nsent", "NSENT", "gdpr", "GDPR", "Gdpr", "ccpa", "CCPA", "Ccpa"];

static FIND: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    // a choice that uses the machine's vectors where it has them
    builder.match_kind(MatchKind::LeftmostFirst).kind(Some(AhoCorasickKind::DFA));
    builder.build(PARTS).expect("a few short words")
});

/// Places of such words in the values of a document's attributes, each sorted.
pub(crate) struct AttributeScan {
    modal: Vec<usize>,
    consent: Vec<usize>,
}

impl AttributeScan {
    pub fn of(doc: &Document) -> Self {
        let (mut modal, mut consent) = (Vec::new(), Vec::new());
        for found in FIND.find_iter(&doc.values) {
            if found.pattern().as_usize() == 0 { &mut modal } else { &mut consent }.push(found.start());
        }
        AttributeScan { modal, consent }
    }

    /// Whether a value may have the word `modal`.
    pub fn modal(&self, of: &Attribute) -> bool {
        has(&self.modal, of)
    }

    /// Whether a value may have a word for consent, a part of which begins there.
    pub fn consent(&self, of: &Attribute) -> bool {
        has(&self.consent, of)
    }
}

fn has(places: &[usize], of: &Attribute) -> bool {
    let next = places.get(places.partition_point(|&place| place < of.start as usize));
    next.is_some_and(|&place| place < of.end as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    #[test]
    fn words_are_found_where_they_stand() {
        let doc =
            parse_str("<p class='modal x' id=cookieBar><p class=a id=gdpr><p class=mod id=al><p title=GDPR>");
        let mentions = AttributeScan::of(&doc);
        let found = |is: fn(&AttributeScan, &Attribute) -> bool| {
            let found = doc.attributes.iter().filter(|a| is(&mentions, a));
            found.map(|a| &doc.values[a.start as usize..a.end as usize]).collect::<Vec<_>>()
        };
        assert!(found(AttributeScan::modal).contains(&"modal x"));
        assert_eq!(found(AttributeScan::consent), ["cookieBar", "gdpr", "GDPR"]);
    }
}
