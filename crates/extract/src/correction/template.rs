//! Terms that describe the position of a block in the HTML template of its site.

use crate::correction::MAX_NAME;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId, Tag};

/// Maximum number of classes in the name of an element.
const MAX_CLASSES: usize = 8;
/// Maximum number of characters of a class or id.
const MAX_CHARS: usize = 40;
/// Maximum number of ancestors of a block that produce `in` terms.
const MAX_AROUND: usize = 16;
/// Maximum number of elements in a path.
const MAX_PATH: usize = 6;
/// Number of hexadecimal digits of a text hash.
const TEXT_DIGITS: usize = 16;

/// Elements that produce an `in` term even if they have no class and no id.
const SECTIONS: [&str; 12] =
    ["nav", "header", "footer", "aside", "main", "article", "section", "form", "table", "ul", "ol", "figure"];

/// Computes the terms of the blocks of a page.
///
/// A block has the following terms, where ELEMENT is the name of an element:
///
/// - `own ELEMENT>ELEMENT`: the parent of the innermost block-level element around the block, and this element.
/// - `leaf ELEMENT`: the parent of the first text node of the block, if this parent is not the innermost
///   block-level element.
/// - `in ELEMENT`: each ancestor that has a class or an id, or that is a section such as `<nav>`.
/// - `at ELEMENT>TAG>TAG`: the innermost ancestor with a class or an id, and the tags from there to the block.
/// - `text HASH`: hash of the text of the block in lower case, with each run of digits replaced by one 0.
///
/// The name of an element consists of its tag, its classes in alphabetical order and its id, such as
/// `div.post.wide#main`. Digits are removed from classes and ids, so that `post-12` and `post-13` are equal.
#[derive(Debug)]
pub struct TemplateTerms<'a> {
    doc: &'a Document,
    blocks: &'a Blocks,
    /// Names of elements, and whether each has a class or an id.
    names: FxHashMap<NodeId, (String, bool)>,
}

impl<'a> TemplateTerms<'a> {
    /// Prepares the terms of a page. The document must have its attributes.
    pub fn new(doc: &'a Document, blocks: &'a Blocks) -> Self {
        TemplateTerms { doc, blocks, names: FxHashMap::default() }
    }

    /// Returns the distinct terms of a block, sorted. The list is empty if the block does not exist. Terms of
    /// more than [`MAX_NAME`] bytes are skipped.
    pub fn of(&mut self, block: usize) -> Vec<String> {
        let Some(own) = self.blocks.get(block) else { return Vec::new() };
        let (node, leaf) = (own.node, own.leaf);
        let mut terms = vec![format!("text {}", text_hash(self.blocks.text(block)))];
        if leaf != node {
            terms.push(format!("leaf {}", self.name(leaf).0));
        }
        let doc = self.doc;
        let parent = doc.parent(node).map_or(String::new(), |up| self.name(up).0.clone());
        terms.push(format!("own {parent}>{}", self.name(node).0));
        let (mut path, mut num_around) = (Vec::new(), 0);
        let mut is_path_open = true;
        for element in doc.ancestors_and_self(node) {
            if [Tag::BODY, Tag::HTML].contains(&doc.tag(element)) || num_around == MAX_AROUND {
                break;
            }
            let (name, is_named) = self.name(element);
            if *is_named || SECTIONS.contains(&doc.name(element)) {
                terms.push(format!("in {name}"));
                num_around += 1;
            }
            if is_path_open {
                is_path_open = !*is_named && path.len() + 1 < MAX_PATH;
                path.push(name.clone());
            }
        }
        path.reverse();
        terms.push(format!("at {}", path.join(">")));
        terms.retain(|term| term.len() <= MAX_NAME);
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// Returns the name of an element, and whether it has a class or an id.
    fn name(&mut self, element: NodeId) -> &(String, bool) {
        let doc = self.doc;
        self.names.entry(element).or_insert_with(|| {
            let mut name = doc.name(element).chars().take(MAX_CHARS).collect::<String>();
            let length = name.len();
            let classes = doc.attribute(element, "class").unwrap_or_default();
            let mut classes: Vec<String> =
                classes.split_ascii_whitespace().take(MAX_CLASSES).filter_map(without_digits).collect();
            classes.sort_unstable();
            classes.dedup();
            classes.iter().for_each(|class| name.extend([".", class]));
            if let Some(id) = doc.attribute(element, "id").and_then(without_digits) {
                name.extend(["#", &id]);
            }
            let is_named = name.len() > length;
            (name, is_named)
        })
    }
}

/// Removes digits from a class or id and truncates it to [`MAX_CHARS`]; `None` if no letters remain.
fn without_digits(word: &str) -> Option<String> {
    let kept: String =
        word.chars().take(MAX_CHARS).filter(|c| !c.is_numeric() && !c.is_whitespace()).collect();
    kept.contains(char::is_alphabetic).then_some(kept)
}

/// Returns the hash of a text in lower case, with each run of digits replaced by one 0.
fn text_hash(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut is_in_number = false;
    for c in text.chars() {
        let is_digit = c.is_numeric();
        if is_digit && !is_in_number {
            folded.push('0');
        } else if !is_digit {
            folded.extend(c.to_lowercase());
        }
        is_in_number = is_digit;
    }
    threshr_core::hex(&Sha256::digest(&folded)[..TEXT_DIGITS / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::{Visibility, parse_str};

    fn terms(html: &str) -> Vec<Vec<String>> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, threshr_html::blocks::REGISTRY[0], Visibility::Visible);
        let mut terms = TemplateTerms::new(&doc, &blocks);
        (0..blocks.len()).map(|block| terms.of(block)).collect()
    }

    #[test]
    fn terms_name_the_place_of_a_block() {
        let html =
            "<body class=x><div class='wide post-12' id=p7><ul><li><a class=t>Read 12 more</a></ul></div>";
        let [own] = &terms(html)[..] else { panic!("one block") };
        assert_eq!(
            own[..5],
            ["at div.post-.wide#p>ul>li", "in div.post-.wide#p", "in ul", "leaf a.t", "own ul>li"]
        );
        assert!(own[5].starts_with("text "));
        // terms do not depend on numbers and letter case
        assert_eq!(terms(&html.replace("12", "345").replace("Read", "READ"))[0], *own);
    }

    #[test]
    fn hostile_names_are_short() {
        let deep = "<div class=a><p id=1>".repeat(200);
        let long = format!("<p class='{}' id={}>{deep}x", "ab ".repeat(9000), "y".repeat(9000));
        for own in terms(&long) {
            assert!(own.len() <= MAX_AROUND + 4, "{own:?}");
            assert!(own.iter().all(|term| term.len() <= MAX_NAME));
        }
    }
}
