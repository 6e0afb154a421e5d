//! Terms of a page by channel: words of its URL, title, headings, buttons, names of elements, metadata, text,
//! kept text.

use rustc_hash::FxHashMap;
use serde_json::Value;
use std::ops::Range;
use threshr_html::blocks::Blocks;
use threshr_html::text;
use threshr_html::text::name_words;
use threshr_html::{Document, Kind, NodeId, Tag, known_number};

/// Where a term comes from. The same word is another term in another channel.
#[derive(Debug)]
pub struct Channel {
    /// The name in model files.
    pub name: &'static str,
    /// Whether terms that occur at least [`LEVELS`] times are terms of their own.
    pub is_counted: bool,
}

/// Numbers of occurrences from which a counted term is a further term.
pub const LEVELS: [u32; 2] = [4, 16];

/// All channels. The order is that of their columns.
pub static CHANNELS: &[Channel] = &[
    Channel { name: "url_word", is_counted: false },
    Channel { name: "url_first", is_counted: false },
    Channel { name: "host_word", is_counted: false },
    Channel { name: "title_word", is_counted: false },
    Channel { name: "headline_word", is_counted: false },
    Channel { name: "og_type", is_counted: false },
    Channel { name: "meta_name", is_counted: false },
    Channel { name: "generator", is_counted: false },
    Channel { name: "ld_type", is_counted: true },
    Channel { name: "ld_key", is_counted: false },
    Channel { name: "itemtype", is_counted: true },
    Channel { name: "itemprop", is_counted: true },
    Channel { name: "role", is_counted: true },
    Channel { name: "input_type", is_counted: true },
    Channel { name: "body_name", is_counted: false },
    Channel { name: "name", is_counted: true },
    Channel { name: "button", is_counted: false },
    Channel { name: "button_word", is_counted: true },
    Channel { name: "heading", is_counted: false },
    Channel { name: "heading_word", is_counted: true },
    Channel { name: "label", is_counted: false },
    Channel { name: "word", is_counted: true },
    Channel { name: "kept_word", is_counted: true },
    Channel { name: "kept_heading", is_counted: true },
    Channel { name: "kept_first", is_counted: false },
    Channel { name: "kept_element", is_counted: true },
];

/// Indices in [`CHANNELS`].
mod at {
    pub(super) const URL_WORD: usize = 0;
    pub(super) const URL_FIRST: usize = 1;
    pub(super) const HOST_WORD: usize = 2;
    pub(super) const TITLE_WORD: usize = 3;
    pub(super) const HEADLINE_WORD: usize = 4;
    pub(super) const OG_TYPE: usize = 5;
    pub(super) const META_NAME: usize = 6;
    pub(super) const GENERATOR: usize = 7;
    pub(super) const LD_TYPE: usize = 8;
    pub(super) const LD_KEY: usize = 9;
    pub(super) const ITEMTYPE: usize = 10;
    pub(super) const ITEMPROP: usize = 11;
    pub(super) const ROLE: usize = 12;
    pub(super) const INPUT_TYPE: usize = 13;
    pub(super) const BODY_NAME: usize = 14;
    pub(super) const NAME: usize = 15;
    pub(super) const BUTTON: usize = 16;
    pub(super) const HEADING: usize = 18;
    pub(super) const LABEL: usize = 20;
    pub(super) const WORD: usize = 21;
    pub(super) const KEPT_WORD: usize = 22;
    pub(super) const KEPT_HEADING: usize = 23;
    pub(super) const KEPT_FIRST: usize = 24;
    pub(super) const KEPT_ELEMENT: usize = 25;
}

/// Longest term, in bytes. Longer ones are generated or texts.
const MAX_LENGTH: usize = 30;
/// Longest text of a button, link, heading or label whose words are terms, in bytes.
const MAX_LABEL: usize = 30;
/// Most descendants of a button, link, heading or label that are read.
const MAX_LABEL_NODES: usize = 32;
/// Most words of the class and the id of an element.
const MAX_NAMES: usize = 24;
/// Most bytes of JSON-LD that are read, and most values of one script.
const MAX_LD_BYTES: usize = 1 << 20;
const MAX_LD_VALUES: usize = 2000;

/// Elements around a kept block that are terms.
const MAX_PATH: usize = 4;
/// Kept blocks whose words are terms of `kept_first`.
const NUM_FIRST: usize = 4;

/// Calls `sink` with the channel and the term of each occurrence, in lower case. Terms have no white space.
/// Terms of kept text are not among them, see [`KeptTerms`].
pub fn collect(doc: &Document, blocks: &Blocks, url: Option<&str>, sink: &mut dyn FnMut(usize, &str)) {
    let mut collector = Collector {
        doc,
        sink,
        lower: String::new(),
        label: String::new(),
        names: String::new(),
        name_words: FxHashMap::default(),
    };
    if let Some(url) = url {
        collector.url(url);
    }
    collector.words(at::TITLE_WORD, &doc.title());
    collector.elements();
    for index in 0..blocks.len() {
        collector.words(at::WORD, blocks.text(index));
    }
}

/// Collects the terms of the kept blocks of a page, block by block.
#[derive(Debug, Default)]
pub struct KeptTerms {
    num_blocks: usize,
}

impl KeptTerms {
    /// Calls `sink` as [`collect`] does, for the next kept block: its text, and its path as [`path_of`] gives
    /// it.
    pub fn block(&mut self, content: &str, path: &str, sink: &mut dyn FnMut(usize, &str)) {
        let mut term = |channel: usize, term: &str| {
            if !term.is_empty() && term.len() <= MAX_LENGTH {
                sink(channel, term);
            }
        };
        let own = path.rsplit('>').next().unwrap_or_default();
        let is_heading = matches!(own, "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
        let content = text::normalise(content);
        for (start, end) in text::words(&content) {
            let word = &content[start..end];
            term(at::KEPT_WORD, word);
            if is_heading {
                term(at::KEPT_HEADING, word);
            }
            if self.num_blocks < NUM_FIRST {
                term(at::KEPT_FIRST, word);
            }
        }
        path.split('>').for_each(|element| term(at::KEPT_ELEMENT, element));
        let mut ends = path.rmatch_indices('>').map(|end| end.0);
        if ends.next().is_some() {
            term(at::KEPT_ELEMENT, &path[ends.next().map_or(0, |end| end + 1)..]);
        }
        self.num_blocks += 1;
    }
}

/// The names of the innermost elements around a block, at most four, such as `section>ul>li`.
pub fn path_of(doc: &Document, node: NodeId, out: &mut String) {
    let mut names: Vec<&str> = doc
        .ancestors_and_self(node)
        .filter(|&n| doc.kind(n) == Kind::Element)
        .take(MAX_PATH)
        .map(|n| doc.name(n))
        .collect();
    names.reverse();
    out.clear();
    for (i, name) in names.iter().enumerate() {
        if i > 0 {
            out.push('>');
        }
        out.push_str(name);
    }
}

/// The terms of a page with their numbers of occurrences, for training.
#[derive(Debug, Clone, Default)]
pub struct PageTerms {
    text: String,
    /// End of the term in `text`, channel, number of occurrences up to 255.
    terms: Vec<(u32, u8, u8)>,
    /// Text and path of each block.
    blocks: Vec<(Box<str>, Box<str>)>,
}

impl PageTerms {
    /// Counts the terms of a page, without those of kept text.
    pub fn of(doc: &Document, blocks: &Blocks, url: Option<&str>) -> Self {
        let mut found = PageTerms::default();
        found.count(|sink| collect(doc, blocks, url, sink));
        let mut path = String::new();
        for (index, block) in blocks.iter().enumerate() {
            path_of(doc, block.node, &mut path);
            found.blocks.push((blocks.text(index).into(), path.as_str().into()));
        }
        found.text.shrink_to_fit();
        found
    }

    /// Adds the terms of kept text, and drops the texts of the blocks.
    #[must_use]
    pub fn with_kept(&self, kept: &[bool]) -> Self {
        let mut found = PageTerms { text: self.text.clone(), terms: self.terms.clone(), blocks: Vec::new() };
        let blocks = self.blocks.iter().zip(kept).filter(|block| *block.1);
        let mut terms = KeptTerms::default();
        found.count(|sink| blocks.for_each(|((text, path), _)| terms.block(text, path, sink)));
        found
    }

    /// Adds the terms that `collect` gives, in order.
    fn count(&mut self, collect: impl FnOnce(&mut dyn FnMut(usize, &str))) {
        let mut counts: FxHashMap<(usize, Box<str>), u32> = FxHashMap::default();
        collect(&mut |channel, term| *counts.entry((channel, term.into())).or_default() += 1);
        let mut sorted: Vec<_> = counts.into_iter().collect();
        sorted.sort_unstable();
        for ((channel, term), count) in sorted {
            self.text.push_str(&term);
            self.terms.push((
                self.text.len() as u32,
                u8::try_from(channel).unwrap_or(u8::MAX),
                u8::try_from(count).unwrap_or(u8::MAX),
            ));
        }
    }

    /// Channel, term and number of occurrences (at most 255) of each term.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &str, u32)> {
        let mut start = 0;
        self.terms.iter().map(move |&(end, channel, count)| {
            let range: Range<usize> = std::mem::replace(&mut start, end as usize)..end as usize;
            (usize::from(channel), &self.text[range], u32::from(count))
        })
    }
}

struct Collector<'a> {
    doc: &'a Document,
    sink: &'a mut dyn FnMut(usize, &str),
    lower: String,
    label: String,
    /// Words of names that occurred already, and where those of each class and id are.
    names: String,
    name_words: FxHashMap<(&'a str, &'a str), Range<usize>>,
}

impl Collector<'_> {
    fn term(&mut self, channel: usize, term: &str) {
        if !term.is_empty() && term.len() <= MAX_LENGTH {
            (self.sink)(channel, term);
        }
    }

    /// A term that may have upper-case letters; white space becomes `_`.
    fn value(&mut self, channel: usize, value: &str) {
        let value = value.trim();
        if value.len() <= MAX_LENGTH {
            let mut lower = std::mem::take(&mut self.lower);
            lower.clear();
            lower.extend(text::normalise(value).chars().map(|c| if c.is_whitespace() { '_' } else { c }));
            self.term(channel, &lower);
            self.lower = lower;
        }
    }

    /// The words of a text.
    fn words(&mut self, channel: usize, content: &str) {
        let content = text::normalise(content);
        for (start, end) in text::words(&content) {
            self.term(channel, &content[start..end]);
        }
    }

    fn url(&mut self, url: &str) {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let end = rest.find(['?', '#']).unwrap_or(rest.len());
        let mut parts = rest[..end].split('/');
        let host = parts.next().unwrap_or_default();
        // without the top-level domain
        self.words(at::HOST_WORD, host.rsplit_once('.').map_or(host, |(names, _)| names));
        let parts: Vec<&str> = parts.filter(|p| !p.is_empty()).collect();
        for (i, part) in parts.iter().enumerate() {
            self.words(at::URL_WORD, part);
            if i == 0 && parts.len() > 1 {
                self.words(at::URL_FIRST, part);
            }
        }
    }

    fn elements(&mut self) {
        let doc = self.doc;
        let mut ld_bytes = MAX_LD_BYTES;
        let mut has_headline = false;
        for node in doc.elements_with(|_| true) {
            let tag = doc.tag(node);
            self.names(node, tag == Tag::BODY);
            match tag {
                Tag::META => self.meta(node),
                Tag::SCRIPT if is_json_ld(doc, node) => {
                    let content = doc.first_child(node).map_or("", |t| doc.text(t));
                    if content.len() <= ld_bytes {
                        ld_bytes -= content.len();
                        self.json_ld(content);
                    }
                }
                Tag::INPUT => {
                    self.value(at::INPUT_TYPE, doc.attribute(node, "type").unwrap_or("text"));
                }
                Tag::H1 if !has_headline => {
                    has_headline = true;
                    if self.read_label(node, 4 * MAX_LABEL) {
                        let label = std::mem::take(&mut self.label);
                        self.words(at::HEADLINE_WORD, &label);
                        self.label = label;
                    }
                }
                Tag::A | Tag::BUTTON => self.label(node, at::BUTTON),
                Tag::H2 | Tag::H3 => self.label(node, at::HEADING),
                Tag::LABEL => self.label(node, at::LABEL),
                _ => {}
            }
        }
    }

    /// Terms of class, id, role and microdata of an element.
    fn names(&mut self, node: NodeId, is_body: bool) {
        const CLASS: u16 = known_number("class");
        const ID: u16 = known_number("id");
        const ROLE: u16 = known_number("role");
        const ITEMPROP: u16 = known_number("itemprop");
        const ITEMTYPE: u16 = known_number("itemtype");
        let doc = self.doc;
        // class and id, in the order of the attributes
        let (mut first, mut second) = ("", "");
        for (name, value) in doc.numbered_attributes(node) {
            match name {
                CLASS | ID if first.is_empty() => first = value,
                CLASS | ID => second = value,
                ROLE => self.value(at::ROLE, value),
                ITEMPROP => self.value(at::ITEMPROP, value),
                ITEMTYPE => {
                    let value = value.trim_end_matches('/');
                    self.value(at::ITEMTYPE, value.rsplit_once('/').map_or(value, |(_, name)| name));
                }
                _ => {}
            }
        }
        if first.is_empty() {
            return;
        }
        let channel = if is_body { at::BODY_NAME } else { at::NAME };
        let words = match self.name_words.get(&(first, second)) {
            Some(words) => words.clone(),
            None => {
                let words = add_name_words([first, second], &mut self.names);
                self.name_words.insert((first, second), words.clone());
                words
            }
        };
        let names = std::mem::take(&mut self.names);
        names[words].split_ascii_whitespace().for_each(|word| self.term(channel, word));
        self.names = names;
    }

    fn meta(&mut self, node: NodeId) {
        let doc = self.doc;
        let name = doc.attribute(node, "property").or_else(|| doc.attribute(node, "name"));
        let (Some(name), content) = (name, doc.attribute(node, "content").unwrap_or("")) else { return };
        self.value(at::META_NAME, name);
        if name.eq_ignore_ascii_case("og:type") {
            self.value(at::OG_TYPE, content);
        } else if name.eq_ignore_ascii_case("generator") {
            let end = text::words(content).nth(1).map_or(content.len(), |word| word.1);
            self.words(at::GENERATOR, &content[..end]);
        }
    }

    /// Types and keys of JSON-LD, without recursion. Invalid JSON is skipped.
    fn json_ld(&mut self, content: &str) {
        let Ok(value) = serde_json::from_str::<Value>(content.trim()) else { return };
        let mut open = vec![(None, &value)];
        let mut num_seen = 0;
        while let Some((key, value)) = open.pop() {
            num_seen += 1;
            if num_seen > MAX_LD_VALUES {
                return;
            }
            match value {
                Value::Array(items) => open.extend(items.iter().map(|v| (key, v))),
                Value::Object(map) => {
                    map.keys().for_each(|key| self.value(at::LD_KEY, key));
                    open.extend(map.iter().map(|(k, v)| (Some(k.as_str()), v)));
                }
                Value::String(name) if key == Some("@type") => self.value(at::LD_TYPE, name),
                _ => {}
            }
        }
    }

    /// The text of a short element as one term, and its words in the next channel, if that has them.
    fn label(&mut self, node: NodeId, channel: usize) {
        if !self.read_label(node, MAX_LABEL) {
            return;
        }
        let label = std::mem::take(&mut self.label);
        let lower = text::normalise(&label);
        let mut whole = String::new();
        for (start, end) in text::words(&lower) {
            if !whole.is_empty() {
                whole.push('_');
            }
            whole.push_str(&lower[start..end]);
            if channel != at::LABEL {
                self.term(channel + 1, &lower[start..end]);
            }
        }
        self.term(channel, &whole);
        self.label = label;
    }

    /// Reads the text of an element into `label`. Returns whether it has text, and at most `most` bytes.
    fn read_label(&mut self, node: NodeId, most: usize) -> bool {
        let doc = self.doc;
        self.label.clear();
        for (i, inner) in doc.descendants(node).enumerate() {
            if i >= MAX_LABEL_NODES {
                return false;
            }
            if doc.kind(inner) == Kind::Text {
                let content = doc.text(inner);
                let trimmed = content.trim();
                // words of neighbouring texts stay apart
                if !trimmed.is_empty() && !self.label.is_empty() {
                    self.label.push(' ');
                }
                if self.label.len() + trimmed.len() > most {
                    return false;
                }
                self.label.push_str(trimmed);
            }
        }
        !self.label.is_empty()
    }
}

/// Adds the distinct words of two values to `names`, with a space behind each; returns where they are.
fn add_name_words(values: [&str; 2], names: &mut String) -> Range<usize> {
    let start = names.len();
    let mut num_words = 0;
    for value in values {
        name_words::for_each(value, char::is_alphabetic, |word| {
            let is_new = || !names[start..].split_ascii_whitespace().any(|known| known == word);
            if word.len() > 2 && num_words < MAX_NAMES && is_new() {
                names.push_str(word);
                names.push(' ');
                num_words += 1;
            }
        });
    }
    start..names.len()
}

fn is_json_ld(doc: &Document, node: NodeId) -> bool {
    doc.attribute(node, "type").is_some_and(|t| t.trim().eq_ignore_ascii_case("application/ld+json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::REGISTRY;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn terms_of_each_channel() {
        let html = r#"<title>Red Shoe</title><meta property=og:type content=Product>
            <meta name=generator content="Word Press 6.1">
            <script type="application/ld+json">{"@graph": [{"@type": ["Product"], "sku": 1}]}</script>
            <script type="application/ld+json">{broken</script>
            <body class="single-post"><h1>A <b>Shoe</b></h1><p class="productCard lead productCard" role=note itemprop=name
            itemtype="https://schema.org/Offer/">Text<button>Add to <i>cart</i></button>
            <a href=/>A link whose text is much too long for a label</a><h2>Reviews</h2><input><label>Size</label>"#;
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, REGISTRY[0], Visibility::Visible);
        let mut found = Vec::new();
        collect(&doc, &blocks, Some("https://www.shop.example/p/red-shoe?x=1"), &mut |channel, term| {
            found.push(format!("{}:{term}", CHANNELS[channel].name));
        });
        for expected in [
            "url_word:p",
            "url_word:shoe",
            "url_first:p",
            "host_word:shop",
            "title_word:red",
            "headline_word:shoe",
            "og_type:product",
            "meta_name:og:type",
            "generator:press",
            "ld_type:product",
            "ld_key:sku",
            "itemtype:offer",
            "itemprop:name",
            "role:note",
            "input_type:text",
            "body_name:single",
            "name:product",
            "name:card",
            "button:add_to_cart",
            "button_word:cart",
            "heading:reviews",
            "heading_word:reviews",
            "label:size",
            "word:text",
        ] {
            assert!(found.iter().any(|f| f == expected), "{expected} is not in {found:?}");
        }
        assert!(!found.iter().any(|f| f.starts_with("button_word:much") || f == "generator:6"));
        assert_eq!(found.iter().filter(|f| *f == "name:product").count(), 1, "once an element");
        assert!(found.iter().all(|f| !f.contains(char::is_whitespace)));
        let counted = PageTerms::of(&doc, &blocks, None);
        let shoes: Vec<_> = counted.iter().filter(|t| t.1 == "shoe" && t.0 == at::WORD).collect();
        assert_eq!(shoes, [(at::WORD, "shoe", 1)]);
    }

    #[test]
    fn terms_of_kept_blocks() {
        let doc = parse_str("<main><section><h2>Big Shoe</h2><p>Text</p></section></main><p>no<custom-x>yes");
        let blocks = Blocks::of(&doc, REGISTRY[0], Visibility::Visible);
        let terms = PageTerms::of(&doc, &blocks, None).with_kept(&[true, true, false]);
        let kept: Vec<(&str, &str)> =
            terms.iter().filter(|t| t.0 >= at::KEPT_WORD).map(|t| (CHANNELS[t.0].name, t.1)).collect();
        let words = |channel: &'static str, terms: &[&'static str]| -> Vec<(&'static str, &'static str)> {
            terms.iter().map(|term| (channel, *term)).collect()
        };
        let expected = [
            words("kept_word", &["big", "shoe", "text"]),
            words("kept_heading", &["big", "shoe"]),
            words("kept_first", &["big", "shoe", "text"]),
            words("kept_element", &["body", "h2", "main", "p", "section", "section>h2", "section>p"]),
        ];
        assert_eq!(kept, expected.concat());
        let mut path = String::from("x");
        path_of(&doc, doc.root(), &mut path);
        assert_eq!(path, "");
    }

    #[test]
    fn the_channels_have_their_indices() {
        for (index, name) in [
            (at::URL_WORD, "url_word"),
            (at::URL_FIRST, "url_first"),
            (at::HOST_WORD, "host_word"),
            (at::TITLE_WORD, "title_word"),
            (at::HEADLINE_WORD, "headline_word"),
            (at::OG_TYPE, "og_type"),
            (at::META_NAME, "meta_name"),
            (at::GENERATOR, "generator"),
            (at::LD_TYPE, "ld_type"),
            (at::LD_KEY, "ld_key"),
            (at::ITEMTYPE, "itemtype"),
            (at::ITEMPROP, "itemprop"),
            (at::ROLE, "role"),
            (at::INPUT_TYPE, "input_type"),
            (at::BODY_NAME, "body_name"),
            (at::NAME, "name"),
            (at::BUTTON, "button"),
            (at::BUTTON + 1, "button_word"),
            (at::HEADING, "heading"),
            (at::HEADING + 1, "heading_word"),
            (at::LABEL, "label"),
            (at::WORD, "word"),
            (at::KEPT_WORD, "kept_word"),
            (at::KEPT_HEADING, "kept_heading"),
            (at::KEPT_FIRST, "kept_first"),
            (at::KEPT_ELEMENT, "kept_element"),
        ] {
            assert_eq!(CHANNELS[index].name, name);
        }
    }
}
