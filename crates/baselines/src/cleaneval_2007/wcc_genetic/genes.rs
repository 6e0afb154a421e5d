//! The leaves of the trees: regular expressions that match the HTML of a block.

use std::collections::BTreeMap;
use threshr_extract::baseline::SystemInput;
use threshr_html::NodeId;

/// Maximum number of ancestors whose start tags are included in a block's HTML.
const NUM_ANCESTORS: usize = 8;

/// Maximum numbers of element names, of class names and ids, and of words in the initial pool.
const MAX_TAGS: usize = 40;
const MAX_NAMES: usize = 80;
const MAX_WORDS: usize = 60;

/// Lengths for patterns of consecutive characters without a tag, and of consecutive words.
const LENGTHS: [u32; 8] = [5, 10, 20, 40, 60, 100, 150, 250];

/// Returns a block as HTML: the start tags of its innermost ancestors with class and id, then its text with links
/// as `<a>…</a>`.
pub(crate) fn html_of(page: &SystemInput<'_>, index: usize) -> String {
    let mut out = String::new();
    let Some(block) = page.blocks.get(index) else { return out };
    let mut around: Vec<NodeId> = page
        .doc
        .ancestors_and_self(block.node)
        .take(NUM_ANCESTORS)
        .filter(|&n| n != page.doc.root())
        .collect();
    around.reverse();
    for node in around {
        out.push('<');
        out.push_str(page.doc.name(node));
        for name in ["class", "id"] {
            if let Some(value) = page.doc.attribute(node, name) {
                out.extend([" ", name, "=\""]);
                out.extend(value.chars().filter(|c| !"<>\"".contains(*c)));
                out.push('"');
            }
        }
        out.push('>');
    }
    let mut end = block.text.start;
    for span in page.blocks.spans(index) {
        out.push_str(page.blocks.slice(&(end..span.text.start)));
        end = span.text.end;
        let text = page.blocks.slice(&span.text);
        match span.link {
            Some(_) => out.extend(["<a>", text, "</a>"]),
            None => out.push_str(text),
        }
    }
    out
}

/// Returns the initial expressions. They match frequent names, words and lengths in the HTML of training blocks.
pub(crate) fn pool(blocks: &[String]) -> Vec<String> {
    let (mut tags, mut names, mut words) = (Counts::default(), Counts::default(), Counts::default());
    for html in blocks {
        let mut rest = html.as_str();
        // every block starts with tags; text that looks like a tag causes no harm
        while let Some((tag, after)) = rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
            if let Some(name) = tag.split([' ', '/']).next().filter(|n| is_plain(n)) {
                tags.add(name);
            }
            let values = tag.split('"').skip(1).step_by(2);
            values.flat_map(|v| v.split(|c: char| !c.is_alphanumeric())).for_each(|n| names.add(n));
            rest = after;
        }
        threshr_html::text::words(rest).for_each(|(start, end)| words.add(&rest[start..end].to_lowercase()));
    }
    let mut out = Vec::new();
    out.extend(tags.most(MAX_TAGS, 1).map(|tag| format!("<{tag}[ >]")));
    out.extend(names.most(MAX_NAMES, 3).map(|name| format!("=\"[^\"]*{}", regex::escape(name))));
    out.extend(words.most(MAX_WORDS, 2).map(|word| format!("(?i:\\b{}\\b)", regex::escape(word))));
    for n in LENGTHS {
        out.push(format!(">[^<>]{{{n},}}"));
    }
    for n in [2, 4, 8, 16] {
        out.push(format!("(?:[^\\s<>]+\\s+){{{n}}}"));
    }
    out.extend(
        [
            r#"[.!?…。！？]["'”’)\]]*$"#,
            r">[A-Z][^<>]*$",
            r"[,;，、]",
            r"[.!?。] ",
            r"^(?:<[^>]*>)*<a>[^<]*</a>$",
            r"</a>.*</a>",
            r"\d",
            r"\d{4}",
            r"\|",
            r"[©®]",
            r"[»›→«]",
            r":$",
        ]
        .map(str::to_owned),
    );
    out
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Counts of strings.
#[derive(Default)]
struct Counts(BTreeMap<String, u32>);

impl Counts {
    fn add(&mut self, text: &str) {
        match self.0.get_mut(text) {
            Some(count) => *count += 1,
            None => {
                self.0.insert(text.to_owned(), 1);
            }
        }
    }
    /// Returns the most frequent strings with at least `least` characters, in alphabetical order if frequencies are
    /// equal.
    fn most(&self, number: usize, least: usize) -> impl Iterator<Item = &str> {
        let mut all: Vec<(&str, u32)> = self.0.iter().map(|(text, &count)| (text.as_str(), count)).collect();
        all.retain(|(text, _)| text.chars().count() >= least);
        all.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        all.truncate(number);
        all.into_iter().map(|(text, _)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn blocks_are_written_as_html() {
        let doc = parse_str("<body><div class='a \"b' id=x><p title=t>One <a href=/>two</a>, <b>three</b>.");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let html = html_of(&SystemInput::new(&doc, &blocks), 0);
        assert_eq!(html, "<html><body><div class=\"a b\" id=\"x\"><p>One <a>two</a>, three.");
    }

    #[test]
    fn the_pool_holds_what_is_frequent_and_compiles() {
        let blocks =
            ["<body><ul class=\"nav-bar\"><li><a>home</a>", "<body><p>home <a>b</a>", ""].map(str::to_owned);
        let pool = pool(&blocks);
        assert_eq!(pool[..5], ["<body[ >]", "<a[ >]", "<li[ >]", "<p[ >]", "<ul[ >]"].map(str::to_owned));
        assert!(pool.contains(&"=\"[^\"]*nav".to_owned()) && pool.contains(&"(?i:\\bhome\\b)".to_owned()));
        for pattern in pool {
            regex::Regex::new(&pattern).expect(&pattern);
        }
    }
}
