//! The charset that a page declares.

use super::Charset;
use memchr::memmem;

/// Bytes of a page that are searched for `<meta charset>`. Browsers search 1,024; some pages have it later.
const META_WINDOW: usize = 16_384;

/// The charset that `<meta>` or `<?xml` declares.
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

/// Replaces comments by spaces, except one without end.
fn without_comments(mut head: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while let Some(start) = memmem::find(&head[at..], b"<!--").map(|i| at + i) {
        let Some(end) = memmem::find(&head[start + 2..], b"-->").map(|i| start + 2 + i) else { break };
        head[start..end].fill(b' ');
        at = end;
    }
    head
}

/// The charset whose label follows `key` and `=`, with or without quotes.
fn label_after(text: &[u8], key: &[u8]) -> Option<Charset> {
    memmem::find_iter(text, key).find_map(|at| {
        let value = text[at + key.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
        let value = value.trim_ascii_start();
        let end = value.iter().position(|b| b"\"'; \t\r\n/".contains(b)).unwrap_or(value.len());
        Charset::of_label(&value[..end])
    })
}
