//! The charset that a page declares.

use super::Charset;
use memchr::memmem;

/// Number of bytes at the start of a page that are searched for `<meta charset>`. Browsers search 1,024
/// bytes, but some pages declare the charset later.
const META_WINDOW: usize = 16_384;

/// Maximum length of an unknown label that is reported.
const MAX_LABEL: usize = 40;

/// Returns the charset that `<meta>` or `<?xml` declares.
pub(super) fn declared(bytes: &[u8]) -> Option<Charset> {
    let head = bytes[..bytes.len().min(META_WINDOW)].to_ascii_lowercase();
    if let Some(xml) = head.strip_prefix(b"<?xml") {
        let end = memmem::find(xml, b"?>").unwrap_or(0);
        if let Some(encoding) = label_after(&xml[..end], b"encoding") {
            return Some(encoding);
        }
    }
    let head = without_comments(head);
    memmem::find_iter(&head, b"<meta").find_map(|at| {
        let tag = &head[at..];
        let end = memchr::memchr(b'>', tag).unwrap_or(tag.len());
        label_after(&tag[..end], b"charset")
    })
}

/// Returns the label that `<meta charset>`, `<meta http-equiv>` or `<?xml` declares, if this charset is unknown and
/// no known charset is declared.
pub(super) fn unknown(bytes: &[u8]) -> Option<String> {
    if declared(bytes).is_some() {
        return None;
    }
    let head = bytes[..bytes.len().min(META_WINDOW)].to_ascii_lowercase();
    let of_xml = head.strip_prefix(b"<?xml").and_then(|xml| {
        let end = memmem::find(xml, b"?>").unwrap_or(0);
        labels_after(&xml[..end], b"encoding").next().map(<[u8]>::to_vec)
    });
    let head = without_comments(head);
    let of_meta = || {
        memmem::find_iter(&head, b"<meta").find_map(|at| {
            let tag = &head[at + b"<meta".len()..];
            let tag = &tag[..memchr::memchr(b'>', tag).unwrap_or(tag.len())];
            let declares =
                tag.trim_ascii_start().starts_with(b"charset") || memmem::find(tag, b"http-equiv").is_some();
            labels_after(tag, b"charset").next().filter(|_| declares).map(<[u8]>::to_vec)
        })
    };
    let label = of_xml.or_else(of_meta)?;
    let is_label = |b: &u8| b.is_ascii_alphanumeric() || b"-_.:+()".contains(b);
    let is_short = !label.is_empty() && label.len() <= MAX_LABEL && label.iter().all(is_label);
    is_short.then(|| String::from_utf8_lossy(&label).into_owned())
}

/// Replaces comments by spaces, except an unclosed comment.
fn without_comments(mut head: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while let Some(start) = memmem::find(&head[at..], b"<!--").map(|i| at + i) {
        let Some(end) = memmem::find(&head[start + 2..], b"-->").map(|i| start + 2 + i) else { break };
        head[start..end].fill(b' ');
        at = end;
    }
    head
}

/// Returns the first known charset whose label follows `key` and `=`, with or without quotes.
fn label_after(text: &[u8], key: &[u8]) -> Option<Charset> {
    labels_after(text, key).find_map(Charset::of_label)
}

/// Returns the labels that follow `key` and `=`.
fn labels_after<'a>(text: &'a [u8], key: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    memmem::find_iter(text, key).filter_map(move |at| {
        let value = text[at + key.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
        let value = value.trim_ascii_start();
        let end = value.iter().position(|b| b"\"'; \t\r\n/".contains(b)).unwrap_or(value.len());
        Some(&value[..end])
    })
}
