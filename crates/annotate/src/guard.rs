//! Access control for requests, and headers of all responses.
//!
//! The application listens on the loopback interface only. Web pages that are open in the same browser must
//! not be able to use it. Therefore, the `Host` header of a request must be the address of the application,
//! there must be no foreign origin, and API requests need a token. The token is contained only in the URL
//! that the program prints. Iframes use a separate key, which gives access only to pages in frames.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

/// The request header that contains the token.
pub(crate) const TOKEN: HeaderName = HeaderName::from_static("x-threshr-token");

/// Content security policy of framed pages. Allows only their own styles and embedded images: no scripts,
/// network access or forms.
pub(crate) const FRAME_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; \
    form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-same-origin";

/// Content security policy of the application. Allows its own files, and requests to its own server.
const APP_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src \
    'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Secrets and port of a server.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    port: u16,
    token: String,
    frame_key: String,
}

impl Guard {
    /// Creates a guard with new random secrets.
    pub(crate) fn new(port: u16) -> Guard {
        let secret = || threshr_core::hex(&rand::random::<[u8; 24]>());
        Guard { port, token: secret(), frame_key: secret() }
    }

    /// Returns the token, which the application sends with each request.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Returns the key in the URLs of framed pages.
    pub(crate) fn frame_key(&self) -> &str {
        &self.frame_key
    }

    /// Returns whether a key is the key of framed pages.
    pub(crate) fn is_frame_key(&self, key: &str) -> bool {
        is_equal(key, &self.frame_key)
    }

    /// Checks whether a request is allowed.
    ///
    /// # Errors
    /// The status and the message of the error response.
    pub(crate) fn check(&self, request: &Parts) -> Result<(), (StatusCode, &'static str)> {
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        let is_host = |host: &str| hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        let headers = &request.headers;
        let mut given = headers.get_all(header::HOST).iter();
        let host = given.next().and_then(|value| value.to_str().ok());
        let is_own = host.is_some_and(is_host) && given.next().is_none();
        let is_own = is_own && request.uri.authority().is_none_or(|a| is_host(a.as_str()));
        if !is_own {
            return Err((StatusCode::MISDIRECTED_REQUEST, "the host is not that of this application"));
        }
        for origin in headers.get_all(header::ORIGIN) {
            let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
            if !host.is_some_and(is_host) {
                return Err((StatusCode::FORBIDDEN, "the request comes from another site"));
            }
        }
        let path = request.uri.path();
        // A foreign link may open the start page, which contains no data without the token.
        let is_entry = path == "/" && request.method == Method::GET;
        let is_own_page = |site: &HeaderValue| site == "same-origin" || site == "none";
        if !is_entry && !headers.get_all("sec-fetch-site").iter().all(is_own_page) {
            return Err((StatusCode::FORBIDDEN, "the request comes from another site"));
        }
        if path.starts_with("/api/") {
            let token = headers.get(&TOKEN).and_then(|token| token.to_str().ok());
            if !token.is_some_and(|token| is_equal(token, &self.token)) {
                return Err((StatusCode::UNAUTHORIZED, "the token is wrong"));
            }
        }
        if ![Method::GET, Method::HEAD].contains(&request.method) {
            let is_json = |value: &HeaderValue| {
                let kind = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
                kind.trim().eq_ignore_ascii_case("application/json")
            };
            if !headers.get(header::CONTENT_TYPE).is_some_and(is_json) {
                return Err((
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    "the content type must be application/json",
                ));
            }
        }
        Ok(())
    }
}

/// Compares two strings in constant time, so that the time does not reveal where they differ.
fn is_equal(given: &str, secret: &str) -> bool {
    let difference = given.bytes().zip(secret.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    std::hint::black_box(difference) == 0 && given.len() == secret.len()
}

/// Sets the headers of all responses.
pub(crate) fn set_headers(headers: &mut HeaderMap) {
    let mut set = |name: HeaderName, value| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, APP_POLICY);
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_DNS_PREFETCH_CONTROL, "off"),
    ] {
        set(name, value);
    }
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ] {
        set(HeaderName::from_static(name), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn guard() -> Guard {
        Guard { port: 8000, token: "secret".into(), frame_key: "key".into() }
    }

    fn check(method: Method, uri: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        guard().check(&parts).map_or_else(|e| e.0.as_u16(), |()| 200)
    }

    #[test]
    fn only_the_own_host_is_answered() {
        let get = |host: &str| check(Method::GET, "/", &[("host", host)]);
        assert_eq!((get("127.0.0.1:8000"), get("localhost:8000"), get("LOCALHOST:8000")), (200, 200, 200));
        for host in [
            "evil.example:8000",
            "127.0.0.1",
            "127.0.0.1:8001",
            "127.0.0.1:8000.evil.example",
            "",
            "[::1]:8000",
        ] {
            assert_eq!(get(host), 421, "{host}");
        }
        assert_eq!(check(Method::GET, "/", &[]), 421);
        assert_eq!(check(Method::GET, "/", &[("host", "localhost:8000"), ("host", "evil:8000")]), 421);
        assert_eq!(check(Method::GET, "http://evil.example/", &[("host", "localhost:8000")]), 421);
    }

    #[test]
    fn other_sites_and_wrong_tokens_are_refused() {
        let host = ("host", "127.0.0.1:8000");
        let token = ("x-threshr-token", "secret");
        let get = |headers: &[(&str, &str)]| check(Method::GET, "/api/pages", headers);
        assert_eq!(get(&[host, token]), 200);
        assert_eq!(get(&[host, token, ("origin", "http://127.0.0.1:8000")]), 200);
        assert_eq!(get(&[host, token, ("sec-fetch-site", "same-origin")]), 200);
        for origin in ["null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:8001"] {
            assert_eq!(get(&[host, token, ("origin", origin)]), 403, "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert_eq!(get(&[host, token, ("sec-fetch-site", site)]), 403, "{site}");
        }
        for wrong in ["", "Secret", "secre", "secrets"] {
            assert_eq!(get(&[host, ("x-threshr-token", wrong)]), 401, "{wrong}");
        }
        assert_eq!(get(&[host]), 401);
    }

    #[test]
    fn changes_are_json() {
        let post = |kind: &str| {
            let headers = [("host", "127.0.0.1:8000"), ("x-threshr-token", "secret"), ("content-type", kind)];
            check(Method::POST, "/api/pages/0", &headers)
        };
        assert_eq!((post("application/json"), post("application/json; charset=utf-8")), (200, 200));
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
            assert_eq!(post(kind), 415, "{kind}");
        }
    }

    #[test]
    fn secrets_are_new_and_long() {
        let (a, b) = (Guard::new(1), Guard::new(1));
        assert!(a.token() != b.token() && a.token() != a.frame_key() && a.token().len() == 48);
    }
}
