//! Recogniser of the type of boxes of advice.

use crate::text::word_list::word_list;
use crate::{Document, NodeId};

/// The sorted words of `callout_types.tsv`, and the type of each.
const WORDS: &[&str] = &word_list!("callout_types.tsv");
const TYPES: &[&str] = &word_list!("callout_types.tsv", 1);

/// Most words of a class attribute that are read.
const MAX_WORDS: usize = 32;

/// The type of a box of advice, such as `note` or `warning`; empty if the page does not say it.
///
/// The first known word of `data-callout` or of the class names decides.
pub fn callout_type(doc: &Document, node: NodeId) -> &'static str {
    let of_attribute = |name| {
        let value = doc.attribute(node, name)?;
        let words = value.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
        words.take(MAX_WORDS).find_map(type_of)
    };
    ["data-callout", "class"].into_iter().find_map(of_attribute).unwrap_or_default()
}

fn type_of(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    WORDS.binary_search(&word.as_str()).ok().map(|at| TYPES[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tag, parse_str};

    #[test]
    fn the_type_is_a_word_of_the_class_names() {
        assert!(WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        let of = |attributes: &str| {
            let doc = parse_str(&format!("<div {attributes}>a</div>"));
            let div = doc.elements_with(|tag| tag == Tag::DIV).next().expect("a box");
            callout_type(&doc, div)
        };
        assert_eq!(of("class='admonition warning'"), "warning");
        assert_eq!(of("class='markdown-alert markdown-alert-tip'"), "tip");
        assert_eq!(of("class='alert alert--Info'"), "info");
        assert_eq!(of("class=callout data-callout=hint"), "tip");
        assert_eq!(of("class='callout notes'"), "");
    }
}
