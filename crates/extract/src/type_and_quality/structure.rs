//! Columns about the structure and the URL of a page. They do not depend on labels and scores.

use crate::type_and_quality::block_facts::{BlockFacts, HOLDERS, Holder, ratio};
use threshr_html::text;
use threshr_html::text::classes::{WORD, class};
use threshr_html::{Document, NodeId, Tag, known_number};
use threshr_page::text::hashing::hash_of;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Elements that are counted, with the names of their columns.
const COUNTED: &[(&str, Tag)] = &[
    ("p", Tag::P),
    ("h1", Tag::H1),
    ("h2", Tag::H2),
    ("h3", Tag::H3),
    ("h4", Tag::H4),
    ("h5", Tag::H5),
    ("h6", Tag::H6),
    ("li", Tag::LI),
    ("ul", Tag::UL),
    ("ol", Tag::OL),
    ("a", Tag::A),
    ("img", Tag::IMG),
    ("table", Tag::TABLE),
    ("tr", Tag::TR),
    ("td", Tag::TD),
    ("th", Tag::TH),
    ("pre", Tag::PRE),
    ("code", Tag::CODE),
    ("form", Tag::FORM),
    ("input", Tag::INPUT),
    ("button", Tag::BUTTON),
    ("select", Tag::SELECT),
    ("textarea", Tag::TEXTAREA),
    ("time", Tag::TIME),
    ("article", Tag::ARTICLE),
    ("section", Tag::SECTION),
    ("nav", Tag::NAV),
    ("aside", Tag::ASIDE),
    ("main", Tag::MAIN),
    ("header", Tag::HEADER),
    ("footer", Tag::FOOTER),
    ("figure", Tag::FIGURE),
    ("figcaption", Tag::FIGCAPTION),
    ("blockquote", Tag::BLOCKQUOTE),
    ("dl", Tag::DL),
    ("dt", Tag::DT),
    ("video", Tag::VIDEO),
    ("iframe", Tag::IFRAME),
    ("svg", Tag::SVG),
    ("label", Tag::LABEL),
    ("details", Tag::DETAILS),
    ("script", Tag::SCRIPT),
    ("br", Tag::BR),
    ("strong", Tag::STRONG),
    ("em", Tag::EM),
    ("span", Tag::SPAN),
    ("div", Tag::DIV),
];

/// Names of the other columns, in order.
const OTHERS: &[&str] = &[
    "url_depth",
    "url_query",
    "url_length",
    "url_digits",
    "url_ends_in_slash",
    "url_last_words",
    "url_last_length",
    "url_has_extension",
    "url_host_parts",
    "title_words",
    "siblings_1",
    "siblings_2",
    "siblings_3",
    "elements",
    "heading_links",
    "image_links",
    "words",
    "blocks",
    "link_share",
    "sentences_per_block",
    "long_blocks",
    "longest_block",
    "long_items",
    "currency_signs",
    "questions",
    "digit_share",
    "capital_share",
    "sentence_end_share",
];

/// Minimum number of words of a long block.
pub(crate) const LONG: u32 = 20;

/// Returns the names of the columns, in order.
pub(crate) fn column_names() -> Vec<String> {
    let mut names: Vec<String> = COUNTED.iter().map(|c| format!("structure.num_{}", c.0)).collect();
    names.extend(COUNTED.iter().map(|c| format!("structure.share_{}", c.0)));
    names.extend(HOLDERS.iter().map(|h| format!("structure.words_in_{}", h.1)));
    names.extend(OTHERS.iter().map(|name| format!("structure.{name}")));
    names
}

/// Returns the columns of a page. `all_text` is the text of all blocks.
pub(crate) fn columns(doc: &Document, all_text: &str, facts: &[BlockFacts], url: Option<&str>) -> Vec<f32> {
    let elements = Elements::new(doc);
    let mut out = Vec::with_capacity(2 * COUNTED.len() + HOLDERS.len() + OTHERS.len());
    let counts = || COUNTED.iter().map(|c| f64::from(elements.by_tag[usize::from(c.1.0)]));
    out.extend(counts().map(|n| n as f32));
    let num_elements = f64::from(elements.num_elements);
    out.extend(counts().map(|n| ratio(n, num_elements)));
    let words: f64 = facts.iter().map(|f| f64::from(f.words)).sum();
    for (holder, _) in HOLDERS {
        let inside = facts.iter().filter(|f| f.holder == holder).map(|f| f64::from(f.words)).sum();
        out.push(ratio(inside, words));
    }
    out.extend(url_columns(url.unwrap_or_default()));
    let sum = |of: fn(&BlockFacts) -> u32| facts.iter().map(|f| f64::from(of(f))).sum::<f64>();
    let count = |of: fn(&BlockFacts) -> bool| facts.iter().filter(|f| of(f)).count() as f64;
    let num_blocks = facts.len() as f64;
    out.push(text::words(&doc.title()).count() as f32);
    out.extend(elements.siblings.map(|n| n as f32));
    out.extend(
        [num_elements, f64::from(elements.heading_links), f64::from(elements.image_links)].map(|v| v as f32),
    );
    out.extend([words as f32, num_blocks as f32]);
    out.push(ratio(sum(|f| f.link_words), words));
    out.push(ratio(sum(|f| f.sentences), num_blocks));
    out.push(count(|f| f.words >= LONG) as f32);
    out.push(facts.iter().map(|f| f.words).max().unwrap_or(0) as f32);
    out.push(count(|f| f.holder == Holder::Item && f.words >= LONG) as f32);
    out.push(currency_signs(all_text) as f32);
    out.push(sum(|f| f.questions) as f32);
    out.push(ratio(sum(|f| f.digits), sum(|f| f.chars)));
    out.push(ratio(sum(|f| f.capitals), words));
    out.push(ratio(count(|f| f.ends_sentence), num_blocks));
    out
}

/// Number of bytes that are checked for ASCII at once.
const STRETCH: usize = 32;

/// Returns the number of currency signs.
fn currency_signs(content: &str) -> usize {
    // the table of character classes is faster than a look-up of the Unicode category
    let is_currency = |c: &char| {
        !c.is_ascii() && class(*c) & WORD == 0 && c.general_category() == GeneralCategory::CurrencySymbol
    };
    // `$` is the only currency sign in ASCII
    let dollars = content.bytes().filter(|b| *b == b'$').count();
    let (mut others, mut rest) = (0, content);
    while !rest.is_empty() {
        // skip chunks of ASCII
        let ascii = rest.as_bytes().chunks(STRETCH).take_while(|part| part.is_ascii()).map(<[u8]>::len).sum();
        rest = &rest[ascii..];
        let end = rest.char_indices().map(|(at, _)| at).find(|&at| at >= STRETCH).unwrap_or(rest.len());
        others += rest[..end].chars().filter(is_currency).count();
        rest = &rest[end..];
    }
    dollars + others
}

/// Returns the columns of a URL. Path: number of parts; length of the query; length of the path; number of
/// digits; whether it ends in a slash. Last part of the path: words; length; whether it has an extension. Host:
/// number of parts.
fn url_columns(url: &str) -> [f32; 9] {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    let last = parts.last().copied().unwrap_or_default();
    let flag = |is: bool| f32::from(u8::from(is));
    let has_extension = last.rsplit_once('.').is_some_and(|(_, end)| (2..=5).contains(&end.len()));
    [
        parts.len() as f32,
        query.len() as f32,
        path.len() as f32,
        path.bytes().filter(u8::is_ascii_digit).count() as f32,
        flag(path.ends_with('/')),
        text::words(last).count() as f32,
        last.len() as f32,
        flag(has_extension),
        host.split('.').count() as f32,
    ]
}

/// Counts over the elements of a page.
struct Elements {
    by_tag: [u32; Tag::NUM_KNOWN],
    num_elements: u32,
    /// The three greatest numbers of siblings with equal tag and class.
    siblings: [u32; 3],
    heading_links: u32,
    image_links: u32,
}

impl Elements {
    fn new(doc: &Document) -> Self {
        let mut found = Elements {
            by_tag: [0; Tag::NUM_KNOWN],
            num_elements: 0,
            siblings: [0; 3],
            heading_links: 0,
            image_links: 0,
        };
        let mut kinds = Vec::new();
        found.count_siblings(doc, doc.root(), &mut kinds);
        for node in doc.elements_with(|_| true) {
            found.count_siblings(doc, node, &mut kinds);
            let tag = doc.tag(node);
            found.num_elements += 1;
            if let Some(count) = found.by_tag.get_mut(usize::from(tag.0)) {
                *count += 1;
            }
            let is_in = |wanted: fn(Tag) -> bool| doc.ancestors(node).take(3).any(|n| wanted(doc.tag(n)));
            match tag {
                Tag::A => {
                    found.heading_links += u32::from(is_in(|t| matches!(t, Tag::H2 | Tag::H3 | Tag::H4)))
                }
                Tag::IMG => found.image_links += u32::from(is_in(|t| t == Tag::A)),
                _ => {}
            }
        }
        found.siblings.sort_unstable_by(|a, b| b.cmp(a));
        found
    }

    /// Counts the children of a node that have equal tag and class. `kinds` is a reused buffer for hashes of classes,
    /// and tags.
    fn count_siblings(&mut self, doc: &Document, parent: NodeId, kinds: &mut Vec<(u64, Tag)>) {
        const CLASS: u16 = known_number("class");
        kinds.clear();
        // most nodes have few children, and reading their attributes is slower than counting them
        if doc.children(parent).nth(2).is_none() {
            return;
        }
        for child in doc.children(parent) {
            let class = doc.numbered_attribute(child, CLASS);
            kinds.extend(class.map(|class| (hash_of(class.as_bytes(), |bytes| bytes), doc.tag(child))));
        }
        if kinds.len() <= 2 {
            return;
        }
        kinds.sort_unstable();
        for alike in kinds.chunk_by(|a, b| a == b).filter(|alike| alike.len() > 2) {
            let count = alike.len() as u32;
            // among equal counts, it does not matter which one is replaced
            if let Some(least) = self.siblings.iter_mut().min().filter(|least| **least < count) {
                *least = count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};
    use threshr_page::PageFacts;

    #[test]
    fn columns_by_name() {
        let html = "<title>Two shoes</title><h2><a href=/a>First</a></h2><p>It costs $5 and €6. Why?\
            <ul><li class=x>a<li class=x>b<li class=x>c<li class=y>d</ul><a href=/b><img src=b></a>";
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let facts = BlockFacts::of_page(&doc, &blocks, &PageFacts::new(&doc, &blocks).stats);
        let values =
            columns(&doc, &blocks.text, &facts, Some("https://www.a.example/shop/red-shoe_2.html?id=17"));
        let names = column_names();
        assert_eq!(names.len(), values.len());
        let value = |name: &str| {
            values[names.iter().position(|n| n.strip_prefix("structure.") == Some(name)).expect(name)]
        };
        for (name, expected) in [
            ("num_li", 4.0),
            ("num_img", 1.0),
            ("title_words", 2.0),
            ("siblings_1", 3.0),
            ("siblings_2", 0.0),
            ("heading_links", 1.0),
            ("image_links", 1.0),
            ("currency_signs", 2.0),
            ("url_depth", 2.0),
            ("url_query", 5.0),
            ("url_digits", 1.0),
            ("url_has_extension", 1.0),
            ("url_host_parts", 3.0),
            ("words", 11.0),
        ] {
            assert_eq!(value(name), expected, "{name}");
        }
        assert!((value("words_in_item") - 4.0 / 11.0).abs() < 1e-6);
    }

    #[test]
    fn currency_signs_are_counted_anywhere() {
        let ascii = "x".repeat(70);
        for text in [
            "€",
            "$€£",
            &format!("{ascii}€{ascii}$漢字¥{ascii}"),
            &format!("é{ascii}₹é{ascii}é€"),
            "",
            &ascii,
        ] {
            let expected = text.chars().filter(|c| "$€£¥₹".contains(*c)).count();
            assert_eq!(currency_signs(text), expected, "{text}");
        }
    }

    #[test]
    fn an_empty_page_has_finite_columns() {
        let values = columns(&parse_str(""), "", &[], None);
        assert_eq!(values.len(), column_names().len());
        assert!(values.iter().all(|v| v.is_finite()));
    }
}
