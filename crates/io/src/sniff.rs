//! Content sniffing: detects the type of bytes from their start.

use crate::json::without_mark;

/// Number of bytes that are inspected.
pub(crate) const WINDOW: usize = 1 << 12;

/// Start tags with which HTML pages begin, without `<`. Source: WHATWG MIME Sniffing, 7.1, and tags that
/// occur only in pages.
const TAGS: [&[u8]; 27] = [
    b"!doctype html",
    b"html",
    b"head",
    b"script",
    b"iframe",
    b"h1",
    b"h2",
    b"div",
    b"font",
    b"table",
    b"a",
    b"style",
    b"title",
    b"b",
    b"body",
    b"br",
    b"p",
    b"meta",
    b"link",
    b"base",
    b"center",
    b"frameset",
    b"main",
    b"article",
    b"section",
    b"header",
    b"ul",
];

/// Returns whether a string is the URL of a web page.
pub fn is_address(text: &str) -> bool {
    let rest = ["http://", "https://"].iter().find_map(|scheme| {
        let start = text.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| &text[scheme.len()..])
    });
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
}

/// Returns the shell command that fetches a page and extracts it.
pub fn fetch_command(address: &str) -> String {
    let address = quoted(address);
    format!("curl -fsSL {address} | threshr predict - --url {address}")
}

/// Returns what to write instead of a name that is no file but looks like an address: with another scheme, or a host
/// without a scheme.
pub(crate) fn instead_of_address(name: &str) -> Option<String> {
    if let Some(path) = name.strip_prefix("file://") {
        return Some(format!("the path of the file: {path}"));
    }
    if name.starts_with("ftp://") {
        return Some(format!("a file; for an address: {}", fetch_command(name)));
    }
    let host = name.split(['/', '?', '#']).next().unwrap_or_default();
    let (labels, top) = host.rsplit_once('.')?;
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let is_host = labels.split('.').all(is_label)
        && top.len() >= 2
        && top.bytes().all(|b| b.is_ascii_alphabetic())
        && !NAMES_OF_FILES.contains(&top);
    is_host.then(|| format!("a file; for an address: {}", fetch_command(&format!("https://{name}"))))
}

/// File extensions that look like the end of a host.
const NAMES_OF_FILES: [&str; 23] = [
    "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "mhtml", "mht", "warc", "arc", "jsonl",
    "ndjson", "json", "parquet", "list", "paths", "txt", "gz", "zst", "br", "zip",
];

/// Returns a string as one word of a shell command.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns whether the bytes are a list of URLs, one per line. If the bytes fill the window, the last line
/// may be truncated.
pub(crate) fn is_addresses(bytes: &[u8]) -> bool {
    let whole = if bytes.len() < WINDOW { bytes.len() } else { memchr::memrchr(b'\n', bytes).unwrap_or(0) };
    let Ok(text) = std::str::from_utf8(without_mark(&bytes[..whole]).trim_ascii()) else { return false };
    !text.is_empty() && text.lines().map(str::trim).all(|line| line.is_empty() || is_address(line))
}

/// Returns whether the bytes start like an HTML page. Skips a byte-order mark, white space, comments and
/// processing instructions such as `<?xml …?>`.
pub(crate) fn is_html(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(WINDOW)];
    // Removes zeros, because in UTF-16 every second byte of ASCII markup is zero.
    let narrow: Vec<u8> = bytes.iter().copied().filter(|&b| b != 0).collect();
    let marks: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
    let mut rest = marks.iter().find_map(|mark| narrow.strip_prefix(*mark)).unwrap_or(&narrow);
    loop {
        rest = rest.trim_ascii_start();
        let Some(tag) = rest.strip_prefix(b"<") else { return false };
        let end = if tag.starts_with(b"!--") {
            memchr::memmem::find(tag, b"-->").map(|at| at + 3)
        } else if tag.starts_with(b"?") && !is_php(rest) {
            memchr::memchr(b'>', tag).map(|at| at + 1)
        } else {
            return TAGS.iter().any(|name| starts_with_tag(tag, name));
        };
        match end {
            Some(end) => rest = &tag[end..],
            // If a comment fills the whole window, the bytes are assumed to be an HTML page.
            None => return tag.starts_with(b"!--") && bytes.len() == WINDOW,
        }
    }
}

fn starts_with_tag(bytes: &[u8], name: &[u8]) -> bool {
    let Some((start, after)) = bytes.split_at_checked(name.len()) else { return false };
    let ends = after.first().is_none_or(|b| matches!(b, b'>' | b'/' | b':') || b.is_ascii_whitespace());
    start.eq_ignore_ascii_case(name) && ends
}

/// Returns whether the bytes start with a JSON object, after a byte-order mark and white space.
pub(crate) fn is_json_object(bytes: &[u8]) -> bool {
    let start = without_mark(bytes).trim_ascii_start();
    start.strip_prefix(b"{").is_some_and(|inside| inside.trim_ascii_start().starts_with(b"\""))
}

/// Returns whether the bytes start with a JSON array of objects or an empty JSON array, after a byte-order
/// mark and white space.
pub(crate) fn is_json_array(bytes: &[u8]) -> bool {
    let start = without_mark(bytes).trim_ascii_start();
    let Some(inside) = start.strip_prefix(b"[").map(<[u8]>::trim_ascii_start) else { return false };
    match inside {
        [b'{', object @ ..] => matches!(object.trim_ascii_start(), [] | [b'"' | b'}', ..]),
        // White space may fill the window before the first object.
        [] => bytes.len() >= WINDOW,
        [first, ..] => *first == b']',
    }
}

/// Returns whether the bytes are text in UTF-16 or UTF-32.
pub(crate) fn is_wide(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..])
        || matches!(bytes, [b'{' | b'[', 0, ..] | [0, b'{' | b'[', ..] | [0, 0, 0, b'{' | b'['])
}

/// Returns whether the bytes start with a JSON object or an array of objects, in UTF-8, UTF-16 or UTF-32.
pub(crate) fn is_json(bytes: &[u8]) -> bool {
    if !is_wide(bytes) {
        return is_json_object(bytes) || is_json_array(bytes);
    }
    let marks: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
    let narrow: Vec<u8> = bytes.iter().copied().filter(|&b| b != 0).collect();
    let text = marks.iter().find_map(|mark| narrow.strip_prefix(*mark)).unwrap_or(&narrow);
    is_json_object(text) || is_json_array(text)
}

/// Returns whether the bytes are source code in PHP, ASP or JSP, and not a page.
pub(crate) fn is_php(bytes: &[u8]) -> bool {
    let start = without_mark(bytes).trim_ascii_start();
    let is_short_tag =
        start.strip_prefix(b"<?").is_some_and(|s| s.first().is_some_and(u8::is_ascii_whitespace));
    is_short_tag
        || start.starts_with(b"<%")
        || starts_with_tag(start, b"<?php")
        || starts_with_tag(start, b"<?=")
}

/// Returns whether the bytes start with the headers of a page saved as MIME. One of the `Name: value` lines
/// must declare a MIME version or a multipart type.
pub(crate) fn is_mime(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(WINDOW)];
    let head = without_mark(bytes).trim_ascii_start();
    let mut is_mime = false;
    for line in head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end) {
        if line.is_empty() {
            break;
        }
        let name = line.split(|&b| b == b':').next().unwrap_or_default();
        let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
        let is_field =
            name.len() < line.len() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
        if !is_folded && !is_field {
            return is_mime && bytes.len() == WINDOW;
        }
        let line = line.to_ascii_lowercase();
        is_mime |= line.starts_with(b"mime-version:") || line.starts_with(b"content-type: multipart/");
    }
    is_mime
}

/// Returns whether the bytes may be compressed by a format without a signature: they contain control
/// characters, and are not UTF-16.
pub(crate) fn may_be_packed(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(64)];
    let is_control = |b: &u8| matches!(b, 0..=8 | 0x0e..=0x1a);
    let is_utf16 = matches!(start, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [_, 0, _, 0, ..] | [0, _, 0, _, ..]);
    !is_utf16 && start.iter().any(is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_recognised() {
        let wide: Vec<u8> = "\u{feff}<html>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for page in [
            &b"<!DOCTYPE html>"[..],
            b"\xef\xbb\xbf\r\n<HTML lang=en>",
            b"<?xml version='1.0'?>\n<!-- <x> --><html xmlns='x'>",
            b"<p>x",
            b"<!-- a --><!-- b -->\n<div/>",
            &wide,
        ] {
            assert!(is_html(page), "{page:?}");
        }
        let source = b"<?php echo '<html>'; ?>";
        for other in
            [&b""[..], b"text", b"<svg>", b"<?xml version='1.0'?><rss>", b"<", b"<pre-x>", b"<!--", source]
        {
            assert!(!is_html(other), "{other:?}");
        }
        assert!(is_php(source) && is_php(b"\n<%@ page %>") && is_php(b"<? x") && !is_php(b"<?xml ?>"));
    }

    #[test]
    fn saved_pages_are_recognised() {
        assert!(is_mime(b"From: <Saved by Blink>\r\nSubject: x\r\n y\r\nMIME-Version: 1.0\r\n\r\n"));
        assert!(is_mime(b"Content-Type: multipart/related;\r\n\tboundary=x\r\n\r\n"));
        for other in
            [&b""[..], b"Note: this is text.\n\nMIME-Version: 1.0", b"<html>", b"a b: c\nMIME-Version: 1.0"]
        {
            assert!(!is_mime(other), "{other:?}");
        }
    }
}
