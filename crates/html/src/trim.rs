//! Repairs of a page's HTML before tokenization.

use crate::source_map::Edit;
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// Returns the alternative to a frameset page for browsers without frames: the head, and the content of
/// `<noframes>`. Returns `None` if the page has no frames or no such content.
pub(crate) fn without_frames(html: &str) -> Option<(String, Edit)> {
    let find = |name: &str, from: usize| {
        let bytes = html.as_bytes();
        memchr::memchr_iter(b'<', &bytes[from..]).map(|i| from + i).find(|&at| {
            bytes
                .get(at + 1..at + 1 + name.len())
                .is_some_and(|tag| tag.eq_ignore_ascii_case(name.as_bytes()))
        })
    };
    let frames = find("frameset", 0)?;
    let start = find("noframes", frames)?;
    let content = start + html[start..].find('>')? + 1;
    let end = find("/noframes", content).unwrap_or(html.len());
    let inner = &html[content..end];
    let mut edit = Edit::default();
    edit.left_out(frames, content - frames);
    (!inner.trim().is_empty()).then(|| (format!("{}{inner}", &html[..frames]), edit))
}

/// A tag or comment in the text of a page.
pub(crate) struct Markup {
    /// Offset of the tag's `<`.
    pub start: usize,
    /// Offset of the tag's `>`, or the end of the page.
    pub end: usize,
}

/// Returns the tags and comments of a page. Raw text contains no markup. An unclosed comment ends the iteration.
pub(crate) fn markup(html: &str) -> impl Iterator<Item = Markup> {
    let bytes = html.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(start) = memchr(b'<', bytes.get(at..)?).map(|i| at + i) {
            match bytes.get(start + 1) {
                Some(b'!') if bytes[start..].starts_with(b"<!--") => {
                    let end = memmem::find(&bytes[start + 4..], b"-->").map(|i| start + 4 + i);
                    // an unclosed comment contains the rest of the page
                    at = end.unwrap_or(bytes.len());
                    return end.map(|end| Markup { start, end: end + 2 });
                }
                Some(c) if c.is_ascii_alphabetic() || *c == b'/' => {
                    let end = scan_tag(bytes, start + 1);
                    at = match RAW_TEXT.iter().find(|name| is_tag(bytes, start, name)) {
                        Some(name) => memchr::memchr_iter(b'<', &bytes[end..])
                            .map(|i| end + i)
                            .find(|&i| bytes.get(i + 1) == Some(&b'/') && is_tag(bytes, i + 1, name))
                            .unwrap_or(bytes.len()),
                        None => end,
                    };
                    return Some(Markup { start, end });
                }
                _ => at = start + 1,
            }
        }
        None
    })
}

/// Inserts a missing `</title>` before the next tag. Otherwise, the title would contain the rest of the page.
pub(crate) fn unclosed_title(html: &str) -> (Cow<'_, str>, Edit) {
    // a later title belongs to an SVG image or a code example
    const WINDOW: usize = 65_536;
    let bytes = html.as_bytes();
    let head = &bytes[..bytes.len().min(WINDOW)];
    let Some(open) = memchr::memchr_iter(b'<', head).find(|&at| is_tag(bytes, at, b"title")) else {
        return (Cow::Borrowed(html), Edit::default());
    };
    if memchr::memchr_iter(b'<', &bytes[open..])
        .any(|at| bytes[open + at..].starts_with(b"</") && is_tag(bytes, open + at + 1, b"title"))
    {
        return (Cow::Borrowed(html), Edit::default());
    }
    let end = memchr(b'<', &bytes[open + 1..]).map_or(bytes.len(), |i| open + 1 + i);
    const END_TAG: &str = "</title>";
    let mut edit = Edit::default();
    edit.added(end, END_TAG.len());
    (Cow::Owned([&html[..end], END_TAG, &html[end..]].concat()), edit)
}

fn starts_with(bytes: &[u8], word: &[u8]) -> bool {
    bytes.len() >= word.len() && bytes[..word.len()].eq_ignore_ascii_case(word)
}

/// Elements with raw text, in which `<` does not begin a tag.
const RAW_TEXT: [&[u8]; 10] = [
    b"script",
    b"style",
    b"title",
    b"textarea",
    b"noscript",
    b"iframe",
    b"xmp",
    b"noembed",
    b"noframes",
    b"plaintext",
];

/// Whether the tag name after the byte at `at` is `name`, in any case.
fn is_tag(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    let after = bytes.get(at + 1 + name.len());
    bytes.len() > at
        && starts_with(&bytes[at + 1..], name)
        && after.is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))
}

/// Returns the end of the tag whose name starts at `at`: the offset of its `>`, or the end of the page.
///
/// Quotes delimit a value only after `=`, as in the tokenizer.
pub(crate) fn scan_tag(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && !bytes[at].is_ascii_whitespace() && bytes[at] != b'>' && bytes[at] != b'/' {
        at += 1;
    }
    while at < bytes.len() && bytes[at] != b'>' {
        if bytes[at].is_ascii_whitespace() || bytes[at] == b'/' {
            at += 1;
            continue;
        }
        at = attribute_end(bytes, at);
    }
    at
}

/// Returns the end of the attribute that begins at `at`.
fn attribute_end(bytes: &[u8], mut at: usize) -> usize {
    at += 1; // the first character belongs to the name, even `=`
    while at < bytes.len() && !matches!(bytes[at], b'=' | b'>' | b'/') && !bytes[at].is_ascii_whitespace() {
        at += 1;
    }
    let value = bytes[at..].iter().position(|b| !b.is_ascii_whitespace()).map_or(bytes.len(), |i| at + i);
    if bytes.get(value) != Some(&b'=') {
        return at;
    }
    let mut at = value + 1;
    while at < bytes.len() && bytes[at].is_ascii_whitespace() {
        at += 1;
    }
    match bytes.get(at) {
        Some(&quote @ (b'"' | b'\'')) => memchr(quote, &bytes[at + 1..]).map_or(bytes.len(), |i| at + 2 + i),
        _ => {
            while at < bytes.len() && !bytes[at].is_ascii_whitespace() && bytes[at] != b'>' {
                at += 1;
            }
            at
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_a_title_without_end_tag() {
        assert!(matches!(unclosed_title("<title>a</TITLE ><p>").0, Cow::Borrowed(_)));
        assert_eq!(
            unclosed_title("<title id=x>a</titlevalue=1><p>b").0,
            "<title id=x>a</title></titlevalue=1><p>b"
        );
        assert_eq!(unclosed_title("<title>a").0, "<title>a</title>");
    }
}
