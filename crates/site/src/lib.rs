//! The site of a URL: its registrable domain according to the public suffix list.
//!
//! The list is compiled into code, which takes longer than compiling the other low-level crates. Therefore,
//! it is a separate crate.

/// Returns the site of a URL: its registrable domain according to the public suffix list. If there is none,
/// returns its host.
///
/// ```
/// use threshr_site::site_of;
///
/// assert_eq!(site_of("https://news.bbc.co.uk/1/x.html").as_deref(), Some("bbc.co.uk"));
/// ```
pub fn site_of(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).or_else(|_| url::Url::parse(&format!("http://{url}"))).ok()?;
    let host = match parsed.host()? {
        url::Host::Domain(host) => host.trim_end_matches('.').to_lowercase(),
        address => return Some(address.to_string()),
    };
    let domain = psl::domain_str(&host).map(str::to_owned);
    (!host.is_empty()).then(|| domain.unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use super::site_of;

    #[test]
    fn sites_are_registrable_domains() {
        let site = |u: &str| site_of(u);
        assert_eq!(site("http://news.bbc.co.uk/1/x.html").as_deref(), Some("bbc.co.uk"));
        assert_eq!(site("https://WWW.Example.COM:8080/?q").as_deref(), Some("example.com"));
        assert_eq!(site("example.org/a").as_deref(), Some("example.org"));
        assert_eq!(site("http://10.1.2.3/").as_deref(), Some("10.1.2.3"));
        assert_eq!(site(""), None);
    }
}
