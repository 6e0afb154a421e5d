//! HTML that is served to the browser that renders a page.

use threshr_core::{Budget, Result};
use threshr_html::{ParseOptions, Tag, parse_within, write_attribute};
use url::Url;

/// Prepares a page that a browser opens at a URL other than its original URL. Returns the HTML and the URL to
/// which its links are relative. This URL is `address` if `address` is an HTTP or HTTPS URL, and otherwise
/// `None`.
///
/// If `address` is such a URL, it becomes the `<base>` of the page. An existing `<base>` of the page takes
/// precedence; if it is relative, it is resolved.
///
/// # Errors
/// If the budget is exhausted.
pub fn served<'a>(
    html: &str,
    address: Option<&'a str>,
    budget: &Budget,
) -> Result<(String, Option<&'a str>)> {
    let is_web = |a: &&str| Url::parse(a).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    match address.filter(is_web) {
        Some(address) => Ok((with_base(html, address, budget)?, Some(address))),
        None => Ok((html.to_owned(), None)),
    }
}

fn with_base(html: &str, address: &str, budget: &Budget) -> Result<String> {
    let options = ParseOptions { charset: Some("utf-8".to_owned()), ..ParseOptions::default() };
    let doc = parse_within(html.as_bytes(), &options, budget)?;
    let own = doc.elements_with(|tag| tag == Tag::BASE).find_map(|node| doc.attribute(node, "href"));
    let address = match own {
        Some(own) if Url::parse(own).is_ok() => return Ok(html.to_owned()),
        Some(own) => Url::parse(address).and_then(|a| a.join(own)).map_or(address.to_owned(), String::from),
        None => address.to_owned(),
    };
    let (before, after) = html.split_at(end_of_doctype(html));
    let mut out = format!("{before}<base");
    write_attribute("href", &address, &mut out);
    Ok(out + ">" + after)
}

/// Returns the position after the doctype, including white space and comments before it. Returns 0 if there
/// is no doctype.
fn end_of_doctype(html: &str) -> usize {
    let mut rest = html;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}');
        if let Some(comment) = rest.strip_prefix("<!--") {
            let Some(end) = comment.find("-->") else { return 0 };
            rest = &comment[end + 3..];
        } else if rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) {
            return rest.find('>').map_or(0, |end| html.len() - rest.len() + end + 1);
        } else {
            return 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_to_the_address() {
        let base = |html: &str| {
            let address = Some("http://a.example/b/?x=1&y=\"2");
            served(html, address, &Budget::UNLIMITED).expect("within the budget").0
        };
        let added = "<base href=\"http://a.example/b/?x=1&amp;y=&quot;2\">";
        assert_eq!(base("<p>a"), format!("{added}<p>a"));
        assert_eq!(
            base("\u{feff} <!-- > -->\n<!DocType html><p>a"),
            format!("\u{feff} <!-- > -->\n<!DocType html>{added}<p>a")
        );
        let own = "<base href='https://c.example/'><p>a";
        assert_eq!(base(own), own);
        assert!(base("<head><base href=../d/>").starts_with("<base href=\"http://a.example/d/\"><head>"));
        assert_eq!(end_of_doctype("<!-- <!doctype html>"), 0);
    }

    #[test]
    fn only_addresses_of_the_web_are_kept() {
        for address in [None, Some("file:///etc/passwd"), Some("page.html"), Some("http://")] {
            let served = served("<p>a", address, &Budget::UNLIMITED).expect("within the budget");
            assert_eq!(served, ("<p>a".to_owned(), None), "{address:?}");
        }
    }
}
