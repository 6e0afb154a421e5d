//! Article metadata: headline, byline and caption blocks. They are detected independently of the content policy.

use crate::PageFacts;
use crate::article::bylines;
use crate::article::captions;
use crate::article::headline::headline_definition;
use threshr_core::policy::{Property, property};

/// A kind of article metadata, which is also a property of the content policy.
pub struct MetadataKind {
    /// Name of the policy property.
    pub property: &'static str,
    /// The column of the family `policy` that has a nonzero value for these blocks. Its sign states whether
    /// the policy counts them as content. One column contains both facts, because a decision tree uses only a
    /// few columns.
    pub column: &'static str,
    /// Name of a block of this kind in definitions.
    pub label: &'static str,
    /// Describes how the blocks are detected.
    pub definition: fn() -> String,
    find: fn(&PageFacts<'_>, &captions::Pictured) -> Vec<usize>,
}

impl MetadataKind {
    fn is_among(&self, columns: &[String]) -> bool {
        columns.iter().any(|c| c.strip_prefix("policy.") == Some(self.column))
    }
}

/// The kinds, in the order of their columns.
pub static KINDS: [MetadataKind; 3] = [
    MetadataKind {
        property: "title",
        column: "headline",
        label: "headline",
        definition: headline_definition,
        find: |page, _| page.headline().into_iter().collect(),
    },
    MetadataKind {
        property: "byline",
        column: "byline_block",
        label: "byline",
        definition: bylines::byline_definition,
        find: bylines::bylines,
    },
    MetadataKind {
        property: "captions",
        column: "caption",
        label: "caption",
        definition: captions::caption_definition,
        find: captions::captions,
    },
];

/// Detected blocks with their properties, as (block index, property).
pub type ArticleMetadata = Vec<(u32, &'static Property)>;

/// Returns the headline, byline and caption blocks of a page, grouped by kind.
pub fn find(page: &PageFacts<'_>) -> ArticleMetadata {
    let pictured = captions::Pictured::new(page);
    let of_kind = |kind: &MetadataKind| -> ArticleMetadata {
        let Ok(property) = property(kind.property) else { return ArticleMetadata::new() };
        (kind.find)(page, &pictured).into_iter().map(|i| (i as u32, property)).collect()
    };
    KINDS.iter().flat_map(of_kind).collect()
}

/// Returns the article metadata of the kinds for which the model has a column. Decision rules skip these blocks.
///
/// `metadata` is called only if the model has such a column.
pub fn metadata_blocks<'t>(
    metadata: impl FnOnce() -> &'t ArticleMetadata,
    columns: &[String],
) -> ArticleMetadata {
    let kinds: Vec<&str> = KINDS.iter().filter(|k| k.is_among(columns)).map(|k| k.property).collect();
    if kinds.is_empty() {
        return Vec::new();
    }
    metadata().iter().copied().filter(|t| kinds.contains(&t.1.name)).collect()
}

/// Whether `columns` has a column of article metadata.
pub fn reads_article_metadata(columns: &[String]) -> bool {
    KINDS.iter().any(|k| k.is_among(columns))
}

/// Returns the column for the blocks of `property`, if the property is a kind of article metadata.
pub fn metadata_column(property: &Property) -> Option<String> {
    KINDS.iter().find(|k| k.property == property.name).map(|k| format!("policy.{}", k.column))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn found(html: &str) -> Vec<(u32, &'static str)> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        PageFacts::new(&doc, &blocks).article_metadata().iter().map(|(i, p)| (*i, p.name)).collect()
    }

    fn bylines(html: &str) -> Vec<u32> {
        found(html).iter().filter(|t| t.1 == "byline").map(|t| t.0).collect()
    }

    #[test]
    fn headline_and_captions_are_detected() {
        let html = "<title>Red shoes for rain | Shop</title><p>Menu<h1>Red shoes for rain</h1><p>Text.\
            <figure><img><figcaption>A shoe</figcaption></figure>\
            <figure><img><figcaption><a href=x>Another story</a></figcaption></figure>";
        assert_eq!(found(html), [(1, "title"), (3, "captions")]);
    }

    #[test]
    fn the_name_of_the_site_is_no_headline() {
        let headline = |title: &str, body: &str| {
            let found = found(&format!("<title>{title}</title>{body}"));
            found.iter().find(|t| t.1 == "title").map(|t| t.0)
        };
        let post = "<div class=post><h2>Red shoes</h2><p>It rained.</div>";
        for link in [
            "href=/",
            "href='./'",
            "href=http://blog.example",
            "href=//blog.example/?a=1",
            "rel=home href=x",
            "href=/index.php",
        ] {
            let site = format!("<h1><a {link}>Ann in the rain</a></h1>{post}");
            assert_eq!(headline("Ann in the rain", &site), None, "{link}");
            assert_eq!(headline("Red shoes | Ann in the rain", &site), Some(1), "{link}");
        }
        for link in [
            "href=/red-shoes",
            "href=http://blog.example/red",
            "name=top",
            "href='#top'",
            "href=''",
            "href=index/red",
        ] {
            let own = format!("<h1><a {link}>Ann in the rain</a></h1>{post}");
            assert_eq!(headline("Ann in the rain", &own), Some(0), "{link}");
        }
        // the block contains more than the link
        let named = format!("<h1><a href=/>Blog</a>: Ann in the rain</h1>{post}");
        assert_eq!(headline("Ann in the rain", &named), Some(0));
    }

    #[test]
    fn captions_are_beside_pictures() {
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
    fn a_headline_outside_headings_equals_the_title_or_parts_of_it() {
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
        // a shorter title segment may be the site name
        assert_eq!(headline("Shoe Shop | Red shoes", "<p>Shoe Shop<p>Text"), None);
        let chinese = "<p>新闻频道<p>Text<p>标题说明今天下雨";
        assert_eq!(headline("新闻频道_标题说明今天下雨", chinese), Some(2));
        assert_eq!(headline("新闻频道_其他", chinese), None);
        // the site name is in an <h1>
        let body = "<h1>The Daily Shoe</h1><p>Menu<h2>Red shoes for rain again</h2>";
        assert_eq!(headline("Red shoes for rain again | The Daily Shoe", body), Some(2));
        // a heading below the text is not the headline if there is an <h1>
        let text = "<p>".to_owned() + &"word ".repeat(30);
        let body = format!("<h1>Rain and shoes</h1>{text}<h3>Red shoes</h3>");
        assert_eq!(headline("Red shoes | Shop", &body), Some(0));
        let below = |heading| headline("Red shoes for rain | Shop", &format!("{text}<h3>{heading}</h3>"));
        assert_eq!(
            [below("Red shoes for"), below("Red shoes for rain"), below("Red shoes")],
            [Some(1), Some(1), None]
        );
        // if there is no title, an <h1> below the text is not the headline
        assert_eq!(headline("", &format!("{text}<h1>More stories</h1>")), None);
        assert_eq!(headline("", &format!("<h1>Rain at last</h1>{text}")), Some(0));
    }

    #[test]
    fn a_lead_may_precede_the_byline() {
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
    fn a_name_may_follow_a_word_for_author_in_a_block_of_its_own() {
        let bylines = |html: &str| bylines(&format!("<h1>Red shoes for rain</h1>{html}"));
        assert_eq!(bylines("<p>By<p><a href=x>Ann Miller</a><p>Snow at last"), [1, 2]);
        assert_eq!(bylines("<p>Written by:<p>Ann Miller"), [1, 2]);
        assert!(bylines("<p>By<p>Rain fell for the third day in a row").is_empty());
        assert!(bylines("<p>Snow<p>Ann Miller").is_empty());
        assert!(bylines("<p>2,731<p>Send to a friend").is_empty());
        assert!(bylines("<p><a href=x>Author</a><p>Share").is_empty());
    }

    #[test]
    fn dates_in_the_header_of_the_site_are_no_bylines() {
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
    fn bylines_are_detected_around_the_headline_and_above_the_text() {
        let (long, longer) = ("word ".repeat(21), "word ".repeat(61));
        let html = format!(
            "<p>{long}<p>News<h1>Red shoes for rain</h1><p>By Ann Miller<p>A lead of few words<p>3 May 2024, 12:30\
            <p class=entry-author>Bo Berg<p><time>yesterday</time><p>By<p>{longer}<p>By Cy Young"
        );
        let byline = [3, 5, 6, 7].map(|i| (i, "byline"));
        assert_eq!(found(&html), [[(2, "title")].as_slice(), &byline].concat());
        assert!(found("<p>By Ann Miller<p>3 May 2024, 12:30").is_empty());
        // two blocks before the headline are searched
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
