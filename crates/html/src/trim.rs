//! Changes to a page's text before the tokenizer reads it.

use crate::source_map::Edit;
use crate::tree::Wrapper;
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// Removes CleanEval's first line `<text id="…" title="…" encoding="…">` and the `</text>` at the end.
pub(crate) fn cleaneval_wrapper(html: &str) -> (Option<Wrapper>, &str) {
    let start = html.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let Some(rest) = start.strip_prefix("<text ") else { return (None, html) };
    let line = rest.lines().next().unwrap_or("");
    // a title may contain quotes and `>`; the encoding is the last attribute and contains neither
    let encoding = line.find(" encoding=").unwrap_or(0);
    let Some(end) = line[encoding..].find('>').map(|i| encoding + i) else { return (None, html) };
    let tag = &rest[..end];
    if !tag.contains("id=") || !tag.contains("encoding=") {
        return (None, html);
    }
    let value = |name: &str, next: &str| {
        let from = tag.find(name).map(|i| i + name.len())?;
        let until = tag[from..].rfind(next).map_or(tag.len(), |i| from + i);
        Some(tag[from..until].trim().trim_matches('"').to_owned())
    };
    let wrapper = Wrapper {
        id: value("id=", " title=").unwrap_or_default(),
        title: value("title=", " encoding=").unwrap_or_default(),
    };
    let page = &rest[end + 1..];
    let page = page.trim_end().strip_suffix("</text>").unwrap_or(page);
    (Some(wrapper), page)
}

/// The page that a page of frames gives to browsers without frames: the head, and the content of `<noframes>`. `None` if
/// the page has no frames, or nothing for such browsers.
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

/// A tag or comment of a page's text.
pub(crate) struct Markup {
    /// Offset of its `<`.
    pub start: usize,
    /// Offset of its `>`, or the end of the page.
    pub end: usize,
}

/// The tags and comments of a page. Raw text contains no markup. A comment without end ends the iteration.
pub(crate) fn markup(html: &str) -> impl Iterator<Item = Markup> {
    let bytes = html.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(start) = memchr(b'<', bytes.get(at..)?).map(|i| at + i) {
            match bytes.get(start + 1) {
                Some(b'!') if bytes[start..].starts_with(b"<!--") => {
                    let end = memmem::find(&bytes[start + 4..], b"-->").map(|i| start + 4 + i);
                    // a comment without end contains the rest of the page
                    at = end.unwrap_or(bytes.len());
                    return end.map(|end| Markup { start, end: end + 2 });
                }
                Some(c) if c.is_ascii_alphabetic() || *c == b'/' => {
                    let end = scan_tag(bytes, start + 1, |_| ());
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

/// Ends a `<title>` without end tag before the next tag. Without this the title contains the whole page.
pub(crate) fn unclosed_title(html: &str) -> (Cow<'_, str>, Edit) {
    // a later title belongs to an image or an example
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

/// Elements with raw text: `<` begins no tag in them.
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

/// Whether `name` and the end of a name follow the byte at `at`.
fn is_tag(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    let after = bytes.get(at + 1 + name.len());
    bytes.len() > at
        && starts_with(&bytes[at + 1..], name)
        && after.is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))
}

/// The end of the tag whose name starts at `at`. Calls `visit` with the offset of each attribute.
///
/// Quotes count only after `=`, as in the tokenizer.
pub(crate) fn scan_tag(bytes: &[u8], mut at: usize, mut visit: impl FnMut(usize)) -> usize {
    while at < bytes.len() && !bytes[at].is_ascii_whitespace() && bytes[at] != b'>' && bytes[at] != b'/' {
        at += 1;
    }
    while at < bytes.len() && bytes[at] != b'>' {
        if bytes[at].is_ascii_whitespace() || bytes[at] == b'/' {
            at += 1;
            continue;
        }
        visit(at);
        at = attribute_end(bytes, at);
    }
    at
}

/// The end of the attribute that begins at `at`.
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
    fn reads_and_removes_the_wrapper() {
        let html = "<text id=\"http://a/\" title=\"A > \"b\"\" encoding=\"unset\">\n<p>x</p></text>\n";
        let (wrapper, page) = cleaneval_wrapper(html);
        assert_eq!(wrapper, Some(Wrapper { id: "http://a/".into(), title: "A > \"b".into() }));
        assert_eq!(page, "\n<p>x</p>");
        assert_eq!(cleaneval_wrapper("<text x>").0, None);
        assert_eq!(cleaneval_wrapper("<p>").1, "<p>");
    }

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
