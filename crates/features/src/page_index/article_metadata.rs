//! Blocks of which the page itself tells what they are, whatever the policy: its headline, author and date around it, captions.

use crate::PageContext;
use crate::families::attribute::for_each_word;
use crate::families::thread;
use crate::page_index::context::headline_definition;
use threshr_core::policy::{Property, property};
use threshr_html::{NodeId, Tag};

/// A property whose blocks pages tell.
pub(crate) struct Kind {
    /// Its name.
    pub property: &'static str,
    /// The column that says at once which blocks these are and whether they count: trees see few columns each, and seldom both.
    pub column: &'static str,
    pub definition: fn() -> String,
    find: fn(&PageContext<'_>, &Pictured) -> Vec<usize>,
}

impl Kind {
    fn is_among(&self, columns: &[String]) -> bool {
        columns.iter().any(|c| c.strip_prefix("policy.") == Some(self.column))
    }
}

pub(crate) static KINDS: [Kind; 3] = [
    Kind {
        property: "title",
        column: "headline",
        definition: headline_definition,
        find: |page, _| page.headline().into_iter().collect(),
    },
    Kind {
        property: "byline",
        column: "credit",
        definition: || {
            format!(
                "author and date around the headline: of the {NEAR} blocks after it and the {ABOVE} before it, on either side up to the first that is longer than {MOST_WORDS} words and {MOST_CHARS} characters, but after it one such of {MOST_LEAD_WORDS} words at most may stand before blocks of {MOST_WORDS_BELOW_LEAD} words or {MOST_CHARS} characters at most, those before being no links for the most part, nor having for the nearest of <nav>, <header>, <article> and <main> a <nav>, or a <header> outside the last two, without the headline: stamps (see thread.is_stamp), those before of {MOST_STAMP_WORDS_ABOVE} words at most, blocks of whose innermost two elements one is <time>, has in rel the word author, or has in class, id or itemprop one of: {NAMES}, and, of those after it, blocks of two words or more that begin with one of: {BY}, or, whatever follows, with one of: {BY_PREFIXES}, or of which, of {MOST_WORDS_BELOW_LEAD} words at most, some word ends with one of: {BY_SUFFIXES} or the second is by behind one of: {BEFORE_BY}, and one of {MOST_BY_WORDS} words at most, no link, all of which begin so, with the block of {MOST_NAME_WORDS} at most behind it; no captions"
            )
        },
        find: credits,
    },
    Kind {
        property: "captions",
        column: "caption",
        definition: || {
            format!(
                "captions, of whose words half at least are outside links: in one of the innermost {FIGCAPTION_NEAR} elements a <figcaption>, or the <caption> of a table that holds a picture, or, of {MOST_CAPTION_WORDS} words at most and neither headline nor in one of h1 to h6, in one of the innermost {NAMED_NEAR} an element that has in class or id one of: {CAPTION_NAMES}, where it, its parent or the next around it holds a picture at most {PICTURE_LEVELS} levels down"
            )
        },
        find: captions,
    },
];

/// Blocks after the headline among which author and date are looked for, and the most words that they have.
const NEAR: usize = 8;
const MOST_WORDS: u32 = 20;
/// As long in a script without blanks, where each sign is a word.
const MOST_CHARS: u32 = 60;
/// Most words of a lead or a caption between the headline and them, and of them below it: sentences of the text may follow.
const MOST_LEAD_WORDS: u32 = 60;
const MOST_WORDS_BELOW_LEAD: u32 = 8;

/// Blocks before the headline: dates of today's news stand there at times, as menus and other stories do.
const ABOVE: usize = 2;

/// Most words of a date before the headline: with more it is of an edition, or stands among numbers.
const MOST_STAMP_WORDS_ABOVE: u32 = 10;

/// Words that an author's line begins with.
const BY: &str = "by von por par di od av af door oleh autor autorem author auteur autore auteurs autoren autora autores автор авторы авторка yazan yazar írta szerző kirjoittaja kirjoittanut текст लेखक द्वारा forfatter författare redacción penulis muallif συντάκτης מאת بقلم كتب كتبت نویسنده written posted published publié publicado publicada pubblicato veröffentlicht gepubliceerd publicerad udgivet publisert opublikowano publikováno опубликовано опубліковано";
/// What it begins with where no blanks stand between words.
const BY_PREFIXES: &str = "作者 记者 記者 来源 來源 编辑 編輯 责任编辑 責任編輯 文章来源 기자 โดย";
/// What a word ends with, where no blanks stand between words or the name comes first.
const BY_SUFFIXES: &str = "記者 기자 特派員";
/// Words before `by`.
const BEFORE_BY: &str = "words story reporting report text article";
/// Most words of a name that stands behind such a word, in a block of its own, and of that one.
const MOST_NAME_WORDS: u32 = 6;
const MOST_BY_WORDS: u32 = 2;

/// Words of names of elements that hold author or date.
const NAMES: &str = "byline author authors dateline date datetime time timestamp posted published pubdate credit credits contributor";

/// Words of names of elements that hold captions.
const CAPTION_NAMES: &str = "caption captions figcaption imagecaption imgcaption photocaption piccaption legende bildunterschrift bildtext cutline";

/// Most words of a block that is a caption by its name.
const MOST_CAPTION_WORDS: u32 = 80;
/// How far around the begin of a block `<figcaption>`, and an element with a caption's name, is looked for.
const FIGCAPTION_NEAR: usize = 6;
const NAMED_NEAR: usize = 3;
/// How far above a picture an element is said to hold it.
const PICTURE_LEVELS: usize = 4;

/// Blocks of a page whose property is certain.
pub type ArticleMetadata = Vec<(u32, &'static Property)>;

/// Headline, author and date, captions of a page, one kind after the other.
pub(crate) fn find(page: &PageContext<'_>) -> ArticleMetadata {
    let pictured = Pictured::of(page);
    let of_kind = |kind: &Kind| -> ArticleMetadata {
        let Ok(property) = property(kind.property) else { return ArticleMetadata::new() };
        (kind.find)(page, &pictured).into_iter().map(|i| (i as u32, property)).collect()
    };
    KINDS.iter().flat_map(of_kind).collect()
}

/// Blocks that decision rules leave out: those told, which are asked for only then, of kinds of which a model's columns say whether they
/// count.
pub fn metadata_blocks<'t>(told: impl FnOnce() -> &'t ArticleMetadata, columns: &[String]) -> Vec<usize> {
    let kinds: Vec<&str> = KINDS.iter().filter(|k| k.is_among(columns)).map(|k| k.property).collect();
    if kinds.is_empty() {
        return Vec::new();
    }
    told().iter().filter(|t| kinds.contains(&t.1.name)).map(|t| t.0 as usize).collect()
}

/// Whether some of `columns` say of a block that its page tells what it is.
pub fn reads_article_metadata(columns: &[String]) -> bool {
    KINDS.iter().any(|k| k.is_among(columns))
}

/// The column whose sign says whether the blocks that a page tells of `property` count.
pub fn metadata_column(property: &Property) -> Option<String> {
    KINDS.iter().find(|k| k.property == property.name).map(|k| format!("policy.{}", k.column))
}

fn captions(page: &PageContext<'_>, pictured: &Pictured) -> Vec<usize> {
    // most pages have none
    let has_any = pictured.has_any || page.doc.elements_with(|tag| tag == Tag::FIGCAPTION).next().is_some();
    let blocks = if has_any { page.len() } else { 0 };
    (0..blocks).filter(|&i| is_caption(page, i, pictured)).collect()
}

/// Elements that hold a picture: inside the body at most [`PICTURE_LEVELS`] above it, and the table around it.
struct Pictured {
    holds: Vec<bool>,
    has_any: bool,
}

impl Pictured {
    fn of(page: &PageContext<'_>) -> Self {
        let doc = page.doc;
        let mut holds = vec![false; doc.num_nodes()];
        let mut has_any = false;
        for picture in doc.elements_with(|tag| matches!(tag, Tag::IMG | Tag::PICTURE)) {
            has_any = true;
            let inside = doc.ancestors_and_self(picture).take_while(|&n| doc.tag(n) != Tag::BODY);
            for (level, node) in inside.enumerate() {
                let is_table = doc.tag(node) == Tag::TABLE;
                holds[node as usize] |= level <= PICTURE_LEVELS || is_table;
                if is_table && level >= PICTURE_LEVELS {
                    break;
                }
            }
        }
        Pictured { holds, has_any }
    }

    /// Whether one of the innermost `levels` elements from `node` on holds one.
    fn holds(&self, page: &PageContext<'_>, node: NodeId, levels: usize) -> bool {
        page.doc.ancestors_and_self(node).take(levels).any(|n| self.holds[n as usize])
    }
}

fn is_caption(page: &PageContext<'_>, i: usize, pictured: &Pictured) -> bool {
    let stats = &page.stats[i];
    if stats.is_mostly_link() {
        return false;
    }
    let is_named = |node| {
        stats.num_words <= MOST_CAPTION_WORDS
            && pictured.holds(page, node, 3)
            && ["class", "id"].iter().any(|name| has_word(page, node, name, CAPTION_NAMES))
            && !page.is_in(i, Tag::is_heading)
            && page.headline() != Some(i)
    };
    let mut near = page.doc.ancestors_and_self(page.block(i).leaf).take(FIGCAPTION_NEAR).enumerate();
    near.any(|(level, n)| match page.doc.tag(n) {
        Tag::FIGCAPTION => true,
        // the table stands around it
        Tag::CAPTION => pictured.holds(page, n, 2),
        _ => level < NAMED_NEAR && is_named(n),
    })
}

fn credits(page: &PageContext<'_>, pictured: &Pictured) -> Vec<usize> {
    let Some(headline) = page.headline() else { return Vec::new() };
    let is_of_size = |i: usize, most_words| {
        let stats = &page.stats[i];
        stats.num_words <= most_words || stats.num_chars <= MOST_CHARS
    };
    let above = (0..headline).rev().take(ABOVE).take_while(|&i| is_of_size(i, MOST_WORDS));
    let above = above.filter(|&i| !page.stats[i].is_mostly_link() && !is_of_site(page, i, headline));
    let below = (headline + 1..page.len()).take(NEAR).scan(MOST_WORDS, |most, i| {
        let is_short = is_of_size(i, MOST_WORDS);
        if !is_short && (*most < MOST_WORDS || !is_of_size(i, MOST_LEAD_WORDS)) {
            return None;
        }
        let fits = is_of_size(i, *most);
        if !is_short {
            *most = MOST_WORDS_BELOW_LEAD;
        }
        Some(fits.then_some(i))
    });
    let is_stamp = |i: usize| {
        (i > headline || page.stats[i].num_words <= MOST_STAMP_WORDS_ABOVE) && thread::is_stamp(page, i)
    };
    // names of sites and places begin with such words, too
    let is_by = |i: usize| {
        let is_name = |i: usize| i > headline + 1 && is_name_behind_by(page, i);
        i > headline && (has_by(page, i) || is_name(i) || i + 1 < page.len() && is_name(i + 1))
    };
    let is_credit = |&i: &usize| is_stamp(i) || is_named_so(page, i) || is_by(i);
    let mut found: Vec<usize> =
        above.chain(below.flatten()).filter(is_credit).filter(|&i| !is_caption(page, i, pictured)).collect();
    found.sort_unstable();
    found
}

/// Whether it stands in a menu or at the head of the site, away from the headline.
fn is_of_site(page: &PageContext<'_>, i: usize, headline: usize) -> bool {
    let doc = page.doc;
    let mut around = doc.ancestors_and_self(page.block(i).leaf);
    // what is nearest says so: stories have heads as well, and pages around stories
    let is_telling = |&n: &NodeId| matches!(doc.tag(n), Tag::NAV | Tag::HEADER | Tag::ARTICLE | Tag::MAIN);
    let Some(nearest) = around.find(is_telling) else { return false };
    let is_of_site = match doc.tag(nearest) {
        Tag::NAV => true,
        Tag::HEADER => !around.any(|n| matches!(doc.tag(n), Tag::ARTICLE | Tag::MAIN)),
        _ => false,
    };
    is_of_site && !doc.ancestors_and_self(page.block(headline).leaf).any(|n| n == nearest)
}

fn is_by_word(word: &str) -> bool {
    BY.split(' ').any(|by| by == word) || BY_PREFIXES.split(' ').any(|by| word.starts_with(by))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}

/// Whether a block of several words is an author's line by its words.
fn has_by(page: &PageContext<'_>, i: usize) -> bool {
    let num_words = page.stats[i].num_words;
    if num_words < 2 {
        return false;
    }
    let words: Vec<String> = words(page.blocks.text(i)).collect();
    let Some(first) = words.first() else { return false };
    let is_by_second = || {
        BEFORE_BY.split(' ').any(|before| before == first)
            && words.get(1).is_some_and(|second| second == "by")
    };
    let has_suffix = |word: &String| BY_SUFFIXES.split(' ').any(|by| word.ends_with(by));
    is_by_word(first)
        || num_words <= MOST_WORDS_BELOW_LEAD && (is_by_second() || words.iter().any(has_suffix))
}

/// Whether a short block stands behind one that has but words of an author's line.
fn is_name_behind_by(page: &PageContext<'_>, i: usize) -> bool {
    let (name, by) = (&page.stats[i], &page.stats[i - 1]);
    let mut by_words = words(page.blocks.text(i - 1)).peekable();
    (1..=MOST_NAME_WORDS).contains(&name.num_words)
        && (1..=MOST_BY_WORDS).contains(&by.num_words)
        && !by.is_mostly_link()
        && by_words.peek().is_some()
        && by_words.all(|word| is_by_word(&word))
}

/// Whether one of its innermost two elements is for dates or has such a name.
fn is_named_so(page: &PageContext<'_>, i: usize) -> bool {
    let doc = page.doc;
    // links to other stories have the likes of `rel=published-1262`
    let is_of_author = |n| {
        let mut kinds = doc.attribute(n, "rel").unwrap_or_default().split_ascii_whitespace();
        kinds.any(|kind| kind.eq_ignore_ascii_case("author"))
    };
    let mut near = doc.ancestors_and_self(page.block(i).leaf).take(2);
    near.any(|n| {
        doc.tag(n) == Tag::TIME
            || is_of_author(n)
            || ["class", "id", "itemprop"].iter().any(|name| has_word(page, n, name, NAMES))
    })
}

/// Whether an attribute has one of some words, which stand with blanks between.
fn has_word(page: &PageContext<'_>, node: NodeId, attribute: &str, words: &str) -> bool {
    let mut found = false;
    if let Some(value) = page.doc.attribute(node, attribute) {
        for_each_word(value, |word| found |= words.split(' ').any(|w| w == word));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn found(html: &str) -> Vec<(u32, &'static str)> {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        PageContext::new(&doc, &blocks).article_metadata().iter().map(|(i, p)| (*i, p.name)).collect()
    }

    fn bylines(html: &str) -> Vec<u32> {
        found(html).iter().filter(|t| t.1 == "byline").map(|t| t.0).collect()
    }

    #[test]
    fn headline_and_captions_are_told() {
        let html = "<title>Red shoes for rain | Shop</title><p>Menu<h1>Red shoes for rain</h1><p>Text.\
            <figure><img><figcaption>A shoe</figcaption></figure>\
            <figure><img><figcaption><a href=x>Another story</a></figcaption></figure>";
        assert_eq!(found(html), [(1, "title"), (3, "captions")]);
    }

    #[test]
    fn captions_stand_beside_pictures() {
        let html = "<div><a href=x><img></a><p class=wp-caption-text>A shoe</p></div>\
            <table><caption>Prices of shoes</caption><tr><td>1</table>\
            <div><table><caption>A shoe in the rain</caption><tr><td><a href=x><b><img></b></a></table></div>\
            <div><a href=x><img></a><div class=caption><h3>Red shoes</h3></div></div>\
            <div><div><div><div><p class=caption>No picture near</p></div></div></div></div>";
        assert_eq!(found(html), [(0, "captions"), (3, "captions")]);
        let long = format!("<div><img><p class=caption>{}</div>", "word ".repeat(81));
        assert!(found(&long).is_empty());
    }

    #[test]
    fn headlines_outside_headings_are_all_of_the_title_or_parts_of_it() {
        let headline = |title: &str, body: &str| {
            let found = found(&format!("<title>{title}</title>{body}"));
            found.iter().find(|t| t.1 == "title").map(|t| t.0)
        };
        let body = "<p><a href=/>Red shoes for rain</a><p>Shoes<p>Red shoes for rain<p>Red shoes for rain";
        for title in [
            "Red shoes for rain",
            "RED SHOES FOR RAIN | Shop",
            "The Shop - Red shoes for rain - Shoes",
            "The Shop: Red shoes: for rain",
            "Shop » Red shoes for rain«",
        ] {
            assert_eq!(headline(title, body), Some(2), "{title}");
        }
        for title in [
            "Red shoes for rain and sun",
            "The Shop-Red shoes for rain",
            "The Shop- Red shoes for rain",
            "The Shop -Red shoes for rain",
            "Shoes",
            "",
            "Red shoes for",
        ] {
            assert_eq!(headline(title, body), None, "{title}");
        }
        // of fewer words or characters it may be the name of the site
        assert_eq!(headline("Shoe Shop | Red shoes", "<p>Shoe Shop<p>Text"), None);
        let chinese = "<p>新闻频道<p>Text<p>标题说明今天下雨";
        assert_eq!(headline("新闻频道_标题说明今天下雨", chinese), Some(2));
        assert_eq!(headline("新闻频道_其他", chinese), None);
        // the name of the site stands in an <h1>
        let body = "<h1>The Daily Shoe</h1><p>Menu<h2>Red shoes for rain again</h2>";
        assert_eq!(headline("Red shoes for rain again | The Daily Shoe", body), Some(2));
        // a later heading is no headline of what stands above it, if there is an <h1>
        let text = "<p>".to_owned() + &"word ".repeat(30);
        let body = format!("<h1>Rain and shoes</h1>{text}<h3>Red shoes</h3>");
        assert_eq!(headline("Red shoes | Shop", &body), Some(0));
        let below = |heading| headline("Red shoes for rain | Shop", &format!("{text}<h3>{heading}</h3>"));
        assert_eq!(
            [below("Red shoes for"), below("Red shoes for rain"), below("Red shoes")],
            [Some(1), Some(1), None]
        );
        // what stands below the text is no headline, if the title says nothing
        assert_eq!(headline("", &format!("{text}<h1>More stories</h1>")), None);
        assert_eq!(headline("", &format!("<h1>Rain at last</h1>{text}")), Some(0));
    }

    #[test]
    fn a_lead_may_stand_before_author_and_date() {
        let bylines = |html: &str| bylines(&format!("<h1>Red shoes for rain</h1>{html}"));
        let (lead, text) = ("<p>".to_owned() + &"word ".repeat(40), "<p>".to_owned() + &"word ".repeat(61));
        let byline = "<p>By Ann Miller<p>3 May 2024, 12:30";
        assert_eq!(bylines(&format!("{lead}{byline}")), [2, 3]);
        assert!(bylines(&format!("{text}{byline}")).is_empty());
        assert!(bylines(&format!("{lead}{lead}{byline}")).is_empty());
        let sentence = "<p>By the end of the third day all the new shoes had gone from the shops";
        assert!(bylines(&format!("{lead}{sentence}")).is_empty());
        let chinese = format!("<p>{}", "雨".repeat(50));
        assert_eq!(bylines(&format!("{chinese}{byline}")), [2, 3]);
    }

    #[test]
    fn names_stand_behind_words_for_authors() {
        let bylines = |html: &str| bylines(&format!("<h1>Red shoes for rain</h1>{html}"));
        assert_eq!(bylines("<p>By<p><a href=x>Ann Miller</a><p>Snow at last"), [1, 2]);
        assert_eq!(bylines("<p>Written by:<p>Ann Miller"), [1, 2]);
        assert!(bylines("<p>By<p>Rain fell for the third day in a row").is_empty());
        assert!(bylines("<p>Snow<p>Ann Miller").is_empty());
        assert!(bylines("<p>2,731<p>Send to a friend").is_empty());
        assert!(bylines("<p><a href=x>Author</a><p>Share").is_empty());
    }

    #[test]
    fn dates_of_the_site_are_none_of_the_text() {
        let text = format!("<h1>Red shoes for rain</h1><p>{}", "word ".repeat(30));
        let bylines = |html: &str| bylines(html).len();
        let date = "<p>2 May 2024</p>";
        assert_eq!(bylines(&format!("{date}{text}")), 1);
        assert_eq!(bylines(&format!("<article><header>{date}{text}</header></article>")), 1);
        assert_eq!(bylines(&format!("<header>{date}{text}</header>")), 1);
        assert_eq!(bylines(&format!("<header>{date}</header>{text}")), 0);
        assert_eq!(bylines(&format!("<main><nav>{date}</nav>{text}</main>")), 0);
        assert_eq!(
            bylines(&format!("<p>Stats: 12 files, 3 readers, 4 stars, last seen 2 May 2024{text}")),
            0
        );
    }

    #[test]
    fn author_and_date_are_told_around_the_headline_and_above_the_text() {
        let (long, longer) = ("word ".repeat(21), "word ".repeat(61));
        let html = format!(
            "<p>{long}<p>News<h1>Red shoes for rain</h1><p>By Ann Miller<p>A lead of few words<p>3 May 2024, 12:30\
            <p class=entry-author>Bo Berg<p><time>yesterday</time><p>By<p>{longer}<p>By Cy Young"
        );
        let byline = [3, 5, 6, 7].map(|i| (i, "byline"));
        assert_eq!(found(&html), [[(2, "title")].as_slice(), &byline].concat());
        assert!(found("<p>By Ann Miller<p>3 May 2024, 12:30").is_empty());
        // above it the two nearest
        let text = format!("<p>{long}{long}");
        let html =
            format!("<p>1 May 2024, 12:30<p>2 May 2024, 12:30<p>News<h1>Red shoes for rain</h1>{text}");
        assert_eq!(found(&html), [(3, "title"), (1, "byline")]);
        let html = format!("<p>Door County Herald<h1>Red shoes for rain</h1>{text}");
        assert_eq!(found(&html), [(1, "title")]);
        let html = format!("<p>2 May 2024, 12:30<p>{long}<h1>Red shoes for rain</h1>{text}");
        assert_eq!(found(&html), [(2, "title")]);
        let html = format!("<p><a href=x>2 May 2024, 12:30</a><h1>Red shoes for rain</h1>{text}");
        assert_eq!(found(&html), [(1, "title")]);
        for line in [
            "Автор: Анна",
            "OLEH ANNA",
            "作者：王攀",
            "来源： 新华网",
            "记者王攀",
            "โดย แอน มิลเลอร์",
            "3 de mayo de 2024",
            "3 hours ago",
            "홍길동 기자",
            "기자 홍길동",
            "홍길동 기자 hong@example.com",
            "Story by Ann Miller",
            "2024年05月03日 10:20 来源：新华社 作者：王小明 责任编辑：李丽",
        ] {
            let html = format!("<h1>Red shoes for rain</h1><p>{line}");
            assert_eq!(found(&html), [(0, "title"), (1, "byline")], "{line}");
        }
        let html = "<h1>Red shoes for rain</h1><a rel='nofollow Author' href=x>Ann Miller</a><p><a rel=published-12 href=y>Snow</a>";
        assert_eq!(found(html), [(0, "title"), (1, "byline")]);
    }
}
