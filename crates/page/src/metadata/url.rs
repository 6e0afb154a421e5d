//! Date and host in the URL of a page, and resolution of relative URLs.

use super::dates;
use crate::address::Base;

/// Returns the date in the path of a URL: `/2024/05/03/`, `/2024-05-03-rain`, `/20240503`.
pub(super) fn date(url: &str) -> Option<String> {
    let path = path(url)?;
    let parts: Vec<&str> = path.split('/').collect();
    let style = dates::DateStyle::default();
    let is_number = |p: &&str| !p.is_empty() && p.len() <= 4 && p.bytes().all(|b| b.is_ascii_digit());
    // `/2024/may/03/`
    let is_month = |p: &str| crate::dates::months::month(p, None).is_some();
    let folders = parts.windows(3).find_map(|w| {
        let is_date = w[0].len() == 4 && is_number(&w[0]) && is_number(&w[2]);
        if is_date && is_number(&w[1]) {
            dates::parse(&w.join("-"), style)
        } else if is_date && w[2].len() <= 2 && is_month(w[1]) {
            dates::parse(&format!("{} {} {}", w[2], w[1], w[0]), style)
        } else {
            None
        }
    });
    let is_year = |text: &str| text.starts_with("19") || text.starts_with("20");
    let in_part = |part: &&str| {
        let starts = part.match_indices(|c: char| c.is_ascii_digit()).map(|m| m.0);
        starts.filter(|&at| at == 0 || !part.as_bytes()[at - 1].is_ascii_digit()).find_map(|at| {
            let rest = &part[at..];
            if !is_year(rest) {
                return None;
            }
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            match digits {
                8 => dates::parse(&rest[..8], style),
                4 => {
                    let dated = rest.get(..10).filter(|d| d.as_bytes()[4] == d.as_bytes()[7])?;
                    let ends = rest[10..].bytes().next().is_none_or(|b| !b.is_ascii_digit());
                    ends.then(|| dates::parse(&dated.replace('_', "-"), style)).flatten()
                }
                _ => None,
            }
        })
    };
    folders.or_else(|| parts.iter().find_map(in_part))
}

/// Splits an absolute URL into the origin (scheme, host and port) and the rest.
fn split(url: &str) -> Option<(&str, &str)> {
    let after = url.find("://").map(|at| at + 3)?;
    let end = url[after..].find(['/', '?', '#']).map_or(url.len(), |at| after + at);
    Some(url.split_at(end))
}

/// Returns the path of an absolute URL.
pub(super) fn path(url: &str) -> Option<&str> {
    split(url)?.1.split(['?', '#']).next()
}

/// Returns the host of an absolute URL.
pub(super) fn host(url: &str) -> Option<&str> {
    let origin = split(url)?.0;
    let host = origin.rsplit("://").next()?.rsplit('@').next()?;
    host.split(':').next().filter(|h| !h.is_empty())
}

/// Returns whether two URLs lead to the same page. Scheme, fragment and trailing slash are ignored. The query
/// is compared only if both URLs have a query.
pub(super) fn is_same_page(a: &str, b: &str) -> bool {
    let parts = |url: &'_ str| -> (String, Option<String>) {
        let url = url.split('#').next().unwrap_or_default();
        let url = url.trim_start_matches("http://").trim_start_matches("https://");
        let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
        (path.trim_end_matches('/').to_owned(), query.map(str::to_owned))
    };
    let ((a, a_query), (b, b_query)) = (parts(a), parts(b));
    a == b && a_query.zip(b_query).is_none_or(|(a, b)| a == b)
}

/// Resolves a URL stated by the page to an absolute `http` URL. Returns `None` for other schemes, for names with
/// spaces, and for a relative URL if there is no base.
pub(super) fn resolve(address: &str, base: &Base) -> Option<String> {
    let address = address.trim();
    let is_name = address.contains(char::is_whitespace) && !address.contains('/');
    if is_name { None } else { base.resolve_web(address) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_paths_are_found() {
        for (url, expected) in [
            ("https://example.com/2024/05/03/rain", Some("2024-05-03")),
            ("https://example.com/news/2024/5/3/", Some("2024-05-03")),
            ("https://example.com/2024-05-03-rain.html", Some("2024-05-03")),
            ("https://example.com/rain-2024_05_03", Some("2024-05-03")),
            ("https://example.com/news/20240503/rain", Some("2024-05-03")),
            ("https://example.com/news/2024/may/03/rain", Some("2024-05-03")),
            ("https://example.com/2024/mai/3/regen", Some("2024-05-03")),
            ("https://example.com/2024/may/rain-3", None),
            ("https://example.com/2024/rain/03/", None),
            ("https://example.com/2024/05/rain", None),
            ("https://example.com/id/20249903", None),
            ("https://example.com/?d=2024-05-03", None),
            ("https://example.com/p/120240503", None),
            ("2024-05-03", None),
        ] {
            assert_eq!(date(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn addresses_of_one_page_are_the_same() {
        let page = "https://a.example.com/x/?id=3";
        for same in ["http://a.example.com/x#top", "https://a.example.com/x/?id=3#top", page] {
            assert!(is_same_page(same, page), "{same}");
        }
        for other in
            ["https://a.example.com/y", "https://a.example.com/x/?id=4", "https://b.example.com/x/?id=3", ""]
        {
            assert!(!is_same_page(other, page), "{other}");
        }
    }

    #[test]
    fn names_are_no_addresses() {
        let base = Base::new(&threshr_html::parse_str(""), Some("https://a.example.com/x"));
        assert_eq!(resolve("Some Licence", &base), None);
        assert_eq!(resolve("a b/c", &base).as_deref(), Some("https://a.example.com/a%20b/c"));
        assert_eq!(host("https://me@a.example.com:8080/x"), Some("a.example.com"));
    }
}
