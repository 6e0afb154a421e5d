//! Metadata of the page: its kind, and how much of a block is repeated in JSON-LD, Open Graph or the
//! description.

use crate::{Column, Family, Grid, PageContext, ratio};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use std::sync::LazyLock;
use threshr_html::text;
use threshr_html::{Document, NodeId, Tag};
use threshr_page::text::hashing::word_hash;
use threshr_page::word_lists::{examples, lists, lists_by_word};
use threshr_page::{Word, json_ld};

/// The family.
pub(crate) struct Metadata;

const SOURCE: &str = "this project; vocabularies of schema.org and Open Graph";

/// Page kinds (`article`, `product`, …), each with its schema.org types, Open Graph types and words in URL
/// paths.
static KINDS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| lists(include_str!("../../data/page_kinds.tsv")));

/// Texts in the metadata. Each text is compared with the blocks.
const TEXTS: &[(&str, &str)] = &[
    ("body", "the JSON-LD properties articleBody, text and reviewBody"),
    ("description", "the description in <meta>, Open Graph and JSON-LD"),
    ("name", "the name, headline and title in Open Graph and JSON-LD"),
];

/// Maximum number of words of a block that are compared.
const MAX_WORDS: usize = 400;

/// Elements whose number, relative to the number of blocks, is a column.
const COUNTED: &[(&str, Tag)] = &[
    ("img", Tag::IMG),
    ("button", Tag::BUTTON),
    ("input", Tag::INPUT),
    ("form", Tag::FORM),
    ("article", Tag::ARTICLE),
    ("section", Tag::SECTION),
    ("h2", Tag::H2),
    ("h3", Tag::H3),
    ("li", Tag::LI),
    ("table", Tag::TABLE),
    ("pre", Tag::PRE),
    ("blockquote", Tag::BLOCKQUOTE),
    ("time", Tag::TIME),
    ("select", Tag::SELECT),
];

impl Family for Metadata {
    fn name(&self) -> &'static str {
        "metadata"
    }
    fn summary(&self) -> &'static str {
        "the kind of page according to its metadata and URL, and the overlap of a block with the metadata"
    }
    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        let mut add = |name: String, unit, what: String| columns.push(Column::new(name, unit, what, SOURCE));
        for (kind, words) in KINDS.iter() {
            let what = |from: &str| {
                format!(
                    "1 if {from} is a word of the kind {kind}: {}; the same for all blocks. All words: \
                     data/page_kinds.tsv",
                    examples(words)
                )
            };
            add(format!("ld_{kind}"), "flag", what("a JSON-LD @type or an og:type"));
            add(format!("url_{kind}"), "flag", what("a part of the path of the page's own URL"));
        }
        add(
            "url_depth".into(),
            "parts",
            "number of parts of the path of the page's own URL; -1 without a URL".into(),
        );
        add(
            "url_last_words".into(),
            "words",
            "number of words in the last part of the path of the page's own URL; 0 without a path".into(),
        );
        add("has_ld".into(), "flag", "1 if the page has valid JSON-LD; the same for all blocks".into());
        for (text, what) in TEXTS {
            add(
                format!("{text}_words"),
                "words",
                format!("ln(1 + n), where n is the number of words in {what}; the same for all blocks"),
            );
            add(
                format!("{text}_overlap"),
                "ratio",
                format!(
                    "share of the block's pairs of adjacent words that occur in {what}; for a block of one \
                     word: 1 if the word occurs; 0 if the page has no such text"
                ),
            );
        }
        for (name, _) in COUNTED {
            add(
                format!("page_{name}"),
                "ratio",
                format!("<{name}> elements of the page / blocks of the page; the same for all blocks"),
            );
        }
        columns
    }

    fn reads_words(&self, _wanted: &[bool]) -> bool {
        true
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let facts = Facts::new(page);
        let n = page.len();
        let mut column = 0;
        let constant = |out: &mut Grid<'_>, column: usize, value: f32| out.column(column).fill(value);
        for kind in 0..KINDS.len() {
            constant(out, column, f32::from(u8::from(facts.types & 1 << kind != 0)));
            constant(out, column + 1, f32::from(u8::from(facts.url_kinds & 1 << kind != 0)));
            column += 2;
        }
        for value in [facts.url_depth, facts.url_last_words, f32::from(u8::from(facts.has_ld))] {
            constant(out, column, value);
            column += 1;
        }
        for words in &facts.texts {
            constant(out, column, (1.0 + words.num_words as f32).ln());
            for index in 0..n {
                out.set(column + 1, index, words.overlap(page.words().block(index)));
            }
            column += 2;
        }
        let mut by_tag = [0; Tag::NUM_KNOWN];
        for &node in page.blocks.elements() {
            let tag = page.doc.tag(node);
            if let Some(count) = by_tag.get_mut(usize::from(tag.0)) {
                *count += 1;
            }
        }
        for count in COUNTED.iter().map(|(_, tag)| by_tag[usize::from(tag.0)]) {
            constant(out, column, ratio(count, n as u32));
            column += 1;
        }
    }
}

/// Information from the metadata and the URL of a page.
#[derive(Default)]
struct Facts {
    /// Page kinds according to JSON-LD and Open Graph, as a bit mask.
    types: u32,
    /// Page kinds according to the URL, as a bit mask.
    url_kinds: u32,
    url_depth: f32,
    url_last_words: f32,
    has_ld: bool,
    texts: [WordSet; TEXTS.len()],
}

impl Facts {
    fn new(page: &PageContext<'_>) -> Self {
        let doc = page.doc;
        let mut facts = Facts { url_depth: -1.0, ..Facts::default() };
        let mut budget = json_ld::Budget::default();
        for node in doc.elements_with(|tag| matches!(tag, Tag::META | Tag::SCRIPT)) {
            match doc.tag(node) {
                Tag::META => facts.meta(doc, node),
                _ => {
                    if let Some(value) = json_ld::value(doc, node, &mut budget) {
                        facts.json_ld(&value);
                    }
                }
            }
        }
        if page.is_without_body {
            facts.texts[0] = WordSet::default();
        }
        if let Some(url) = doc.url() {
            facts.url(&url);
        }
        facts
    }

    fn meta(&mut self, doc: &Document, node: NodeId) {
        let Some(content) = doc.attribute(node, "content") else { return };
        let name = doc.attribute(node, "property").or_else(|| doc.attribute(node, "name")).unwrap_or("");
        match name.to_ascii_lowercase().as_str() {
            "description" | "og:description" | "twitter:description" => self.texts[1].add(content),
            "og:title" | "twitter:title" => self.texts[2].add(content),
            "og:type" => self.types |= kinds(&content.to_lowercase()),
            _ => {}
        }
    }

    fn json_ld(&mut self, value: &Value) {
        self.has_ld = true;
        json_ld::walk(value, |key, value| {
            let (Some(key), Value::String(text)) = (key, value) else { return };
            match key {
                "@type" => self.types |= kinds(&text.to_lowercase()),
                "articleBody" | "text" | "reviewBody" => self.texts[0].add(text),
                "description" => self.texts[1].add(text),
                "headline" | "name" | "alternativeHeadline" => self.texts[2].add(text),
                _ => {}
            }
        });
    }

    fn url(&mut self, url: &str) {
        let path = url.splitn(4, '/').nth(3).unwrap_or("");
        let path = path.split(['?', '#']).next().unwrap_or("").to_lowercase();
        let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
        parts.iter().for_each(|part| self.url_kinds |= kinds(part));
        self.url_depth = parts.len() as f32;
        self.url_last_words = parts.last().map_or(0, |p| text::words(p).count()) as f32;
    }
}

/// For each word, the page kinds that it indicates, as a bit mask.
static KINDS_OF: LazyLock<FxHashMap<&'static str, u32>> = LazyLock::new(|| lists_by_word(&KINDS));

/// Returns the page kinds that a word indicates, as a bit mask.
fn kinds(word: &str) -> u32 {
    KINDS_OF.get(word).copied().unwrap_or(0)
}

/// Hashes of single words and of pairs of adjacent words.
#[derive(Default)]
struct WordSet {
    words: FxHashSet<u64>,
    num_words: u32,
}

impl WordSet {
    fn add(&mut self, text: &str) {
        let hashes = text::words(text).map(|(start, end)| word_hash(&text[start..end]));
        let mut last = None;
        for hash in hashes {
            self.num_words += 1;
            self.words.insert(hash);
            self.words.extend(last.map(|l| pair(l, hash)));
            last = Some(hash);
        }
    }

    fn overlap(&self, words: &[Word]) -> f32 {
        if self.words.is_empty() {
            return 0.0;
        }
        let words = &words[..words.len().min(MAX_WORDS)];
        let found = |h: u64| u32::from(self.words.contains(&h));
        match words {
            [] => 0.0,
            [one] => found(one.hash) as f32,
            _ => {
                let hits = words.windows(2).map(|w| found(pair(w[0].hash, w[1].hash))).sum();
                ratio(hits, words.len() as u32 - 1)
            }
        }
    }
}

/// Returns the hash of two adjacent words.
fn pair(first: u64, second: u64) -> u64 {
    first.rotate_left(21) ^ second.wrapping_mul(31)
}

#[cfg(test)]
mod tests {
    use crate::tests::values;

    #[test]
    fn kinds_and_overlaps_of_a_product_page() {
        let html = r#"<link rel=canonical href="https://x.com/shop/dp/red-shoe-12">
            <meta property=og:type content=product><meta name=description content="A red shoe for rain">
            <script type="application/ld+json">{"@graph": [{"@type": ["Product"], "name": "Shoe",
                "review": {"reviewBody": "Good shoe"}}]}</script>
            <script type="application/ld+json">{broken</script>
            <p>A red shoe</p><p>Shoe</p><p>good shoe sale</p><button>Buy</button>"#;
        assert_eq!(values(html, "metadata.ld_product"), [1.0; 4]);
        assert_eq!(values(html, "metadata.url_product")[0], 1.0);
        assert_eq!(values(html, "metadata.url_list")[0], 1.0);
        assert_eq!(values(html, "metadata.url_depth")[0], 3.0);
        assert_eq!(values(html, "metadata.url_last_words")[0], 3.0);
        assert_eq!(values(html, "metadata.description_overlap"), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(html, "metadata.body_overlap"), [0.0, 1.0, 0.5, 0.0]);
        assert_eq!(values(html, "metadata.name_overlap"), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(html, "metadata.page_button"), [0.25; 4]);
    }

    #[test]
    fn a_page_without_metadata_is_0() {
        assert_eq!(values("<p>x y", "metadata.url_depth"), [-1.0]);
        assert_eq!(values("<p>x y", "metadata.body_overlap"), [0.0]);
    }
}
