//! Resolves the URLs in a page.

use threshr_html::{Document, Tag};
use url::Url;

/// Maximum number of bytes of a URL that is resolved.
pub const MAX_LENGTH: usize = 4096;

/// Returns a URL without scheme and host: path, query and fragment. A relative URL is returned unchanged.
pub fn without_host(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path))
}

/// The base URL of a page, against which relative URLs are resolved.
#[derive(Debug, Clone, Default)]
pub struct Base(Option<Url>);

impl Base {
    /// Resolves `<base href>` against the URL of the page. If there is no valid `<base href>`, the URL of the page
    /// is the base. It is `page_url`, or else the URL that the HTML states.
    pub fn new(doc: &Document, page_url: Option<&str>) -> Self {
        let own = page_url.map(str::to_owned).or_else(|| doc.url());
        let page = Base(own.and_then(|url| Url::parse(url.trim()).ok()));
        let element = doc.elements_with(|tag| tag == Tag::BASE).find_map(|n| doc.attribute(n, "href"));
        let joined = element.and_then(|href| page.resolve(href));
        Base(joined.or(page.0).filter(|url| !url.cannot_be_a_base() && is_web(url)))
    }

    /// Returns the absolute URL. `None` if the URL is empty, invalid or too long, or if it is relative and there
    /// is no base.
    pub fn resolve(&self, address: &str) -> Option<Url> {
        let address = address.trim();
        if address.is_empty() || address.len() > MAX_LENGTH {
            return None;
        }
        match &self.0 {
            Some(base) => base.join(address).ok(),
            None => Url::parse(address).ok(),
        }
    }

    /// Returns the absolute URL of a page or an image; `None` if its scheme is not `http` or `https`. A URL that
    /// is already absolute is returned as written in the page.
    pub fn resolve_web(&self, address: &str) -> Option<String> {
        let address = address.trim();
        let url = self.resolve(address).filter(is_web)?;
        let is_whole = !address.contains(|c: char| c.is_whitespace() || c.is_control())
            && ["http://", "https://"].iter().any(|scheme| {
                address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            });
        Some(if is_whole { address.to_owned() } else { url.into() })
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::parse_str;

    fn base(html: &str, url: Option<&str>) -> Base {
        Base::new(&parse_str(html), url)
    }

    #[test]
    fn addresses_are_resolved() {
        let base = base("", Some("https://a.example.com:8080/x/y/z?q#f"));
        for (address, expected) in [
            ("http://b.com/i.png", Some("http://b.com/i.png")),
            ("HTTP://b.com", Some("HTTP://b.com")),
            ("http://b.com/a b.png", Some("http://b.com/a%20b.png")),
            ("//b.com/i.png", Some("https://b.com/i.png")),
            ("/i.png", Some("https://a.example.com:8080/i.png")),
            ("../i.png", Some("https://a.example.com:8080/x/i.png")),
            ("./i/../k.png", Some("https://a.example.com:8080/x/y/k.png")),
            ("i.png", Some("https://a.example.com:8080/x/y/i.png")),
            ("?p=2", Some("https://a.example.com:8080/x/y/z?p=2")),
            ("data:image/png;base64,xx", None),
            ("http://", None),
            ("", None),
        ] {
            assert_eq!(base.resolve_web(address).as_deref(), expected, "{address}");
        }
        assert_eq!(base.resolve("mailto:a@b.com").map(String::from).as_deref(), Some("mailto:a@b.com"));
        assert_eq!(base.resolve(&format!("/{}", "a".repeat(MAX_LENGTH))), None);
        assert_eq!(Base::default().resolve_web("i.png"), None);
        assert_eq!(Base::default().resolve_web("http://a.com/").as_deref(), Some("http://a.com/"));
    }

    #[test]
    fn the_base_of_a_page() {
        let resolve = |html, url| base(html, url).resolve_web("i.png");
        let (page, html) = (Some("https://a.com/x/y"), "<base target=_top><base href=/z/><base href=/no/>");
        assert_eq!(resolve("", page).as_deref(), Some("https://a.com/x/i.png"));
        assert_eq!(resolve(html, page).as_deref(), Some("https://a.com/z/i.png"));
        assert_eq!(resolve(html, None), None);
        assert_eq!(resolve("<base href=https://b.com/>", None).as_deref(), Some("https://b.com/i.png"));
        assert_eq!(resolve("<base href='about:blank'>", page), None);
        let own = "<link rel=canonical href=https://c.com/d/e>";
        assert_eq!(resolve(own, None).as_deref(), Some("https://c.com/d/i.png"));
    }
}
