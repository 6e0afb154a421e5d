//! What is taken off a page's text before the tokenizer sees it.

use crate::tree::Wrapper;
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// Takes off CleanEval's first line `<text id="…" title="…" encoding="…">` and its `</text>` at the end.
pub(crate) fn cleaneval_wrapper(html: &str) -> (Option<Wrapper>, &str) {
    let start = html.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let Some(rest) = start.strip_prefix("<text ") else { return (None, html) };
    let line = rest.lines().next().unwrap_or("");
    // titles may hold quotes and `>`; the encoding, which comes last, does not
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

/// Cuts the attributes of a tag after the first `most`, where html5ever's tokenizer would take time quadratic
/// in them. Pages without such a tag (all real ones) are borrowed.
pub(crate) fn attributes(html: &str, most: usize) -> Cow<'_, str> {
    let (mut out, mut copied) = (String::new(), 0);
    for markup in markup(html, most) {
        if let Some(cut) = markup.cut {
            out.push_str(&html[copied..cut]);
            copied = markup.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    out.push_str(&html[copied..]);
    Cow::Owned(out)
}

/// A tag or comment of a page's text.
pub(crate) struct Markup {
    /// Where its `<` stands.
    pub start: usize,
    /// Where its `>` stands, or the end of the page.
    pub end: usize,
    /// Where its attributes beyond the limit begin.
    pub cut: Option<usize>,
}

/// The tags, each read up to `most` attributes, and comments of a page, up to one that does not end; what stands in raw
/// text is none.
pub(crate) fn markup(html: &str, most: usize) -> impl Iterator<Item = Markup> {
    let bytes = html.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(start) = memchr(b'<', bytes.get(at..)?).map(|i| at + i) {
            match bytes.get(start + 1) {
                Some(b'!') if bytes[start..].starts_with(b"<!--") => {
                    let end = memmem::find(&bytes[start + 4..], b"-->").map(|i| start + 4 + i);
                    // a comment that does not end takes in the rest of the page
                    at = end.unwrap_or(bytes.len());
                    return end.map(|end| Markup { start, end: end + 2, cut: None });
                }
                Some(c) if c.is_ascii_alphabetic() || *c == b'/' => {
                    let Tag { cut, end } = Tag::scan(bytes, start + 1, most);
                    at = match RAW_TEXT.iter().find(|name| is_tag(bytes, start, name)) {
                        Some(name) => memchr::memchr_iter(b'<', &bytes[end..])
                            .map(|i| end + i)
                            .find(|&i| bytes.get(i + 1) == Some(&b'/') && is_tag(bytes, i + 1, name))
                            .unwrap_or(bytes.len()),
                        None => end,
                    };
                    return Some(Markup { start, end, cut });
                }
                _ => at = start + 1,
            }
        }
        None
    })
}

/// Ends a `<title>` that is never closed before the next tag: it would take in the whole page.
pub(crate) fn unclosed_title(html: &str) -> Cow<'_, str> {
    // a title after the first few kilobytes is one of an image or an example
    const WINDOW: usize = 65_536;
    let bytes = html.as_bytes();
    let head = &bytes[..bytes.len().min(WINDOW)];
    let Some(open) = memchr::memchr_iter(b'<', head).find(|&at| is_tag(bytes, at, b"title")) else {
        return Cow::Borrowed(html);
    };
    if memchr::memchr_iter(b'<', &bytes[open..])
        .any(|at| bytes[open + at..].starts_with(b"</") && is_tag(bytes, open + at + 1, b"title"))
    {
        return Cow::Borrowed(html);
    }
    let end = memchr(b'<', &bytes[open + 1..]).map_or(bytes.len(), |i| open + 1 + i);
    Cow::Owned([&html[..end], "</title>", &html[end..]].concat())
}

fn starts_with(bytes: &[u8], word: &[u8]) -> bool {
    bytes.len() >= word.len() && bytes[..word.len()].eq_ignore_ascii_case(word)
}

/// Elements whose content the tokenizer reads as text, where `<` opens nothing.
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

/// Whether the sign at `at` is followed by `name` and the end of a name.
fn is_tag(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    let after = bytes.get(at + 1 + name.len());
    bytes.len() > at
        && starts_with(&bytes[at + 1..], name)
        && after.is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))
}

struct Tag {
    /// Where the attributes beyond the limit begin.
    cut: Option<usize>,
    /// Where `>` stands, or the end of the page.
    end: usize,
}

impl Tag {
    /// Reads the tag whose name starts at `at` as the tokenizer does: quotes count only after `=`.
    fn scan(bytes: &[u8], mut at: usize, most: usize) -> Tag {
        let (mut num, mut cut) = (0, None);
        while at < bytes.len() && !bytes[at].is_ascii_whitespace() && bytes[at] != b'>' && bytes[at] != b'/' {
            at += 1;
        }
        while at < bytes.len() && bytes[at] != b'>' {
            if bytes[at].is_ascii_whitespace() || bytes[at] == b'/' {
                at += 1;
                continue;
            }
            num += 1;
            if num == most.saturating_add(1) {
                cut = Some(at);
            }
            at = Self::attribute(bytes, at);
        }
        Tag { cut, end: at }
    }

    /// The end of the attribute that begins at `at`.
    fn attribute(bytes: &[u8], mut at: usize) -> usize {
        at += 1; // the first character belongs to the name, `=` too
        while at < bytes.len() && !matches!(bytes[at], b'=' | b'>' | b'/') && !bytes[at].is_ascii_whitespace()
        {
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
            Some(&quote @ (b'"' | b'\'')) => {
                memchr(quote, &bytes[at + 1..]).map_or(bytes.len(), |i| at + 2 + i)
            }
            _ => {
                while at < bytes.len() && !bytes[at].is_ascii_whitespace() && bytes[at] != b'>' {
                    at += 1;
                }
                at
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapper_is_read_and_removed() {
        let html = "<text id=\"http://a/\" title=\"A > \"b\"\" encoding=\"unset\">\n<p>x</p></text>\n";
        let (wrapper, page) = cleaneval_wrapper(html);
        assert_eq!(wrapper, Some(Wrapper { id: "http://a/".into(), title: "A > \"b".into() }));
        assert_eq!(page, "\n<p>x</p>");
        assert_eq!(cleaneval_wrapper("<text x>").0, None);
        assert_eq!(cleaneval_wrapper("<p>").1, "<p>");
    }

    #[test]
    fn a_title_without_end_is_ended() {
        assert!(matches!(unclosed_title("<title>a</TITLE ><p>"), Cow::Borrowed(_)));
        assert_eq!(
            unclosed_title("<title id=x>a</titlevalue=1><p>b"),
            "<title id=x>a</title></titlevalue=1><p>b"
        );
        assert_eq!(unclosed_title("<title>a"), "<title>a</title>");
    }

    #[test]
    fn cuts_only_beyond_the_limit() {
        assert!(matches!(attributes("<a b=1 c='>' d><!-- <a b c d e f g> -->", 3), Cow::Borrowed(_)));
        assert_eq!(attributes("x<a b=1 c='>' d e=\"'>\" f>y<i>", 3), "x<a b=1 c='>' d >y<i>");
        assert_eq!(attributes("<a 1 2 3 4", 2), "<a 1 2 ");
        for raw in [
            "<script>if (a<b && c d e f g h) {}</script><p>",
            "<SCRIPT>if (a<b && c d e f g h) {}</Script ><p>",
            "<textarea>if a<b c d e f g h</textarea><p>",
            "<style>a<b c d e f g",
        ] {
            assert_eq!(attributes(raw, 2), raw);
        }
        assert_eq!(attributes("<script></script><a 1 2 3>", 2), "<script></script><a 1 2 >");
    }
}
