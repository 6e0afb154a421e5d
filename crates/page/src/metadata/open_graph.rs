//! Reads Open Graph and Twitter cards.

use super::Facts;
use super::authors::{self, Form};
use super::meta_tags::Meta;
use super::text::plain;

/// Returns the facts in Open Graph and Twitter card elements.
pub(super) fn read(metas: &[Meta<'_>]) -> Facts {
    let first = |names: &[&str]| {
        names.iter().find_map(|name| metas.iter().find(|m| m.name == *name).map(|m| m.content.to_owned()))
    };
    let authors = metas.iter().filter(|m| {
        matches!(m.name.as_str(), "article:author" | "og:author" | "book:author" | "og:article:author")
    });
    let mut facts = Facts {
        title: first(&["og:title", "twitter:title"]).map(|t| plain(&t)),
        published: first(&[
            "article:published_time",
            "article:published",
            "og:published_time",
            "og:article:published_time",
            "og:pubdate",
            "article:post_date",
        ]),
        modified: first(&[
            "article:modified_time",
            "article:modified",
            "og:modified_time",
            "og:updated_time",
            "og:article:modified_time",
        ]),
        site_name: first(&["og:site_name", "twitter:site:name", "application-name"]).map(|t| plain(&t)),
        description: first(&["og:description", "twitter:description"]).map(|t| plain(&t)),
        image: first(&[
            "og:image",
            "og:image:url",
            "og:image:secure_url",
            "twitter:image",
            "twitter:image:src",
        ]),
        language: first(&["og:locale"]),
        canonical: first(&["og:url"]),
        ..Facts::default()
    };
    facts.tags = metas
        .iter()
        .filter(|m| matches!(m.name.as_str(), "article:tag" | "og:article:tag"))
        .map(|m| plain(m.content))
        .collect();
    for name in authors.flat_map(|m| authors::names(m.content, Form::Many)) {
        if !facts.authors.contains(&name) {
            facts.authors.push(name);
        }
    }
    // `twitter:label1` = "Written by", `twitter:data1` = the name
    if facts.authors.is_empty() {
        let label =
            metas.iter().find(|m| m.name.starts_with("twitter:label") && authors::is_label(m.content));
        let data = label.and_then(|l| metas.iter().find(|m| m.name == l.name.replace("label", "data")));
        facts.authors = data.map(|m| authors::names(m.content, Form::Many)).unwrap_or_default();
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::super::meta_tags::metas;
    use super::*;
    use threshr_html::parse_str;

    #[test]
    fn open_graph_is_read() {
        let doc = parse_str(
            "<meta property=og:title content='Rain &amp;amp; snow'><meta property=article:author content='https://f.com/ann'>\
             <meta property=article:published_time content=2024-05-03><meta property=article:tag content=rain>\
             <meta property=article:tag content=snow><meta name=twitter:label1 content='Geschrieben von'>\
             <meta name=twitter:data1 content='Anna Müller'><meta property=og:locale content=de_DE>",
        );
        let facts = read(&metas(&doc));
        assert_eq!(facts.title.as_deref(), Some("Rain & snow"));
        assert_eq!(facts.authors, ["Anna Müller"]);
        assert_eq!(facts.tags, ["rain", "snow"]);
        assert_eq!(
            (facts.published.as_deref(), facts.language.as_deref()),
            (Some("2024-05-03"), Some("de_DE"))
        );
    }
}
