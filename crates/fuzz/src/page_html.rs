//! Checks that HTML output, and HTML that is rendered from Markdown output, contains no active content.

use crate::page_formats::written;
use pulldown_cmark::{Event, Options, Parser, Tag};
use threshr_html::{Kind, parse_str};
use threshr_output::formats::{Added, PageOutput};

/// Elements that may be written, and elements that parsers add.
const ELEMENTS: &[&str] = &[
    "html",
    "head",
    "body",
    "tbody",
    "article",
    "aside",
    "details",
    "summary",
    "figure",
    "figcaption",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "blockquote",
    "pre",
    "code",
    "table",
    "caption",
    "tr",
    "th",
    "td",
    "hr",
    "br",
    "a",
    "img",
    "input",
    "strong",
    "em",
    "del",
    "ins",
    "mark",
    "footer",
    "ruby",
    "rp",
    "rt",
    "cite",
    "time",
    "sup",
    "sub",
    "kbd",
];
/// Attributes that may be written.
const ATTRIBUTES: &[&str] = &[
    "lang", "id", "class", "href", "src", "cite", "alt", "title", "start", "value", "type", "disabled",
    "checked", "open", "rowspan", "colspan", "align", "datetime",
];
const ADDRESSES: &[&str] = &["href", "src", "cite"];

pub(crate) fn check(output: &PageOutput<'_>) {
    check_html(&written(output, "html"));
    // Front matter is not Markdown.
    let output = PageOutput { added: Added::default(), ..*output };
    check_markdown(&output.markdown().expect("within the limit"));
}

/// Parses HTML. Panics if an element, an attribute or a URL is not in the lists of harmless elements,
/// attributes and URLs.
fn check_html(html: &str) {
    let doc = parse_str(html);
    for node in doc.descendants(doc.root()).filter(|&node| doc.kind(node) == Kind::Element) {
        let name = doc.name(node);
        assert!(ELEMENTS.contains(&name), "<{name}> in {html}");
        for (attribute, value) in doc.attributes(node) {
            assert!(ATTRIBUTES.contains(&attribute), "{attribute}={value:?} in {html}");
            if ADDRESSES.contains(&attribute) {
                assert!(is_harmless(value), "{attribute}={value:?} in {html}");
            }
        }
    }
}

/// Returns whether a URL is safe to follow: it has a harmless scheme or is relative.
fn is_harmless(address: &str) -> bool {
    // Browsers ignore these characters before and inside a scheme.
    let address: String = address.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    let end = address.find([':', '/', '?', '#']).unwrap_or(address.len());
    let scheme = address[..end].to_ascii_lowercase();
    !address[end..].starts_with(':') || ["http", "https", "mailto", "tel", "ftp"].contains(&scheme.as_str())
}

fn check_markdown(markdown: &str) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let options = options | Options::ENABLE_FOOTNOTES | Options::ENABLE_MATH;
    let mut html = String::new();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Html(part) | Event::InlineHtml(part) => html.push_str(&part),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                assert!(is_harmless(&dest_url), "{dest_url:?} in {markdown}");
            }
            _ => html.push(' '),
        }
    }
    check_html(&html);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn active_parts_are_found() {
        check_html("<article lang=en><p>a <a href=\"https://a/\">javascript:x</a></article>");
        check_markdown("a \\<script> `<script>` [b](https://a/) <sub>2</sub>");
        for html in ["<script>", "<p onclick=x>", "<a href=' java\nscript:x'>", "<img src=data:x>", "<svg>"] {
            assert!(catch_unwind(|| check_html(html)).is_err(), "{html}");
        }
        for markdown in ["a <script>x</script>", "[a](javascript:x)", "<javascript:x>", "<p onclick=x>"] {
            assert!(catch_unwind(|| check_markdown(markdown)).is_err(), "{markdown}");
        }
    }
}
