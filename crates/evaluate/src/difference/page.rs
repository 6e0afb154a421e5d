//! Finds the text of a page that only one of two methods (sides A and B) keeps.

use crate::difference::{Counts, Keeper};
use rustc_hash::FxHashMap;
use serde::Serialize;
use threshr_extract::parts::{Labelled, Part, parts};
use threshr_html::Document;
use threshr_page::names::keys::path_text;

/// Maximum number of characters in the text of an example.
const MAX_TEXT: usize = 160;
/// Maximum number of examples for each place and side.
const MAX_EXAMPLES: usize = 3;
/// Maximum number of places for each page. Blocks in all other places are counted only in the totals of the page.
const MAX_PLACES: usize = 1_000;

/// The differences between sides A and B on one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageDifference {
    /// The id of the page.
    pub id: String,
    /// The URL of the page, from the input or from the page itself.
    pub url: Option<String>,
    /// The site of the URL.
    pub site: Option<String>,
    /// ISO 639 code of the page's language.
    pub language: Option<String>,
    /// The type of the page, if a model predicts it.
    pub page_type: Option<String>,
    /// Numbers of blocks. If the sides segment the page differently, the unit is the overlap of a block of each
    /// side.
    pub blocks: Counts,
    /// Numbers of letters: characters other than white space.
    pub letters: Counts,
    /// For each side, the number of words in its text that occur in no block; 0 for models and systems.
    pub not_found: [u64; 2],
    /// For each side, whether its text for the page is missing. A missing text is compared as an empty text.
    pub missing: [bool; 2],
    /// The places of differing blocks, in the order of their first blocks.
    pub places: Vec<PlaceDifference>,
}

/// The differing blocks that have the same element path on one page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PlaceDifference {
    /// The path, as [`path_text`] writes it.
    pub path: String,
    /// Numbers of differing blocks.
    pub blocks: Counts,
    /// Numbers of letters of these blocks.
    pub letters: Counts,
    /// The longest texts, at most three of each side.
    pub examples: Vec<ExampleText>,
}

/// The text of a differing block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExampleText {
    /// The side that keeps the block.
    pub kept_by: Keeper,
    /// The text, possibly truncated.
    pub text: String,
}

impl PageDifference {
    /// Compares the labels of sides A and B. Both documents must be parsed from the same bytes.
    pub(super) fn between(a: (&Document, Labelled<'_>), b: (&Document, Labelled<'_>)) -> PageDifference {
        let mut page = PageDifference::default();
        let mut place_of: FxHashMap<String, usize> = FxHashMap::default();
        for part in parts(a.0.source_text(), a.1, b.1) {
            page.blocks.add(part.kept, 1);
            page.letters.add(part.kept, part.letters);
            let kept_by = match part.kept {
                [true, false] => Keeper::A,
                [false, true] => Keeper::B,
                _ => continue,
            };
            let path = path(&part, a, b);
            let number = match place_of.get(&path) {
                Some(&number) => number,
                None if page.places.len() == MAX_PLACES => continue,
                None => {
                    place_of.insert(path.clone(), page.places.len());
                    page.places.push(PlaceDifference { path, ..PlaceDifference::default() });
                    page.places.len() - 1
                }
            };
            let place = &mut page.places[number];
            place.blocks.add(part.kept, 1);
            place.letters.add(part.kept, part.letters);
            place.add_example(ExampleText { kept_by, text: text(&part, a.0.source_text()) });
        }
        page
    }

    /// Returns whether exactly one side keeps some text.
    pub fn is_different(&self) -> bool {
        self.letters.different() > 0
    }
}

impl PlaceDifference {
    /// Keeps the longest texts of each side. Among texts of equal length, the first ones are kept.
    fn add_example(&mut self, example: ExampleText) {
        let of_side = || self.examples.iter().enumerate().filter(|(_, e)| e.kept_by == example.kept_by);
        if of_side().count() < MAX_EXAMPLES {
            self.examples.push(example);
            return;
        }
        // finds the shortest text of this side; in a tie, the last one
        let shortest = of_side().rev().min_by_key(|(_, e)| e.text.len()).map(|(at, e)| (at, e.text.len()));
        if let Some((at, len)) = shortest
            && len < example.text.len()
        {
            self.examples.remove(at);
            self.examples.push(example);
        }
    }
}

/// Returns the path of the element of the block that contains the part.
fn path(part: &Part, a: (&Document, Labelled<'_>), b: (&Document, Labelled<'_>)) -> String {
    let of = |(doc, labelled): (&Document, Labelled<'_>), block: Option<usize>| {
        labelled.blocks.get(block?).map(|block| path_text(doc, block.node))
    };
    of(a, part.blocks[0]).or_else(|| of(b, part.blocks[1])).unwrap_or_default()
}

/// Returns the text of a part, with white space collapsed, truncated to [`MAX_TEXT`] characters.
fn text(part: &Part, source: &str) -> String {
    let (mut text, mut num, mut end) = (String::new(), 0, None);
    let mut is_space = false;
    for range in &part.ranges {
        is_space |= end.is_some_and(|end| end < range.start);
        end = Some(range.end);
        for c in source.get(range.clone()).unwrap_or_default().chars() {
            if c.is_whitespace() {
                is_space = true;
                continue;
            }
            if num >= MAX_TEXT {
                text.push('…');
                return text;
            }
            if std::mem::take(&mut is_space) && num > 0 {
                text.push(' ');
                num += 1;
            }
            text.push(c);
            num += 1;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};

    fn compare(html: &str, a: &[bool], b: &[bool]) -> PageDifference {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let labelled = |kept| Labelled { blocks: &blocks, kept };
        PageDifference::between((&doc, labelled(a)), (&doc, labelled(b)))
    }

    #[test]
    fn differing_blocks_are_grouped_by_path() {
        let html =
            "<div class='item-1'><p>one</div><div class='item-2'><p>two  \n three</div><h1>head</h1><p>four";
        let page = compare(html, &[true, true, true, false], &[false, true, false, true]);
        assert_eq!(page.blocks, Counts { both: 1, only_a: 2, only_b: 1, neither: 0 });
        assert_eq!(page.letters, Counts { both: 8, only_a: 7, only_b: 4, neither: 0 });
        let places: Vec<_> = page.places.iter().map(|p| (p.path.as_str(), p.letters.different())).collect();
        assert_eq!(places, [("div.item>p", 3), ("h1", 4), ("p", 4)]);
        assert_eq!(page.places[2].examples, [ExampleText { kept_by: Keeper::B, text: "four".to_owned() }]);
        assert!(page.is_different() && !compare(html, &[true; 4], &[true; 4]).is_different());
    }

    #[test]
    fn examples_are_few_and_short() {
        let html = format!("<ul>{}", format!("<li>{} x", "é ".repeat(500)).repeat(9));
        let page = compare(&html, &[true; 9], &[false; 9]);
        assert_eq!((page.places.len(), page.places[0].blocks.only_a), (1, 9));
        let examples = &page.places[0].examples;
        assert_eq!(examples.len(), MAX_EXAMPLES);
        assert!(examples.iter().all(|e| e.text.chars().count() <= MAX_TEXT + 2 && e.text.ends_with('…')));
    }

    #[test]
    fn examples_are_the_longest() {
        let html = "<ul><li>1.<li>three<li>2.<li>seven<li>four";
        let page = compare(html, &[true; 5], &[false; 5]);
        let texts: Vec<&str> = page.places[0].examples.iter().map(|e| e.text.as_str()).collect();
        assert_eq!(texts, ["three", "seven", "four"]);
    }

    #[test]
    fn places_are_bounded() {
        let html: String = (0..MAX_PLACES + 50)
            .map(|i| {
                let name: String = format!("{i:04}").bytes().map(|b| char::from(b'a' + b - b'0')).collect();
                format!("<p class={name}>x")
            })
            .collect();
        let all = vec![true; MAX_PLACES + 50];
        let page = compare(&html, &all, &[]);
        assert_eq!((page.places.len(), page.letters.only_a), (MAX_PLACES, MAX_PLACES as u64 + 50));
    }
}
