//! Conversion of records to pages, and detection of HTML pages.

use crate::http::{self, Head};
use crate::raw_page::{Body, RawPage};
use crate::readers::archive::head::Fields;
use crate::sniff;
use threshr_core::{Error, Result};

/// Maximum number of bytes that are decoded to detect the type of a body.
const MAX_PROBE: u64 = 1 << 24;

/// Class of a record.
pub(super) enum Class {
    /// A page. Its body starts `head_length` bytes after the start of the block.
    Page { head_length: usize, head: Option<Head> },
    /// A response or resource that is not a page, with the reason.
    Skipped(&'static str),
    /// Another record, such as a request or metadata of the crawl.
    Other,
    /// A response that cannot be read.
    Unreadable(Error),
}

const NOT_HTML: &str = "not HTML";

/// Classifies a record by its header and the first bytes of its block.
pub(super) fn classify(fields: &Fields, block: &[u8]) -> Class {
    let content_type = http::media_type(fields.content_type.as_deref().unwrap_or_default()).0;
    let content_type = content_type.as_deref().unwrap_or_default();
    let is_http = content_type == "application/http" || content_type == "application/http-response";
    let may_be_page = match fields.kind.as_str() {
        "response" | "resource" => true,
        "" if fields.length.is_none() || http::starts_with_http(block) => http::starts_with_http(block),
        "revisit" => return Class::Skipped("revisits of other records"),
        "conversion" => return Class::Skipped("conversions of other records"),
        "warcinfo" | "request" | "metadata" | "continuation" | "filedesc" => false,
        _ => return Class::Skipped("records of unknown types"),
    };
    if !may_be_page {
        return Class::Other;
    }
    if http::starts_with_http(block.trim_ascii_start()) {
        return response(fields, block);
    }
    if http::is_html_type(content_type)
        || fields.payload_type.as_deref().is_some_and(http::is_html_type)
        || (is_http || is_unknown(content_type)) && sniff::is_html(block)
    {
        return Class::Page { head_length: 0, head: None };
    }
    if is_http && fields.kind == "response" {
        let error = Error::data("not an HTTP response: it has no status line");
        return Class::Unreadable(error.expected("HTTP/1.1 200 OK, headers and an empty line"));
    }
    Class::Skipped(NOT_HTML)
}

fn response(fields: &Fields, block: &[u8]) -> Class {
    let before = block.len() - block.trim_ascii_start().len();
    let head = match Head::parse(&block[before..]) {
        Ok(head) => head,
        Err(e) => return Class::Unreadable(e),
    };
    if !(200..300).contains(&head.status) {
        return Class::Skipped("status other than 2xx");
    }
    let body = &block[before + head.length..];
    let is_html = match (head.media_type.as_deref(), fields.payload_type.as_deref()) {
        (_, Some(payload)) if http::is_html_type(payload) => true,
        (_, Some(payload)) if is_media(payload) => false,
        // A body without a media type may be HTML.
        (None, _) => true,
        (Some(_), _) if head.is_html() => true,
        (Some(media_type), _) if is_unknown(media_type) => is_html_body(&head, body),
        _ => false,
    };
    if !is_html {
        return Class::Skipped(NOT_HTML);
    }
    if let Some(name) = &head.unsupported {
        let error = Error::data(format!("the encoding of the body is `{name}`"));
        return Class::Unreadable(error.expected("gzip, deflate, br or zstd"));
    }
    Class::Page { head_length: before + head.length, head: Some(head) }
}

/// Returns whether a media type is uninformative. Source: WHATWG MIME Sniffing, 7, and values that servers
/// and crawlers use.
fn is_unknown(media_type: &str) -> bool {
    !media_type.contains('/')
        || matches!(
            media_type,
            "unknown/unknown"
                | "application/unknown"
                | "application/x-unknown"
                | "application/x-unknown-content-type"
                | "content/unknown"
                | "*/*"
        )
}

/// Returns whether a media type is never that of an HTML page.
fn is_media(media_type: &str) -> bool {
    let starts = ["image/", "video/", "audio/", "font/"];
    starts.iter().any(|s| media_type.starts_with(s))
        || matches!(media_type, "application/pdf" | "application/zip")
}

fn is_html_body(head: &Head, body: &[u8]) -> bool {
    if sniff::is_html(body) {
        return true;
    }
    let is_packed = !head.encodings.is_empty() || sniff::may_be_packed(body);
    let body = is_packed.then(|| http::decode(body.to_vec(), &head.encodings, true, MAX_PROBE));
    body.is_some_and(|body| body.is_ok_and(|body| sniff::is_html(&body.bytes)))
}

/// Converts a record to a page.
///
/// # Errors
/// Returns `defect` if the body is empty because of it.
pub(super) fn page(
    fields: Fields,
    id: String,
    block: &[u8],
    (head_length, head): (usize, Option<Head>),
    defect: Option<Error>,
) -> Result<RawPage> {
    let bytes = block[head_length..].to_vec();
    if bytes.is_empty()
        && let Some(error) = defect
    {
        return Err(error);
    }
    let (charset, encodings) = match head {
        Some(head) => (head.charset, head.encodings),
        None => (fields.content_type.as_deref().and_then(|t| http::media_type(t).1), Vec::new()),
    };
    let body = Body::Encoded { bytes, encodings, truncated: fields.is_truncated };
    Ok(RawPage { id, url: fields.url, date: fields.date, charset, body, defect })
}
